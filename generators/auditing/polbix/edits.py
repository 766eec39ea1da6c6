"""What changed between two claims, and whether German grammar holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from polbias.generators.auditing.polbix.occurrences import (
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
from polbias.generators.xphemism.substitution.words import (
    CONTRACTIONS,
    DETERMINER_FORMS,
    FINITE,
    FINITE_PLURAL,
    PREPOSITIONS,
    Token,
    tokenise,
)
from polbias.generators.xphemism.vocabulary.paradigms import (
    Case,
    Gender,
    Number,
    Reading,
    Strength,
    adjective_ending,
)

# One claim of a row as tokens: the exchanged word, the phrase around it, and the rest.

Span = tuple[int, int]
CORE = "\0"
"""What stands for the exchanged word among the keys."""
ADJECTIVE_ENDINGS = ("e", "en", "er", "es", "em")
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


class Side:
    """A claim in which every place of the exchanged word is one key.

    Args:
        text: the claim.
        spans: offsets of the tokens in which the word stands.

    Attributes:
        keys: the tokens as they are compared.
        core: the exchanged word as it stands there, everywhere.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._tokens = tokenise(text)
        self._core = [
            any(start < each.end and each.start < end for start, end in spans) for each in self._tokens
        ]
        self.core = " ".join(each.text for each, core in zip(self._tokens, self._core, strict=True) if core)
        self._inside: set[int] = set()
        self.keys: list[str] = []
        self._index: list[int] = []
        for index, token in enumerate(self._tokens):
            if not self._core[index]:
                self.keys.append(token.text)
                self._index.append(index)
            elif not (index and self._core[index - 1]):
                self.keys.append(CORE)
                self._index.append(-1)
                self._mark(index - 1)

    @property
    def cores(self) -> int:
        """How often the exchanged word stands there."""
        return self.keys.count(CORE)

    def has_core(self, start: int, end: int) -> bool:
        """Return whether the exchanged word is among some keys."""
        return CORE in self.keys[start:end]

    def places(self, start: int, end: int) -> list[Place]:
        """Return the tokens behind some keys, without the exchanged word."""
        first = self._core.index(True) if True in self._core else len(self._core)
        return [
            Place(self._tokens[index], index in self._inside, self._is_article(index), index > first)
            for index in self._index[start:end]
            if index >= 0
        ]

    def _mark(self, index: int) -> None:
        """Mark what belongs to a phrase to the left of its noun."""
        article = False
        while index >= 0:
            token = self._tokens[index]
            if preposition(token.low):
                self._inside.add(index)
                return
            attribute = token.kind == "number" or token.text in _PASSED or _attribute(token)
            if article or not (is_determiner(token.low) or attribute):
                return
            article = is_determiner(token.low)
            self._inside.add(index)
            index -= 1

    def _is_article(self, index: int) -> bool:
        if index and self._tokens[index - 1].text == "," and is_determiner(self._tokens[index].low):
            return False  # a relative pronoun
        for place in range(index + 1, len(self._tokens)):
            token = self._tokens[place]
            if token.is_noun:
                return not self._core[place]
            if not (_attribute(token) and token.low.endswith(ADJECTIVE_ENDINGS)):
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
    """Compare the two claims of a row."""
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


# Whether the article, the adjectives and the verb of a noun phrase agree with its noun.

_ENDINGS = ("e", "en", "er", "es", "em")
_RELATIVES = frozenset(("der", "die", "das", "dem", "den"))
_QUOTES = frozenset('#"„“”‚‘’»«')
_VAGUE = frozenset(
    ("als", "wie", "bis", "statt", "anstatt", "außer", "ausser", "je", "pro", "per", "zu", "ab")
)
"""Prepositions that may stand before a noun without governing its case."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands before a noun: article, adjectives, preposition, and whether it opens the sentence."""

    article: str | None
    adjectives: tuple[str, ...]
    preposition: str | None
    opens: bool


def agrees(text: str, start: int, end: int, readings: Sequence[Reading]) -> bool:
    """Return whether a noun can stand where it stands.

    The article (or a preposition alone), the adjectives between it and the noun, and a finite verb directly
    after a phrase that opens the sentence are looked at.
    """
    tokens = tokenise(text)
    first = next((index for index, each in enumerate(tokens) if each.end > start), 0)
    frame = _frame(tokens, first)
    if frame is None:
        return True
    fitting = [each for each in readings if _fits(frame, each)]
    if not fitting:
        return not (frame.article or (frame.preposition and frame.preposition not in _VAGUE))
    verb = _verb_after(tokens, end) if frame.opens and not frame.preposition else None
    if verb is None:
        return True
    subjects = {each.number for each in fitting if each.case == "nom"}
    return not subjects or verb_number(verb) in subjects


def _frame(tokens: Sequence[Token], first: int) -> _Frame | None:
    """Read what stands to the left of a noun; None if it cannot be read."""
    adjectives: list[str] = []
    index = first - 1
    while index >= 0:
        token = tokens[index]
        if token.low in DETERMINER_FORMS or token.low in CONTRACTIONS or token.low in PREPOSITIONS:
            break
        if token.text in _QUOTES:
            index -= 1
            continue
        noun = token.text[0].isupper() and not token.opens
        if token.kind != "word" or noun or is_function_word(token.low):
            break
        if token.low.endswith(_ENDINGS):
            adjectives.append(token.low)
        elif adjectives or index == first - 1:
            return None if adjectives else _Frame(None, (), None, opens=False)
        index -= 1
    if index < 0:
        return None if adjectives else _Frame(None, (), None, opens=True)
    token = tokens[index]
    before = tokens[index - 1] if index else None
    if token.low in CONTRACTIONS:
        preposition, article = CONTRACTIONS[token.low]
        return _Frame(article, tuple(adjectives), preposition, opens=False)
    if token.low in DETERMINER_FORMS:
        if token.low in _RELATIVES and before and before.text == ",":
            return None
        governing = before.low if before and before.low in PREPOSITIONS else None
        return _Frame(token.low, tuple(adjectives), governing, opens=token.opens)
    if adjectives:
        return None
    return _Frame(None, (), token.low if token.low in PREPOSITIONS else None, opens=tokens[first].opens)


def _fits(frame: _Frame, reading: Reading) -> bool:
    case, number = reading.case, reading.number
    if case is None or number is None:
        return False
    cases = PREPOSITIONS.get(frame.preposition or "", ())
    if (
        cases
        and case not in cases
        and frame.preposition not in _VAGUE
        and not ("gen" in cases and not frame.article)
    ):
        return False
    column = reading.gender if number == "sg" else "pl"
    return any(
        reading.strength in (None, strength)
        and _endings_fit(frame.adjectives, case, number, strength, reading.gender)
        for strength in _strengths(frame.article, case, column)
    )


def _strengths(article: str | None, case: Case, column: str | None) -> Iterator[Strength]:
    if article is None:
        yield "strong"
    for determiner, of, form_column in DETERMINER_FORMS.get(article or "", ()):
        if of == case and form_column == column:
            yield determiner.strength


def _endings_fit(
    adjectives: Sequence[str], case: Case, number: Number, strength: Strength, gender: Gender | None
) -> bool:
    if number == "sg" and gender is None:
        return True
    ending = adjective_ending(case, number, strength, gender)
    return all(each.endswith(ending) for each in adjectives)


def _verb_after(tokens: Sequence[Token], end: int) -> str | None:
    """Return the finite verb directly after a phrase."""
    token = next((each for each in tokens if each.start >= end), None)
    if token is None or token.kind != "word":
        return None
    sure = token.low in FINITE or token.low in FINITE_PLURAL
    regular = token.text[0].islower() and token.low.endswith("t") and not is_function_word(token.low)
    return token.low if sure or (regular and verb_number(token.text)) else None
