"""What changed between two claims, and whether German grammar holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from polbias.generators.auditing.polbix.occurrences import (
    PERSONAL,
    RELATIVES,
    VAGUE,
    Span,
    is_function_word,
    is_subjunctive,
    letters,
    preposition,
    same_spelled_otherwise,
    same_word,
    turned_round,
    verb_number,
)
from polbias.generators.xphemism.substitution.case_evidence import fitting, government, phrase_at
from polbias.generators.xphemism.substitution.words import (
    DETERMINER_FORMS,
    FINITE,
    FINITE_PLURAL,
    Token,
    Tokens,
    tokenise,
)
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Reading

# One claim of a row as tokens: the exchanged word, the phrase around it, and the rest.

CORE = "\0"
"""What stands for the exchanged word among the keys."""
_PASSED = frozenset("#-'\"„“”‚‘’»«()")


@dataclass(frozen=True, slots=True)
class Place:
    """A token with what the comparison needs to know of its surroundings.

    Attributes:
        token: the token.
        inside: whether it is the article, an adjective or the preposition of the exchanged phrase.
        article: whether adjectives (or none) and then a noun follow that is not the exchanged one.
        after: whether the exchanged word comes before it.
    """

    token: Token
    inside: bool
    article: bool
    after: bool


def _side(text: str, spans: Sequence[Span]) -> tuple[list[Place | None], str]:
    """Return the places of a claim, None for the exchanged word, and that word's letters everywhere."""
    tokens = tokenise(text)
    core = [any(start < each.end and each.start < end for start, end in spans) for each in tokens]
    opens = [index for index, own in enumerate(core) if own and not (index and core[index - 1])]
    inside = {place for index in opens for place in _attributes(tokens, index)}
    places = [
        None
        if core[index]
        else Place(token, index in inside, _is_article(tokens, core, index), any(core[:index]))
        for index, token in enumerate(tokens)
        if not core[index] or index in opens
    ]
    return places, letters("".join(token.text for token, own in zip(tokens, core, strict=True) if own))


def _attributes(tokens: Tokens, head: int) -> Iterator[int]:
    """Yield the places of what belongs to a phrase to the left of its noun."""
    article = False
    for index in range(head - 1, -1, -1):
        token = tokens[index]
        if preposition(token.low):
            yield index
            return
        attribute = token.kind == "number" or token.text in _PASSED or _attribute(token)
        if article or not (token.low in DETERMINER_FORMS or attribute):
            return
        article = token.low in DETERMINER_FORMS
        yield index


def _is_article(tokens: Tokens, core: Sequence[bool], index: int) -> bool:
    if index and tokens[index - 1].text == "," and tokens[index].low in DETERMINER_FORMS:
        return False  # a relative pronoun
    for token, own in zip(tokens[index + 1 :], core[index + 1 :], strict=True):
        if token.is_noun:
            return not own
        if not (_attribute(token) and token.low.endswith(ENDINGS)):
            return False
    return False


def _attribute(token: Token) -> bool:
    """Return whether a word can be an adjective, or an adverb before one; "EU-weite" is one too."""
    last = token.text.rpartition("-")[2]
    return token.kind == "word" and last[:1].islower() and not is_function_word(token.low)


# What changed between the two claims of a row, and whether it belongs to the exchanged phrase.

EditKind = Literal["phrase", "agreement", "punctuation", "spelling", "mood", "function", "content"]
OUTSIDE: frozenset[EditKind] = frozenset({"spelling", "mood", "function", "content"})
"""Edits of words that the exchange of one word does not need."""
_POSSESSIVE = ("sein", "ihr")
_PART = 4
"""Letters from which a word counts as a part of another one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change.

    Attributes:
        kind: "phrase" within the exchanged noun phrase (the word, its article and adjectives), "agreement" a
            verb or pronoun that agrees with it, "punctuation" marks only, "spelling" the same word written
            otherwise, "mood" indicative against subjunctive, "function" a word without content, another form
            or another place of a word, "content" a word with content that only one of the claims has.
        removed: what only the base claim has, "" if nothing.
        added: what only the exchange claim has, "" if nothing.
    """

    kind: EditKind
    removed: str
    added: str


def edits(
    base: str,
    exchange: str,
    base_spans: Sequence[Span],
    exchange_spans: Sequence[Span],
    other_agreement: bool = True,
) -> tuple[Edit, ...]:
    """Compare the two claims of a row."""
    (before, base_core), (after, exchange_core) = _side(base, base_spans), _side(exchange, exchange_spans)
    sides = before, after
    keys = [[each.token.text if each else CORE for each in side] for side in sides]
    found: list[Edit] = []
    removed: list[Place] = []
    added: list[Place] = []
    for tag, *bounds in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        parts = sides[0][bounds[0] : bounds[1]], sides[1][bounds[2] : bounds[3]]
        gone, new = ([each for each in part if each] for part in parts)
        found += _marks(gone, new)
        gone, new = ([each for each in side if each.token.kind != "mark"] for side in (gone, new))
        for side, places in ((0, new), (1, gone)):
            if keys[side].count(CORE) > keys[1 - side].count(CORE) and None in parts[side]:
                # Take off the noun that stands where the other claim has the exchanged word.
                noun = next((each for each in places if each.token.is_noun), None)
                if noun:
                    places.remove(noun)
        found += _paired(gone, new, other_agreement)
        removed += gone
        added += new
    found += _moved(removed, added)
    found += (Edit(kind, word, "") for kind, word in _only(removed, added, exchange_core))
    found += (Edit(kind, "", word) for kind, word in _only(added, removed, base_core))
    return tuple(found)


def _marks(gone: Sequence[Place], new: Sequence[Place]) -> Iterator[Edit]:
    before, after = (
        " ".join(each.token.text for each in side if each.token.kind == "mark") for side in (gone, new)
    )
    if before != after:
        yield Edit("punctuation", before, after)


def _paired(gone: list[Place], new: list[Place], other_agreement: bool) -> Iterator[Edit]:
    """Yield the changes from one word to another at the same place, and take them off the lists."""
    before, after = (" ".join(each.token.text for each in side) for side in (gone, new))
    if before and letters(before) == letters(after):
        kind: EditKind = "function" if _only_case(gone, new) else "spelling"
        gone.clear()
        new.clear()
        yield Edit(kind, before, after)
        return
    for related in (_same, _agreeing):
        for one in tuple(gone):
            two = next((each for each in new if related(one, each)), None)
            if two:
                gone.remove(one)
                new.remove(two)
                yield Edit(_kind(one, two, other_agreement), one.token.text, two.token.text)


def _only_case(gone: Sequence[Place], new: Sequence[Place]) -> bool:
    """Return whether a word has a capital in one claim only because it opens the sentence there."""
    return len(gone) == len(new) == 1 and gone[0].token.opens != new[0].token.opens


def _same(one: Place, two: Place) -> bool:
    first, second = one.token.text, two.token.text
    if first.lower() in DETERMINER_FORMS or second.lower() in DETERMINER_FORMS:
        return first.lower() == second.lower()
    return same_word(first, second) or same_spelled_otherwise(first, second)


def _agreeing(one: Place, two: Place) -> bool:
    """Return whether two words are forms of one pronoun or determiner."""
    first, second = one.token.low, two.token.low
    if {first, second} <= RELATIVES or ({first, second} <= PERSONAL and one.after and two.after):
        return True
    if not {first, second} <= DETERMINER_FORMS.keys():
        return False
    return (first.startswith(_POSSESSIVE) and second.startswith(_POSSESSIVE)) or same_word(first, second)


def _kind(one: Place, two: Place, other_agreement: bool) -> EditKind:
    first, second = one.token.text, two.token.text
    if one.inside and two.inside and (_agreeing(one, two) or _adjectives(first, second)):
        return "phrase"
    if first.lower() == second.lower():
        return "function" if one.token.opens != two.token.opens else "spelling"
    if _agreeing(one, two):
        own_noun = (one.article or two.article) and not one.token.low.startswith(_POSSESSIVE)
        return "agreement" if other_agreement and not own_noun else "function"
    if same_word(first, second):
        if _other_mood(first, second):
            return "mood"
        numbers = {verb_number(first), verb_number(second)}
        attribute = one.article and not (
            first.endswith("t") or second.endswith("t") or is_function_word(first)
        )
        attribute = attribute or first[0].isupper() or second[0].isupper()
        return "agreement" if other_agreement and numbers == {"sg", "pl"} and not attribute else "function"
    return "spelling"


def _adjectives(first: str, second: str) -> bool:
    return same_word(first, second) and first.endswith(ENDINGS) and second.endswith(ENDINGS)


def _other_mood(first: str, second: str) -> bool:
    return is_subjunctive(first, second) != is_subjunctive(second, first)


def _moved(removed: list[Place], added: list[Place]) -> Iterator[Edit]:
    """Yield the words that stand at another place in the other claim, and take them off the lists."""
    for one in tuple(removed):
        two = next((each for each in added if each.token.low == one.token.low), None) or next(
            (each for each in added if same_word(one.token.text, each.token.text)), None
        )
        if two and not (one.inside and two.inside):
            removed.remove(one)
            added.remove(two)
            first, second = one.token.text, two.token.text
            yield Edit("mood" if _other_mood(first, second) else "function", first, second)


def _only(places: Sequence[Place], others: Sequence[Place], core: str) -> Iterator[tuple[EditKind, str]]:
    """Yield what only one claim has; a part of a compound of the other is no content of its own."""
    governing = {preposition(each.token.low) for each in others if each.inside}
    if any(each.inside and each.token.low in DETERMINER_FORMS for each in others):
        governing.add("von")  # a genitive says the same
    compounds = [letters(each.token.text) for each in others]
    for each in places:
        word, part = each.token.text, letters(each.token.text)
        held = preposition(word)
        if each.inside and (word.lower() in DETERMINER_FORMS or held):
            yield ("phrase" if held is None or held in governing else "function"), word
        elif len(part) >= _PART - 1 and part in core:
            yield "phrase", word
        elif is_function_word(word) or any(_part_of(part, other) for other in compounds):
            yield "function", word
        else:
            yield "content", word


def _part_of(one: str, other: str) -> bool:
    """Return whether one of two words is a member of the other."""
    long_enough = min(len(one), len(other)) >= _PART
    return long_enough and (one in other or other in one) and not turned_round(one, other)


# Whether the article, the adjectives and the verb of a noun phrase agree with its noun.


def agrees(text: str, start: int, end: int, readings: Sequence[Reading]) -> bool:
    """Return whether a noun can stand where it stands.

    The article (or a preposition alone), the adjectives between it and the noun, and a finite verb directly
    after a phrase that opens the sentence are looked at.
    """
    tokens = tokenise(text)
    first = next((index for index, each in enumerate(tokens) if each.end > start), 0)
    following = next((index for index, each in enumerate(tokens) if each.start >= end), len(tokens))
    phrase = phrase_at(tokens, first, readings)
    article, before = phrase.determiner, phrase.preposition
    if article and tokens[article].low in RELATIVES and tokens[article - 1].text == ",":
        return True
    left = fitting(tokens, phrase, readings)
    governed = (
        () if before is None or tokens[before].low in VAGUE else government(tokens, phrase, following - 1)
    )
    determined = phrase.determined_by(tokens) is not None
    if governed:
        left = [each for each in left if each.case in governed or ("gen" in governed and not determined)]
    if not left:
        return not (determined or governed)
    verb = _verb_at(tokens, following) if tokens[phrase.first].opens and before is None else None
    subjects = {each.number for each in left if each.case == "nom"}
    return verb is None or not subjects or verb_number(verb) in subjects


def _verb_at(tokens: Tokens, place: int) -> str | None:
    """Return the finite verb that stands at a place."""
    token = tokens[place] if place < len(tokens) else None
    if token is None or token.kind != "word":
        return None
    sure = token.low in FINITE or token.low in FINITE_PLURAL
    regular = token.text[0].islower() and token.low.endswith("t") and not is_function_word(token.low)
    return token.low if sure or (regular and verb_number(token.text)) else None
