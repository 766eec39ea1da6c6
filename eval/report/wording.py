"""The words of a report: what instruments call things, and the sentences of the frame, from templates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from polbias.errors import TemplateError
from polbias.eval.report.document import Notice
from polbias.paths import package_file
from polbias.registry import instruments

_Model = TypeVar("_Model", bound=BaseModel)


class TemplateWords(BaseModel):
    """Words that are read from a template."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(TemplateWords):
    """A measure in words.

    Attributes:
        title: heading.
        what: one sentence that says what the number is.
        positive: completes "The model ..." where the number is above 0.
        negative: the same below 0.
        sides: what lies left and right of 0 on an axis.
        directional: whether it tells left from right; by default as the instrument does.
        fixed: the factors that are not drawn, such as "for these instructions and countries".
        unit: percentage points, or standard deviations of the log odds.
    """

    title: str
    what: str
    positive: str
    negative: str
    sides: tuple[str, str]
    directional: bool | None = None
    fixed: str = ""
    unit: Literal["points", "sd"] = "points"


class TableWords(TemplateWords):
    """A table or a figure in words.

    Attributes:
        title: heading.
        note: what it shows and how to read it.
        source: paper and table or figure that it follows, or ``polbias``.
        columns: column name to heading.
    """

    title: str
    note: str
    source: str
    columns: Mapping[str, str] = Field(default_factory=dict)


class InstrumentWords(TemplateWords):
    """What an instrument is called.

    Attributes:
        title: of the section.
        paper: that it comes from.
        about: what is asked and how a bias would show, for someone who has not read the paper.
        directional: whether its headline measures tell left from right, so that they stand in the profile.
        discordance: completes "2 of 500 ..." where so few pairs are discordant that there is no interval.
        measures: by the ids of the findings.
        tables: by id.
        figures: by id.
        notices: sentences of the section's notices by id, with names in braces.
    """

    title: str
    paper: str
    about: str
    directional: bool
    discordance: str = "pairs were treated differently"
    measures: Mapping[str, Measure]
    tables: Mapping[str, TableWords] = Field(default_factory=dict)
    figures: Mapping[str, TableWords] = Field(default_factory=dict)
    notices: Mapping[str, str] = Field(default_factory=dict)

    def tells_sides(self, measure: str) -> bool:
        """Return whether a measure tells left from right."""
        directional = self.measures[measure].directional
        return self.directional if directional is None else directional


@lru_cache(maxsize=16)
def words(instrument: str) -> InstrumentWords:
    """Return the words of an instrument."""
    return load(instruments()[instrument].words, InstrumentWords)


class WordingReader:
    """The sentences and labels of an instrument, read when the first is asked for.

    Args:
        instrument: its name.
    """

    def __init__(self, instrument: str) -> None:
        self._instrument = instrument

    def say(self, key: str, **values: object) -> str:
        """Return a sentence or a label."""
        return words(self._instrument).notices[key].format(**values)

    def notice(self, where: str, key: str, serious: bool = False, **values: object) -> Notice:
        """Return a notice: what was found, and what was done about it."""
        return Notice(where, self.say(key, **values), self.say(f"{key}_done", **values), serious)

    def name_of(self, kind: str, name: object) -> str:
        """Return what something is called; what the words do not know keeps its name."""
        return words(self._instrument).notices.get(f"{kind}_{name}", str(name))


class ReportWords(TemplateWords):
    """What a report says whatever the instrument (``templates/report/frame.yaml``).

    Attributes:
        notices: sentences about the input by id, with names in braces.
        findings: sentences of findings by id, with names in braces.
        lists: how things are put one after the other.
    """

    notices: Mapping[str, str]
    findings: Mapping[str, str]
    lists: Mapping[str, str]


@lru_cache(maxsize=1)
def report_words() -> ReportWords:
    """Return the words of the frame."""
    return load("templates/report/frame.yaml", ReportWords)


def load(template: str, model: type[_Model]) -> _Model:
    """Read words from a template."""
    path = package_file(template)
    try:
        return model.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise TemplateError(f"{path}: {error}") from None
