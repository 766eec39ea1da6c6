"""Readers of answers: any text gets a verdict, always the same one, in time that grows with its length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle, islice

import numpy as np
import pytest

from polbias.eval.answers import (
    Verdict,
    extract_choice,
    extract_conclusion,
    extract_entailment,
    extract_stance,
    extract_truth,
    extract_validity,
)
from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES, article_outcome
from polbias.eval.extraction.cards import extract_cards
from polbias.responses import Response
from tests.faults.support.campaign import bounded, fuzz, sizes
from tests.faults.support.texts import PIECES, answers

_OPEN = {"refusal", "unparsable"}
_CARDS = ("eats fish", "drinks no tea", "A", "3")
Reader = Callable[[str], Verdict]
READERS: Mapping[str, tuple[Reader, set[str]]] = {
    "validity-en": (lambda text: extract_validity(text, "en"), {"valid", "invalid"} | _OPEN),
    "validity-de": (lambda text: extract_validity(text, "de"), {"valid", "invalid"} | _OPEN),
    "stance": (lambda text: extract_stance(text, "agree", "disagree"), {"agree", "disagree"} | _OPEN),
    "stance-words": (lambda text: extract_stance(text, "yes", "no"), {"agree", "disagree"} | _OPEN),
    "entailment": (extract_entailment, {"entailment", "non-entailment"} | _OPEN),
    "truth-de": (lambda text: extract_truth(text, "de"), {"true", "false"} | _OPEN),
    "truth-en": (lambda text: extract_truth(text, "en"), {"true", "false"} | _OPEN),
    "conclusion-de": (lambda text: extract_conclusion(text, "de"), {"follows", "excluded", "open"} | _OPEN),
    "conclusion-en": (lambda text: extract_conclusion(text, "en"), {"follows", "excluded", "open"} | _OPEN),
    "choice-2": (lambda text: extract_choice(text, 2), {"1", "2", "both"} | _OPEN),
    "choice-3": (
        lambda text: extract_choice(text, 3, "de", "Mein bevorzugter Artikel ist:"),
        {"1", "2", "3", "both"} | _OPEN,
    ),
}
LARGE = 50_000


def _sound(verdict: Verdict, text: str) -> None:
    assert isinstance(verdict, Verdict)
    assert verdict.reason
    if verdict.span is not None:
        start, end = verdict.span
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize("name", READERS)
@sizes
def test_any_text_gets_one_of_the_labels(name: str, examples: int) -> None:
    read, labels = READERS[name]

    def check(text: str) -> bool:
        verdict = read(text)
        _sound(verdict, text)
        assert verdict.label in labels
        assert read(text) == verdict
        assert read(f" \n{text}\n ").label == verdict.label
        return True

    fuzz(answers(), check, examples)


@sizes
def test_any_text_gets_cards(examples: int) -> None:
    def check(text: str) -> bool:
        verdict = extract_cards(text, _CARDS)
        _sound(verdict, text)
        assert verdict.label in {"none", *_OPEN} or [*verdict.label.split(",")] == sorted(
            {*verdict.label.split(",")} & {*"ABCD"}
        )
        assert extract_cards(text, _CARDS) == verdict
        return True

    fuzz(answers(), check, examples)


@sizes
def test_any_text_is_an_article_or_not(examples: int) -> None:
    def check(text: str) -> bool:
        for reason in (None, "stop", "length"):
            outcome = article_outcome(Response(text, {"finish_reason": reason}))
            assert outcome in ARTICLE_OUTCOMES
            assert article_outcome(Response(text, {"finish_reason": reason})) == outcome
        return True

    fuzz(answers(), check, examples)


def _readers() -> list[Callable[[str], object]]:
    return [
        *(read for read, _ in READERS.values()),
        lambda text: extract_cards(text, _CARDS),
        article_outcome,
    ]


@sizes
def test_a_large_text_is_read_to_its_end(examples: int) -> None:
    """Pieces over and over, 50,000 characters of them: no reader takes time that grows as a power of them."""
    singles = [(one,) for one in PIECES]
    pairs = [(one, two) for one in PIECES for two in PIECES]
    order = np.random.default_rng(0).permutation(len(pairs))
    units = [*singles, *(pairs[place] for place in order)]
    readers = _readers()
    for number, pieces in enumerate(units[: max(1, examples // len(readers))]):
        unit = (" " * (number % 2)).join((*pieces, ""))
        text = "".join(islice(cycle([unit]), LARGE // len(unit)))
        for read in readers:
            with bounded():
                read(text)


@pytest.mark.parametrize("mark", ["-", "*", "•", "+"])
def test_a_blank_line_before_a_list_changes_nothing(mark: str) -> None:
    text = f"{mark} [ 7 B - 2 I cannot say.\n{mark} valid --"
    for read, _ in READERS.values():
        assert read(f"\n{text}").label == read(text).label
