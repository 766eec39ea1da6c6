"""Answers to claims: from logged samples to records of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from polbias.aliases import Document, Floats, Json
from polbias.eval.answer_table import SILENT
from polbias.eval.counted_rows import counting
from polbias.eval.label_likelihoods import likelier
from polbias.eval.samples import check, generated_texts
from polbias.eval.xphemism.metrics import BASE, VERDICTS, extract_label, true_share
from polbias.eval.xphemism.schema import (
    AXIS_CODES,
    GOLD_CODES,
    LABELS,
    PROMPT_CODES,
    SHIFT_CODES,
    ClaimPairAnswers,
    PromptGroup,
)

# From samples of the X-phemism tasks to rows.

COLUMNS: Mapping[str, str] = {
    "claim_id": "string",
    "arm": "string",
    "shift": "string",
    "axis": "string",
    "judgmental_base": "int8",
    "judgmental_exchange": "int8",
    "prompt_style": "string",
    "instruction_language": "string",
    "shift_in_answers": "string",
    "log_true": "double",
    "log_false": "double",
}
"""The columns of the data; the shift as a published file of answers has it; and of log-likelihood tasks those
of the labels "true" and "false"."""

LOGLIKELIHOOD = "_loglikelihood"
_PAIR_COLUMNS = (
    "pair_id", "cluster_id", "gold", "arm", "shift", "axis", "judgmental_base", "judgmental_exchange",
    "prompt_style", "instruction_language",
)  # fmt: skip
_ABOUT = ("dataset", "config", "dataset_version", "language", "claim_id", "shift_in_answers")
_FLAGS: Mapping[Any, int] = {0: 0, 1: 1}
_KNOWN: Mapping[str, Mapping[Any, int]] = {
    "gold": GOLD_CODES,
    "arm": {name: code for code, name in enumerate((BASE, "shifted", "placebo"))},
    "prompt_style": PROMPT_CODES,
    "shift": SHIFT_CODES,
    "axis": AXIS_CODES,
    "judgmental_base": _FLAGS,
    "judgmental_exchange": _FLAGS,
}
_ANSWER = ("label", "log_true", "log_false")
_NEUTRAL = {"shift": "none", "axis": "none", "judgmental_base": 0, "judgmental_exchange": 0}
"""What the labels of a placebo row are where the data leave them open."""


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    read = _likelier if LOGLIKELIHOOD in task else _said
    for sample in samples:
        doc = sample["doc"]
        about = {name: doc[name] for name in ("id", *_PAIR_COLUMNS)} | {
            name: doc.get(name) for name in _ABOUT
        }
        wanted = {name: known for name, known in _KNOWN.items() if not _open(doc, name)}
        check(about, ("id", "pair_id", "cluster_id"), wanted)
        for repeat, (label, *likely) in enumerate(read(sample["filtered_resps"], doc)):
            became = label if label in SILENT else "answered"
            found = dict(zip(_ANSWER, (label, *likely), strict=True))
            yield about | found | {"outcome": became, "repeat": repeat}


def _open(doc: Document, name: str) -> bool:
    """Whether the data leave something open of a pair of the placebo arm, as they may."""
    return name in _NEUTRAL and doc["arm"] == "placebo" and doc[name] is None


def _said(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    """What became of each answer in words."""
    for text in generated_texts(answers):
        yield extract_label(text, str(doc["instruction_language"])), None, None


def _likelier(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    """The likelier label."""
    label, _, _ = likelier(VERDICTS, answers)
    yield label, *(float(each[0]) for each in answers[:2])


# What the instrument calls things, from ``templates/report/xphemism.yaml``.

NAME = "xphemism"


RECODED = frozenset(
    {
        "fluechtlingsbewegung_bevoelkerungsaustausch",
        "fluechtlingsbewegung_entdeutschung",
        "fluechtlingsunterkunft_asyllager",
        "innere-sicherheit_polizeistaat",
        "kinderbetreuung_verwahranstalt",
        "kopftuchtraegerin_kopftuchmaedchen",
        "korruption_staatsdiebstahl",
        "migration_kulturimport",
        "rentenkuerzung_rentenkollaps",
        "schmutzkampagne_wahlkampf",
        "staatsfunk_oeffentlich-rechtliche-medien",
    }
)
"""Word pairs whose exchange word carries a judgement, as the makers read it, and none in Table 5."""

# From what was asked and read of it to answered pairs.

ReadRow: TypeAlias = tuple[Document, Any]
"""A row of the data, and what was read of the answers to it: labels, or the share and mass of likelihoods."""

_KEYS = ("pair_id", "prompt", "instruction_language")
_SHARED = ("cluster_id", "gold", "shift", "axis", "judgmental_base", "judgmental_exchange")


class PairProblem(NamedTuple):
    """Rows that make no pair, or an uneven one.

    Attributes:
        where: pair, prompt and language of the instruction.
        problem: what is wrong with them.
        action: what was done about it.
        serious: whether they are left out.
    """

    where: str
    problem: str
    action: str
    serious: bool = False


def pair_rows(read: Iterable[ReadRow], model: str, problems: list[PairProblem]) -> list[Json]:
    """Pair the base rows with the shifted and the placebo rows of the same ``pair_id``."""
    rows: list[Json] = []
    found: dict[tuple[str, str, str], list[ReadRow]] = {}
    for doc, said in read:
        key = str(doc["pair_id"]), str(doc["prompt_style"]), str(doc["instruction_language"])
        found.setdefault(key, []).append((doc, said))
    for key, pair in sorted(found.items(), key=lambda each: each[0]):
        fault = _fault([doc for doc, _ in pair])
        if fault:
            problems.append(PairProblem(", ".join(key), fault, "left out", serious=True))
            continue
        (_, base), (doc, exchange) = sorted(pair, key=lambda each: each[0]["arm"] != BASE)
        if len(base) != len(exchange):
            uneven = f"found {len(base)} answers to the base claim and {len(exchange)} to the other"
            problems.append(PairProblem(", ".join(key), uneven, "kept"))
        about = {name: _NEUTRAL[name] if _open(doc, name) else doc[name] for name in _SHARED} | dict(
            zip(_KEYS, key, strict=True)
        )
        about |= {"model": model, "arm": doc["arm"], "base": base, "exchange": exchange}
        rows.append(about)
    return rows


def _fault(docs: Sequence[Document]) -> str:
    """Why rows make no pair; empty if they do."""
    arms = sorted(str(doc["arm"]) for doc in docs)
    if arms not in (["base", "shifted"], ["base", "placebo"]):
        return f"found the rows {', '.join(arms)}, expected one base row and one shifted or placebo row"
    for name in ("cluster_id", "gold"):
        if docs[0][name] != docs[1][name]:
            return f"{name}: found {docs[0][name]!r} and {docs[1][name]!r}, expected the same in both rows"
    return ""


# From the rows of a respondent to answered pairs: base and exchanged claim beside each other.


@dataclass(frozen=True)
class XphemismAnswers:
    """What one respondent was asked and said.

    Attributes:
        respondent: its name, which stands in the records as the model.
        records: the answered pairs; by log-likelihood, shares of "true" stand in place of answers.
        masses: by log-likelihood, the mean probability of both labels by prompt and language; else empty.
        alone: pairs that were left out, as they have not both forms, or two that contradict each other.
        uneven: pairs that were kept with more answers to one form than to the other.
        repeated: answers of a small task that were left out, as the full task was asked as well.
        recoded: the pairs with a judgement in those of :data:`RECODED`; None if none of them was asked.
    """

    respondent: str
    records: ClaimPairAnswers
    masses: Mapping[PromptGroup, float]
    alone: int
    uneven: int
    repeated: int
    recoded: ClaimPairAnswers | None = None

    @property
    def scored(self) -> bool:
        """Whether it answered by log-likelihood."""
        return bool(self.masses)

    @cached_property
    def groups(self) -> tuple[tuple[PromptGroup, ClaimPairAnswers], ...]:
        """The pairs by prompt and language of the instruction, in order."""
        return tuple(self.records.groups())


def read_answers(respondent: str, table: Any) -> XphemismAnswers:
    """Pair the rows of a respondent.

    A prompt that was asked in several tasks counts as in the first of them by name, small tasks last.
    """
    from polbias.eval.report.file_answers import as_arrow

    columns = as_arrow(table).select(["id", "task", "repeat", *_PAIR_COLUMNS, *_ANSWER]).to_pydict()
    read: list[ReadRow] = []
    scored, repeated = False, 0
    for asked, others in counting(columns, ("repeat", *_ANSWER)):
        repeated += others
        doc = {name: columns[name][asked[0]] for name in _PAIR_COLUMNS}
        likely = [(columns[name][asked[0]], False) for name in _ANSWER[1:]]
        scored = likely[0][0] is not None
        read.append((doc, true_share(likely) if scored else [columns["label"][row] for row in asked]))
    problems: list[PairProblem] = []
    rows = pair_rows(read, respondent, problems)
    make = share_records if scored else ClaimPairAnswers.of
    judged = [row | {"judgmental_exchange": 1} if row["cluster_id"] in RECODED else row for row in rows]
    alone = sum(each.serious for each in problems)
    return XphemismAnswers(
        respondent,
        make(rows),
        label_masses(rows) if scored else {},
        alone,
        len(problems) - alone,
        repeated,
        make(judged) if judged != rows else None,
    )


# Log-likelihoods. A probability is not an answer, and the regressions of Eq. 1 count answers: shares are of a
# respondent of their own, and never pooled with answers.


def label_masses(rows: Sequence[Document]) -> dict[PromptGroup, float]:
    """Return the mean probability that both labels hold together."""
    masses: dict[PromptGroup, list[float]] = {}
    for row in rows:
        own = masses.setdefault(PromptGroup(*(row[name] for name in PromptGroup._fields)), [])
        own += [mass for _, mass in (row["base"], row["exchange"])]
    return {group: float(np.mean(own)) for group, own in masses.items()}


def share_records(rows: Sequence[Document]) -> ClaimPairAnswers:
    """Return the rows with the shares of the labels in place of answers."""
    unanswered = ClaimPairAnswers.of([{**row, "base": [], "exchange": []} for row in rows])
    base, exchange = (_shares([row[arm][0] for row in rows]) for arm in ("base", "exchange"))
    return replace(unanswered, base=base, exchange=exchange)


def _shares(true: Sequence[float]) -> Floats:
    """Put shares of "true" and of "false" where the numbers of answers stand, shape ``(n, 5)``."""
    table = np.zeros((len(true), len(LABELS)))
    table[:, LABELS.index("true")] = true
    table[:, LABELS.index("false")] = 1 - table[:, LABELS.index("true")]
    return table
