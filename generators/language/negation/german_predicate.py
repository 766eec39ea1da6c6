"""The negation of a predicate: "ist nicht gerecht", "ist kein Verbrechen", "soll nicht Pflicht werden"."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import Clause
from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_common import governed, insert, noun_of, subject_in_middle
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_indefinite import kein

_NOMINAL = ("definite", "indefinite", "bare")


def before_predicate(clause: Clause, phrases: list[Phrase]) -> Edits | None:
    """Negate the predicate of "sein", "werden" and "bleiben" without a participle."""
    finite_copula = not clause.cluster and clause.kind in ("sein", "werden")
    if not phrases or not (finite_copula or clause.verb in ("sein", "werden", "bleiben")):
        return None
    adverbs = [number for number, phrase in enumerate(phrases) if phrase.kind == "adverb"]
    if adverbs:
        place = adverbs[-1]
        while place and phrases[place - 1].kind == "adverb":
            place -= 1
        place = _past_governed(clause, phrases, place)
        why = "the predicate of the main clause is negated"
        return insert(clause, phrases[place].first, "nicht-before-predicate", why)
    last = phrases[-1]
    nominal = [phrase for phrase in phrases if phrase.kind in _NOMINAL]
    if nominal and last.kind in ("prepositional", *_NOMINAL):
        predicate = nominal[-1]
        if predicate.kind == "indefinite" or (predicate.kind == "bare" and _countable(clause, predicate)):
            return kein(clause, predicate, subject=True)
        if (last.kind == "prepositional" and len(nominal) == 1 and not clause.front) or (
            last.kind == "prepositional" and subject_in_middle(clause)
        ):
            predicate = last
        return insert(
            clause, predicate.first, "nicht-before-predicate", "the predicate of the main clause is negated"
        )
    if last.kind == "prepositional":
        place = len(phrases) - 1
        return insert(
            clause,
            phrases[place].first,
            "nicht-before-predicate",
            "the predicate of the main clause is negated",
        )
    return None


def _countable(clause: Clause, phrase: Phrase) -> bool:
    """Return whether a bare noun in the predicate is one that "kein" can count: plurals and known genders."""
    noun = noun_of(clause, phrase)
    return bool(lexicon.is_plural(noun)) or (bool(phrase.adjectives) and lexicon.is_plural(noun) is not None)


def _past_governed(clause: Clause, phrases: list[Phrase], place: int) -> int:
    """Return the place of the phrase that a predicate takes ("nicht auf Hilfe angewiesen"), or ``place``."""
    before = phrases[place - 1] if place else None
    if (
        before
        and before.kind in ("prepositional", "pronominal")
        and (before.preposition in governed(clause) or before.kind == "pronominal")
    ):
        return place - 1
    return place
