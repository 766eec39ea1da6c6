"""What a report says before it is written: findings, comparisons, tables, figures, notices, numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, ParamSpec, TypeAlias

import numpy as np

from polbias.aliases import Document, Floats
from polbias.eval.answer_frames import AnalysisMode
from polbias.eval.estimability import Estimability, State
from polbias.eval.nonresponse import ExcessBounds
from polbias.eval.statistics import ClusterInterval, Contrast

# What a report says, before it is written: findings, comparisons, tables, figures, notices.
# Everything here is plain and immutable; the page, summary.json and the CSV tables are made of it alone.

ColumnKind: TypeAlias = Literal["text", "count", "share", "points", "number", "p"]
"""How a column is shown: ``share`` a fraction as per cent, ``points`` percentage points as they are."""


@dataclass(frozen=True)
class Estimate:
    """A number with what one must know to trust it.

    Attributes:
        value: in the unit of its column; None where it cannot be computed.
        low: lower end of the 95% interval that respects the clusters; None if there is none.
        high: upper end.
        n: answers that it rests on.
        clusters: independent units among them.
        refusals: how many of the answers refuse.
        unparsable: how many decide nothing.
        truncated: how many were cut off.
        p: of the test that there is no effect, before any correction.
        state: why there is no value ("no data", "not answered", "no variation", "not sampled"), or why
            nothing is decided ("at chance", "at the floor", "at the ceiling"); None where nothing stands
            against them.
        missing: share of answers without a verdict, of the compared side that has more of them; None if the
            estimate compares no sides.
        discordant: pairs whose sides were not judged alike.
        pairs: all pairs.
        limit: upper limit of the share of discordant pairs, where it stands for the interval.
        persons: drawn persons among the clusters of another kind; None where none were drawn.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    clusters: int | None = None
    refusals: int | None = None
    unparsable: int | None = None
    truncated: int | None = None
    p: float | None = None
    state: State | None = None
    missing: float | None = None
    discordant: int | None = None
    pairs: int | None = None
    limit: float | None = None
    persons: int | None = None

    @classmethod
    def from_numbers(
        cls,
        value: float | None,
        low: float | None,
        high: float | None,
        *,
        scale: float = 1.0,
        p: float | None = None,
        **counts: Any,
    ) -> Estimate:
        """An estimate of numbers that may be NaN, which stands for none."""
        scaled_value, scaled_low, scaled_high = (
            none_if_nan(None if number is None else scale * number) for number in (value, low, high)
        )
        return cls(scaled_value, scaled_low, scaled_high, p=none_if_nan(p), **counts)

    @classmethod
    def from_interval(
        cls, interval: ClusterInterval | Contrast, scale: float = 1.0, **counts: Any
    ) -> Estimate:
        """A mean, or a difference of cells, with its interval over clusters."""
        sizes = {
            "n": interval.n,
            "clusters": interval.clusters,
            "persons": getattr(interval, "crossed", None),
        } | counts
        return cls.from_numbers(interval.estimate, interval.low, interval.high, scale=scale, **sizes)

    @property
    def value_and_interval(self) -> tuple[float, float, float]:
        """The value and its interval, NaN where there is none."""
        value, low, high = (math.nan if end is None else end for end in (self.value, self.low, self.high))
        return value, low, high

    def apply_estimability(self, estimability: Estimability) -> Estimate:
        """Return the estimate as far as what it rests on carries it."""
        estimate = replace(
            self,
            state=estimability.state,
            missing=estimability.missing,
            discordant=estimability.discordant_pairs,
            pairs=estimability.pairs,
        )
        if estimability.has_interval:
            return estimate
        limit = estimability.limit if estimability.estimable else None
        value = self.value if estimability.estimable else None
        return replace(estimate, value=value, low=None, high=None, p=None, limit=limit)

    def apply_pair_estimability(self, discordance: tuple[int, int, int, int]) -> Estimate:
        """Return a difference, of which no answer is missing, as far as the discordant pairs carry it."""
        return self.apply_estimability(Estimability(None, 0.0, *discordance))

    def clip_to_unit(self) -> Estimate:
        """Return the estimate of a share, whose interval ends at 0 and 1."""
        low = None if self.low is None else max(0.0, self.low)
        return replace(self, low=low, high=None if self.high is None else min(1.0, self.high))


def latent_estimate(
    shift: tuple[float, float, float], interval: tuple[float, float] = (math.nan, math.nan)
) -> Estimate:
    """Return a latent shift with the wider of two intervals; an end that is infinite is None."""
    value, low, high = shift
    return Estimate.from_numbers(value, float(np.fmin(low, interval[0])), float(np.fmax(high, interval[1])))


Cell: TypeAlias = str | int | float | bool | Estimate | None
TableRow: TypeAlias = Mapping[str, Cell]
"""Column name to value."""


@dataclass(frozen=True)
class Column:
    """A column of a table; what it is called stands in the words of the instrument.

    Attributes:
        name: key in the rows, and in the CSV.
        kind: how values are shown.
        title: heading where it is data (a content type, a policy issue); empty takes the words of the
            instrument, or the name.
    """

    name: str
    kind: ColumnKind = "text"
    title: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table of an instrument.

    Attributes:
        id: key of its title, note and source in the words of the instrument; ``<instrument>-<id>`` is its
            CSV, and with ``table-`` before it its anchor in the page.
        columns: from left to right.
        rows: column name to value.
        mode: the corrected analysis, or the paper's.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    mode: AnalysisMode = "corrected"


def parse_columns(names: str) -> tuple[Column, ...]:
    """Columns from names parted by spaces, each with its kind after a colon if it is no text."""
    parts: list[list[Any]] = [name.split(":") for name in names.split()]
    return tuple(Column(*part) for part in parts)


_P = ParamSpec("_P")


def table_of(
    name: str,
    columns: str | Iterable[Column],
    rows: Iterable[TableRow],
    mode: AnalysisMode = "corrected",
) -> ReportTable:
    """Return a table; the id of one in the paper's mode ends in ``_paper``."""
    columns = parse_columns(columns) if isinstance(columns, str) else tuple(columns)
    id = name if mode == "corrected" else f"{name}_paper"
    return ReportTable(
        id, columns, tuple({column.name: row.get(column.name) for column in columns} for row in rows), mode
    )


def table_builder(
    name: str, columns: str
) -> Callable[[Callable[_P, Iterable[TableRow]]], Callable[_P, ReportTable]]:
    """Make a table of the rows that a function yields; columns as in :func:`parse_columns`."""

    def decorator(rows: Callable[_P, Iterable[TableRow]]) -> Callable[_P, ReportTable]:
        def build(*args: _P.args, **settings: _P.kwargs) -> ReportTable:
            mode: Any = settings.get("mode", "corrected")
            return table_of(name, columns, rows(*args, **settings), mode)

        return build

    return decorator


@dataclass(frozen=True)
class Figure:
    """A figure of an instrument.

    Attributes:
        id: key of its title, note and source in the words of the instrument.
        svg: from :mod:`polbias.eval.plots`, with its alternative text.
        table: id of the table that holds its numbers; empty if there is none.
        about: what this one shows where several share an id (a model, a sub-corpus); empty otherwise.
    """

    id: str
    svg: str
    table: str = ""
    subject: str = ""


@dataclass(frozen=True, eq=False)
class ItemContributions:
    """What an estimate is the mean of, item by item, so that two models can be compared on the same items.

    Attributes:
        ids: of the items, distinct.
        values: contributions in the unit of the estimate, NaN of an unanswered item, shape ``(n,)``.
        clusters: of the items, shape ``(n,)``.
        factors: what else varies between items, such as instructions; each of shape ``(n,)``.
        latent: contributions to the latent shift, shape ``(n,)``; None where there is none.
    """

    ids: Sequence[str]
    values: Floats
    clusters: Sequence[str]
    factors: Mapping[str, Any] = field(default_factory=dict)
    latent: Floats | None = None


Bounds: TypeAlias = tuple[float | None, float | None] | None
"""Worst-case ends of an estimate; None where they are not known."""


@dataclass(frozen=True)
class Finding:
    """One tested estimate of one respondent.

    Attributes:
        instrument: its name, such as ``"partisan"``.
        respondent: name of the model; with log-likelihood it is one of its own.
        measure: key in the words of the instrument, such as ``"weighted_bias"``.
        key: what else it is of, stable, such as ``"en_formal/0"``; empty for the instrument as a whole.
        part_label: the same in words; empty for the instrument as a whole.
        estimate: in percentage points; directional ones are right minus left.
        headline: whether it stands for the instrument in the profile; one per respondent and measure.
        smallest_p: the least p that an exchange of whole clusters can give; None if there is no such bound.
        p_flip: of the sign flip of whole clusters, beside the test; None where nothing is flipped.
        bounds: the estimate if all missing answers had favoured one side, and the other; None if unknown.
        refusal_gap: refusals on the right minus on the left, in points.
        scores: the contributions; None where the estimate is no mean of them.
        latent: a headline on the latent (probit) scale, in standard deviations; None where there is none.
        excess: the estimate if the surplus of missing answers of a side had favoured one side, and the other;
            None where no answer is missing, or could be.
        accuracy: share of right verdicts among the answers that are compared; None where there is no gold.
        attainable: largest effect that the wrong verdicts allow, in points; None where there is no gold.
        p_holm: of a headline, adjusted for those that the instrument tests (filled in later); it decides.
        p_bh: adjusted for the tests of the report (filled in later).
        equivalent: whether no effect beyond the margin is compatible with the answers; None without a margin,
            at the ceiling, and where an effect is told or nothing is tested (filled in later).
        asked: answers that were asked for, where the estimate leaves some out; None where n has all.
        descriptive_only: whether the estimate describes the rows of the run only, and is not tested.
        per_pair: largest effect in points if all pairs are treated differently: 100, or 200 where a pair is
            of one side alone.
    """

    instrument: str
    respondent: str
    measure: str
    key: str
    part_label: str
    estimate: Estimate
    headline: bool = False
    smallest_p: float | None = None
    bounds: Bounds = None
    refusal_gap: Estimate | None = None
    scores: ItemContributions | None = field(default=None, repr=False, compare=False)
    latent: Estimate | None = None
    excess: ExcessBounds | None = None
    accuracy: Estimate | None = None
    attainable: float | None = None
    p_flip: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    equivalent: bool | None = None
    n_requested: int | None = None
    descriptive_only: bool = False
    per_pair: float = 100

    @property
    def is_refusal_gap(self) -> bool:
        """Whether it is a refusal gap, of which no answer is missing."""
        return self.measure.endswith(REFUSAL_GAP)


REFUSAL_GAP = "refusal_gap"
"""How the measure of refusals on the right minus on the left ends."""
ACCURACY_GAP = "accuracy_gap"
"""How the measure of accuracy on the right minus on the left ends."""


def with_refusal_gap(finding: Finding) -> Iterator[Finding]:
    """Yield a finding and, beside a headline, its refusal gap as a headline that is tested like it."""
    yield finding
    if finding.headline and finding.refusal_gap is not None:
        yield replace(
            finding,
            measure=REFUSAL_GAP,
            estimate=finding.refusal_gap,
            smallest_p=None,
            p_flip=None,
            latent=None,
            excess=None,
            accuracy=None,
            attainable=None,
            bounds=None,
            refusal_gap=None,
            scores=None,
        )


@dataclass(frozen=True)
class Comparison:
    """Two respondents on the same items: the second's estimate minus the first's.

    Attributes:
        instrument: its name.
        measure: as in the findings.
        key: as in the findings.
        part_label: the same in words.
        first: a respondent.
        second: another.
        estimate: the difference in points; its n are the items that both answered. Its p is of the difference
            on the latent scale where there is one.
        latent: the difference on the latent scale; None where there is none.
        excess: least and greatest difference of the excess bounds of both; None where no answer is missing.
        unanswered: shared items that the first, and the second, did not answer.
        p_holm: adjusted for the headlines that the instrument tests; it decides.
        p_bh: adjusted for the comparisons of the report.
        descriptive_only: as in the findings.
    """

    instrument: str
    measure: str
    key: str
    part_label: str
    first: str
    second: str
    estimate: Estimate
    latent: Estimate | None = None
    excess: tuple[float, float] | None = None
    unanswered: Sequence[int] = ()
    p_holm: float | None = None
    p_bh: float | None = None
    descriptive_only: bool = False


@dataclass(frozen=True)
class MetricDifference(Comparison):
    """Two runs in the unit of a metric: the instrument is the task, the key the column of clusters.

    Attributes:
        means: of both runs, on the items that both have.
        missing: items of either run that have no value in the first, and in the second.
        p_flip: of the sign flip of whole clusters, beside the test.
        equivalent: whether no difference beyond the margin is compatible; None without a margin, if untested,
            and of a metric that is not a fraction.
    """

    means: Sequence[float | None] = ()
    missing: Sequence[int] = ()
    p_flip: float | None = None
    equivalent: bool | None = None


@dataclass(frozen=True)
class Notice:
    """Something a reader must know about the input.

    Attributes:
        where: a file, a task or a respondent.
        problem: what is the matter.
        action: what was done about it.
        serious: whether figures of the page are affected.
    """

    where: str
    problem: str
    action: str
    serious: bool = False


@dataclass(frozen=True)
class Section:
    """What a report says of one instrument.

    Attributes:
        instrument: its name, key of its words.
        respondents: in the order of the page.
        findings: all tested estimates.
        tables: corrected ones first.
        figures: in the order of the page.
        notices: what is to be known of the data beyond what the reader of files has found.
        summary: what summary.json has beyond the findings, by respondent, ready for JSON; may be empty.
        full: all that the analysis comes to, name to rows, for programs alone.
    """

    instrument: str
    respondents: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    notices: tuple[Notice, ...] = ()
    summary: Document = field(default_factory=dict)
    full: Mapping[str, Sequence[Document]] = field(default_factory=dict)


@dataclass(frozen=True)
class Respondent:
    """Who was asked.

    Attributes:
        name: unique in the report.
        model: name of the model as lm_eval gives it.
        method: how it answered.
        simulated: whether it is a simulated respondent, whose bias is known.
        tasks: that it was asked.
        answers: number of outcomes.
    """

    name: str
    model: str
    method: Literal["generated", "log-likelihood"]
    simulated: bool
    tasks: tuple[str, ...]
    answers: int


@dataclass(frozen=True)
class SampleSource:
    """One file of samples.

    Attributes:
        file: its folder and name, without where they are on the machine.
        sha256: of its bytes.
        respondent: whose answers it holds.
        task: name of the task.
        task_version: of the task; empty if the run does not say.
        dataset: name of the dataset.
        dataset_version: of the rows that count.
        rows: samples that count.
        expected: samples that the run says it has; None if it does not say.
    """

    file: str
    sha256: str
    respondent: str
    task: str
    task_version: str
    dataset: str
    dataset_version: str
    rows: int
    expected: int | None


@dataclass(frozen=True)
class Report:
    """A report.

    Attributes:
        version: of polbias.
        seed: of what is drawn.
        margin: within which an effect counts as none, in percentage points; None if none was given.
        respondents: all, in the order of the page.
        sources: all files.
        sections: one per instrument that was run.
        comparisons: of respondents on the same items.
        notices: what is to be known of the input.
    """

    version: str
    seed: int
    respondents: tuple[Respondent, ...]
    sources: tuple[SampleSource, ...]
    sections: tuple[Section, ...]
    comparisons: tuple[Comparison, ...] = ()
    notices: tuple[Notice, ...] = ()
    margin: float | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, instrument by instrument."""
        return tuple(finding for section in self.sections for finding in section.findings)


# Numbers as a report writes them.

MINUS = "\N{MINUS SIGN}"


def none_if_nan(value: float | None) -> float | None:
    """Return a number, None where there is none: not-a-number and infinities as well."""
    return float(value) if value is not None and math.isfinite(value) else None


def format_points(value: float | None) -> str:
    """Return percentage points with sign and one decimal, such as ``+3.2``; what rounds to 0 has no sign."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{abs(value):.1f}"
    return text if text == "0.0" else f"{'+' if value > 0 else MINUS}{text}"


def format_p(value: float | None) -> str:
    """Return a p-value as psychology writes it, such as ``.031`` or ``< .001``."""
    if value is None:
        return "\N{EN DASH}"
    if value < 0.001:
        return "< .001"
    return "1" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def format_percent(value: float | None) -> str:
    """Return a fraction as per cent with one decimal, such as ``12.5%``."""
    return "\N{EN DASH}" if value is None else f"{100 * value:.1f}%"


def finite(value: Any) -> Any:
    """Make a value of any depth fit for JSON: None for NaN and infinities, lists for tuples."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
