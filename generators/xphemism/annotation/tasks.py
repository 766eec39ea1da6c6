"""What is annotated: word pairs, and claims with one word exchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from polbias.cells import whole
from polbias.files import InputError
from polbias.generators.authoring.annotation.tasks import FIELDS, Kind
from polbias.generators.engine.seeds import named_rng
from polbias.generators.logic.audit.columns import Role, resolve
from polbias.generators.logic.audit.tables import open_tables
from polbias.template_files import shown

_SHOWN = 60  # characters of a value in a message
Direction = Literal["forward", "reverse"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_ROLES: Mapping[Kind, tuple[Role, ...]] = {
    "words": (Role("pair_id", ("id",), True), *(Role(name, (), True) for name in FIELDS["words"])),
    "claims": (
        Role("id", ("item_id",), True),
        Role("base_word", (), True),
        Role("exchange_word", (), True),
        Role("base_claim", ("claim",), True),
        Role("exchange_claim", ("shifted_claim",), True),
    ),
}


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to judge.

    Attributes:
        id: stable: ``PAIR_ID.forward`` and ``PAIR_ID.reverse`` of a word pair, the id of a claim pair.
        texts: what is shown, by field.
        row: the line that it comes from, by column, to be written again with the result.
    """

    id: str
    texts: Mapping[str, str]
    row: Mapping[str, str]


class TaskSet(BaseModel):
    """The tasks of one export; ``tasks.json`` of its folder.

    Attributes:
        kind: word pairs or claim pairs.
        seed: of the orders.
        annotators: who was given them.
        tasks: in the order of their source.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    seed: int
    annotators: tuple[str, ...]
    tasks: tuple[Task, ...]

    @model_validator(mode="after")
    def _complete(self) -> TaskSet:
        seen: set[str] = set()
        for number, task in enumerate(self.tasks):
            place = f"tasks.{number}"
            if task.id in seen:
                raise ValueError(f"{place}.id: found {task.id[:_SHOWN]!r} twice, expected each once")
            seen.add(task.id)
            needed = {"texts": FIELDS[self.kind], "row": FIELDS[self.kind] if self.kind == "words" else ()}
            for field, names in needed.items():
                for name in names:
                    if not getattr(task, field).get(name):
                        raise ValueError(f"{place}.{field}.{name}: found nothing, expected a text")
        return self

    def by_id(self) -> Mapping[str, Task]:
        """Return the tasks by their id."""
        return {task.id: task for task in self.tasks}

    def text(self) -> str:
        """Return the set as JSON."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


def read_tasks(path: Path) -> TaskSet:
    """Return the tasks of an export.

    Args:
        path: its folder, or ``tasks.json`` in it.

    Raises:
        InputError: if it cannot be read or is not what an export writes.
    """
    file = path / "tasks.json" if path.is_dir() else path
    try:
        return TaskSet.model_validate_json(file.read_bytes())
    except OSError as error:
        raise InputError(
            f"{shown(file)}: cannot be read ({error.strerror}); expected the folder of an export"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))[:_SHOWN]
        problem = f"{place}: {first['msg']}" if place else first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{shown(file)}: {problem}; expected the tasks of an export, restore the file"
        ) from None


def source_rows(path: Path, kind: Kind) -> tuple[list[dict[str, str]], list[str]]:
    """Return the rows that tasks are made of.

    Args:
        path: a table (TSV, CSV, JSONL or Parquet). Word pairs need ``pair_id``, ``first`` and ``second`` (as
            in ``pairs.tsv``), claim pairs ``id``, ``base_word``, ``exchange_word``, ``base_claim`` and
            ``exchange_claim``; other columns are carried along.
        kind: of the tasks.

    Returns:
        Usable rows by column, and one line of text for each of the others.

    Raises:
        InputError: if the file cannot be used, or no row of it.
    """
    found: dict[str, dict[str, str]] = {}
    problems = []
    for table in open_tables(path):
        roles = resolve(table.columns, _ROLES[kind], {}, path)
        named = {column: role for role, column in roles.items()}
        columns = list(table.columns)
        for row in table.rows(columns):
            values = dict(
                zip((named.get(name, name) for name in columns), map(_text, row.values), strict=False)
            )
            empty = [role.name for role in _ROLES[kind] if role.required and not values.get(role.name)]
            name = values.get(_ROLES[kind][0].name, "")
            if row.problem:
                problem = row.problem
            elif any(whole(text) != text for text in (*values, *values.values())):
                problem = "found half a character, such as \\ud83d; not used"
            elif empty:
                problem = f"{empty[0]}: found nothing, expected a text; not used"
            elif name in found:
                problem = f"{_ROLES[kind][0].name}: found {name!r} twice; the second one is not used"
            else:
                found[name] = values
                continue
            problems.append(f"{shown(path)}:{row.line}: {problem}")
    if not found:
        first = f" ({problems[0]})" if problems else ""
        raise InputError(f"{shown(path)}: found no usable row{first}, expected {kind} to annotate")
    return list(found.values()), problems


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False, default=str)


def make_tasks(kind: Kind, rows: Iterable[Mapping[str, str]], *, reverse: bool = False) -> tuple[Task, ...]:
    """Make the tasks of lines.

    Args:
        kind: of the tasks.
        rows: as `source_rows` returns them.
        reverse: ask about word pairs in both directions; the answers then check each other.
    """
    if kind == "claims":
        return tuple(Task(row["id"], {name: row[name] for name in FIELDS[kind]}, dict(row)) for row in rows)
    made = []
    for row in rows:
        words = row["first"], row["second"]
        for direction, shown_words in zip(DIRECTIONS, (words, words[::-1]), strict=True):
            if direction == "forward" or reverse:
                texts = dict(zip(FIELDS[kind], shown_words, strict=True))
                made.append(Task(f"{row['pair_id']}.{direction}", texts, dict(row)))
    return tuple(made)


def pair_of(task_id: str) -> tuple[str, Direction]:
    """Return pair and direction of the task of a word pair."""
    pair, _, direction = task_id.rpartition(".")
    return pair, "reverse" if direction == "reverse" else "forward"


def ordered(tasks: Sequence[Task], annotator: str, seed: int) -> list[Task]:
    """Return tasks in the order in which one annotator gets them, another one for each."""
    generator = named_rng("xphemism-annotation", str(seed), f"order/{annotator}")
    return [tasks[place] for place in generator.permutation(len(tasks))]
