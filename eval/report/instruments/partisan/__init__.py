"""Partisan inferences (Gubelmann and Karray 2025): arguments for the left and the right, valid or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polbias.eval.partisan.answers import POLITICAL, SCOPES, Asked, asked
from polbias.eval.partisan.section import figures
from polbias.eval.partisan.tables import tables
from polbias.eval.report.document import Finding, Notice, Section
from polbias.eval.report.instruments import Settings
from polbias.eval.report.instruments.partisan.findings import findings
from polbias.eval.report.instruments.partisan.layout import config_name
from polbias.eval.report.instruments.partisan.reading import COLUMNS, rows
from polbias.eval.report.instruments.partisan.variation import variation_table
from polbias.eval.report.instruments.partisan.wording import NAME, examples, say
from polbias.eval.summary import partisan_summary

__all__ = ["COLUMNS", "findings_of", "rows", "section"]


def section(answers: Mapping[str, Any], settings: Settings) -> Section:
    """Analyse the answers.

    Args:
        answers: respondent to Arrow table.
        settings: of the report.
    """
    read = _read(answers)
    everyone = [each for each in read if each.rows.n]
    found = _findings(everyone, settings)
    made = {table.id: table for table in tables(everyone, settings.seed)}
    for mode in ("corrected", "paper"):
        if table := variation_table(everyone, mode):
            made[table.id] = table
    return Section(
        NAME,
        tuple(each.name for each in read),
        found,
        tuple(sorted(made.values(), key=lambda table: table.mode != "corrected")),
        tuple(figures(found, made)),
        tuple(_notices(read)),
        {each.name: _summary(each, settings.seed) for each in everyone},
    )


def findings_of(answers: Mapping[str, Any], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings of :func:`section` without its tables and figures.

    Args:
        answers: respondent to Arrow table.
        settings: of the report.
    """
    return _findings([each for each in _read(answers) if each.rows.n], settings)


def _read(answers: Mapping[str, Any]) -> list[Asked]:
    return [asked(name, answers[name]) for name in sorted(answers)]


def _findings(everyone: Sequence[Asked], settings: Settings) -> tuple[Finding, ...]:
    return tuple(finding for each in everyone for finding in findings(each, settings.seed))


def _summary(one: Asked, seed: int) -> dict[str, Any]:
    """What the family's own summary says of every config, in both modes."""
    found: dict[str, Any] = {}
    for config in one.levels("config"):
        own = one.rows.select(one.where(config=config))
        found[config] = {
            "corrected": partisan_summary(own, "corrected", seed),
            "paper": partisan_summary(own, "paper", seed),
        }
    return found


def _notices(everyone: Sequence[Asked]) -> Iterator[Notice]:
    for one in everyone:
        if one.halves:
            yield Notice(one.name, say("halves", count=one.halves), say("halves_done"), serious=True)
        if one.twice:
            yield Notice(one.name, say("twice", count=one.twice), say("twice_done"))
        if one.rows.n and not one.levels("config", scope=POLITICAL):
            yield Notice(one.name, say("no_headline"), say("no_headline_done"), serious=True)
    yield from _differences([one for one in everyone if one.rows.n])


def _differences(everyone: Sequence[Asked]) -> Iterator[Notice]:
    """What a respondent was not asked that others were, scope by scope."""
    for scope in SCOPES:
        names = {
            config: config_name(one, config)
            for one in everyone
            for config in one.levels("config", scope=scope)
        }
        parts = {
            one.name: {
                (config, shots)
                for config in one.levels("config", scope=scope)
                for shots in one.levels("shots", config=config)
            }
            for one in everyone
        }
        all_parts = set().union(*parts.values())
        for name, own in parts.items():
            if own and own != all_parts:
                missing = ", ".join(
                    say("about_cell", config=names[config], shots=examples(shots))
                    for config, shots in sorted(all_parts - own)
                )
                yield Notice(name, say("lacks", missing=missing), say("lacks_done"), serious=True)
