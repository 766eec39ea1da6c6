"""Answers checked against their tasks: what counts, and a reason for everything that does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polbias.generators.authoring.annotation.answers import Problem, RawAnswer
from polbias.generators.authoring.annotation.tasks import COMMENT, Guideline
from polbias.generators.xphemism.annotation.people import Person
from polbias.generators.xphemism.annotation.tasks import Task, TaskSet

_NOBODY = "annotator: found nothing, expected a name; not used, fill the column in"
_Key = tuple[str, str]  # task and annotator
_SHOWN = 60  # characters of a text in a message


@dataclass(frozen=True, slots=True)
class Answer:
    """What one annotator said about one task.

    Attributes:
        task_id: the task.
        annotator: who.
        values: by variable; those without a usable value are left out.
        comment: empty if there is none.
        place: file, and line or task.
    """

    task_id: str
    annotator: str
    values: Mapping[str, str]
    comment: str
    place: str


@dataclass(frozen=True, slots=True)
class Collected:
    """Answers that count, by task in the order of the tasks, and what a person should look at."""

    answers: tuple[Answer, ...]
    problems: tuple[Problem, ...]

    @property
    def annotators(self) -> tuple[str, ...]:
        """Everyone with an answer that counts, in alphabetical order."""
        return tuple(sorted({answer.annotator for answer in self.answers}))


def collect(
    tasks: TaskSet, raw: Iterable[RawAnswer], guideline: Guideline, people: Sequence[Person] = ()
) -> Collected:
    """Check answers against tasks.

    An answer to a task that is not there or whose text has changed does not count; of an answer with an
    unknown value, the other values do. What one annotator said twice counts once; not at all if it differs.

    Args:
        tasks: of the export.
        raw: what was read.
        guideline: has the variables.
        people: names of accounts; somebody whom they do not name is called as the file says.
    """
    checking = _Checking(tasks, guideline, people)
    for each in raw:
        checking.take(each)
    return checking.result()


class _Checking:
    """Answers taken one by one."""

    def __init__(self, tasks: TaskSet, guideline: Guideline, people: Sequence[Person]) -> None:
        self._tasks, self._known = tasks, tasks.by_id()
        self._variables = guideline.variables(tasks.kind)
        self._names = _Naming(people)
        self._problems: list[Problem] = []
        self._given: dict[_Key, Answer] = {}
        self._spoiled: set[_Key] = set()
        self._blank: dict[_Key, str] = {}
        self._seen: dict[str, None] = dict.fromkeys(tasks.annotators)

    def take(self, raw: RawAnswer) -> None:
        """Check one answer."""
        name, problem = self._names.of(raw)
        if problem or not name:
            self._problems.append(problem or Problem(raw.place, "no-annotator", _NOBODY))
            return
        self._seen[name] = None
        key = raw.task_id, name
        task = self._known.get(raw.task_id)
        if task is None:
            said = f"task_id: found {raw.task_id!r}, expected a task of this export; not used"
            self._tell(raw, "extra", said)
        elif difference := _difference(raw, task):
            self._tell(raw, "changed-text", difference)
            self._spoiled.add(key)
        elif not any(raw.values.get(variable.id) for variable in self._variables):
            self._blank.setdefault(key, raw.place)
        else:
            values = self._values(raw)
            answer = Answer(raw.task_id, name, values, raw.values.get(COMMENT, ""), raw.place)
            before = self._given.setdefault(key, answer)
            if before is not answer:
                self._problems.append(_twice(before, answer))
                if before.values != values:
                    self._spoiled.add(key)

    def result(self) -> Collected:
        """Return what counts, and what is missing."""
        answers = {key: answer for key, answer in self._given.items() if key not in self._spoiled}
        reported = self._given.keys() | self._spoiled
        for name in self._seen:
            for task in self._tasks.tasks:
                key = task.id, name
                if key in self._blank and key not in reported:
                    said = f"{task.id}: {name} has not answered; add the answer"
                    self._problems.append(Problem(self._blank[key], "unanswered", said))
                elif key not in reported:
                    said = f"{task.id}: no line of {name}; restore it"
                    self._problems.append(Problem(name, "missing", said))
        place = {task.id: number for number, task in enumerate(self._tasks.tasks)}
        kept = sorted(answers.values(), key=lambda answer: (place[answer.task_id], answer.annotator))
        return Collected(tuple(each for each in kept if each.values), tuple(self._problems))

    def _values(self, raw: RawAnswer) -> dict[str, str]:
        values: dict[str, str] = {}
        for variable in self._variables:
            said = raw.values.get(variable.id, "")
            value = variable.value(said)
            expected = f"expected one of {', '.join(variable.values)}"
            if value is not None:
                values[variable.id] = value
            elif said:
                self._tell(raw, "unknown-value", f"{variable.id}: found {said!r}, {expected}; not used")
            else:
                self._tell(raw, "no-value", f"{variable.id}: found nothing, {expected}; add it")
        return values

    def _tell(self, raw: RawAnswer, code: str, detail: str) -> None:
        self._problems.append(Problem(raw.place, code, detail))


class _Naming:
    """Gives accounts their names; tasks exported for somebody are answered by one account."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._names = {account: person.name for person in people for account in person.accounts}
        self._names |= {person.name: person.name for person in people}
        self._accounts: dict[str, str] = {}

    def of(self, raw: RawAnswer) -> tuple[str | None, Problem | None]:
        """Return the name of who answered, or why there is none."""
        for account in raw.accounts:
            if account in self._names:
                return self._names[account], None
        account = raw.accounts[0] if raw.accounts else ""
        if not raw.assigned:
            return account or None, None
        first = self._accounts.setdefault(raw.assigned, account)
        if first != account:
            said = (
                f"the tasks of {raw.assigned} are answered by {first!r} and {account!r}; not used, name both"
            )
            return None, Problem(raw.place, "several-accounts", f"{said} in the table of annotators")
        return raw.assigned, None


def _difference(raw: RawAnswer, task: Task) -> str:
    """Return how the text of a line differs from its task; empty if it does not."""
    for field, found in raw.texts.items():
        if _fold(found) != _fold(task.texts[field]):
            expected = task.texts[field][:_SHOWN]
            return f"{field}: found {found[:_SHOWN]!r}, expected {expected!r}; not used, restore it"
    return ""


def _twice(before: Answer, answer: Answer) -> Problem:
    said = f"{answer.task_id}: {answer.annotator} has answered in {before.place} too"
    if before.values == answer.values:
        return Problem(answer.place, "repeated", f"{said}, the same; counted once")
    return Problem(answer.place, "contradictory", f"{said}, otherwise; neither is used, keep one")


def _fold(text: str) -> str:
    return " ".join(text.split())
