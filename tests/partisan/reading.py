"""Arguments of every country, and what the reader makes of their sentences."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

from polbias.generators.logic.formula import Atom, Inference
from polbias.generators.partisan.country import GENDERS, LEANINGS, EnglishCountry
from polbias.generators.partisan.gold import verdict
from polbias.generators.partisan.items import Argument, ArgumentDesign, ArgumentWriter
from polbias.generators.partisan.pair_patterns import formal_pairs
from polbias.generators.partisan.reader import ArgumentReader
from polbias.generators.partisan.templates import GOLDS, VARIATIONS, load_family

FAMILY = load_family()
COUNTRIES = {country.id: country for country in FAMILY.countries}
WRITERS = {country.id: ArgumentWriter(FAMILY, country) for country in FAMILY.countries}
ENGLISH = [name for name, country in COUNTRIES.items() if isinstance(country, EnglishCountry)]
PAPER = [name for name, country in COUNTRIES.items() if country.printed]
ALIASES = {"control-en": {"Magnus Carlson": "Magnus Carlsen"}}
DISTRACTOR = Atom("distractor")


class Case(NamedTuple):
    """An argument of a country."""

    country: str
    cell: ArgumentDesign
    argument: Argument

    @property
    def text(self) -> str:
        return self.argument.text

    @property
    def said(self) -> Inference:
        assert self.argument.inference is not None
        return self.argument.inference


@cache
def reader_of(country: str, printed: bool = False) -> ArgumentReader:
    aliases = ALIASES.get(country) if printed else None
    return ArgumentReader(COUNTRIES[country], aliases, strict=not printed, paper_edition=printed)


@cache
def read(country: str, text: str, printed: bool = False) -> Inference:
    return reader_of(country, printed).read(text)


@cache
def proved(said: Inference) -> str:
    return verdict(said)


@cache
def cases(country: str, printed: bool = False) -> tuple[Case, ...]:
    writer = WRITERS[country]
    pairs = formal_pairs(writer.language.patterns)
    cells = [ArgumentDesign(*levels) for levels in product(pairs, GOLDS, LEANINGS, GENDERS, VARIATIONS)]
    return tuple(Case(country, cell, writer.write(cell, printed)) for cell in cells)
