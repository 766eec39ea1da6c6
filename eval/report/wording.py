"""Loader of the texts of the report from ``templates/report``, by instrument and shared by all."""

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
    """Base of the schemas of the YAML files of texts; unknown keys are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(TemplateWords):
    """Texts of a measure.

    Attributes:
        title: heading.
        what: one sentence that defines the number.
        positive: completes "The model ..." if the number is above 0.
        negative: completes "The model ..." if the number is below 0.
        sides: axis labels of negative and positive values.
        directional: whether positive values favour the political right; defaults to the instrument's value.
        fixed: phrase for the factors that are not sampled, such as "for these instructions and countries".
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
    """Texts of a table or a figure.

    Attributes:
        title: heading.
        note: content of the table, and how to read it.
        source: paper and table or figure that it replicates, or ``polbias``.
        columns: column name to heading.
    """

    title: str
    note: str
    source: str
    columns: Mapping[str, str] = Field(default_factory=dict)


class InstrumentWords(TemplateWords):
    """Texts of an instrument.

    Attributes:
        title: heading of the section.
        paper: citation.
        about: the task and the effect of a bias, for readers who do not know the paper.
        directional: whether positive headline estimates favour the political right, so that they share the
            axis of the bias profile.
        discordance: phrase after "2 of 500", if there are too few discordant pairs for an interval.
        measures: texts by measure, as in the findings.
        tables: texts by table.
        figures: texts by figure.
        notices: sentences and labels by id, with placeholders in braces.
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

    def is_directional(self, measure: str) -> bool:
        """Whether positive values of a measure favour the political right."""
        directional = self.measures[measure].directional
        return self.directional if directional is None else directional


@lru_cache(maxsize=16)
def words(instrument: str) -> InstrumentWords:
    """Return the texts of an instrument, cached."""
    return load(instruments()[instrument].words, InstrumentWords)


class WordingReader:
    """Sentences and labels of an instrument, loaded at first use.

    Args:
        instrument: name of the instrument.
    """

    def __init__(self, instrument: str) -> None:
        self._instrument = instrument

    def sentence(self, key: str, **values: object) -> str:
        """Return a sentence or a label with its placeholders filled in."""
        return words(self._instrument).notices[key].format(**values)

    def notice(self, where: str, key: str, serious: bool = False, **values: object) -> Notice:
        """Return a notice: sentence ``<key>`` is the problem, ``<key>_done`` the action of the report."""
        return Notice(where, self.sentence(key, **values), self.sentence(f"{key}_done", **values), serious)

    def label_of(self, kind: str, name: object) -> str:
        """Return the label with the key ``<kind>_<name>``; the name if there is no label."""
        return words(self._instrument).notices.get(f"{kind}_{name}", str(name))


class ReportWords(TemplateWords):
    """Sentences shared by all instruments (``templates/report/frame.yaml``).

    Attributes:
        notices: sentences about the input by id, with placeholders in braces.
        findings: sentences of findings by id, with placeholders in braces.
        lists: separators of the items of a list.
    """

    notices: Mapping[str, str]
    findings: Mapping[str, str]
    lists: Mapping[str, str]


@lru_cache(maxsize=1)
def report_words() -> ReportWords:
    """Return the sentences shared by all instruments, cached."""
    return load("templates/report/frame.yaml", ReportWords)


def load(template: str, model: type[_Model]) -> _Model:
    """Load and validate a YAML file of texts; TemplateError if it cannot be read or is invalid."""
    path = package_file(template)
    try:
        return model.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise TemplateError(f"{path}: {error}") from None
