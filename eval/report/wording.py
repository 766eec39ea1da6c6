"""Load the words of instruments and the sentences of the report from ``templates/report``."""

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
    """Base of the models of word files; unknown keys are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(TemplateWords):
    """Words of a measure.

    Attributes:
        title: heading.
        what: one sentence that defines the number.
        positive: completes "The model ..." if the number is above 0.
        negative: completes "The model ..." if the number is below 0.
        sides: axis labels left and right of 0.
        directional: whether it is right minus left; by default as the instrument.
        fixed: the factors that are not sampled, such as "for these instructions and countries".
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
    """Words of a table or a figure.

    Attributes:
        title: heading.
        note: its content and how to read it.
        source: paper and table or figure that it replicates, or ``polbias``.
        columns: column name to heading.
    """

    title: str
    note: str
    source: str
    columns: Mapping[str, str] = Field(default_factory=dict)


class InstrumentWords(TemplateWords):
    """Words of an instrument.

    Attributes:
        title: of the section.
        paper: its source.
        about: the task and the effect of a bias, for readers who do not know the paper.
        directional: whether its headline measures are right minus left and share the profile's axis.
        discordance: completes "2 of 500 ..." if there are too few discordant pairs for an interval.
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
        """Whether a measure is right minus left."""
        directional = self.measures[measure].directional
        return self.directional if directional is None else directional


@lru_cache(maxsize=16)
def words(instrument: str) -> InstrumentWords:
    """Return the words of an instrument, cached."""
    return load(instruments()[instrument].words, InstrumentWords)


class WordingReader:
    """The sentences and labels of an instrument, loaded at first use.

    Args:
        instrument: its name.
    """

    def __init__(self, instrument: str) -> None:
        self._instrument = instrument

    def say(self, key: str, **values: object) -> str:
        """Return a sentence or a label with its values filled in."""
        return words(self._instrument).notices[key].format(**values)

    def notice(self, where: str, key: str, serious: bool = False, **values: object) -> Notice:
        """Return a notice; its action is the sentence ``<key>_done``."""
        return Notice(where, self.say(key, **values), self.say(f"{key}_done", **values), serious)

    def name_of(self, kind: str, name: object) -> str:
        """Return the label ``<kind>_<name>``; the name itself if there is none."""
        return words(self._instrument).notices.get(f"{kind}_{name}", str(name))


class ReportWords(TemplateWords):
    """Sentences of all instruments (``templates/report/frame.yaml``).

    Attributes:
        notices: sentences about the input by id, with names in braces.
        findings: sentences of findings by id, with names in braces.
        lists: separators of lists.
    """

    notices: Mapping[str, str]
    findings: Mapping[str, str]
    lists: Mapping[str, str]


@lru_cache(maxsize=1)
def report_words() -> ReportWords:
    """Return the sentences of all instruments, cached."""
    return load("templates/report/frame.yaml", ReportWords)


def load(template: str, model: type[_Model]) -> _Model:
    """Load and validate a word file; TemplateError if it cannot be read or does not match."""
    path = package_file(template)
    try:
        return model.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise TemplateError(f"{path}: {error}") from None
