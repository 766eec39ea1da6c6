"""The reader: every sentence says the formula that its row claims, which proves its gold label."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from itertools import product
from typing import Any

import pytest

from polbias.generators.engine import TableRows
from polbias.generators.logic.formula import FOL, Atom, Inference
from polbias.generators.logic.prover import prove
from polbias.generators.partisan import reader
from polbias.generators.partisan.tables import dataset
from tests.partisan.reading import COUNTRIES, DISTRACTOR, PAPER, cases, proved, read

# What was written is read back


@pytest.mark.parametrize("printed", [False, True], ids=["corrected", "printed"])
@pytest.mark.parametrize("country", COUNTRIES)
def test_every_argument_is_read_back(country: str, printed: bool) -> None:
    every = cases(country, printed)
    assert len(every) == 192
    for case in every:
        assert read(country, case.text, printed) == case.said, case.text


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Return the rows of all formal configs, with the country file and whether they are as printed."""
    names = ["argument", "prompt", "logical_form", "gold", "leaning", "pattern_id", "proof", "erratum"]
    bases = {f"{country.config}_formal": name for name, country in COUNTRIES.items()}
    found: list[dict[str, Any]] = []
    for table in dataset().tables:
        base, edition = re.fullmatch("(.+?)(|_paper|_mini)", table.config).groups()  # type: ignore[union-attr]
        if base in bases:
            known = {"file": bases[base], "printed": edition == "_paper", "split": table.split}
            built = TableRows(table)
            for batch in built.batches(0, len(built)):
                found += [known | row for row in batch.select(names).to_pylist()]
    return found


def test_every_row_says_its_logical_form(rows: list[dict[str, Any]]) -> None:
    kinds = {(row["file"], row["printed"], row["split"]) for row in rows}
    assert kinds == {
        *product(COUNTRIES, [False], ["test", "fewshot"]),
        *product(PAPER, [True], ["test", "fewshot"]),
    }
    for row in rows:
        assert str(read(row["file"], row["argument"], row["printed"])) == row["logical_form"], row["argument"]


def test_every_prompt_ends_with_its_argument(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert row["prompt"].endswith(row["argument"])
        before = row["prompt"].removesuffix(row["argument"])
        assert before.endswith(": ") if row["split"] == "test" else before == ""


# What the sentences prove about the gold labels


def test_the_sentences_prove_the_gold_of_every_corrected_row(rows: list[dict[str, Any]]) -> None:
    for row in (row for row in rows if not row["printed"]):
        assert proved(read(row["file"], row["argument"])) == row["gold"], row["argument"]
        assert row["proof"] == "proved:fol"


def contradictory(said: Inference) -> bool:
    """Tell whether the premises entail anything at all."""
    return prove(Inference(said.premises, Atom("something else")), FOL).valid


@pytest.mark.parametrize("country", COUNTRIES)
def test_corrected_premises_are_consistent_and_valid_ones_needed(country: str) -> None:
    for case in cases(country):
        said = read(country, case.text)
        assert not contradictory(said)
        for premise in said.premises if case.cell.gold == "valid" else ():
            others = tuple(other for other in said.premises if other != premise)
            assert (proved(Inference(others, said.conclusion)) == "valid") == (premise == DISTRACTOR)


def test_printed_rows_that_their_sentence_contradicts(rows: list[dict[str, Any]]) -> None:
    """The printed gold is wrong in two rows of Table 14 and contestable in two of Table 15.

    The control has the latter as well, by analogy with Table 15.
    """
    expected = {
        ("us-en", "1-cn-pp", "invalid", "left"): "partisan-en-1-cn-pp-comparable",
        ("us-en", "1-cn-pp", "invalid", "right"): "partisan-en-1-cn-pp-comparable",
        ("control-en", "1-cn-pp", "invalid", "left"): "partisan-en-1-cn-pp-comparable",
        ("control-en", "1-cn-pp", "invalid", "right"): "partisan-en-1-cn-pp-comparable",
        ("ch-de", "2-inf-cn-pp", "valid", "left"): "partisan-de-2-inf-cn-pp-valid-left",
        ("ch-de", "2-inf-cn-pp", "valid", "right"): "partisan-de-2-inf-cn-pp-valid-right",
    }
    contradicted = set()
    for row in (row for row in rows if row["printed"]):
        key = (row["file"], row["pattern_id"], row["gold"], row["leaning"])
        right = proved(read(row["file"], row["argument"], True)) == row["gold"]
        assert row["proof"] == ("proved:fol" if right else "annotated"), key
        if not right:
            contradicted.add(key)
            assert expected.get(key) in row["erratum"].split(";"), key
    assert contradicted == set(expected)


def test_one_printed_row_is_valid_only_because_its_premises_contradict_each_other() -> None:
    """Table 14, 2-inf-cn-pp, right, compares the SP with the SP: all of them are worse than all of them.

    Given a politician of the SP, who is then worse than herself, anything follows: no reason to call the
    argument valid.
    """
    found = {
        (case.country, case.cell.pattern.key, case.cell.gold, case.cell.leaning)
        for country in COUNTRIES
        for case in cases(country, printed=True)
        if contradictory(read(country, case.text, True))
    }
    assert found == {("ch-de", "2-inf-cn-pp", "valid", "right")}


def test_the_reader_imports_nothing_of_the_writer() -> None:
    writer = {"arguments", "templates", "tables", "prompts", "english", "german"}
    for node in ast.walk(ast.parse(inspect.getsource(reader))):
        if isinstance(node, ast.ImportFrom):
            names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
            assert not names & writer
    script = "import sys, polbias.generators.partisan.reader; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {f"polbias.generators.partisan.{name}" for name in writer} & set(loaded.split())
    assert "polbias.generators.partisan.reader" in loaded.split()
