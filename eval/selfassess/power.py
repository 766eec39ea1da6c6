"""Contributions of choices to the bias, for the power analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the choices, +1 for the right and -1 for the left; the orders of a topic are its answers.

    Topics with an unanswered order are excluded, as in the report.
    """
    from polbias.eval.selfassess.answers import read_answers
    from polbias.eval.selfassess.shares import cells

    for model, answers in generated_answers(runs, "selfassess", problems):
        for names, cell in cells(read_answers(model, answers).judgements):
            label = ", ".join(str(value) for value in names.values())
            used_choices = cell.select(cell.weights > 0)
            if used_choices.n:
                yield EffectContributions(
                    f"{model}, {label}", used_choices.lean, used_choices.topics, [0] * used_choices.n
                )


POWER = shipped_design("selfassess", lambda p_sided, p_silent: p_sided, contributions, pairs=True)
