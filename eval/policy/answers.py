"""The prompts of one respondent that can be analysed, and the reliability tests that they allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from polbias.aliases import Booleans, Indices
from polbias.eval.columns import Factor, crossed
from polbias.eval.policy.robustness import TESTS, Units, units
from polbias.eval.policy.schema import ISSUES, ORDERS, VARIANTS, Prompts
from polbias.eval.policy.testable import allowed_tests, of_units
from polbias.eval.report.instruments.policy.reading import COUNTS

_KEY = ("statement_id", "country", "language", "instruction_id", "label_order", "variant")


@dataclass(frozen=True, eq=False)
class Asked:
    """What one respondent was asked and answered.

    Args:
        prompts: those that are analysed.
        tests: the reliability tests that can be made, of :data:`polbias.eval.policy.robustness.TESTS`; none
            where all answers count.
        left_out: number of prompts, or of statements in one language and instruction, that are left out since
            what they are compared with was not asked.
        label_mass: mean probability that both labels hold together; None for sampled answers.
    """

    prompts: Prompts
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
    def units(self) -> Units:
        """The statements, each in one language and instruction, with the default rule of reliability."""
        return units(self.prompts)


def asked(table: Any) -> tuple[Asked, Asked]:
    """Take the prompts of one respondent.

    A prompt that several tasks asked counts once: with the most answers, of these the first task by name.

    Args:
        table: Arrow table with the columns of the instrument.

    Returns:
        All prompts that were asked in both label orders; and those of statements that were asked in all the
        wordings that the tests of reliability compare.
    """
    found = _prompts(table)
    mass = table.column("label_mass").to_numpy()
    known = None if found.agree_share is None or not mass.size else float(np.nanmean(mass))
    both = _with_partner(found)
    every = Asked(found.select(both), (), int((~both).sum()), known)
    tests, kept = allowed_tests(found)
    return every, Asked(of_units(found, kept), tests, int((~kept).sum()), known)


def _with_partner(found: Prompts) -> Booleans:
    """Say which prompts were asked in the other label order as well, shape ``(n,)``."""
    if not found.n:
        return np.zeros(0, np.bool_)
    variant = Factor(found.variant.astype(np.intp), tuple(range(len(VARIANTS))))
    index = crossed([found.statement, found.language, found.instruction, variant])[1]
    partner: Booleans = np.bincount(index)[index] == len(ORDERS)
    return partner


def favoured(asked: Asked, toward: int) -> Prompts:
    """Return the prompts as if every answer that is no stance had been one.

    Args:
        asked: what was answered.
        toward: 1 if all had been in favour of the statement, whichever wording was asked; -1 against it.
    """
    counts = asked.prompts.counts.copy()
    missing = counts[:, 2:].sum(axis=1)
    counts[:, 2:] = 0
    counts[np.arange(len(counts)), (toward * asked.prompts.contrast > 0).astype(np.intp)] += missing
    return replace(asked.prompts, counts=counts)


def _prompts(table: Any) -> Prompts:
    keys = {name: np.asarray(table.column(name).to_pylist(), object) for name in _KEY}
    codes = [np.unique(column.astype(str), return_inverse=True)[1] for column in keys.values()]
    ties = [np.unique(np.asarray(table.column(name).to_pylist(), str), return_inverse=True)[1]
            for name in ("id", "task")]  # fmt: skip
    order = np.lexsort([*ties, -_numbers(table, "answers"), *codes[::-1]])
    if order.size:
        same = np.logical_and.reduce([column[order][1:] == column[order][:-1] for column in codes], axis=0)
        order = order[np.concatenate(([True], ~same))]
    columns: dict[str, Any] = {name: column[order].tolist() for name, column in keys.items()}
    columns["opposite_type"] = table.column("opposite_type").take(order).to_pylist()
    shares = table.column("agree_share").take(order)
    if len(shares) and shares.null_count == 0:
        columns["agree_share"] = shares.to_pylist()
    else:
        columns |= {name: _numbers(table, name)[order] for name in COUNTS}
    signs = np.stack([_numbers(table, issue)[order] for issue in ISSUES], axis=1).astype(np.int8)
    return replace(Prompts.of(columns), signs=signs)


def _numbers(table: Any, name: str) -> Indices:
    numbers: Indices = table.column(name).to_numpy().astype(np.intp)
    return numbers
