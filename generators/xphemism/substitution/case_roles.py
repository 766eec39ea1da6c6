"""Subject or accusative object, and checks that send a claim to manual review."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as word_classes
from polbias.generators.xphemism.substitution.clause import (
    ClaimClause,
    clause_at,
    contains_verb,
    finite_number,
)
from polbias.generators.xphemism.substitution.edits import NeedsReviewError, Span, token_change
from polbias.generators.xphemism.substitution.phrase import NounPhrase, read_phrase
from polbias.generators.xphemism.substitution.words import Agreement, Tokens
from polbias.generators.xphemism.vocabulary.lexicon import Word
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Case, Number

# Role of a noun phrase in its clause: subject or accusative object.

Role = Literal["nom", "acc"]
_FUNCTION_WORDS = frozenset(word_classes.PREPOSITIONS).union(
    german.CLOSED,
    german.SUBORDINATORS,
    german.MAYBE_SUBORDINATORS,
    word_classes.CONJUNCTIONS,
    word_classes.CLAUSE_CONJUNCTIONS,
)
# A superlative without a noun.
_PREDICATE = re.compile(r"[a-zäöüß]+sten?(?! (?:\w+e[mnrs]? )?[A-ZÄÖÜ])\b")
_PLURALS = ("ungen", "heiten", "keiten", "schaften", "ionen", "täten", "innen")


@dataclass(frozen=True, slots=True)
class GovernedPhrase:
    """A noun phrase or pronoun that the verb of the clause governs.

    Attributes:
        noun_index: index of its noun.
        first: index of its first token.
        nominative: "yes" if it is nominative, "no" if it is not, "maybe" if its form is ambiguous.
    """

    noun_index: int
    first: int
    nominative: Literal["yes", "no", "maybe"]


def role_of(
    tokens: Tokens, phrase: NounPhrase, last: int, number: Number | None, coordinated: bool
) -> Role | None:
    """Return the case of a nominative or accusative phrase by its role, None if no rule decides."""
    previous_word = tokens[phrase.first - 1].low if phrase.first else ""
    if previous_word in ("statt", "anstatt"):
        return None
    clause = clause_at(tokens, phrase.head)
    if clause.kind == "zu":
        return "acc"
    if clause.kind == "verbless" or clause.finite is None:
        return None
    is_comparison = previous_word in ("als", "wie") and clause.opener != phrase.first - 1
    if is_comparison and not _has_copula(tokens, clause):
        return None
    verb = tokens[clause.finite].low
    if number and not coordinated and finite_number(verb) != number:
        return None if _has_copula(tokens, clause) else "acc"
    if _is_impersonal(tokens, clause) or _has_subject_clause(tokens, clause):
        return "acc"
    arguments = tuple(_find_arguments(tokens, clause, phrase, last))
    if _has_copula(tokens, clause) or _is_passive(tokens, clause):
        return "nom"
    if any(argument.nominative == "yes" for argument in arguments):
        return "acc"
    # Verbs that never take an accusative.
    if not word_classes.INTRANSITIVE.isdisjoint(clause.verbs(tokens)):
        return "nom"
    if clause.kind == "final":
        return _role_in_verb_final(tokens, clause, phrase, arguments)
    return _role_in_verb_second(tokens, clause, phrase, arguments, number, coordinated)


def _role_in_verb_final(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, arguments: tuple[GovernedPhrase, ...]
) -> Role | None:
    has_subject_before = any(
        argument.noun_index < phrase.first and argument.nominative != "no" for argument in arguments
    )
    opener = tokens[clause.opener].low if clause.opener is not None else ""
    if has_subject_before or opener == "um":
        return "acc"
    if opener in german.RELATIVES and clause.opener == clause.token_indices[0]:
        if opener in ("der", "wer"):
            return "acc"
        if opener in ("den", "dem", "dessen", "deren", "denen", "wen", "wo", "welchen", "welchem"):
            return "nom"
        return "nom" if arguments or opener == "was" else None
    return "nom"


_POSSESSIVES = frozenset(("sein", "ihr", "seine", "ihre"))


def _role_in_verb_second(
    tokens: Tokens,
    clause: ClaimClause,
    phrase: NounPhrase,
    arguments: tuple[GovernedPhrase, ...],
    number: Number | None,
    coordinated: bool,
) -> Role | None:
    assert clause.finite is not None
    verb_number = finite_number(tokens[clause.finite].low)
    candidates = [argument for argument in arguments if argument.nominative != "no"]
    if phrase.head < clause.finite:
        if _is_fronted_object(tokens, clause, phrase, arguments):
            return "acc"
        return None if any(argument.noun_index < phrase.first for argument in candidates) else "nom"
    previous = tokens[clause.finite - 1]
    if phrase.determiner is not None and tokens[phrase.determiner].low in _POSSESSIVES and previous.is_noun:
        return "acc"  # "Polen will sein Kraftwerk bauen": "sein" refers to the subject
    front = [argument for argument in candidates if argument.noun_index < clause.finite]
    if front and not (len(front) == 1 and _disagrees(tokens, front[0], clause.finite)):
        # "Lehrer kostet die Abgabe ...": "Lehrer" is the subject only if a headline drops its article.
        lacks_article = front[0].first == front[0].noun_index and verb_number == "sg"
        return None if lacks_article and german.is_person(tokens[front[0].noun_index].text) else "acc"
    has_subject_between = any(clause.finite < argument.noun_index < phrase.first for argument in candidates)
    return (
        "acc"
        if has_subject_between
        else "nom"
        if verb_number == number or coordinated or number is None
        else "acc"
    )


def _is_fronted_object(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, arguments: tuple[GovernedPhrase, ...]
) -> bool:
    """Whether the phrase before the verb is the object: "Das Rauchen untersagte Bayern"."""
    assert clause.finite is not None
    later_arguments = [
        argument
        for argument in arguments
        if argument.noun_index > clause.finite and argument.nominative != "no"
    ]
    if not later_arguments or german.is_person(tokens[phrase.head].text) or phrase.preposition is not None:
        return False
    words = [tokens[index].low for index in clause.token_indices if tokens[index].text[0].islower()]
    verbs = clause.verbs(tokens)
    is_decree = not word_classes.DECREEING.isdisjoint([*verbs, *(words[-1] + verb for verb in verbs)])
    return is_decree and not tokens[phrase.head].low.endswith(word_classes.AUTHORITIES)


def _disagrees(tokens: Tokens, argument: GovernedPhrase, finite: int) -> bool:
    """Whether the phrase is a plural before a singular verb, so no subject: "Waffenlieferungen plant ..."."""
    indices = range(argument.first, finite)
    if any(tokens[index].low in word_classes.CONJUNCTIONS or tokens[index].text == "," for index in indices):
        return False
    noun = tokens[argument.noun_index].text
    # Names like "Schröder" look like a plural, but have no plural ending.
    is_plural = german.lemma(noun).lower() != noun.lower() or noun.endswith(_PLURALS)
    return is_plural and german.is_plural(noun) is True and finite_number(tokens[finite].low) == "sg"


def _has_copula(tokens: Tokens, clause: ClaimClause) -> bool:
    """Whether the clause has a copula, so that both noun phrases are nominative: "ist", "bleibt", "heißt"."""
    assert clause.finite is not None
    lemma = german.verb_lemma(tokens[clause.finite].low)
    last_words = [tokens[index].low for index in clause.token_indices if index > clause.finite]
    if clause.kind == "final":
        last_words = [tokens[index].low for index in clause.token_indices if index < clause.finite][-2:]
    if lemma in word_classes.COPULAS or tokens[clause.finite].low in ("sei", "seien", "wäre", "wären"):
        return True
    if lemma == "werden" or tokens[clause.finite].low in ("wird", "wurde", "werde"):
        return not any(german.is_infinitive(word) for word in last_words)
    return any(word in ("sein", "bleiben", "werden", "geworden", "gewesen") for word in last_words[-2:])


def _is_passive(tokens: Tokens, clause: ClaimClause) -> bool:
    words = clause.words(tokens)
    has_werden = any(word in german.WERDEN or word in ("werde", "worden") for word in words)
    return has_werden and any(german.is_participle(word) for word in words)


def _is_impersonal(tokens: Tokens, clause: ClaimClause) -> bool:
    """Whether the clause is "es gibt ...", which takes an accusative."""
    forms = {"gibt", "gab", "gebe", "gäbe", "geben", "gegeben"}
    return "es" in (words := clause.words(tokens)) and not forms.isdisjoint(words)


def _has_subject_clause(tokens: Tokens, clause: ClaimClause) -> bool:
    """Whether the subject is a separate clause: "Wer früher geht, muss die Kürzung hinnehmen"."""
    first = clause.token_indices[0]
    if clause.finite != first or tokens[first].begins_sentence:
        return False
    sentence_start = next((index for index in range(first, -1, -1) if tokens[index].begins_sentence), 0)
    return tokens[sentence_start].low == "wer" and tokens[first - 1].text == ","


def _nominative_status(tokens: Tokens, phrase: NounPhrase) -> Literal["yes", "no", "maybe"]:
    if phrase.determiner is None:
        return "maybe"
    low = tokens[phrase.determiner].low
    cases: set[Case] = {case for _, case, _ in word_classes.DETERMINER_FORMS[low]}
    if "nom" not in cases:
        return "no"
    if low == "der" or low in ("dieser", "jeder", "jener"):
        return "yes" if german.gender(tokens[phrase.head].text) in ("m", None) else "no"
    return "maybe"


def _find_arguments(
    tokens: Tokens, clause: ClaimClause, phrase: NounPhrase, last: int
) -> Iterator[GovernedPhrase]:
    """Yield the other noun phrases and pronouns that the verb of the clause governs without preposition."""
    phrase_indices = range(phrase.first, last + 1)
    skip_to = -1
    for index in clause.token_indices:
        token = tokens[index]
        if index in phrase_indices or index <= skip_to:
            continue
        if token.low in word_classes.SUBJECT_PRONOUNS:
            yield GovernedPhrase(index, index, "yes")
        elif token.low in ("sie", "es") and clause.finite is not None:
            follows_opener = clause.opener is not None and index == clause.opener + 1
            if follows_opener or abs(index - clause.finite) == 1:
                yield GovernedPhrase(index, index, "yes")
        elif (
            token.is_noun
            and token.low not in word_classes.TIMES
            and not (token.begins_sentence and _is_function_word(token.low))
        ):
            skip_to = index
            while skip_to + 1 < len(tokens) and tokens[skip_to + 1].is_noun:
                skip_to += 1
            if last + 1 == index or skip_to + 1 == phrase.head:
                continue
            argument = read_phrase(tokens, index)
            if clause.finite in argument.attributes:
                # "untersagte Bayern": "untersagte" is the verb, not an attribute.
                argument = NounPhrase(index, (), index)
            if argument.preposition is not None or _is_attribute(tokens, argument):
                continue
            yield GovernedPhrase(index, argument.first, _nominative_status(tokens, argument))


def _is_function_word(low: str) -> bool:
    return low in _FUNCTION_WORDS or german.lemma(low).islower()


def _is_attribute(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Whether a phrase is a genitive after a noun, or coordinated with the words before it."""
    if not phrase.first:
        return False
    previous = tokens[phrase.first - 1]
    if previous.low in word_classes.CONJUNCTIONS:
        return True
    if phrase.determiner is None or not previous.is_noun:
        return previous.is_noun and bool(phrase.attributes)
    return tokens[phrase.determiner].low in german.GENITIVE_ARTICLES


# Checks beyond the rules of agreement: changed number, pronouns elsewhere in the claim.


def check_number(tokens: Tokens, phrase: NounPhrase, determiner: word_classes.Determiner | None) -> None:
    """Check a changed number.

    Raises:
        NeedsReviewError: if the claim counts the noun, or after a contraction (the plural may drop it).
    """
    is_counted = any(tokens[index].low in word_classes.COUNTING for index in phrase.attributes)
    is_counted |= any(tokens[index].kind == "number" for index in range(phrase.first, phrase.head))
    is_counted |= tokens[max(phrase.first - 1, 0)].low.endswith(("illionen", "illiarden"))
    if is_counted or (determiner is not None and determiner.stem in word_classes.NUMBER_MATTERS):
        raise NeedsReviewError("counted", "the exchange word has another number, and the claim counts")
    if phrase.contracted:
        raise NeedsReviewError("number", "after a contraction the plural can stand with and without article")


def possessive_changes(
    tokens: Tokens, phrase: NounPhrase, last: int, old: Agreement, new: Agreement
) -> tuple[Span, ...]:
    """Return the changes of the possessive and personal pronouns that can only refer to the noun.

    Raises:
        NeedsReviewError: if the reference is unclear: a pronoun of another clause ("der Bau stockt, weil
            er ..."), or a superlative as predicate.
    """
    if old.column == new.column:
        return ()
    clause = clause_at(tokens, last)
    clause_indices, is_attribute = clause.token_indices, phrase.preposition is not None or old.case == "gen"
    change = "whose gender or number changes"
    spans: list[Span] = []
    for index in range(last + 1, len(tokens)):
        token, low = tokens[index], tokens[index].low
        rivals = (rival for rival in range(index) if not phrase.first <= rival <= last)
        determiner = word_classes.determiner_of(low)
        if determiner and determiner.stem == _possessive_stem(old.column) != _possessive_stem(new.column):
            if low == "sein" and not _is_before_noun(tokens, index):
                continue  # the verb
            if old.case != "nom":
                if not _has_other_owner(tokens, index, phrase, last, old):
                    raise NeedsReviewError("possessive", f'"{token.text}" may refer to the word, {change}')
                continue
            if index not in clause_indices or any(
                rival in clause_indices and _may_possess(tokens, rival, old) for rival in rivals
            ):
                raise NeedsReviewError("possessive", f'"{token.text}" may refer to the word, {change}')
            form = _possessive_stem(new.column) + low[len(determiner.stem) :]
            spans += token_change(tokens, index, form, "pronoun")
        elif determiner and determiner.stem == "jed" and not _is_before_noun(tokens, index):
            raise NeedsReviewError("pronoun", f'"{token.text}" may refer to the word, {change}')
        elif determiner == word_classes.DEFINITE and _replaces_noun(tokens, index):
            raise NeedsReviewError("pronoun", f'"{token.text}" may stand for the word, {change}')
        elif index in clause_indices:
            next_words = " ".join(following.text for following in tokens[index + 1 : index + 4])
            if low == word_classes.determiner_form(word_classes.DEFINITE, old) and _PREDICATE.match(
                next_words
            ):
                raise NeedsReviewError("predicate", f'"{token.text}" refers to the word, {change}')
        elif low in word_classes.PERSONAL_PRONOUNS[old.column]:
            if low == "es" and contains_verb(tokens, index, word_classes.EXPLETIVE):
                continue
            # "Nach dem Streik der Stadt, weil sie ...": an attribute is not the topic if another noun can be.
            has_rival = any(_may_possess(tokens, candidate, old) for candidate in rivals)
            if (is_attribute and has_rival) or clause.kind == "zu":
                continue
            if has_rival or not _continues_subject(tokens, index, old, new):
                raise NeedsReviewError("pronoun", f'"{token.text}" may refer to the word, {change}')
            spans += token_change(tokens, index, word_classes.NOMINATIVE[new.column], "pronoun")
    return tuple(spans)


def _continues_subject(tokens: Tokens, index: int, old: Agreement, new: Agreement) -> bool:
    """Whether a pronoun begins a main clause with the same subject: "Der Bau stockt, er"."""
    verb = word_classes.next_low(tokens, index)
    begins_clause = tokens[index - 1].text in (",", ";") or tokens[index - 1].low in ("und", "doch", "aber")
    return (
        begins_clause and old.case == "nom" and old.number == new.number and finite_number(verb) == old.number
    )


def _replaces_noun(tokens: Tokens, index: int) -> bool:
    """Whether an article replaces a noun: "wie die in Mali"."""
    next_word = word_classes.next_low(tokens, index)
    precedes_preposition = next_word in word_classes.PREPOSITIONS or next_word in word_classes.CONTRACTIONS
    return precedes_preposition and tokens[index - 1].low in ("wie", "als")


def _is_before_noun(tokens: Tokens, index: int) -> bool:
    """Whether a noun follows, with or without adjectives: "jede dritte Klinik"."""
    for token in tokens[index + 1 :]:
        if token.is_noun or not (token.low.endswith(ENDINGS) or token.kind == "number"):
            return token.is_noun
    return False


def _possessive_stem(column: str) -> str:
    return "sein" if column in ("m", "n") else "ihr"


def _has_other_owner(tokens: Tokens, index: int, phrase: NounPhrase, last: int, old: Agreement) -> bool:
    """Whether a possessive may refer to another word: a pronoun, or a noun that no other gender excludes.

    In "den Krieg und seine Folgen" only a pronoun can be that word.
    """
    others = [*tokens[: phrase.first], *tokens[last + 1 : index], *tokens[index + 2 :]]
    if any(other.low in word_classes.PERSONAL_PRONOUNS[old.column] for other in others):
        return True
    if index == last + 2 and tokens[last + 1].low in word_classes.CONJUNCTIONS:
        return False
    nouns = (other.text for other in others if other.is_noun and other.low not in german.CLOSED)
    columns = ("pl" if german.is_plural(noun) else german.gender(noun) for noun in nouns)
    return any(
        column is None or _possessive_stem(column) == _possessive_stem(old.column) for column in columns
    )


def _may_possess(tokens: Tokens, index: int, old: Agreement) -> bool:
    """Whether a possessive may also refer to this noun; not if it is a bare singular ("Syrien")."""
    noun = tokens[index].text
    is_plural = german.is_plural(noun)
    if not tokens[index].is_noun or (read_phrase(tokens, index).determiner is None and not is_plural):
        return False
    column = "pl" if is_plural else german.gender(noun)
    return column is None or _possessive_stem(column) == _possessive_stem(old.column)


def check_dative(tokens: Tokens, phrase: NounPhrase, old: Agreement, new: Agreement) -> None:
    """Check the determiner "ihr".

    Raises:
        NeedsReviewError: if it may be a dative pronoun: "wird ihr Rassismus vorgeworfen".
    """
    if phrase.determiner is None or tokens[phrase.determiner].low != "ihr" or old.column == new.column:
        return
    if contains_verb(tokens, phrase.head, word_classes.DATIVE_VERBS):
        raise NeedsReviewError("dative-pronoun", '"ihr" may be a possessive or a pronoun in the dative')


def check_relative(tokens: Tokens, phrase: NounPhrase, base: Word, old: Agreement, new: Agreement) -> None:
    """Check the determiner of an abstract noun.

    Raises:
        NeedsReviewError: if it may be a relative pronoun: "ein Zuschlag, der Armut verhindert".
    """
    if phrase.determiner is None or old.column == new.column or not is_abstract(base):
        return
    if clause_at(tokens, phrase.head).opener == phrase.determiner:
        raise NeedsReviewError("relative-or-article", f'"{tokens[phrase.determiner].text}" may be relative')


def check_text(tokens: Tokens, last: int) -> None:
    """Check the text after the word.

    Raises:
        NeedsReviewError: if a second form follows a slash ("Schritt/e").
    """
    following = tokens[last + 1 : last + 3]
    has_stroke = len(following) == 2 and following[0].text == "/" and following[1].text[0].islower()
    if has_stroke and tokens[last].end == following[0].start and following[0].end == following[1].start:
        raise NeedsReviewError("token", f'"{tokens[last].text}" continues after the word')


def is_abstract(word: Word) -> bool:
    """Whether a noun has no plural, or the ending of an abstract noun."""
    return word.plural is None or (word.head or "").endswith(word_classes.ABSTRACT)


def is_person(word: Word) -> bool:
    """Whether a noun names persons: weak or adjectival declension, or a masculine in "-er" or "-ling"."""
    is_agent = word.gender == "m" and (word.singular or "").endswith(("er", "ling"))
    return word.declension in ("weak", "adjectival") or is_agent
