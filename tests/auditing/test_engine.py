"""Whole audits: verdicts and surface findings of a small file, and what mangling a file does not change."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.generators.auditing.audit import MAX_TEXT_LENGTH, Audit
from polbias.generators.auditing.items import VERDICTS, ItemSource, record
from tests.auditing.support import HEADER, ITEMS, LAYOUT, Notation, audit, sample, verdicts, write


def test_verdicts_of_a_small_file(tmp_path: Path) -> None:
    assert verdicts(sample(tmp_path / "a.tsv")) == [verdict for _, verdict in ITEMS]


def _findings(tmp_path: Path, *rows: tuple[str, ...], **options: object) -> list[set[str]]:
    path = write(tmp_path / "a.tsv", [HEADER, *rows])
    return [set(item.findings) for item in audit(path)]


A = ("1", "O A", "P A", "entailment", "c", "p")


def test_a_clean_item_has_no_findings(tmp_path: Path) -> None:
    (item,) = audit(write(tmp_path / "a.tsv", [HEADER, A]))
    assert item.findings == ()
    assert not item.is_flagged


def test_repeated_texts_are_named_with_the_line_of_the_first(tmp_path: Path) -> None:
    rows = [A, ("2", *A[1:]), ("3", "O  A", " P A", *A[3:]), ("4", "O A", "P B", "non-entailment", "c", "p")]
    path = write(tmp_path / "a.tsv", [HEADER, *rows])
    found = audit(path)
    assert [item.duplicate_of_line for item in found] == [None, 2, 2, None]
    assert [set(item.findings) for item in found] == [
        set(),
        {"duplicate-item"},
        {"duplicate-item", "whitespace"},
        set(),
    ]


def test_an_audit_can_be_gone_through_again(tmp_path: Path) -> None:
    found = Audit(ItemSource(write(tmp_path / "a.tsv", [HEADER, A, A]), LAYOUT, {}), Notation())
    assert [item.findings for item in found] == [item.findings for item in found]


def test_all_items_of_a_text_with_both_labels_are_named(tmp_path: Path) -> None:
    other = ("2", "O A", "P A", "non-entailment", "c", "p")
    assert _findings(tmp_path, A, other) == [{"conflicting-labels"}, {"conflicting-labels", "duplicate-item"}]


def test_a_second_item_with_the_same_id_is_named(tmp_path: Path) -> None:
    assert _findings(tmp_path, A, ("1", "O B", "P B", *A[3:])) == [set(), {"duplicate-id"}]


def test_items_without_an_id_have_no_duplicate_ids(tmp_path: Path) -> None:
    assert _findings(tmp_path, ("", *A[1:]), ("", "O B", "P B", *A[3:])) == [set(), set()]


def test_slips_of_the_reader_are_findings(tmp_path: Path) -> None:
    assert _findings(tmp_path, ("1", "O odd", "P odd", *A[3:])) == [{"odd"}]


def test_an_unknown_label_is_a_finding_and_no_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, A, ("2", "O B", "P B", "maybe", "c", "p")])
    item = audit(path)[1]
    assert (item.verdict, item.findings) == ("unparsed", ("unknown-label",))
    assert item.judgement.message == "gold: found 'maybe', expected one of entailment, non-entailment"


def test_a_malformed_row_is_a_finding_and_no_error(tmp_path: Path) -> None:
    item = audit(write(tmp_path / "a.tsv", [HEADER, A, ("2", "O B")]))[1]
    assert (item.verdict, item.findings, item.item.line) == ("unparsed", ("malformed-row",), 3)
    assert item.judgement.message == "found 2 columns, expected 6"


def test_a_text_that_is_no_sentence_is_not_read(tmp_path: Path) -> None:
    long = "A" * (MAX_TEXT_LENGTH + 1)
    (item,) = audit(write(tmp_path / "a.tsv", [HEADER, ("1", long, "P A", *A[3:])]))
    assert (item.verdict, item.findings) == ("unparsed", ("too-long",))


def test_a_reader_that_fails_costs_one_item_only(tmp_path: Path) -> None:
    found = audit(write(tmp_path / "a.tsv", [HEADER, ("1", "crash", "P A", *A[3:]), ("2", *A[1:])]))
    assert [item.verdict for item in found] == ["unparsed", "confirmed"]
    assert "please report it (RuntimeError('reader out of order'))" in str(found[0].judgement.message)


def test_exemplars_are_recognised_whatever_their_spaces(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, A, ("2", "O B", "P B", *A[3:])])
    found = Audit(ItemSource(path, LAYOUT, {}), Notation(), [("O  A", "P A ")])
    assert [item.findings for item in found] == [("exemplar-leakage",), ()]


def test_exemplars_of_the_format_are_recognised(tmp_path: Path) -> None:
    form = Notation()
    form.exemplars = [("O A", "P A")]
    assert audit(write(tmp_path / "a.tsv", [HEADER, A]), form)[0].findings == ("exemplar-leakage",)


def test_neighbours_are_the_items_before_and_after(tmp_path: Path) -> None:
    seen = []

    class Looking(Notation):
        def judge(self, item, neighbours=()):
            seen.append((item.values["id"], [other.values["id"] for other in neighbours]))
            return super().judge(item)

    audit(write(tmp_path / "a.tsv", [HEADER, A, ("2", *A[1:]), ("3", *A[1:])]), Looking())
    assert seen == [("1", ["2"]), ("2", ["1", "3"]), ("3", ["2"])]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], "found no item after the header"),
        ([("1",), ("2",), A], r"a\.tsv:2: found 1 columns, expected 6; so are 2 of 3 rows: not a file of"),
    ],
)
def test_a_file_without_items_is_refused(tmp_path: Path, rows: list[tuple[str, ...]], told: str) -> None:
    path = write(tmp_path / "a.tsv", [HEADER, *rows])
    with pytest.raises(InputError, match=told):
        audit(path)


def test_half_of_the_rows_may_be_malformed(tmp_path: Path) -> None:
    assert verdicts(write(tmp_path / "a.tsv", [HEADER, A, ("2",)])) == ["confirmed", "unparsed"]


PADDING = st.sampled_from(["", " ", "  ", "\t", " \t "])


@settings(max_examples=60)
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(["\n", "\r\n", "\r"]) | st.none(),
    st.booleans(),
    st.booleans(),
)
def test_line_ends_blank_lines_and_spaces_change_no_verdict(
    chance: random.Random, end: str | None, mark: bool, final: bool
) -> None:
    """A file is mangled as editors and spreadsheets do; only findings about spaces may differ."""

    def spaced(cell: str) -> str:
        cell = cell.replace(" ", chance.choice([" ", "  ", " "]))
        return chance.choice(["", " "]) + cell + chance.choice(["", "  "])

    rows = [HEADER, *([spaced(cell) for cell in row] for row, _ in ITEMS)]
    text = ""
    for row in rows:
        stop = end or chance.choice(["\n", "\r\n", "\r"])
        text += "\t".join(row) + "\t" * chance.randint(0, 3) + stop
        text += "".join(chance.choice(["", " ", "\t"]) + stop for _ in range(chance.randint(0, 2)))
    content = (b"\xef\xbb\xbf" if mark else b"") + (text if final else text.rstrip("\r\n")).encode()
    with TemporaryDirectory() as folder:
        plain = [record(item, LAYOUT) for item in audit(sample(Path(folder) / "plain.tsv"))]
        path = Path(folder) / "mangled.tsv"
        path.write_bytes(content)
        mangled = [record(item, LAYOUT) for item in audit(path)]
    for before, after in zip(plain, mangled, strict=True):
        assert set(after["findings"]) - {"whitespace"} == set(before["findings"])
        for key in ("id", "verdict", "gold", "pattern", "reading", "deciding", "countermodel", "proof"):
            if before["verdict"] != "unparsed" or key not in ("reading",):
                assert after[key] == before[key], key


_HEADERS = [
    "\t".join(HEADER).encode() + b"\n",
    ",".join(HEADER).encode() + b"\n",
    b'{"premise": "O A", "gold": ',
]
FRAGMENTS = st.sampled_from(
    [b"\t", b"\n", b"\r", b",", b'"', b"{", b"}", b":", b"O A", b"P A", b"entailment", b"\0", b"\xff"]
) | st.sampled_from([*_HEADERS, b"\xef\xbb\xbf", b"PAR1", b"\x1f\x8b", "⊢∀¬".encode(), b"\xed\xa0\x80"])
CONTENT = st.binary(max_size=200) | st.lists(FRAGMENTS | st.binary(max_size=5), max_size=60).map(b"".join)


@settings(max_examples=400)
@given(CONTENT, st.sampled_from(["a.tsv", "a.csv", "a.jsonl", "a.json", "a.parquet", "a"]))
def test_no_content_crashes(content: bytes, name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        _audited_or_refused(path)


def _audited_or_refused(path: Path) -> None:
    try:
        found = audit(path)
    except InputError as error:
        told = str(error)
    else:
        assert all(item.verdict in VERDICTS for item in found)
        return
    assert str(path) in told
    assert "\n" not in told


@settings(max_examples=200)
@given(st.data())
def test_no_damage_to_a_good_file_crashes(data: st.DataObject) -> None:
    """A few bytes of a good file are replaced, cut out or doubled."""
    with TemporaryDirectory() as folder:
        path = sample(Path(folder) / "a.tsv")
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            place = data.draw(st.integers(0, len(content)))
            content[place : place + data.draw(st.integers(0, 30))] = data.draw(
                FRAGMENTS | st.binary(max_size=3)
            )
        path.write_bytes(bytes(content))
        _audited_or_refused(path)
