"""The negation of indefinite noun phrases by "kein"."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import Clause
from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_articles import kein_before, with_k
from polbias.generators.language.negation.german_common import noun_of, subject_in_middle
from polbias.generators.language.negation.german_edits import Edits
from polbias.generators.language.negation.german_unsure import UnsureError


def indefinite(clause: Clause, phrases: list[Phrase]) -> Edits | None:
    """Negate the last indefinite noun phrase by "kein", if nothing after it takes "nicht"."""
    for number in range(len(phrases) - 1, -1, -1):
        phrase = phrases[number]
        if phrase.kind in ("prepositional", "frame"):
            continue
        if phrase.kind == "indefinite":
            if phrase.inner == "mixed":
                raise UnsureError(
                    "abstain:coordination", "two noun phrases are joined, and each has its own article"
                )
            return kein(clause, phrase, subject=False)
        if phrase.inner == "mixed":
            raise UnsureError("abstain:coordination", "two noun phrases of different form are joined")
        if phrase.kind == "bare" and _takes_kein(clause, phrases, number):
            return kein(clause, phrase, _is_subject(clause, phrases, number))
        return None
    return None


def _is_subject(clause: Clause, phrases: list[Phrase], number: int) -> bool:
    """Return whether a bare noun phrase is the subject rather than an object."""
    if clause.verb in lexicon.EXISTENTIAL and not clause.passive:
        return False
    expletive = len(clause.front) == 1 and clause.low(clause.front[0]) == "es"
    if not subject_in_middle(clause) and not expletive:
        return False
    return not any(
        phrase.kind in ("definite", "pronoun", "bare", "indefinite") for phrase in phrases[:number]
    )


def _takes_kein(clause: Clause, phrases: list[Phrase], number: int) -> bool:
    """Return whether a noun phrase without article is new in the clause rather than what it is about."""
    phrase, noun = phrases[number], noun_of(clause, phrases[number])
    adjacent = number == len(phrases) - 1
    subject = _is_subject(clause, phrases, number)
    expletive = len(clause.front) == 1 and clause.low(clause.front[0]) == "es"
    if clause.verb in lexicon.AFFECTING and not expletive:
        return False
    if lexicon.is_dative_plural(noun):
        return False
    if clause.verb in lexicon.DATIVE_VERBS and not clause.passive:
        return False
    if noun in lexicon.LIGHT_NOUNS and not phrase.adjectives and clause.verb not in lexicon.LIGHT_VERBS:
        return False
    if lexicon.is_person(noun):
        topic = subject and not expletive and clause.verb not in lexicon.EXISTENTIAL
        return not topic and (adjacent or expletive)
    return True


def kein(clause: Clause, phrase: Phrase, subject: bool) -> Edits:
    """Return the changes that negate an indefinite noun phrase, with or without article.

    Raises:
        UnsureError: If gender or number of a noun without article cannot be told.
    """
    noun = noun_of(clause, phrase)
    if phrase.kind == "indefinite":
        article = clause.tokens[phrase.first].text
        new = with_k(article)
        why = f'"{article}" became "{new}": an indefinite noun phrase ("{noun}") is negated by its article.'
        return Edits("kein", why, replaced={phrase.first: new})
    word, changes = kein_before(clause.tokens, phrase, subject, clause.low(clause.finite))
    why = f'"{word}" was put before "{noun}", which has no article: such a noun phrase is negated by "kein".'
    return Edits("kein-bare", why, replaced=dict(changes), inserted={phrase.first: word})
