"""Noun phrases under negation: articles, and "some" against "any"."""

from __future__ import annotations

from polbias.generators.authoring.negation.english_verbs import Reader
from polbias.generators.authoring.negation.english_words import (
    closed,
    is_participle,
    is_plural,
    is_verb,
    table,
    words,
)
from polbias.generators.language.english import a
from polbias.generators.language.negation.english_decision import Edit, remove, substitute


def head(reader: Reader, index: int) -> int | None:
    """Return the index of the head noun of the phrase that begins at a word, or None where there is none."""
    last = None
    while index < len(reader.tokens):
        low = reader.low(index)
        ends = low in closed() or not (reader.tokens[index].is_word or low[0].isdigit())
        postmodified = (
            last is not None and is_participle(low) and reader.low(index + 1) in words("prepositions")
        )
        if ends or postmodified:
            break
        last, index = index, index + 1
    return last


def article(reader: Reader, index: int) -> str | None:
    """Return what an indefinite noun phrase begins with.

    Args:
        reader: of the sentence.
        index: of the phrase's first word behind the determiner.

    Returns:
        ``""`` for a plural or a mass noun, ``"a"`` or ``"an"`` for a noun that is counted, None where unsure.
    """
    at = head(reader, index)
    if at is None or reader.low(at + 1) == "or":
        return None
    noun = reader.low(at)
    if is_plural(noun) or noun in words("mass"):
        return ""
    if noun in words("count"):
        return a(reader.tokens[index].text).split(" ")[0]
    return None


def to_any(reader: Reader, main: int) -> list[Edit] | None:
    """Return the edits that let objects stand under "not": "some" becomes "any", a final "too" "either".

    Args:
        reader: of the sentence.
        main: index of the finite verb.

    Returns:
        The edits; None where a word cannot stand under "not" and its replacement is unsure.
    """
    edits: list[Edit] = []
    positive = table("positive")
    for index in _predicate(reader, main):
        low, previous = reader.low(index), reader.low(index - 1)
        if low in positive:
            verbal = (
                index - 1 == main
                or previous in ("be", "have")
                or is_verb(previous)
                or is_participle(previous)
            )
            if not verbal:
                return None
            edits.append(substitute(reader.tokens[index], positive[low]))
    last = len(reader.tokens) - 1
    while last > main and not reader.tokens[last].is_word:
        last -= 1
    if last > main + 1 and reader.low(last) == "too":
        edits.append(substitute(reader.tokens[last], "either"))
    elif last > main + 2 and (reader.low(last - 1), reader.low(last)) == ("as", "well"):
        edits.append(Edit(reader.tokens[last - 1].start, reader.tokens[last].end, "either"))
    return edits


def to_some(reader: Reader, main: int) -> list[Edit] | None:
    """Return the edits of words that cannot stand without the "not" that is taken out; None where unsure."""
    edits: list[Edit] = []
    back = {negative: positive for positive, negative in table("positive").items()}
    for index in _predicate(reader, main):
        low, following = reader.low(index), reader.low(index + 1)
        if low in ("ever", "yet"):
            return None
        if low == "anymore":
            edits += remove(reader.tokens, index, index)
        elif (low, following) in (("any", "longer"), ("any", "more"), ("at", "all")):
            edits += remove(reader.tokens, index, index + 1)
        elif low == "any" and article(reader, index + 1) is not None:
            new = article(reader, index + 1)
            edits += [substitute(reader.tokens[index], new)] if new else remove(reader.tokens, index, index)
        elif low in back:
            edits.append(substitute(reader.tokens[index], back[low]))
        elif low == "either" and not following.isalpha():
            edits.append(substitute(reader.tokens[index], "too"))
    return edits


def _predicate(reader: Reader, main: int) -> range:
    """Return the words behind the finite verb in its own clause."""
    end = main + 1
    while end < len(reader.tokens):
        low = reader.low(end)
        if (
            low in words("openers")
            or low in (";", ":")
            or (low == "," and reader.low(end + 1) not in ("either", "too"))
        ):
            break
        end += 1
    return range(main + 1, end)
