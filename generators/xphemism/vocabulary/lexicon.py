"""The lexicon: word pairs with their shift (PolBiX, Table 5), placebo pairs, and the words' morphology."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, ValidationError, model_validator

from polbias.errors import TemplateError
from polbias.paths import package_file
from polbias.yaml_models import Name, TemplateModel, display_path, template_text

# What is known of a German word of the lexicon: its part of speech and how it is inflected.

PartOfSpeech = Literal["noun", "adjective", "verb", "fixed"]
Citation = Literal["sg", "pl"]
Declension = Literal["strong", "weak", "adjectival", "fixed"]
LexicalGender = Literal["m", "f", "n", "m/f"]
EMPTY = "-"


def _absent(value: object) -> object:
    return None if value == EMPTY else value


_ABSENT = BeforeValidator(_absent)


def _split(separator: str) -> BeforeValidator:
    def parts(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value == EMPTY:
            return ()
        found = tuple(part.strip() for part in value.split(separator))
        if not all(found):
            raise ValueError(f"found {value!r}, expected something on both sides of every {separator!r}")
        return found

    return BeforeValidator(parts)


Optional = Annotated[str | None, _ABSENT]


class Word(TemplateModel):
    """A word or phrase with its hand-written morphology, one row of ``morphology.*.tsv``.

    Attributes:
        word: as it stands in a pair.
        pos: part of speech; ``fixed`` is never inflected.
        modifiers: stems of adjectives and participles left of the head (``("still",)``).
        head: head noun, adjective or verb as it stands in ``word``.
        tail: what stays unchanged beside the head (``"für alle"``), or None.
        gender: of the head noun; ``m/f`` of a nominalised adjective that can be either.
        citation: number of the form that stands in ``word``.
        singular: nominative singular of the head, None if it has none; of an adjective the stem before
            endings (``"teur"``); of a verb the infinitive.
        genitive: genitive singular, usual form first; of a verb the third person singular present.
        plural: nominative plural, None if it has none; of a verb the third person plural present.
        declension: of the head noun.
        linking: forms as first member of a compound, usual one first; of a verb the past participle.
        note: what is debatable, or None.
    """

    word: str
    pos: PartOfSpeech
    modifiers: Annotated[tuple[str, ...], _split(",")]
    head: Optional
    tail: Optional
    gender: Annotated[LexicalGender | None, _ABSENT]
    citation: Annotated[Citation | None, _ABSENT]
    singular: Optional
    genitive: Annotated[tuple[str, ...], _split("|")]
    plural: Optional
    declension: Annotated[Declension | None, _ABSENT]
    linking: Annotated[tuple[str, ...], _split("|")]
    note: Optional

    @model_validator(mode="after")
    def _complete(self) -> Word:
        if self.pos == "noun":
            missing = [
                name for name in ("head", "gender", "citation", "declension") if getattr(self, name) is None
            ]
            if self.singular is None and self.plural is None:
                missing.append("singular or plural")
            if missing:
                raise ValueError(f"a noun needs {', '.join(missing)}, found {EMPTY!r}; fill the column in")
        if self.pos in ("adjective", "verb") and not (self.head and self.singular):
            raise ValueError(f"a {self.pos} needs head and singular, found {EMPTY!r}; fill the columns in")
        return self


# The lexicon: word pairs with their shift (PolBiX, Table 5), placebo pairs, and the words' morphology.

Shift = Literal["left", "right", "none"]
Axis = Literal["social", "economic", "none"]
LONGEST = 300
"""Characters of a cell at most: every part of a word is compared with the others."""
OPPOSITE_SHIFT: Mapping[Shift, Shift] = {"left": "right", "right": "left", "none": "none"}
"""The shift of a pair that is used the other way round."""
_Row = TypeVar("_Row", bound=TemplateModel)
_Flag = Annotated[bool, BeforeValidator(lambda value: {"0": False, "1": True}.get(value, value))]


class WordPair(TemplateModel):
    """Two words for the same thing with different connotations, one row of ``pairs.tsv``.

    Attributes:
        pair_id: stable name of the unordered pair.
        first: the first word.
        second: the second word.
        shift: where the second word leans compared with the first.
        axis: of the shift.
        judgmental_first: whether the first word contains a judgement.
        judgmental_second: the same of the second.
        collected: where the paper has the pair from.
        printed: how the paper prints the second word where that is a misprint, else None.
    """

    pair_id: Name
    first: str
    second: str
    shift: Shift
    axis: Axis
    judgmental_first: _Flag
    judgmental_second: _Flag
    collected: Literal["manual", "generated"]
    printed: Optional


class PlaceboPair(TemplateModel):
    """Two neutral words for the same thing, one row of ``placebo.tsv``."""

    placebo_id: Name
    first: str
    second: str
    note: Optional


@dataclass(frozen=True)
class DirectedPair:
    """A pair in the direction in which it is used: what stands in the claim, and what replaces it.

    Attributes:
        pair_id: of the unordered pair.
        base: the word in the claim.
        exchange: the word that replaces it.
        shift: where the exchange word leans compared with the base word.
        axis: of the shift.
        judgmental_base: whether the base word contains a judgement.
        judgmental_exchange: the same of the exchange word.
        reverse: whether the pair is used in the other direction than the one in which it is listed.
    """

    pair_id: str
    base: str
    exchange: str
    shift: Shift
    axis: Axis
    judgmental_base: bool
    judgmental_exchange: bool
    reverse: bool = False

    @property
    def id(self) -> str:
        """Unique name: the pair, and its direction if that is not the listed one."""
        return self.pair_id + ("/reverse" if self.reverse else "")


@dataclass(frozen=True)
class Lexicon:
    """Pairs, placebo pairs and words.

    Attributes:
        pairs: political pairs in the order of the file.
        placebos: neutral pairs.
        words: morphology by the word as it stands in a pair.
    """

    pairs: tuple[WordPair, ...]
    placebos: tuple[PlaceboPair, ...]
    words: Mapping[str, Word]

    def exchanges(self) -> Iterator[DirectedPair]:
        """Yield every pair in both directions; reversed, the shift changes sides."""
        for pair in self.pairs:
            judged = pair.judgmental_first, pair.judgmental_second
            yield DirectedPair(pair.pair_id, pair.first, pair.second, pair.shift, pair.axis, *judged)
            back = OPPOSITE_SHIFT[pair.shift]
            yield DirectedPair(
                pair.pair_id, pair.second, pair.first, back, pair.axis, *judged[::-1], reverse=True
            )

    def neutral_exchanges(self) -> Iterator[DirectedPair]:
        """Yield every placebo pair in both directions."""
        for pair in self.placebos:
            for base, exchange in ((pair.first, pair.second), (pair.second, pair.first)):
                reverse = base != pair.first
                yield DirectedPair(pair.placebo_id, base, exchange, "none", "none", False, False, reverse)


def load_lexicon(folder: Path | None = None) -> Lexicon:
    """Return the lexicon of a folder."""
    root = folder or package_file("templates/xphemism")
    words: dict[str, Word] = {}
    for path in sorted(root.glob("morphology.*.tsv")):
        for number, word in _rows(path, Word):
            if word.word in words:
                raise TemplateError(
                    f"{display_path(path)}:{number}: word: {word.word!r} stands there twice; keep one"
                )
            words[word.word] = word
    pairs = tuple(pair for _, pair in _rows(root / "pairs.tsv", WordPair))
    placebos = tuple(pair for _, pair in _rows(root / "placebo.tsv", PlaceboPair))
    return Lexicon(pairs, placebos, words)


def _rows(path: Path, model: type[_Row]) -> Iterator[tuple[int, _Row]]:
    """Yield line number and content of every row of a tab-separated file."""
    fields = list(model.model_fields)
    lines = (line.rstrip("\n").split("\t") for line in io.StringIO(template_text(path), newline=None))
    header = next(lines, [])
    if header != fields:
        raise TemplateError(f"{display_path(path)}:1: columns are {_short(header)}, expected {fields}")
    for number, line in enumerate(lines, start=2):
        empty = sum(not cell.strip() for cell in line)
        if len(line) != len(fields) or empty:
            found = f"{len(line)} fields, {empty} of them empty"
            wanted = f"expected {len(fields)}, {EMPTY!r} where there is nothing"
            raise TemplateError(f"{display_path(path)}:{number}: {found}; {wanted}")
        row = dict(zip(fields, line, strict=True))
        for field, cell in row.items():
            if len(cell) > LONGEST:
                found = f"found {len(cell):,} characters, expected at most {LONGEST}; shorten it"
                raise TemplateError(f"{display_path(path)}:{number}: {field}: {found}")
        try:
            yield number, model.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "row"
            raise TemplateError(f"{display_path(path)}:{number}: {place}: {first['msg']}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
