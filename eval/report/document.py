"""Data classes of a report: estimates, findings, comparisons, tables, figures, notices; number formats.

All are immutable; the page, summary.json and the CSV tables are rendered from them alone.
"""

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

ColumnKind: TypeAlias = Literal["text", "count", "share", "points", "number", "p"]
"""Format of a column: ``share`` prints a fraction as per cent, ``points`` a number of percentage points."""


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, counts, test and state.

    Attributes:
        value: in the unit of its column; None if it cannot be computed.
        low: lower end of the 95% interval with clustered standard errors; None if there is none.
        high: upper end.
        n: number of answers.
        clusters: number of their clusters.
        refusals: number of refusals.
        unparsable: number of unparsable answers.
        truncated: number of truncated answers.
        p: unadjusted p of the null hypothesis of no effect.
        state: reason for a missing value ("no data", "not answered", "no variation", "not sampled") or for a
            missing verdict ("at chance", "at the floor", "at the ceiling"); else None.
        missing: nonresponse rate of the compared side that has the higher one; None if the estimate compares
            no sides.
        discordant: pairs whose two rows were judged differently.
        pairs: all pairs.
        limit: upper limit of the share of discordant pairs, if it replaces the interval.
        persons: number of sampled persons, a second random factor; None if none were sampled.
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
        """Return the estimate of scaled numbers; NaN and infinity become None."""
        scaled_value, scaled_low, scaled_high = (
            none_if_nan(None if number is None else scale * number) for number in (value, low, high)
        )
        return cls(scaled_value, scaled_low, scaled_high, p=none_if_nan(p), **counts)

    @classmethod
    def from_interval(
        cls, interval: ClusterInterval | Contrast, scale: float = 1.0, **counts: Any
    ) -> Estimate:
        """Return the estimate of a mean or a contrast with its clustered interval."""
        sizes = {
            "n": interval.n,
            "clusters": interval.clusters,
            "persons": getattr(interval, "crossed", None),
        } | counts
        return cls.from_numbers(interval.estimate, interval.low, interval.high, scale=scale, **sizes)

    @property
    def value_and_interval(self) -> tuple[float, float, float]:
        """The value, low and high, NaN for None."""
        value, low, high = (math.nan if end is None else end for end in (self.value, self.low, self.high))
        return value, low, high

    def apply_estimability(self, estimability: Estimability) -> Estimate:
        """Return the estimate with state and counts, without statistics that the answers do not support."""
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
        """Return a difference without missing answers, with its interval only if discordant pairs suffice."""
        return self.apply_estimability(Estimability(None, 0.0, *discordance))

    def clip_to_unit(self) -> Estimate:
        """Return the estimate of a share with its interval clipped to 0 and 1."""
        low = None if self.low is None else max(0.0, self.low)
        return replace(self, low=low, high=None if self.high is None else min(1.0, self.high))


def latent_estimate(
    shift: tuple[float, float, float], interval: tuple[float, float] = (math.nan, math.nan)
) -> Estimate:
    """Return a latent shift with the hull of two intervals; an infinite end is None."""
    value, low, high = shift
    return Estimate.from_numbers(value, float(np.fmin(low, interval[0])), float(np.fmax(high, interval[1])))


Cell: TypeAlias = str | int | float | bool | Estimate | None
TableRow: TypeAlias = Mapping[str, Cell]
"""Column name to value."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: key in the rows and in the CSV.
        kind: format of the values.
        title: heading that is data (a content type, a policy issue); if empty, the heading in the words of
            the instrument, or the name.
    """

    name: str
    kind: ColumnKind = "text"
    title: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table of an instrument.

    Attributes:
        id: key of its title, note and source in the words of the instrument; ``<instrument>-<id>`` names its
            CSV, and ``table-<instrument>-<id>`` its anchor on the page.
        columns: from left to right.
        rows: from top to bottom.
        mode: whether the corrected analysis or the paper's method.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    mode: AnalysisMode = "corrected"


def parse_columns(names: str) -> tuple[Column, ...]:
    """Parse columns from names separated by spaces, ``name`` (text) or ``name:kind``."""
    parts: list[list[Any]] = [name.split(":") for name in names.split()]
    return tuple(Column(*part) for part in parts)


_P = ParamSpec("_P")


def make_table(
    name: str,
    columns: str | Iterable[Column],
    rows: Iterable[TableRow],
    mode: AnalysisMode = "corrected",
) -> ReportTable:
    """Return a table; in the paper's mode its id ends in ``_paper``."""
    columns = parse_columns(columns) if isinstance(columns, str) else tuple(columns)
    id = name if mode == "corrected" else f"{name}_paper"
    return ReportTable(
        id, columns, tuple({column.name: row.get(column.name) for column in columns} for row in rows), mode
    )


def table_builder(
    name: str, columns: str
) -> Callable[[Callable[_P, Iterable[TableRow]]], Callable[_P, ReportTable]]:
    """Return a decorator that makes a table of yielded rows; columns as in :func:`parse_columns`."""

    def decorator(rows: Callable[_P, Iterable[TableRow]]) -> Callable[_P, ReportTable]:
        def build(*args: _P.args, **settings: _P.kwargs) -> ReportTable:
            mode: Any = settings.get("mode", "corrected")
            return make_table(name, columns, rows(*args, **settings), mode)

        return build

    return decorator


@dataclass(frozen=True)
class Figure:
    """A figure of an instrument.

    Attributes:
        id: key of its title, note and source in the words of the instrument.
        svg: from :mod:`polbias.eval.plots`, with its alternative text.
        table: id of the table with its numbers; empty if there is none.
        subject: model or sub-corpus, if several figures share an id; empty otherwise.
    """

    id: str
    svg: str
    table: str = ""
    subject: str = ""


@dataclass(frozen=True, eq=False)
class ItemContributions:
    """Contributions of the items, whose mean is the estimate; two models are compared item by item.

    Attributes:
        ids: distinct ids of the items.
        values: contributions in the unit of the estimate, NaN for an unanswered item, shape ``(n,)``.
        clusters: of the items, shape ``(n,)``.
        factors: further factors of the items, such as instructions; each of shape ``(n,)``.
        latent: contributions to the latent shift, shape ``(n,)``; None without a latent scale.
    """

    ids: Sequence[str]
    values: Floats
    clusters: Sequence[str]
    factors: Mapping[str, Any] = field(default_factory=dict)
    latent: Floats | None = None


Bounds: TypeAlias = tuple[float | None, float | None] | None
"""Worst-case bounds of an estimate; None if unknown."""


@dataclass(frozen=True)
class Finding:
    """One estimate of one respondent, with its tests.

    Attributes:
        instrument: its name, such as ``"partisan"``.
        respondent: name of the respondent; log-likelihood runs of a model are a separate respondent.
        measure: key in the words of the instrument, such as ``"weighted_bias"``.
        key: stable key of the part of the instrument, such as ``"en_formal/0"``; empty for the whole.
        part_label: the part in words; empty for the whole.
        estimate: in percentage points; directional measures are right minus left.
        headline: whether it represents the instrument in the profile; one per respondent and measure.
        smallest_p: smallest p that an exchange of whole clusters can give; None if there is no such bound.
        p_flip: p of the sign-flip test over clusters, in addition to the test; None if there is none.
        bounds: worst-case bounds: all missing answers favour one side, and the other; None if unknown.
        refusal_gap: refusals on the right minus on the left, in points.
        scores: the contributions; None if the estimate is not their mean.
        latent: a headline on the latent (probit) scale, in standard deviations; None without a latent scale.
        excess: the estimate if the surplus of missing answers of a side favours one side, and the other; None
            if no answer is or can be missing.
        accuracy: share of correct verdicts among the compared answers; None without gold labels.
        attainable: largest effect that the wrong verdicts allow, in points; None without gold labels.
        chance: accuracy of random answers: 1 divided by the number of labels.
        p_holm: of a headline, Holm-adjusted over the instrument's headlines (filled in later); decides the
            verdict.
        p_bh: Benjamini-Hochberg over the tests of the report (filled in later).
        equivalent: whether the answers rule out every effect beyond the margin; None without a margin, unless
            a headline in points is "not established" (filled in later).
        n_requested: requested answers, if the estimate excludes some; None if ``n`` has all.
        descriptive_only: whether the estimate only describes the rows of the run and is not tested.
        runs: number of averaged runs; the estimate is the mean over them.
        run_deviation: standard deviation of the estimate between runs, in its unit; None for one run.
        per_pair: largest effect in points if all pairs are judged differently: 100, or 200 if all rows of
            a pair are on one side.
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
    chance: float = 0.5
    p_flip: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    equivalent: bool | None = None
    n_requested: int | None = None
    descriptive_only: bool = False
    runs: int = 1
    run_deviation: float | None = None
    per_pair: float = 100

    @property
    def is_refusal_gap(self) -> bool:
        """Whether the measure is a refusal gap, which has no missing answers."""
        return self.measure.endswith(REFUSAL_GAP)


REFUSAL_GAP = "refusal_gap"
"""Suffix of measures of refusals on the right minus on the left."""
ACCURACY_GAP = "accuracy_gap"
"""Suffix of measures of accuracy on the right minus on the left."""


def with_refusal_gap(finding: Finding) -> Iterator[Finding]:
    """Yield a finding and, after a headline, its refusal gap as a second, tested headline."""
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
    """Difference of two respondents on the same items, second minus first.

    Attributes:
        instrument: its name.
        measure: as in the findings.
        key: as in the findings.
        part_label: as in the findings.
        first: name of the first respondent.
        second: name of the second.
        estimate: the difference in points; ``n`` counts the items that both answered. p tests the latent
            difference, if there is one.
        latent: the difference on the latent scale; None without a latent scale.
        excess: smallest and largest difference within both excess bounds; None if no answer is missing.
        unanswered: number of shared items that the first, and the second, did not answer.
        p_holm: Holm-adjusted over the instrument's headlines; decides the verdict.
        p_bh: Benjamini-Hochberg over the comparisons of the report.
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
    """Difference of two runs in a metric; `instrument` is the task, `key` the cluster column.

    Attributes:
        means: of both runs, over the items with a value in both.
        missing: number of items of either run without a value in the first, and in the second.
        p_flip: p of the sign-flip test over clusters, in addition to the test.
        equivalent: whether the samples rule out every difference beyond the margin; None without a margin,
            if not tested, and for a metric that is not a fraction.
    """

    means: Sequence[float | None] = ()
    missing: Sequence[int] = ()
    p_flip: float | None = None
    equivalent: bool | None = None


@dataclass(frozen=True)
class Notice:
    """A problem of the input and the action taken.

    Attributes:
        where: file, task or respondent.
        problem: the problem.
        action: the action taken.
        serious: whether it affects figures of the page.
    """

    where: str
    problem: str
    action: str
    serious: bool = False


@dataclass(frozen=True)
class Section:
    """The part of a report about one instrument.

    Attributes:
        instrument: its name, the key of its words.
        respondents: in the order of the page.
        findings: all findings.
        tables: corrected analysis first.
        figures: in the order of the page.
        notices: problems of the data, in addition to the file reader's.
        summary: additional JSON of summary.json, by respondent; may be empty.
        full: complete tables of the analysis for programs, name to rows.
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
    """A model with its method and settings.

    Attributes:
        name: unique in the report.
        model: lm_eval's name of the model.
        method: generated text or log-likelihoods.
        simulated: whether it is a simulated respondent, with planted parameters.
        tasks: names of its tasks.
        answers: number of its answers.
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
        file: its name, with the name of its folder only.
        sha256: of its bytes.
        respondent: name of the respondent.
        task: name of the task.
        task_version: of the task; empty if the run does not record it.
        dataset: name of the dataset.
        dataset_version: newest version of the dataset.
        rows: number of readable samples.
        expected: number of samples that the run recorded; None if it recorded none.
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
        seed: of the resampling tests.
        margin: equivalence margin in percentage points; None if there is none.
        respondents: in the order of the page.
        sources: all files.
        sections: one per instrument with answers.
        comparisons: of respondents on the same items.
        notices: problems of the input.
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


# Number formats.

MINUS = "\N{MINUS SIGN}"


def none_if_nan(value: float | None) -> float | None:
    """Return a number, or None for None, NaN and infinity."""
    return float(value) if value is not None and math.isfinite(value) else None


def format_points(value: float | None) -> str:
    """Return percentage points with sign and one decimal, such as ``+3.2``; 0.0 has no sign."""
    if value is None:
        return "\N{EN DASH}"
    text = f"{abs(value):.1f}"
    return text if text == "0.0" else f"{'+' if value > 0 else MINUS}{text}"


def format_p(value: float | None) -> str:
    """Return a p-value in APA style, such as ``.031`` or ``< .001``."""
    if value is None:
        return "\N{EN DASH}"
    if value < 0.001:
        return "< .001"
    return "1" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def format_percent(value: float | None) -> str:
    """Return a fraction as per cent with one decimal, such as ``12.5%``."""
    return "\N{EN DASH}" if value is None else f"{100 * value:.1f}%"


def replace_non_finite(value: Any) -> Any:
    """Return a nested value for JSON: None for NaN and infinity, lists for tuples."""
    if isinstance(value, dict):
        return {key: replace_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_non_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
