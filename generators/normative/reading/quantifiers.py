"""Quantified and coordinated noun phrases, and disjunctions of verb phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    BE,
    CLOSED,
    DETERMINERS,
    DO,
    GENERIC_NOUNS,
    HAVE,
    INDEFINITE_PEOPLE,
    OBJECT_PRONOUNS,
    OR_IDIOMS,
    PREPOSITIONS,
    RELATIVES,
    STATES,
    SUBJECT_PRONOUNS,
    UNIVERSAL,
    UNIVERSAL_PEOPLE,
    Words,
    first_index,
    gerund_bases,
    is_participle,
    is_plural,
    is_verb,
    last_index,
    past_bases,
    possessive,
    singular,
    third_bases,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    Alternatives,
    ClauseNode,
    Node,
    canonical_words,
    clauses,
    map_clauses,
)
from polbias.generators.normative.reading.verbs import ClauseWords, compare, head_at

# Disjunctions of verb phrases, with the ellipsis of later disjuncts resolved.

_POSSESSIVES = word_set("third_possessives")
_SUBORDINATE = word_set("subordinate")


def disjuncts(phrase: Words) -> tuple[Alternatives, ...]:
    """Split a verb phrase at "or" into disjuncts, each with its alternative phrases."""
    if "or" not in phrase:
        return ((phrase,),)
    parts = _parts(phrase)
    if len(parts) < 2:
        return ((phrase,),)
    first = parts[0]
    later_disjuncts = tuple(_fill_ellipsis(first, part) for part in parts[1:])
    tail = parts[-1]
    # "eat or drink in class": the adverbial after the last disjunct can modify all disjuncts.
    shared = tuple(first + tail[start:] for start in range(1, len(tail)) if tail[start] in PREPOSITIONS)
    return ((first, *shared), *later_disjuncts)


def _parts(phrase: Words) -> list[Words]:
    or_index = phrase.index("or")
    following = phrase[or_index + 1 : or_index + 2]
    if not following or following[0] in OR_IDIOMS or or_index < 1 or _SUBORDINATE & set(phrase[:or_index]):
        return [phrase]
    parts: list[Words] = []
    start = 0
    for index, word in enumerate(phrase):
        if word == "or" or (word == "," and "or" in phrase[index:]):
            if index > start:
                parts.append(phrase[start:index])
            start = index + 1
    parts.append(phrase[start:])
    if parts[0][0] == "either":
        parts[0] = parts[0][1:]
    elif "either" in parts[0]:
        parts[0] = tuple(word for word in parts[0] if word != "either")
    return [part for part in parts if part]


def _fill_ellipsis(first: Words, fragment: Words) -> Alternatives:
    """Return the verb phrases that a later disjunct can mean, the likeliest first."""
    if fragment[0] == "to":
        fragment = fragment[1:] or fragment
    if fragment[0] in first[1:] and fragment[0] not in DETERMINERS:
        # "in box A or box B"
        return (first[: first.index(fragment[0], 1)] + fragment, fragment)
    if len(fragment) == 1 and fragment[0] in STATES and first[-1] in STATES:
        # "paint the fence green or blue"
        return (first[:-1] + fragment, fragment)
    as_verb = _with_possessor(first, _with_object(first, fragment))
    as_object = _object_prefix(first, fragment) + fragment
    if _begins_with_verb(first, fragment):
        after_to = _after_infinitive(first, fragment)
        if after_to:
            return (after_to, as_verb, as_object)
        # "drink milk or water"
        bare_object = len(fragment) == 1 and len(first) == 2 and first[0] != "be"
        if not bare_object or first[1] in DETERMINERS:
            return (as_verb, as_object)
    return (as_object, as_verb)


def _begins_with_verb(first: Words, fragment: Words) -> bool:
    """Whether a later disjunct can be a full verb phrase."""
    if fragment[0] in DETERMINERS or fragment[0] in PREPOSITIONS:
        return False
    # An unknown word before an object, or parallel to a lone verb, is a verb.
    following = fragment[1:2]
    return bool(
        is_verb(fragment[0])
        or (following and (following[0] in DETERMINERS or following[0] in OBJECT_PRONOUNS))
        or (len(first) == 1 and len(fragment) == 1)
    )


def _with_possessor(first: Words, fragment: Words) -> Words:
    """Return "break the law's rules" for "break its rules" after "follow the law"."""
    index = first_index(fragment, _POSSESSIVES)
    if not index or index + 1 >= len(fragment):
        return fragment
    start = last_index(first, DETERMINERS)
    if not start:
        return fragment
    end = next((i + 1 for i in range(start, len(first)) if first[i].endswith(("'s", "s'"))), len(first))
    possessor = first[start:end]
    possessor = ("the", *possessor[1:]) if possessor[0] in ("a", "an") else possessor
    if not possessor[-1].endswith(("'s", "s'")):
        possessor = (*possessor[:-1], possessive(possessor[-1]))
    return fragment[:index] + possessor + fragment[index + 1 :]


def _after_infinitive(first: Words, fragment: Words) -> Words:
    """Return "learn to dance" for "learn to sing" and "dance"."""
    if first[-2:-1] == ("to",) and len(fragment) == 1 and is_verb(first[-1]):
        return first[:-1] + fragment
    return ()


def object_of(phrase: Words) -> Words:
    """Return the last noun phrase of a verb phrase, the antecedent of a later pronoun."""
    start, end = _object_start(phrase), len(phrase)
    while end > start + 1 and phrase[end - 1] in ADVERBS:
        end -= 1
    return phrase[start:end]


def _object_start(phrase: Words) -> int:
    return first_index(phrase, DETERMINERS | {"what"}) or first_index(phrase[:-1], PREPOSITIONS) + 1


def _with_object(first: Words, fragment: Words) -> Words:
    index, object_words = first_index(fragment, OBJECT_PRONOUNS), object_of(first)
    if not index or not object_words or object_words == first:
        return fragment
    return fragment[:index] + object_words + fragment[index + 1 :]


def _object_prefix(first: Words, fragment: Words) -> Words:
    """Return the part of the first disjunct before the constituent that a fragment replaces."""
    if fragment[0] in PREPOSITIONS:
        return first[: last_index(first, fragment[:1]) or last_index(first, PREPOSITIONS) or len(first)]
    return first[: last_index(first, DETERMINERS) or last_index(first[:-1], PREPOSITIONS) + 1]


# Subjects: a quantified subject becomes a quantifier and a class; other subjects are unchanged.


def split_quantifier(subject: Words) -> tuple[str, Words]:
    """Split a noun phrase into its quantifier, or ``""``, and the class."""
    if not subject or subject[0] not in UNIVERSAL:
        if subject[:1] == ("those",) and subject[1:2] in (("who",), ("that",), ("which",), ("with",)):
            return "all", subject
        if subject[:2] == ("none", "of"):
            return "no", subject[2:]
        if subject[:1] == ("both",) and "and" in subject[2:-1]:
            are_plural = is_plural(subject[subject.index("and", 2) - 1]) and is_plural(subject[-1])
            return ("all", subject[1:]) if are_plural else ("", subject)
        return "", subject
    first, noun_phrase = subject[0], subject[1:]
    quantifier = UNIVERSAL[first]
    if first == "whoever" and noun_phrase:
        return quantifier, ("anyone", "who", *noun_phrase)
    if first in UNIVERSAL_PEOPLE:
        return quantifier, subject
    if noun_phrase[:1] == ("one",) and first in ("no", "any", "every"):
        return quantifier, ("anyone", *noun_phrase[1:])
    if not noun_phrase:
        return "", subject
    if noun_phrase[:1] == ("of",):
        noun_phrase = noun_phrase[1:]
    if noun_phrase[:1] == ("the",):
        noun_phrase = noun_phrase[1:]
    if not noun_phrase:
        return "", subject
    if noun_phrase[:1] in (("who",), ("that",)):
        noun_phrase = ("those", *noun_phrase)
    return quantifier, noun_phrase


def make_clause(
    subject: Words, phrase: Words, tense: str = "", number: str = "", unmarked: bool = False
) -> ClauseNode:
    """Return a clause, with its quantifier and its disjuncts split off."""
    quantifier, noun_phrase = split_quantifier(subject)
    return ClauseNode(noun_phrase, disjuncts(phrase), tense, number, quantifier, unmarked=unmarked)


# Classes ("employees who meet the criteria"), predicates and individuals in comparable forms.


@dataclass(frozen=True, slots=True)
class NounClass:
    """Class of a noun phrase.

    Attributes:
        name: full phrase, with its head in the singular and the verb of a relative clause in the base form.
        restriction: modifier after the head, as a verb phrase ("who meet the criteria", "with a ticket" ->
            "have a ticket"); empty without one.
        negated: whether the restriction is negated ("who do not smoke", "without a ticket").
        generic: whether the head means no more than "one", so that the restriction defines the class.
        noun: head in the singular.
    """

    name: Words
    restriction: Words
    negated: bool
    generic: bool
    noun: str


@lru_cache(maxsize=1 << 14)
def class_of(words: Words) -> NounClass:
    """Return the class of a noun phrase, singular or plural, without its quantifier."""
    if words and words[0] in ("a", "an", "the") and len(words) > 1:
        words = words[1:]
    head = head_at(words)
    noun, after = singular(words[head]), words[head + 1 :]
    negated, phrase = _restriction(after)
    tail = after
    if phrase and after[0] in RELATIVES:
        tail = (after[0], *(("not",) if negated else ()), *phrase)
    name = canonical_words((*words[:head], noun, *tail))
    if not after and len(words) == 1 and (words[0] in INDEFINITE_PEOPLE or words[0] in UNIVERSAL_PEOPLE):
        name = ("thing",) if words[0].endswith("thing") else ("person",)
    generic = head == 0 and (words[0] in GENERIC_NOUNS or noun in GENERIC_NOUNS) and bool(phrase)
    return NounClass(name, canonical_words(phrase) if phrase else (), negated, generic, noun)


def _restriction(after: Words) -> tuple[bool, Words]:
    """Return whether the modifier after a head is negated, and the modifier as a verb phrase."""
    if len(after) < 2:
        return False, (("be", *after) if after and is_participle(after[0]) else ())
    first = after[0]
    if first in ("with", "without"):
        return first == "without", ("have", *after[1:])
    if first in RELATIVES:
        return _base_form(after[1:]) if after[1] not in SUBJECT_PRONOUNS | DETERMINERS else (False, ())
    if first == "of" or first == "as":
        return False, ()
    if first in PREPOSITIONS or is_participle(first):
        return False, ("be", *after)
    if gerund_bases(first):
        return False, (gerund_bases(first)[0], *after[1:])
    return False, ()


def _base_form(words: Words) -> tuple[bool, Words]:
    """Return whether a finite verb phrase is negated, and the phrase in the base form."""
    first, remainder = words[0], words[1:]
    negated = remainder[:1] == ("not",)
    after = remainder[negated:]
    if first in BE:
        return negated, ("be", *after)
    if first in DO and negated:
        return True, after
    if first in HAVE:
        if after and (is_participle(after[0]) or after[0] in ("been", "had")):
            base = {"been": "be", "had": "have"}.get(after[0]) or past_bases(after[0])[0]
            return negated, (base, *after[1:])
        return negated, ("have", *after)
    if first.endswith("ly") and remainder and not is_verb(first):
        is_negated, phrase = _base_form(remainder)
        return is_negated, (phrase[0], *phrase[1:], first) if phrase else ()
    third = third_bases(first)
    if third and (is_verb(third[0]) or not is_verb(first)):
        return False, (third[0], *remainder)
    past = past_bases(first)
    if past and (first.endswith("ed") or not is_verb(first)):
        return False, (past[0], *remainder)
    return False, words


@lru_cache(maxsize=1 << 14)
def predicate(phrase: Words, foreign: frozenset[str] = frozenset()) -> Words:
    """Return the normal form of a predicate of an individual."""
    if phrase[0] == "be" and len(phrase) > 1:
        nominal = phrase[1:]
        if nominal[0] in ("a", "an") or (_is_bare_plural(nominal)):
            group = class_of(nominal)
            return group.restriction if group.generic and not group.negated else group.name
    return canonical_words(phrase, foreign)


def _is_bare_plural(nominal: Words) -> bool:
    if nominal[0] in CLOSED or nominal[0].endswith("ly") or is_participle(nominal[0]):
        return nominal[0] == "those"
    head = nominal[head_at(nominal)]
    return is_plural(head) and head not in CLOSED and not (len(nominal) > 1 and gerund_bases(nominal[0]))


@lru_cache(maxsize=1 << 14)
def term(subject: Words, singular_kind: bool = True) -> str:
    """Return the name of an individual; `singular_kind`: a noun without determiner becomes singular."""
    if singular_kind and subject[0] not in DETERMINERS:
        head = head_at(subject)
        subject = (*subject[:head], singular(subject[head]), *subject[head + 1 :])
    return " ".join(canonical_words(subject))


# Coordinated classes, and adverbials of a rule that restrict its subject.

_JOINING = word_set("joining")
_BEFORE_CLASSES = word_set("before_classes")
_WHEN = word_set("when")


def quantified_classes(clause: ClauseNode, flat: Sequence[ClauseNode]) -> tuple[tuple[ClauseWords, ...], ...]:
    """Return the classes of a quantified subject; several only if another clause has one of them."""
    group = class_of(clause.subject)
    full_class = ClauseWords((), group.restriction if group.generic else group.name, plural=True)
    if not {"and", "or"} & set(clause.subject):
        return ((full_class,),)
    parts: list[tuple[ClauseWords, ...]] = [
        (ClauseWords((), class_of(part).name, plural=True),) for part in _split_classes(clause.subject)
    ]
    if not parts and group.generic and not group.negated and "or" in group.restriction:
        parts = [
            tuple(ClauseWords((), predicate(phrase), plural=True) for phrase in alternatives)
            for alternatives in disjuncts(group.restriction)
        ]
    other_predicates = [
        ClauseWords((), predicate(phrase))
        for other_clause in flat
        if other_clause is not clause
        for alternatives in other_clause.predicates
        for phrase in alternatives
    ]
    if len(parts) > 1 and any(
        compare(class_words, predicate_words)
        for part in parts
        for class_words in part
        for predicate_words in other_predicates
    ):
        return tuple(parts)
    return ((full_class,),)


def _split_classes(subject: Words) -> list[Words]:
    """Return the coordinated noun phrases of a noun phrase; a modifier after the last one modifies all."""
    closing = RELATIVES | (PREPOSITIONS - _JOINING)
    end = first_index(subject, closing) or len(subject)
    parts: list[Words] = [()]
    for word in subject[:end]:
        if word in _JOINING:
            parts.append(())
        elif parts[-1] or not (word in UNIVERSAL or word in _BEFORE_CLASSES):
            parts[-1] = (*parts[-1], word)
    parts = [part for part in parts if part]
    # "first-year and second-year students" are two classes; "black and white cats" are one.
    if len(parts) > 1 and len(parts[-1]) > 1 and all(part[-1].count("-") for part in parts[:-1]):
        parts = [*((*part, parts[-1][-1]) for part in parts[:-1]), parts[-1]]
    are_plural = [is_plural(part[-1]) for part in parts]
    if len(parts) < 2 or (any(are_plural) and not all(are_plural[:-1])):
        return []
    return [part + subject[end:] for part in parts]


def attach_adverbials(nodes: Sequence[Node]) -> list[Node] | None:
    """Return the sentences with an adverbial of a universal rule moved to its subject; None if none fits."""
    individual_predicates = [
        clause.predicate for node in nodes for clause in clauses(node) if not clause.quantifier
    ]
    copular_phrases = [phrase for phrase in individual_predicates if phrase[0] == "be"]

    def matches_individual(phrase: Words) -> bool:
        rule_predicate = ClauseWords((), predicate(phrase), plural=True)
        return any(
            compare(rule_predicate, ClauseWords((), predicate(individual_predicate))) == "same"
            for individual_predicate in individual_predicates
        )

    def attach(clause: ClauseNode) -> ClauseNode:
        phrase = clause.predicate
        for index in range(1, len(phrase) - 1) if clause.quantifier and len(clause.predicates) == 1 else ():
            tail = phrase[index + (phrase[index] in _WHEN) :]
            is_stated = tail[0] in PREPOSITIONS - _WHEN and any(
                copular_phrase[-len(tail) :] == tail for copular_phrase in copular_phrases
            )
            if is_stated and matches_individual(phrase[:index]):
                return replace(
                    clause, subject=(*clause.subject, *tail), predicates=((phrase[:index],),), splits=()
                )
        return clause

    attached = [map_clauses(node, attach) for node in nodes]
    return None if attached == list(nodes) else attached
