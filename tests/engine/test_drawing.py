from __future__ import annotations

import itertools
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from polbias.files import BuildError
from polbias.generators.engine import (
    Constant,
    Exclusion,
    Factor,
    Join,
    Lookup,
    Rows,
    Sample,
    TableSpec,
    run_shard,
)
from polbias.generators.engine.sampled import Strata
from polbias.generators.engine.spec import shares
from tests.engine.specs import factors, kept, products


def _table(chosen, exclude, sample, **changes):
    columns = {
        factor.name: Lookup(factors=(factor.name,), values=pa.array(factor.levels, pa.int64()))
        for factor in chosen
    }
    base = {
        "dataset": "numbers",
        "config": "all",
        "version": "1.0.0",
        "factors": chosen,
        "exclude": exclude,
        "columns": columns | {"nothing": Constant(value=None)},
        "sample": sample,
    }
    return TableSpec(**base | changes)


def _drawn(spec):
    rows = Rows(spec)
    names = [factor.name for factor in spec.factors]
    return [tuple(row[name] for name in names) for row in rows.batch(0, len(rows)).to_pylist()]


class _Expected:
    """The pairs of each stratum, by the definition."""

    def __init__(self, chosen, exclude, pair, strata):
        names = [factor.name for factor in chosen]
        self.pair = [names.index(name) for name in pair]
        self.strata = [names.index(name) for name in strata]
        self.free = [i for i in range(len(names)) if i not in (*self.pair, *self.strata)]
        self.width = int(np.prod([len(chosen[i].levels) for i in self.pair]))
        self.rows = {tuple(row[name] for name in names) for row in kept(chosen, exclude)}
        whole = Counter((self.stratum(row), self.rest(row)) for row in self.rows)
        self.pairs = [key for key, count in whole.items() if count == self.width]
        self.sizes = Counter(stratum for stratum, _ in self.pairs)
        self.most = min(self.sizes.values(), default=0) * len(self.sizes)

    def stratum(self, row):
        return tuple(row[i] for i in self.strata)

    def rest(self, row):
        return tuple(row[i] for i in self.free)


@st.composite
def _designs(draw):
    chosen, exclude = draw(products())
    names = draw(st.permutations([factor.name for factor in chosen]))
    pairs = draw(st.integers(0, min(2, len(names))))
    strata = draw(st.integers(0, min(2, len(names) - pairs)))
    return chosen, exclude, tuple(names[:pairs]), tuple(names[pairs : pairs + strata])


@given(_designs(), st.data())
def test_a_sample_is_distinct_whole_pairs_evenly_from_all_strata(design, data):
    chosen, exclude, pair, strata = design
    expected = _Expected(*design)
    assume(expected.most)
    count = data.draw(st.integers(1, expected.most))
    sample = Sample(rows=count * expected.width, pair=pair, strata=strata)
    found = _drawn(_table(chosen, exclude, sample))
    assert len(found) == len(set(found)) == sample.rows
    assert set(found) <= expected.rows
    order = list(itertools.product(*(chosen[i].levels for i in expected.pair)))
    present = [
        s for s in itertools.product(*(chosen[i].levels for i in expected.strata)) if s in expected.sizes
    ]
    for number in range(count):
        rows = found[number * expected.width : (number + 1) * expected.width]
        assert len({(expected.stratum(row), expected.rest(row)) for row in rows}) == 1
        assert [tuple(row[i] for i in expected.pair) for row in rows] == order
        assert expected.stratum(rows[0]) == present[number % len(present)]


@given(_designs())
def test_a_sample_of_all_pairs_of_equal_strata_is_the_product(design):
    chosen, exclude, pair, strata = design
    expected = _Expected(*design)
    assume(expected.most and expected.most == len(expected.pairs))
    sample = Sample(rows=expected.most * expected.width, pair=pair, strata=strata)
    found = _drawn(_table(chosen, exclude, sample))
    pairs = {(expected.stratum(row), expected.rest(row)) for row in found}
    assert pairs == set(expected.pairs)


@given(_designs())
def test_the_pairs_of_a_stratum_are_numbered_once(design):
    chosen, exclude, pair, strata = design
    expected = _Expected(*design)
    found = Strata(chosen, exclude, Sample(rows=1, pair=pair, strata=strata))
    assert sorted(found.pairs) == sorted(expected.sizes.values())
    for index, size in enumerate(found.pairs):
        assert len(set(found.flat(np.arange(size), np.full(size, index)).tolist())) == size


@given(_designs(), st.data())
def test_one_pair_more_than_there_are_is_refused(design, data):
    chosen, exclude, pair, strata = design
    expected = _Expected(*design)
    rows = (expected.most + data.draw(st.integers(1, 5))) * expected.width
    with pytest.raises(BuildError, match=f"{expected.most * expected.width:,} rows can be drawn"):
        Rows(_table(chosen, exclude, Sample(rows=rows, pair=pair, strata=strata)))


SHAPE = factors([2, 3, 40, 30])
SAMPLE = Sample(rows=600, pair=("f0",), strata=("f1",))


def test_a_smaller_sample_is_the_beginning_of_a_larger_one():
    larger = _drawn(_table(SHAPE, (), SAMPLE))
    assert _drawn(_table(SHAPE, (), SAMPLE.model_copy(update={"rows": 200}))) == larger[:200]


@pytest.mark.parametrize("change", [{"version": "1.0.1"}, {"config": "other"}, {"dataset": "others"}])
def test_name_and_version_give_other_rows(change):
    first = set(_drawn(_table(SHAPE, (), SAMPLE)))
    other = set(_drawn(_table(SHAPE, (), SAMPLE, **change)))
    assert len(first & other) < 200  # 600 of 7,200 rows: 50 by chance
    redrawn = set(_drawn(_table(SHAPE, (), SAMPLE.model_copy(update={"version": "1.0.1"}))))
    assert len(first & redrawn) < 200


@given(st.integers(0, 600), st.integers(0, 600))
def test_any_range_is_that_part_of_the_whole(start, stop):
    start, stop = sorted((start, stop))
    rows = Rows(_table(SHAPE, (), SAMPLE))
    assert rows.batch(start, stop).to_pylist() == rows.batch(0, 600).to_pylist()[start:stop]


def test_ranges_outside_are_refused():
    with pytest.raises(IndexError, match="outside"):
        Rows(_table(SHAPE, (), SAMPLE)).batch(599, 601)


def test_shards_hold_the_rows_of_the_sample(tmp_path: Path):
    spec = _table(SHAPE, (Exclusion(levels={"f2": 7, "f3": 3}), Exclusion(levels={"f1": 0, "f2": 5})), SAMPLE)
    shards = [run_shard(spec, rank, 7, tmp_path) for rank in range(7)]
    made = pa.concat_tables([pq.read_table(shard.path) for shard in shards])
    assert made.to_pylist() == Rows(spec).batch(0, 600).to_pylist()


def test_every_row_is_drawn_about_equally_often():
    counts: Counter[tuple[int, ...]] = Counter()
    draws = 400
    exclude = (Exclusion(levels={"f1": 1, "f2": 0}),)
    small = factors([2, 2, 5])
    for number in range(draws):
        counts.update(
            _drawn(_table(small, exclude, Sample(rows=8, pair=("f0",), strata=("f1",), version=str(number))))
        )
    # Two pairs of each stratum: of five in the one, of four in the other.
    for (_, stratum, _), count in counts.items():
        share = 2 / 5 if stratum == 0 else 2 / 4
        assert abs(count - draws * share) < 4.5 * (draws * share * (1 - share)) ** 0.5
    assert len(counts) == 18


def test_a_product_of_ten_to_the_twelve_takes_no_memory():
    chosen = tuple(
        Factor(name=f"f{i}", levels=tuple(range(size))) for i, size in enumerate([2, 6, *[1000] * 3, 84])
    )
    exclude = (Exclusion(levels={"f4": 3}), *(Exclusion(levels={"f2": i, "f3": i}) for i in range(1000)))
    sample = Sample(rows=10**9, pair=("f0",), strata=("f1",))
    tracemalloc.start()
    rows = Rows(_table(chosen, exclude, sample))
    batch = rows.batch(10**9 - 20_000, 10**9)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(rows) == 10**9
    assert peak < 150 << 20
    values = batch.to_pydict()
    assert not any(a == b for a, b in zip(values["f2"], values["f3"], strict=True))
    assert 3 not in values["f4"]
    assert len(set(zip(*(values[f"f{i}"] for i in range(6)), strict=True))) == 20_000


def test_factors_tied_in_too_many_choices_are_an_error_that_names_them():
    chosen = factors([3000, 3000])
    with pytest.raises(BuildError, match="tie the factors f0, f1 together, 9,000,000 choices"):
        Rows(_table(chosen, (Exclusion(levels={"f0": 1, "f1": 1}),), Sample(rows=10)))


def test_a_product_beyond_numbering_is_an_error():
    with pytest.raises(BuildError, match=r"more than 2\^62 rows"):
        Rows(_table(factors([1000] * 7), (), Sample(rows=10)))


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"rows": 3, "pair": ("f0",)}, "a multiple of 2 rows, found 3 rows"),
        ({"rows": 4, "pair": ("side",)}, "unknown factors \\['side'\\]"),
        ({"rows": 4, "pair": ("f0",), "strata": ("f0",)}, "may stand once"),
        ({"rows": 0}, "greater than or equal to 1"),
    ],
)
def test_impossible_samples_are_refused(sample, message):
    with pytest.raises(ValidationError, match=message):
        _table(SHAPE, (), Sample(**sample))


def test_joins_are_of_the_drawn_rows():
    text = Lookup(factors=("f2",), values=[f"t{i}" for i in range(40)])
    number = Lookup(factors=("f2",), values=pa.array(range(40)))
    columns = {"text": Join(parts=(text, "!")), "number": number}
    rows = Rows(_table(SHAPE, (), SAMPLE, columns=columns)).batch(0, 600).to_pylist()
    assert all(row["text"] == f"t{row['number']}!" for row in rows)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(1, 3), st.data())
def test_rows_are_shared_out_as_evenly_as_tables_have_them(pairs, pair, data):
    most = [pair * count for count in pairs]
    rows = data.draw(st.integers(pair * len(most), sum(most)))
    found = shares(rows, most, pair)
    assert sum(found) == rows // pair * pair
    assert all(0 < share <= limit and share % pair == 0 for share, limit in zip(found, most, strict=True))
    for share, limit in zip(found, most, strict=True):
        assert share == limit or max(found) - share <= pair


@pytest.mark.parametrize("rows", [3, 21])
def test_rows_that_no_share_holds_are_refused(rows):
    with pytest.raises(BuildError, match=f"{rows} rows are asked for; 4 to 20 can be drawn from 2 configs"):
        shares(rows, [10, 10], 2)
