"""Which case and number a noun of a claim has: what its form, its phrase and its place leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.case_roles import role_of
from polbias.generators.xphemism.substitution.clause import clause_at, finite_number, takes
from polbias.generators.xphemism.substitution.edits import NeedsReviewError
from polbias.generators.xphemism.substitution.phrase import (
    NounPhrase,
    ending_of,
    extended_phrase,
    read_phrase,
)
from polbias.generators.xphemism.substitution.words import Agreement, Tokens
from polbias.generators.xphemism.vocabulary.lexicon import Word
from polbias.generators.xphemism.vocabulary.paradigms import (
    CASES,
    Case,
    Reading,
    Strength,
    adjective_ending,
    forms,
)

IsDecisive = Callable[[list[Agreement]], bool]


def agreements(
    tokens: Tokens, phrase: NounPhrase, readings: Iterable[Reading], word: Word
) -> list[Agreement]:
    """Return the readings of a noun that its determiner and adjectives allow.

    A claim with a mistake in the phrase allows none. Then the determiner counts ("des Wohnungsbau"), not the
    form of the noun, and without a determiner the form of the noun.
    """
    strength = phrase.strength(tokens)
    by_form = _distinct(readings, strength)
    determined = [agreement for agreement in by_form if _fits_determiner(tokens, phrase, agreement)]
    if determined:
        if found := matching_agreements(tokens, phrase, readings):
            return found
        near = replace(phrase, attributes=phrase.attributes[-1:])
        near_fits = any(_fits_adjectives(tokens, near, each, strength) for each in determined)
        if not near_fits and phrase.determined_by(tokens) is None:
            raise NeedsReviewError(
                "adjective", f'the article before "{tokens[near.attributes[0]].text}" was not found'
            )
        return determined
    every = _distinct(chain.from_iterable(forms(word).values()), strength)
    every = [agreement for agreement in every if _fits_determiner(tokens, phrase, agreement)]
    if by_form and not every:
        raise NeedsReviewError(
            "other-word", f'the article before "{tokens[phrase.head].text}" fits another word'
        )
    return [each for each in every if _fits_adjectives(tokens, phrase, each, strength)] or every


def matching_agreements(tokens: Tokens, phrase: NounPhrase, readings: Iterable[Reading]) -> list[Agreement]:
    """Return the readings of a noun with which its determiner and all of its adjectives agree."""
    strength = phrase.strength(tokens)
    return [
        agreement
        for agreement in _distinct(readings, strength)
        if _fits_determiner(tokens, phrase, agreement)
        and _fits_adjectives(tokens, phrase, agreement, strength)
    ]


def _distinct(readings: Iterable[Reading], strength: Strength) -> list[Agreement]:
    return list(
        dict.fromkeys(
            Agreement(reading.case, reading.number, reading.gender)
            for reading in readings
            if reading.case and reading.number and reading.strength in (None, strength)
        )
    )


def phrase_at(tokens: Tokens, head: int, readings: Iterable[Reading]) -> NounPhrase:
    """Return the noun phrase of a noun.

    A relative pronoun before a plural is no article ("Lager, in die Menschen kamen").
    """
    phrase = read_phrase(tokens, head)
    fits = any(
        _fits_determiner(tokens, phrase, each) for each in _distinct(readings, phrase.strength(tokens))
    )
    if not fits:
        phrase = extended_phrase(tokens, phrase) or phrase
    if phrase.determiner is None or (fits and all(reading.number != "pl" for reading in readings)):
        return phrase
    if clause_at(tokens, head).opener != phrase.determiner:
        return phrase
    return NounPhrase(head, phrase.attributes, phrase.determiner + 1)


def _fits_determiner(tokens: Tokens, phrase: NounPhrase, agreement: Agreement) -> bool:
    if phrase.contracted and phrase.preposition is not None:
        article = closed.CONTRACTIONS[tokens[phrase.preposition].low][1]
        return closed.is_allowed(article, agreement)
    return phrase.determiner is None or closed.is_allowed(tokens[phrase.determiner].low, agreement)


def _fits_adjectives(tokens: Tokens, phrase: NounPhrase, agreement: Agreement, strength: Strength) -> bool:
    wanted = adjective_ending(agreement.case, agreement.number, strength, agreement.gender)
    return all(ending_of(tokens[place].low) == wanted for place in phrase.attributes)


def narrow_agreements(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement], decided: IsDecisive
) -> list[Agreement]:
    """Return the agreements that the rules leave, applied one after another until they decide."""
    left = candidates
    for rule in (
        _by_preposition,
        _by_coordination,
        _by_form,
        _by_genitive,
        _by_dative,
        _by_number,
        _by_role,
        _by_sex,
    ):
        if decided(left):
            return left
        left = rule(tokens, phrase, last, left) or left
    return left


def _with_cases(candidates: list[Agreement], cases: tuple[Case, ...]) -> list[Agreement]:
    return [candidate for candidate in candidates if candidate.case in cases]


def government(tokens: Tokens, phrase: NounPhrase, last: int) -> tuple[Case, ...]:
    """Return the cases that a preposition before or after the phrase governs, () without one."""
    if phrase.preposition is None:
        after = closed.low_after(tokens, last)
        return (closed.POSTPOSITIONS[after],) if after in closed.POSTPOSITIONS else ()
    low = tokens[phrase.preposition].low
    if phrase.contracted:
        low = closed.CONTRACTIONS[low][0]
    if low in ("statt", "anstatt") and clause_at(tokens, phrase.head).kind == "zu":
        return ("acc",)
    return closed.PREPOSITIONS.get(low, ())


def _by_preposition(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]
) -> list[Agreement]:
    cases = government(tokens, phrase, last)
    unmarked = cases == ("gen",) and phrase.determiner is None and not phrase.attributes
    if unmarked and all(each.case != "gen" for each in candidates):
        # "wegen Völkermord": the genitive shows where the exchange word has an adjective.
        return [Agreement("gen", each.number, each.gender) for each in candidates]
    head = _by_head(tokens, phrase, cases) if len(cases) > 1 else ()
    return _with_cases(candidates, head) or _with_cases(candidates, cases)


def _by_head(tokens: Tokens, phrase: NounPhrase, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the case of several that the head of a prepositional object governs, () if it is not known."""
    place = phrase.preposition or 0
    low, noun = tokens[place].low, tokens[max(place - 1, 0)].low.removesuffix("s")
    words = clause_at(tokens, phrase.head).words(tokens)
    heads = {case: closed.GOVERNMENT.get(f"{low} {case}", frozenset()) for case in cases}
    found = tuple(case for case in cases if noun.endswith(tuple(heads[case]))) or tuple(
        case for case in cases if takes(tokens, phrase.head, heads[case]) or not heads[case].isdisjoint(words)
    )
    return found[:1] if len(found) == 1 else cases[: not found and low in closed.USUAL]


def _left_conjunct(tokens: Tokens, phrase: NounPhrase) -> int | None:
    """Return the place of the noun that the phrase is joined to, None if there is none."""
    before = phrase.first - 1
    if before < 1 or phrase.preposition is not None:
        return None
    token = tokens[before]
    if token.low in ("auch", "nicht") and before > 1:
        before -= 1
        token = tokens[before]
    joined = token.low in closed.CONJUNCTIONS or token.text in "/&"
    listed = token.text == "," and _list_goes_on(tokens, phrase.head)
    if not joined and not listed:
        return None
    before -= 1
    while before >= 0 and tokens[before].text in ")“”\"'":
        before -= 1
    return (
        before if before >= 0 and tokens[before].is_noun and not tokens[before].text.endswith("-") else None
    )


def _list_goes_on(tokens: Tokens, head: int) -> bool:
    """Return whether a noun is one of a list: another comma with a noun, or "und", follows at once."""
    following = tokens[head + 1 : head + 2]
    return bool(following) and (following[0].low in closed.CONJUNCTIONS or following[0].text == ",")


def conjunct_cases(tokens: Tokens, phrase: NounPhrase) -> tuple[Case, ...] | None:
    """Return the cases that the phrase shares with the noun that it is joined to, None without one."""
    place = _left_conjunct(tokens, phrase)
    if place is None:
        return None
    first = place
    while first and tokens[first - 1].is_noun and not tokens[first - 1].begins_sentence:
        first -= 1
    left = read_phrase(tokens, first)
    governed = government(tokens, left, place)
    if governed:
        return tuple(case for case in governed if case in _determiner_cases(tokens, left)) or governed
    further = conjunct_cases(tokens, left)
    own = _determiner_cases(tokens, left)
    if further:
        return tuple(case for case in further if case in own) or further
    if _after_noun(tokens, left) and "gen" in own and (left.determiner is not None or left.attributes):
        # "die Erhöhung der Abgabe und der Beiträge"; what comes before it may be the conjunct just as well.
        outer = read_phrase(tokens, left.first - 1)
        shared = tuple(_determiner_cases(tokens, outer)) if outer.determiner is not None else ()
        return ("gen", *shared) if phrase.determiner is not None else ("gen",)
    return tuple(case for case in own if case != "gen") or own


def _determiner_cases(tokens: Tokens, phrase: NounPhrase) -> tuple[Case, ...]:
    if phrase.determiner is None:
        return CASES
    plural = german.is_plural(tokens[phrase.head].text)
    gender = german.gender(tokens[phrase.head].text)
    found = {
        case
        for _, case, column in closed.DETERMINER_FORMS[tokens[phrase.determiner].low]
        if plural is None or (plural == (column == "pl") and (plural or gender in (None, column)))
    }
    return tuple(case for case in CASES if case in found) or CASES


def _by_coordination(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]
) -> list[Agreement]:
    shared = conjunct_cases(tokens, phrase)
    return _with_cases(candidates, shared) if shared else candidates


def _by_form(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """A noun without anything before it is a plural if it can be counted, and no genitive unless marked."""
    if phrase.determiner is not None or phrase.contracted:
        return candidates
    left = candidates
    if {"sg", "pl"} <= {candidate.number for candidate in left}:
        number = "pl"
        if phrase.first > 0 and tokens[phrase.first - 1].low in ("als", "zum", "per", "pro", "ein", "kein"):
            finite = clause_at(tokens, phrase.head).finite
            number = "pl" if finite is not None and finite_number(tokens[finite].low) == "pl" else "sg"
        left = [candidate for candidate in left if candidate.number == number]
    if not phrase.attributes and any(candidate.case != "gen" for candidate in left):
        left = [candidate for candidate in left if candidate.case != "gen"]
    return left


def _after_noun(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Return whether a phrase stands right after a noun that it can be an attribute of."""
    before = phrase.first - 1
    if before < 0 or phrase.preposition is not None:
        return False
    while before > 0 and tokens[before].text in "“”\"')":
        before -= 1
    token = tokens[before]
    if token.kind == "number" or token.text == "%":
        return True
    if token.low in closed.PARTITIVE:
        return True
    return token.is_noun and not (
        token.begins_sentence and german.lemma(token.low).islower() and token.low in german.CLOSED
    )


def _by_genitive(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]
) -> list[Agreement]:
    if phrase.preposition is not None:
        return candidates
    genitive = _with_cases(candidates, ("gen",))
    rest = [candidate for candidate in candidates if candidate.case != "gen"]
    if not genitive or not rest:
        return candidates
    if not _after_noun(tokens, phrase):
        return genitive if takes(tokens, phrase.head, closed.GENITIVE_VERBS) else rest
    dative = _with_cases(rest, ("dat",))
    if dative and takes(tokens, phrase.head, closed.DATIVE_VERBS) and not _in_front(tokens, phrase):
        return dative
    nominative = [candidate for candidate in rest if candidate.case != "dat"]
    # "hat der Minister der Abgabe zugestimmt" aside, a noun with "der" after a noun is its attribute.
    first = phrase.first == 0 or tokens[phrase.first - 1].text in ",;:.!?"
    return candidates if nominative and first else genitive


def _in_front(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Return whether a phrase after a noun stands before the verb, where only one has room."""
    clause = clause_at(tokens, phrase.head)
    return clause.kind == "second" and clause.finite is not None and phrase.head < clause.finite


def _by_dative(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Nominative or accusative rather than dative, unless a verb of the clause takes a dative."""
    if phrase.preposition is not None:
        return candidates
    dative = _with_cases(candidates, ("dat",))
    rest = [candidate for candidate in candidates if candidate.case != "dat"]
    if not dative or not rest:
        return candidates
    bare = phrase.determiner is None and not phrase.attributes
    return dative if not bare and takes(tokens, phrase.head, closed.DATIVE_VERBS) else rest


def is_coordinated(tokens: Tokens, phrase: NounPhrase, last: int) -> bool:
    """Return whether a noun is joined to another one, so that a verb agrees with both."""
    joined = closed.low_after(tokens, last) in closed.CONJUNCTIONS
    return joined or _left_conjunct(tokens, phrase) is not None


def _by_number(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Of nominatives only those whose number is that of the verb, if another reading is left."""
    clause = clause_at(tokens, phrase.head)
    if clause.finite is None or is_coordinated(tokens, phrase, last):
        return candidates
    verb = finite_number(tokens[clause.finite].low)
    return [
        candidate for candidate in candidates if candidate.case != "nom" or verb in (candidate.number, None)
    ]


def _by_role(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Nominative or accusative by the place in the clause."""
    if {candidate.case for candidate in candidates} != {"nom", "acc"}:
        return candidates
    numbers = {candidate.number for candidate in candidates}
    number = next(iter(numbers)) if len(numbers) == 1 else None
    role = role_of(tokens, phrase, last, number, is_coordinated(tokens, phrase, last))
    return candidates if role is None else _with_cases(candidates, (role,))


def _by_sex(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Rather a plural than one woman: "der Geflüchteten"."""
    plural = any(candidate.number == "pl" for candidate in candidates)
    return [candidate for candidate in candidates if not (plural and candidate.gender == "f")]
