"""The content hash: about the rows, whatever they are stored in."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polbias.content_hash import ContentHash, has_content, parquet_content_hash, tree_hash
from polbias.files import file_sha256
from polbias.manifest import LockedSplit
from tests.engine.specs import AREAS, MESSAGES, SLOTS, STRING, VALUES
from tests.support.builds import content_hash

SCHEMA = pa.schema([(f"c{i}", kind) for i, kind in enumerate(VALUES)])
ROW = st.tuples(*VALUES.values())
ROWS = st.lists(ROW, max_size=12)


def batch(rows: Sequence[tuple], schema: Any = SCHEMA) -> Any:
    columns = zip(*rows, strict=True) if rows else [[]] * len(schema)
    arrays = [pa.array(list(c), field.type) for c, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def hash_of(rows: Sequence[tuple], schema: Any = SCHEMA) -> str:
    return content_hash([batch(rows, schema)], schema)


def hash_of_column(values: Sequence[Any], kind: Any = STRING, name: str = "c") -> str:
    return hash_of([(value,) for value in values], pa.schema([(name, kind)]))


# What does not matter.


@settings(max_examples=40)
@given(ROWS, st.lists(st.integers(0, 12), max_size=4))
def test_batch_boundaries_do_not_matter(rows: list[tuple], cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [batch(rows[a:b]) for a, b in itertools.pairwise(edges)]
    assert content_hash(parts, SCHEMA) == hash_of(rows)


@settings(max_examples=40)
@given(ROWS, ROWS, ROWS)
def test_slices_do_not_matter(before: list[tuple], rows: list[tuple], after: list[tuple]) -> None:
    whole = batch([*before, *rows, *after])
    assert content_hash([whole.slice(len(before), len(rows))], SCHEMA) == hash_of(rows)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (STRING, ["a", "hidden"]),
        (pa.int32(), [1, 2]),
        (pa.bool_(), [True, True]),
        (AREAS, [["a"], ["hidden", "too"]]),
        (
            SLOTS,
            [{"name": "a", "areas": [], "number": None}, {"name": "hidden", "areas": ["too"], "number": 1}],
        ),
        (MESSAGES, [[], [{"role": "hidden", "content": "too"}]]),
    ],
)
def test_what_lies_behind_a_null_does_not_matter(kind, values: list) -> None:
    full = pa.array(values, kind)
    first_only = pa.array([True, False]).buffers()[1]
    children = (
        [full.values]
        if pa.types.is_list(kind)
        else [full.field(i) for i in range(kind.num_fields)]
        if pa.types.is_struct(kind)
        else None
    )
    own = full.buffers()[1 : {STRING: 3, SLOTS: 1}.get(kind, 2)]
    hidden = pa.Array.from_buffers(kind, 2, [first_only, *own], children=children)
    hidden.validate(full=True)
    schema = pa.schema([("c", kind)])
    found = content_hash([pa.RecordBatch.from_arrays([hidden], schema=schema)], schema)
    assert found == hash_of_column([values[0], None], kind)


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("row_group", [1, 3, 1_000])
@pytest.mark.parametrize("chunking", [True, False])
@settings(max_examples=6)
@given(st.lists(ROW, min_size=1, max_size=12))
def test_the_layout_of_parquet_does_not_matter(
    tmp_path_factory, dictionary: bool, row_group: int, chunking: bool, rows: list[tuple]
) -> None:
    path = tmp_path_factory.mktemp("layout") / "table.parquet"
    pq.write_table(
        pa.Table.from_batches([batch(rows)]),
        path,
        use_dictionary=dictionary,
        row_group_size=row_group,
        use_content_defined_chunking=chunking,
        compression="zstd" if chunking else "none",
    )
    assert parquet_content_hash([path]) == hash_of(rows)


@settings(max_examples=25)
@given(st.lists(ROW, min_size=2, max_size=12), st.data())
def test_the_number_of_files_does_not_matter(tmp_path_factory, rows: list[tuple], data) -> None:
    folder = tmp_path_factory.mktemp("files")
    cut = data.draw(st.integers(0, len(rows)))
    paths = []
    for name, part in (("a", rows[:cut]), ("b", rows[cut:])):
        paths.append(folder / f"{name}.parquet")
        pq.write_table(pa.Table.from_batches([batch(part)]), paths[-1])
    assert parquet_content_hash(paths) == hash_of(rows)


def test_long_tables_are_read_in_parts(tmp_path: Path) -> None:
    rows = [(f"text {i}", [f"{i}"] * (i % 3)) for i in range(50_000)]
    schema = pa.schema([("text", STRING), ("list", AREAS)])
    path = tmp_path / "table.parquet"
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, len(rows), 7_000):
            writer.write_batch(batch(rows[start : start + 7_000], schema))
    assert parquet_content_hash([path]) == hash_of(rows, schema)


def test_metadata_does_not_matter() -> None:
    annotated = SCHEMA.with_metadata({"written": "today"})
    assert content_hash([], annotated) == content_hash([], SCHEMA)


def test_names_of_list_items_do_not_matter() -> None:
    named = pa.list_(pa.field("element", STRING))
    assert hash_of_column([["a"], None], named) == hash_of_column([["a"], None], AREAS)


def test_an_empty_table_has_a_hash_whether_or_not_it_has_a_batch() -> None:
    assert content_hash([], SCHEMA) == hash_of([])


# What matters.


@given(st.lists(ROW, min_size=1, max_size=6), st.data())
def test_every_value_matters(rows: list[tuple], data) -> None:
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(SCHEMA) - 1))
    value = data.draw(list(VALUES.values())[column])
    assume(value != rows[row][column])
    changed = [list(r) for r in rows]
    changed[row][column] = value
    assert hash_of([tuple(r) for r in changed]) != hash_of(rows)


@settings(max_examples=40)
@given(ROWS, ROWS)
def test_equal_hashes_mean_equal_rows(first: list[tuple], second: list[tuple]) -> None:
    assert (hash_of(first) == hash_of(second)) == (first == second)


@settings(max_examples=40)
@given(st.lists(ROW, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_matters(rows: list[tuple], random) -> None:
    shuffled = random.sample(rows, len(rows))
    assume(shuffled != rows)
    assert hash_of(shuffled) != hash_of(rows)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (STRING, ["ab", "c"], ["a", "bc"]),
        (STRING, ["", "a"], ["a", ""]),
        (STRING, [None], [""]),
        (STRING, ["a", None], [None, "a"]),
        (STRING, ["a"], ["a", None]),
        (STRING, ["ä"], ["a\u0308"]),
        (pa.int32(), [None], [0]),
        (pa.int64(), [1], [-1]),
        (pa.bool_(), [None], [False]),
        (pa.bool_(), [True], [False]),
        (pa.null(), [None], [None, None]),
        (AREAS, [None], [[]]),
        (AREAS, [[None]], [[]]),
        (AREAS, [["a"], ["b"]], [["a", "b"], []]),
        (AREAS, [["ab"]], [["a", "b"]]),
        (SLOTS, [None], [{"name": None, "areas": None, "number": None}]),
        (SLOTS, [{"name": "a", "areas": [], "number": 0}], [{"name": "a", "areas": None, "number": 0}]),
        (MESSAGES, [[{"role": "a", "content": "b"}]], [[{"role": "b", "content": "a"}]]),
        (MESSAGES, [[None]], [[{"role": None, "content": None}]]),
    ],
)
def test_what_is_easily_confused(kind, one: list, other: list) -> None:
    assert hash_of_column(one, kind) != hash_of_column(other, kind)


def test_names_of_columns_matter() -> None:
    assert hash_of_column(["a"], name="c") != hash_of_column(["a"], name="d")


def test_names_of_struct_fields_matter() -> None:
    one, other = (pa.struct([(name, STRING)]) for name in "ab")
    assert hash_of_column([{"a": "x"}], one) != hash_of_column([{"b": "x"}], other)


def test_types_matter() -> None:
    assert hash_of_column([1], pa.int32()) != hash_of_column([1], pa.int64())
    assert hash_of_column([None], pa.int32()) != hash_of_column([None], STRING)


def test_the_order_of_columns_matters() -> None:
    schema = pa.schema([("a", STRING), ("b", STRING)])
    swapped = pa.schema([("b", STRING), ("a", STRING)])
    assert hash_of([("x", "y")], schema) != hash_of([("y", "x")], swapped)


@pytest.mark.parametrize("kind", [pa.float64(), pa.binary(), pa.timestamp("s"), pa.list_(pa.float32())])
def test_types_without_a_hash_are_refused(kind) -> None:
    with pytest.raises(TypeError, match="no content hash for columns of type"):
        hash_of_column([[]] if pa.types.is_list(kind) else [None], kind)


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"bytes" * 100_000)
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


# The tree of blocks.


@settings(max_examples=40)
@given(st.lists(ROW, max_size=12), st.lists(st.integers(0, 12), max_size=4), st.integers(1, 5))
def test_blocks_are_hashed_apart_wherever_batches_begin(
    rows: list[tuple], cuts: list[int], size: int
) -> None:
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    found = ContentHash(SCHEMA, size)
    for a, b in itertools.pairwise(edges):
        found.update(batch(rows[a:b]))
    blocks = [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]
    assert found.digests() == [hash_of(block) for block in blocks]


def test_a_tree_is_about_schema_and_leaves_in_order() -> None:
    leaves = ["a" * 64, "b" * 64]
    assert tree_hash(SCHEMA, leaves) == tree_hash(SCHEMA.with_metadata({"a": "b"}), iter(leaves))
    others = [
        tree_hash(SCHEMA, leaves[::-1]),
        tree_hash(SCHEMA, leaves[:1]),
        tree_hash(pa.schema([]), leaves),
    ]
    assert len({tree_hash(SCHEMA, leaves), *others}) == 4


@pytest.mark.parametrize("wrong", ["content", "tree"])
def test_a_manifest_is_held_to_every_hash_that_it_states(tmp_path: Path, wrong: str) -> None:
    rows, schema = [("a",), ("b",)], pa.schema([("text", STRING)])
    pq.write_table(pa.Table.from_batches([batch(rows, schema)]), path := tmp_path / "table.parquet")
    content = hash_of(rows, schema)
    said = {"content": content, "tree": tree_hash(schema, [content])}
    assert has_content([path], LockedSplit(rows=2, **said))
    assert has_content([path], LockedSplit(rows=2, tree=said["tree"]))
    assert not has_content([path], LockedSplit(rows=2, **said | {wrong: "0" * 64}))
    assert not has_content([path], LockedSplit(rows=2))
