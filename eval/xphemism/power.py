"""What each answer to X-phemism pairs contributes to the effect whose power is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from polbias.eval.power.design import EffectContributions
from polbias.eval.power.observed import generated_answers, shipped_design
from polbias.eval.samples import SkippedLine


def contributions(runs: Sequence[Path], problems: list[SkippedLine]) -> Iterator[EffectContributions]:
    """Yield the change of the verdict, less its mean, times the shift: claims with a verdict on both forms.

    The mean is what any rewording does; :func:`polbias.eval.xphemism.leaning.leaning` clears it too.
    """
    from polbias.eval.xphemism.answers import read_answers
    from polbias.eval.xphemism.regression import shifted_on

    for model, answers in generated_answers(runs, "xphemism", problems):
        for group, records in read_answers(model, answers).groups:
            rows = shifted_on(records, "both")
            rows = rows.select((rows.shift != 0) & rows.known)
            if rows.n:
                name = ", ".join(str(each) for each in group)
                change = rows.shift * (rows.change - rows.change.mean())
                yield EffectContributions(name, change, rows.cluster.codes.tolist(), rows.pair.codes.tolist())


POWER = shipped_design("xphemism", lambda changed, silent: changed, contributions, pairs=True)
