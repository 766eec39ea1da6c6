"""Findings in plain language: labels, verdicts, and sentences that say what the intervals allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from polbias.eval.report.document import (
    ACCURACY_GAP,
    MINUS,
    Bounds,
    Comparison,
    Estimate,
    Finding,
    Notice,
    Report,
    Section,
    p_value,
    points,
    share,
)
from polbias.eval.support import State
from polbias.eval.variance import points_at
from polbias.files import TemplateError, package_file
from polbias.registry import instruments

# What an instrument calls its measures, tables and figures.

_Model = TypeVar("_Model", bound=BaseModel)


class Worded(BaseModel):
    """Words that are read from a template."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(Worded):
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


class Shown(Worded):
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


class Words(Worded):
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
    tables: Mapping[str, Shown] = Field(default_factory=dict)
    figures: Mapping[str, Shown] = Field(default_factory=dict)
    notices: Mapping[str, str] = Field(default_factory=dict)

    def tells_sides(self, measure: str) -> bool:
        """Return whether a measure tells left from right."""
        own = self.measures[measure].directional
        return self.directional if own is None else own


@lru_cache(maxsize=16)
def words(instrument: str) -> Words:
    """Return the words of an instrument."""
    return load(instruments()[instrument].words, Words)


class Wording:
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

    def called(self, kind: str, name: object) -> str:
        """Return what something is called; what the words do not know keeps its name."""
        return words(self._instrument).notices.get(f"{kind}_{name}", str(name))


class Frame(Worded):
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
def frame() -> Frame:
    """Return the words of the frame."""
    return load("templates/report/frame.yaml", Frame)


def load(place: str, model: type[_Model]) -> _Model:
    """Read words from a template."""
    path = package_file(place)
    try:
        return model.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise TemplateError(f"{path}: {error}") from None


# What a tested estimate establishes, and what it does not.

LEVEL = 0.05
"""Of the tests, after correction; intervals have 1 - LEVEL."""
FEWEST = 10
"""Clusters below which nothing is tested."""
FEWEST_PERSONS = 8
"""Drawn persons below which nothing is tested."""
CHANCE = 0.5
"""Accuracy of whoever answers by lot, with two labels."""

Verdict: TypeAlias = Literal[
    "established",
    "found among the answers given",
    "not established",
    "at chance",
    "at the ceiling",
    "too few to be tested",
    "described",
    "no variation",
    "not answered",
    "no interval",
    "not computed",
]
"""The words of the page, of summary.json and of the documentation alike."""

Doubt: TypeAlias = Literal["latent", "excess"]
"""A condition of what is established that fails: 0 in the latent interval, or in the nearer excess bound."""


def verdict(found: Finding | Comparison) -> Verdict:
    """Return what may be said of an estimate."""
    estimate = found.estimate
    if estimate.state is not None:
        return estimate.state
    if estimate.value is None:
        return "not computed"
    if estimate.low is None or estimate.high is None:
        return "no interval"
    if found.described:
        return "described"
    if few(estimate):
        return "too few to be tested"
    if not significant(found) or (isinstance(found, Comparison) and spans_zero(estimate)):
        return "not established"
    return "found among the answers given" if doubts(found) else "established"


def significant(found: Finding | Comparison) -> bool:
    """Whether the p of an estimate, corrected for the headlines of its instrument, is below the level."""
    return found.p_holm is not None and found.p_holm < LEVEL


def doubts(found: Finding | Comparison) -> tuple[Doubt, ...]:
    """Return which conditions of what is established fail.

    Where there is a gold label the interval of the latent shift must exclude 0 on the side of the estimate,
    and where answers are missing so must the nearer excess bound; of a comparison that bound alone.
    """
    if found.estimate.value is None:
        return ()
    sign, failed = math.copysign(1, found.estimate.value), list[Doubt]()
    if isinstance(found, Comparison):
        return ("excess",) if found.excess and sign * found.excess[sign < 0] <= 0 else ()
    if found.accuracy is not None and not _excludes_zero(found.latent, sign):
        failed.append("latent")
    if found.excess is not None and not found.excess.exclude_zero(sign):
        failed.append("excess")
    return tuple(failed)


def _excludes_zero(estimate: Estimate | None, sign: float) -> bool:
    end = None if estimate is None else estimate.low if sign > 0 else estimate.high
    return end is not None and sign * end > 0


def state_of_accuracy(finding: Finding, margin: float | None) -> State | None:
    """Return whether a respondent is at chance, or at the ceiling: too rarely wrong for the margin."""
    accuracy, attainable = finding.accuracy, finding.attainable
    if finding.estimate.state is not None or accuracy is None or accuracy.low is None:
        return finding.estimate.state
    if accuracy.low <= CHANCE:
        return "at chance"
    too_few_errors = margin is not None and attainable is not None and attainable < margin
    return "at the ceiling" if too_few_errors else None


def spans_zero(estimate: Estimate) -> bool:
    """Whether an estimate has an interval with 0 in it."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= 0 <= estimate.high


def few(estimate: Estimate) -> bool:
    """Whether an estimate rests on too few clusters to be tested."""
    persons = estimate.persons is not None and estimate.persons < FEWEST_PERSONS
    return persons or (estimate.clusters is not None and estimate.clusters < FEWEST)


def tested(found: Finding | Comparison) -> bool:
    """Whether an estimate is one of the tests that are corrected for each other."""
    return found.estimate.p is not None and not few(found.estimate)


def tells_sides(found: Finding | Comparison) -> bool:
    """Whether an estimate tells left from right."""
    return words(found.instrument).tells_sides(found.measure)


def p_tested(found: Finding | Comparison) -> float:
    """Return the p of a test, NaN of an estimate that is none."""
    return float(found.estimate.p or 0.0) if tested(found) else math.nan


def headlines(instrument: str) -> int:
    """Return how many headlines an instrument tests, whatever was run (docs/statistics.md, "Decisions")."""
    own = instruments().get(instrument)
    return len(own.headlines) if own else 0


def largest(estimate: Estimate, bounds: Bounds = None, unit: float = 100) -> float | None:
    """The largest effect that is compatible with the answers; one pair has an effect of a unit at most."""
    limit = None if estimate.limit is None else unit * estimate.limit
    ends = [estimate.low, estimate.high, limit, *_bound_ends(estimate, bounds)]
    return max((abs(end) for end in ends if end is not None), default=None)


def _bound_ends(estimate: Estimate, bounds: Bounds) -> tuple[float | None, ...]:
    """The worst-case bounds, each further out by half of the interval."""
    low, high = bounds or (None, None)
    if None in (estimate.value, estimate.low, estimate.high) or low is None or high is None:
        return low, high
    value, *interval = estimate.ends
    return low - (value - interval[0]), high + (interval[1] - value)


def within(estimate: Estimate, margin: float | None, bounds: Bounds = None, unit: float = 100) -> bool | None:
    """Whether an estimate is equivalent to none: two one-sided tests at .025, and worst-case bounds."""
    most = largest(estimate, bounds, unit)
    return None if margin is None or most is None else most <= margin


def equivalent(finding: Finding, margin: float | None) -> bool | None:
    """Return whether a headline without an effect rules out all beyond the margin; None if not applicable."""
    asked = finding.headline and verdict(finding) == "not established"
    if not asked or _measure(finding).unit != "points":
        return None
    return within(finding.estimate, margin, finding.bounds, finding.per_pair)


# Findings in plain language: sentences that say what the intervals allow, and no more.

_ITEMS = 8  # of a list in a sentence; the rest stands in the table
_SILENT = 0.01  # share of answers without a judgement that is worth a sentence


@dataclass(frozen=True)
class Paragraphs:
    """What a report says in words.

    Attributes:
        overview: of the whole report.
        respondents: a line for each.
        by_section: instrument to one paragraph per respondent and headline measure.
        comparisons: of respondents with each other.
    """

    overview: tuple[str, ...] = ()
    respondents: tuple[str, ...] = ()
    by_section: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comparisons: tuple[str, ...] = ()


def paragraphs(report: Report) -> Paragraphs:
    """Put a report into words; two runs of any tasks have none."""
    if not report.sections:
        return Paragraphs()
    return Paragraphs(
        overview=tuple(_overview(report)),
        respondents=tuple(_by_respondent(report)),
        by_section={
            section.instrument: tuple(_of_section(section, report.margin)) for section in report.sections
        },
        comparisons=tuple(_of_comparisons(report)),
    )


def sentence(finding: Finding) -> str:
    """Say what a finding establishes."""
    phrases, estimate, shown = frame().findings, finding.estimate, verdict(finding)
    key = shown.replace(" ", "_")
    if shown == "not established" and not spans_zero(estimate):
        key = "not_established_corrected"
    if shown == "no interval" and estimate.limit is not None:
        key = "no_interval_pairs"
    if shown == "at the ceiling" and finding.accuracy and finding.accuracy.value == 1:
        key = "at_the_ceiling_all"
    measure, name = _measure(finding), _named(finding)
    most, accuracy = largest(estimate, unit=finding.per_pair), finding.accuracy or Estimate(None)
    text = phrases[key].format(
        respondent=finding.respondent,
        direction=_direction(finding),
        fixed=f", {measure.fixed}" if measure.fixed else "",
        measure=name,
        measure_first=name[:1].upper() + name[1:],
        unit=phrases[f"unit_{measure.unit}"],
        **_interval(finding),
        interval="" if estimate.low is None else phrases["interval"].format(**_interval(finding)),
        largest="" if most is None else _magnitude(finding, most),
        clusters=estimate.clusters,
        discordant=f"{estimate.discordant:,}" if estimate.discordant else phrases["none"],
        pairs=f"{estimate.pairs or 0:,}",
        limit=_upper(finding.per_pair * (estimate.limit or 0.0)),
        discordance=words(finding.instrument).discordance,
        answered=share(None if estimate.missing is None else 1 - estimate.missing),
        accuracy=_accuracy(accuracy.value),
        accuracy_low=share(accuracy.low),
        accuracy_high=share(accuracy.high),
        attainable=_upper(finding.attainable or 0.0),
        latent=_latent(finding.latent),
        p_holm=p_value(finding.p_holm),
        tests=headlines(finding.instrument),
        persons="" if estimate.persons is None else phrases["persons"].format(count=estimate.persons),
    )
    if shown in ("at chance", "at the ceiling") and significant(finding) and not doubts(finding):
        effect = phrases[f"{shown.replace(' ', '_')}_but"].format(
            direction=_direction(finding), p_holm=p_value(finding.p_holm)
        )
        text = f"{text} {effect}"
    if shown == "found among the answers given":
        text = " ".join([text, *_reservations(finding)])
    return text


def _latent(latent: Estimate | None) -> str:
    """The latent shift and its interval in words, and what it would come to on harder items."""
    phrases = frame().findings
    if latent is None or latent.value is None:
        return phrases["latent_none"]
    if latent.low is None or latent.high is None:
        key = "latent_at_most" if latent.high is not None else "latent_at_least"
        key = key if (latent.low, latent.high) != (None, None) else "latent_unbounded"
        return phrases[key].format(low=_signed(latent.low), high=_signed(latent.high))
    most = points_at(max(abs(latent.low), abs(latent.high)))
    ends = {name: _signed(getattr(latent, name)) for name in ("value", "low", "high")}
    return phrases["latent"].format(**ends, points=f"{most:.0f}")


def _reservations(finding: Finding) -> Iterator[str]:
    """Say which condition fails, and how far the missing answers reach."""
    phrases, excess, latent = frame().findings, finding.excess, finding.latent or Estimate(None)
    for doubt in doubts(finding):
        if doubt == "excess" and excess is not None:
            yield phrases["doubt_excess"].format(low=points(excess.low), high=points(excess.high))
        elif latent.low is None or latent.high is None:
            yield phrases["doubt_latent_unbounded"]
        else:
            key = "doubt_latent_accuracy" if finding.measure.endswith(ACCURACY_GAP) else "doubt_latent"
            yield phrases[key].format(low=_signed(latent.low), high=_signed(latent.high))
    value, bounds = finding.estimate.value, finding.bounds
    if excess is None or value is None or bounds is None:
        return
    near = bounds[0] if value > 0 else bounds[1]
    if near is None:
        return
    turned = value / (value - near) if (value - near) * value > 0 else math.inf
    yield phrases["turned" if turned <= 1 else "not_turned"].format(share=share(min(turned, 1.0)))


def _of_section(section: Section, margin: float | None) -> Iterator[str]:
    phrases = frame().findings
    for finding in (finding for finding in section.findings if finding.headline):
        estimate = finding.estimate
        parts = [sentence(finding)]
        if finding.equivalent is not None:
            key = "equivalent" if finding.equivalent else "not_equivalent"
            parts.append(phrases[key].format(margin=margin, measure=_named(finding)))
        counts = {name: getattr(estimate, name) or 0 for name in ("refusals", "unparsable", "truncated")}
        unanswered, n = sum(counts.values()), finding.asked or estimate.n
        if not finding.of_refusals and n and unanswered > _SILENT * n:
            parts.append(phrases["silent"].format(share=share(unanswered / n), **counts))
            if finding.bounds and None not in finding.bounds:
                lowest, highest = (points(end) for end in finding.bounds)
                parts.append(phrases["bounds"].format(lowest=lowest, highest=highest))
        yield " ".join([*parts, *_others(section, finding)])


def _others(section: Section, headline: Finding) -> Iterator[str]:
    """Say what may be said of the other estimates of the same measure, of which none is decided."""
    said = frame().findings
    others = [
        each
        for each in section.findings
        if not each.headline
        and each.respondent == headline.respondent
        and each.measure == headline.measure
        and each.estimate.n
    ]
    if not others:
        return
    yield said["more_one" if len(others) == 1 else "more"].format(count=len(others))


def _overview(report: Report) -> Iterator[str]:
    said = frame().findings
    titles = [words(section.instrument).title for section in report.sections]
    yield said["overview"].format(
        respondents=_counted(len(report.respondents), "respondents") + _simulated(report),
        answers=sum(each.answers for each in report.respondents),
        instruments=_counted(len(titles), "instruments") + f" ({_listed(titles)})",
    )
    found = [finding for finding in report.findings if finding.headline]
    sure = sum(verdict(finding) == "established" for finding in found)
    key = "overview_one" if sure == 1 else "overview_some" if sure else "overview_none"
    yield said[key].format(established=sure, headlines=len(found))
    tests = [finding for finding in found if tested(finding)]
    compared = [comparison for comparison in report.comparisons if tested(comparison)]
    if tests:
        yield said["overview_decisions"].format(tests=_tests(len(tests)), chance=f"{by_chance(tests):.2f}")
    if compared:
        key, chance = "overview_decisions_compared", f"{by_chance(compared):.2f}"
        yield said[key].format(tests=_tests(len(compared)), chance=chance)
    if not all(map(tells_sides, found)):
        yield said["overview_beside"]


def _tests(count: int) -> str:
    return frame().findings["tests_one" if count == 1 else "tests"].format(count=count)


def by_chance(tests: Sequence[Finding | Comparison]) -> float:
    """Return how many tests chance alone would establish: Holm spends .05 on an instrument's headlines."""
    return sum(LEVEL / max(headlines(test.instrument), 1) for test in tests)


def _by_respondent(report: Report) -> Iterator[str]:
    """One line for every respondent."""
    said = frame().findings
    found = [finding for finding in report.findings if finding.headline]
    by_name = {
        respondent.name: [finding for finding in found if finding.respondent == respondent.name]
        for respondent in report.respondents
    }
    ordered = sorted(report.respondents, key=lambda respondent: _rank(by_name[respondent.name]))
    for respondent in ordered[:_ITEMS]:
        own = by_name[respondent.name]
        items = frame().lists["semicolon"].join(_told(own))
        key = "overview_line" if items else _nothing_told(own, respondent.answers)
        intervals = frame().lists["comma"].join(_intervals(own))
        yield said[key].format(respondent=respondent.name, items=items, intervals=intervals)
    if len(report.respondents) > _ITEMS:
        yield said["overview_rest"].format(count=len(report.respondents) - _ITEMS)


def _rank(own: Sequence[Finding]) -> bool:
    """Sort respondents of whom something but a refusal gap is established before the others."""
    return not any(verdict(finding) == "established" and not finding.of_refusals for finding in own)


def _intervals(own: Sequence[Finding]) -> Iterator[str]:
    """The intervals of what is not established."""
    for finding in own:
        if verdict(finding) == "not established" and not finding.of_refusals:
            unit = frame().findings[f"unit_{_measure(finding).unit}_short"]
            yield (
                frame()
                .findings["overview_interval"]
                .format(measure=_named(finding), unit=unit, **_interval(finding))
            )


def _nothing_told(own: Sequence[Finding], answers: int) -> str:
    """The key of the line of a respondent of whom neither an effect nor a state is told."""
    if not answers:
        return "overview_no_answers"
    if not any(finding.estimate.value is not None for finding in own):
        return "overview_no_headline"
    has_interval = any(verdict(finding) == "not established" for finding in own)
    return "overview_open" if has_interval else "overview_undecided"


def _told(own: Sequence[Finding]) -> Iterator[str]:
    """What the summary says of a respondent: states first, then effects, established ones before others."""
    phrases = frame().findings
    for state in ("not answered", "no variation", "at chance", "at the ceiling"):
        titles = [words(finding.instrument).title for finding in own if finding.estimate.state == state]
        if titles:
            key = f"overview_{state.replace(' ', '_')}"
            yield phrases[key].format(instruments=_listed([*dict.fromkeys(titles)]))
    for name in ("established", "found among the answers given", "too few to be tested", "described"):
        for finding in own:
            if verdict(finding) == name and not spans_zero(finding.estimate):
                key = "overview_item" if name == "established" else "overview_unsure"
                if name == "found among the answers given":
                    key = f"overview_found_{doubts(finding)[-1]}"
                yield phrases[key].format(
                    verdict=name,
                    direction=_direction(finding),
                    measure=_named(finding),
                    unit=phrases[f"unit_{_measure(finding).unit}_short"],
                    **_interval(finding),
                    instrument=words(finding.instrument).title,
                )


def _of_comparisons(report: Report) -> Iterator[str]:
    said = frame().findings
    if not report.comparisons:
        yield said["compared_not"]
        return
    sure = [each for each in report.comparisons if verdict(each) == "established"]
    if not sure:
        yield said["compared_none"].format(comparisons=len(report.comparisons))
        return
    yield said["compared_some"].format(comparisons=len(report.comparisons), established=len(sure))
    if len(sure) <= _ITEMS:
        for each in sure:
            yield _compared(each)


def _compared(each: Comparison) -> str:
    estimate = each.estimate
    return (
        frame()
        .findings["compared"]
        .format(
            first=each.first,
            second=each.second,
            **_interval(each),
            unit=frame().findings[f"unit_{_measure(each).unit}_short"],
            n=estimate.n or 0,
            p_holm=p_value(each.p_holm),
            measure=_named(each),
            instrument=words(each.instrument).title,
        )
    )


def _direction(finding: Finding) -> str:
    measure = _measure(finding)
    said = measure.positive if (finding.estimate.value or 0) > 0 else measure.negative
    return said.strip().rstrip(".")


def _measure(found: Finding | Comparison) -> Measure:
    return words(found.instrument).measures[found.measure]


def _named(found: Finding | Comparison) -> str:
    title = _measure(found).title
    name = title[:1].lower() + title[1:]
    return f"{name} ({found.about})" if found.about else name


def _interval(found: Finding | Comparison) -> dict[str, str]:
    """The value of an estimate and the ends of its interval, in its unit."""
    write = points if _measure(found).unit == "points" else _signed
    return {name: write(getattr(found.estimate, name)) for name in ("value", "low", "high")}


def _magnitude(finding: Finding, value: float) -> str:
    """The size of an effect in its unit, without a sign."""
    return f"{value:.1f}" if _measure(finding).unit == "points" else f"{value:.2f}"


def _signed(value: float | None) -> str:
    """A number with its sign and two decimals."""
    return "\N{EN DASH}" if value is None else f"{value:+.2f}".replace("-", MINUS)


def _accuracy(value: float | None) -> str:
    """A share of right verdicts, which rounds to 100% only where all are right."""
    if value is None or value < 0.9995:
        return share(value)
    return frame().findings["all"] if value == 1 else f"{math.floor(10_000 * value) / 100:.2f}%"


def _upper(value: float) -> str:
    """An upper limit in points, rounded up, with two decimals where it is small."""
    digits = 2 if value < 1 else 1
    return f"{math.ceil(10**digits * value - 1e-9) / 10**digits:.{digits}f}"


def _counted(count: int, noun: str) -> str:
    return frame().findings[f"{noun}_one" if count == 1 else noun].format(count=count)


def _simulated(report: Report) -> str:
    """How many of the respondents are simulated, to be said with their number."""
    count = sum(each.simulated for each in report.respondents)
    key = "simulated_all" if count == len(report.respondents) else "simulated_some"
    return frame().findings[key].format(count=count) if count else ""


def _listed(items: Sequence[str]) -> str:
    lists = frame().lists
    if len(items) < 2:
        return "".join(items)
    return lists["and"].join([lists["comma"].join(items[:-1]), items[-1]])
