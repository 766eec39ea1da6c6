"""The verb cluster at the end of a clause: participles, infinitives, and what may stand after them."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_text import Token
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_unsure import UnsureError


def _cluster_from(sentence: list[Token], rest: list[int], start: int) -> tuple[int, int]:
    """Return the extent of the verb cluster around the infinitive or participle at a place of ``rest``."""
    low = [sentence[position].low for position in rest]
    first, last = start, start
    while last + 1 < len(low) and low[last + 1] in lexicon.AFTER_PARTICIPLE | lexicon.AFTER_INFINITIVE | {
        "worden"
    }:
        last += 1
    while first and (
        lexicon.is_participle(low[first - 1])
        or (low[first] in lexicon.AFTER_INFINITIVE and lexicon.is_infinitive(low[first - 1]))
    ):
        # "verboten sein", "gelockert werden können"; two participles stand side by side with "und" only.
        if low[first] not in lexicon.AFTER_PARTICIPLE | lexicon.AFTER_INFINITIVE:
            break
        first -= 1
    if first and low[first - 1] == "zu":
        first -= 1
    if first > 1 and low[first - 1] in ("und", "oder", "sowie") and _same_form(low[first - 2], low[first]):
        return _cluster_from(sentence, rest, first - 2)[0], last
    if first and low[first - 1] in ("zugute", "kennen", "spazieren"):
        first -= 1
    return first, last


def _same_form(left: str, right: str) -> bool:
    both = (left, right)
    return all(map(lexicon.is_participle, both)) or all(map(lexicon.is_infinitive, both))


def _closes(sentence: list[Token], rest: list[int], last: int) -> bool:
    """Return whether a verb cluster may end here: nothing follows, or what can stand after it."""
    if last + 1 >= len(rest):
        return True
    following, position = sentence[rest[last + 1]], rest[last]
    if rest[last + 1] != position + 1 or following.kind == "opaque":
        return True
    return (
        following.low in lexicon.NACHFELD | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.ADVERSATIVE
    )


def find_cluster(sentence: list[Token], rest: list[int], kind: str) -> tuple[int, int] | None:
    """Return first and last place in ``rest`` of the verb cluster, or None."""
    found: list[tuple[int, int]] = []
    place = 0
    while place < len(rest):
        token = sentence[rest[place]]
        form = token.kind == "word" and token.text[:1].islower() and _is_cluster_verb(token.low, kind)
        if form:
            first, last = _cluster_from(sentence, rest, place)
            if kind == "sein" and not _zu_or_participle(sentence, rest, first):
                form = False
            elif _closes(sentence, rest, last):
                found.append((first, last))
            place = max(place, last)
        place += 1
    if not found:
        return None
    merged = found[0]
    for first, last in found[1:]:
        if first > merged[1] + 1:
            between = [sentence[rest[k]].low for k in range(merged[1] + 1, first)]
            if any(
                word in ("und", "oder", "sowie", "sondern", "aber", "statt", "anstatt") for word in between
            ):
                raise UnsureError(
                    "abstain:coordination", "two things are demanded, and to negate one is not to negate both"
                )
            raise UnsureError(
                "abstain:structure", "there is more than one group of verbs after the finite verb"
            )
        merged = (min(merged[0], first), last)
    return merged


def _is_cluster_verb(word: str, kind: str) -> bool:
    if lexicon.is_infinitive(word) or lexicon.is_zu_infinitive(word):
        return True
    return kind in ("werden", "haben", "sein") and lexicon.is_participle(word)


def _zu_or_participle(sentence: list[Token], rest: list[int], first: int) -> bool:
    low = sentence[rest[first]].low
    return low == "zu" or lexicon.is_zu_infinitive(low) or lexicon.is_participle(low)
