"""Effects of content and domain, one row per respondent and one column per setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polbias.eval.report.document import Column, Finding, Row, Table, table_of
from polbias.eval.report.instruments.normative.answers import Respondent
from polbias.eval.report.instruments.normative.findings import (
    CONTENT,
    DOMAIN,
    SELECTION_CONTENT,
    SELECTION_DOMAIN,
)
from polbias.eval.report.instruments.normative.layout import (
    DOMAINS,
    SETTINGS,
    SHARED,
    column_of,
    setting_key,
)

_CONTENT_TABLES = dict(zip(("content_effects", "nonsense_effects"), CONTENT, strict=True))


def effect_tables(found: Sequence[Finding], asked: Sequence[Respondent]) -> tuple[Table, ...]:
    """Return the effects as tables; one in which nobody has an effect is left out.

    Args:
        found: the findings of all respondents.
        asked: the respondents.
    """
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
    asked: Sequence[Respondent],
) -> Table:
    rows: list[Row] = []
    for one in asked:
        own = {column: found.get((one.name, *place)) for column, place in columns.items()}
        if any(own.values()):
            row = {column: each.estimate if each else None for column, each in own.items()}
            rows.append({"respondent": one.name, **row})
    return table_of(name, (Column("respondent"), *(Column(column, "points") for column in columns)), rows)
