"""Findings in plain language: sentences that say what the intervals allow, and no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from polbias.eval.report.document import Comparison, Finding, Report, Section
from polbias.eval.report.numbers import p_value, points, share
from polbias.eval.report.verdicts import Verdict, largest, spans_zero, tested, undone, verdict
from polbias.eval.report.words import Measure, frame, words

_ITEMS = 8  # of a list in a sentence; the rest stands in the table
_SILENT = 0.01  # share of answers without a judgement that is worth a sentence


@dataclass(frozen=True)
class Paragraphs:
    """What a report says in words.

    Attributes:
        overview: of the whole report.
        by_section: instrument to one paragraph per respondent and headline measure.
        comparisons: of respondents with each other.
    """

    overview: tuple[str, ...] = ()
    by_section: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comparisons: tuple[str, ...] = ()


def paragraphs(report: Report) -> Paragraphs:
    """Put a report into words.

    Args:
        report: with adjusted p-values.
    """
    tests = _tests(report)
    return Paragraphs(
        overview=tuple(_overview(report)),
        by_section={section.instrument: tuple(_of_section(section, tests)) for section in report.sections},
        comparisons=tuple(_of_comparisons(report)),
    )


def sentence(finding: Finding, tests: int) -> str:
    """Say what a finding establishes.

    Args:
        finding: with adjusted p-values.
        tests: that it was corrected for.
    """
    said = frame().findings
    measure, estimate, found = _measure(finding), finding.estimate, verdict(finding)
    most = largest(finding)
    return said["hint_undone" if found == "hint" and undone(finding) else found.replace(" ", "_")].format(
        respondent=finding.respondent,
        direction=_direction(finding),
        measure=_named(measure.title, finding.about),
        value=points(estimate.value),
        low=points(estimate.low),
        high=points(estimate.high),
        largest="" if most is None else f"{most:.1f}",
        clusters=estimate.clusters,
        discordant=estimate.discordant,
        limit=share(estimate.limit),
        answered=share(None if estimate.missing is None else 1 - estimate.missing),
        p_bh=p_value(finding.p_bh),
        tests=tests,
    )


def _of_section(section: Section, tests: Mapping[str, int]) -> Iterator[str]:
    said = frame().findings
    for finding in (each for each in section.findings if each.headline):
        estimate = finding.estimate
        parts = [sentence(finding, tests[finding.respondent])]
        counts = {name: getattr(estimate, name) or 0 for name in ("refusals", "unparsable", "truncated")}
        silent = sum(counts.values())
        if not finding.of_refusals and estimate.n and silent > _SILENT * estimate.n:
            parts.append(said["silent"].format(share=share(silent / estimate.n), **counts))
            if finding.bounds and None not in finding.bounds:
                lowest, highest = (points(end) for end in finding.bounds)
                first = estimate.doubtful and estimate.value is not None
                told = said["bounds_first" if first else "bounds"]
                told = told.format(respondent=finding.respondent, lowest=lowest, highest=highest)
                parts.insert(0 if first else len(parts), told)
        yield " ".join([*parts, *_others(section, finding)])


def _others(section: Section, headline: Finding) -> Iterator[str]:
    """Say how many of the other estimates of the same measure are established, and which."""
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
    found = Counter(verdict(each) for each in others)
    listed = _listed([f"{found[name]} {name}" for name in get_args(Verdict) if found[name]])
    sure = [each for each in others if verdict(each) == "established"]
    if 0 < len(sure) <= _ITEMS:
        items = [f"{each.about} ({points(each.estimate.value)})" for each in sure]
        listed += said["more_list"].format(items=_listed(items))
    yield said["more"].format(count=len(others), verdicts=listed)


def _overview(report: Report) -> Iterator[str]:
    said = frame().findings
    titles = [words(section.instrument).title for section in report.sections]
    yield said["overview"].format(
        respondents=_counted(len(report.respondents), "respondents"),
        answers=sum(each.answers for each in report.respondents),
        instruments=_counted(len(titles), "instruments") + f" ({_listed(titles)})",
    )
    headlines = [finding for finding in report.findings if finding.headline]
    sure = sum(verdict(finding) == "established" for finding in headlines)
    tests = sum(map(tested, report.findings))
    key = "overview_some" if sure else "overview_none"
    yield said[key].format(tests=tests, established=sure, headlines=len(headlines))
    told = {each.name: [*_told(headlines, each.name)] for each in report.respondents}
    lines = [
        said["overview_line"].format(respondent=name, items=frame().lists["semicolon"].join(items))
        for name, items in told.items()
        if items
    ]
    yield from lines[:_ITEMS]
    if len(lines) > _ITEMS:
        yield said["overview_rest"].format(count=len(lines) - _ITEMS)
    others = [name for name, items in told.items() if not items]
    if lines and 0 < len(others) <= _ITEMS:
        yield said["overview_others"].format(respondents=_listed(others))
    if any(not words(each.instrument).tells_sides(each.measure) for each in headlines):
        yield said["overview_beside"]


def _told(headlines: Sequence[Finding], respondent: str) -> Iterator[str]:
    """What the summary says of a respondent: effects, established ones first, and missing estimates."""
    said = frame().findings
    own = [finding for finding in headlines if finding.respondent == respondent]
    for name, key in (("established", "item"), ("hint", "unsure"), ("too few to be tested", "unsure")):
        for finding in (each for each in own if verdict(each) == name and not spans_zero(each.estimate)):
            yield said[f"overview_{key}"].format(
                verdict=name,
                direction=_direction(finding),
                measure=_named(_measure(finding).title, finding.about),
                value=points(finding.estimate.value),
                low=points(finding.estimate.low),
                high=points(finding.estimate.high),
                instrument=words(finding.instrument).title,
            )
    for state in ("not answered", "no variation"):
        names = [words(each.instrument).title for each in own if each.estimate.state == state]
        if names:
            yield said["overview_state"].format(state=state, instruments=_listed([*dict.fromkeys(names)]))


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
            value=points(estimate.value),
            low=points(estimate.low),
            high=points(estimate.high),
            n=estimate.n or 0,
            p_bh=p_value(each.p_bh),
            measure=_named(words(each.instrument).measures[each.measure].title, each.about),
            instrument=words(each.instrument).title,
        )
    )


def _direction(finding: Finding) -> str:
    measure = _measure(finding)
    said = measure.positive if (finding.estimate.value or 0) > 0 else measure.negative
    return said.strip().rstrip(".")


def _measure(finding: Finding) -> Measure:
    return words(finding.instrument).measures[finding.measure]


def _named(title: str, about: str) -> str:
    name = title[:1].lower() + title[1:]
    return f"{name} ({about})" if about else name


def _counted(count: int, noun: str) -> str:
    return frame().findings[f"{noun}_one" if count == 1 else noun].format(count=count)


def _tests(report: Report) -> dict[str, int]:
    """How many tests those of each respondent are corrected for; simulated ones are a family of their own."""
    simulated = {each.name: each.simulated for each in report.respondents}
    sizes = Counter(simulated[each.respondent] for each in report.findings if tested(each))
    return {name: sizes[kind] for name, kind in simulated.items()}


def _listed(items: Sequence[str]) -> str:
    lists = frame().lists
    if len(items) < 2:
        return "".join(items)
    return lists["and"].join([lists["comma"].join(items[:-1]), items[-1]])
