"""All template files of the large set: the published ones, and those that add to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import PositiveInt

from polbias.generators.engine.entries import Identity, Levels, Text, Version, slots
from polbias.generators.partisan.family import Family, Shots, load_family
from polbias.generators.partisan.word_fields import check_words, load_word_fields
from polbias.generators.partisan.xl.stage import Stage
from polbias.generators.partisan.xl_family import load_large
from polbias.locations import package_file
from polbias.template_files import load_template

READ = 20_000  # sentences of a config that are read back: all that are published, some of millions


class LargeFile(Identity):
    """Identity, wordings and design constants of the large set.

    Attributes:
        draws: the version that draws go by.
        formal: wording of ``source`` for a formal argument.
        material: the same for a material one.
        unverified: stands for the source of an issue that no survey supports.
        rows: of a config.
        shots: numbers of few-shot examples; of 0, 8 and 32.
    """

    draws: Version
    formal: Annotated[str, slots("paper", "tables", "country")]
    material: Annotated[str, slots("paper", "tables", "country", "issue")]
    unverified: Text
    rows: PositiveInt
    shots: Levels[Shots]


@dataclass(frozen=True)
class Large:
    """The templates of the large set.

    Attributes:
        published: those of the published set.
        file: what concerns the large set as a whole.
        stages: its countries.
    """

    published: Family
    file: LargeFile
    stages: tuple[Stage, ...]


def load(folder: Path | None = None, fresh: bool = False) -> Large:
    """Read the templates of the large set.

    Args:
        folder: a folder laid out like ``templates/partisan``; by default that one.
        fresh: leave out what the published set has.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    folder = folder or package_file("templates/partisan")
    published = load_family(folder)
    file = load_template(folder / "dataset_xl.yaml", LargeFile)
    identity = {"name": file.name, "version": file.version, "canary": file.canary}
    family = replace(published, dataset=published.dataset.model_copy(update=identity), errata=())
    countries = {country.id: country for country in published.countries}
    larges = load_large(folder / "countries_xl", countries)
    words = load_word_fields(folder)
    for large in larges:
        said = {f"irrelevant.{name}.owned": entry.owned for name, entry in large.irrelevant.items()}
        check_words(words, folder / "countries_xl" / f"{large.id}.yaml", large.language, said)
    stages = (Stage(family, countries[large.id], large, file.unverified, fresh) for large in larges)
    return Large(published, file, tuple(stages))
