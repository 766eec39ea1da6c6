"""Report section of the ladder, with its figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polbias.aliases import Document
from polbias.eval.ladder.analysis import LadderSubset, notice, sentence, subsets_by
from polbias.eval.ladder.answers import COLUMNS, NAME, LadderAnswers, flatten_samples, read_answers
from polbias.eval.ladder.findings import MEASURE, iter_findings
from polbias.eval.ladder.lines import country_of, level_name
from polbias.eval.ladder.tables import tables
from polbias.eval.plots import Step, plot_steps
from polbias.eval.report.document import Figure, Finding, Notice, Section
from polbias.eval.report.figures import caption, estimate_row, interval_fields
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.verdicts import LEVEL
from polbias.eval.report.wording import words


def build_section(answers: Document, settings: ReportSettings) -> Section:
    """Analyse the answers."""
    all_answers = _read_respondents(answers)
    respondents = [respondent for respondent in all_answers if len(respondent.rows)]
    return Section(
        NAME,
        tuple(respondent.name for respondent in all_answers),
        _findings(respondents, settings.seed),
        tuple(tables(respondents, settings.seed)),
        tuple(_figures(respondents)),
        tuple(entry for respondent in all_answers for entry in _notices(respondent)),
    )


def build_findings(answers: Document, settings: ReportSettings) -> tuple[Finding, ...]:
    """Return the findings of :func:`build_section` without its tables and figures."""
    respondents = [respondent for respondent in _read_respondents(answers) if len(respondent.rows)]
    return _findings(respondents, settings.seed)


def _read_respondents(answers: Document) -> list[LadderAnswers]:
    return [read_answers(name, answers[name]) for name in sorted(answers)]


def _findings(respondents: Sequence[LadderAnswers], seed: int) -> tuple[Finding, ...]:
    return tuple(finding for respondent in respondents for finding in iter_findings(respondent, seed))


def _figures(respondents: Sequence[LadderAnswers]) -> Iterator[Figure]:
    """Yield a figure per respondent: accuracy, and bias with its interval, at each level."""
    for number, answers in enumerate(respondents):
        steps, descriptions = [], []
        for level, part in subsets_by(answers.rows, "level"):
            accuracy, bias, name = part.accuracy(), part.bias(), level_name(level)
            steps.append(Step(name, *interval_fields(accuracy, 100), estimate_row(name, bias, part.bounds())))
            if accuracy.value is not None and bias.value is not None:
                descriptions.append(
                    sentence("step", level=name, accuracy=f"{accuracy.value:.0%}", bias=f"{bias.value:+.1f}")
                )
        figure_caption = caption(NAME, "levels", descriptions, answers.name, number)
        units = sentence("unit_accuracy"), sentence("unit_points")
        svg = plot_steps(steps, figure_caption, units, words(NAME).measures[MEASURE].sides)
        yield Figure("levels", svg, "levels", answers.name)


def _notices(answers: LadderAnswers) -> Iterator[Notice]:
    if answers.n_unpaired:
        yield notice(answers.name, "halves", serious=True, count=answers.n_unpaired)
    if answers.n_duplicates:
        yield notice(answers.name, "twice", count=answers.n_duplicates)
    if not len(answers.rows):
        return
    everything = LadderSubset(answers.rows.assign(country=country_of(answers.rows)))
    for column, key in (("family", "families_differ"), ("country", "countries_differ")):
        p = everything.p_heterogeneity(column)
        if p is not None and p < LEVEL:
            yield notice(answers.name, key, serious=True, p=p)
    levels_by_country = {
        country: {level for level, _ in subsets_by(part.answers, "level")}
        for country, part in subsets_by(everything.answers, "country")
    }
    if len({frozenset(levels) for levels in levels_by_country.values()}) > 1:
        yield notice(answers.name, "uneven_levels", serious=True)


__all__ = ["COLUMNS", "build_findings", "build_section", "flatten_samples"]
