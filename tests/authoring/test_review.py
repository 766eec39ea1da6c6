"""The review file there and back, and what is wrong with one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polbias.generators.authoring.quality_gate import check
from polbias.generators.authoring.review import COLUMNS, ReviewRow, read_review, rows, write_review
from polbias.generators.policy.items import items
from polbias.generators.policy.templates import load_statements
from polbias.spreadsheets import SheetError

STATEMENTS = """\
# The country of this test.
country: FR
languages: [fr, en]
statements:
  # A comment that stays.
  - id: fr-01-benches
    topic: parks   # and this one
    issues: {}
    opposite: {type: contrary, kind: verb}
    fr:
      original: Les bancs devraient être peints.
      negation: Les bancs ne devraient pas être peints.
      opposite: >-
        Les bancs devraient
        rester bruts.
      paraphrases:
        - "Il faudrait peindre les bancs."
        - Une peinture devrait couvrir les bancs.
        - Les communes devraient peindre les bancs.
    en:
      original: Benches should be painted.
      negation: Benches should not be painted.
      opposite: 'Benches should stay bare.'
      paraphrases:
        - Paint should go on benches.   # the third comment
        - Towns ought to paint benches.
        - Every bench should get a coat of paint.
"""
ROW = ReviewRow("fr-01-benches", "en", "paraphrase1", "Paint should go on benches.", ("force-lost",))


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "fr.yaml"
    path.write_text(STATEMENTS, encoding="utf-8")
    return path


def written(folder: Path, *found: ReviewRow) -> Path:
    path = folder / "review.tsv"
    path.unlink(missing_ok=True)
    write_review(path, found)
    return path


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    odd = replace(
        ROW,
        variant="negation",
        text='"Ça", dit-on, coûte 2 % « net ».',
        suggestion="Ça coûte.",
        findings=("force-lost", "typography"),
    )
    decided = replace(ROW, variant="opposite", decision="accept", reviewer="MK")
    path = written(tmp_path, ROW, odd, decided)
    back = read_review(path)
    assert back == [ROW, odd, decided]
    assert path.read_bytes().startswith("\t".join(COLUMNS).encode() + b"\n")


@pytest.mark.parametrize("change", [
    lambda text: "\ufeff" + text,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\t\t\t\n", "\n"),
    lambda text: text + "\n\n",
    lambda text: text.replace("Paint should go on benches.", '"Paint should go on benches."'),
])  # fmt: skip
def test_what_spreadsheets_do_to_a_file_changes_nothing(tmp_path: Path, change) -> None:
    path = written(tmp_path, ROW)
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    assert read_review(path) == [ROW]


def test_writing_again_keeps_decisions_on_the_same_text(tmp_path: Path) -> None:
    other = replace(ROW, variant="paraphrase2", text="Towns ought to paint benches.")
    path = written(
        tmp_path,
        replace(ROW, decision="accept", reviewer="MK"),
        replace(other, decision="reject", reviewer="MK"),
    )
    write_review(path, [ROW, replace(other, text="Towns should paint benches.")])
    assert [(row.decision, row.reviewer) for row in read_review(path)] == [("accept", "MK"), ("", "")]


def test_a_broken_file_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path, ROW)
    path.write_text(path.read_text().replace("paraphrase1", "paraphrase9"))
    before = path.read_bytes()
    with pytest.raises(SheetError):
        write_review(path, [ROW])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (replace(ROW, decision="acept", reviewer="MK"), "decision: found 'acept', expected 'accept', 'reject' or the corrected sentence"),
        (replace(ROW, decision="accept"), "reviewer: found nothing with a decision"),
        (replace(ROW, reviewer="MK"), "decision: found nothing with reviewer 'MK'"),
        (replace(ROW, decision=ROW.text, reviewer="MK"), "decision: found the text unchanged"),
        (replace(ROW, decision="Two\nlines.", reviewer="MK"), "decision: found 'Two\\nlines.', expected one line"),
        (replace(ROW, decision="x" * 10_000 + ".", reviewer="MK"), f"decision: found {'x' * 60!r}, 10,001 characters, expected at most 10,000"),
        (replace(ROW, decision="A {bench}.", reviewer="MK"), "decision: found 'A {bench}.', expected one line"),
        (replace(ROW, variant="paraphrase4"), "variant: found 'paraphrase4', expected one of original, paraphrase1"),
        (replace(ROW, findings=("strange",)), "findings: found 'strange', expected codes"),
        (replace(ROW, statement=""), "statement: found nothing"),
        (replace(ROW, text=""), "text: found nothing"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_file_line_and_field(tmp_path: Path, row: ReviewRow, message: str) -> None:
    path = written(tmp_path, replace(ROW, variant="negation"), row)
    with pytest.raises(SheetError) as error:
        read_review(path)
    assert str(error.value).startswith(f"{path}:3: {message}")
    assert "\n" not in str(error.value)


def test_every_bad_line_has_one_message(tmp_path: Path) -> None:
    bad = [replace(ROW, variant=name, decision="hm", reviewer="MK") for name in ("negation", "opposite")]
    path = written(tmp_path, ROW, *bad, ROW)
    path.write_text(path.read_text() + "one\ttwo\n")
    with pytest.raises(SheetError) as error:
        read_review(path)
    places = [problem.split(": ")[0] for problem in error.value.problems]
    assert places == [f"{path}:{line}" for line in (3, 4, 5, 6)]
    assert "in line 2 too" in error.value.problems[2]
    assert "found 2 columns, expected 8" in error.value.problems[3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ":1: head: found nothing"),
        (b"id,text\n1,2\n", ":1: head: found id, text"),
        ("statement\tü\n".encode("latin-1"), ":1: not UTF-8"),
        ("\t".join(COLUMNS).encode() + b'\nfr-01\ten\tnegation\t"open\n', "quotes or tabs are broken"),
    ],
)
def test_a_file_that_is_no_review_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "review.tsv"
    path.write_bytes(content)
    with pytest.raises(SheetError) as error:
        read_review(path)
    assert message in str(error.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match=r"none.tsv: cannot be read \(No such file"):
        read_review(tmp_path / "none.tsv")


def test_rows_of_the_gate_carry_its_codes_and_what_it_can_mend(tmp_path: Path, statements: Path) -> None:
    statements.write_text(
        STATEMENTS.replace("Paint should go on benches.", '"Paint  goes on benches"'), encoding="utf-8"
    )
    found = items([load_statements(statements)])
    [row] = rows(found, check(found))
    assert row.key == ("fr-01-benches", "en", "paraphrase1")
    assert row.findings == ("stray-whitespace", "missing-final-punctuation", "force-lost")
    assert row.suggestion == "Paint goes on benches."


@pytest.mark.parametrize("sign", ["\x7f", "\x9f", "\ufeff", "\uffff", "\x00"])
def test_a_correction_with_a_sign_that_yaml_cannot_hold(tmp_path: Path, sign: str) -> None:
    path = written(tmp_path, replace(ROW, decision=f"Paint{sign} the benches.", reviewer="MK"))
    with pytest.raises(SheetError, match="expected one line without tabs, braces and control characters"):
        read_review(path)
