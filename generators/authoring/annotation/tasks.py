"""Tasks for annotators and panels, and their guidelines."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError, field_validator, model_validator

from polbias.aliases import Json
from polbias.errors import InputError, replace_surrogates
from polbias.files import read_bytes
from polbias.generators.engine.latin_square import named_rng
from polbias.generators.table_files import ColumnRole, cell_text, read_tables, resolve_columns
from polbias.jinja_texts import TemplateRenderer
from polbias.paths import package_file
from polbias.spreadsheet_cells import escape_formula
from polbias.spreadsheets import sheet
from polbias.yaml_models import Name, TemplateModel, Text, display_path, load_template

# The guideline of ``guideline.yaml``: instructions for annotators, and the permitted values.

Kind = str
"""``words``, ``claims``, or the name of a dataset that a panel annotates in a sample."""
FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "words": ("first", "second"),
    "claims": ("base_word", "exchange_word", "base_claim", "exchange_claim"),
}
COMMENT = "comment"


class Variable(TemplateModel):
    """One question of an annotation.

    Attributes:
        id: name of the column and of the Label Studio choice.
        title: short.
        text: how to answer it.
        values: permitted answers, in display order.
        also: other words for a value, in lower case.
    """

    id: Name
    title: Text
    text: Text
    values: tuple[Text, ...]
    also: Mapping[str, tuple[Text, ...]] = {}

    @model_validator(mode="after")
    def _check_synonyms(self) -> Variable:
        for value in self.also:
            if value not in self.values:
                raise ValueError(f"also: found {value!r}, expected one of {', '.join(self.values)}")
        return self

    def value(self, text: str) -> str | None:
        """Return the value that a text or a synonym names, ignoring case; None if there is none."""
        folded = text.strip().casefold()
        for value in self.values:
            if folded in (value.casefold(), *self.also.get(value, ())):
                return value
        return None


# Panel forms of the datasets: ``templates/panels/forms.yaml``.

ANSWER = "answer"


class ContextColumn(TemplateModel):
    """A column of a context row, displayed first: the row matches ``where`` and has equal values ``by``."""

    column: Name
    shown: Text
    where: Mapping[Name, Text]
    by: tuple[Name, ...]


class PanelForm(TemplateModel):
    """The panel form of a dataset: captions by column, gold values by answer."""

    configs: tuple[Text, ...]
    strata: tuple[Name, ...]
    shown: Mapping[Name, Text]
    beside: ContextColumn | None = None
    question: Text
    gold: Name
    answers: Mapping[Text, tuple[Text, ...]]

    @property
    def captions(self) -> Mapping[str, str]:
        """The captions by displayed field."""
        return {"beside": self.beside.shown, **self.shown} if self.beside else self.shown

    @property
    def variable(self) -> Variable:
        """The question."""
        return Variable(id=ANSWER, title="Answer", text=self.question, values=tuple(self.answers))


class _PanelForms(RootModel[Mapping[str, PanelForm]]):
    pass


@cache
def panel_forms() -> Mapping[str, PanelForm]:
    """Return the panel forms by dataset."""
    return load_template(package_file("templates/panels/forms.yaml"), _PanelForms).root


def annotation_kinds() -> tuple[Kind, ...]:
    """Return the kinds of annotation."""
    return (*FIELDS, *panel_forms())


def fields_of(kind: Kind) -> tuple[str, ...]:
    """Return the displayed fields of a task."""
    return FIELDS[kind] if kind in FIELDS else tuple(panel_forms()[kind].captions)


class Correction(TemplateModel):
    """Corrected labels of an example."""

    axis: Text
    shift: Text


class Example(TemplateModel):
    """A word pair with its labels, as printed."""

    first: Text
    second: Text
    axis: Text
    shift: Text
    judgmental_first: Text
    judgmental_second: Text
    erratum: Name | None = None
    corrected: Correction | None = None


class Similarity(TemplateModel):
    """The question about a claim pair."""

    source: Text
    title: Text
    question: Text
    values: tuple[Text, ...]
    rules: tuple[Text, ...]
    steps: Text


class Guideline(TemplateModel):
    """The guideline file; `definitions` by axis and side, `captions` are the headings of the annotation."""

    source: Text
    question: Text
    definitions: Json
    steps: tuple[Variable, ...]
    examples: tuple[Example, ...]
    similarity: Similarity
    captions: Json

    def variables(self, kind: Kind) -> tuple[Variable, ...]:
        """Return the questions about a word pair, a claim pair or a row of a dataset."""
        if kind in panel_forms():
            return (panel_forms()[kind].variable,)
        if kind == "words":
            return self.steps
        similarity = self.similarity
        return (
            Variable(
                id="similarity", title=similarity.title, text=similarity.question, values=similarity.values
            ),
        )

    def sections(self, kind: Kind) -> Mapping[str, Sequence[str]]:
        """Return the guideline text for one kind of task: lines by heading."""
        captions = self.captions
        if kind in panel_forms():
            return {captions["question"]: [panel_forms()[kind].question]}
        if kind == "claims":
            similarity = self.similarity
            return {similarity.title: [similarity.question], captions["rules"]: similarity.rules}
        poles = [
            f"{captions[axis]}, {captions[side]}: {self.definitions[axis][side]}"
            for axis in ("economic", "social")
            for side in ("left", "right")
        ]
        return {
            captions["question"]: [self.question],
            captions["definitions"]: poles,
            **{step.title: [step.text] for step in self.steps},
            captions["examples"]: [*map(_format_example, self.examples)],
        }

    def render(self, name: str, kind: Kind) -> str:
        """Render a template that contains the guideline."""
        path = package_file("templates/xphemism") / name
        field_captions = {} if kind in FIELDS else {"fields": panel_forms()[kind].captions}
        values: dict[str, Any] = {
            "captions": self.captions | field_captions,
            "sections": self.sections(kind),
            "variables": self.variables(kind),
            "fields": fields_of(kind),
        }
        return (
            TemplateRenderer(path, {}).render(name, path.read_text(encoding="utf-8"), values).rstrip() + "\n"
        )


@cache
def load_guideline() -> Guideline:
    """Return the guideline that ships with the package."""
    return load_template(package_file("templates/xphemism/guideline.yaml"), Guideline)


def _format_example(example: Example) -> str:
    labels = example.corrected or example
    judgmental = f"{example.judgmental_first} {example.judgmental_second}"
    return f"{example.first}, {example.second}: {labels.axis}, {labels.shift}, {judgmental}"


# Tasks: word pairs, and claims with one word exchanged.

_MAX_DISPLAYED = 60  # characters of a value in a message
Direction = Literal["forward", "reverse"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_COLUMNS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    "words": {"pair_id": ("id",), "first": (), "second": ()},
    "claims": {
        "id": ("item_id", "claim_id"),
        "base_word": (),
        "exchange_word": (),
        "base_claim": ("claim",),
        "exchange_claim": ("shifted_claim",),
    },
}
"""Required columns of a table, the id first, and their aliases."""
_WORD_COLUMNS = ("base_word", "exchange_word")


@dataclass(frozen=True, slots=True)
class AnnotationTask:
    """One item to annotate.

    Attributes:
        id: stable: ``PAIR_ID.forward`` and ``PAIR_ID.reverse`` of a word pair, the id of a claim pair.
        texts: displayed texts by field.
        row: source row by column, written again with the result.
    """

    id: str
    texts: Mapping[str, str]
    row: Mapping[str, str]


class TaskSet(BaseModel):
    """The tasks of one export; ``tasks.json`` of its folder.

    Attributes:
        kind: kind of annotation.
        seed: seed of the task orders.
        annotators: annotators of the export.
        content: content hash of the dataset that was sampled; None for pairs.
        tasks: in the order of their source.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    seed: int
    annotators: tuple[str, ...]
    content: str | None = None
    tasks: tuple[AnnotationTask, ...]

    @field_validator("kind")
    @classmethod
    def _check_kind(cls, kind: Kind) -> Kind:
        if kind not in annotation_kinds():
            raise ValueError(f"found {kind[:_MAX_DISPLAYED]!r}, expected {', '.join(annotation_kinds())}")
        return kind

    @model_validator(mode="after")
    def _check_tasks(self) -> TaskSet:
        seen: set[str] = set()
        for number, task in enumerate(self.tasks):
            location = f"tasks.{number}"
            if task.id in seen:
                raise ValueError(
                    f"{location}.id: found {task.id[:_MAX_DISPLAYED]!r} twice, expected each once"
                )
            seen.add(task.id)
            for part in ("texts", "row") if self.kind == "words" else ("texts",):
                for name in fields_of(self.kind):
                    if not getattr(task, part).get(name):
                        raise ValueError(f"{location}.{part}.{name}: found nothing, expected a text")
        return self

    def by_id(self) -> Mapping[str, AnnotationTask]:
        """Return the tasks by id."""
        return {task.id: task for task in self.tasks}

    def text(self) -> str:
        """Return the set as JSON."""
        return self.model_dump_json(indent=1, exclude_none=True) + "\n"


def read_tasks(path: Path) -> TaskSet:
    """Return the tasks of an export."""
    file = path / "tasks.json" if path.is_dir() else path
    try:
        return TaskSet.model_validate_json(read_bytes(file))
    except OSError as error:
        raise InputError(
            f"{display_path(file)}: cannot be read ({error.strerror}); expected the folder of an export"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(map(str, first["loc"]))[:_MAX_DISPLAYED]
        problem = f"{location}: {first['msg']}" if location else first["msg"].removeprefix("Value error, ")
        raise InputError(
            f"{display_path(file)}: {problem}; expected the tasks of an export, restore the file"
        ) from None


def source_rows(
    path: Path, kind: Kind, columns: Mapping[str, str] | None = None
) -> tuple[list[dict[str, str]], list[str]]:
    """Return the usable source rows of tasks, and the problems of the others.

    `author pairs` writes several pairs of a claim. Their ids are followed by their words.
    """
    row_by_key: dict[tuple[str, ...], dict[str, str]] = {}
    problems = []
    roles = tuple(ColumnRole(name, aliases, required=True) for name, aliases in _COLUMNS[kind].items())
    key_columns = (roles[0].name, *_WORD_COLUMNS) if kind == "claims" else (roles[0].name,)
    for table in read_tables(path):
        role_by_column = {
            column: role
            for role, column in resolve_columns(table.columns, roles, columns or {}, path).items()
        }
        names = [role_by_column.get(column, column) for column in table.columns]
        for line, cells, unreadable in table.rows(table.columns):
            values = dict(zip(names, map(cell_text, cells), strict=True))
            empty = [role.name for role in roles if not values.get(role.name)]
            key = tuple(values.get(name, "") for name in key_columns)
            if unreadable:
                problem = unreadable
            elif any(replace_surrogates(text) != text for text in (*values, *values.values())):
                problem = "found half a character, such as \\ud83d; not used"
            elif empty:
                problem = f"{empty[0]}: found nothing, expected a text; not used"
            elif key in row_by_key:
                problem = f"{roles[0].name}: found {key[0]!r} twice; the second one is not used"
            else:
                row_by_key[key] = values
                continue
            problems.append(f"{display_path(path)}:{line}: {problem}")
    if not row_by_key:
        first = f" ({problems[0]})" if problems else ""
        raise InputError(f"{display_path(path)}: found no usable row{first}, expected {kind} to annotate")
    n_rows_by_id = Counter(key[0] for key in row_by_key)
    for key, values in row_by_key.items():
        if n_rows_by_id[key[0]] > 1:
            values[roles[0].name] = "/".join(key)
    return list(row_by_key.values()), problems


def make_tasks(
    kind: Kind, rows: Iterable[Mapping[str, str]], *, reverse: bool = False
) -> tuple[AnnotationTask, ...]:
    """Build tasks from source rows."""
    if kind == "claims":
        return tuple(
            AnnotationTask(row["id"], {name: row[name] for name in FIELDS[kind]}, row) for row in rows
        )
    tasks = []
    for row in rows:
        first, second, pair_id = row["first"], row["second"], row["pair_id"]
        tasks.append(AnnotationTask(f"{pair_id}.forward", {"first": first, "second": second}, row))
        if reverse:
            tasks.append(AnnotationTask(f"{pair_id}.reverse", {"first": second, "second": first}, row))
    return tuple(tasks)


def pair_of(task_id: str) -> tuple[str, Direction]:
    """Return the pair id and the direction of a word-pair task."""
    pair, _, direction = task_id.rpartition(".")
    return pair, "reverse" if direction == "reverse" else "forward"


def shuffle_tasks(tasks: Sequence[AnnotationTask], annotator: str, seed: int) -> list[AnnotationTask]:
    """Return the tasks in a random order specific to the annotator."""
    generator = named_rng("xphemism-annotation", str(seed), f"order/{annotator}")
    return [tasks[index] for index in generator.permutation(len(tasks))]


# Export: spreadsheets and Label Studio projects, in an order specific to each annotator.

TASK_ID, ANNOTATOR, ASSIGNED = "task_id", "annotator", "assigned_to"
_NAME = re.compile(r"[A-Za-z0-9][\w.@-]*")


def export(tasks: TaskSet) -> Mapping[str, str]:
    """Return the files of an export by name."""
    names = tasks.annotators
    if not names or len({name.casefold() for name in names}) < len(names):
        raise InputError(f"annotators: found {list(names)}, expected at least one, each once")
    for name in names:
        if not _NAME.fullmatch(name):
            raise InputError(f"annotator: found {name!r}, expected letters, digits and any of . _ - @")
    files = {
        "tasks.json": tasks.text(),
        "guideline.md": load_guideline().render("guideline.md.jinja", tasks.kind),
        "label-studio.xml": load_guideline().render("label-studio.xml.jinja", tasks.kind),
    }
    for name in names:
        shuffled = shuffle_tasks(tasks.tasks, name, tasks.seed)
        files[f"answers.{name}.csv"] = answers_csv(tasks.kind, ((task, name, {}) for task in shuffled))
        files[f"label-studio.{name}.json"] = label_studio_tasks(shuffled, name)
    return files


def answers_csv(kind: Kind, rows: Iterable[tuple[AnnotationTask, str, Mapping[str, str]]]) -> str:
    """Render a table of answers with escaped formulas."""
    variables = [variable.id for variable in load_guideline().variables(kind)]
    fields = fields_of(kind)
    columns = [TASK_ID, ANNOTATOR, *fields, *variables, COMMENT]
    lines = []
    for task, annotator, values in rows:
        cells = [task.id, annotator, *(task.texts[name] for name in fields)]
        cells += [values.get(name, "") for name in (*variables, COMMENT)]
        lines.append([escape_formula(cell) for cell in cells])
    return sheet(columns, lines, ",")


def label_studio_tasks(tasks: Sequence[AnnotationTask], annotator: str) -> str:
    """Render tasks in Label Studio's import format: ids are numbers from 1, the stable id is in the data."""
    records = [
        {"id": number, "data": {TASK_ID: task.id, ASSIGNED: annotator, **task.texts}}
        for number, task in enumerate(tasks, 1)
    ]
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"
