"""From the rows of a respondent to answered pairs: base and exchanged claim beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from polbias.eval.report.prompts import counting, values
from polbias.eval.xphemism.answers import paired, paired_likelihoods
from polbias.eval.xphemism.likelihoods import label_masses, share_records
from polbias.eval.xphemism.reading import Problem
from polbias.eval.xphemism.schema import Group, Records

_ABOUT = (
    "pair_id", "cluster_id", "gold", "arm", "shift", "axis", "judgmental_base", "judgmental_exchange",
    "prompt_style", "instruction_language",
)  # fmt: skip
_ANSWER = ("label", "log_true", "log_false")


@dataclass(frozen=True)
class Answers:
    """What one respondent was asked and said.

    Attributes:
        respondent: its name, which stands in the records as the model.
        records: the answered pairs; by log-likelihood, shares of "true" stand in place of answers.
        masses: by log-likelihood, the mean probability of both labels by prompt and language; else empty.
        alone: pairs that were left out, as they have not both forms, or two that contradict each other.
        uneven: pairs that were kept with more answers to one form than to the other.
        repeated: answers of a small task that were left out, as the full task was asked as well.
    """

    respondent: str
    records: Records
    masses: Mapping[Group, float]
    alone: int
    uneven: int
    repeated: int

    @property
    def scored(self) -> bool:
        """Whether it answered by log-likelihood."""
        return bool(self.masses)

    @cached_property
    def groups(self) -> tuple[tuple[Group, Records], ...]:
        """The pairs by prompt and language of the instruction, in order."""
        return tuple(self.records.groups())


def read_answers(respondent: str, table: Any) -> Answers:
    """Pair the rows of a respondent.

    A prompt that was asked in several tasks counts as in the first of them by name, small tasks last.

    Args:
        respondent: Its name.
        table: An Arrow table with the columns of :mod:`polbias.eval.report.instruments`.
    """
    columns = {name: values(table.column(name)) for name in ("id", "task", "repeat", *_ABOUT, *_ANSWER)}
    samples, scored, repeated = [], False, 0
    for asked, others in counting(columns, ("repeat", *_ANSWER)):
        repeated += others
        doc = {name: columns[name][asked[0]] for name in _ABOUT}
        likely = [(columns[name][asked[0]], False) for name in _ANSWER[1:]]
        scored = likely[0][0] is not None
        said = likely if scored else [columns["label"][row] for row in asked]
        samples.append({"doc": doc, "filtered_resps": said})
    problems: list[Problem] = []
    masses: dict[Group, float] = {}
    if scored:
        rows = paired_likelihoods(samples, respondent, problems)
        records, masses = share_records(rows), label_masses(rows)
    else:
        records = Records.of(paired(samples, respondent, problems, _as_read))
    alone = sum(each.done == "left out" for each in problems)
    return Answers(respondent, records, masses, alone, len(problems) - alone, repeated)


def _as_read(label: str, _: str) -> str:
    """Rows hold what was read of answers, not their texts."""
    return label
