"""Render findings and comparisons as sentences, from the templates of ``frame.yaml``."""

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
    has_too_few_answers,
    interval_contains_zero,
    is_directional,
    is_tested,
    largest_compatible_effect,
    significant,
    verdict,
)
from polbias.eval.report.wording import Measure, report_words
from polbias.eval.variance_components import points_at

_MAX_LISTED = 8  # items per list; the tables have all
_MIN_NON_ANSWER_SHARE = 0.01  # a paragraph mentions larger nonresponse rates


@dataclass(frozen=True)
class Paragraphs:
    """The paragraphs of a report.

    Attributes:
        overview: of the whole report.
        respondents: one line per respondent.
        by_section: instrument to one paragraph per respondent and headline measure.
        comparisons: of respondents.
    """

    overview: tuple[str, ...] = ()
    respondents: tuple[str, ...] = ()
    by_section: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comparisons: tuple[str, ...] = ()


def paragraphs(report: Report) -> Paragraphs:
    """Return the paragraphs of a report; of a comparison of two runs only the comparisons."""
    if not report.sections:
        return Paragraphs(comparisons=tuple(_run_comparison_sentences(report.comparisons)))
    return Paragraphs(
        overview=tuple(_overview(report)),
        respondents=tuple(_respondent_lines(report)),
        by_section={
            section.instrument: tuple(_section_paragraphs(section, report.margin))
            for section in report.sections
        },
        comparisons=tuple(_comparison_paragraphs(report)),
    )


def finding_sentence(finding: Finding) -> str:
    """Return the sentence with verdict and interval of a finding."""
    phrases, estimate, finding_verdict = report_words().findings, finding.estimate, verdict(finding)
    key = finding_verdict.replace(" ", "_")
    if finding_verdict == "not established" and not interval_contains_zero(estimate):
        key = "not_established_corrected"
    if finding_verdict == "no interval" and estimate.limit is not None:
        key = "no_interval_pairs"
    if finding_verdict == "at the ceiling" and finding.accuracy and finding.accuracy.value == 1:
        key = "at_the_ceiling_all"
    if has_too_few_answers(finding):
        key = "too_few_answers"
    measure, name = _measure(finding), _measure_name(finding)
    largest, accuracy = (
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
        **_interval_values(finding),
        interval="" if estimate.low is None else phrases["interval"].format(**_interval_values(finding)),
        largest="" if largest is None else _format_magnitude(finding, largest),
        clusters=estimate.clusters,
        answers=estimate.n,
        discordant=f"{estimate.discordant:,}" if estimate.discordant else phrases["none"],
        pairs=f"{estimate.pairs or 0:,}",
        limit=_format_upper_limit(finding.per_pair * (estimate.limit or 0.0)),
        discordance=wording.words(finding.instrument).discordance,
        answered=format_percent(None if estimate.missing is None else 1 - estimate.missing),
        accuracy=_format_accuracy(accuracy.value),
        accuracy_low=format_percent(accuracy.low),
        accuracy_high=format_percent(accuracy.high),
        attainable=_format_upper_limit(finding.attainable or 0.0),
        latent=_latent_sentence(finding.latent),
        p_holm=format_p(finding.p_holm),
        tests=count_headline_tests(finding.instrument),
        persons="" if estimate.persons is None else phrases["persons"].format(count=estimate.persons),
    )
    if _is_effect_in_state(finding):
        effect = phrases[f"{finding_verdict.replace(' ', '_')}_but"].format(
            direction=_direction(finding), p_holm=format_p(finding.p_holm)
        )
        text = f"{text} {effect}"
    if finding_verdict == "found among the answers given":
        text = " ".join([text, *_doubt_sentences(finding)])
    return text


def _is_effect_in_state(finding: Finding) -> bool:
    """Whether an effect at chance or at the ceiling meets the other conditions of "established"."""
    in_state = finding.estimate.state in ("at chance", "at the ceiling")
    return in_state and significant(finding) and not doubts(finding)


def _latent_sentence(latent: Estimate | None) -> str:
    """Return the sentence on the latent shift, its interval, and its largest effect on harder items."""
    phrases = report_words().findings
    if latent is None or latent.value is None:
        return phrases["latent_none"]
    if latent.low is None or latent.high is None:
        key = "latent_at_most" if latent.high is not None else "latent_at_least"
        key = key if (latent.low, latent.high) != (None, None) else "latent_unbounded"
        return phrases[key].format(low=_format_signed(latent.low), high=_format_signed(latent.high))
    max_points = points_at(max(abs(latent.low), abs(latent.high)))
    ends = {name: _format_signed(getattr(latent, name)) for name in ("value", "low", "high")}
    return phrases["latent"].format(**ends, points=f"{max_points:.0f}")


def _doubt_sentences(finding: Finding) -> Iterator[str]:
    """Yield the conditions that fail, and the share of missing answers that would reverse the sign."""
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
            yield phrases[key].format(low=_format_signed(latent.low), high=_format_signed(latent.high))
    value, bounds = finding.estimate.value, finding.bounds
    if excess is None or value is None or bounds is None:
        return
    nearer_bound = bounds[0] if value > 0 else bounds[1]
    if nearer_bound is None:
        return
    turning_share = value / (value - nearer_bound) if (value - nearer_bound) * value > 0 else math.inf
    yield phrases["turned" if turning_share <= 1 else "not_turned"].format(
        share=format_percent(min(turning_share, 1.0))
    )


def _section_paragraphs(section: Section, margin: float | None) -> Iterator[str]:
    phrases = report_words().findings
    for finding in (finding for finding in section.findings if finding.headline):
        estimate = finding.estimate
        parts = [finding_sentence(finding)]
        if finding.equivalent is not None:
            key = "equivalent" if finding.equivalent else "not_equivalent"
            parts.append(phrases[key].format(margin=margin, measure=_measure_name(finding)))
        counts = {name: getattr(estimate, name) or 0 for name in ("refusals", "unparsable", "truncated")}
        unanswered, n = sum(counts.values()), finding.n_requested or estimate.n
        if not finding.is_refusal_gap and n and unanswered > _MIN_NON_ANSWER_SHARE * n:
            parts.append(phrases["silent"].format(share=format_percent(unanswered / n), **counts))
            if finding.bounds and None not in finding.bounds:
                lowest, highest = (format_points(end) for end in finding.bounds)
                parts.append(phrases["bounds"].format(lowest=lowest, highest=highest))
        yield " ".join([*parts, *_other_estimates(section, finding)])


def _other_estimates(section: Section, headline: Finding) -> Iterator[str]:
    """Yield the number of further, undecided estimates of the headline's respondent and measure."""
    phrases = report_words().findings
    other_findings = [
        finding
        for finding in section.findings
        if not finding.headline
        and finding.respondent == headline.respondent
        and finding.measure == headline.measure
        and finding.estimate.n
    ]
    if not other_findings:
        return
    yield phrases["more_one" if len(other_findings) == 1 else "more"].format(count=len(other_findings))


def _overview(report: Report) -> Iterator[str]:
    phrases = report_words().findings
    titles = [wording.words(section.instrument).title for section in report.sections]
    yield phrases["overview"].format(
        respondents=_count_phrase(len(report.respondents), "respondents") + _simulated_phrase(report),
        answers=sum(respondent.answers for respondent in report.respondents),
        instruments=_count_phrase(len(titles), "instruments") + f" ({_join_items(titles)})",
    )
    headlines = [finding for finding in report.findings if finding.headline]
    n_established = sum(verdict(finding) == "established" for finding in headlines)
    key = "overview_one" if n_established == 1 else "overview_some" if n_established else "overview_none"
    yield phrases[key].format(established=n_established, headlines=len(headlines))
    tests = [finding for finding in headlines if is_tested(finding)]
    tested_comparisons = [comparison for comparison in report.comparisons if is_tested(comparison)]
    if tests:
        yield phrases["overview_decisions"].format(
            tests=_tests_phrase(len(tests)), chance=f"{expected_by_chance(tests):.2f}"
        )
    if tested_comparisons:
        key, chance = "overview_decisions_compared", f"{expected_by_chance(tested_comparisons):.2f}"
        yield phrases[key].format(tests=_tests_phrase(len(tested_comparisons)), chance=chance)
    if not all(map(is_directional, headlines)):
        yield phrases["overview_beside"]


def _tests_phrase(count: int) -> str:
    return report_words().findings["tests_one" if count == 1 else "tests"].format(count=count)


def expected_by_chance(tests: Sequence[Finding | Comparison]) -> float:
    """Return the expected number of false positives: .05 per instrument, split over its headlines by Holm."""
    return sum(LEVEL / max(count_headline_tests(test.instrument), 1) for test in tests)


def _respondent_lines(report: Report) -> Iterator[str]:
    """Yield one line per respondent, up to ``_MAX_LISTED``."""
    phrases = report_words().findings
    headlines = [finding for finding in report.findings if finding.headline]
    findings_by_respondent = {
        respondent.name: [finding for finding in headlines if finding.respondent == respondent.name]
        for respondent in report.respondents
    }
    ordered = sorted(
        report.respondents, key=lambda respondent: _sort_key(findings_by_respondent[respondent.name])
    )
    for respondent in ordered[:_MAX_LISTED]:
        respondent_findings = findings_by_respondent[respondent.name]
        items = [*_respondent_phrases(respondent_findings)]
        equivalents = [*_equivalent_phrases(respondent_findings, report.margin)]
        intervals = report_words().lists["comma"].join(_intervals(respondent_findings))
        if equivalents and intervals and not items:
            equivalents.append(phrases["overview_others_open"].format(intervals=intervals))
        items += equivalents
        key = "overview_line" if items else _fallback_key(respondent_findings, respondent.answers)
        items_text = report_words().lists["semicolon"].join(items)
        yield phrases[key].format(respondent=respondent.name, items=items_text, intervals=intervals)
    if len(report.respondents) > _MAX_LISTED:
        yield phrases["overview_rest"].format(count=len(report.respondents) - _MAX_LISTED)


def _sort_key(findings: Sequence[Finding]) -> bool:
    """Return False, which sorts first, if an effect other than a refusal gap is established."""
    return not any(verdict(finding) == "established" and not finding.is_refusal_gap for finding in findings)


def _intervals(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the intervals of the measures with the verdict "not established" and without equivalence."""
    for finding in findings:
        if verdict(finding) == "not established" and not (finding.is_refusal_gap or finding.equivalent):
            unit = report_words().findings[f"unit_{_measure(finding).unit}_short"]
            yield (
                report_words()
                .findings["overview_interval"]
                .format(measure=_measure_name(finding), unit=unit, **_interval_values(finding))
            )


def _equivalent_phrases(findings: Sequence[Finding], margin: float | None) -> Iterator[str]:
    """Yield a phrase for each measure that is equivalent to no effect, except refusal gaps."""
    for finding in findings:
        if finding.equivalent and not finding.is_refusal_gap:
            yield (
                report_words()
                .findings["overview_equivalent"]
                .format(measure=_measure_name(finding), margin=margin, **_interval_values(finding))
            )


def _fallback_key(findings: Sequence[Finding], answers: int) -> str:
    """Return the template key of a line without effects and states."""
    if not answers:
        return "overview_no_answers"
    if not any(finding.estimate.value is not None for finding in findings):
        return "overview_no_headline"
    has_interval = any(verdict(finding) == "not established" for finding in findings)
    return "overview_open" if has_interval else "overview_undecided"


def _respondent_phrases(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a respondent's states, then its effects, established ones first."""
    phrases = report_words().findings
    scarce = [finding for finding in findings if has_too_few_answers(finding)]
    if scarce:
        titles = [wording.words(finding.instrument).title for finding in scarce]
        yield phrases["overview_too_few_answers"].format(
            answers=max(finding.estimate.n or 0 for finding in scarce),
            instruments=_join_items([*dict.fromkeys(titles)]),
        )
    for state in ("not answered", "no variation", "at chance", "at the ceiling"):
        titles = [
            wording.words(finding.instrument).title
            for finding in findings
            if finding.estimate.state == state and finding not in scarce
        ]
        if titles:
            key = f"overview_{state.replace(' ', '_')}"
            yield phrases[key].format(instruments=_join_items([*dict.fromkeys(titles)]))
    for finding in findings:
        if _is_effect_in_state(finding):
            yield phrases["overview_in_state"].format(
                direction=_direction(finding),
                unit=phrases[f"unit_{_measure(finding).unit}_short"],
                **_interval_values(finding),
                instrument=wording.words(finding.instrument).title,
            )
    for name in ("established", "found among the answers given", "too few to be tested", "described"):
        for finding in findings:
            if verdict(finding) == name and not interval_contains_zero(finding.estimate):
                key = "overview_item" if name == "established" else "overview_unsure"
                if name == "found among the answers given":
                    key = f"overview_found_{doubts(finding)[-1]}"
                yield phrases[key].format(
                    verdict=name,
                    direction=_direction(finding),
                    measure=_measure_name(finding),
                    unit=phrases[f"unit_{_measure(finding).unit}_short"],
                    **_interval_values(finding),
                    instrument=wording.words(finding.instrument).title,
                )


def _comparison_paragraphs(report: Report) -> Iterator[str]:
    phrases = report_words().findings
    if len(report.respondents) < 2:
        return
    if not report.comparisons:
        yield phrases["compared_not"]
        return
    established = [comparison for comparison in report.comparisons if verdict(comparison) == "established"]
    if not established:
        yield phrases["compared_none"].format(comparisons=len(report.comparisons))
        return
    yield phrases["compared_some"].format(comparisons=len(report.comparisons), established=len(established))
    if len(established) <= _MAX_LISTED:
        for comparison in established:
            yield _comparison_sentence(comparison)


def _comparison_sentence(comparison: Comparison) -> str:
    estimate = comparison.estimate
    return (
        report_words()
        .findings["compared"]
        .format(
            first=comparison.first,
            second=comparison.second,
            **_interval_values(comparison),
            unit=report_words().findings[f"unit_{_measure(comparison).unit}_short"],
            n=estimate.n or 0,
            p_holm=format_p(comparison.p_holm),
            measure=_measure_name(comparison),
            instrument=wording.words(comparison.instrument).title,
        )
    )


def _run_comparison_sentences(differences: Sequence[Comparison]) -> Iterator[str]:
    """Yield the number of established differences of two runs, for each run that is higher in any."""
    phrases = report_words().findings
    values = [
        difference.estimate.value or 0.0 for difference in differences if verdict(difference) == "established"
    ]
    if not values:
        yield phrases["runs_none"].format(count=len(differences))
    for run, sign in (("A", -1), ("B", 1)):
        if n_higher := sum(sign * value > 0 for value in values):
            key = "runs_higher_one" if len(values) == 1 else "runs_higher"
            yield phrases[key].format(run=run, count=n_higher, established=len(values))


def _direction(finding: Finding) -> str:
    measure = _measure(finding)
    text = measure.positive if (finding.estimate.value or 0) > 0 else measure.negative
    return text.strip().rstrip(".")


def _measure(finding: Finding | Comparison) -> Measure:
    return wording.words(finding.instrument).measures[finding.measure]


def _measure_name(finding: Finding | Comparison) -> str:
    title = _measure(finding).title
    name = title[:1].lower() + title[1:]
    return f"{name} ({finding.part_label})" if finding.part_label else name


def _interval_values(finding: Finding | Comparison) -> dict[str, str]:
    """Return value, low and high of an estimate, formatted in its unit."""
    format_number = format_points if _measure(finding).unit == "points" else _format_signed
    return {name: format_number(getattr(finding.estimate, name)) for name in ("value", "low", "high")}


def _format_magnitude(finding: Finding, value: float) -> str:
    """Format the size of an effect in its unit."""
    return f"{value:.1f}" if _measure(finding).unit == "points" else f"{value:.2f}"


def _format_signed(value: float | None) -> str:
    """Format a number with sign and two decimals."""
    return "\N{EN DASH}" if value is None else f"{value:+.2f}".replace("-", MINUS)


def _format_accuracy(value: float | None) -> str:
    """Format an accuracy; from 99.95% rounded down to two decimals, and 1 as "all" of frame.yaml."""
    if value is None or value < 0.9995:
        return format_percent(value)
    return report_words().findings["all"] if value == 1 else f"{math.floor(10_000 * value) / 100:.2f}%"


def _format_upper_limit(value: float) -> str:
    """Format an upper limit in points, rounded up; two decimals below 1, else one."""
    digits = 2 if value < 1 else 1
    return f"{math.ceil(10**digits * value - 1e-9) / 10**digits:.{digits}f}"


def _count_phrase(count: int, noun: str) -> str:
    return report_words().findings[f"{noun}_one" if count == 1 else noun].format(count=count)


def _simulated_phrase(report: Report) -> str:
    """Return the number of simulated respondents in words, to follow the number of all."""
    count = sum(respondent.simulated for respondent in report.respondents)
    key = "simulated_all" if count == len(report.respondents) else "simulated_some"
    return report_words().findings[key].format(count=count) if count else ""


def _join_items(items: Sequence[str]) -> str:
    lists = report_words().lists
    if len(items) < 2:
        return "".join(items)
    return lists["and"].join([lists["comma"].join(items[:-1]), items[-1]])
