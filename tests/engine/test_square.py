from __future__ import annotations

import itertools
import math
import tracemalloc
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from polbias.errors import BuildError
from polbias.generators.engine import (
    Concatenation,
    Constant,
    Exclusion,
    Lookup,
    Sample,
    TableRows,
    TableSpec,
    run_shard,
)
from polbias.generators.engine.spec import split_rows
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
    rows = TableRows(spec)
    names = [factor.name for factor in spec.factors]
    return [tuple(row[name] for name in names) for row in rows.batch(0, len(rows)).to_pylist()]


@st.composite
def _designs(draw):
    chosen, _ = draw(products())
    names = draw(st.permutations([factor.name for factor in chosen]))
    pairs = draw(st.integers(0, min(2, len(names))))
    strata = draw(st.integers(0, min(3, len(names) - pairs)))
    pair, strata, free = names[:pairs], names[pairs : pairs + strata], names[pairs + strata :]
    sizes = {factor.name: len(factor.levels) for factor in chosen}
    moves = {}
    for place, name in enumerate((*strata, *free), 1):
        faster = strata[place:] if name in strata else strata
        over = tuple(draw(st.lists(st.sampled_from(faster), unique=True, max_size=2))) if faster else ()
        count = math.prod(sizes[each] for each in over)
        values = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
        moves[name] = Lookup(factors=over, values=pa.array(values, pa.int64()))
    wanted = draw(st.sets(st.sampled_from(list(moves)))) if moves else ()
    chosen_moves = {name: moves[name] for name in wanted}
    return chosen, {"pair": tuple(pair), "strata": tuple(strata), "moves": chosen_moves}


@given(_designs())
def test_every_row_of_the_product_has_one_number(design):
    chosen, how = design
    most = math.prod(len(factor.levels) for factor in chosen)
    found = _drawn(_table(chosen, (), Sample(rows=most, **how)))
    names = [factor.name for factor in chosen]
    assert Counter(found) == Counter(tuple(row[name] for name in names) for row in kept(chosen))


@given(_designs(), st.data())
def test_any_beginning_is_whole_pairs_evenly_from_all_strata(design, data):
    chosen, how = design
    sizes = {factor.name: len(factor.levels) for factor in chosen}
    width = math.prod(sizes[name] for name in how["pair"])
    count = data.draw(st.integers(1, math.prod(sizes.values()) // width))
    found = _drawn(_table(chosen, (), Sample(rows=count * width, **how)))
    places = [[[*sizes].index(name) for name in how[part]] for part in ("pair", "strata")]
    levels = [[tuple(row[place] for place in part) for row in found] for part in places]
    order = list(itertools.product(*(range(sizes[name]) for name in how["pair"])))
    assert levels[0] == order * count
    pairs = Counter(levels[1][::width])
    assert all(levels[1][i] == levels[1][i - i % width] for i in range(len(found)))
    strata = math.prod(sizes[name] for name in how["strata"])
    assert max(pairs.values()) == -(-count // strata)
    assert len(pairs) == min(count, strata)
    assert min(pairs.values()) >= count // strata


SHAPE = factors([2, 3, 4, 30])
MOVES = {
    "f2": Lookup(factors=("f1",), values=pa.array([0, 1, 3])),
    "f3": Lookup(factors=("f1",), values=pa.array([0, 11, 22])),
}
SAMPLE = Sample(rows=600, pair=("f0",), strata=("f1",), moves=MOVES)


def test_other_factors_are_moved_and_go_on_with_every_round():
    rows = _drawn(_table(SHAPE, (), SAMPLE))[::2]
    assert rows[:6] == [
        (0, 0, 0, 0),
        (0, 1, 1, 11),
        (0, 2, 3, 22),
        (0, 0, 1, 1),
        (0, 1, 2, 12),
        (0, 2, 0, 23),
    ]
    # After all thirty levels of the fastest, the next one is a level further.
    assert rows[90:92] == [(0, 0, 1, 0), (0, 1, 2, 11)]


def test_a_smaller_sample_is_the_beginning_of_a_larger_one():
    larger = _drawn(_table(SHAPE, (), SAMPLE))
    assert _drawn(_table(SHAPE, (), SAMPLE.model_copy(update={"rows": 200}))) == larger[:200]


@given(st.integers(0, 600), st.integers(0, 600))
def test_any_range_is_that_part_of_the_whole(start, stop):
    start, stop = sorted((start, stop))
    rows = TableRows(_table(SHAPE, (), SAMPLE))
    assert rows.batch(start, stop).to_pylist() == rows.batch(0, 600).to_pylist()[start:stop]


def test_ranges_outside_are_refused():
    with pytest.raises(IndexError, match="outside"):
        TableRows(_table(SHAPE, (), SAMPLE)).batch(599, 601)


def test_shards_hold_the_rows_of_the_sample(tmp_path: Path):
    spec = _table(SHAPE, (), SAMPLE)
    shards = [run_shard(spec, rank, 7, tmp_path) for rank in range(7)]
    made = pa.concat_tables([pq.read_table(shard.path) for shard in shards])
    assert made.to_pylist() == TableRows(spec).batch(0, 600).to_pylist()


def test_a_product_of_ten_to_the_twelve_takes_no_memory():
    chosen = factors([2, 6, *[1000] * 3, 84])
    tracemalloc.start()
    rows = TableRows(_table(chosen, (), Sample(rows=10**9, pair=("f0",), strata=("f1",))))
    batch = rows.batch(10**9 - 20_000, 10**9)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(rows) == 10**9
    assert peak < 150 << 20
    values = batch.to_pydict()
    assert len(set(zip(*(values[f"f{i}"] for i in range(6)), strict=True))) == 20_000


def test_a_product_beyond_numbering_is_an_error():
    with pytest.raises(BuildError, match=r"more than 2\^62 rows"):
        TableRows(_table(factors([1000] * 7), (), Sample(rows=10)))


def test_more_rows_than_there_are_are_refused():
    with pytest.raises(BuildError, match="found a sample of 722 rows, expected at most 720"):
        TableRows(_table(SHAPE, (), SAMPLE.model_copy(update={"rows": 722})))


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"rows": 3, "pair": ("f0",)}, "found 3 rows, expected a multiple of 2"),
        ({"rows": 4, "pair": ("side",)}, "unknown factors \\['side'\\]"),
        ({"rows": 4, "pair": ("f0",), "strata": ("f0",)}, "expected each factor once"),
        ({"rows": 0}, "greater than or equal to 1"),
        ({"rows": 4, "pair": ("f1",), "moves": {"f1": MOVES["f2"]}}, "move of 'f1'"),
        ({"rows": 4, "moves": MOVES}, "move of 'f2': found over .*'f1'"),
        ({"rows": 4, "strata": ("f1", "f2"), "moves": {"f2": MOVES["f2"]}}, "move of 'f2': found over"),
        ({"rows": 4, "strata": ("f2",), "moves": {"f3": Lookup(factors=("f2",), values=["1"])}}, "1 values"),
    ],
)
def test_impossible_samples_are_refused(sample, message):
    with pytest.raises(ValidationError, match=message):
        _table(SHAPE, (), Sample(**sample))


def test_a_sample_of_a_product_with_exclusions_is_refused():
    with pytest.raises(ValidationError, match="found a sample with exclusions"):
        _table(SHAPE, (Exclusion(levels={"f1": 0}),), SAMPLE)


def test_joins_are_of_the_drawn_rows():
    text = Lookup(factors=("f2",), values=[f"t{i}" for i in range(4)])
    number = Lookup(factors=("f2",), values=pa.array(range(4)))
    columns = {"text": Concatenation(parts=(text, "!")), "number": number}
    rows = TableRows(_table(SHAPE, (), SAMPLE, columns=columns)).batch(0, 600).to_pylist()
    assert all(row["text"] == f"t{row['number']}!" for row in rows)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.integers(1, 3), st.data())
def test_rows_are_shared_out_as_evenly_as_tables_have_them(pairs, pair, data):
    most = [pair * count for count in pairs]
    rows = data.draw(st.integers(pair * len(most), sum(most)))
    found = split_rows(rows, most, pair)
    assert sum(found) == rows // pair * pair
    assert all(0 < share <= limit and share % pair == 0 for share, limit in zip(found, most, strict=True))
    for share, limit in zip(found, most, strict=True):
        assert share == limit or max(found) - share <= pair


@pytest.mark.parametrize("rows", [3, 21])
def test_rows_that_no_share_holds_are_refused(rows):
    with pytest.raises(BuildError, match=f"found {rows}, expected 4 to 20, which 2 configs allow"):
        split_rows(rows, [10, 10], 2)
