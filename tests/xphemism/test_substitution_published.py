"""Made claims against the published ones, which went through a grammar check by a language model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.intervals import wilson_interval
from tests.support.published_claims import (
    changes_mood,
    differs_in_one_block,
    differs_in_one_stretch,
    published_pairs,
    words,
)
from tests.support.shared import shared

PUBLISHED = shared("upstream/polbix/dataset.csv")


@dataclass
class Tally:
    """How many claims there are, how many were made, and how many of those equal the published ones."""

    rows: int = 0
    made: int = 0
    equal: int = 0

    def line(self, name: str) -> str:
        """Return both shares with their intervals."""
        made, equal = (wilson_interval(*of) for of in ((self.made, self.rows), (self.equal, self.made)))
        return (
            f"{name}: made {self.made}/{self.rows} = {self.made / self.rows:.3f} [{made[0]:.3f}, {made[1]:.3f}], "
            f"equal {self.equal}/{self.made} = {self.equal / self.made:.3f} [{equal[0]:.3f}, {equal[1]:.3f}]"
        )


@pytest.mark.skipif(PUBLISHED is None, reason="the published data is not there")
@pytest.mark.parametrize(
    "comparable",
    # Within a stretch the grammar check has also changed words of its own beside the exchanged one.
    [differs_in_one_block, differs_in_one_stretch],
)
def test_made_claims_equal_the_published_ones(
    comparable: Callable[[str, str], bool], capsys: pytest.CaptureFixture[str]
) -> None:
    assert PUBLISHED is not None
    maker = PairMaker(load_lexicon())
    tally = Tally()
    for pair in published_pairs(PUBLISHED):
        # Where the grammar check turned a subjunctive into an indicative it changed more than the word.
        if not comparable(pair.base, pair.shifted) or changes_mood(pair.base, pair.shifted):
            continue
        tally.rows += 1
        made = maker.make(pair.base, pair.base_word, pair.exchange_word)
        tally.made += made.status == "made"
        tally.equal += made.status == "made" and words(made.shifted_claim) == words(pair.shifted)
    with capsys.disabled():
        sys.stdout.write(f"\n{tally.line(comparable.__name__)}\n")
    assert tally.made / tally.rows >= 0.75
    assert tally.equal / tally.made >= 0.78


def test_one_block_and_one_stretch() -> None:
    base = "Der alte Zaun und das Tor sind im Garten zu sehen."
    assert differs_in_one_block(base, base.replace("Zaun", "Turm"))
    assert not differs_in_one_block(base, base.replace("alte Zaun", "alte Turm").replace("Garten", "Hof"))
    assert differs_in_one_stretch(base, base.replace("Der alte Zaun", "Die alte Mauer"))
    assert not differs_in_one_block(base, base.replace("Der alte Zaun", "Die alte Mauer"))
    assert not differs_in_one_stretch(base, base.replace("Der", "Ein").replace("Garten", "Hof"))
    assert not differs_in_one_stretch(base, base.upper())
