"""The shipped claims: their number, their balance, and that every exchange they list can be made."""

from __future__ import annotations

from itertools import chain

import pytest

from polbias.generators.xphemism.items import PairMaker
from polbias.generators.xphemism.templates import load_claims
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.paths import package_file

LEXICON = load_lexicon()
MAKER = PairMaker(LEXICON)
FILES = load_claims(package_file("templates/xphemism"), LEXICON)


@pytest.mark.parametrize("topic", sorted(FILES))
def test_as_many_true_as_false_claims(topic: str) -> None:
    gold = [claim.gold for claim in FILES[topic].claims]
    assert (gold.count("true"), gold.count("false")) == (25, 25)


def test_every_exchange_is_made() -> None:
    odd = []
    for claim in (claim for file in FILES.values() for claim in file.claims):
        for base, exchange in chain(*claim.pairs.values(), claim.placebo):
            made = MAKER.make(claim.claim, base, exchange)
            if (made.status, made.reason) != ("made", "") or made.shifted_claim == claim.claim:
                odd.append((claim.id, base, exchange, made))
    assert not odd
