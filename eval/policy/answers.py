"""Answers to policy statements: from logged samples to the prompts of a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
import yaml
from numpy.typing import NDArray

from polbias.aliases import Booleans, Codes, Document, Floats, Indices, Json
from polbias.eval.answer_table import SILENT, CodedColumn, crossed
from polbias.eval.extraction.preparation import remembered
from polbias.eval.extraction.prompt_echo import echoes
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.label_likelihoods import likelier
from polbias.eval.nonresponse import SidedRows
from polbias.eval.policy.schema import (
    COUNTS,
    ISSUES,
    LABELS,
    N_TEXTS,
    NOT_REQUESTED_LABEL,
    ORDERS,
    VARIANTS,
    PromptCounts,
)
from polbias.eval.policy.units import TESTS, StatementUnits, allowed_tests, of_units, units
from polbias.eval.samples import check, flat
from polbias.paths import package_file
from polbias.responses import NOT_REQUESTED, ended, is_filtered

# From logged samples to one row per prompt.

COLUMNS: Mapping[str, str] = {
    "statement_id": "string",
    "country": "string",
    "variant": "string",
    "opposite_type": "string",
    "instruction_id": "string",
    "label_order": "string",
    "answers": "int32",
    **dict.fromkeys(COUNTS, "int32"),
    NOT_REQUESTED_LABEL: "int32",
    "n_filtered": "int32",
    N_TEXTS: "int32",
    "first_answer": "string",
    "agree_share": "double",
    "label_mass": "double",
    **dict.fromkeys(ISSUES, "int8"),
}
"""Columns beside the common ones: the prompt; the number of its answers, and how many came to what; how many
more were never asked for; how many the provider filtered; how many different texts they are; what the first
came to; of log-likelihoods the share of agreement and the probability that both labels hold together; and the
sign of the statement for each policy issue."""

_KNOWN = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_NEEDED = {"variant": VARIANTS, "label_order": ORDERS, "opposite_type": ("contradictory", "contrary", None)}
_TIE = "tie"


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one row per prompt; see :class:`polbias.eval.report.reporter.Reporter`.

    ``label`` is what most answers to the prompt come to, "tie" if as many agree as disagree.
    """
    likelihood = task.endswith("_loglikelihood")
    for sample in samples:
        if ("label_mass" in sample) != likelihood:
            found = "with" if "label_mass" in sample else "without"
            raise ValueError(f"label_mass: found a sample {found} it in {task}")
        doc, answers = sample["doc"], sample["filtered_resps"]
        if likelihood:
            said = _likelihood(*share_of(doc, answers))
        else:
            said = _sampled(labels_of(doc, answers), count_texts(answers))
        n_filtered = sum(map(bool, map(is_filtered, answers))) if "polbias" in sample else None
        yield _prompt(doc) | said | {"n_filtered": n_filtered}


def _prompt(doc: Document) -> Json:
    """What was asked."""
    issues = doc["policy_issues"] or {}
    signs = {issue: issues.get(issue) or 0 for issue in ISSUES}
    if not {*signs.values()} <= {-1, 0, 1}:
        raise ValueError("policy_issues: found another number than -1, 0 and 1")
    about = {name: doc.get(name) for name in (*_KNOWN, "country", "opposite_type")} | {"repeat": 0} | signs
    own = ("statement_id", "instruction_id", "variant", "label_order")
    return check(about | {name: doc[name] for name in own}, (), _NEEDED)


def _sampled(labels: Sequence[str], n_texts: int) -> Json:
    """What the sampled answers come to."""
    if not labels:
        raise ValueError("filtered_resps: found no answer, expected at least one")
    counts = [labels.count(label) for label in LABELS]
    not_requested = labels.count(NOT_REQUESTED_LABEL)
    if not_requested == len(labels):
        raise ValueError("filtered_resps: found none that was asked for, expected an answer")
    most = max(counts)
    label = _TIE if counts[0] == counts[1] == most else LABELS[counts.index(most)]
    return {
        "label": label,
        "outcome": label if label in SILENT else "answered",
        "answers": len(labels) - not_requested,
        **dict(zip(COUNTS, counts, strict=True)),
        NOT_REQUESTED_LABEL: not_requested,
        N_TEXTS: n_texts,
        "first_answer": labels[0],
        "agree_share": None,
        "label_mass": None,
    }


def _likelihood(share: float, mass: float) -> Json:
    """What the probabilities of the two labels come to."""
    agrees = share > 0.5
    return {
        "label": _TIE if share == 0.5 else LABELS[agrees],
        "outcome": "answered",
        "answers": 1,
        **dict.fromkeys((*COUNTS, NOT_REQUESTED_LABEL), 0),
        N_TEXTS: None,
        "first_answer": None,
        **({} if share == 0.5 else {LABELS[agrees]: 1}),
        "agree_share": share,
        "label_mass": mass,
    }


# What one respondent answers, statement by statement.

Signs: TypeAlias = Codes


@lru_cache(maxsize=1)
def leanings() -> Mapping[str, int]:
    """Return the policy issues that belong to a side: 1 the right, -1 the left (templates/policy)."""
    read: Any = yaml.safe_load(package_file("templates/policy/leanings.yaml").read_text("utf-8"))
    return dict.fromkeys(read["left"], -1) | dict.fromkeys(read["right"], 1)


@dataclass(frozen=True, eq=False)
class StatementStances:
    """A number in [-1, 1] by statement: 1 for it, -1 against it.

    Args:
        value: shape ``(statements,)``; NaN where a direction of the statement has no stance.
        ends: what it would be if all answers that are no stance had been against the statement, and if all
            had been for it, two of that shape; None for likelihoods, which leave nothing open.
    """

    value: Floats
    ends: tuple[Floats, Floats] | None


# The prompts of one respondent that can be analysed, and the reliability tests that they allow.

_KEY = ("statement_id", "country", "language", "instruction_id", "label_order", "variant")


@dataclass(frozen=True, eq=False)
class PolicyAnswers:
    """What one respondent was asked and answered.

    Args:
        prompts: those that are analysed.
        tests: the reliability tests that can be made, of :data:`polbias.eval.policy.units.TESTS`; none
            where all answers count.
        left_out: number of prompts, or of statements in one language and instruction, that are left out since
            what they are compared with was not asked.
        label_mass: mean probability that both labels hold together; None for sampled answers.
    """

    prompts: PromptCounts
    tests: tuple[str, ...]
    left_out: int
    label_mass: float | None

    @property
    def sampled(self) -> bool:
        """Whether answers were sampled, rather than likelihoods compared."""
        return self.prompts.agree_share is None

    @property
    def complete(self) -> bool:
        """Whether all five tests can be made."""
        return self.tests == TESTS

    @cached_property
    def units(self) -> StatementUnits:
        """The statements, each in one language and instruction, with the default rule of reliability."""
        return units(self.prompts)

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Names of the statements that can be analysed."""
        return tuple(map(str, self.units.statement.compact().levels))

    @cached_property
    def topics(self) -> CodedColumn:
        """The topic of each statement, what is taken as independent."""
        codes = np.zeros(len(self.statements), np.intp)
        codes[self._index] = self.units.topic.codes
        return CodedColumn(codes, self.units.topic.levels)

    @cached_property
    def _index(self) -> Indices:
        """The statement of each unit."""
        return self.units.statement.compact().codes

    @cached_property
    def of_prompt(self) -> Indices:
        """The statement of each prompt, index into :attr:`statements`."""
        return self.prompts.statement.compact().codes

    @cached_property
    def issues(self) -> Signs:
        """Sign of each statement for each issue, shape ``(statements, 8)``."""
        signs = np.zeros((len(self.statements), len(ISSUES)), np.int8)
        signs[self._index] = self.units.signs
        return signs

    @cached_property
    def sides(self) -> Signs:
        """1 where agreement is a stance of the right, -1 where of the left, 0 where of neither or both."""
        placed = self.issues * np.array([leanings().get(issue, 0) for issue in ISSUES], np.int8)
        sides: Signs = (placed == 1).any(axis=1).astype(np.int8) - (placed == -1).any(axis=1)
        return sides

    def reliable(self, signs: Signs) -> float:
        """Number of statements with a reliable stance, mean over languages and instructions."""
        return float(self._mean(self.units.chances(self.tests).sum(axis=0))[signs != 0].sum())

    @cached_property
    def answers(self) -> StatementStances:
        """Agree minus disagree by statement, among the answers to all of its wordings that are a stance.

        See :meth:`by_statement`.
        """
        value = self.by_statement(self.prompts.net, self.prompts.answered_share)
        if not self.sampled:
            return StatementStances(value, None)
        against, in_favour = (self.by_statement(favoured(self, toward).net) for toward in (-1, 1))
        return StatementStances(value, (against, in_favour))

    @cached_property
    def stances(self) -> StatementStances:
        """Reliable stance on each statement, mean over languages and instructions, 0 where there is none."""
        tests, found = self.tests, self.units
        value = self._mean(found.answers(tests))
        if not self.sampled or not self.prompts.taken[:, 2:].any():
            return StatementStances(value, (value, value) if self.sampled else None)
        low, high = (self._mean(units(favoured(self, toward)).ends(tests)[toward > 0]) for toward in (-1, 1))
        return StatementStances(value, (np.minimum(low, value), np.maximum(high, value)))

    def _mean(self, answers: NDArray[Any]) -> Floats:
        size = len(self.statements)
        sums = np.bincount(self._index, answers.astype(np.float64), size)
        means: Floats = sums / np.maximum(np.bincount(self._index, minlength=size), 1)
        return means

    def by_statement(self, net: Floats, answered: Floats | None = None) -> Floats:
        """Return agree minus disagree by statement, from that of its prompts; NaN if a direction has none.

        Each answer is turned into one to the statement itself. The wordings that say the same as the
        statement weigh as much as those that say the opposite, so that a habit of saying yes adds up to
        nothing, whichever prompts lack an answer.

        Args:
            net: by prompt, shape ``(prompts,)``.
            answered: share of the answers to a prompt that count, of the same shape; without it all do.
        """
        size = len(self.statements)
        shares = np.ones(net.size) if answered is None else answered
        sums, directions = np.zeros(size), np.zeros(size)
        for direction in (1, -1):
            used = self.prompts.direction == direction
            index = self.of_prompt[used]
            is_asked = np.bincount(index, minlength=size) > 0
            total = np.bincount(index, shares[used] * np.nan_to_num(net[used]), size)
            with np.errstate(invalid="ignore"):
                mean = direction * total / np.bincount(index, shares[used], size)
            sums, directions = sums + np.where(is_asked, mean, 0.0), directions + is_asked
        value: Floats = sums / directions
        return value

    def sided_rows(self, signs: Signs) -> SidedRows:
        """The prompts for and against what the signs are for, compared within statements.

        A statement weighs like the others of its sign, each of its directions like the other, and each
        prompt like those of its direction: the difference of the shares of agreement is the balanced stance.
        """
        statement, size = self.of_prompt, len(self.statements)
        cell = 2 * statement + (self.prompts.direction > 0)
        n_prompts = np.bincount(cell, minlength=2 * size)
        n_directions = (n_prompts.reshape(size, 2) > 0).sum(axis=1)
        n_statements = np.where(signs > 0, (signs > 0).sum(), (signs < 0).sum())
        weight = (signs != 0) / np.maximum(n_statements * n_directions, 1)
        return SidedRows.of(
            self.about(signs), weight[statement] / n_prompts[cell], statement, self.prompts.answered_share
        )

    def about(self, signs: Signs) -> Signs:
        """1 where the text of a prompt favours what the signs are for, -1 where it opposes it, by prompt."""
        favours: Signs = signs[self.of_prompt] * self.prompts.direction
        return favours


def read_answers(table: Any) -> tuple[PolicyAnswers, PolicyAnswers]:
    """Take the prompts of one respondent in both label orders, and those whose reliability can be tested."""
    from polbias.eval.report.file_answers import as_arrow

    table = as_arrow(table)
    found = prompts(table)
    mass = table.column("label_mass").to_numpy()
    known = None if found.agree_share is None or not mass.size else float(np.nanmean(mass))
    both = _with_partner(found)
    every = PolicyAnswers(found.select(both), (), int((~both).sum()), known)
    if found.answered_once:
        return every, every
    tests, kept = allowed_tests(found)
    return every, PolicyAnswers(of_units(found, kept), tests, int((~kept).sum()), known)


def _with_partner(found: PromptCounts) -> Booleans:
    """Say which prompts were asked in the other label order as well, shape ``(n,)``."""
    variant = CodedColumn(found.variant.astype(np.intp), tuple(range(len(VARIANTS))))
    index = crossed([found.statement, found.language, found.instruction, variant])[1]
    partner: Booleans = np.bincount(index)[index] == len(ORDERS)
    return partner


def favoured(asked: PolicyAnswers, toward: int) -> PromptCounts:
    """Return the prompts as if every answer that is no stance had been one."""
    label = (toward * asked.prompts.direction > 0).astype(np.intp)
    made = []
    for counts in (asked.prompts.counts, asked.prompts.taken):
        counts = counts.copy()
        missing = counts[:, 2:].sum(axis=1)
        counts[:, 2:] = 0
        counts[np.arange(len(counts)), label] += missing
        made.append(counts)
    return replace(asked.prompts, counts=made[0], taken=made[1])


def prompts(table: Any) -> PromptCounts:
    """Return the prompts of one respondent, each once: with the most answers, then the first task by name."""
    keys = {name: np.asarray(table.column(name).to_pylist(), object) for name in _KEY}
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in keys.values()]
    ties = [np.unique(np.asarray(table.column(name).to_pylist(), str), return_inverse=True)[1]
            for name in ("id", "task")]  # fmt: skip
    order = np.lexsort([*ties, -_numbers(table, "answers"), *codes[::-1]])
    if order.size:
        same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in codes], axis=0)
        order = order[np.concatenate(([True], ~same))]
    columns: Json = {name: column[order].tolist() for name, column in keys.items()}
    columns |= {name: table.column(name).take(order).to_pylist() for name in ("opposite_type", "cluster_id")}
    shares = table.column("agree_share").take(order)
    if len(shares) and shares.null_count == 0:
        columns["agree_share"] = shares.to_pylist()
    else:
        columns |= {name: _numbers(table, name)[order] for name in (*COUNTS, NOT_REQUESTED_LABEL)}
        columns["first_answer"] = table.column("first_answer").take(order).to_pylist()
        if not (n_texts := table.column(N_TEXTS).take(order)).null_count:
            columns[N_TEXTS] = n_texts.to_numpy()
    signs = np.stack([_numbers(table, issue)[order] for issue in ISSUES], axis=1).astype(np.int8)
    return replace(PromptCounts.of(columns), signs=signs)


def _numbers(table: Any, name: str) -> Indices:
    numbers: Indices = table.column(name).to_numpy().astype(np.intp)
    return numbers


def extract_label(text: str, agree: str, disagree: str, statement: str | None = None) -> str:
    """Return what became of one answer; one that repeats nothing of its statement is read for all alike."""
    return _outcome(text, agree, disagree, statement if statement and echoes(text, statement) else None)


@remembered
def _outcome(text: str, agree: str, disagree: str, statement: str | None) -> str:
    return extract_stance(text, agree, disagree, statement).outcome


def labels_of(doc: Document, answers: Sequence[Any]) -> list[str]:
    """Return what became of the answers to a prompt."""
    asked = doc["label_agree"], doc["label_disagree"], doc.get("statement")
    given = [(each, ended(each)) for each in flat(answers)]
    known = {
        key: NOT_REQUESTED_LABEL if key[0] == NOT_REQUESTED else extract_label(key[0], *asked)
        for key in dict.fromkeys(given)
    }
    return [known[key] for key in given]


def count_texts(answers: Sequence[Any]) -> int:
    """Return how many different texts the answers to a prompt are, of those that were asked for."""
    return len({*flat(answers)} - {NOT_REQUESTED})


def share_of(doc: Document, results: Sequence[Any]) -> tuple[float, float]:
    """Return the share of agreement in the probability of both labels, and that probability."""
    labels = choices(doc)
    _, shares, mass = likelier(labels, results)
    return shares[labels.index(doc["label_agree"])], mass


def choices(doc: Document) -> list[str]:
    """Return the two labels of a row in the order of its prompt."""
    both = [doc["label_agree"], doc["label_disagree"]]
    return both if doc["label_order"] == "as-printed" else both[::-1]


def compared_answers(stance: Floats, signs: Signs) -> Signs:
    """The signs of the statements that have a value, 0 for the others."""
    compared: Signs = signs * np.isfinite(stance)
    return compared
