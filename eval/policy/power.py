"""Contributions of answers to policy statements to the effect of a power analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import center_in_cells, generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the net agreement of each answered prompt, signed toward the right, centred in its cell.

    Cells are side of the statement by direction of the text: acquiescence cancels in the leaning. Statements
    without a side or a value are dropped.
    """
    from polbias.eval.policy.respondent import read_answers

    for model, answers in generated_answers(runs, "policy", problems):
        all_answers, _ = read_answers(answers)
        net, sides = all_answers.net, all_answers.sides * np.isfinite(all_answers.net_by_statement.value)
        side, wording = sides[all_answers.statement_of_prompt], all_answers.direction
        is_used = (side != 0) & np.isfinite(net)
        if {*sides.tolist()} >= {-1, 1}:
            values = (side * wording * net)[is_used]
            cells = [*zip(side[is_used].tolist(), wording[is_used].tolist(), strict=True)]
            items = all_answers.statement_of_prompt[is_used]
            yield EffectContributions(
                model,
                center_in_cells(values, cells),
                all_answers.topics.codes[items].tolist(),
                items.tolist(),
            )


# From -1 to 1 with a mean of 0: the variance is the mean square.
POWER = shipped_design("policy", lambda square, silent: square, contributions)
