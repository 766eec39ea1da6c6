"""What stands before the finite verb and decides on the negation: quantifiers, "nur", "auch", "mehr"."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import Clause
from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_unsure import UnsureError


def front(clause: Clause, phrases: list[Phrase]) -> Edits | None:
    """Return the negation of a clause that begins with an operator, or None if it does not.

    An operator before the finite verb has scope over a "nicht" that comes later: "Alle Länder sollen X nicht
    tun" denies X of every country and is no negation of "Alle Länder sollen X tun".

    Raises:
        UnsureError: If the operator cannot come under a negation by a change of one word.
    """
    if not clause.front:
        return None
    words = [clause.low(position) for position in clause.front]
    first = words[0]
    universal = first in lexicon.UNIVERSAL or (
        first in lexicon.PREPOSITIONS and len(words) > 1 and words[1] in lexicon.UNIVERSAL
    )
    if universal or first in lexicon.FRONT_FOCUS:
        word = clause.tokens[clause.front[0]].text
        why = f'"nicht" was put before "{word}", which would else not be in its scope.'
        rule = "quantifier" if universal else "focus-word"
        return Edits(rule, why, inserted={clause.front[0]: "nicht"}, lowered=clause.front[0] == 0)
    if first in lexicon.DEGREE_FRONT:
        return _expletive(clause, phrases)
    if first in lexicon.POSITIVE_QUANTIFIERS | lexicon.MANY or words[:2] == ["die", "meisten"]:
        raise UnsureError(
            "abstain:scope", f'"{first}" before the finite verb is outside the scope of a negation'
        )
    return None


def _expletive(clause: Clause, phrases: list[Phrase]) -> Edits:
    """Move the subject behind the finite verb, where it can be negated: "Es sollen nicht mehr ..."."""
    first = clause.tokens[clause.front[0]]
    noun = any(lexicon.is_noun(clause.tokens[position].text) for position in clause.front[1:])
    subject_follows = phrases and phrases[0].kind in ("definite", "pronoun") and not clause.passive
    whole = clause.front[0] == 0 and clause.front == list(range(clause.finite))
    if not noun or subject_follows or not whole or clause.kind == "lexical":
        raise UnsureError(
            "abstain:scope", f'"{first.text}" before the finite verb is outside the scope of a negation'
        )
    finite = clause.tokens[clause.finite].text
    why = (
        f'The subject was put behind "{finite}" with "nicht" before "{first.low}", which is so in its scope.'
    )
    return Edits(
        "expletive",
        why,
        replaced={clause.finite: ""},
        inserted={0: "nicht"},
        lowered=True,
        opening=f"Es {finite}",
    )


def without_additive(clause: Clause) -> int | None:
    """Return the position of an "auch" at the very front, or None.

    "Auch X soll nicht ..." would say that others should not either; the negation does without "auch".
    """
    position = clause.front[0] if clause.front else None
    return position if position is not None and clause.low(position) in lexicon.ADDITIVE else None
