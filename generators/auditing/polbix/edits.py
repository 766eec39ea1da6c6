"""What changed between the two claims of a row, and whether it belongs to the exchanged phrase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from polbias.generators.sources.polbix.german import (
    is_determiner,
    is_function_word,
    is_subjunctive,
    letters,
    preposition,
    same_spelled_otherwise,
    same_word,
    turned_round,
    verb_number,
)
from polbias.generators.sources.polbix.sides import ADJECTIVE_ENDINGS, Place, Side, Span

EditKind = Literal["phrase", "agreement", "punctuation", "spelling", "mood", "function", "content"]
OUTSIDE: frozenset[EditKind] = frozenset({"spelling", "mood", "function", "content"})
"""Edits of words that the exchange of one word does not need."""
_RELATIVE = frozenset(("der", "die", "das", "dem", "den", "des", "dessen", "deren", "denen"))
_PERSONAL = frozenset(("er", "sie", "es", "ihn", "ihm", "ihr", "ihnen"))
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
    """Compare the two claims of a row.

    Args:
        base: the base claim.
        exchange: the exchange claim.
        base_spans: where in it the word stands that is exchanged, as offsets of whole tokens; none if it does
            not.
        exchange_spans: the same of the exchange claim.
        other_agreement: whether the two phrases can differ in number or gender, so that verbs and pronouns
            have to change with them.

    Returns:
        All changes but that of the word itself, those at one place before those of words that moved.
    """
    sides = Side(base, base_spans), Side(exchange, exchange_spans)
    found: list[Edit] = []
    removed: list[Place] = []
    added: list[Place] = []
    for tag, *bounds in SequenceMatcher(None, sides[0].keys, sides[1].keys, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, new = sides[0].places(*bounds[:2]), sides[1].places(*bounds[2:])
        found += _marks(gone, new)
        gone, new = ([each for each in side if each.token.kind != "mark"] for side in (gone, new))
        for side, other, span, places in ((0, 1, bounds[:2], new), (1, 0, bounds[2:], gone)):
            if sides[side].cores > sides[other].cores and sides[side].has_core(*span):
                # Take off the noun that stands where the other claim has the exchanged word.
                noun = next((each for each in places if each.token.is_noun), None)
                if noun:
                    places.remove(noun)
        found += _paired(gone, new, other_agreement)
        removed += gone
        added += new
    found += _moved(removed, added)
    cores = letters(sides[0].core), letters(sides[1].core)
    found += (Edit(kind, word, "") for kind, word in _only(removed, added, cores[1]))
    found += (Edit(kind, "", word) for kind, word in _only(added, removed, cores[0]))
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
    if is_determiner(first.lower()) or is_determiner(second.lower()):
        return first.lower() == second.lower()
    return same_word(first, second) or same_spelled_otherwise(first, second)


def _agreeing(one: Place, two: Place) -> bool:
    """Return whether two words are forms of one pronoun or determiner."""
    first, second = one.token.low, two.token.low
    if {first, second} <= _RELATIVE or ({first, second} <= _PERSONAL and one.after and two.after):
        return True
    if not (is_determiner(first) and is_determiner(second)):
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
    return (
        same_word(first, second) and first.endswith(ADJECTIVE_ENDINGS) and second.endswith(ADJECTIVE_ENDINGS)
    )


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
    if any(each.inside and is_determiner(each.token.low) for each in others):
        governing.add("von")  # a genitive says the same
    compounds = [letters(each.token.text) for each in others]
    for each in places:
        word, part = each.token.text, letters(each.token.text)
        held = preposition(word)
        if each.inside and (is_determiner(word.lower()) or held):
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
