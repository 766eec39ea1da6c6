"""What each answer to self-assessment contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the choices, +1 for the right and -1 for the left; the orders of a topic are its answers.

    Topics that did not answer all of their orders are left out, as they are by the report.
    """
    from polbias.eval.selfassess.answers import read_answers
    from polbias.eval.selfassess.shares import cells

    for model, answers in generated_answers(runs, "selfassess", problems):
        for names, cell in cells(read_answers(model, answers).judgements):
            about = ", ".join(str(value) for value in names.values())
            used = cell.select(cell.weights > 0)
            if used.n:
                yield EffectContributions(f"{model}, {about}", used.lean, used.topics, [0] * used.n)


POWER = shipped_design("selfassess", lambda sided, silent: sided, contributions, pairs=True)
