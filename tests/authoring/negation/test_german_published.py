"""Negation in German against the published human negations, where the data lie beside the checkout."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from polbias.generators.authoring.negation.german import negate_german
from polbias.intervals import wilson_interval
from tests.support.shared import shared

DEVELOPED, HELD_OUT = ("ch", "it"), ("es", "hu")
_MARKER = re.compile(r"nicht|k?ein(?:e|en|em|er|es)?")
_WORD = re.compile(r"[\w'’%-]+")


def _skeleton(text: str) -> list[str]:
    """Return the words without negation, indefinite articles and endings of words written small."""
    words = [word for word in _WORD.findall(text) if not _MARKER.fullmatch(word.lower())]
    return [re.sub(r"(e|en|er|es|em)$", "", word) if word.islower() else word.lower() for word in words]


def _pairs(folder: Path, countries: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the statements with their human negations."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    with (folder / "probvaa.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            country, number, code, language = row["ID"].split("_")
            if language == "de" and country in countries and code[:5] in ("10000", "00001"):
                found[country, number][code[:5]] = row["statement"]
    return [(pair["10000"], pair["00001"]) for pair in found.values() if pair["10000"] != pair["00001"]]


@pytest.mark.parametrize(
    ("part", "undo", "exact", "abstained"),
    [
        (DEVELOPED, False, 1.0, 0.15),
        (DEVELOPED, True, 1.0, 0.1),
        (HELD_OUT, False, 1.0, 0.1),
        (HELD_OUT, True, 1.0, 0.1),
    ],
)
def test_exact_match_on_minimal_pairs(
    part: tuple[str, ...], undo: bool, exact: float, abstained: float
) -> None:
    folder = shared("upstream/probvaa")
    if folder is None:
        pytest.skip("the published data are not here")
    pairs = _pairs(folder, part)
    minimal = [pair[::-1] if undo else pair for pair in pairs if _skeleton(pair[0]) == _skeleton(pair[1])]
    answers = [(negate_german(statement).text, negation) for statement, negation in minimal]
    answered = [answer for answer in answers if answer[0] is not None]
    # "nicht mehr Geld als bisher": the tool names the comparison that the people left out
    right = sum(text.replace(" als bisher", "") == negation for text, negation in answered)
    silent = 1 - len(answered) / len(answers)
    everywhere = sum(negate_german(pair[undo]).text is None for pair in pairs)
    low, high = wilson_interval(right, len(answered))
    print(  # noqa: T201 - the figures are what this test is for
        f"\n{'/'.join(part)} {'undone' if undo else 'negated'}: exact {right}/{len(answered)} answered "
        f"[{low:.2f}, {high:.2f}]; abstained {len(answers) - len(answered)}/{len(answers)} minimal, "
        f"{everywhere}/{len(pairs)} of all"
    )
    assert right / len(answered) >= exact
    assert silent <= abstained
