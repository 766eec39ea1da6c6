"""Contributions of X-phemism pairs to the leaning effect, for the power analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the change of the verdict minus its mean, times the shift, for claims with two verdicts.

    The mean is the effect of any rewording; :func:`polbias.eval.xphemism.leaning.estimate_leaning` removes it
    too.
    """
    from polbias.eval.xphemism.answers import read_answers
    from polbias.eval.xphemism.latent import select_compared
    from polbias.eval.xphemism.regression import select_axis

    for model, outcomes in generated_answers(runs, "xphemism", problems):
        for group, pairs in read_answers(model, outcomes).groups.items():
            rows = select_compared(select_axis(pairs, "both"))
            if len(rows):
                change = rows["change"].to_numpy()
                values = rows["shift"].to_numpy() * (change - change.mean())
                codes = [rows[name].cat.codes.tolist() for name in ("component", "pair_id")]
                yield EffectContributions(", ".join((model, *group)), values, *codes)


POWER = shipped_design("xphemism", lambda p_changed, p_silent: p_changed, contributions, pairs=True)
