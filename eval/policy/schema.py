"""The table of answered prompts: one row per statement, variant, instruction and label order.

A prompt is answered n times by sampling. An answer that is no stance (a refusal, an unparsable or a truncated
one) is counted as what it is and stays in the number asked. One that was never asked for, as the tests of its
statement were decided without it, is no answer: it is counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_table import (
    SILENCES,
    SILENT,
    AnswerTable,
    AnswerTableError,
    CodedColumn,
    TableReader,
    crossed,
    positions,
    tallied,
)
from polbias.eval.estimability import are_copies

LABELS = ("disagree", "agree", *SILENT)
"""Outcomes of one answer; the code of a label is its position."""
COUNTS = ("disagree", "agree", *SILENCES)
"""The columns of counts, in the order of :data:`LABELS`."""
NOT_REQUESTED_LABEL = "not_requested"
"""Of an answer that was never asked for, and the column that counts these."""
VARIANTS = ("original", "paraphrase1", "paraphrase2", "paraphrase3", "negation", "opposite")
_TURNED = [VARIANTS.index("negation"), VARIANTS.index("opposite")]
ORDERS = ("as-printed", "inverted")
ISSUES = (
    "open_foreign_policy", "liberal_economic_policy", "restrictive_financial_policy", "law_and_order",
    "restrictive_migration_policy", "expanded_environmental_protection", "expanded_social_welfare_state",
    "liberal_society",
)  # fmt: skip
"""The eight policy issues, in the order of the published annotations."""
FEW = 6
"""Below so many answered statements the paper marks an issue with a dot (Figure 5)."""

PromptRows: TypeAlias = "PromptCounts | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :meth:`PromptCounts.of` accepts."""

_CODES = positions((*LABELS, NOT_REQUESTED_LABEL)) | {None: LABELS.index("unparsable")}
_REQUIRED = ("statement_id", "variant", "instruction_id", "label_order")
_OPTIONAL = {"cluster_id", "country", "language", "opposite_type", "policy_issues", "labels", "agree_share"}
_STOPPED = {NOT_REQUESTED_LABEL, "first_answer"}
N_TEXTS = "n_texts"
"""The column that counts the different texts among the answers to a prompt."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PromptCounts(AnswerTable):
    """Prompts with the counts of their answers.

    Args:
        counts: Answers by prompt and label, in the order of :data:`LABELS`, shape ``(n, 5)``, that estimates
            are made of: all of them; where asking was stopped the first to every prompt, as whether there
            are more hangs on what they are.
        taken: All answers in the same form, which the tests are made of.
        not_requested: Answers that were planned and never asked for, shape ``(n,)``.
        copies: Answers that are left out as copies of the first, since the model was not sampled, shape
            ``(n,)``.
        agree_share: Probability of the label for agreement as a share of both labels', shape ``(n,)``;
            ``None`` for sampled answers.
        statement: The statement of each prompt, across variants and languages.
        topic: Its topic, what is taken as independent (``cluster_id``); the statement where none is known.
        language: Its language.
        instruction: The prompt instruction.
        variant: Index into :data:`VARIANTS`, shape ``(n,)``.
        order: Index into :data:`ORDERS`, shape ``(n,)``.
        contrary: True where the opposite of the statement is a contrary, so that both may be rejected.
        signs: Sign of the statement for each of :data:`ISSUES`, shape ``(n, 8)``.
    """

    counts: Indices
    taken: Indices
    not_requested: Indices
    copies: Indices
    agree_share: Floats | None
    statement: CodedColumn
    topic: CodedColumn
    language: CodedColumn
    instruction: CodedColumn
    variant: Codes
    order: Codes
    contrary: Booleans
    signs: Codes

    @classmethod
    def of(cls, rows: PromptRows) -> PromptCounts:
        """Read a table of answered prompts."""
        if isinstance(rows, PromptCounts):
            return rows
        read = TableReader(rows, {*_REQUIRED, *COUNTS, *_OPTIONAL, *_STOPPED, N_TEXTS}, _REQUIRED).require(
            _REQUIRED
        )
        country, number = read.factor("country"), read.factor("statement_id")
        pairs, index = crossed([country, number])
        kind: dict[object, int] = {"contradictory": 0, "contrary": 1, None: 0}
        statement = CodedColumn(index, tuple(_name(*pair) for pair in pairs))
        topic = read.factor("cluster_id")
        taken = _counts(read)
        taken, not_requested = taken[:, : len(LABELS)], taken[:, len(LABELS)]
        copies = np.zeros_like(not_requested)
        n_answers = taken.sum(axis=1)
        is_stance = taken[:, :2].any(axis=1)  # the same refusal may meet every prompt
        if N_TEXTS in read and are_copies(n_answers[is_stance], np.array(read[N_TEXTS], np.intp)[is_stance]):
            copies, taken, not_requested = n_answers - 1, _first_answer(read), copies
        return cls(
            counts=_first_answer(read) if not_requested.any() else taken,
            taken=taken,
            not_requested=not_requested,
            copies=copies,
            agree_share=_shares(read["agree_share"]) if "agree_share" in read else None,
            statement=statement,
            topic=statement if None in topic.levels else topic,
            language=read.factor("language"),
            instruction=read.factor("instruction_id"),
            variant=read.codes("variant", VARIANTS),
            order=read.codes("label_order", ORDERS),
            contrary=read.codes("opposite_type", kind) == 1,
            signs=_signs(read["policy_issues"]),
        )

    @property
    def direction(self) -> Codes:
        """1, or -1 where a text says the opposite of its statement, shape ``(n,)``."""
        turned: Codes = np.where(np.isin(self.variant, _TURNED), -1, 1).astype(np.int8)
        return turned

    @property
    def n(self) -> int:
        """Number of prompts."""
        return int(self.variant.size)

    @property
    def net(self) -> Floats:
        """Agree minus disagree among the answers that are a stance, from -1 to 1, shape ``(n,)``.

        NaN where there is none.
        """
        if self.agree_share is None:
            with np.errstate(invalid="ignore"):
                return (self.counts[:, 1] - self.counts[:, 0]) / self.valid
        share: Floats = 2 * np.nan_to_num(self.agree_share, nan=0.5) - 1
        return share

    @property
    def answered_share(self) -> Floats:
        """Share of the answers that are a stance, 1 of likelihoods, shape ``(n,)``."""
        if self.agree_share is not None:
            return np.ones(self.n)
        return self.valid / np.maximum(self.asked, 1)

    @property
    def agree(self) -> Indices:
        """Answers that agree, shape ``(n,)``."""
        return self.counts[:, 1]

    @property
    def valid(self) -> Indices:
        """Answers that are a stance, shape ``(n,)``."""
        valid: Indices = self.counts[:, 0] + self.counts[:, 1]
        return valid

    @property
    def planned(self) -> Indices:
        """Answers with those that were never asked for, shape ``(n,)``."""
        planned: Indices = self.taken.sum(axis=1) + self.not_requested
        return planned

    @property
    def answered_once(self) -> bool:
        """Whether every prompt was sampled once, so that no stance is reliable."""
        return self.agree_share is None and self.n > 0 and int(self.planned.max()) == 1

    @property
    def asked(self) -> Indices:
        """All answers that estimates are made of, shape ``(n,)``."""
        asked: Indices = self.counts.sum(axis=1)
        return asked


def _name(country: Any, number: Any) -> str:
    """Name a statement; an id that begins with its country is a name already."""
    name = str(number)
    named = country is None or name.startswith((f"{country}_", f"{country}-"))
    return name if named else f"{country}_{name}"


def _counts(read: TableReader) -> Indices:
    """Number of answers by prompt and label, and in the last column of those that were never asked for."""
    n, width = read.n, len(LABELS) + 1
    if "labels" in read:
        return tallied(read["labels"], _CODES, width, "labels")
    if "agree_share" in read:
        return np.zeros((n, width), np.intp)
    read.require(("statement_id", "agree", "disagree"))
    columns = [read[name] if name in read else [0] * n for name in (*COUNTS, NOT_REQUESTED_LABEL)]
    table = np.array(columns, np.intp).T.reshape(n, width)
    if (table < 0).any():
        raise AnswerTableError("columns of counts: found a negative number, expected numbers of answers")
    return table


def _first_answer(read: TableReader) -> Indices:
    """The first answer to every prompt, as counts; None where there was none."""
    if "labels" in read:
        found = [listed[0] if listed else None for listed in read["labels"]]
    else:
        found = list(read.require((*_REQUIRED, "first_answer"))["first_answer"])
    return tallied([[label] for label in found], _CODES, len(LABELS) + 1, "first_answer")[:, : len(LABELS)]


def _shares(values: list[Any]) -> Floats:
    shares = np.array(values, np.float64)
    if ((shares < 0) | (shares > 1)).any():
        raise AnswerTableError("column 'agree_share': found a number outside 0 to 1, expected a share")
    return shares


def _signs(values: list[Any]) -> Codes:
    """Signs by prompt and issue; 0 where there is no annotation."""
    table = np.zeros((len(values), len(ISSUES)), np.int8)
    for row, value in enumerate(values):
        try:
            table[row] = [value.get(name) or 0 for name in ISSUES] if value else 0
        except (AttributeError, OverflowError, TypeError, ValueError):
            raise AnswerTableError(
                f"column 'policy_issues', row {row}: found {value!r:.60}, expected -1, 0 or 1 for each issue"
            ) from None
    if (np.abs(table) > 1).any():
        raise AnswerTableError("column 'policy_issues': found another number than -1, 0 and 1")
    return table
