"""Texts that are parsed: answers of services, formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle, islice

import pytest
from hypothesis import strategies as st

from polbias.generators.logic.syntax import parse_formula, parse_inference
from polbias.models.answer_parsing import find_json, numbered_lines, single_line
from tests.faults.support.campaign import bounded, ends_cleanly, fuzz, sizes
from tests.faults.support.texts import answers
from tests.logic.generated import ANYTHING, inferences

_LARGE = 200_000
_JSON = ("{", "}", "[", "]", '"', ":", ",", "```", "```json", "<think>", "</think>", "\\", '{"text":', '"a"')
MARKS = (
    *_JSON,
    "1",
    "-1e9",
    "null",
    "NaN",
    "9" * 5000,
    "1.",
    "- ",
    "•",
    "\n",
    " ",
    "\t",
    "Ich denke,",
    "\ud800",
)
_SYMBOLS = ("∀x", "∃y", "¬", "∧", "∨", "→", "↔", "⊢", ";", "(", ")", "O", "P", "□", "◇", "⟨P⟩", "K", "A", "B")
FORMS = (*_SYMBOLS, "x", "y", "D(x)", "superior(x, y)", ",", " ", "⟨", "⟩", "_", "é", "1", "\n")


def _joined(pieces: tuple[str, ...], most: int) -> st.SearchStrategy[str]:
    part = st.one_of(st.sampled_from(pieces), st.sampled_from(pieces), st.text(st.characters(), max_size=3))
    return st.lists(part, max_size=most).map("".join)


def parse_answer(text: str) -> None:
    """Parse an answer of a service in every way."""
    found = find_json(text)
    assert found is None or isinstance(found, dict | list)
    assert all(line and "\n" not in line for line in numbered_lines(text))
    assert "\n" not in single_line(text)


@sizes
def test_answers_of_services(examples: int) -> None:
    def check(text: str) -> bool:
        parse_answer(text)
        return True

    fuzz(st.one_of(_joined(MARKS, 60), answers()), check, examples)


@pytest.mark.parametrize(
    "unit",
    [
        *MARKS,
        "[\n",
        "[[",
        '["',
        '{"a":',
        "- a ",
        "1. ",
        "\n\n",
        ", ",
        ",\n",
        "<think>[",
        "”",
    ],
)
def test_a_large_answer_is_read_to_its_end(unit: str) -> None:
    text = "".join(islice(cycle([unit]), _LARGE // len(unit)))
    for each in (text, f"```{text}", f"- {text}a", f"[{text}"):
        with bounded():
            parse_answer(each)


def _changed(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Put pieces at places of a text, each instead of some characters."""
    for place, lost, piece in changes:
        at = place % (len(text) + 1)
        text = text[:at] + piece + text[at + lost :]
    return text


_WRITTEN = st.one_of(ANYTHING, inferences(ANYTHING, ANYTHING)).map(str)
_CHANGES = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 3), st.sampled_from(FORMS)), max_size=3)


def parse_logic(text: str) -> bool:
    """Read a formula and an inference: what is read prints as a text that is read as the same."""

    def read(parse: Callable[[str], object]) -> None:
        found = parse(text)
        assert parse(str(found)) == found

    read_as = [ends_cleanly(partial(read, parse)) for parse in (parse_formula, parse_inference)]
    return any(read_as)


@sizes
def test_formulas(examples: int) -> None:
    fuzz(st.one_of(_joined(FORMS, 30), st.builds(_changed, _WRITTEN, _CHANGES)), parse_logic, examples)
