from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.content_hash import BLOCK_ROWS
from polbias.errors import BuildError
from polbias.generators.engine import Exclusion, Factor, Lookup, Sample
from polbias.generators.engine.files import MAX_SHARD_ROWS
from polbias.scaling.run import plan_shards
from tests.engine.specs import numbers, table


def _spec(sizes):
    tables = []
    for index, size in enumerate(sizes):
        big = Factor(name="number", levels=tuple(range(50)))
        rest = [Factor(name=f"f{i}", levels=tuple(range(200))) for i in range(3)]
        columns = {"number": Lookup(factors=("number",), values=[str(i) for i in range(50)])}
        changes = {"factors": (big, *rest), "exclude": (), "columns": columns, "sample": Sample(rows=size)}
        tables.append(table(f"t{index}", **changes))
    return numbers(*tables)


_SIZES = st.lists(st.integers(1, 5_000_000), min_size=1, max_size=4)


@settings(max_examples=30)
@given(_SIZES, st.integers(0, 40))
def test_shards_cover_all_rows_once_and_are_small_enough(sizes, more):
    least = len(plan_shards(_spec(sizes)))
    assert least == sum(-(-size // MAX_SHARD_ROWS) for size in sizes)
    if least + more > sum(-(-size // BLOCK_ROWS) for size in sizes):
        return
    slices = plan_shards(_spec(sizes), least + more)
    assert len(slices) == least + more
    assert len({each.path for each in slices}) == len(slices)
    for index, size in enumerate(sizes):
        own = [each for each in slices if each.table == index]
        assert [each.rank for each in own] == list(range(len(own)))
        assert {each.world_size for each in own} == {len(own)}
        assert sum(each.rows for each in own) == size
        assert all(each.rows % BLOCK_ROWS == 0 for each in own[:-1])
        assert min(each.rows for each in own) > 0
        blocks = [-(-each.rows // BLOCK_ROWS) for each in own]
        assert max(blocks) - min(blocks) <= 1
        assert max(each.rows for each in own) <= MAX_SHARD_ROWS


def test_more_shards_go_to_the_largest():
    slices = plan_shards(_spec([BLOCK_ROWS, 9 * BLOCK_ROWS]), 10)
    assert [sum(each.table == index for each in slices) for index in (0, 1)] == [1, 9]


@pytest.mark.parametrize("shards", [1, 3, 186])
def test_impossible_numbers_of_shards_are_refused(shards):
    with pytest.raises(
        BuildError, match=f"--shards: found {shards:,}; 3,000,003 rows in 2 tables make 4 to 185 "
    ):
        plan_shards(_spec([3_000_001, 2]), shards)


def test_tables_that_are_whole_products_are_cut_too():
    excluded = table("all", size=50_000, exclude=(Exclusion(levels={"side": "left"}),))
    assert [each.rows for each in plan_shards(numbers(excluded), 3)] == [
        BLOCK_ROWS,
        BLOCK_ROWS,
        50_000 - 2 * BLOCK_ROWS,
    ]
