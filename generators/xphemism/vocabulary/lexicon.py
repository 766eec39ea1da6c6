"""Lexicon: word pairs with their shift (PolBiX, Table 5), placebo pairs, and the morphology of the words."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, ValidationError, model_validator

from polbias.errors import TemplateError
from polbias.paths import package_file
from polbias.yaml_models import Name, TemplateModel, display_path, template_text

# Morphology: part of speech and inflection of a German word.

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
        word: spelling in a pair.
        pos: part of speech; ``fixed`` is never inflected.
        modifiers: stems of adjectives and participles left of the head (``("still",)``).
        head: head noun, adjective or verb as in ``word``.
        tail: invariable words next to the head (``"für alle"``), or None.
        gender: gender of the head noun; ``m/f`` for a nominalised adjective of either gender.
        citation: number of the form in ``word``.
        singular: nominative singular of the head, None without one; of an adjective the stem before endings
            (``"teur"``); of a verb the infinitive.
        genitive: genitive singular, usual form first; of a verb the third person singular present.
        plural: nominative plural, None without one; of a verb the third person plural present.
        declension: declension of the head noun.
        linking: forms as first member of a compound, usual form first; of a verb the past participle.
        note: debatable points, or None.
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


# Word pairs with their shift (PolBiX, Table 5), and placebo pairs.

Shift = Literal["left", "right", "none"]
Axis = Literal["social", "economic", "none"]
LONGEST = 300
"""Maximum characters of a cell: all parts of a word are compared with each other."""
OPPOSITE_SHIFT: Mapping[Shift, Shift] = {"left": "right", "right": "left", "none": "none"}
"""Shift of the reversed pair."""
_Row = TypeVar("_Row", bound=TemplateModel)
_Flag = Annotated[bool, BeforeValidator(lambda value: {"0": False, "1": True}.get(value, value))]


class WordPair(TemplateModel):
    """Two words for the same thing with different connotations, one row of ``pairs.tsv``.

    Attributes:
        pair_id: stable name of the unordered pair.
        first: the first word.
        second: the second word.
        shift: side to which the second word leans, compared with the first.
        axis: axis of the shift.
        judgmental_first: whether the first word contains a judgement.
        judgmental_second: whether the second word contains a judgement.
        collected: source of the pair in the paper, "manual" or "generated".
        printed: misprint of the second word in the paper, else None.
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
    """A pair in one direction: the word in the claim, and the word that replaces it.

    Attributes:
        pair_id: name of the unordered pair.
        base: word in the claim.
        exchange: word that replaces it.
        shift: side to which the exchange word leans, compared with the base word.
        axis: axis of the shift.
        judgmental_base: whether the base word contains a judgement.
        judgmental_exchange: whether the exchange word contains a judgement.
        reverse: whether the direction is opposite to the row of the file.
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
        """Unique name: the pair, with "/reverse" if reversed."""
        return self.pair_id + ("/reverse" if self.reverse else "")


@dataclass(frozen=True)
class Lexicon:
    """Pairs, placebo pairs and words.

    Attributes:
        pairs: political pairs in file order.
        placebos: neutral pairs.
        words: morphology by word.
    """

    pairs: tuple[WordPair, ...]
    placebos: tuple[PlaceboPair, ...]
    words: Mapping[str, Word]

    def exchanges(self) -> Iterator[DirectedPair]:
        """Yield all pairs in both directions; the reversed pair has the opposite shift."""
        for pair in self.pairs:
            judgements = pair.judgmental_first, pair.judgmental_second
            yield DirectedPair(pair.pair_id, pair.first, pair.second, pair.shift, pair.axis, *judgements)
            opposite = OPPOSITE_SHIFT[pair.shift]
            yield DirectedPair(
                pair.pair_id, pair.second, pair.first, opposite, pair.axis, *judgements[::-1], reverse=True
            )

    def neutral_exchanges(self) -> Iterator[DirectedPair]:
        """Yield all placebo pairs in both directions."""
        for pair in self.placebos:
            for base, exchange in ((pair.first, pair.second), (pair.second, pair.first)):
                reverse = base != pair.first
                yield DirectedPair(pair.placebo_id, base, exchange, "none", "none", False, False, reverse)


def load_lexicon(folder: Path | None = None, *, require_morphology: bool = True) -> Lexicon:
    """Return the lexicon of a folder; default: the packaged templates.

    Raises:
        TemplateError: if a row is invalid, or a word of a pair has no morphology (unless not required).
    """
    root = folder or package_file("templates/xphemism")
    words: dict[str, Word] = {}
    for path in sorted(root.glob("morphology.*.tsv")):
        for line_number, word in _rows(path, Word):
            if word.word in words:
                raise TemplateError(
                    f"{display_path(path)}:{line_number}: word: found {word.word!r} twice; keep one"
                )
            words[word.word] = word
    pairs = tuple(_rows(root / "pairs.tsv", WordPair))
    placebos = tuple(_rows(root / "placebo.tsv", PlaceboPair))
    if require_morphology:
        _require_morphology(root / "pairs.tsv", pairs, words)
        _require_morphology(root / "placebo.tsv", placebos, words)
    return Lexicon(tuple(pair for _, pair in pairs), tuple(pair for _, pair in placebos), words)


def _require_morphology(
    path: Path, rows: Iterable[tuple[int, WordPair] | tuple[int, PlaceboPair]], words: Mapping[str, Word]
) -> None:
    """Raise an error that names the first pair with a word that has no row in ``morphology.*.tsv``."""
    missing = [
        (f"{display_path(path)}:{line_number}: {field}", getattr(pair, field))
        for line_number, pair in rows
        for field in ("first", "second")
        if getattr(pair, field) not in words
    ]
    if missing:
        location, word = missing[0]
        also = f" (and {len(missing) - 1} more, such as {missing[1][1]!r})" if missing[1:] else ""
        raise TemplateError(
            f"{location}: found {word!r} without morphology{also}, expected a row in morphology.*.tsv; "
            f"`polbias author morphology {word!r}` proposes one"
        )


def _rows(path: Path, model: type[_Row]) -> Iterator[tuple[int, _Row]]:
    """Yield the line number and the validated model of each row of a tab-separated file."""
    fields = list(model.model_fields)
    lines_of_cells = (
        line.rstrip("\n").split("\t") for line in io.StringIO(template_text(path), newline=None)
    )
    header = next(lines_of_cells, [])
    if header != fields:
        raise TemplateError(f"{display_path(path)}:1: found columns {_shorten(header)}, expected {fields}")
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
