"""Tables of the report in the layout of the paper (Ozeki et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

import numpy as np

from polbias.aliases import Document, Json
from polbias.eval.accuracy import AccuracyCell, accuracy
from polbias.eval.answer_table import (
    SILENT,
    AnalysisMode,
    AnswerTableError,
    CodedColumn,
    Level,
    crossed,
    finite,
    silences,
)
from polbias.eval.multiple_testing import holm
from polbias.eval.normative.analysis import (
    CONTENT,
    DOMAIN,
    SELECTION_CONTENT,
    SELECTION_DOMAIN,
    STATUS,
    accuracies,
    by_type,
    finite_mean,
    mean,
    right_among_answered,
    said,
    share,
    term,
)
from polbias.eval.normative.answers import (
    DOMAINS,
    PATTERN_TABLES,
    REASONING,
    SETTINGS,
    SHARED,
    STYLES,
    TYPES,
    NormativeAnswers,
    PatternPanel,
    column_of,
    setting_key,
)
from polbias.eval.normative.effects import READINGS, carried_effect, consistency, disjunction_readings
from polbias.eval.normative.schema import ROLES, EntailmentAnswers, SelectionAnswers, SelectionRows
from polbias.eval.normative.wason import selection_effect, selection_support
from polbias.eval.report.document import (
    Cell,
    Column,
    Estimate,
    Finding,
    ReportTable,
    TableRow,
    parse_columns,
    table_of,
    tabled,
)
from polbias.eval.statistics import cluster_interval

# The tables of the entailment tasks: 5, 6, 12 to 15 as in the paper, answers, consistency and "or".

_AVERAGE = "average"
_PRINTED_TYPES = ("incongruent", "congruent", "nonsense")
_RELATIONS = ("contrapositive", "duality", "negated-content", "form")


def entailment_tables(
    asked: Sequence[NormativeAnswers], mode: AnalysisMode = "corrected"
) -> tuple[ReportTable, ...]:
    """Return the tables of one mode."""
    answers = {
        one.name: one.problems if mode == "corrected" else one.published for one in asked if one.problems.n
    }
    found = [
        _overall(answers, mode),
        *(_types(answers, reasoning, mode) for reasoning in REASONING),
        *(_patterns(answers, name, shown, mode) for name, shown in PATTERN_TABLES.items()),
    ]
    if mode == "corrected":
        found += [_answers(asked), _consistency(asked), _disjunctions(asked)]
    return tuple(table for table in found if table.rows)


def _overall(answers: Mapping[str, EntailmentAnswers], mode: AnalysisMode) -> ReportTable:
    """Table 5."""
    rows: list[TableRow] = []
    for name, table in answers.items():
        found = accuracies(table, ("domain", "task", "prompt_style"), mode)
        rows.append({"respondent": name, **{"_".join(each): found.get(each) for each in SETTINGS}})
    shares = (Column("_".join(each), "share") for each in SETTINGS)
    return table_of("table5", (Column("respondent"), *shares), rows, mode)


def _types(answers: Mapping[str, EntailmentAnswers], reasoning: str, mode: AnalysisMode) -> ReportTable:
    """Table 6: the paper prints normative problems, zero-shot, pooled over patterns."""
    rows: list[TableRow] = []
    for name, table in answers.items():
        for domain, own, style in SETTINGS:
            if own != reasoning or (mode == "paper" and (domain, style) != (DOMAINS[0], STYLES[0])):
                continue
            part = table.where(domain=domain, task=own, prompt_style=style)
            if not part.n:
                continue
            about = {"respondent": name, "domain": term(domain), "style": term(style)}
            found: dict[str, Cell] = {}
            if mode == "paper":
                found |= {
                    str(kind): each for (kind,), each in accuracies(part, ["content_type"], mode).items()
                }
            else:
                for kind, (right, unanswered) in by_type(part).items():
                    found |= {kind: right, f"{kind}_unanswered": unanswered}
            rows.append(about | found)
    printed = mode == "paper"
    labels = ["respondent", *(() if printed else ("domain", "style"))]
    suffixes = ("",) if printed else ("", "_unanswered")
    shares = (Column(f"{kind}{suffix}", "share") for suffix in suffixes for kind in _PRINTED_TYPES)
    shown = (*map(Column, labels), *shares)
    return table_of(f"table6{'ab'[REASONING.index(reasoning)]}", shown, rows, mode)


def _patterns(
    answers: Mapping[str, EntailmentAnswers], name: str, shown: PatternPanel, mode: AnalysisMode
) -> ReportTable:
    """A half of Tables 12 to 15."""
    rows: list[TableRow] = []
    for respondent, table in answers.items():
        part = table.where(domain=shown.domain, task=shown.reasoning)
        answered = mode == "corrected"
        cells = accuracies(part, ("prompt_style", "pattern", "content_type"), mode, answered)
        means = accuracies(part, ("prompt_style", "pattern"), mode, answered)
        for style in STYLES:
            found = {
                _column(pattern, kind): means.get((style, pattern))
                if kind == _AVERAGE
                else cells.get((style, pattern, kind))
                for pattern in shown.patterns
                for kind in (*TYPES, _AVERAGE)
            }
            if any(found.values()):
                rows.append({"respondent": respondent, "style": term(style), **found})
    short = said().tables[name if mode == "corrected" else f"{name}_paper"].columns
    shares = [
        Column(_column(pattern, kind), "share", f"{pattern} {short[kind]}")
        for pattern in shown.patterns
        for kind in (*TYPES, _AVERAGE)
    ]
    return table_of(name, (*parse_columns("respondent style"), *shares), rows, mode)


def _column(pattern: str, kind: str) -> str:
    return f"{pattern}_{kind}"


@tabled(
    "answers",
    "respondent answers:count accuracy:share entailment:share entailed:share refusals:count "
    "unparsable:count truncated:count unread:count label_mass:share",
)
def _answers(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    """What was answered, whatever is right."""
    for one in asked:
        table, contents = one.problems, one.problems.factor("cluster_id")
        if not table.n:
            continue
        counts = silences(table.silent, 0)
        yield {
            "respondent": one.name,
            "answers": table.n,
            "accuracy": share(table.correct, contents, counts),
            "entailment": share(table.label == 1, contents, counts),
            "entailed": float(table.gold.mean()),
            **counts,
            "unread": int((one.paper_labels > 1).sum()) if one.method == "generated" else None,
            "label_mass": finite_mean(one.problems.mass),
        }


@tabled(
    "consistency",
    "respondent domain reasoning style all:share expected:share contrapositive:share duality:share "
    "negated-content:share form:share unanswered:share",
)
def _consistency(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    """Equivalent inferences that are answered alike, by setting."""
    for one in asked:
        settings: dict[tuple[Level, ...], dict[str, Document]] = {}
        for entry in _consistency_rows(one.problems):
            setting = entry["domain"], entry["task"], entry["prompt_style"]
            settings.setdefault(setting, {})[entry["kind"]] = entry
        for (domain, reasoning, style), kinds in sorted(settings.items(), key=_place):
            whole = kinds["all"]
            if not whole["groups"]:
                continue
            yield {
                "respondent": one.name,
                "domain": term(str(domain)),
                "reasoning": term(str(reasoning)),
                "style": term(str(style)),
                "all": _agreeing(whole),
                "expected": whole["expected"],
                **{kind: _agreeing(kinds.get(kind)) for kind in _RELATIONS},
                "unanswered": whole["unanswered"],
            }


@tabled("disjunctions", "respondent style patterns paper:share sdl:share mixed:share unanswered:share")
def _disjunctions(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    """How contents of disjunctions are read (deontic logic)."""
    for one in asked:
        entries = _disjunction_rows(one.problems)
        for entry in sorted(entries, key=lambda each: (STYLES.index(each["prompt_style"]), each["patterns"])):
            found = {
                name: Estimate.of(
                    *(entry[name][end] for end in ("estimate", "low", "high")), n=entry["contents"]
                )
                for name in READINGS
            }
            about = {"respondent": one.name, "style": term(entry["prompt_style"])}
            yield {**about, "patterns": ", ".join(entry["patterns"]), **found}


def _agreeing(entry: Document | None) -> Estimate | None:
    """A share of groups whose answers agree; n counts the groups."""
    if not entry or not entry["groups"]:
        return None
    whole = entry["share"]
    found = Estimate(whole["estimate"], whole["low"], whole["high"], entry["groups"], whole["clusters"])
    return found.of_share()


def _place(item: tuple[tuple[Level, ...], Any]) -> int:
    domain, reasoning, style = (str(each) for each in item[0])
    return SETTINGS.index((domain, reasoning, style))


# The entailment problems in summary.json: every pattern and kind of equivalence, in every setting.

_SETTING = ("domain", "task", "prompt_style")


def entailment_summary(table: EntailmentAnswers) -> Json:
    """Return accuracy by pattern, consistency and readings of disjunctions, in every setting."""
    return {
        "patterns": finite([*_pattern_rows(table)]),
        "consistency": _consistency_rows(table),
        "disjunctions": _disjunction_rows(table),
    }


def _pattern_rows(table: EntailmentAnswers) -> Iterator[Json]:
    """Yield accuracy among the answers with a verdict by pattern, types of content in columns."""
    names = (*_SETTING, "gold", "pattern")
    by_type: dict[tuple[Level, ...], list[AccuracyCell]] = {}
    columns = {name: table.factor(name) for name in (*names, "content_type")}
    for cell in accuracy(table.label, table.gold, columns):
        by_type.setdefault((*cell.cell.values(),)[:-1], []).append(cell)
    patterns = accuracy(table.label, table.gold, {name: columns[name] for name in names})
    for pattern in sorted(patterns, key=lambda cell: [*map(str, cell.cell.values())]):  # valid ones first
        cells = {str(cell.cell["content_type"]): cell for cell in by_type[(*pattern.cell.values(),)]}
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


def _consistency_rows(table: EntailmentAnswers) -> list[Json]:
    return _in_settings(table, lambda part: map(asdict, consistency(part)))


def _disjunction_rows(table: EntailmentAnswers) -> list[Json]:
    return [] if table.gold_sdl is None else _in_settings(table, disjunction_readings)


def _in_settings(table: EntailmentAnswers, rows: Callable[[EntailmentAnswers], Iterable[Json]]) -> list[Json]:
    """Return the rows of every setting that was asked, ready for JSON."""
    settings = (dict(zip(_SETTING, values, strict=True)) for values in sorted(SETTINGS))
    parts = ((setting, table.where(**setting)) for setting in settings)
    records: list[Json] = finite([setting | row for setting, part in parts if part.n for row in rows(part)])
    return records


# The tables of the selection task; the paper has none, it only refers to the task.

_POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")
_CONTENTS = ("familiar", "arbitrary", "nonsense")
_FAMILIAR = ("congruent", "incongruent")


def selection_tables(asked: Sequence[NormativeAnswers]) -> tuple[ReportTable, ...]:
    """Return the tables; none if nobody was asked to turn cards."""
    choosing = [one for one in asked if one.selections.n]
    if not choosing:
        return ()
    return _all_selections(choosing), _cells(choosing), _cards(choosing), _choices(choosing)


@tabled(
    "wason",
    "respondent answers:count exact:share card_accuracy:share matching:share matching_index:number "
    "logic_index:number refusals:count unparsable:count truncated:count label_mass:share",
)
def _all_selections(asked: Sequence[NormativeAnswers]) -> Iterator[TableRow]:
    for one in asked:
        table, contents = one.selections, one.selections.factor("cluster_id")
        counts = silences(table.silent, 0)
        shares = {"exact": table.correct, "card_accuracy": table.card_accuracy, "matching": table.matching}
        indices = {"matching_index": table.matching_index, "logic_index": table.logic_index}
        yield {
            "respondent": one.name,
            "answers": table.n,
            **{name: share(values, contents, counts) for name, values in shares.items()},
            **{name: mean(values, contents, counts) for name, values in indices.items()},
            **counts,
            "label_mass": finite_mean(one.selections.mass),
        }


def _cells(asked: Sequence[NormativeAnswers]) -> ReportTable:
    """Exact choices by domain, polarity of the rule and content."""
    rows: list[TableRow] = []
    for one in asked:
        table = one.selections
        found = _by_cell(table)
        for domain, polarity in product(DOMAINS, _POLARITIES):
            cells: dict[str, Cell] = {}
            for kind in _CONTENTS:
                if (own := found.get((domain, polarity, kind))) is not None:
                    cells[kind], cells[f"{kind}_unanswered"] = own
            if cells:
                about = {"respondent": one.name, "domain": term(domain), "rule": term(polarity)}
                rows.append({**about, **cells})
    names = [f"{kind}{suffix}" for suffix in ("", "_unanswered") for kind in _CONTENTS]
    shares = (Column(name, "share") for name in names)
    return table_of("wason_cells", (*parse_columns("respondent domain rule"), *shares), rows)


def _by_cell(table: SelectionAnswers) -> dict[tuple[Any, ...], tuple[Estimate, float]]:
    """Share of exact choices among those that name cards, and the share of the others, in every cell."""
    content = table.factor("content_type")
    kinds = tuple("familiar" if level in _FAMILIAR else level for level in content.levels)
    levels = tuple(dict.fromkeys(kinds))
    codes = np.array([levels.index(kind) for kind in kinds], np.intp)[content.codes]
    factors = [table.factor("domain"), table.factor("polarity"), CodedColumn(codes, levels)]
    present, index = crossed(factors)
    contents = table.factor("cluster_id")
    found = {}
    for number, cell in enumerate(present):
        here = index == number
        right = right_among_answered(table.correct[here], table.silent[here], contents.select(here))
        found[cell] = right, float((table.silent[here] >= 0).mean())
    return found


def _cards(asked: Sequence[NormativeAnswers]) -> ReportTable:
    """How often the card of each role is turned over; each occurs once in every problem."""
    rows: list[TableRow] = []
    for one in asked:
        table, contents = one.selections, one.selections.factor("cluster_id")
        turned = {role: (table.chosen & (table.role == code)).any(axis=1) for code, role in enumerate(ROLES)}
        counts = silences(table.silent, 0)
        found = {_name(role): share(values, contents, counts) for role, values in turned.items()}
        rows.append({"respondent": one.name, **found})
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


def _mean(values: Any) -> float:
    return float(np.mean(values)) if np.size(values) else math.nan


_SIGNED = ("matching_index", "logic_index")  # in [-1, 1]


def wason_summary(rows: SelectionRows) -> Json:
    """Tables of choices for one model in the selection task.

    The scores of a cell are of the answers that name cards, those of the whole of all answers.
    """
    table = SelectionAnswers.of(rows)
    if not table.n:
        raise AnswerTableError("rows: found none, expected choices of cards")
    contents = table.factor("cluster_id")
    scores = {
        "accuracy": table.correct,
        "card_accuracy": table.card_accuracy,
        "matching": table.matching,
        "matching_index": table.matching_index,
        "logic_index": table.logic_index,
    }
    design = [name for name in ("domain", "content_type", "polarity") if name in table.factors]
    present, index = crossed([table.factor(name) for name in design])
    answered = table.silent < 0
    cells = [
        dict(zip(design, cell, strict=True))
        | {"n": int((index == number).sum()), "unanswered": _mean(~answered[index == number])}
        | {name: _mean(values[answered & (index == number)]) for name, values in scores.items()}
        for number, cell in enumerate(present)
    ]
    effects = [
        carried_effect(selection_effect(table, *levels), selection_support(table, *levels))
        for levels in ((), ("domain", "deontic", "epistemic"))
    ]
    adjusted = holm([each["p_value"] for each in effects])
    named = zip(("content_type", "domain"), effects, adjusted, strict=True)
    summary = {
        "n": table.n,
        **{name: float((table.silent == code).mean()) for code, name in enumerate(SILENT)},
        **{
            name: asdict(cluster_interval(values, contents, bounds=(-float(name in _SIGNED), 1.0)))
            for name, values in scores.items()
        },
        "cells": cells,
        "selected": {role: float(table.chosen[table.role == code].mean()) for code, role in enumerate(ROLES)},
        "choices": _choice_shares(table),
        "effects": [{"compared": name} | each | {"p_holm": p} for name, each, p in named],
    }
    return {key: finite(value) for key, value in summary.items()}


def _choice_shares(table: SelectionAnswers) -> dict[str, float]:
    """Share of each set of roles among all rows, the most frequent first."""
    sets: dict[str, int] = {}
    for chosen, roles, silent in zip(table.chosen, table.role, table.silent.tolist(), strict=True):
        said = [ROLES[role] for role in sorted(roles[chosen].tolist())]
        name = SILENT[silent] if silent >= 0 else " + ".join(said) or "none"
        sets[name] = sets.get(name, 0) + 1
    ordered = sorted(sets.items(), key=lambda each: (-each[1], each[0]))
    return {name: count / table.n for name, count in ordered}


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
