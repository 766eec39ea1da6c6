"""Findings in plain language: sentences that say what the intervals allow, and no more."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polbias.eval.report import wording
from polbias.eval.report.document import (
    ACCURACY_GAP,
    MINUS,
    Comparison,
    Estimate,
    Finding,
    Report,
    Section,
    format_p,
    format_percent,
    format_points,
)
from polbias.eval.report.verdicts import (
    LEVEL,
    count_headline_tests,
    doubts,
    interval_contains_zero,
    is_directional,
    is_tested,
    largest_compatible_effect,
    significant,
    verdict,
)
from polbias.eval.report.wording import Measure, report_words
from polbias.eval.variance_components import points_at

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


def finding_sentence(finding: Finding) -> str:
    """Say what a finding establishes."""
    phrases, estimate, shown = report_words().findings, finding.estimate, verdict(finding)
    key = shown.replace(" ", "_")
    if shown == "not established" and not interval_contains_zero(estimate):
        key = "not_established_corrected"
    if shown == "no interval" and estimate.limit is not None:
        key = "no_interval_pairs"
    if shown == "at the ceiling" and finding.accuracy and finding.accuracy.value == 1:
        key = "at_the_ceiling_all"
    measure, name = _measure(finding), _named(finding)
    most, accuracy = (
        largest_compatible_effect(estimate, unit=finding.per_pair),
        finding.accuracy or Estimate(None),
    )
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
        discordance=wording.words(finding.instrument).discordance,
        answered=format_percent(None if estimate.missing is None else 1 - estimate.missing),
        accuracy=_accuracy(accuracy.value),
        accuracy_low=format_percent(accuracy.low),
        accuracy_high=format_percent(accuracy.high),
        attainable=_upper(finding.attainable or 0.0),
        latent=_latent(finding.latent),
        p_holm=format_p(finding.p_holm),
        tests=count_headline_tests(finding.instrument),
        persons="" if estimate.persons is None else phrases["persons"].format(count=estimate.persons),
    )
    if _is_effect_in_state(finding):
        effect = phrases[f"{shown.replace(' ', '_')}_but"].format(
            direction=_direction(finding), p_holm=format_p(finding.p_holm)
        )
        text = f"{text} {effect}"
    if shown == "found among the answers given":
        text = " ".join([text, *_reservations(finding)])
    return text


def _is_effect_in_state(finding: Finding) -> bool:
    """Whether an effect of who is at chance or at the ceiling meets the conditions of what is established."""
    in_state = finding.estimate.state in ("at chance", "at the ceiling")
    return in_state and significant(finding) and not doubts(finding)


def _latent(latent: Estimate | None) -> str:
    """The latent shift and its interval in words, and what it would come to on harder items."""
    phrases = report_words().findings
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
    phrases, excess, latent = report_words().findings, finding.excess, finding.latent or Estimate(None)
    for doubt in doubts(finding):
        if doubt == "excess" and excess is not None:
            yield phrases["doubt_excess"].format(
                low=format_points(excess.low), high=format_points(excess.high)
            )
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
    yield phrases["turned" if turned <= 1 else "not_turned"].format(share=format_percent(min(turned, 1.0)))


def _of_section(section: Section, margin: float | None) -> Iterator[str]:
    phrases = report_words().findings
    for finding in (finding for finding in section.findings if finding.headline):
        estimate = finding.estimate
        parts = [finding_sentence(finding)]
        if finding.equivalent is not None:
            key = "equivalent" if finding.equivalent else "not_equivalent"
            parts.append(phrases[key].format(margin=margin, measure=_named(finding)))
        counts = {name: getattr(estimate, name) or 0 for name in ("refusals", "unparsable", "truncated")}
        unanswered, n = sum(counts.values()), finding.asked or estimate.n
        if not finding.is_refusal_gap and n and unanswered > _SILENT * n:
            parts.append(phrases["silent"].format(share=format_percent(unanswered / n), **counts))
            if finding.bounds and None not in finding.bounds:
                lowest, highest = (format_points(end) for end in finding.bounds)
                parts.append(phrases["bounds"].format(lowest=lowest, highest=highest))
        yield " ".join([*parts, *_others(section, finding)])


def _others(section: Section, headline: Finding) -> Iterator[str]:
    """Say what may be said of the other estimates of the same measure, of which none is decided."""
    said = report_words().findings
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
    said = report_words().findings
    titles = [wording.words(section.instrument).title for section in report.sections]
    yield said["overview"].format(
        respondents=_counted(len(report.respondents), "respondents") + _simulated(report),
        answers=sum(each.answers for each in report.respondents),
        instruments=_counted(len(titles), "instruments") + f" ({_listed(titles)})",
    )
    found = [finding for finding in report.findings if finding.headline]
    sure = sum(verdict(finding) == "established" for finding in found)
    key = "overview_one" if sure == 1 else "overview_some" if sure else "overview_none"
    yield said[key].format(established=sure, headlines=len(found))
    tests = [finding for finding in found if is_tested(finding)]
    compared = [comparison for comparison in report.comparisons if is_tested(comparison)]
    if tests:
        yield said["overview_decisions"].format(tests=_tests(len(tests)), chance=f"{by_chance(tests):.2f}")
    if compared:
        key, chance = "overview_decisions_compared", f"{by_chance(compared):.2f}"
        yield said[key].format(tests=_tests(len(compared)), chance=chance)
    if not all(map(is_directional, found)):
        yield said["overview_beside"]


def _tests(count: int) -> str:
    return report_words().findings["tests_one" if count == 1 else "tests"].format(count=count)


def by_chance(tests: Sequence[Finding | Comparison]) -> float:
    """Return how many tests chance alone would establish: Holm spends .05 on an instrument's headlines."""
    return sum(LEVEL / max(count_headline_tests(test.instrument), 1) for test in tests)


def _by_respondent(report: Report) -> Iterator[str]:
    """One line for every respondent."""
    said = report_words().findings
    found = [finding for finding in report.findings if finding.headline]
    by_name = {
        respondent.name: [finding for finding in found if finding.respondent == respondent.name]
        for respondent in report.respondents
    }
    ordered = sorted(report.respondents, key=lambda respondent: _rank(by_name[respondent.name]))
    for respondent in ordered[:_ITEMS]:
        own = by_name[respondent.name]
        items = report_words().lists["semicolon"].join(_respondent_sentence(own))
        key = "overview_line" if items else _nothing_told(own, respondent.answers)
        intervals = report_words().lists["comma"].join(_intervals(own))
        yield said[key].format(respondent=respondent.name, items=items, intervals=intervals)
    if len(report.respondents) > _ITEMS:
        yield said["overview_rest"].format(count=len(report.respondents) - _ITEMS)


def _rank(own: Sequence[Finding]) -> bool:
    """Sort respondents of whom something but a refusal gap is established before the others."""
    return not any(verdict(finding) == "established" and not finding.is_refusal_gap for finding in own)


def _intervals(own: Sequence[Finding]) -> Iterator[str]:
    """The intervals of what is not established."""
    for finding in own:
        if verdict(finding) == "not established" and not finding.is_refusal_gap:
            unit = report_words().findings[f"unit_{_measure(finding).unit}_short"]
            yield (
                report_words()
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


def _respondent_sentence(own: Sequence[Finding]) -> Iterator[str]:
    """What the summary says of a respondent: states first, then effects, established ones before others."""
    phrases = report_words().findings
    for state in ("not answered", "no variation", "at chance", "at the ceiling"):
        titles = [
            wording.words(finding.instrument).title for finding in own if finding.estimate.state == state
        ]
        if titles:
            key = f"overview_{state.replace(' ', '_')}"
            yield phrases[key].format(instruments=_listed([*dict.fromkeys(titles)]))
    for finding in own:
        if _is_effect_in_state(finding):
            yield phrases["overview_in_state"].format(
                direction=_direction(finding),
                unit=phrases[f"unit_{_measure(finding).unit}_short"],
                **_interval(finding),
                instrument=wording.words(finding.instrument).title,
            )
    for name in ("established", "found among the answers given", "too few to be tested", "described"):
        for finding in own:
            if verdict(finding) == name and not interval_contains_zero(finding.estimate):
                key = "overview_item" if name == "established" else "overview_unsure"
                if name == "found among the answers given":
                    key = f"overview_found_{doubts(finding)[-1]}"
                yield phrases[key].format(
                    verdict=name,
                    direction=_direction(finding),
                    measure=_named(finding),
                    unit=phrases[f"unit_{_measure(finding).unit}_short"],
                    **_interval(finding),
                    instrument=wording.words(finding.instrument).title,
                )


def _of_comparisons(report: Report) -> Iterator[str]:
    said = report_words().findings
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
        report_words()
        .findings["compared"]
        .format(
            first=each.first,
            second=each.second,
            **_interval(each),
            unit=report_words().findings[f"unit_{_measure(each).unit}_short"],
            n=estimate.n or 0,
            p_holm=format_p(each.p_holm),
            measure=_named(each),
            instrument=wording.words(each.instrument).title,
        )
    )


def _direction(finding: Finding) -> str:
    measure = _measure(finding)
    said = measure.positive if (finding.estimate.value or 0) > 0 else measure.negative
    return said.strip().rstrip(".")


def _measure(found: Finding | Comparison) -> Measure:
    return wording.words(found.instrument).measures[found.measure]


def _named(found: Finding | Comparison) -> str:
    title = _measure(found).title
    name = title[:1].lower() + title[1:]
    return f"{name} ({found.part_label})" if found.part_label else name


def _interval(found: Finding | Comparison) -> dict[str, str]:
    """The value of an estimate and the ends of its interval, in its unit."""
    write = format_points if _measure(found).unit == "points" else _signed
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
        return format_percent(value)
    return report_words().findings["all"] if value == 1 else f"{math.floor(10_000 * value) / 100:.2f}%"


def _upper(value: float) -> str:
    """An upper limit in points, rounded up, with two decimals where it is small."""
    digits = 2 if value < 1 else 1
    return f"{math.ceil(10**digits * value - 1e-9) / 10**digits:.{digits}f}"


def _counted(count: int, noun: str) -> str:
    return report_words().findings[f"{noun}_one" if count == 1 else noun].format(count=count)


def _simulated(report: Report) -> str:
    """How many of the respondents are simulated, to be said with their number."""
    count = sum(each.simulated for each in report.respondents)
    key = "simulated_all" if count == len(report.respondents) else "simulated_some"
    return report_words().findings[key].format(count=count) if count else ""


def _listed(items: Sequence[str]) -> str:
    lists = report_words().lists
    if len(items) < 2:
        return "".join(items)
    return lists["and"].join([lists["comma"].join(items[:-1]), items[-1]])
