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


def _empty_to_none(value: object) -> object:
    return None if value == EMPTY else value


_EMPTY_TO_NONE = BeforeValidator(_empty_to_none)


def _split_by(separator: str) -> BeforeValidator:
    def split_cell(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value == EMPTY:
            return ()
        elements = tuple(part.strip() for part in value.split(separator))
        if not all(elements):
            raise ValueError(f"found {value!r}, expected something on both sides of every {separator!r}")
        return elements

    return BeforeValidator(split_cell)


OptionalText = Annotated[str | None, _EMPTY_TO_NONE]


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
    modifiers: Annotated[tuple[str, ...], _split_by(",")]
    head: OptionalText
    tail: OptionalText
    gender: Annotated[LexicalGender | None, _EMPTY_TO_NONE]
    citation: Annotated[Citation | None, _EMPTY_TO_NONE]
    singular: OptionalText
    genitive: Annotated[tuple[str, ...], _split_by("|")]
    plural: OptionalText
    declension: Annotated[Declension | None, _EMPTY_TO_NONE]
    linking: Annotated[tuple[str, ...], _split_by("|")]
    note: OptionalText

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
    printed: OptionalText


class PlaceboPair(TemplateModel):
    """Two neutral words for the same thing, one row of ``placebo.tsv``."""

    placebo_id: Name
    first: str
    second: str
    note: OptionalText


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
            judgements = pair.judgmental_first, pair.judgmental_second
            yield DirectedPair(pair.pair_id, pair.first, pair.second, pair.shift, pair.axis, *judgements)
            opposite = OPPOSITE_SHIFT[pair.shift]
            yield DirectedPair(
                pair.pair_id, pair.second, pair.first, opposite, pair.axis, *judgements[::-1], reverse=True
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
        for line_number, word in _rows(path, Word):
            if word.word in words:
                raise TemplateError(
                    f"{display_path(path)}:{line_number}: word: {word.word!r} stands there twice; keep one"
                )
            words[word.word] = word
    pairs = tuple(pair for _, pair in _rows(root / "pairs.tsv", WordPair))
    placebos = tuple(pair for _, pair in _rows(root / "placebo.tsv", PlaceboPair))
    return Lexicon(pairs, placebos, words)


def _rows(path: Path, model: type[_Row]) -> Iterator[tuple[int, _Row]]:
    """Yield line number and content of every row of a tab-separated file."""
    fields = list(model.model_fields)
    lines_of_cells = (
        line.rstrip("\n").split("\t") for line in io.StringIO(template_text(path), newline=None)
    )
    header = next(lines_of_cells, [])
    if header != fields:
        raise TemplateError(f"{display_path(path)}:1: columns are {_shorten(header)}, expected {fields}")
    for line_number, cells in enumerate(lines_of_cells, start=2):
        empty = sum(not cell.strip() for cell in cells)
        if len(cells) != len(fields) or empty:
            problem = f"{len(cells)} fields, {empty} of them empty"
            expected = f"expected {len(fields)}, {EMPTY!r} where there is nothing"
            raise TemplateError(f"{display_path(path)}:{line_number}: {problem}; {expected}")
        row = dict(zip(fields, cells, strict=True))
        for field, cell in row.items():
            if len(cell) > LONGEST:
                problem = f"found {len(cell):,} characters, expected at most {LONGEST}; shorten it"
                raise TemplateError(f"{display_path(path)}:{line_number}: {field}: {problem}")
        try:
            yield line_number, model.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            location = ".".join(map(str, first["loc"])) or "row"
            raise TemplateError(f"{display_path(path)}:{line_number}: {location}: {first['msg']}") from None


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
