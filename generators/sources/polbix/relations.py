"""What rows say of each other: duplicates, and labels of one pair that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from polbias.generators.auditing.polbix.files import ClaimPair, Labels
from polbias.generators.policy.quality_words import words
from polbias.generators.xphemism.vocabulary.lexicon import Lexicon

Finding = tuple[str, str]
Pair = tuple[str, str]
_Key = Callable[[ClaimPair], Hashable]


def duplicates(claims: Sequence[ClaimPair]) -> Iterator[Finding]:
    """Yield the rows that repeat a base claim, or another row in all.

    A base claim can be another row's base claim or its exchange claim. Claims are compared without regard to
    case and punctuation, whole rows letter for letter but for the id.

    Args:
        claims: all rows.

    Yields:
        Pairs of id and code.
    """
    for each in _repeated(claims, lambda row: words(row.base_claim)):
        yield each, "duplicate-base-claim"
    exchanged = {words(row.exchange_claim): row.id for row in claims if row.exchange_claim}
    for row in claims:
        if exchanged.get(words(row.base_claim), row.id) != row.id:
            yield row.id, "base-claim-is-exchange-claim"
    for each in _repeated(
        claims, lambda row: (row.words, row.base_claim, row.exchange_claim, row.gold, row.labels, row.origin)
    ):
        yield each, "duplicate-row"


def contradictions(claims: Sequence[ClaimPair], table: Mapping[Pair, Labels]) -> Iterator[Finding]:
    """Yield the rows whose labels are not those that other rows or a table give the same pair.

    Args:
        claims: all rows.
        table: labels by pair in one direction.

    Yields:
        Pairs of id and code; a contradiction between two directions at the rows of both.
    """
    known: dict[Pair, set[Labels]] = {}
    for row in claims:
        known.setdefault(row.words, set()).add(row.labels)
    for row in claims:
        if len(known[row.words]) > 1:
            yield row.id, "inconsistent-labels"
        for other in known.get(row.words[::-1], ()):
            expected = other.reversed()
            if row.labels.shift != expected.shift:
                yield row.id, "reversed-shift"
            if row.labels.axis != expected.axis:
                yield row.id, "reversed-axis"
            judged = (row.labels.judgmental_base, row.labels.judgmental_exchange)
            if judged != (expected.judgmental_base, expected.judgmental_exchange):
                yield row.id, "reversed-judgment"
        labels = table.get(row.words)
        if labels is None and row.words[::-1] in table:
            labels = table[row.words[::-1]].reversed()
        if labels and labels != row.labels:
            yield row.id, "label-differs-from-table"


def printed_table(lexicon: Lexicon) -> dict[Pair, Labels]:
    """Return the labels of Table 5 by pair, with words as they are printed and as they are meant."""
    return {
        (pair.first, second): Labels(pair.shift, pair.axis, pair.judgmental_first, pair.judgmental_second)
        for pair in lexicon.pairs
        for second in filter(None, (pair.second, pair.printed))
    }


def _repeated(claims: Sequence[ClaimPair], key: _Key) -> Iterator[str]:
    seen: dict[Hashable, list[str]] = {}
    for row in claims:
        seen.setdefault(key(row), []).append(row.id)
    for ids in seen.values():
        if len(ids) > 1:
            yield from ids
