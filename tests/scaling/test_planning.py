from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from polbias.cli import build_scaled
from polbias.cli.build_scaled import Scale
from polbias.manifest import read_manifest
from polbias.scaling import EXECUTORS, Size
from polbias.scaling.plan import _longest, calibrate, load_profiles, plan
from polbias.scaling.run import plan_run
from tests.scaling.conftest import ROWS, SHARDS, begin


def test_a_plan_says_rows_shards_and_about_the_bytes(run, finished):
    found = plan(run, "inprocess", 1)
    files = [file for splits in read_manifest(finished).configs.values() for file in splits["test"].files]
    assert (found.rows, found.shards) == (ROWS, SHARDS)
    assert found.size == pytest.approx(sum(file.size for file in files), rel=0.25)
    assert found.making > 0
    assert found.cost(3.0) == pytest.approx(3 * found.worker_hours)
    assert not Path(run.out).exists()


def test_the_bytes_of_a_row_do_not_depend_on_the_number_of_rows(spec):
    found = calibrate(spec.tables[0])
    assert 0 < found.row_bytes < 500
    assert found.shard_bytes > 1000
    assert 0 < found.hash_seconds < found.row_seconds


def test_workers_and_shards_share_the_time(spec, tmp_path):
    run = begin(spec, tmp_path)
    one, many = plan(run, "local", 1), plan(run, "local", 6)
    startup = one.profile.startup
    assert (many.making - startup) < 0.5 * (one.making - startup)
    assert many.worker_hours > 5 * startup / 3600


def test_one_shard_a_table_needs_no_hashing_when_merged(spec, tmp_path):
    assert plan(plan_run(str(tmp_path), spec, Size(), None), "inprocess", 1).merging == 0
    assert plan(plan_run(str(tmp_path), spec, Size(), 8), "inprocess", 1).merging > 0


def test_uploads_take_time(spec, tmp_path):
    here = plan(begin(spec, tmp_path), "inprocess", 1)
    there = plan(begin(spec, "memory://sets"), "inprocess", 1)
    uploads = there.size / load_profiles().upload
    assert there.worker_hours * 3600 > uploads
    assert here.size == pytest.approx(there.size, rel=0.01)


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=30), st.integers(1, 5))
def test_the_last_shard_is_there_when_all_workers_are_busy_as_long_as_they_can(seconds, workers):
    found = _longest(seconds, workers)
    assert found >= max(sum(seconds) / workers, max(seconds)) - 1e-9
    assert found <= sum(seconds) / workers + max(seconds)
    if workers == 1:
        assert found == pytest.approx(sum(seconds))
    if len(seconds) <= 4:
        free = [0.0] * workers
        for each in seconds:
            free.sort()
            free[0] += each
        assert found == pytest.approx(max(free))


def test_every_executor_has_a_profile_that_says_how_it_was_measured():
    profiles = load_profiles()
    assert profiles.executors.keys() == EXECUTORS.keys()
    for profile in profiles.executors.values():
        assert len(profile.source) > 20
        assert profile.slowdown > 0.2


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (59.94, "59.9 s"), (61, "1 min 1 s"), (7260, "2 h 1 min")]
)
def test_times_are_said_as_people_do(seconds, text):
    assert build_scaled._time(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(12, "12 bytes"), (1234, "1.23 kB"), (5.5e9, "5.5 GB")])
def test_sizes_are_said_as_people_do(count, text):
    assert build_scaled._size(count) == text


def test_what_is_printed(run, monkeypatch, capsys):
    monkeypatch.setattr(build_scaled, "prepared", lambda *_: run)
    monkeypatch.setattr(build_scaled, "Console", lambda: Console(width=200))
    scale = Scale(executor="local", workers=64)
    build_scaled.print_plan("normative-reasoning-xl", scale, None, None, 2.5, measure=True)
    text = capsys.readouterr().out
    wanted = ("2,400", "12", "worker-hours", "at 2.5 an hour", "rows/s", "64 workers share", run.where.url)
    assert all(part in text for part in wanted), text
