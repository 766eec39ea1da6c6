"""Minimal pairs: a claim with one word exchanged, or the reason for its absence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from polbias.generators.engine import named_rng
from polbias.generators.xphemism.matching.matcher import Matcher, longest_hits
from polbias.generators.xphemism.matching.text import Hit, HitKind
from polbias.generators.xphemism.substitution import TextEdit, substitute
from polbias.generators.xphemism.templates import CONTENTS, Content, FactualClaim, XphemismTemplates
from polbias.generators.xphemism.vocabulary.lexicon import DirectedPair, Lexicon

PairStatus = Literal["made", "review", "none"]


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Result of the exchange of one word of a claim.

    Attributes:
        base_word: word of the lexicon in the claim.
        exchange_word: word that replaces it.
        shifted_claim: claim with the exchange word; empty unless made.
        hit: kind of the occurrence of the base word, None without one.
        status: ``made``; ``review`` if a person has to decide; ``none`` if there is nothing to exchange.
        reason: code and explanation; empty if made.
        edits: edits in the order of the claim.
    """

    base_word: str
    exchange_word: str
    shifted_claim: str
    hit: HitKind | None
    status: PairStatus
    reason: str
    edits: tuple[TextEdit, ...]


class PairMaker:
    """Maker of minimal pairs with one lexicon.

    Args:
        lexicon: pairs, placebo pairs and the morphology of their words.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        # make_all() searches political words only; make() also finds neutral base words.
        self._matcher = Matcher(lexicon)
        neutral = (word for pair in lexicon.placebos for word in (pair.first, pair.second))
        self._placebo_matcher = Matcher(lexicon, neutral)
        self._exchanges_by_base: dict[str, list[DirectedPair]] = {}
        for exchange in lexicon.exchanges():
            self._exchanges_by_base.setdefault(exchange.base, []).append(exchange)
        # A word of a pair may also be named as misprinted in the paper (errata).
        self._printed_spellings = {pair.printed: pair.second for pair in lexicon.pairs if pair.printed}

    def make(self, claim: str, base_word: str, exchange_word: str) -> MinimalPair:
        """Exchange a word of a claim for another one.

        Words in a quotation or a name stay unchanged, by the annotation rules (section 3.3).
        """
        base, exchange = (self._printed_spellings.get(word, word) for word in (base_word, exchange_word))
        for word in (base, exchange):
            if word not in self._lexicon.words:
                reason = (
                    f"{word!r} is not in the lexicon; add it to pairs.tsv with its morphology "
                    f"(`polbias author morphology {word!r}`)"
                )
                return _build_failed_pair(base_word, exchange_word, f"unknown-word: {reason}")
        hits = self._find_hits(claim, base)
        if not hits:
            return _build_failed_pair(
                base_word, exchange_word, f"no-hit: {base!r} does not stand in the claim in any form"
            )
        return self._exchange(claim, hits, base_word, exchange_word, exchange)

    def replace_word(self, claim: str, base_word: str, exchange_word: str) -> str | None:
        """Return a claim with a word replaced as it stands, and nothing adapted; None without the word.

        The paper does so before its grammar check (section 3.3). A word outside the lexicon must occur as
        written.
        """
        base, exchange = (self._printed_spellings.get(word, word) for word in (base_word, exchange_word))
        span = None
        if literal := re.search(rf"(?<!\w){re.escape(base)}(?!\w)", claim):
            span = literal.span()
        elif hits := self._find_hits(claim, base):
            hit = _select_hit(hits)
            span = hit.start, hit.end
        return claim[: span[0]] + exchange + claim[span[1] :] if span else None

    def _find_hits(self, claim: str, word: str) -> list[Hit]:
        """Return the occurrences of a word of the lexicon, political or neutral."""
        matcher = self._matcher if word in self._matcher.words else self._placebo_matcher
        return [hit for hit in matcher.find(claim, nested=True) if hit.word == word]

    def make_all(self, claim: str, base_word: str = "") -> Iterator[MinimalPair]:
        """Yield a pair for each exchange of each political word of a claim, or of ``base_word`` only.

        If entries share a form ("Obdachlose", "Obdachloser") and an exchange word, only the first is used.
        """
        hits_by_word: dict[str, list[Hit]] = {}
        for hit in self._matcher.find(claim):
            if base_word in ("", hit.word):
                hits_by_word.setdefault(hit.word, []).append(hit)
        seen: set[tuple[int, str]] = set()
        for word, hits in hits_by_word.items():
            for exchange in self._exchanges_by_base[word]:
                key = (_select_hit(hits).start, exchange.exchange)
                if key not in seen:
                    seen.add(key)
                    yield self._exchange(claim, hits, word, exchange.exchange, exchange.exchange)

    def _exchange(self, claim: str, hits: list[Hit], base: str, exchange: str, word: str) -> MinimalPair:
        hit = _select_hit(hits)
        # A complete hashtag counts as a word of the claim, not as a name.
        is_hashtag = claim[: hit.start].endswith("#") and hit.end == hit.token_end
        if hit.quoted or (hit.proper and not is_hashtag):
            kind = "quotation" if hit.quoted else "name"
            reason = f"{kind}: {hit.surface!r} is in a {kind}, where no word is exchanged"
            return _build_failed_pair(base, exchange, reason, hit.kind)
        # A compound with the word as its head is a different term ("Vorquartal").
        free_hits = [
            occurrence
            for occurrence in hits
            if not (occurrence.quoted or occurrence.proper or occurrence.member == "head")
        ]
        other_hits = [
            occurrence for occurrence in longest_hits(free_hits) if occurrence.token_start != hit.token_start
        ]
        substitution = substitute(claim, hit, self._lexicon.words[word], self._lexicon, other_hits)
        if substitution.status == "review":
            return _build_failed_pair(base, exchange, substitution.reason, hit.kind, "review")
        if substitution.shifted_claim == claim:
            return _build_failed_pair(
                base, exchange, "unchanged: both words have the same form here", hit.kind
            )
        return MinimalPair(
            base,
            exchange,
            substitution.shifted_claim,
            hit.kind,
            "made",
            substitution.reason,
            substitution.edits,
        )


def _build_failed_pair(
    base: str, exchange: str, reason: str, hit: HitKind | None = None, status: PairStatus = "none"
) -> MinimalPair:
    return MinimalPair(base, exchange, "", hit, status, reason, ())


def _select_hit(hits: list[Hit]) -> Hit:
    """Return the hit to exchange: no quotation or name, then no compound member, then the first."""
    return min(hits, key=lambda hit: (hit.quoted or hit.proper, hit.kind == "compound", hit.start))


PAIRS, OTHER, PLACEBO = "pairs", "pairs_other", "placebo"
ARMS = {PAIRS: "shifted", OTHER: "shifted", PLACEBO: "placebo"}


@dataclass(frozen=True)
class ClaimItem:
    """A claim with one word exchanged.

    Attributes:
        claim: claim with the base word.
        exchange: words of the exchange, with shift and judgements.
        pair: result of the exchange; the dataset has only made pairs.
        content: effect on the content of the claim.
    """

    claim: FactualClaim
    exchange: DirectedPair
    pair: MinimalPair
    content: Content

    @property
    def id(self) -> str:
        """Unique name: claim and word pair."""
        return f"{self.claim.id}/{self.exchange.id}"

    def text(self, arm: str) -> str:
        """Return the claim of an arm."""
        return self.claim.claim if arm == "base" else self.pair.shifted_claim


def items(family: XphemismTemplates) -> dict[str, list[ClaimItem]]:
    """Map configs to the exchanges that the claims list, made or not.

    A seeded shuffle spreads topics and words over any first n items.
    """
    maker, lexicon = PairMaker(family.lexicon), family.lexicon
    exchange_by_words, placebo_by_words = (
        {(exchange.base, exchange.exchange): exchange for exchange in exchanges}
        for exchanges in (lexicon.exchanges(), lexicon.neutral_exchanges())
    )
    items_by_config: dict[str, list[ClaimItem]] = {config: [] for config in ARMS}
    for claim in family.claims():
        groups = [
            (PAIRS if content == "same" else OTHER, content, exchange_by_words, group)
            for content, group in claim.pairs.items()
        ]
        for config, content, by_words, group in (
            *groups,
            (PLACEBO, CONTENTS[0], placebo_by_words, claim.placebo),
        ):
            items_by_config[config] += [
                ClaimItem(claim, by_words[words], maker.make(claim.claim, *words), content) for words in group
            ]
    return {
        config: _shuffle(family, config, config_items) for config, config_items in items_by_config.items()
    }


def _shuffle(family: XphemismTemplates, purpose: str, claim_items: Sequence[ClaimItem]) -> list[ClaimItem]:
    identity = family.dataset.identity
    order = named_rng(identity.name, identity.version, f"order/{purpose}").permutation(len(claim_items))
    return [claim_items[index] for index in order]
