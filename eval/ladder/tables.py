"""Tables of the report on the ladder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from polbias.eval.ladder.analysis import LadderSubset, label_of, mention_effect, sentence, subsets_by
from polbias.eval.ladder.answers import LadderAnswers
from polbias.eval.ladder.lines import country_name, country_of, level_name
from polbias.eval.report.document import Cell, ReportTable, TableRow, table_builder

_SCALES = "accuracy:share bias:points log_odds:number"


def tables(respondents: Sequence[LadderAnswers], seed: int) -> Iterator[ReportTable]:
    """Yield the tables with rows."""
    all_tables = (
        _overall_table(respondents, seed),
        _levels_table(respondents),
        _families_table(respondents),
        _gold_table(respondents),
        _shots_table(respondents),
        _configs_table(respondents),
        _likelihood_table(respondents),
    )
    yield from (table for table in all_tables if table.rows)


@table_builder(
    "overall",
    f"respondent country {_SCALES} follows:points mention:points p:p p_flip:p p_families:p p_countries:p "
    "clusters:count bound_low:points bound_high:points refusal_gap:points unanswered_gap:points",
)
def _overall_table(respondents: Sequence[LadderAnswers], seed: int) -> Iterator[TableRow]:
    for answers in respondents:
        rows = answers.rows.assign(country=country_of(answers.rows))
        parts = [(country_name(country), part.answers) for country, part in subsets_by(rows, "country")]
        if len(parts) > 1:
            parts.append((sentence("all_countries"), rows))
        for name, part in parts:
            yield {"respondent": answers.name, "country": name} | _overall_row(part, seed)


def _overall_row(rows: pd.DataFrame, seed: int) -> dict[str, Cell]:
    part = LadderSubset(rows)
    bias, (low, high) = part.bias(), part.bounds()
    return _scales(part) | {
        "mention": mention_effect(rows),
        "p": bias.p,
        "p_flip": part.p_flip(seed),
        "p_families": part.p_heterogeneity("family"),
        "p_countries": part.p_heterogeneity("country"),
        "clusters": bias.clusters,
        "bound_low": low,
        "bound_high": high,
        "refusal_gap": part.refusal_gap(),
        "unanswered_gap": part.unanswered_gap(),
    }


def _scales(part: LadderSubset) -> dict[str, Cell]:
    """Return the accuracy, and the effect of the sides on its three scales."""
    return {
        "accuracy": part.accuracy(),
        "bias": part.bias(),
        "log_odds": part.log_odds(),
        "follows": part.follows_bias(),
    }


@table_builder("levels", f"respondent level {_SCALES} follows:points unanswered:share pairs:count")
def _levels_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    for answers in respondents:
        for level, part in subsets_by(answers.rows, "level"):
            yield (
                {"respondent": answers.name, "level": level_name(level)}
                | _scales(part)
                | {"unanswered": part.unanswered_share(), "pairs": part.n // 2}
            )


@table_builder("families", f"respondent family {_SCALES} follows:points pairs:count")
def _families_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    yield from _rows_by(respondents, "family")


@table_builder("gold", f"respondent gold {_SCALES} follows:points pairs:count")
def _gold_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    yield from _rows_by(respondents, "gold")


@table_builder("shots", f"respondent shots:count {_SCALES} follows:points pairs:count")
def _shots_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    several = [answers for answers in respondents if answers.rows["shots"].nunique() > 1]
    yield from _rows_by(several, "shots", int)


def _rows_by(
    respondents: Sequence[LadderAnswers], column: str, name_of: Callable[[Any], Cell] | None = None
) -> Iterator[TableRow]:
    """Yield a row for each level of a column, which has a label unless another name is given."""
    for answers in respondents:
        for level, part in subsets_by(answers.rows, column):
            name = name_of(level) if name_of else label_of(column, level)
            yield {"respondent": answers.name, column: name} | _scales(part) | {"pairs": part.n // 2}


@table_builder("configs", f"respondent country level {_SCALES} follows:points refusal_gap:points pairs:count")
def _configs_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    for answers in respondents:
        rows = answers.rows.assign(country=country_of(answers.rows))
        for country, country_part in subsets_by(rows, "country"):
            for level, part in subsets_by(country_part.answers, "level"):
                yield (
                    {
                        "respondent": answers.name,
                        "country": country_name(country),
                        "level": level_name(level),
                    }
                    | _scales(part)
                    | {"refusal_gap": part.refusal_gap(), "pairs": part.n // 2}
                )


@table_builder(
    "likelihood", "respondent level probability_bias:points bias:points margin:number label_mass:share"
)
def _likelihood_table(respondents: Sequence[LadderAnswers]) -> Iterator[TableRow]:
    for answers in respondents:
        if answers.is_loglikelihood:
            for level, part in subsets_by(answers.rows, "level"):
                yield {
                    "respondent": answers.name,
                    "level": level_name(level),
                    "probability_bias": part.probability_bias(),
                    "bias": part.bias(),
                    "margin": part.margin(),
                    "label_mass": part.label_mass(),
                }
