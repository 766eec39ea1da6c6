"""The lexicon: word pairs with their shift (PolBiX, Table 5), placebo pairs, and the words' morphology."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, ValidationError

from polbias.files import TemplateError
from polbias.generators.engine.entries import Entry, Name
from polbias.generators.xphemism.words import EMPTY, Optional, Word
from polbias.locations import package_file
from polbias.template_files import shown, template_text

Shift = Literal["left", "right", "none"]
Axis = Literal["social", "economic", "none"]
LONGEST = 300
"""Characters of a cell at most: every part of a word is compared with the others."""
_MIRRORED: Mapping[Shift, Shift] = {"left": "right", "right": "left", "none": "none"}
_Row = TypeVar("_Row", bound=Entry)
_Flag = Annotated[bool, BeforeValidator(lambda value: {"0": False, "1": True}.get(value, value))]


class Pair(Entry):
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


class PlaceboPair(Entry):
    """Two neutral words for the same thing, one row of ``placebo.tsv``."""

    placebo_id: Name
    first: str
    second: str
    kind: Literal["noun", "adjective", "adverb", "fixed"]
    note: Optional


@dataclass(frozen=True)
class Exchange:
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

    pairs: tuple[Pair, ...]
    placebos: tuple[PlaceboPair, ...]
    words: Mapping[str, Word]

    def exchanges(self) -> Iterator[Exchange]:
        """Yield every pair in both directions; reversed, the shift changes sides."""
        for pair in self.pairs:
            first, second = pair.judgmental_first, pair.judgmental_second
            yield Exchange(pair.pair_id, pair.first, pair.second, pair.shift, pair.axis, first, second)
            back = _MIRRORED[pair.shift]
            yield Exchange(
                pair.pair_id, pair.second, pair.first, back, pair.axis, second, first, reverse=True
            )

    def neutral_exchanges(self) -> Iterator[Exchange]:
        """Yield every placebo pair in both directions."""
        for pair in self.placebos:
            yield Exchange(pair.placebo_id, pair.first, pair.second, "none", "none", False, False)
            yield Exchange(
                pair.placebo_id, pair.second, pair.first, "none", "none", False, False, reverse=True
            )


def load_lexicon(folder: Path | None = None) -> Lexicon:
    """Return the lexicon of a folder.

    Args:
        folder: laid out like ``templates/xphemism``; by default that one.

    Raises:
        TemplateError: naming file, line and column of the first problem.
    """
    root = folder or package_file("templates/xphemism")
    words: dict[str, Word] = {}
    for path in sorted(root.glob("morphology.*.tsv")):
        for number, word in _rows(path, Word):
            if word.word in words:
                raise TemplateError(
                    f"{shown(path)}:{number}: word: {word.word!r} stands there twice; keep one"
                )
            words[word.word] = word
    pairs = tuple(pair for _, pair in _rows(root / "pairs.tsv", Pair))
    placebos = tuple(pair for _, pair in _rows(root / "placebo.tsv", PlaceboPair))
    return Lexicon(pairs, placebos, words)


def _rows(path: Path, model: type[_Row]) -> Iterator[tuple[int, _Row]]:
    """Yield line number and content of every row of a tab-separated file."""
    fields = list(model.model_fields)
    lines = (line.rstrip("\n").split("\t") for line in io.StringIO(template_text(path), newline=None))
    header = next(lines, [])
    if header != fields:
        raise TemplateError(f"{shown(path)}:1: columns are {_short(header)}, expected {fields}")
    for number, line in enumerate(lines, start=2):
        empty = sum(not cell.strip() for cell in line)
        if len(line) != len(fields) or empty:
            found = f"{len(line)} fields, {empty} of them empty"
            wanted = f"expected {len(fields)}, {EMPTY!r} where there is nothing"
            raise TemplateError(f"{shown(path)}:{number}: {found}; {wanted}")
        row = dict(zip(fields, line, strict=True))
        for field, cell in row.items():
            if len(cell) > LONGEST:
                found = f"found {len(cell):,} characters, expected at most {LONGEST}; shorten it"
                raise TemplateError(f"{shown(path)}:{number}: {field}: {found}")
        try:
            yield number, model.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "row"
            raise TemplateError(f"{shown(path)}:{number}: {place}: {first['msg']}") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
