"""Case roles, and what a person should look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.clause import (
    ClaimClause,
    clause_at,
    finite_number,
    takes,
)
from polbias.generators.xphemism.substitution.edits import NeedsReviewError, Span, token_change
from polbias.generators.xphemism.substitution.phrase import NounPhrase, read_phrase
from polbias.generators.xphemism.substitution.words import Agreement, Tokens
from polbias.generators.xphemism.vocabulary.lexicon import Word
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Case, Number

# Whether a noun phrase is the subject of its clause or an object in the accusative.

Role = Literal["nom", "acc"]
_FUNCTION_WORDS = frozenset(closed.PREPOSITIONS).union(
    german.CLOSED,
    german.SUBORDINATORS,
    german.MAYBE_SUBORDINATORS,
    closed.CONJUNCTIONS,
    closed.CLAUSE_CONJUNCTIONS,
)
# A superlative without a noun.
_PREDICATE = re.compile(r"[a-zäöüß]+sten?(?! (?:\w+e[mnrs]? )?[A-ZÄÖÜ])\b")
_PLURALS = ("ungen", "heiten", "keiten", "schaften", "ionen", "täten", "innen")


@dataclass(frozen=True, slots=True)
class GovernedPhrase:
    """Another noun phrase or pronoun of the clause that is governed by the verb.

    Attributes:
        place: of its noun.
        first: of its first token.
        nominative: "yes" if nothing but a nominative, "no" if none, "maybe" if its form does not tell.
    """

    noun_index: int
    first: int
    nominative: Literal["yes", "no", "maybe"]


def role_of(
    tokens: Tokens, phrase: NounPhrase, last: int, number: Number | None, coordinated: bool
) -> Role | None:
    """Return whether a phrase is nominative or accusative, None if no rule decides."""
    before = tokens[phrase.first - 1].low if phrase.first else ""
    if before in ("statt", "anstatt"):
        return None
    clause = clause_at(tokens, phrase.head)
    if clause.kind == "zu":
        return "acc"
    if clause.kind == "verbless" or clause.finite is None:
        return None
    compared = before in ("als", "wie") and clause.opener != phrase.first - 1
    if compared and not _copula(tokens, clause):
        return None
    verb = tokens[clause.finite].low
    if number and not coordinated and finite_number(verb) != number:
        return None if _copula(tokens, clause) else "acc"
    if _impersonal(tokens, clause) or _after_subject_clause(tokens, clause):
        return "acc"
    others = tuple(_arguments(tokens, clause, phrase, last))
    if _copula(tokens, clause) or _passive(tokens, clause):
        return "nom"
    if any(other.nominative == "yes" for other in others):
        return "acc"
    # Whether the verb of the clause never has an accusative.
    if not closed.INTRANSITIVE.isdisjoint(clause.verbs(tokens)):
        return "nom"
    if clause.kind == "final":
        return _in_final(tokens, clause, phrase, others)
    return _in_second(tokens, clause, phrase, others, number, coordinated)


def _in_final(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, others: tuple[GovernedPhrase, ...]
) -> Role | None:
    before = any(other.noun_index < phrase.first and other.nominative != "no" for other in others)
    opener = tokens[clause.opener].low if clause.opener is not None else ""
    if before or opener == "um":
        return "acc"
    if opener in german.RELATIVES and clause.opener == clause.token_indices[0]:
        if opener in ("der", "wer"):
            return "acc"
        if opener in ("den", "dem", "dessen", "deren", "denen", "wen", "wo", "welchen", "welchem"):
            return "nom"
        return "nom" if others or opener == "was" else None
    return "nom"


_OWN = frozenset(("sein", "ihr", "seine", "ihre"))


def _in_second(
    tokens: Tokens,
    clause: ClaimClause,
    phrase: NounPhrase,
    others: tuple[GovernedPhrase, ...],
    number: Number | None,
    coordinated: bool,
) -> Role | None:
    assert clause.finite is not None
    verb = finite_number(tokens[clause.finite].low)
    possible = [other for other in others if other.nominative != "no"]
    if phrase.head < clause.finite:
        if _decreed(tokens, clause, phrase, others):
            return "acc"
        return None if any(other.noun_index < phrase.first for other in possible) else "nom"
    before = tokens[clause.finite - 1]
    if phrase.determiner is not None and tokens[phrase.determiner].low in _OWN and before.is_noun:
        return "acc"  # "Polen will sein Kraftwerk bauen": it is that of the subject
    front = [other for other in possible if other.noun_index < clause.finite]
    if front and not (len(front) == 1 and _disagrees(tokens, front[0], clause.finite)):
        # "Lehrer kostet die Abgabe ...": no subject, unless a headline lacks its article.
        bare = front[0].first == front[0].noun_index and verb == "sg"
        return None if bare and german.is_person(tokens[front[0].noun_index].text) else "acc"
    between = any(clause.finite < other.noun_index < phrase.first for other in possible)
    return "acc" if between else "nom" if verb == number or coordinated or number is None else "acc"


def _decreed(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, others: tuple[GovernedPhrase, ...]
) -> bool:
    """Return whether what stands first is the object: "Das Rauchen untersagte Bayern"."""
    assert clause.finite is not None
    after = [other for other in others if other.noun_index > clause.finite and other.nominative != "no"]
    if not after or german.is_person(tokens[phrase.head].text) or phrase.preposition is not None:
        return False
    words = [tokens[place].low for place in clause.token_indices if tokens[place].text[0].islower()]
    verbs = clause.verbs(tokens)
    decrees = not closed.DECREEING.isdisjoint([*verbs, *(words[-1] + verb for verb in verbs)])
    return decrees and not tokens[phrase.head].low.endswith(closed.AUTHORITIES)


def _disagrees(tokens: Tokens, argument: GovernedPhrase, finite: int) -> bool:
    """Return whether a plural before a singular verb cannot be its subject: "Waffenlieferungen plant ..."."""
    before = range(argument.first, finite)
    if any(tokens[place].low in closed.CONJUNCTIONS or tokens[place].text == "," for place in before):
        return False
    noun = tokens[argument.noun_index].text
    # Names like "Schröder" have the form of a plural, but none of its endings.
    plural = german.lemma(noun).lower() != noun.lower() or noun.endswith(_PLURALS)
    return plural and german.is_plural(noun) is True and finite_number(tokens[finite].low) == "sg"


def _copula(tokens: Tokens, clause: ClaimClause) -> bool:
    """Return whether both noun phrases of the clause are nominative: "ist", "bleibt", "heißt"."""
    assert clause.finite is not None
    base = german.verb_lemma(tokens[clause.finite].low)
    ends = [tokens[place].low for place in clause.token_indices if place > clause.finite]
    if clause.kind == "final":
        ends = [tokens[place].low for place in clause.token_indices if place < clause.finite][-2:]
    if base in closed.COPULAS or tokens[clause.finite].low in ("sei", "seien", "wäre", "wären"):
        return True
    if base == "werden" or tokens[clause.finite].low in ("wird", "wurde", "werde"):
        return not any(german.is_infinitive(word) for word in ends)
    return any(word in ("sein", "bleiben", "werden", "geworden", "gewesen") for word in ends[-2:])


def _passive(tokens: Tokens, clause: ClaimClause) -> bool:
    words = clause.words(tokens)
    werden = any(word in german.WERDEN or word in ("werde", "worden") for word in words)
    return werden and any(german.is_participle(word) for word in words)


def _impersonal(tokens: Tokens, clause: ClaimClause) -> bool:
    """Return whether the clause is "es gibt ...", whose noun is an accusative."""
    forms = {"gibt", "gab", "gebe", "gäbe", "geben", "gegeben"}
    return "es" in (words := clause.words(tokens)) and not forms.isdisjoint(words)


def _after_subject_clause(tokens: Tokens, clause: ClaimClause) -> bool:
    """Return whether the subject is a clause of its own: "Wer früher geht, muss die Kürzung hinnehmen"."""
    first = clause.token_indices[0]
    if clause.finite != first or tokens[first].begins_sentence:
        return False
    opening = next((place for place in range(first, -1, -1) if tokens[place].begins_sentence), 0)
    return tokens[opening].low == "wer" and tokens[first - 1].text == ","


def _nominative(tokens: Tokens, phrase: NounPhrase) -> Literal["yes", "no", "maybe"]:
    if phrase.determiner is None:
        return "maybe"
    low = tokens[phrase.determiner].low
    cases: set[Case] = {case for _, case, _ in closed.DETERMINER_FORMS[low]}
    if "nom" not in cases:
        return "no"
    if low == "der" or low in ("dieser", "jeder", "jener"):
        return "yes" if german.gender(tokens[phrase.head].text) in ("m", None) else "no"
    return "maybe"


def _arguments(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, last: int
) -> Iterator[GovernedPhrase]:
    """Yield the noun phrases and pronouns of a clause that its verb governs without preposition."""
    own = range(phrase.first, last + 1)
    skip_to = -1
    for place in clause.token_indices:
        token = tokens[place]
        if place in own or place <= skip_to:
            continue
        if token.low in closed.SUBJECT_PRONOUNS:
            yield GovernedPhrase(place, place, "yes")
        elif token.low in ("sie", "es") and clause.finite is not None:
            after = clause.opener is not None and place == clause.opener + 1
            if after or abs(place - clause.finite) == 1:
                yield GovernedPhrase(place, place, "yes")
        elif (
            token.is_noun
            and token.low not in closed.TIMES
            and not (token.begins_sentence and _function_word(token.low))
        ):
            skip_to = place
            while skip_to + 1 < len(tokens) and tokens[skip_to + 1].is_noun:
                skip_to += 1
            if last + 1 == place or skip_to + 1 == phrase.head:
                continue
            found = read_phrase(tokens, place)
            if clause.finite in found.attributes:
                # "untersagte Bayern": the verb, not an attribute.
                found = NounPhrase(place, (), place)
            if found.preposition is not None or _attribute(tokens, found):
                continue
            yield GovernedPhrase(place, found.first, _nominative(tokens, found))


def _function_word(low: str) -> bool:
    return low in _FUNCTION_WORDS or german.lemma(low).islower()


def _attribute(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Return whether a phrase is a genitive after a noun, or joined to what stands before it."""
    if not phrase.first:
        return False
    before = tokens[phrase.first - 1]
    if before.low in closed.CONJUNCTIONS:
        return True
    if phrase.determiner is None or not before.is_noun:
        return before.is_noun and bool(phrase.attributes)
    return tokens[phrase.determiner].low in german.GENITIVE_ARTICLES


# Where rules of agreement are not enough: another number, or a noun that may need an article.


def check_number(tokens: Tokens, phrase: NounPhrase, determiner: closed.Determiner | None) -> None:
    """Refuse another number where the claim counts, or after a contraction (the plural may drop it)."""
    counted = any(tokens[place].low in closed.COUNTING for place in phrase.attributes)
    counted |= any(tokens[place].kind == "number" for place in range(phrase.first, phrase.head))
    counted |= tokens[max(phrase.first - 1, 0)].low.endswith(("illionen", "illiarden"))
    if counted or (determiner is not None and determiner.stem in closed.NUMBER_MATTERS):
        raise NeedsReviewError("counted", "the exchange word has another number, and the claim counts")
    if phrase.contracted:
        raise NeedsReviewError("number", "after a contraction the plural can stand with and without article")


def possessive_changes(
    tokens: Tokens, phrase: NounPhrase, last: int, old: Agreement, new: Agreement
) -> tuple[Span, ...]:
    """Return the changes of possessives that can refer to nothing but the noun; refuse what is not clear.

    That is a pronoun of another clause ("der Bau stockt, weil er ..."), or a superlative as predicate.
    """
    if old.column == new.column:
        return ()
    clause = clause_at(tokens, last)
    own, attribute = clause.token_indices, phrase.preposition is not None or old.case == "gen"
    changing = "whose gender or number changes"
    found: list[Span] = []
    for place in range(last + 1, len(tokens)):
        token, low = tokens[place], tokens[place].low
        rivals = (each for each in range(place) if not phrase.first <= each <= last)
        determiner = closed.determiner_of(low)
        if determiner and determiner.stem == _possessive(old.column) != _possessive(new.column):
            if old.case != "nom":
                continue
            if place not in own or any(each in own and _may_possess(tokens, each, old) for each in rivals):
                raise NeedsReviewError("possessive", f'"{token.text}" may refer to the word, {changing}')
            form = _possessive(new.column) + low[len(determiner.stem) :]
            found += token_change(tokens, place, form, "pronoun")
        elif determiner and determiner.stem == "jed" and not _noun_behind(tokens, place):
            raise NeedsReviewError("pronoun", f'"{token.text}" may refer to the word, {changing}')
        elif determiner == closed.DEFINITE and _stands_for(tokens, place):
            raise NeedsReviewError("pronoun", f'"{token.text}" may stand for the word, {changing}')
        elif place in own:
            after = " ".join(each.text for each in tokens[place + 1 : place + 4])
            if low == closed.determiner_form(closed.DEFINITE, old) and _PREDICATE.match(after):
                raise NeedsReviewError("predicate", f'"{token.text}" refers to the word, {changing}')
        elif low in closed.PERSONAL_PRONOUNS[old.column]:
            if low == "es" and takes(tokens, place, closed.EXPLETIVE):
                continue
            # "Nach dem Streik der Stadt, weil sie ...": no topic where another noun can be one.
            rival = any(_may_possess(tokens, each, old) for each in rivals)
            if (attribute and rival) or clause.kind == "zu":
                continue
            if rival or not _goes_on(tokens, place, old, new):
                raise NeedsReviewError("pronoun", f'"{token.text}" may refer to the word, {changing}')
            found += token_change(tokens, place, closed.NOMINATIVE[new.column], "pronoun")
    return tuple(found)


def _goes_on(tokens: Tokens, place: int, old: Agreement, new: Agreement) -> bool:
    """Return whether a pronoun begins a main clause that goes on about the subject: "Der Bau stockt, er"."""
    verb = closed.low_after(tokens, place)
    begins = tokens[place - 1].text in (",", ";") or tokens[place - 1].low in ("und", "doch", "aber")
    return begins and old.case == "nom" and old.number == new.number and finite_number(verb) == old.number


def _stands_for(tokens: Tokens, place: int) -> bool:
    """Return whether an article stands for a noun: "wie die in Mali"."""
    behind = closed.low_after(tokens, place)
    placed = behind in closed.PREPOSITIONS or behind in closed.CONTRACTIONS
    return placed and tokens[place - 1].low in ("wie", "als")


def _noun_behind(tokens: Tokens, place: int) -> bool:
    """Return whether a noun follows, with adjectives or without: "jede dritte Klinik"."""
    for token in tokens[place + 1 :]:
        if token.is_noun or not token.low.endswith(ENDINGS):
            return token.is_noun
    return False


def _possessive(column: str) -> str:
    return "sein" if column in ("m", "n") else "ihr"


def _may_possess(tokens: Tokens, place: int, old: Agreement) -> bool:
    """Return whether a possessive may refer to this noun of the clause, too; to "Syrien" it does not."""
    noun = tokens[place].text
    plural = german.is_plural(noun)
    if not tokens[place].is_noun or (read_phrase(tokens, place).determiner is None and not plural):
        return False
    column = "pl" if plural else german.gender(noun)
    return column is None or _possessive(column) == _possessive(old.column)


def check_dative(tokens: Tokens, phrase: NounPhrase, old: Agreement, new: Agreement) -> None:
    """Refuse "ihr" before a noun where it may be a dative pronoun: "wird ihr Rassismus vorgeworfen"."""
    if phrase.determiner is None or tokens[phrase.determiner].low != "ihr" or old.column == new.column:
        return
    if takes(tokens, phrase.head, closed.DATIVE_VERBS):
        raise NeedsReviewError("dative-pronoun", '"ihr" may be a possessive or a pronoun in the dative')


def check_relative(tokens: Tokens, phrase: NounPhrase, base: Word, old: Agreement, new: Agreement) -> None:
    """Refuse what may be a relative pronoun before a noun: "ein Zuschlag, der Armut verhindert"."""
    if phrase.determiner is None or old.column == new.column or not is_abstract(base):
        return
    if clause_at(tokens, phrase.head).opener == phrase.determiner:
        raise NeedsReviewError("relative-or-article", f'"{tokens[phrase.determiner].text}" may be relative')


def check_text(tokens: Tokens, last: int) -> None:
    """Refuse a word with a second form after a stroke ("Schritt/e")."""
    after = tokens[last + 1 : last + 3]
    stroke = len(after) == 2 and after[0].text == "/" and after[1].text[0].islower()
    if stroke and tokens[last].end == after[0].start and after[0].end == after[1].start:
        raise NeedsReviewError("token", f'"{tokens[last].text}" goes on after the word')


def is_abstract(word: Word) -> bool:
    """Return whether a noun names what is not counted first of all."""
    return word.plural is None or (word.head or "").endswith(closed.ABSTRACT)


def is_person(word: Word) -> bool:
    """Return whether a noun names persons: of the weak or adjectival declension, or an agent in "-er"."""
    agent = word.gender == "m" and (word.singular or "").endswith(("er", "ling"))
    return word.declension in ("weak", "adjectival") or agent
