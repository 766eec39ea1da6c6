"""The similarity of claim pairs in two steps: the second annotator sees what the first called similar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polbias.files import InputError
from polbias.generators.authoring.annotation.answers import Problem
from polbias.generators.xphemism.annotation.collecting import Answer
from polbias.generators.xphemism.annotation.tasks import Task, TaskSet

VARIABLE, SIMILAR = "similarity", "similar"


@dataclass(frozen=True, slots=True)
class Similarity:
    """What two annotators decided.

    Attributes:
        kept: claim pairs that both call similar, in the order of the tasks.
        judged: how many the first has judged.
        first: how many of them the first calls similar.
        seen: how many of those the second has judged.
        pending: ids of claim pairs that still need a judgement.
        problems: what a person should look at.
    """

    kept: tuple[Task, ...]
    judged: int
    first: int
    seen: int
    pending: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def shares(self) -> tuple[float | None, float | None, float | None]:
        """What the first calls similar of all, the second of those, and both of all; None without any.

        The last one counts what the second has not judged as not kept.

        Source:
            Jakob et al. 2025, section 3.3 (there .314, .805 and .253).
        """
        parts = ((self.first, self.judged), (len(self.kept), self.seen), (len(self.kept), self.judged))
        first, second, both = (part / whole if whole else None for part, whole in parts)
        return first, second, both


def second_step(tasks: TaskSet, first: Iterable[Answer], annotators: Sequence[str], seed: int) -> TaskSet:
    """Return the tasks of the second step: what the first annotator called similar.

    Args:
        tasks: of the first step.
        first: its answers.
        annotators: of the second step.
        seed: of their order.

    Raises:
        InputError: if these are no claim pairs, nothing was called similar, or an annotator of the first step
            is to do the second one, too.
    """
    _check(tasks)
    answers = list(first)
    both = {answer.annotator for answer in answers} & {*annotators}
    if both:
        raise InputError(
            f"annotator: found {min(both)!r} in both steps, expected somebody else for the second"
        )
    similar = {answer.task_id for answer in answers if answer.values.get(VARIABLE) == SIMILAR}
    chosen = tuple(task for task in tasks.tasks if task.id in similar)
    if not chosen:
        raise InputError(
            "answers of the first step: found nothing called similar, expected some; fill them in"
        )
    return TaskSet(kind="claims", seed=seed, annotators=tuple(annotators), tasks=chosen)


def combine(tasks: TaskSet, first: Iterable[Answer], second: Iterable[Answer]) -> Similarity:
    """Keep the claim pairs that both annotators call similar.

    Several people may share a step as long as nobody judges what another one of that step has judged, or does
    both steps of one claim pair; such answers do not count.

    Args:
        tasks: of the first step.
        first: its answers.
        second: answers of the second step.

    Raises:
        InputError: if these are no claim pairs.
    """
    _check(tasks)
    problems: list[Problem] = []
    one, two = _single(first, "first", problems), _single(second, "second", problems)
    similar = {name for name, answer in one.items() if answer.values[VARIABLE] == SIMILAR}
    for name, answer in list(two.items()):
        if name not in similar:
            problems.append(Problem(answer.place, "extra", f"{name}: the first step does not say similar"))
        elif answer.annotator == one[name].annotator:
            said = f"{name}: {answer.annotator} did both steps; expected somebody else for the second"
            problems.append(Problem(answer.place, "repeated", said))
        else:
            continue
        del two[name]
    kept = tuple(task for task in tasks.tasks if task.id in two and two[task.id].values[VARIABLE] == SIMILAR)
    pending = [task.id for task in tasks.tasks if task.id not in one or task.id in similar - two.keys()]
    return Similarity(kept, len(one), len(similar), len(two), tuple(pending), tuple(problems))


def _check(tasks: TaskSet) -> None:
    if tasks.kind != "claims":
        raise InputError(
            f"tasks: found {tasks.kind}, expected claims; give the folder of an export of claims"
        )


def _single(answers: Iterable[Answer], step: str, problems: list[Problem]) -> dict[str, Answer]:
    """Return the answers by task; what two people have judged does not count."""
    found: dict[str, Answer] = {}
    twice: set[str] = set()
    for answer in answers:
        if VARIABLE not in answer.values:
            continue
        before = found.setdefault(answer.task_id, answer)
        if before is not answer:
            twice.add(answer.task_id)
            said = (
                f"{answer.task_id}: {before.annotator} has judged it in the {step} step too; neither is used"
            )
            problems.append(Problem(answer.place, "repeated", said))
    return {name: answer for name, answer in found.items() if name not in twice}
