"""What simulated models are asked, and the table of the answers of each that a report is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from polbias.eval.policy.schema import LABELS as STANCES
from polbias.eval.report.instruments import Reporter, instrument
from polbias.eval.report.instruments.policy.reading import COUNTS
from polbias.eval.report.reading import ADDED, schema
from polbias.eval.selfassess.simulation import Choices
from polbias.eval.simulation import Questions, Respondent, Simulation, questions, respondent
from polbias.eval.simulation.kinds import kind_of

Doc: TypeAlias = Mapping[str, Any]
Codes: TypeAlias = NDArray[np.int8]
SAMPLES = 30
"""Answers to a prompt where an instrument samples."""
_SILENT = ("refusal", "unparsable", "truncated")


@dataclass(frozen=True, eq=False)
class Part:
    """Questions of one kind.

    Attributes:
        docs: the rows of the dataset.
        questions: what a simulation is of.
        table: a row per question, with answers that :meth:`Asked.answered` replaces.
    """

    docs: Sequence[Doc]
    questions: Questions
    table: Any


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions of one instrument.

    Attributes:
        name: of the instrument.
        parts: by kind.
        samples: answers to a prompt where the instrument samples.
    """

    name: str
    parts: tuple[Part, ...]
    samples: int = SAMPLES

    @property
    def module(self) -> Reporter:
        """The instrument."""
        return instrument(self.name)

    def answered(self, who: Respondent, seed: int, model: str) -> Any:
        """Return the table of answers of a simulated model, as the reader of files makes it.

        Args:
            who: the respondent.
            seed: which one of its kind.
            model: its name in the table.
        """
        return pa.concat_tables(_answered(part, who, seed, model, self.samples) for part in self.parts)


def asked(
    name: str,
    tasks: Iterable[tuple[str, Sequence[Doc]]],
    effects: Iterable[str] = (),
    samples: int = SAMPLES,
) -> Asked:
    """Prepare questions for many models.

    Args:
        name: of the instrument.
        tasks: names of tasks and the rows of their datasets.
        effects: columns that random effects go by.
        samples: answers to a prompt where the instrument samples.
    """
    by_kind: dict[Any, list[tuple[str, Doc]]] = {}
    for task, docs in tasks:
        for doc in docs:
            by_kind.setdefault(kind_of(doc), []).append((task, doc))
    return Asked(name, tuple(_part(name, own, tuple(effects)) for own in by_kind.values()), samples)


def _part(name: str, own: Sequence[tuple[str, Doc]], effects: Sequence[str]) -> Part:
    docs = [doc for _, doc in own]
    about, module = questions(docs, effects), instrument(name)
    said = Simulation(about, respondent("perfect")).texts()
    read = [
        {"task": task} | row
        for (task, doc), text in zip(own, said, strict=True)
        for row in module.rows(({"doc": doc, "filtered_resps": [text]},), task)
    ]
    wanted = schema(module)
    made = dict.fromkeys(ADDED, "") | {"method": "generated"}
    columns = {
        field.name: pa.array([(made | row).get(field.name) for row in read], _plain(field.type))
        for field in wanted
    }
    return Part(docs, about, pa.table(columns))


def _plain(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _answered(part: Part, who: Respondent, seed: int, model: str, samples: int) -> Any:
    made = Simulation(part.questions, who, seed)
    number = samples if part.questions.SAMPLED else 1
    codes = np.stack([made.codes(sample) for sample in range(number)], axis=1)
    chosen = isinstance(part.questions, Choices)
    change = _counted if part.questions.SAMPLED else _chosen if chosen else _labelled
    table = part.table
    name = pa.repeat(model, table.num_rows)
    for column, values in {"respondent": name, "model": name, **change(part, codes)}.items():
        place = table.schema.get_field_index(column)
        table = table.set_column(place, table.schema.field(place), values)
    return table


def _labelled(part: Part, codes: Codes) -> dict[str, Any]:
    """Columns of an answer that is one of the labels."""
    labels = part.questions.LABELS
    became = [label if label in _SILENT else "answered" for label in labels]
    found = {"label": _texts(labels, codes[:, 0]), "outcome": _texts(became, codes[:, 0])}
    if "paper_label" in part.table.column_names and part.table["paper_label"].null_count == 0:
        found["paper_label"] = found["label"]
    return found


def _chosen(part: Part, codes: Codes) -> dict[str, Any]:
    """Columns of a choice among articles: its place, and the side that stands there."""
    labels = part.questions.LABELS
    places = [int(label) if label.isdigit() else None for label in labels]
    choices = [places[code] for code in codes[:, 0].tolist()]
    sides = [
        doc["sides"][choice - 1] if choice else None for doc, choice in zip(part.docs, choices, strict=True)
    ]
    silent = [label if label in _SILENT else "unparsable" for label in labels]
    became = ["answered" if place else label for place, label in zip(places, silent, strict=True)]
    return {
        "choice": pa.array(choices, pa.int8()),
        "side": pa.array(sides, pa.string()),
        "label": pa.array(
            [side or labels[code] for side, code in zip(sides, codes[:, 0].tolist(), strict=True)]
        ),
        "outcome": _texts(became, codes[:, 0]),
    }


def _counted(part: Part, codes: Codes) -> dict[str, Any]:
    """Columns of a prompt that is answered many times: how often each answer came."""
    counts = np.stack([(codes == code).sum(axis=1) for code in range(len(STANCES))], axis=1)
    most = counts.max(axis=1)
    tie = (counts[:, 0] == counts[:, 1]) & (counts[:, 0] == most)
    label = np.where(tie, len(STANCES), counts.argmax(axis=1))
    became = ["answered", "answered", *STANCES[2:], "answered"]
    found = {name: pa.array(counts[:, place], pa.int32()) for place, name in enumerate(COUNTS)}
    return {
        **found,
        "answers": pa.array(np.full(len(codes), codes.shape[1]), pa.int32()),
        "label": _texts((*STANCES, "tie"), label),
        "outcome": _texts(became, label),
    }


def _texts(labels: Sequence[str], codes: NDArray[Any]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(labels)).cast(pa.string())
