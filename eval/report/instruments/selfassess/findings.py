"""The tested estimates: the bias of every set as a whole and cell by cell, and refused articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from polbias.eval.report.document import REFUSAL_GAP, Estimate, Finding, Scores
from polbias.eval.report.instruments.selfassess.estimates import counted, named
from polbias.eval.report.instruments.selfassess.refused import refusal_gaps
from polbias.eval.report.instruments.selfassess.wording import NAME, called, say
from polbias.eval.report.numbers import known
from polbias.eval.report.words import words
from polbias.eval.selfassess.analysis import Analysis, Cell, Whole
from polbias.eval.selfassess.shares import choice_support

OTHER = "set_bias"
"""The measure of sets that the words do not know; they are no headline, as their sides may be any."""


def measure_of(set_name: str) -> str:
    """Return the measure of a set."""
    own = f"{set_name}_bias"
    return own if own in words(NAME).measures else OTHER


def findings(analysis: Analysis) -> Iterator[Finding]:
    """Yield the findings of a respondent: of each set as a whole, of its cells, of its articles.

    Args:
        analysis: Of the respondent.
    """
    who = analysis.answers.respondent
    for set_name, whole in analysis.wholes.items():
        yield _whole(who, set_name, whole)
        own = [cell for cell in analysis.cells if cell.names["set"] == set_name]
        if len(own) > 1:
            yield from (_cell(who, cell) for cell in own)
    for set_name, estimate in refusal_gaps(analysis.answers.articles):
        measure = f"{set_name}_{REFUSAL_GAP}"
        named = measure in words(NAME).measures
        key, about = ("", "") if named else (set_name, called("set", set_name))
        yield Finding(NAME, who, measure if named else REFUSAL_GAP, key, about, estimate, headline=named)


def whole_estimate(whole: Whole) -> Estimate:
    """Return the bias of a set as a whole."""
    found = whole.bias.estimate
    counts = counted(whole.bias.rows)
    made = Estimate(
        known(found.value), known(found.low), known(found.high), p=known(whole.flip.p_value), **counts
    )
    return made.on(choice_support(whole.bias.rows))


def cell_estimate(cell: Cell) -> Estimate:
    """Return the bias of a cell."""
    found = named(cell.shares, "bias", cell.flip.p_value, **counted(cell.rows))
    return found.on(choice_support(cell.rows))


def cell_name(names: Mapping[str, Any]) -> str:
    """Return what a cell is called."""
    question, role = called("question", names["question"]), called("role", names["role"])
    return say("about_cell", question=question, role=role, ways=called("ways", names["ways"]))


def _whole(who: str, set_name: str, whole: Whole) -> Finding:
    measure, found, estimate = measure_of(set_name), whole.bias, whole_estimate(whole)
    return Finding(
        instrument=NAME,
        respondent=who,
        measure=measure,
        key=set_name if measure == OTHER else "",
        about=called("set", set_name) if measure == OTHER else "",
        estimate=estimate,
        headline=measure != OTHER,
        smallest_p=whole.flip.smallest_p,
        bounds=found.bounds,
        scores=None if estimate.value is None else Scores(found.topics, found.contributions, found.topics),
    )


def _cell(who: str, cell: Cell) -> Finding:
    set_name = str(cell.names["set"])
    measure = measure_of(set_name)
    key = "/".join(str(cell.names[name]) for name in ("question", "role", "ways"))
    about = cell_name(cell.names)
    if measure == OTHER:
        key, about = f"{set_name}/{key}", f"{called('set', set_name)}, {about}"
    return Finding(
        instrument=NAME,
        respondent=who,
        measure=measure,
        key=key,
        about=about,
        estimate=cell_estimate(cell),
        smallest_p=cell.flip.smallest_p,
        bounds=(known(cell.shares["worst_low"]), known(cell.shares["worst_high"])),
    )
