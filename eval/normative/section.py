"""Report section on deontic and epistemic reasoning, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from polbias.aliases import Document
from polbias.eval.normative.analysis import (
    CONTENT,
    DOMAIN,
    SELECTION_CONTENT,
    SELECTION_DOMAIN,
    STATUS,
    accuracies,
    instrument_words,
    iter_findings,
    notices,
    term,
)
from polbias.eval.normative.answers import (
    PATTERN_FIGURES,
    SETTINGS,
    STYLES,
    NormativeAnswers,
    flatten_samples,
    read_answers,
)
from polbias.eval.normative.tables import (
    effect_tables,
    entailment_summary,
    entailment_tables,
    published_tables,
    selection_tables,
    summarize_selections,
)
from polbias.eval.plots import Bar, Caption, plot_bars, plot_intervals
from polbias.eval.report.document import Estimate, Figure, Finding, ReportTable, Section
from polbias.eval.report.figures import blank_repeats, caption, estimate_row, interval_fields
from polbias.eval.report.reporter import ReportSettings

# Figures 2 and 3 of the paper, for the best respondent, and the effects of all respondents.

_EFFECTS = {
    "content_effects": ((*CONTENT, STATUS), "content_effects"),
    "domain_effects": ((DOMAIN,), "domain_effects"),
    "wason_effects": ((SELECTION_CONTENT, SELECTION_DOMAIN), "wason_effects"),
}
"""Figure to its measures and its table."""
_TABLE_BY_FIGURE = {"figure2": "table12a", "figure3": "table14a"}


def figures(
    respondents: Sequence[NormativeAnswers], findings: Sequence[Finding], tables: Sequence[ReportTable]
) -> tuple[Figure, ...]:
    """Draw the figures that have answers."""
    return (*_pattern_figures(respondents, tables), *_effect_figures(findings))


def best_respondent(tables: Sequence[ReportTable]) -> str | None:
    """Return the respondent with the highest mean accuracy among those with the most settings."""
    ranks = []
    for row in next((table.rows for table in tables if table.id == "table5"), ()):
        cells = [row["_".join(setting)] for setting in SETTINGS]
        values = [
            estimate.value
            for estimate in cells
            if isinstance(estimate, Estimate) and estimate.value is not None
        ]
        if values:
            ranks.append((-len(values), -sum(values) / len(values), str(row["respondent"])))
    return min(ranks)[2] if ranks else None


def _pattern_figures(
    respondents: Sequence[NormativeAnswers], tables: Sequence[ReportTable]
) -> Iterator[Figure]:
    name = best_respondent(tables)
    respondent = next((candidate for candidate in respondents if candidate.name == name), None)
    if respondent is None:
        return
    cells = accuracies(respondent.problems, ("prompt_style", "pattern", "domain"), "corrected", answered=True)
    for figure, pattern_domains in PATTERN_FIGURES.items():
        rows = [
            Bar(
                f"{pattern}\n{term(domain)}",
                term(style),
                *interval_fields(cells.get((style, pattern, domain)), 100),
            )
            for style in STYLES
            for pattern, domain in pattern_domains
            if (style, pattern, domain) in cells
        ]
        if rows:
            svg = plot_bars(
                rows, _caption(figure, respondent.name), instrument_words().figures[figure].columns["unit"]
            )
            yield Figure(figure, svg, _TABLE_BY_FIGURE[figure], respondent.name)


def _effect_figures(findings: Sequence[Finding]) -> Iterator[Figure]:
    pooled = [finding for finding in findings if not finding.key]
    for figure, (measures, table) in _EFFECTS.items():
        measure_findings = sorted(
            (finding for finding in pooled if finding.measure in measures),
            key=lambda finding: (finding.respondent, measures.index(finding.measure)),
        )
        if not measure_findings:
            continue
        names = blank_repeats(finding.respondent for finding in measure_findings)
        rows = [
            estimate_row(
                name, finding.estimate, finding.bounds, instrument_words().measures[finding.measure].title
            )
            for name, finding in zip(names, measure_findings, strict=True)
        ]
        columns = instrument_words().figures[figure].columns
        sides = columns["worse"], columns["better"]
        yield Figure(figure, plot_intervals(rows, _caption(figure), columns["unit"], sides=sides), table)


def _caption(figure: str, respondent: str = "") -> Caption:
    return caption("normative", figure, [instrument_words().figures[figure].note], respondent)


# The section: deontic and epistemic reasoning (Ozeki et al.), and the selection task.

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("domain", "reasoning", "prompt_style", "pattern", "content_type", "status"), "string"),
    **dict.fromkeys(("gold_sdl", "consistency_ids", "polarity", "card_roles", "paper_label"), "string"),
    "label_mass": "double",
}
"""``domain`` is deontic or epistemic, ``reasoning`` logic, syllogism or selection, ``prompt_style`` zero, few
or cot, ``content_type`` congruent, incongruent, nonsense or arbitrary.

Entailment problems: ``pattern`` of the inference, ``status`` of its act or proposition (such as duty),
``gold_sdl``, the verdict of standard deontic logic, ``consistency_ids``, shared by equivalent inferences and
joined by semicolons, and ``paper_label``, the label of the published parser. Selection tasks: ``polarity``
of the rule and ``card_roles``, p, notp, q and notq in the order of the cards, joined by commas.
``label_mass`` is set for log-likelihoods only."""


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    respondents = read_answers(answers)
    findings = _findings(respondents)
    problems = {
        respondent.name: entailment_summary(respondent.problems, respondent.paper_problems)
        for respondent in respondents
        if len(respondent.problems)
    }
    selections = {
        respondent.name: summarize_selections(respondent.selections)
        for respondent in respondents
        if len(respondent.selections)
    }
    tables = (
        *entailment_tables(respondents, problems),
        *effect_tables(findings, respondents),
        *selection_tables(respondents),
        *published_tables(respondents),
    )
    return Section(
        instrument="normative",
        respondents=tuple(respondent.name for respondent in respondents),
        findings=findings,
        tables=tables,
        figures=figures(respondents, findings, tables),
        notices=notices(respondents, findings),
        summary={
            respondent.name: {
                "entailment": problems.get(respondent.name),
                "selection": selections.get(respondent.name),
            }
            for respondent in respondents
        },
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings(read_answers(answers))


def _findings(respondents: Sequence[NormativeAnswers]) -> tuple[Finding, ...]:
    return tuple(finding for respondent in respondents for finding in iter_findings(respondent))


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
