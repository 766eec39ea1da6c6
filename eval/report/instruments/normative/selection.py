"""The tables of the selection task; the paper has none, it only refers to the task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from polbias.eval.columns import Factor, crossed
from polbias.eval.normative.analysis import tally
from polbias.eval.normative.wason import ROLES, Selections
from polbias.eval.report.document import Column, Estimate, Row, Table, columns, table_of
from polbias.eval.report.instruments.normative.answers import Respondent
from polbias.eval.report.instruments.normative.layout import DOMAINS, term
from polbias.eval.report.instruments.normative.shares import finite_mean, mean, share

_POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")
_CONTENTS = ("familiar", "arbitrary", "nonsense")
_FAMILIAR = ("congruent", "incongruent")


def selection_tables(asked: Sequence[Respondent]) -> tuple[Table, ...]:
    """Return the tables; none if nobody was asked to turn cards.

    Args:
        asked: the respondents.
    """
    choosing = [one for one in asked if one.selections.n]
    if not choosing:
        return ()
    return _overall(choosing), _cells(choosing), _cards(choosing), _choices(choosing)


def _overall(asked: Sequence[Respondent]) -> Table:
    rows: list[Row] = []
    for one in asked:
        table, contents = one.selections, one.selections.factor("cluster_id")
        counts = tally(table.silent)
        shares = {"exact": table.exact, "card_accuracy": table.card_accuracy, "matching": table.matching}
        indices = {"matching_index": table.matching_index, "logic_index": table.logic_index}
        rows.append(
            {
                "respondent": one.name,
                "answers": table.n,
                **{name: share(values, contents, counts) for name, values in shares.items()},
                **{name: mean(values, contents, counts) for name, values in indices.items()},
                **dict(zip(("refusals", "unparsable", "truncated"), counts, strict=True)),
                "label_mass": finite_mean(one.selection_mass),
            }
        )
    shown = (
        "respondent answers:count exact:share card_accuracy:share matching:share matching_index:number "
        "logic_index:number refusals:count unparsable:count truncated:count label_mass:share"
    )
    return table_of("wason", shown, rows)


def _cells(asked: Sequence[Respondent]) -> Table:
    """Exact choices by domain, polarity of the rule and content."""
    rows: list[Row] = []
    for one in asked:
        table = one.selections
        found = _by_cell(table)
        for domain, polarity in product(DOMAINS, _POLARITIES):
            own = {kind: found.get((domain, polarity, kind)) for kind in _CONTENTS}
            if any(own.values()):
                about = {"respondent": one.name, "domain": term(domain), "rule": term(polarity)}
                rows.append({**about, **own})
    shares = (Column(kind, "share") for kind in _CONTENTS)
    return table_of("wason_cells", (*columns("respondent domain rule"), *shares), rows)


def _by_cell(table: Selections) -> dict[tuple[Any, ...], Estimate]:
    content = table.factor("content_type")
    kinds = tuple("familiar" if level in _FAMILIAR else level for level in content.levels)
    levels = tuple(dict.fromkeys(kinds))
    codes = np.array([levels.index(kind) for kind in kinds], np.intp)[content.codes]
    factors = [table.factor("domain"), table.factor("polarity"), Factor(codes, levels)]
    present, index = crossed(factors)
    contents = table.factor("cluster_id")
    found = {}
    for number, cell in enumerate(present):
        here = index == number
        found[cell] = share(table.exact[here], contents.select(here), tally(table.silent[here]))
    return found


def _cards(asked: Sequence[Respondent]) -> Table:
    """How often the card of each role is turned over; each occurs once in every problem."""
    rows: list[Row] = []
    for one in asked:
        table, contents = one.selections, one.selections.factor("cluster_id")
        turned = {role: (table.chosen & (table.role == code)).any(axis=1) for code, role in enumerate(ROLES)}
        counts = tally(table.silent)
        found = {_name(role): share(values, contents, counts) for role, values in turned.items()}
        rows.append({"respondent": one.name, **found})
    shown = (Column("respondent"), *(Column(_name(role), "share") for role in ROLES))
    return table_of("wason_cards", shown, rows)


def _choices(asked: Sequence[Respondent]) -> Table:
    """Share of each set of cards by respondent, the most frequent on the whole first."""
    shares = {one.name: (one.selection_summary or {})["choices"] for one in asked}
    names = {name for own in shares.values() for name in own}
    order = sorted(names, key=lambda name: (-sum(own.get(name, 0.0) for own in shares.values()), name))
    rows: list[Row] = [
        {"cards_turned": _said(name), **{one: own.get(name, 0.0) for one, own in shares.items()}}
        for name in order
    ]
    shown = (Column("cards_turned"), *(Column(one, "share", one) for one in shares))
    return table_of("wason_choices", shown, rows)


def _said(choice: str) -> str:
    return " + ".join(term(_name(part)) for part in choice.split(" + "))


def _name(role: str) -> str:
    return role.replace(" ", "_")
