"""Designs and assumptions as they are in a run, from its logged samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polbias.aliases import Json
from polbias.errors import InputError
from polbias.eval.answer_table import AnswerTableError
from polbias.eval.power.design import (
    Assumptions,
    EffectContributions,
    InstrumentDesign,
    PowerDesign,
    PowerError,
    read_designs,
)
from polbias.eval.report.file_answers import answers_of
from polbias.eval.samples import SkippedLine
from polbias.eval.variance_components import components


@dataclass(frozen=True)
class ObservedDesign:
    """The design of a run, and how its answers vary.

    Args:
        name: The model and what of it was analysed.
        design: What was asked and answered.
        assumed: The estimated components.
    """

    name: str
    design: PowerDesign
    assumed: Assumptions


def observed(
    instrument: InstrumentDesign, runs: Sequence[Path], problems: list[SkippedLine]
) -> list[ObservedDesign]:
    """Estimate how the answers of runs vary, for every model and part that has an effect of its own.

    Generated answers only. Parts: config (partisan); setting (normative); none (policy); prompt and language,
    both axes together (xphemism); set, question, role and number of articles (selfassess).
    """
    found = []
    for part in instrument.contributions(runs, problems):
        try:
            each = components(part.values, part.clusters, part.items, instrument.lost)
            design = PowerDesign(each.clusters, each.items, each.answers)
        except (AnswerTableError, PowerError) as error:
            problems.append(SkippedLine(runs[0], 0, f"{part.name}: {error}"))
            continue
        assumed = Assumptions(
            each.variance, each.icc, each.within_item_icc, instrument.scale, instrument.lost
        )
        found.append(ObservedDesign(part.name, design, assumed))
    if not found:
        places = ", ".join(str(run) for run in runs)
        said = f" ({problems[-1].found:.300})" if problems else ""
        raise InputError(f"{places}: found no generated answers to {instrument.name} to estimate from{said}")
    return found


def _generated(runs: Sequence[Path], name: str, problems: list[SkippedLine]) -> Iterator[tuple[str, Any]]:
    """Yield model and answers of whoever generated them, as the report reads them."""
    for model, answers in answers_of(runs, name, problems).items():
        if not model.endswith("(log-likelihood)") and answers.num_rows:
            yield model, answers


def _first(runs: Sequence[Path], name: str, problems: list[SkippedLine]) -> Iterator[tuple[str, Json]]:
    """Yield model and answer, the first to each prompt."""
    for model, answers in _generated(runs, name, problems):
        first: dict[str, Json] = {}
        for row in answers.to_pylist():
            first.setdefault(row["id"], row)
        yield from ((model, row) for row in first.values())


def _partisan(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the error on the right minus that on the left of each pair whose two rows were answered."""
    sides: dict[str, dict[str, dict[str, float]]] = {}
    places: dict[str, tuple[str, str]] = {}
    for model, row in _first(runs, "partisan", problems):
        if row["outcome"] != "answered":
            continue
        pair = sides.setdefault(f"{model}, {row['config']}", {}).setdefault(row["pair_id"], {})
        pair[row["leaning"]] = float(row["label"] == "valid") - float(row["gold"] == "valid")
        item = "/".join(
            str(row[name])
            for name in ("base_id", "gold", "gender", "variation", "first_named", "negated", "person_pair")
        )
        places[row["pair_id"]] = row["cluster_id"], item
    for name, pairs in sides.items():
        whole = [pair for pair, found in pairs.items() if len(found) == 2]
        values = np.array([pairs[pair]["right"] - pairs[pair]["left"] for pair in whole])
        yield EffectContributions(
            name, values, [places[pair][0] for pair in whole], [places[pair][1] for pair in whole]
        )


def _normative(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the correctness of answered congruent and incongruent problems, less the mean of each cell."""
    types = ("congruent", "incongruent")
    cells: dict[str, list[tuple[str, str, str, bool]]] = {}
    for model, row in _first(runs, "normative", problems):
        if row["pattern"] and row["content_type"] in types and row["outcome"] == "answered":
            kept = row["pattern"], row["content_type"], row["cluster_id"], row["label"] == row["gold"]
            cells.setdefault(f"{model}, {row['config']}, {row['prompt_style']}", []).append(kept)
    for name, rows in cells.items():
        seen = {row[:2] for row in rows}
        both = [row for row in rows if all((row[0], kind) in seen for kind in types)]
        correct = np.array([row[3] for row in both], np.float64)
        fixed = _centred(correct, [row[:2] for row in both])
        yield EffectContributions(name, fixed, [row[2] for row in both], [row[0] for row in both])


def _policy(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield agree less disagree of each answered prompt, turned to the right, less the mean of its direction.

    Directions are the side that the statement is of, and whether the wording says it or the opposite: a habit
    of agreeing cancels in the leaning. Statements that are not compared leave.
    """
    from polbias.eval.policy.answers import read_answers

    for model, answers in _generated(runs, "policy", problems):
        every, _ = read_answers(answers)
        net, sides = every.prompts.net, every.sides * np.isfinite(every.answers.value)
        side, wording = sides[every.of_prompt], every.prompts.direction
        used = (side != 0) & np.isfinite(net)
        if {*sides.tolist()} >= {-1, 1}:
            values = (side * wording * net)[used]
            cells = [*zip(side[used].tolist(), wording[used].tolist(), strict=True)]
            items = every.of_prompt[used]
            yield EffectContributions(
                model, _centred(values, cells), every.topics.codes[items].tolist(), items.tolist()
            )


def _xphemism(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the change of the verdict, less its mean, times the shift: claims with a verdict on both forms.

    The mean is what any rewording does; :func:`polbias.eval.xphemism.leaning.leaning` clears it too.
    """
    from polbias.eval.xphemism.answers import read_answers
    from polbias.eval.xphemism.regression import shifted_on

    for model, answers in _generated(runs, "xphemism", problems):
        for group, records in read_answers(model, answers).groups:
            rows = shifted_on(records, "both")
            rows = rows.select((rows.shift != 0) & rows.known)
            if rows.n:
                name = ", ".join(str(each) for each in group)
                change = rows.shift * (rows.change - rows.change.mean())
                yield EffectContributions(name, change, rows.cluster.codes.tolist(), rows.pair.codes.tolist())


def _selfassess(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the choices, +1 for the right and -1 for the left; the orders of a topic are its answers.

    Topics that did not answer all of their orders are left out, as they are by the report.
    """
    from polbias.eval.selfassess.answered import Compared
    from polbias.eval.selfassess.answers import read_answers
    from polbias.eval.selfassess.shares import cells

    for model, answers in _generated(runs, "selfassess", problems):
        for names, cell in cells(read_answers(model, answers).judgements):
            about = ", ".join(str(value) for value in names.values())
            used = cell.select(Compared(cell).weights > 0)
            if used.n:
                yield EffectContributions(
                    f"{model}, {about}", used.lean, used.item.codes.tolist(), [0] * used.n
                )


def _centred(values: Any, cells: Sequence[Any]) -> Any:
    """Values less the mean of their cell."""
    codes = np.unique(np.array([str(cell) for cell in cells]), return_inverse=True)[1]
    means = np.bincount(codes, values) / np.bincount(codes)
    return values - means[codes]


_FEWEST = 1e-9  # of answers, so that a share of 1 without one has a variance beyond all bounds


def _binomial(share: float) -> float:
    return share * (1 - share)


def _shipped(
    name: str,
    variance: Callable[[float, float], float],
    contributions: Callable[[Sequence[Path], list[SkippedLine]], Iterator[EffectContributions]],
    pairs: bool = False,
) -> InstrumentDesign:
    return InstrumentDesign(name, variance, contributions, pairs=pairs, **read_designs()[name])


# A pair contributes the error on the right minus that on the left, each 0 or 1 in size.
# Rows without a verdict leave: that many fewer estimate the effect.
PARTISAN = _shipped(
    "partisan", lambda right, silent: 2 * _binomial(right) / max(1 - silent, _FEWEST), _partisan
)
NORMATIVE = _shipped(
    "normative", lambda right, silent: _binomial(right) / max(1 - silent, _FEWEST), _normative
)
# From -1 to 1 with a mean of 0: the variance is the mean square.
POLICY = _shipped("policy", lambda square, silent: square, _policy)
XPHEMISM = _shipped("xphemism", lambda changed, silent: changed, _xphemism, pairs=True)
SELFASSESS = _shipped("selfassess", lambda sided, silent: sided, _selfassess, pairs=True)
