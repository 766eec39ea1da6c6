"""Made claims against the published ones, which went through a grammar check by a language model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from polbias.generators.xphemism.matching import Matcher
from polbias.generators.xphemism.substitution import substitute
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon, load_lexicon
from tests.support.published_claims import (
    PublishedPair,
    changes_mood,
    differs_in_one_block,
    differs_in_one_stretch,
    published_pairs,
    wilson,
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
        made, equal = wilson(self.made, self.rows), wilson(self.equal, self.made)
        return (
            f"{name}: made {self.made}/{self.rows} = {self.made / self.rows:.3f} [{made[0]:.3f}, {made[1]:.3f}], "
            f"equal {self.equal}/{self.made} = {self.equal / self.made:.3f} [{equal[0]:.3f}, {equal[1]:.3f}]"
        )


def _made(pair: PublishedPair, lexicon: Lexicon, matcher: Matcher) -> str | None:
    """Return the claim that the rules make, None if a reader has to."""
    printed = {pair.printed: pair.second for pair in lexicon.pairs if pair.printed}
    base = printed.get(pair.base_word, pair.base_word)
    exchange = printed.get(pair.exchange_word, pair.exchange_word)
    hits = [hit for hit in matcher.find(pair.base, nested=True) if hit.word == base]
    if not hits:
        return None
    result = substitute(pair.base, hits[0], lexicon.words[exchange], lexicon, hits[1:])
    return result.shifted_claim if result.status == "made" else None


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
    lexicon = load_lexicon()
    matcher = Matcher(lexicon)
    tally = Tally()
    for pair in published_pairs(PUBLISHED):
        # Where the grammar check turned a subjunctive into an indicative it changed more than the word.
        if not comparable(pair.base, pair.shifted) or changes_mood(pair.base, pair.shifted):
            continue
        tally.rows += 1
        made = _made(pair, lexicon, matcher)
        tally.made += made is not None
        tally.equal += made is not None and words(made) == words(pair.shifted)
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
