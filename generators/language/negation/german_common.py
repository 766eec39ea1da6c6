"""What several rules of negation ask of a clause."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import Clause
from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_phrases import Reader


def governed(clause: Clause) -> frozenset[str]:
    """Return the prepositions that the verb takes, or an adjective or participle in the predicate."""
    found = {preposition for preposition, verbs in lexicon.GOVERNED.items() if clause.verb in verbs}
    words = {clause.low(position) for position in [*clause.middle, *clause.cluster]}
    found |= {prep for prep, adjectives in lexicon.GOVERNED_BY_ADJECTIVE.items() if adjectives & words}
    return frozenset(found)


def noun_of(clause: Clause, phrase: Phrase) -> str:
    """Return the noun of a phrase as written, or its only word."""
    return clause.tokens[phrase.head].text


def subject_in_middle(clause: Clause) -> bool:
    """Return whether the forefield cannot be the subject, so that the subject follows the finite verb."""
    if not clause.front:
        return True
    if clause.low(clause.front[0]) in ("den", "dem", "einem", "einen", "ihm", "ihnen"):
        return True
    # "In Italien geborene Kinder": a noun phrase can begin with a preposition.
    phrases = Reader(clause.tokens, clause.front, frozenset(), False).read()
    return not any(
        phrase.kind not in ("prepositional", "adverb", "frame", "focus", "pronominal") for phrase in phrases
    )


def insert(clause: Clause, position: int, rule: str, why: str) -> Edits:
    """Return the insertion of "nicht" before a position; ``why`` completes the explanation."""
    return Edits(
        rule,
        f'"nicht" was inserted before "{clause.tokens[position].text}": {why}.',
        inserted={position: "nicht"},
    )
