"""Runs of lm_eval over the X-phemism pairs: which samples there are, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from polbias.aliases import Json
from polbias.eval.runs import Problem as Line
from polbias.eval.runs import SampleFile, first_row, read_samples
from polbias.eval.xphemism import answers
from polbias.eval.xphemism.reading import Problem, Reading
from polbias.eval.xphemism.schema import Records
from polbias.registry import instrument_of

_LOGLIKELIHOOD, _MINI = "_loglikelihood", "_mini"


@dataclass(frozen=True)
class Runs:
    """What was answered in the runs of all models.

    Attributes:
        answers: the generated answers; None if no task generated.
        likelihoods: what :func:`polbias.eval.xphemism.likelihoods.likelihood_table` analyses.
        problems: what was left out or does not fit, of both.
    """

    answers: Reading | None
    likelihoods: list[Json] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()


def read_runs(files: Iterable[SampleFile]) -> Runs:
    """Read the samples of X-phemism pairs; the tasks of a model are taken together.

    Args:
        files: sample files of any tasks; a ``_mini`` task counts only where the task that it is the beginning
            of was not run.

    Returns:
        Generated answers and log-likelihoods apart; neither if there is no sample of such a pair.
    """
    own = _without_mini([file for file in files if instrument_of(first_row(file.path)) == "xphemism"])
    lines: list[Line] = []
    problems: list[Problem] = []
    answered: list[Json] = []
    scored: list[Json] = []
    generated = False
    for model in dict.fromkeys(file.model for file in own):
        apart: dict[bool, list[Iterable[Json]]] = {False: [], True: []}
        for file in own:
            if file.model == model:
                apart[file.task.endswith(_LOGLIKELIHOOD)].append(read_samples(file.path, lines))
        generated = generated or bool(apart[False])
        answered += answers.paired(chain.from_iterable(apart[False]), model, problems, answers.read_truth)
        scored += answers.paired_likelihoods(chain.from_iterable(apart[True]), model, problems)
    read = [
        Problem(str(each.path), f"line {each.line}", each.found, "a sample", "left out") for each in lines
    ]
    told = (*read, *problems)
    return Runs(Reading(Records.of(answered), told) if generated else None, scored, told)


def _without_mini(files: Sequence[SampleFile]) -> list[SampleFile]:
    """Leave out first tries of what was run in full, whose pairs would be there twice."""
    run = {(file.model, file.task) for file in files}
    return [
        file
        for file in files
        if _MINI not in file.task or (file.model, file.task.replace(_MINI, "_simple")) not in run
    ]
