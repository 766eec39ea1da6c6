"""Report tables in the layout of the paper (Ozeki et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product

import numpy as np
import pandas as pd

from polbias.aliases import Booleans, Document, Floats, Json
from polbias.eval.accuracy import AccuracyCell, accuracy
from polbias.eval.answer_frames import (
    NON_ANSWER_LABELS,
    AnalysisMode,
    AnswerTableError,
    Level,
    codes_of,
    count_silences,
    cross,
)
from polbias.eval.multiple_testing import holm_adjust
from polbias.eval.normative.analysis import (
    CONTENT,
    DOMAIN,
    SELECTION_CONTENT,
    SELECTION_DOMAIN,
    STATUS,
    accuracies,
    accuracy_by_type,
    instrument_words,
    mean,
    mean_label_mass,
    right_among_answered,
    share,
    term,
)
from polbias.eval.normative.answers import (
    DOMAINS,
    PATTERN_TABLES,
    POLARITIES,
    REASONING,
    SETTING,
    SETTINGS,
    SHARED,
    STYLES,
    TYPES,
    NormativeAnswers,
    PatternPanel,
    column_of,
    is_correct,
    non_answers,
    select,
    setting_key,
)
from polbias.eval.normative.effects import (
    READINGS,
    consistency,
    disjunction_readings,
    effect_record,
    group_equivalents,
)
from polbias.eval.normative.wason import (
    ROLES,
    compare_selections,
    decode_card_sets,
    logical_roles,
    score_selections,
)
from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    Finding,
    ReportTable,
    TableRow,
    make_table,
    parse_columns,
    replace_non_finite,
    table_builder,
)
from polbias.eval.statistics import cluster_interval

# Tables of the entailment tasks: 5, 6, 12 to 15 as in the paper, answers, consistency and "or".

_AVERAGE = "average"
_PRINTED_TYPES = ("incongruent", "congruent", "nonsense")
_RELATIONS = ("contrapositive", "duality", "negated-content", "form")


def entailment_tables(
    respondents: Sequence[NormativeAnswers], summaries: Mapping[str, Document]
) -> tuple[ReportTable, ...]:
    """Return the tables of the corrected mode.

    Args:
        respondents: answers of all respondents.
        summaries: :func:`entailment_summary` by name, for respondents with answers to entailment problems.
    """
    problems = {
        respondent.name: respondent.problems for respondent in respondents if len(respondent.problems)
    }
    tables = (
        *_paper_tables(problems, "corrected"),
        _answers_table(respondents),
        _consistency_table(summaries),
        _disjunction_table(summaries),
    )
    return tuple(table for table in tables if table.rows)


def published_tables(respondents: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the tables of the paper mode, for respondents with generated answers."""
    generated = [
        respondent
        for respondent in respondents
        if respondent.method == "generated" and len(respondent.paper_problems)
    ]
    tables = _paper_tables(
        {respondent.name: respondent.published_labels for respondent in generated}, "paper"
    )
    return tuple(table for table in tables if table.rows)


def _paper_tables(answers: Mapping[str, pd.DataFrame], mode: AnalysisMode) -> Iterator[ReportTable]:
    yield _accuracy_table(answers, mode)
    for reasoning in REASONING:
        yield _content_table(answers, reasoning, mode)
    for name, panel in PATTERN_TABLES.items():
        yield _pattern_table(answers, name, panel, mode)


def _accuracy_table(answers: Mapping[str, pd.DataFrame], mode: AnalysisMode) -> ReportTable:
    """Table 5."""
    rows: list[TableRow] = []
    for name, problems in answers.items():
        cells = accuracies(problems, SETTING, mode)
        rows.append({"respondent": name, **{"_".join(setting): cells.get(setting) for setting in SETTINGS}})
    shares = (Column("_".join(setting), "share") for setting in SETTINGS)
    return make_table("table5", (Column("respondent"), *shares), rows, mode)


def _content_table(answers: Mapping[str, pd.DataFrame], reasoning: str, mode: AnalysisMode) -> ReportTable:
    """Table 6; in the paper, deontic problems, zero-shot, pooled over patterns."""
    rows: list[TableRow] = []
    for name, problems in answers.items():
        for domain, task, style in SETTINGS:
            if task != reasoning or (mode == "paper" and (domain, style) != (DOMAINS[0], STYLES[0])):
                continue
            part = select(problems, domain=domain, task=task, prompt_style=style)
            if not len(part):
                continue
            row: dict[str, Cell] = {"respondent": name, "domain": term(domain), "style": term(style)}
            if mode == "paper":
                cells = accuracies(part, ["content_type"], mode)
                row |= {str(kind): right for (kind,), right in cells.items()}
            else:
                for kind, (right, unanswered) in accuracy_by_type(part).items():
                    row |= {kind: right, f"{kind}_unanswered": unanswered}
            rows.append(row)
    is_paper = mode == "paper"
    labels = ["respondent", *(() if is_paper else ("domain", "style"))]
    suffixes = ("",) if is_paper else ("", "_unanswered")
    shares = (Column(f"{kind}{suffix}", "share") for suffix in suffixes for kind in _PRINTED_TYPES)
    columns = (*map(Column, labels), *shares)
    return make_table(f"table6{'ab'[REASONING.index(reasoning)]}", columns, rows, mode)


def _pattern_table(
    answers: Mapping[str, pd.DataFrame], name: str, panel: PatternPanel, mode: AnalysisMode
) -> ReportTable:
    """Half of Tables 12 to 15."""
    rows: list[TableRow] = []
    parts = {
        respondent: select(problems, domain=panel.domain, task=panel.reasoning)
        for respondent, problems in answers.items()
    }
    present = {pattern for part in parts.values() for pattern in part["pattern"].unique()}
    patterns = (*panel.patterns, *(pattern for pattern in panel.added if pattern in present))
    for respondent, part in parts.items():
        answered = mode == "corrected"
        cells = accuracies(part, ("prompt_style", "pattern", "content_type"), mode, answered)
        means = accuracies(part, ("prompt_style", "pattern"), mode, answered)
        for style in STYLES:
            row = {
                _column(pattern, kind): means.get((style, pattern))
                if kind == _AVERAGE
                else cells.get((style, pattern, kind))
                for pattern in patterns
                for kind in (*TYPES, _AVERAGE)
            }
            if any(row.values()):
                rows.append({"respondent": respondent, "style": term(style), **row})
    column_titles = instrument_words().tables[name if mode == "corrected" else f"{name}_paper"].columns
    shares = [
        Column(_column(pattern, kind), "share", f"{pattern} {column_titles[kind]}")
        for pattern in patterns
        for kind in (*TYPES, _AVERAGE)
    ]
    return make_table(name, (*parse_columns("respondent style"), *shares), rows, mode)


def _column(pattern: str, kind: str) -> str:
    return f"{pattern}_{kind}"


@table_builder(
    "answers",
    "respondent answers:count accuracy:share entailment:share entailed:share refusals:count "
    "unparsable:count truncated:count unread:count label_mass:share",
)
def _answers_table(respondents: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    """Accuracy, share of entailment, and non-answers."""
    for respondent in respondents:
        problems, contents = respondent.problems, respondent.problems["cluster_id"].array
        if not len(problems):
            continue
        counts = count_silences(non_answers(problems), 0)
        yield {
            "respondent": respondent.name,
            "answers": len(problems),
            "accuracy": share(is_correct(problems), contents, counts),
            "entailment": share(problems["label"] == "entailment", contents, counts),
            "entailed": float((problems["gold"] == "entailment").mean()),
            **counts,
            "unread": int((non_answers(problems.assign(label=problems["paper_label"])) >= 0).sum())
            if respondent.method == "generated"
            else None,
            "label_mass": mean_label_mass(problems),
        }


@table_builder(
    "consistency",
    "respondent domain reasoning style all:share expected:share contrapositive:share duality:share "
    "negated-content:share form:share unanswered:share",
)
def _consistency_table(summaries: Mapping[str, Document]) -> Iterator[TableRow]:
    """Consistency of equivalent inferences, by setting."""
    for name, summary in summaries.items():
        settings: dict[tuple[str, ...], dict[str, Document]] = {}
        for entry in summary["consistency"]:
            setting = entry["domain"], entry["task"], entry["prompt_style"]
            settings.setdefault(setting, {})[entry["kind"]] = entry
        for domain, reasoning, style in sorted(settings, key=SETTINGS.index):
            kinds = settings[domain, reasoning, style]
            if not kinds["all"]["groups"]:
                continue
            yield {
                "respondent": name,
                "domain": term(domain),
                "reasoning": term(reasoning),
                "style": term(style),
                "all": _agreement_share(kinds["all"]),
                "expected": kinds["all"]["expected"],
                **{kind: _agreement_share(kinds.get(kind)) for kind in _RELATIONS},
                "unanswered": kinds["all"]["unanswered"],
            }


@table_builder("disjunctions", "respondent style patterns paper:share sdl:share mixed:share unanswered:share")
def _disjunction_table(summaries: Mapping[str, Document]) -> Iterator[TableRow]:
    """Interpretations of disjunctions (deontic logic)."""
    for name, summary in summaries.items():
        entries = summary["disjunctions"]
        for entry in sorted(entries, key=lambda row: (STYLES.index(row["prompt_style"]), row["patterns"])):
            shares = {
                reading: Estimate.from_numbers(
                    *(entry[reading][end] for end in ("estimate", "low", "high")), n=entry["contents"]
                )
                for reading in READINGS
            }
            labels = {"respondent": name, "style": term(entry["prompt_style"])}
            yield {**labels, "patterns": ", ".join(entry["patterns"]), **shares}


def _agreement_share(entry: Document | None) -> Estimate | None:
    """Return the share of groups whose answers agree; n counts the groups."""
    if not entry or not entry["groups"]:
        return None
    agreement = entry["share"]
    estimate = Estimate(
        agreement["estimate"], agreement["low"], agreement["high"], entry["groups"], agreement["clusters"]
    )
    return estimate.clip_to_unit()


# Entailment problems in summary.json: every pattern and kind of equivalence, in every setting.


def entailment_summary(problems: pd.DataFrame, paper_problems: pd.DataFrame | None = None) -> Json:
    """Return accuracy by pattern, consistency and interpretations of disjunctions, in every setting.

    Args:
        problems: answers to entailment problems.
        paper_problems: answers to the paper's configs, which alone have disjunctions; `problems` if None.
    """
    disjunctions = problems if paper_problems is None else paper_problems
    settings = [dict(zip(SETTING, levels, strict=True)) for levels in sorted(SETTINGS)]
    parts = [(setting, part) for setting in settings if len(part := select(problems, **setting))]
    groups = group_equivalents(problems)
    summary: Json = replace_non_finite(
        {
            "patterns": [*_pattern_rows(problems)],
            "consistency": [
                setting | asdict(entry)
                for setting, _ in parts
                for entry in consistency(select(groups, **setting))
            ],
            "disjunctions": [*_disjunction_rows(disjunctions)] if "gold_sdl" in disjunctions else [],
        }
    )
    return summary


def _disjunction_rows(problems: pd.DataFrame) -> Iterator[Json]:
    """Yield the interpretations in every setting."""
    for domain, task in product(DOMAINS, REASONING):
        for row in disjunction_readings(select(problems, domain=domain, task=task)):
            yield {"domain": domain, "task": task, "prompt_style": row["prompt_style"], **row}


def _pattern_rows(problems: pd.DataFrame) -> Iterator[Json]:
    """Yield the accuracy among answers with a verdict by pattern, content types in columns."""
    labels = codes_of(problems["label"]), codes_of(problems["gold"])
    columns = {name: problems[name] for name in (*SETTING, "gold", "pattern")}
    cells_by_pattern: dict[tuple[Level, ...], list[AccuracyCell]] = {}
    for cell in accuracy(*labels, columns | {"content_type": problems["content_type"]}):
        cells_by_pattern.setdefault((*cell.cell.values(),)[:-1], []).append(cell)
    patterns = accuracy(*labels, columns)
    for pattern in sorted(patterns, key=lambda cell: [*map(str, cell.cell.values())]):  # entailment first
        cells = {str(cell.cell["content_type"]): cell for cell in cells_by_pattern[(*pattern.cell.values(),)]}
        yield {
            **pattern.cell,
            **dict.fromkeys(TYPES),
            **{kind: _accuracy_value(cell) for kind, cell in cells.items()},
            **{f"{kind}_unanswered": _count_non_answers(cell) / cell.n for kind, cell in cells.items()},
            "average": _accuracy_value(pattern),
            "n": pattern.n,
        }


def _accuracy_value(cell: AccuracyCell) -> float | None:
    """Return the accuracy among the answers with a verdict."""
    answered = cell.n - _count_non_answers(cell)
    return cell.correct / answered if answered else None


def _count_non_answers(cell: AccuracyCell) -> int:
    """Count the answers without a verdict."""
    return cell.refusals + cell.unparsable + cell.truncated


# Tables of the selection task; the paper refers to the task but has no tables of it.

_CONTENTS = ("familiar", "arbitrary", "nonsense")
_FAMILIAR = ("congruent", "incongruent")


def selection_tables(respondents: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the tables; none without answers to selection tasks."""
    card_respondents = [respondent for respondent in respondents if len(respondent.selections)]
    if not card_respondents:
        return ()
    return (
        _selection_table(card_respondents),
        _cell_table(card_respondents),
        _card_table(card_respondents),
        _choice_table(card_respondents),
    )


@table_builder(
    "wason",
    "respondent answers:count exact:share card_accuracy:share matching:share matching_index:number "
    "logic_index:number refusals:count unparsable:count truncated:count label_mass:share",
)
def _selection_table(respondents: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    for respondent in respondents:
        selections, contents = respondent.selections, respondent.selections["cluster_id"].array
        counts, scores = count_silences(non_answers(selections), 0), score_selections(selections)
        shares = {
            "exact": scores["accuracy"],
            **{name: scores[name] for name in ("card_accuracy", "matching")},
        }
        yield {
            "respondent": respondent.name,
            "answers": len(selections),
            **{name: share(values, contents, counts) for name, values in shares.items()},
            **{name: mean(scores[name], contents, counts) for name in ("matching_index", "logic_index")},
            **counts,
            "label_mass": mean_label_mass(selections),
        }


def _cell_table(respondents: Sequence[NormativeAnswers]) -> ReportTable:
    """Exact choices by domain, polarity of the rule and content type."""
    rows: list[TableRow] = []
    for respondent in respondents:
        estimates = _cell_estimates(respondent.selections)
        for domain, polarity in product(DOMAINS, POLARITIES):
            cells: dict[str, Cell] = {}
            for kind in _CONTENTS:
                if (estimate := estimates.get((domain, polarity, kind))) is not None:
                    cells[kind], cells[f"{kind}_unanswered"] = estimate
            if cells:
                labels = {"respondent": respondent.name, "domain": term(domain), "rule": term(polarity)}
                rows.append({**labels, **cells})
    names = [f"{kind}{suffix}" for suffix in ("", "_unanswered") for kind in _CONTENTS]
    shares = (Column(name, "share") for name in names)
    return make_table("wason_cells", (*parse_columns("respondent domain rule"), *shares), rows)


def _cell_estimates(selections: pd.DataFrame) -> dict[tuple[Level, ...], tuple[Estimate, float]]:
    """Map each cell to its share of exact choices among answers with a verdict, and its nonresponse rate."""
    kinds = selections["content_type"].cat.add_categories("familiar")
    kinds = kinds.mask(kinds.isin(_FAMILIAR), "familiar")
    cell_levels, cells = cross([selections["domain"], selections["polarity"], kinds])
    correct, non_answer_codes = is_correct(selections), non_answers(selections)
    contents = selections["cluster_id"].array
    estimates = {}
    for code, cell in enumerate(cell_levels):
        rows = cells == code
        right = right_among_answered(correct[rows], non_answer_codes[rows], contents[rows])
        estimates[cell] = right, float((non_answer_codes[rows] >= 0).mean())
    return estimates


def _card_table(respondents: Sequence[NormativeAnswers]) -> ReportTable:
    """Share of problems in which the card of each role is turned over; each role occurs once per problem."""
    rows: list[TableRow] = []
    for respondent in respondents:
        selections, contents = respondent.selections, respondent.selections["cluster_id"].array
        is_chosen, roles = decode_card_sets(codes_of(selections["label"])), logical_roles(selections)
        counts = count_silences(non_answers(selections), 0)
        shares = {
            _role_key(role): share((is_chosen & (roles == code)).any(axis=1), contents, counts)
            for code, role in enumerate(ROLES)
        }
        rows.append({"respondent": respondent.name, **shares})
    columns = (Column("respondent"), *(Column(_role_key(role), "share") for role in ROLES))
    return make_table("wason_cards", columns, rows)


def _choice_table(respondents: Sequence[NormativeAnswers]) -> ReportTable:
    """Share of each set of cards by respondent, sorted by the sum of the shares."""
    shares = {respondent.name: _choice_shares(respondent.selections) for respondent in respondents}
    names = {name for shares_by_choice in shares.values() for name in shares_by_choice}
    order = sorted(
        names,
        key=lambda name: (
            -sum(shares_by_choice.get(name, 0.0) for shares_by_choice in shares.values()),
            name,
        ),
    )
    rows: list[TableRow] = [
        {
            "cards_turned": _choice_label(name),
            **{
                respondent: shares_by_choice.get(name, 0.0) for respondent, shares_by_choice in shares.items()
            },
        }
        for name in order
    ]
    columns = (Column("cards_turned"), *(Column(respondent, "share", respondent) for respondent in shares))
    return make_table("wason_choices", columns, rows)


def _choice_label(choice: str) -> str:
    return " + ".join(term(_role_key(part)) for part in choice.split(" + "))


def _role_key(role: str) -> str:
    return role.replace(" ", "_")


# Choices of one respondent for summary.json.


_SIGNED = ("matching_index", "logic_index")  # in [-1, 1]


def summarize_selections(selections: pd.DataFrame) -> Json:
    """Summarize the choices of one model in the selection task.

    The scores of a cell are means over answers with a verdict, the total scores over all answers.
    """
    if not len(selections):
        raise AnswerTableError("rows: found none, expected choices of cards")
    contents, non_answer_codes = selections["cluster_id"].array, non_answers(selections)
    is_chosen, roles = decode_card_sets(codes_of(selections["label"])), logical_roles(selections)
    scores = score_selections(selections)
    design = [name for name in ("domain", "content_type", "polarity") if name in selections]
    cell_levels, index = cross([selections[name] for name in design])
    is_answered = non_answer_codes < 0
    cells = [
        dict(zip(design, cell, strict=True))
        | {"n": int((index == code).sum()), "unanswered": _mean_or_nan(~is_answered[index == code])}
        | {name: _mean_or_nan(values[is_answered & (index == code)]) for name, values in scores.items()}
        for code, cell in enumerate(cell_levels)
    ]
    comparisons = {
        "content_type": compare_selections(selections),
        "domain": compare_selections(selections, "domain", *DOMAINS),
    }
    effects = [
        effect_record(comparison.effect(), comparison.support()) for comparison in comparisons.values()
    ]
    adjusted = zip(comparisons, effects, holm_adjust([effect["p_value"] for effect in effects]), strict=True)
    summary = {
        "n": len(selections),
        **{name: float((non_answer_codes == code).mean()) for code, name in enumerate(NON_ANSWER_LABELS)},
        **{
            name: asdict(cluster_interval(values, contents, bounds=(-float(name in _SIGNED), 1.0)))
            for name, values in scores.items()
        },
        "cells": cells,
        "selected": {role: float(is_chosen[roles == code].mean()) for code, role in enumerate(ROLES)},
        "choices": _choice_shares(selections),
        "effects": [{"compared": name} | effect | {"p_holm": p} for name, effect, p in adjusted],
    }
    return {key: replace_non_finite(value) for key, value in summary.items()}


def _mean_or_nan(values: Floats | Booleans) -> float:
    return float(values.mean()) if values.size else math.nan


def _choice_shares(selections: pd.DataFrame) -> dict[str, float]:
    """Return the share of each set of roles among all rows, the most frequent first."""
    is_chosen, non_answer_codes = decode_card_sets(codes_of(selections["label"])), non_answers(selections)
    role_sets = (is_chosen << logical_roles(selections)).sum(axis=1)
    names = [
        " + ".join(role for bit, role in enumerate(ROLES) if code >> bit & 1) or "none" for code in range(16)
    ]
    counts = np.bincount(np.where(non_answer_codes < 0, role_sets, non_answer_codes + len(names)))
    count_by_name = {
        name: count
        for name, count in zip((*names, *NON_ANSWER_LABELS), counts.tolist(), strict=False)
        if count
    }
    ordered = sorted(count_by_name.items(), key=lambda item: (-item[1], item[0]))
    return {name: count / len(selections) for name, count in ordered}


# Effects of content and domain: a row per respondent, a column per setting.

_CONTENT_TABLES = dict(
    zip(("content_effects", "nonsense_effects", "status_effects"), (*CONTENT, STATUS), strict=True)
)


def effect_tables(
    findings: Sequence[Finding], respondents: Sequence[NormativeAnswers]
) -> tuple[ReportTable, ...]:
    """Return the tables of effects; tables without an effect are dropped."""
    settings, shared = ([setting_key(*setting) for setting in group] for group in (SETTINGS, SHARED))
    finding_by_cell = {(finding.respondent, finding.measure, finding.key): finding for finding in findings}
    tables = [
        _effect_table(
            name, {column_of(key): (measure, key) for key in ("", *keys)}, finding_by_cell, respondents
        )
        for name, measure, keys in (
            *((name, measure, settings) for name, measure in _CONTENT_TABLES.items()),
            ("domain_effects", DOMAIN, shared),
        )
    ]
    cards = {"content": (SELECTION_CONTENT, "")}
    cards |= {f"content_{domain}": (SELECTION_CONTENT, domain) for domain in DOMAINS}
    cards |= {"domain": (SELECTION_DOMAIN, "")}
    return tuple(
        table
        for table in (*tables, _effect_table("wason_effects", cards, finding_by_cell, respondents))
        if table.rows
    )


def _effect_table(
    name: str,
    columns: Mapping[str, tuple[str, str]],
    finding_by_cell: Mapping[tuple[str, str, str], Finding],
    respondents: Sequence[NormativeAnswers],
) -> ReportTable:
    rows: list[TableRow] = []
    for respondent in respondents:
        finding_by_column = {
            column: finding_by_cell.get((respondent.name, *cell)) for column, cell in columns.items()
        }
        if any(finding_by_column.values()):
            row = {
                column: finding.estimate if finding else None for column, finding in finding_by_column.items()
            }
            rows.append({"respondent": respondent.name, **row})
    return make_table(name, (Column("respondent"), *(Column(column, "points") for column in columns)), rows)
