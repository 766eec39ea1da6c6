"""Files of every kind are read as the same rows, and what is no table is refused by one clear line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.generators import table_files
from polbias.generators.table_files import Row, read_table, read_tables
from polbias.limits import MAX_ROW

NAMES = ["id", "text", "gold"]
ROWS = [["1", 'He said "no", twice', "yes"], ["2", "Fünf; Öl", "no"], ["3", "last", "no"]]


def rows(path: Path) -> list[Row]:
    table = read_table(path)
    return list(table.rows(table.columns))


def values(path: Path) -> list[list[str]]:
    return [list(row.values) for row in rows(path)]


def _tsv(path: Path) -> None:
    path.write_text("\n".join("\t".join(row) for row in [NAMES, *ROWS]), "utf-8")


def _csv(path: Path, delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([NAMES, *ROWS])


def _jsonl(path: Path) -> None:
    lines = [json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=False) for row in ROWS]
    path.write_text("\n".join(lines), "utf-8")


def _parquet(path: Path) -> None:
    columns = dict(zip(NAMES, zip(*ROWS, strict=True), strict=True))
    table = pa.table({name: pa.array(list(column)) for name, column in columns.items()})
    pq.write_table(table.set_column(2, "gold", table["gold"].dictionary_encode()), path)


WRITERS = {
    "a.tsv": _tsv,
    "a.csv": _csv,
    "b.csv": lambda path: _csv(path, ";"),
    "a.jsonl": _jsonl,
    "a.json": _jsonl,
    "a.parquet": _parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_gives_the_same_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    table = read_table(path)
    assert list(table.columns) == NAMES
    assert values(path) == ROWS
    assert table.frame.to_dict("list") == dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    assert [list(row.values) for row in table.rows(["gold", "id"])] == [
        ["yes", "1"],
        ["no", "2"],
        ["no", "3"],
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_without_a_telling_name_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / "published"
    WRITERS[name](path)
    assert values(path) == ROWS


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"id\ttext\r\n\r\n1\ta\r\n\n2\tb\r3\tc\n\t\n4\td")
    assert [(row.line, list(row.values)) for row in rows(path)] == [
        (3, ["1", "a"]),
        (5, ["2", "b"]),
        (6, ["3", "c"]),
        (8, ["4", "d"]),
    ]


def test_a_csv_record_over_several_lines_is_named_by_its_first(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n\n1,"a\r\nb"\n2,c\n')
    assert [(row.line, list(row.values)) for row in rows(path)] == [(3, ["1", "a\nb"]), (5, ["2", "c"])]


def test_a_tab_before_the_only_name_of_a_csv_is_its_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"  # as pandas writes a series with its index
    path.write_text("\ttext\n0\ta\n", "utf-8")
    assert read_table(path).frame.to_dict("list") == {"": ["0"], "text": ["a"]}


def test_blank_csv_records_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n , \n"",\n1,a\n,\n')
    assert values(path) == [["1", "a"]]


def test_quotes_in_a_tsv_are_letters_unless_a_spreadsheet_put_them(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    texts = ['"a ""b"" c"', '"a" and "b"', 'a "b" c', '"', '""', '"plain"', 'an "open one']
    path.write_text("text\tid\n" + "".join(f"{text}\tx\n" for text in texts), "utf-8")
    expected = ['a "b" c', '"a" and "b"', 'a "b" c', '"', None, "plain", 'an "open one']
    assert [row.values[0] for row in rows(path)] == expected


def test_a_byte_order_mark_and_trailing_tabs_are_no_content(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfid\ttext\t\t\n1\ta\t\n2\t\t\t\t\n")
    assert list(read_table(path).columns) == ["id", "text"]
    assert values(path) == [["1", "a"], ["2", None]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1", "found 1 columns, expected 2"),
        ("1\ta\tb", "found 3 columns, expected 2"),
    ],
)
def test_a_row_of_another_width_is_reported_and_the_next_one_read(
    tmp_path: Path, text: str, problem: str
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"id\ttext\n{text}\n2\tb\n", "utf-8")
    found = rows(path)
    assert (found[0].line, found[0].problem) == (2, problem)
    assert found[1] == Row(3, ["2", "b"])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "no JSON"),
        ("[1]", "a JSON list"),
        ("[" * 100_000, "no JSON"),
        ('{"id": ' + "9" * 10_000 + "}", "no JSON"),
    ],
)
def test_a_line_that_is_no_object_is_reported(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"id": "1"}}\n{line}\n{{"id": "3"}}\n', "utf-8")
    found = rows(path)
    assert [row.problem is None for row in found] == [True, False, True]
    assert problem in str(found[1].problem)


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_a_line_that_is_too_long_is_reported_and_the_next_one_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    separator = "\t" if name == "a.tsv" else ","
    object_ = name == "a.jsonl"
    good = '{"id": "1", "text": "a"}' if object_ else f"1{separator}a"
    header = [] if object_ else [f"id{separator}text"]
    path.write_text("\n".join([*header, good, '"' + "x" * 3 * MAX_ROW, good]), "utf-8")
    found = rows(path)
    assert [row.problem is None for row in found] == [True, False, True]
    assert f"a line of more than {MAX_ROW:,} characters" in str(found[1].problem)
    assert list(found[2].values) == ["1", "a"]


def test_a_csv_quote_that_is_not_closed_costs_no_more_than_its_field(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,"open\n' + "2,b\n" * 50_000, "utf-8")
    found = rows(path)
    assert "a quote may not be closed" in str(found[0].problem)
    assert (found[0].line, found[-1].values) == (2, ["2", "b"])


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl"])
def test_the_first_unreadable_row_is_refused_by_its_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    mark = "\t" if name == "a.tsv" else ","
    lines = ["{}", '{"id": "1"}', "{"] if name == "a.jsonl" else [f"id{mark}text", f"1{mark}a", "2"]
    path.write_text("\n\n".join(lines), "utf-8")
    with pytest.raises(InputError, match=rf"{name}:5: found .*; correct it"):
        read_table(path).refuse_problems("correct it")


def test_of_two_columns_with_one_name_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,party,party\n1,short,long\n", "utf-8")
    table = read_table(path)
    assert list(table.columns) == ["id", "party", "party"]
    assert table.frame.to_dict("list") == {"id": ["1"], "party": ["short"]}
    assert [row.values for row in table.rows(["party", "none"])] == [["short", None]]


def test_the_keys_of_all_objects_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1}\n' * 200 + '{"id": 2, "late \\ud83d": ["x"]}\n', "utf-8")
    table = read_table(path)
    assert list(table.columns) == ["id", "late \ud83d"]
    assert rows(path)[-1] == Row(201, [2, ["x"]])
    assert rows(path)[0] == Row(1, [1, None])


def test_parquet_values_are_those_of_python(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table(
        {
            "number": pa.array([1, None, 3]),
            "parts": pa.array([["a", "b"], None, []]),
            "label": pa.array(["x", None, "x"]).dictionary_encode(),
            "pair": pa.array([{"text": "t"}, None, {"text": None}]),
        }
    )
    pq.write_table(table, path, row_group_size=2)
    assert values(path) == [
        [1, ["a", "b"], "x", {"text": "t"}],
        [None, None, None, None],
        [3, [], "x", {"text": None}],
    ]
    pq.write_table(table.slice(0, 0), path)
    assert values(path) == []


def test_more_rows_than_fit_into_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MAX_ITEMS", 2)
    for name, write in WRITERS.items():
        path = tmp_path / name
        write(path)
        assert "found more than 2 rows" in _message(path)
    monkeypatch.setattr(table_files, "MAX_ITEMS", 3)
    assert len(values(path)) == 3
    monkeypatch.setattr(table_files, "MAX_TOTAL", 9)
    for name in WRITERS:
        assert "bytes" in _message(tmp_path / name)


def test_objects_with_too_many_keys_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "_MAX_CELLS", 99)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"key {number}": 1}}\n' for number in range(10)), "utf-8")
    assert "found 10 keys" in _message(path)


def _message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_tables(path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.tsv", b"", ":1: found nothing, expected a header"),
        ("a.tsv", b"\n \n\t\n", ":1: found nothing, expected a header"),
        ("a.csv", b"\r\n\r\n", ":1: found nothing, expected a header"),
        ("a.jsonl", b"\n", ":1: found nothing, expected one JSON object on each line"),
        ("a.json", b'[{"id": 1}]', ":1: found a JSON list, expected one JSON object on each line"),
        ("a.json", b'{\n"id": 1}', ":1: found no JSON"),
        ("a", b"some words", ":1: found 'some words', expected TSV, CSV, JSONL or Parquet"),
        ("a", b"", ":1: found an empty file"),
        ("a.tsv", b"id\ttext\n1\tcaf\xe9\n", ":2: byte 6 of the line (0xE9) is not UTF-8; save it as UTF-8"),
        ("a.tsv", "id\t\u00e9\u00e9\n".encode() + b"\n\x80", ":3: byte 1 of the line (0x80)"),
        ("a.csv", b"id,\xff", ":1: byte 4 of the line (0xFF)"),
        ("a.jsonl", b'{"a": "\xc3"}', ":1: byte 8 of the line (0xC3)"),
        ("a.tsv", "id\ttext".encode("utf-16"), ":1: the text is UTF-16"),
        ("a.tsv", b"id\ttext\n\x00\x01", ":2: found a NUL byte"),
        ("a.tsv", gzip.compress(b"id\ttext\n", mtime=0), ": is compressed, gzip; unpack it"),
        ("a.csv", b"PK\x03\x04rest", "zip (or an Excel workbook)"),
        ("a.parquet", b"id\ttext\n", "does not begin like a Parquet file"),
        ("a.parquet", b"PAR1 and then something else", "damaged or no Parquet file"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert told in _message(path)


def test_a_byte_that_is_not_utf8_is_found_far_behind_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"id\n" + b"x" * (2 * MAX_ROW + 5) + b"\xe9\n")
    assert f"a.tsv:2: byte {2 * MAX_ROW + 6} of the line (0xE9)" in _message(path)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in _message(tmp_path / "none.tsv")
    assert "a folder without Parquet files" in _message(tmp_path)
    with pytest.raises(InputError, match="/dev/null: not a regular file"):
        read_table(Path("/dev/null"))


def test_a_truncated_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    _parquet(path)
    content = path.read_bytes()
    for size in (5, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        assert "damaged or no Parquet file" in _message(path)


def test_of_a_folder_the_test_split_is_taken(tmp_path: Path) -> None:
    for name in ("test-00001.parquet", "test-00000.parquet", "fewshot-00000.parquet"):
        _parquet(tmp_path / name)
    assert [table.path.name for table in read_tables(tmp_path)] == [
        "test-00000.parquet",
        "test-00001.parquet",
    ]
    for path in tmp_path.glob("test-*"):
        path.unlink()
    assert [table.path.name for table in read_tables(tmp_path)] == ["fewshot-00000.parquet"]


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_whatever_csv_wrote_is_read_back(pairs: list[tuple[str, str]]) -> None:
    from tempfile import TemporaryDirectory

    def plain(text: str) -> str | None:
        # what the file cannot keep: other line ends, and bytes that are no text
        return text.replace("\r\n", "\n").replace("\r", "\n") or None

    pairs = [(a, b) for a, b in pairs if "\0" not in a + b and (a + b).strip()]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([("one", "two"), *pairs])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        try:
            path.write_bytes(buffer.getvalue().encode())
        except UnicodeEncodeError:
            return
        assert values(path) == [[plain(a), plain(b)] for a, b in pairs]
