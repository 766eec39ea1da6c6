"""Tables of the report in the layout of the paper (Ozeki et al. 2024)."""

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
    by_type,
    instrument_words,
    mean,
    mean_mass,
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
    cards_in,
    compare_selections,
    roles_of_cards,
    score_selections,
)
from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    Finding,
    ReportTable,
    TableRow,
    finite,
    parse_columns,
    table_builder,
    table_of,
)
from polbias.eval.statistics import cluster_interval

# The tables of the entailment tasks: 5, 6, 12 to 15 as in the paper, answers, consistency and "or".

_AVERAGE = "average"
_PRINTED_TYPES = ("incongruent", "congruent", "nonsense")
_RELATIONS = ("contrapositive", "duality", "negated-content", "form")


def entailment_tables(
    asked: Sequence[NormativeAnswers], summaries: Mapping[str, Document]
) -> tuple[ReportTable, ...]:
    """Return the tables of the corrected mode.

    Args:
        asked: the answers of all respondents.
        summaries: of the respondents with answers to entailment problems (:func:`entailment_summary`).
    """
    problems = {one.name: one.problems for one in asked if len(one.problems)}
    tables = (
        *_paper_tables(problems, "corrected"),
        _answers(asked),
        _consistency(summaries),
        _disjunctions(summaries),
    )
    return tuple(table for table in tables if table.rows)


def published_tables(asked: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the tables of the paper mode, of the respondents who wrote their answers."""
    written = [one for one in asked if one.method == "generated" and len(one.problems)]
    tables = _paper_tables({one.name: one.published_labels for one in written}, "paper")
    return tuple(table for table in tables if table.rows)


def _paper_tables(answers: Mapping[str, pd.DataFrame], mode: AnalysisMode) -> Iterator[ReportTable]:
    yield _overall(answers, mode)
    for reasoning in REASONING:
        yield _types(answers, reasoning, mode)
    for name, shown in PATTERN_TABLES.items():
        yield _patterns(answers, name, shown, mode)


def _overall(answers: Mapping[str, pd.DataFrame], mode: AnalysisMode) -> ReportTable:
    """Table 5."""
    rows: list[TableRow] = []
    for name, problems in answers.items():
        cells = accuracies(problems, SETTING, mode)
        rows.append({"respondent": name, **{"_".join(setting): cells.get(setting) for setting in SETTINGS}})
    shares = (Column("_".join(each), "share") for each in SETTINGS)
    return table_of("table5", (Column("respondent"), *shares), rows, mode)


def _types(answers: Mapping[str, pd.DataFrame], reasoning: str, mode: AnalysisMode) -> ReportTable:
    """Table 6: the paper prints normative problems, zero-shot, pooled over patterns."""
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
                for kind, (right, unanswered) in by_type(part).items():
                    row |= {kind: right, f"{kind}_unanswered": unanswered}
            rows.append(row)
    printed = mode == "paper"
    labels = ["respondent", *(() if printed else ("domain", "style"))]
    suffixes = ("",) if printed else ("", "_unanswered")
    shares = (Column(f"{kind}{suffix}", "share") for suffix in suffixes for kind in _PRINTED_TYPES)
    shown = (*map(Column, labels), *shares)
    return table_of(f"table6{'ab'[REASONING.index(reasoning)]}", shown, rows, mode)


def _patterns(
    answers: Mapping[str, pd.DataFrame], name: str, shown: PatternPanel, mode: AnalysisMode
) -> ReportTable:
    """A half of Tables 12 to 15."""
    rows: list[TableRow] = []
    for respondent, problems in answers.items():
        part = select(problems, domain=shown.domain, task=shown.reasoning)
        answered = mode == "corrected"
        cells = accuracies(part, ("prompt_style", "pattern", "content_type"), mode, answered)
        means = accuracies(part, ("prompt_style", "pattern"), mode, answered)
        for style in STYLES:
            row = {
                _column(pattern, kind): means.get((style, pattern))
                if kind == _AVERAGE
                else cells.get((style, pattern, kind))
                for pattern in shown.patterns
                for kind in (*TYPES, _AVERAGE)
            }
            if any(row.values()):
                rows.append({"respondent": respondent, "style": term(style), **row})
    short = instrument_words().tables[name if mode == "corrected" else f"{name}_paper"].columns
    shares = [
        Column(_column(pattern, kind), "share", f"{pattern} {short[kind]}")
        for pattern in shown.patterns
        for kind in (*TYPES, _AVERAGE)
    ]
    return table_of(name, (*parse_columns("respondent style"), *shares), rows, mode)


def _column(pattern: str, kind: str) -> str:
    return f"{pattern}_{kind}"


@table_builder(
    "answers",
    "respondent answers:count accuracy:share entailment:share entailed:share refusals:count "
    "unparsable:count truncated:count unread:count label_mass:share",
)
def _answers(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    """What was answered, whatever is right."""
    for one in asked:
        problems, contents = one.problems, one.problems["cluster_id"].array
        if not len(problems):
            continue
        counts = count_silences(non_answers(problems), 0)
        yield {
            "respondent": one.name,
            "answers": len(problems),
            "accuracy": share(is_correct(problems), contents, counts),
            "entailment": share(problems["label"] == "entailment", contents, counts),
            "entailed": float((problems["gold"] == "entailment").mean()),
            **counts,
            "unread": int((non_answers(one.published_labels) >= 0).sum())
            if one.method == "generated"
            else None,
            "label_mass": mean_mass(problems),
        }


@table_builder(
    "consistency",
    "respondent domain reasoning style all:share expected:share contrapositive:share duality:share "
    "negated-content:share form:share unanswered:share",
)
def _consistency(summaries: Mapping[str, Document]) -> Iterator[TableRow]:
    """Equivalent inferences that are answered alike, by setting."""
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
                "all": _agreeing(kinds["all"]),
                "expected": kinds["all"]["expected"],
                **{kind: _agreeing(kinds.get(kind)) for kind in _RELATIONS},
                "unanswered": kinds["all"]["unanswered"],
            }


@table_builder("disjunctions", "respondent style patterns paper:share sdl:share mixed:share unanswered:share")
def _disjunctions(summaries: Mapping[str, Document]) -> Iterator[TableRow]:
    """How contents of disjunctions are read (deontic logic)."""
    for name, summary in summaries.items():
        entries = summary["disjunctions"]
        for entry in sorted(entries, key=lambda row: (STYLES.index(row["prompt_style"]), row["patterns"])):
            shares = {
                reading: Estimate.from_numbers(
                    *(entry[reading][end] for end in ("estimate", "low", "high")), n=entry["contents"]
                )
                for reading in READINGS
            }
            about = {"respondent": name, "style": term(entry["prompt_style"])}
            yield {**about, "patterns": ", ".join(entry["patterns"]), **shares}


def _agreeing(entry: Document | None) -> Estimate | None:
    """A share of groups whose answers agree; n counts the groups."""
    if not entry or not entry["groups"]:
        return None
    whole = entry["share"]
    found = Estimate(whole["estimate"], whole["low"], whole["high"], entry["groups"], whole["clusters"])
    return found.clip_to_unit()


# The entailment problems in summary.json: every pattern and kind of equivalence, in every setting.


def entailment_summary(problems: pd.DataFrame) -> Json:
    """Return accuracy by pattern, consistency and readings of disjunctions, in every setting."""
    settings = [dict(zip(SETTING, levels, strict=True)) for levels in sorted(SETTINGS)]
    parts = [(setting, part) for setting in settings if len(part := select(problems, **setting))]
    groups = group_equivalents(problems)
    summary: Json = finite(
        {
            "patterns": [*_pattern_rows(problems)],
            "consistency": [
                setting | asdict(entry)
                for setting, _ in parts
                for entry in consistency(select(groups, **setting))
            ],
            "disjunctions": [*_disjunction_rows(problems)] if "gold_sdl" in problems else [],
        }
    )
    return summary


def _disjunction_rows(problems: pd.DataFrame) -> Iterator[Json]:
    """Yield the readings in every setting."""
    for domain, task in product(DOMAINS, REASONING):
        for row in disjunction_readings(select(problems, domain=domain, task=task)):
            yield {"domain": domain, "task": task, "prompt_style": row["prompt_style"], **row}


def _pattern_rows(problems: pd.DataFrame) -> Iterator[Json]:
    """Yield accuracy among the answers with a verdict by pattern, types of content in columns."""
    labels = codes_of(problems["label"]), codes_of(problems["gold"])
    columns = {name: problems[name] for name in (*SETTING, "gold", "pattern")}
    cells_by_pattern: dict[tuple[Level, ...], list[AccuracyCell]] = {}
    for cell in accuracy(*labels, columns | {"content_type": problems["content_type"]}):
        cells_by_pattern.setdefault((*cell.cell.values(),)[:-1], []).append(cell)
    patterns = accuracy(*labels, columns)
    for pattern in sorted(patterns, key=lambda cell: [*map(str, cell.cell.values())]):  # valid ones first
        cells = {str(cell.cell["content_type"]): cell for cell in cells_by_pattern[(*pattern.cell.values(),)]}
        yield {
            **pattern.cell,
            **dict.fromkeys(TYPES),
            **{kind: _right(cell) for kind, cell in cells.items()},
            **{f"{kind}_unanswered": _unanswered(cell) / cell.n for kind, cell in cells.items()},
            "average": _right(pattern),
            "n": pattern.n,
        }


def _right(cell: AccuracyCell) -> float | None:
    """Share of right answers among those with a verdict."""
    answered = cell.n - _unanswered(cell)
    return cell.correct / answered if answered else None


def _unanswered(cell: AccuracyCell) -> int:
    """Number of answers without a verdict."""
    return cell.refusals + cell.unparsable + cell.truncated


# The tables of the selection task; the paper has none, it only refers to the task.

_CONTENTS = ("familiar", "arbitrary", "nonsense")
_FAMILIAR = ("congruent", "incongruent")


def selection_tables(asked: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the tables; none if nobody was asked to turn cards."""
    choosing = [one for one in asked if len(one.selections)]
    if not choosing:
        return ()
    return _all_selections(choosing), _cells(choosing), _cards(choosing), _choices(choosing)


@table_builder(
    "wason",
    "respondent answers:count exact:share card_accuracy:share matching:share matching_index:number "
    "logic_index:number refusals:count unparsable:count truncated:count label_mass:share",
)
def _all_selections(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    for one in asked:
        selections, contents = one.selections, one.selections["cluster_id"].array
        counts, scores = count_silences(non_answers(selections), 0), score_selections(selections)
        shares = {
            "exact": scores["accuracy"],
            **{name: scores[name] for name in ("card_accuracy", "matching")},
        }
        yield {
            "respondent": one.name,
            "answers": len(selections),
            **{name: share(values, contents, counts) for name, values in shares.items()},
            **{name: mean(scores[name], contents, counts) for name in ("matching_index", "logic_index")},
            **counts,
            "label_mass": mean_mass(selections),
        }


def _cells(asked: Sequence[NormativeAnswers]) -> ReportTable:
    """Exact choices by domain, polarity of the rule and content."""
    rows: list[TableRow] = []
    for one in asked:
        estimates = _by_cell(one.selections)
        for domain, polarity in product(DOMAINS, POLARITIES):
            cells: dict[str, Cell] = {}
            for kind in _CONTENTS:
                if (estimate := estimates.get((domain, polarity, kind))) is not None:
                    cells[kind], cells[f"{kind}_unanswered"] = estimate
            if cells:
                about = {"respondent": one.name, "domain": term(domain), "rule": term(polarity)}
                rows.append({**about, **cells})
    names = [f"{kind}{suffix}" for suffix in ("", "_unanswered") for kind in _CONTENTS]
    shares = (Column(name, "share") for name in names)
    return table_of("wason_cells", (*parse_columns("respondent domain rule"), *shares), rows)


def _by_cell(selections: pd.DataFrame) -> dict[tuple[Level, ...], tuple[Estimate, float]]:
    """Share of exact choices among those that name cards, and the share of the others, in every cell."""
    kinds = selections["content_type"].cat.add_categories("familiar")
    kinds = kinds.mask(kinds.isin(_FAMILIAR), "familiar")
    present, cells = cross([selections["domain"], selections["polarity"], kinds])
    correct, silent = is_correct(selections), non_answers(selections)
    contents = selections["cluster_id"].array
    estimates = {}
    for code, cell in enumerate(present):
        rows = cells == code
        right = right_among_answered(correct[rows], silent[rows], contents[rows])
        estimates[cell] = right, float((silent[rows] >= 0).mean())
    return estimates


def _cards(asked: Sequence[NormativeAnswers]) -> ReportTable:
    """How often the card of each role is turned over; each occurs once in every problem."""
    rows: list[TableRow] = []
    for one in asked:
        selections, contents = one.selections, one.selections["cluster_id"].array
        chosen, roles = cards_in(codes_of(selections["label"])), roles_of_cards(selections)
        counts = count_silences(non_answers(selections), 0)
        shares = {
            _name(role): share((chosen & (roles == code)).any(axis=1), contents, counts)
            for code, role in enumerate(ROLES)
        }
        rows.append({"respondent": one.name, **shares})
    shown = (Column("respondent"), *(Column(_name(role), "share") for role in ROLES))
    return table_of("wason_cards", shown, rows)


def _choices(asked: Sequence[NormativeAnswers]) -> ReportTable:
    """Share of each set of cards by respondent, the most frequent on the whole first."""
    shares = {one.name: _choice_shares(one.selections) for one in asked}
    names = {name for own in shares.values() for name in own}
    order = sorted(names, key=lambda name: (-sum(own.get(name, 0.0) for own in shares.values()), name))
    rows: list[TableRow] = [
        {"cards_turned": _said(name), **{one: own.get(name, 0.0) for one, own in shares.items()}}
        for name in order
    ]
    shown = (Column("cards_turned"), *(Column(one, "share", one) for one in shares))
    return table_of("wason_choices", shown, rows)


def _said(choice: str) -> str:
    return " + ".join(term(_name(part)) for part in choice.split(" + "))


def _name(role: str) -> str:
    return role.replace(" ", "_")


# The choices of one respondent for summary.json.


_SIGNED = ("matching_index", "logic_index")  # in [-1, 1]


def summarize_selections(selections: pd.DataFrame) -> Json:
    """Tables of choices for one model in the selection task.

    The scores of a cell are of the answers that name cards, those of the whole of all answers.
    """
    if not len(selections):
        raise AnswerTableError("rows: found none, expected choices of cards")
    contents, silent = selections["cluster_id"].array, non_answers(selections)
    chosen, roles = cards_in(codes_of(selections["label"])), roles_of_cards(selections)
    scores = score_selections(selections)
    design = [name for name in ("domain", "content_type", "polarity") if name in selections]
    present, index = cross([selections[name] for name in design])
    is_answered = silent < 0
    cells = [
        dict(zip(design, cell, strict=True))
        | {"n": int((index == code).sum()), "unanswered": _mean(~is_answered[index == code])}
        | {name: _mean(values[is_answered & (index == code)]) for name, values in scores.items()}
        for code, cell in enumerate(present)
    ]
    compared = {
        "content_type": compare_selections(selections),
        "domain": compare_selections(selections, "domain", *DOMAINS),
    }
    effects = [effect_record(rows.effect(), rows.support()) for rows in compared.values()]
    adjusted = zip(compared, effects, holm_adjust([effect["p_value"] for effect in effects]), strict=True)
    summary = {
        "n": len(selections),
        **{name: float((silent == code).mean()) for code, name in enumerate(NON_ANSWER_LABELS)},
        **{
            name: asdict(cluster_interval(values, contents, bounds=(-float(name in _SIGNED), 1.0)))
            for name, values in scores.items()
        },
        "cells": cells,
        "selected": {role: float(chosen[roles == code].mean()) for code, role in enumerate(ROLES)},
        "choices": _choice_shares(selections),
        "effects": [{"compared": name} | effect | {"p_holm": p} for name, effect, p in adjusted],
    }
    return {key: finite(value) for key, value in summary.items()}


def _mean(values: Floats | Booleans) -> float:
    return float(values.mean()) if values.size else math.nan


def _choice_shares(selections: pd.DataFrame) -> dict[str, float]:
    """Share of each set of roles among all rows, the most frequent first."""
    chosen, silent = cards_in(codes_of(selections["label"])), non_answers(selections)
    role_sets = (chosen << roles_of_cards(selections)).sum(axis=1)
    names = [
        " + ".join(role for bit, role in enumerate(ROLES) if code >> bit & 1) or "none" for code in range(16)
    ]
    counts = np.bincount(np.where(silent < 0, role_sets, silent + len(names)))
    by_name = {
        name: count
        for name, count in zip((*names, *NON_ANSWER_LABELS), counts.tolist(), strict=False)
        if count
    }
    ordered = sorted(by_name.items(), key=lambda item: (-item[1], item[0]))
    return {name: count / len(selections) for name, count in ordered}


# Effects of content and domain, one row per respondent and one column per setting.

_CONTENT_TABLES = dict(
    zip(("content_effects", "nonsense_effects", "status_effects"), (*CONTENT, STATUS), strict=True)
)


def effect_tables(found: Sequence[Finding], asked: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the effects as tables; one in which nobody has an effect is left out."""
    settings, shared = ([setting_key(*each) for each in places] for places in (SETTINGS, SHARED))
    by_place = {(each.respondent, each.measure, each.key): each for each in found}
    tables = [
        _table(name, {column_of(key): (measure, key) for key in ("", *keys)}, by_place, asked)
        for name, measure, keys in (
            *((name, measure, settings) for name, measure in _CONTENT_TABLES.items()),
            ("domain_effects", DOMAIN, shared),
        )
    ]
    cards = {"content": (SELECTION_CONTENT, "")}
    cards |= {f"content_{domain}": (SELECTION_CONTENT, domain) for domain in DOMAINS}
    cards |= {"domain": (SELECTION_DOMAIN, "")}
    return tuple(each for each in (*tables, _table("wason_effects", cards, by_place, asked)) if each.rows)


def _table(
    name: str,
    columns: Mapping[str, tuple[str, str]],
    found: Mapping[tuple[str, str, str], Finding],
    asked: Sequence[NormativeAnswers],
) -> ReportTable:
    rows: list[TableRow] = []
    for one in asked:
        own = {column: found.get((one.name, *place)) for column, place in columns.items()}
        if any(own.values()):
            row = {column: each.estimate if each else None for column, each in own.items()}
            rows.append({"respondent": one.name, **row})
    return table_of(name, (Column("respondent"), *(Column(column, "points") for column in columns)), rows)
