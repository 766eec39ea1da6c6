"""What agrees with a noun outside of its phrase: verb, relative pronoun, "eine der ..."."""

from __future__ import annotations

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.clause import clause_at, finite_number
from polbias.generators.xphemism.substitution.edits import Span, changed
from polbias.generators.xphemism.substitution.phrase import Phrase
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.roles import role_of
from polbias.generators.xphemism.substitution.tokens import Tokens
from polbias.generators.xphemism.substitution.verbs import in_number
from polbias.generators.xphemism.substitution.words import Agreement
from polbias.generators.xphemism.vocabulary.paradigms import CASES, Case, Number, genders
from polbias.generators.xphemism.words import Word


def governs_verb(tokens: Tokens, phrase: Phrase, last: int, number: Number, coordinated: bool) -> bool:
    """Return whether the finite verb of the clause agrees with the phrase alone, which is a nominative."""
    clause = clause_at(tokens, phrase.head)
    if coordinated or clause.finite is None or finite_number(tokens[clause.finite].low) != number:
        return False
    return role_of(tokens, phrase, last, number, coordinated) == "nom"


def verb_spans(tokens: Tokens, phrase: Phrase, number: Number) -> tuple[Span, ...]:
    """Return the change of the finite verb of the clause to another number.

    Raises:
        ReviewError: If the verb has no form that the rules know.
    """
    clause = clause_at(tokens, phrase.head)
    return () if clause.finite is None else _verb(tokens, clause.finite, number)


def _verb(tokens: Tokens, place: int, number: Number) -> tuple[Span, ...]:
    form = in_number(tokens[place].low, number)
    if form is None:
        raise ReviewError(
            "verb-form", f'the verb "{tokens[place].text}" has no known form in the other number'
        )
    return changed(tokens, place, form, "verb")


def relative_spans(tokens: Tokens, last: int, old: Agreement, new: Agreement) -> tuple[Span, ...]:
    """Return the change of a relative pronoun right after the noun, and of its verb if the number changes.

    Raises:
        ReviewError: If its case cannot be told and the forms differ.
    """
    place = last + 2
    if old.column == new.column or place >= len(tokens) or tokens[last + 1].text != ",":
        return ()
    governed: tuple[Case, ...] = CASES
    if tokens[place].low in closed.PREPOSITIONS and place + 1 < len(tokens):
        governed = closed.PREPOSITIONS[tokens[place].low]
        place += 1
    low = tokens[place].low
    tables = [closed.RELATIVES, closed.WELCH]
    table = next((table for table in tables if low in table[old.column]), None)
    if table is None:
        return ()
    clause = clause_at(tokens, place)
    if clause.finite is None or clause.finite <= place or clause.finite < clause.places[-1] - 1:
        return ()
    if clause.finite == place + 1 != clause.places[-1]:
        return ()
    cases = [case for case in CASES if table[old.column][CASES.index(case)] == low and case in governed]
    forms = {case: table[new.column][CASES.index(case)] for case in cases}
    if low not in ("dessen", "deren") and len(cases) > 1 and "gen" in cases:
        cases.remove("gen")
    if {"nom", "acc"} <= set(cases):
        subject = _relative_is_subject(tokens, place, clause.finite, clause.places, old.number)
        if subject is not None:
            cases = ["nom" if subject else "acc"]
    chosen = {forms[case] for case in cases}
    if len(chosen) != 1:
        raise ReviewError(
            "relative-pronoun", f'the case of the relative pronoun "{tokens[place].text}" is not clear'
        )
    verb: tuple[Span, ...] = ()
    agrees = old.number != new.number and finite_number(tokens[clause.finite].low) == old.number
    if agrees and {"nom", "acc"} <= set(cases):
        raise ReviewError(
            "relative-pronoun", f'"{tokens[place].text}" may be the subject or the object of its clause'
        )
    if agrees and cases == ["nom"]:
        verb = _verb(tokens, clause.finite, new.number)
    return (*changed(tokens, place, chosen.pop(), "pronoun"), *verb)


def _relative_is_subject(
    tokens: Tokens, place: int, finite: int, places: tuple[int, ...], number: Number
) -> bool | None:
    if finite_number(tokens[finite].low) != number:
        return False
    inside = [tokens[k] for k in places if place < k < finite]
    if inside and inside[0].is_noun and number == "pl" and german.is_plural(inside[0].text) is True:
        # "Vorteile, die Beamte genießen"; "Vorteile, die Arbeitsplätze sichern" is for a reader.
        return False if _names_persons(inside[0].text) else None
    if any(token.low in closed.SUBJECT_PRONOUNS or token.low in ("sie", "es") for token in inside[:1]):
        return False
    if inside and inside[0].low in closed.DETERMINER_FORMS:
        # "die der Bund erhebt": the next phrase is the subject if it is a nominative and agrees with the
        # verb.
        following = next((token for token in inside[1:] if token.is_noun), None)
        if inside[0].low == "der" and following and german.gender(following.text) == "m":
            return False
        if inside[0].low in ("die", "das", "eine", "ein"):
            return None
    return True


def _names_persons(noun: str) -> bool:
    return german.is_person(noun) or noun.lower().endswith(closed.PERSONAL)


def partitive_spans(
    tokens: Tokens, phrase: Phrase, last: int, case: Case, base: Word, exchange: Word
) -> tuple[Span, ...]:
    """Return the change of the pronoun in "eine der ältesten ..." before a plural in the genitive.

    Raises:
        ReviewError: If its case cannot be told and the forms differ.
    """
    place = phrase.first - 1
    of = phrase.preposition is not None and tokens[phrase.preposition].low == "von"
    if place < 0 or not ((case == "dat" and of) or (case == "gen" and phrase.determiner is not None)):
        return ()
    old, new = genders(base), genders(exchange)
    low = tokens[place].low
    if len(old) != 1 or len(new) != 1 or old == new:
        return ()
    for table in closed.PRONOUNS.values():
        cases = [case for case, form in zip(CASES, table[old[0]], strict=True) if form == low]
        if not cases:
            continue
        if place and tokens[place - 1].low in closed.PREPOSITIONS:
            cases = [case for case in cases if case in closed.PREPOSITIONS[tokens[place - 1].low]] or cases
        forms = {table[new[0]][CASES.index(case)] for case in cases if case != "gen" or len(cases) == 1}
        if len(forms) > 1 and set(cases) == {"nom", "acc"}:
            pronoun = Phrase(place, (), None, None, False, place)
            role = role_of(tokens, pronoun, last, "sg", False)
            forms = {table[new[0]][CASES.index(role)]} if role else forms
        if len(forms) != 1:
            raise ReviewError("pronoun", f'the case of "{tokens[place].text}" is not clear')
        return changed(tokens, place, forms.pop(), "pronoun")
    return ()
