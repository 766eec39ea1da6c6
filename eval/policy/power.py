"""What each answer to policy statements contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import center_in_cells, generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield agree less disagree of each answered prompt, turned to the right, less the mean of its direction.

    Directions are the side that the statement is of, and whether the wording says it or the opposite: a habit
    of agreeing cancels in the leaning. Statements that are not compared leave.
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
