"""Deontic and epistemic reasoning in the report: figures, and the section as a whole."""

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
    findings,
    instrument_words,
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

# Figures 2 and 3 of the paper, for the respondent that reasons best, and the effects of all respondents.

_EFFECTS = {
    "content_effects": ((*CONTENT, STATUS), "content_effects"),
    "domain_effects": ((DOMAIN,), "domain_effects"),
    "wason_effects": ((SELECTION_CONTENT, SELECTION_DOMAIN), "wason_effects"),
}
"""Figure to its measures, and to the table that holds the numbers."""
_TABLE_OF = {"figure2": "table12a", "figure3": "table14a"}


def figures(
    asked: Sequence[NormativeAnswers], found: Sequence[Finding], tables: Sequence[ReportTable]
) -> tuple[Figure, ...]:
    """Draw the figures for which there are answers."""
    return (*_of_patterns(asked, tables), *_of_effects(found))


def best_respondent(tables: Sequence[ReportTable]) -> str | None:
    """Return the respondent with the highest mean accuracy of those who were asked in most settings."""
    ranks = []
    for row in next((table.rows for table in tables if table.id == "table5"), ()):
        cells = [row["_".join(each)] for each in SETTINGS]
        values = [cell.value for cell in cells if isinstance(cell, Estimate) and cell.value is not None]
        if values:
            ranks.append((-len(values), -sum(values) / len(values), str(row["respondent"])))
    return min(ranks)[2] if ranks else None


def _of_patterns(asked: Sequence[NormativeAnswers], tables: Sequence[ReportTable]) -> Iterator[Figure]:
    name = best_respondent(tables)
    one = next((each for each in asked if each.name == name), None)
    if one is None:
        return
    cells = accuracies(one.problems, ("prompt_style", "pattern", "domain"), "corrected", answered=True)
    for figure, shown in PATTERN_FIGURES.items():
        rows = [
            Bar(
                f"{pattern}\n{term(domain)}",
                term(style),
                *interval_fields(cells.get((style, pattern, domain)), 100),
            )
            for style in STYLES
            for pattern, domain in shown
            if (style, pattern, domain) in cells
        ]
        if rows:
            svg = plot_bars(
                rows, _caption(figure, one.name), instrument_words().figures[figure].columns["unit"]
            )
            yield Figure(figure, svg, _TABLE_OF[figure], one.name)


def _of_effects(found: Sequence[Finding]) -> Iterator[Figure]:
    pooled = [each for each in found if not each.key]
    for figure, (measures, table) in _EFFECTS.items():
        own = sorted(
            (each for each in pooled if each.measure in measures),
            key=lambda each: (each.respondent, measures.index(each.measure)),
        )
        if not own:
            continue
        names = blank_repeats(each.respondent for each in own)
        rows = [
            estimate_row(name, each.estimate, each.bounds, instrument_words().measures[each.measure].title)
            for name, each in zip(names, own, strict=True)
        ]
        columns = instrument_words().figures[figure].columns
        sides = columns["worse"], columns["better"]
        yield Figure(figure, plot_intervals(rows, _caption(figure), columns["unit"], sides=sides), table)


def _caption(figure: str, about: str = "") -> Caption:
    return caption("normative", figure, [instrument_words().figures[figure].note], about)


# Deontic and epistemic reasoning (Ozeki et al.), and the selection task that goes with it.

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("domain", "reasoning", "prompt_style", "pattern", "content_type", "status"), "string"),
    **dict.fromkeys(("gold_sdl", "consistency_ids", "polarity", "card_roles", "paper_label"), "string"),
    "label_mass": "double",
}
"""``domain`` is deontic or epistemic, ``reasoning`` logic, syllogism or selection, ``prompt_style`` zero, few
or cot, ``content_type`` congruent, incongruent, nonsense or arbitrary.

Of entailment problems: ``pattern`` of the inference, ``status`` of its act or proposition (such as duty),
``gold_sdl``, the verdict of standard deontic logic, ``consistency_ids``, shared by equivalent inferences and
joined by semicolons, and ``paper_label``, the label of the published parser. Of selection tasks: ``polarity``
of the rule and ``card_roles``, what the cards say, joined by commas. ``label_mass`` is that of
log-likelihoods."""


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    asked = read_answers(answers)
    found = _findings(asked)
    problems = {one.name: entailment_summary(one.problems) for one in asked if len(one.problems)}
    selections = {one.name: summarize_selections(one.selections) for one in asked if len(one.selections)}
    tables = (
        *entailment_tables(asked, problems),
        *effect_tables(found, asked),
        *selection_tables(asked),
        *published_tables(asked),
    )
    return Section(
        instrument="normative",
        respondents=tuple(one.name for one in asked),
        findings=found,
        tables=tables,
        figures=figures(asked, found, tables),
        notices=notices(asked, found),
        summary={
            one.name: {"entailment": problems.get(one.name), "selection": selections.get(one.name)}
            for one in asked
        },
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    return _findings(read_answers(answers))


def _findings(asked: Sequence[NormativeAnswers]) -> tuple[Finding, ...]:
    return tuple(each for one in asked for each in findings(one))


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
