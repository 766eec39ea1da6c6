"""The algebra of the simulated fleet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.fleet import INPUTS, WORKERS, Inputs, main, schedule, simulate
from polbias.generators.engine.templates import load_template

_SECONDS = st.lists(st.floats(0.01, 100), min_size=1, max_size=25)
_FAST = 1e12


def _run(work, starts=(0.0,), sizes=None, own=_FAST, shared=_FAST):
    sizes = np.zeros(len(work)) if sizes is None else np.asarray(sizes, float)
    return schedule(np.asarray(starts, float), np.asarray(work, float), sizes, own, shared)


@given(_SECONDS, st.floats(0, 50))
def test_one_worker_takes_the_sum(work, start):
    assert _run(work, [start]).ends.max() == pytest.approx(start + sum(work))


@given(_SECONDS, st.integers(0, 5))
def test_as_many_workers_as_shards_take_the_longest(work, more):
    done = _run(work, np.zeros(len(work) + more))
    assert done.ends == pytest.approx(work)
    assert sorted(done.worker) == sorted(set(done.worker))


@settings(max_examples=60)
@given(
    _SECONDS,
    st.lists(st.floats(0, 30), min_size=1, max_size=6),
    st.floats(0.1, 10),
    st.floats(0.1, 10),
    st.data(),
)
def test_all_is_made_once_uploaded_whole_and_never_faster_than_it_can_be(work, starts, own, shared, data):
    sizes = data.draw(st.lists(st.floats(0, 20), min_size=len(work), max_size=len(work)))
    done = _run(work, starts, sizes, own, shared)
    last = done.ends.max()
    # A worker makes and uploads one shard after the other: its time is that of its shards, and nothing is lost.
    for who, start in enumerate(starts):
        mine = np.flatnonzero(done.worker == who)
        ends = done.ends[mine]
        begun = np.concatenate([[start], ends[:-1]])
        assert done.made[mine] == pytest.approx(begun + np.asarray(work)[mine], rel=1e-6)
        assert (ends - done.made[mine] >= np.asarray(sizes)[mine] / min(own, shared) - 1e-6).all()
    assert sum(max(0.0, last - start) for start in starts) >= sum(work) - 1e-6
    assert last >= min(starts) + max(work) - 1e-6
    assert last - min(starts) >= sum(sizes) / min(shared, own * len(starts)) - 1e-6
    # Whenever an upload ends, all that have ended are at most what the store can have taken by then.
    for end in done.ends:
        assert np.asarray(sizes)[done.ends <= end].sum() <= shared * (end - done.made.min()) + 1e-6


def test_uploads_share_the_store_evenly():
    both = _run([1, 1], [0, 0], [10, 10], own=10, shared=10)
    assert both.ends == pytest.approx([3, 3])
    # Alone for one second, then with the other at half the speed until the first is through.
    late = _run([1, 2], [0, 0], [10, 10], own=5, shared=5)
    assert late.ends == pytest.approx([4, 5])
    assert _run([1, 1], [0, 0], [10, 10], own=10, shared=20).ends == pytest.approx([2, 2])


@pytest.fixture(scope="module")
def inputs():
    return load_template(INPUTS, Inputs)


def test_more_workers_are_faster_and_less_busy_until_merging_is_what_takes_longest(inputs):
    found = [simulate(inputs, workers, rounds=5) for workers in WORKERS]
    assert [each.making for each in found] == sorted((each.making for each in found), reverse=True)
    assert [each.efficiency for each in found] == sorted((each.efficiency for each in found), reverse=True)
    assert all(0 < each.efficiency < 1 for each in found)
    assert len({each.merging for each in found}) == 1
    alone = inputs.rows * inputs.row_seconds + inputs.rows / inputs.shard_rows * inputs.shard_seconds
    upload = inputs.rows * inputs.row_bytes / inputs.worker_bandwidth
    assert found[0].making == pytest.approx(alone + upload, rel=0.02)


def test_the_same_inputs_give_the_same_outcome(inputs):
    assert simulate(inputs, 16, rounds=3) == simulate(inputs, 16, rounds=3)


def test_what_is_printed(capsys):
    main(["--workers", "4"])
    text = capsys.readouterr().out
    assert "1,000,000,000 rows, 1,000 shards" in text
    assert "bottleneck" in text
