"""Case and number of a noun in a claim, from its form, its phrase and its position."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as word_classes
from polbias.generators.xphemism.substitution.case_roles import role_of
from polbias.generators.xphemism.substitution.clause import clause_at, contains_verb, finite_number
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
    """Return the agreements of a noun that its form, determiner and adjectives allow.

    If they contradict each other (a mistake in the claim), the determiner decides ("des Wohnungsbau");
    without a determiner, the form of the noun.

    Raises:
        NeedsReviewError: if the article belongs to another word or is not found.
    """
    strength = phrase.strength(tokens)
    by_form = _distinct(readings, strength)
    by_determiner = [agreement for agreement in by_form if _fits_determiner(tokens, phrase, agreement)]
    if by_determiner:
        if matches := matching_agreements(tokens, phrase, readings):
            return matches
        nearest = replace(phrase, attributes=phrase.attributes[-1:])
        nearest_fits = any(
            _fits_adjectives(tokens, nearest, agreement, strength) for agreement in by_determiner
        )
        if not nearest_fits and phrase.find_determiner(tokens) is None:
            raise NeedsReviewError(
                "adjective", f'the article before "{tokens[nearest.attributes[0]].text}" was not found'
            )
        return by_determiner
    candidates = _distinct(chain.from_iterable(forms(word).values()), strength)
    candidates = [agreement for agreement in candidates if _fits_determiner(tokens, phrase, agreement)]
    if by_form and not candidates:
        raise NeedsReviewError(
            "other-word", f'the article before "{tokens[phrase.head].text}" fits another word'
        )
    return [
        agreement for agreement in candidates if _fits_adjectives(tokens, phrase, agreement, strength)
    ] or candidates


def matching_agreements(tokens: Tokens, phrase: NounPhrase, readings: Iterable[Reading]) -> list[Agreement]:
    """Return the agreements of a noun that its form, determiner and all adjectives allow."""
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

    A relative pronoun before a plural is not an article ("Lager, in die Menschen kamen").
    """
    phrase = read_phrase(tokens, head)
    has_reading = any(
        _fits_determiner(tokens, phrase, agreement)
        for agreement in _distinct(readings, phrase.strength(tokens))
    )
    if not has_reading:
        phrase = extended_phrase(tokens, phrase) or phrase
    if phrase.determiner is None or (has_reading and all(reading.number != "pl" for reading in readings)):
        return phrase
    if clause_at(tokens, head).opener != phrase.determiner:
        return phrase
    return NounPhrase(head, phrase.attributes, phrase.determiner + 1)


def _fits_determiner(tokens: Tokens, phrase: NounPhrase, agreement: Agreement) -> bool:
    if phrase.contracted and phrase.preposition is not None:
        article = word_classes.CONTRACTIONS[tokens[phrase.preposition].low][1]
        return word_classes.is_allowed(article, agreement)
    return phrase.determiner is None or word_classes.is_allowed(tokens[phrase.determiner].low, agreement)


def _fits_adjectives(tokens: Tokens, phrase: NounPhrase, agreement: Agreement, strength: Strength) -> bool:
    ending = adjective_ending(agreement.case, agreement.number, strength, agreement.gender)
    return all(ending_of(tokens[index].low) == ending for index in phrase.attributes)


def narrow_agreements(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement], is_decided: IsDecisive
) -> list[Agreement]:
    """Apply the rules in order until ``is_decided``; return the remaining agreements."""
    remaining = candidates
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
        if is_decided(remaining):
            return remaining
        remaining = rule(tokens, phrase, last, remaining) or remaining
    return remaining


def _with_cases(candidates: list[Agreement], cases: tuple[Case, ...]) -> list[Agreement]:
    return [candidate for candidate in candidates if candidate.case in cases]


def government(tokens: Tokens, phrase: NounPhrase, last: int) -> tuple[Case, ...]:
    """Return the cases that the preposition or postposition of the phrase governs, () without one."""
    if phrase.preposition is None:
        next_word = word_classes.next_low(tokens, last)
        return (word_classes.POSTPOSITIONS[next_word],) if next_word in word_classes.POSTPOSITIONS else ()
    low = tokens[phrase.preposition].low
    if phrase.contracted:
        low = word_classes.CONTRACTIONS[low][0]
    if low in ("statt", "anstatt") and clause_at(tokens, phrase.head).kind == "zu":
        return ("acc",)
    return word_classes.PREPOSITIONS.get(low, ())


def _by_preposition(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]
) -> list[Agreement]:
    cases = government(tokens, phrase, last)
    is_unmarked = cases == ("gen",) and phrase.determiner is None and not phrase.attributes
    if is_unmarked and all(candidate.case != "gen" for candidate in candidates):
        # "wegen Völkermord": the genitive is visible if the exchange word has an adjective.
        return [Agreement("gen", candidate.number, candidate.gender) for candidate in candidates]
    head_cases = _by_head(tokens, phrase, cases) if len(cases) > 1 else ()
    return _with_cases(candidates, head_cases) or _with_cases(candidates, cases)


def _by_head(tokens: Tokens, phrase: NounPhrase, cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Return the case that the governing noun or verb takes, else the usual case of the preposition or ()."""
    index = phrase.preposition or 0
    low, noun = tokens[index].low, tokens[max(index - 1, 0)].low.removesuffix("s")
    words = clause_at(tokens, phrase.head).words(tokens)
    governors = {case: word_classes.GOVERNMENT.get(f"{low} {case}", frozenset()) for case in cases}
    matches = tuple(case for case in cases if noun.endswith(tuple(governors[case]))) or tuple(
        case
        for case in cases
        if contains_verb(tokens, phrase.head, governors[case]) or not governors[case].isdisjoint(words)
    )
    return matches[:1] if len(matches) == 1 else cases[: not matches and low in word_classes.USUAL_CASE]


def _left_conjunct(tokens: Tokens, phrase: NounPhrase) -> int | None:
    """Return the index of the noun that the phrase is coordinated with, None without one."""
    index = phrase.first - 1
    if index < 1 or phrase.preposition is not None:
        return None
    token = tokens[index]
    if token.low in ("auch", "nicht") and index > 1:
        index -= 1
        token = tokens[index]
    is_joined = token.low in word_classes.CONJUNCTIONS or token.text in "/&"
    is_listed = token.text == "," and _is_in_list(tokens, phrase.head)
    if not is_joined and not is_listed:
        return None
    index -= 1
    while index >= 0 and tokens[index].text in ")“”\"'":
        index -= 1
    return index if index >= 0 and tokens[index].is_noun and not tokens[index].text.endswith("-") else None


def _is_in_list(tokens: Tokens, head: int) -> bool:
    """Whether a noun is in a list: a comma or conjunction follows at once."""
    following = tokens[head + 1 : head + 2]
    return bool(following) and (following[0].low in word_classes.CONJUNCTIONS or following[0].text == ",")


def conjunct_cases(tokens: Tokens, phrase: NounPhrase) -> tuple[Case, ...] | None:
    """Return the possible cases of the noun that the phrase is coordinated with, None without one."""
    conjunct = _left_conjunct(tokens, phrase)
    if conjunct is None:
        return None
    first = conjunct
    while first and tokens[first - 1].is_noun and not tokens[first - 1].begins_sentence:
        first -= 1
    left = read_phrase(tokens, first)
    governed = government(tokens, left, conjunct)
    if governed:
        return tuple(case for case in governed if case in _determiner_cases(tokens, left)) or governed
    left_conjunct_cases = conjunct_cases(tokens, left)
    left_cases = _determiner_cases(tokens, left)
    if left_conjunct_cases:
        return tuple(case for case in left_conjunct_cases if case in left_cases) or left_conjunct_cases
    if (
        _is_after_noun(tokens, left)
        and "gen" in left_cases
        and (left.determiner is not None or left.attributes)
    ):
        # "die Erhöhung der Abgabe und der Beiträge": the noun before the genitive may also be the conjunct.
        outer = read_phrase(tokens, left.first - 1)
        shared = tuple(_determiner_cases(tokens, outer)) if outer.determiner is not None else ()
        return ("gen", *shared) if phrase.determiner is not None else ("gen",)
    return tuple(case for case in left_cases if case != "gen") or left_cases


def _determiner_cases(tokens: Tokens, phrase: NounPhrase) -> tuple[Case, ...]:
    if phrase.determiner is None:
        return CASES
    is_plural = german.is_plural(tokens[phrase.head].text)
    gender = german.gender(tokens[phrase.head].text)
    cases = {
        case
        for _, case, column in word_classes.DETERMINER_FORMS[tokens[phrase.determiner].low]
        if is_plural is None or (is_plural == (column == "pl") and (is_plural or gender in (None, column)))
    }
    return tuple(case for case in CASES if case in cases) or CASES


def _by_coordination(
    tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]
) -> list[Agreement]:
    shared = conjunct_cases(tokens, phrase)
    return _with_cases(candidates, shared) if shared else candidates


def _by_form(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Without determiner, prefer the plural, and drop the genitive unless an adjective marks it."""
    if phrase.determiner is not None or phrase.contracted:
        return candidates
    remaining = candidates
    if {"sg", "pl"} <= {candidate.number for candidate in remaining}:
        number = "pl"
        if phrase.first > 0 and tokens[phrase.first - 1].low in ("als", "zum", "per", "pro", "ein", "kein"):
            finite = clause_at(tokens, phrase.head).finite
            number = "pl" if finite is not None and finite_number(tokens[finite].low) == "pl" else "sg"
        remaining = [candidate for candidate in remaining if candidate.number == number]
    if not phrase.attributes and any(candidate.case != "gen" for candidate in remaining):
        remaining = [candidate for candidate in remaining if candidate.case != "gen"]
    return remaining


def _is_after_noun(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Whether a phrase directly follows a noun, number or quantifier that it can be an attribute of."""
    index = phrase.first - 1
    if index < 0 or phrase.preposition is not None:
        return False
    while index > 0 and tokens[index].text in "“”\"')":
        index -= 1
    token = tokens[index]
    if token.kind == "number" or token.text == "%":
        return True
    if token.low in word_classes.PARTITIVE:
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
    non_genitive = [candidate for candidate in candidates if candidate.case != "gen"]
    if not genitive or not non_genitive:
        return candidates
    if not _is_after_noun(tokens, phrase):
        return genitive if contains_verb(tokens, phrase.head, word_classes.GENITIVE_VERBS) else non_genitive
    dative = _with_cases(non_genitive, ("dat",))
    if (
        dative
        and contains_verb(tokens, phrase.head, word_classes.DATIVE_VERBS)
        and not _is_before_verb(tokens, phrase)
    ):
        return dative
    non_dative = [candidate for candidate in non_genitive if candidate.case != "dat"]
    # A noun phrase with "der" after a noun is its attribute, except "hat der Minister der Abgabe zugestimmt".
    is_initial = phrase.first == 0 or tokens[phrase.first - 1].text in ",;:.!?"
    return candidates if non_dative and is_initial else genitive


def _is_before_verb(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Whether a phrase precedes the finite verb of a verb-second clause, where only one phrase can."""
    clause = clause_at(tokens, phrase.head)
    return clause.kind == "second" and clause.finite is not None and phrase.head < clause.finite


def _by_dative(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Choose the dative if a verb of the clause takes one and the noun is not bare, else drop it."""
    if phrase.preposition is not None:
        return candidates
    dative = _with_cases(candidates, ("dat",))
    non_dative = [candidate for candidate in candidates if candidate.case != "dat"]
    if not dative or not non_dative:
        return candidates
    is_bare = phrase.determiner is None and not phrase.attributes
    return (
        dative
        if not is_bare and contains_verb(tokens, phrase.head, word_classes.DATIVE_VERBS)
        else non_dative
    )


def is_coordinated(tokens: Tokens, phrase: NounPhrase, last: int) -> bool:
    """Whether a noun is coordinated with another one, so that a verb agrees with both."""
    is_joined = word_classes.next_low(tokens, last) in word_classes.CONJUNCTIONS
    return is_joined or _left_conjunct(tokens, phrase) is not None


def _by_number(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Drop nominatives whose number differs from the number of the verb."""
    clause = clause_at(tokens, phrase.head)
    if clause.finite is None or is_coordinated(tokens, phrase, last):
        return candidates
    verb_number = finite_number(tokens[clause.finite].low)
    return [
        candidate
        for candidate in candidates
        if candidate.case != "nom" or verb_number in (candidate.number, None)
    ]


def _by_role(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Choose nominative or accusative by the position in the clause."""
    if {candidate.case for candidate in candidates} != {"nom", "acc"}:
        return candidates
    numbers = {candidate.number for candidate in candidates}
    number = next(iter(numbers)) if len(numbers) == 1 else None
    role = role_of(tokens, phrase, last, number, is_coordinated(tokens, phrase, last))
    return candidates if role is None else _with_cases(candidates, (role,))


def _by_sex(tokens: Tokens, phrase: NounPhrase, last: int, candidates: list[Agreement]) -> list[Agreement]:
    """Prefer a plural to a feminine singular: "der Geflüchteten"."""
    has_plural = any(candidate.number == "pl" for candidate in candidates)
    return [candidate for candidate in candidates if not (has_plural and candidate.gender == "f")]
