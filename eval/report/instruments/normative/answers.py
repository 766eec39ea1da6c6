"""The answers of each respondent, as the tables that the metrics work on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from polbias.aliases import Codes, Document, Floats, Json
from polbias.eval.normative.schema import LABELS, Judgements
from polbias.eval.normative.summary import normative_summary
from polbias.eval.normative.wason import Selections
from polbias.eval.report.instruments.normative.layout import SELECTION
from polbias.eval.wason_summary import wason_summary

_PROBLEM = ("label", "gold", "cluster_id", "domain", "prompt_style", "pattern", "content_type")
_SELECTION = ("label", "gold", "cluster_id", "domain", "prompt_style", "content_type", "polarity")
_READ = (
    *dict.fromkeys((*_PROBLEM, *_SELECTION)),
    *("id", "repeat", "task", "method", "reasoning", "gold_sdl", "consistency_ids"),
    *("card_roles", "paper_label", "label_mass"),
)


@dataclass(frozen=True, eq=False)
class Respondent:
    """What one respondent was asked and said.

    Attributes:
        name: of the respondent.
        method: how it answered, "generated" or "log-likelihood".
        ids: of the entailment problems, one per answer.
        problems: the answers to them.
        paper_labels: what the published parser reads of them, as codes of
            :data:`polbias.eval.normative.schema.LABELS`; those that were read where there is no text.
        mass: probability that the labels hold together in them; NaN without log-likelihoods.
        selection_ids: of the selection problems, one per answer.
        selections: the answers to them.
        selection_mass: as ``mass``.
    """

    name: str
    method: str
    ids: tuple[str, ...]
    problems: Judgements
    paper_labels: Codes
    mass: Floats
    selection_ids: tuple[str, ...]
    selections: Selections
    selection_mass: Floats

    @cached_property
    def published(self) -> Judgements:
        """The same answers as the published parser reads them."""
        return replace(self.problems, label=self.paper_labels)

    @cached_property
    def summary(self) -> Json | None:
        """The family's summary of the entailment problems; None without any."""
        return normative_summary(self.problems) if self.problems.n else None

    @cached_property
    def selection_summary(self) -> Json | None:
        """The family's summary of the selection problems; None without any."""
        return wason_summary(self.selections) if self.selections.n else None


def respondents(answers: Document) -> list[Respondent]:
    """Read the answers of all respondents, by name.

    Args:
        answers: respondent to Arrow table.
    """
    return [_respondent(name, answers[name]) for name in sorted(answers)]


def _respondent(name: str, table: Any) -> Respondent:
    columns = {each: _listed(table[each]) for each in _READ}
    keys = list(zip(columns["id"], columns["repeat"], columns["task"], strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    selection = [row for row in order if columns["reasoning"][row] == SELECTION]
    problem = [row for row in order if columns["reasoning"][row] != SELECTION]
    own = _picked(columns, problem)
    read = [found or label for found, label in zip(own["paper_label"], own["label"], strict=True)]
    cards = _picked(columns, selection)
    return Respondent(
        name,
        str(columns["method"][0]) if keys else "generated",
        tuple(own["id"]),
        _judgements(own),
        np.array([LABELS.index(label) for label in read], np.int8),
        np.array(own["label_mass"], np.float64),
        tuple(cards["id"]),
        Selections.of(
            {each: cards[each] for each in _SELECTION}
            | {"card_roles": [roles.split(",") for roles in cards["card_roles"]]}
        ),
        np.array(cards["label_mass"], np.float64),
    )


def _judgements(own: Mapping[str, list[Any]]) -> Judgements:
    columns = {each: own[each] for each in _PROBLEM} | {"task": own["reasoning"]}
    split = {ids: tuple(ids.split(";")) if ids else () for ids in set(own["consistency_ids"])}
    columns["consistency_ids"] = [split[ids] for ids in own["consistency_ids"]]
    if all(own["gold_sdl"]):
        columns["gold_sdl"] = own["gold_sdl"]
    return Judgements.of(columns)


def _listed(column: Any) -> list[Any]:
    """The values of a column; of a dictionary each is made once."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or not len(column):
        return list(column.to_pylist())
    coded = column.unify_dictionaries().combine_chunks()
    values = [*coded.dictionary.to_pylist(), None]
    return [values[code] for code in coded.indices.fill_null(len(values) - 1).to_numpy().tolist()]


def _picked(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> dict[str, list[Any]]:
    return {name: [values[row] for row in rows] for name, values in columns.items()}
