"""Levels of the ladder: how large an item of a level is, by family."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from polbias.generators.partisan.ladder.settings import Family, Setting
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template, require_all_names

_Range = tuple[PositiveInt, PositiveInt]


class FamilyLevel(TemplateModel):
    """The size of items of one family on a level.

    Attributes:
        persons: number of persons.
        traits: number of traits (family ``rules``).
        core: fewest and most premises of the minimal proof.
        steps: fewest and most steps of the proof.
        distractors: number of premises that the proof does not need.
        kinds: kinds of premises, each as often as it is drawn.
        loose: least share of all models that a premise leaves; larger is weaker.
        report: whether one distractor reports what it does not assert.
        surplus: number of candidates for each skeleton that is kept.
        guesser: number of further skeletons from which a classifier learns to guess gold labels.
    """

    persons: PositiveInt
    traits: NonNegativeInt = 0
    core: _Range
    steps: _Range
    distractors: NonNegativeInt
    kinds: Annotated[tuple[str, ...], Field(min_length=1)]
    loose: Annotated[float, Field(ge=0, lt=1)] = 0
    report: bool = False
    surplus: Annotated[float, Field(gt=1)] = 1.5
    guesser: PositiveInt = 180

    def setting(self, family: Family) -> Setting:
        """Return the setting of the items."""
        return Setting(family, self.persons, self.traits)


class LevelsFile(TemplateModel):
    """The file of all levels.

    Attributes:
        bank: number of skeletons of a family and level, a multiple of six.
        fewshot: number of skeletons of a family and level that are kept for examples.
        bands: levels from which one classifier learns to guess gold labels.
        levels: by level and family.
    """

    bank: PositiveInt
    fewshot: PositiveInt
    bands: tuple[tuple[PositiveInt, ...], ...]
    levels: Mapping[PositiveInt, Annotated[Mapping[Family, FamilyLevel], require_all_names(Family)]]

    @model_validator(mode="after")
    def _check_sizes(self) -> LevelsFile:
        for name in ("bank", "fewshot"):
            if getattr(self, name) % 6:
                raise ValueError(f"{name}: found {getattr(self, name)}, expected a multiple of 6")
        banded = sorted(level for band in self.bands for level in band)
        if banded != sorted(self.levels):
            raise ValueError(f"bands: found levels {banded}, expected each of {sorted(self.levels)} once")
        return self


def load_levels(folder: Path | None = None) -> LevelsFile:
    """Read ``ladder/levels.yaml`` of the templates."""
    return load_template(
        (folder or package_file("templates/partisan")) / "ladder" / "levels.yaml", LevelsFile
    )
