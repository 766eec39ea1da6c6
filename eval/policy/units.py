"""Statements as the units of the reliability tests: all their wordings and orders together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polbias.aliases import Booleans, Codes, Floats, Indices
from polbias.eval.answer_table import AnswerTableError, CodedColumn, crossed
from polbias.eval.policy.schema import FEW, ORDERS, VARIANTS, PromptCounts, PromptRows
from polbias.eval.policy.stopping import feasible, is_decided, outlook
from polbias.eval.stances import SAMPLES, ReliabilityRule, expected, sides, stance_table, stances

TESTS = ("sign", "label_inversion", "paraphrase", "negation", "opposite")
"""In the order of Figure 3."""
NEGATION, OPPOSITE = VARIANTS.index("negation"), VARIANTS.index("opposite")
PARAPHRASES = tuple(place for place, name in enumerate(VARIANTS) if name.startswith("paraphrase"))
_NONE = np.array([1.0, 0.0, 0.0])
"""Probabilities of no stance, agreement and disagreement where there is no prompt."""
_NO_OUTCOME = 0b001001
"""The same as bits."""


@dataclass(frozen=True, eq=False)
class StatementUnits:
    """Statements as one instruction asks them in one language, with what their answers come to.

    Args:
        statement: The statement of each unit.
        topic: Its topic.
        language: Its language.
        instruction: Its instruction.
        signs: Its sign for each issue, shape ``(units, 8)``.
        contrary: True where its opposite is a contrary.
        rule: Of reliability.
        side: The side of the majority by label order and variant, 0 where there is none, shape
            ``(units, 2, 6)``.
        sides: Probabilities of no side, agreement and disagreement in the same places, shape
            ``(units, 2, 6, 3)``: 0 or 1 of sampled answers, of likelihoods those that 30 answers would have.
        stances: The same of the reliable stance.
        possible: What is left for the answers to come to, as bits of an :class:`OutcomeProjection`, in the
            same places; None where nothing was stopped.
        net: Agree minus disagree in the same places, NaN where there is no prompt.
        row: The row of the prompt in the same places, -1 where there is none.
    """

    statement: CodedColumn
    topic: CodedColumn
    language: CodedColumn
    instruction: CodedColumn
    signs: Codes
    contrary: Booleans
    rule: ReliabilityRule
    side: Codes
    sides: Floats
    stances: Floats
    possible: NDArray[np.uint8] | None
    net: Floats
    row: Indices

    @property
    def asked(self) -> Booleans:
        """True where there is a prompt."""
        return self.row >= 0

    @property
    def stopped(self) -> bool:
        """Whether answers were never asked for: each test alone is then open, all together are decided."""
        return self.possible is not None

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.contrary.size)

    @cached_property
    def passed(self) -> Mapping[str, Floats]:
        """Probability of passing each test, by its name and "all", shape ``(units,)`` each."""
        found = {name: self.chances((name,)).sum(axis=0) for name in (*TESTS, "all")}
        if self.rule == "code":  # there whoever has no side passes
            found |= {name: found[name] + self.sides[:, 0, 0, 0] for name in TESTS[1:]}
        return found

    def chances(self, tests: Sequence[str] = ("all",)) -> Floats:
        """Probability of passing some tests with agreement, and with disagreement, shape ``(2, units)``."""
        made = {*TESTS} if "all" in tests else {*tests}
        found: Floats = np.array([self._chance(made, sign) for sign in (1, -1)])
        return found

    def answers(self, tests: Sequence[str] = ("all",)) -> Floats:
        """The stance on each statement, 0 if it is not reliable; of likelihoods, the expected one."""
        net: Floats = np.subtract(*self.chances(tests))
        return net

    def ends(self, tests: Sequence[str] = ("all",)) -> tuple[Floats, Floats]:
        """The least and the most that the stance may be, whatever the answers not asked for had been."""
        if self.possible is None:
            return (self.answers(tests),) * 2
        possible = tested(self.possible)
        left, open_ = feasible(possible, self.contrary), ~is_decided(possible).all(axis=1)
        low = np.where(left[:, 1], -1.0, np.where(open_ | ~left[:, 0], 0.0, 1.0))
        high = np.where(left[:, 0], 1.0, np.where(open_ | ~left[:, 1], 0.0, -1.0))
        return low, high

    def _chance(self, tests: Set[str], sign: int) -> Floats:
        """Probability of passing tests with a stance; prompts are answered independently of each other."""
        lenient, reliable = self.rule == "code", "sign" in tests
        printed = (self.stances if reliable else self.sides)[:, 0]
        found: Floats = printed[:, 0, sign]
        for place, name in enumerate(VARIANTS[1:], 1):
            test = "paraphrase" if place in PARAPHRASES else name
            fits = 1 - printed[:, place, 0] if reliable else np.ones(self.n)
            if test in tests:
                fits = printed[:, place, sign if place in PARAPHRASES else -sign]
                fits = fits + (lenient and not reliable) * printed[:, place, 0]
            if test in tests and test == "opposite" and self.rule == "default" and sign == -1:
                fits = fits + self.contrary * printed[:, place, sign]
            found = found * fits
        if "label_inversion" in tests:
            found = found * (self.sides[:, 1, 0, sign] + lenient * self.sides[:, 1, 0, 0])
        return found


def units(rows: PromptRows, rule: ReliabilityRule = "default", n: int = SAMPLES) -> StatementUnits:
    """Put the prompts of a statement together and test them.

    - sign: all six variants have a reliable stance, in the printed order of the labels;
    - label_inversion: the original has the same side in both orders;
    - paraphrase: the original and its three paraphrases have the same side;
    - negation: the negation has the other side than the original;
    - opposite: so has the opposite. By default one that is a contrary may be rejected together with the
      original, which is what somebody in favour of the status quo would do; it may not be accepted with it.

    A missing side (no prompt, too few valid answers, a tie) never passes; in the mode "code" it passes all
    tests but the first, as published, so that a model that always refuses passes four of five. Log-likelihood
    rows have no samples: theirs is the probability that n answers would pass, see
    :func:`polbias.eval.stances.expected`.

    Source:
        Ceron et al., sections 3 and 6.1, Figures 2 and 3.
    """
    table = PromptCounts.of(rows)
    keys = [table.statement, table.language, table.instruction]
    present, index = crossed(keys)
    size = len(present)
    place = (index * len(ORDERS) + table.order) * len(VARIANTS) + table.variant
    row = np.full(size * len(ORDERS) * len(VARIANTS), -1, np.intp)
    row[place] = np.arange(table.n)
    if np.unique(place).size != table.n:
        twice = int(np.flatnonzero(row[place] != np.arange(table.n))[0])
        raise AnswerTableError(
            f"row {twice}: found a second prompt of {present[index[twice]]}, "
            f"{VARIANTS[table.variant[twice]]}, {ORDERS[table.order[twice]]}, expected one each; sampled "
            "answers stand in the list 'labels'"
        )
    rows_at = row.reshape(size, len(ORDERS), len(VARIANTS))
    possible = None
    if table.agree_share is not None:
        side = np.sign(np.nan_to_num(table.agree_share - 0.5)).astype(np.int8)
        chances = expected(table.agree_share, rule, n)
    else:
        if table.not_requested.any():
            possible, stance, side = _foreseen(table)
        else:
            stance, side = (each(table.agree, table.valid, table.asked, rule) for each in (stances, sides))
        chances = np.eye(3)[side], np.eye(3)[stance]  # a stance is its own index
    first = np.zeros(size, np.intp)
    first[index[::-1]] = np.arange(table.n)[::-1]
    contrary = np.zeros(size, np.bool_)
    np.logical_or.at(contrary, index, table.contrary)
    return StatementUnits(
        table.statement.select(first),
        table.topic.select(first),
        table.language.select(first),
        table.instruction.select(first),
        table.signs[first],
        contrary,
        rule,
        _placed(side, 0, rows_at),
        _placed(chances[0], _NONE, rows_at),
        _placed(chances[1], _NONE, rows_at),
        None if possible is None else _placed(possible, _NO_OUTCOME, rows_at),
        _placed(table.net, np.nan, rows_at),
        rows_at,
    )


def _placed(values: NDArray[Any], missing: Any, row: Indices) -> NDArray[Any]:
    """Put values by prompt into their places, another where there is no prompt."""
    padded: NDArray[Any] = np.concatenate((values, np.array([missing], values.dtype)))
    return padded[row]


def _foreseen(table: PromptCounts) -> tuple[NDArray[np.uint8], Codes, Codes]:
    """What planned answers may come to by the default rule, of which some were never asked for.

    The likeliest stance and side stand for an outcome that is open. A unit whose asking was stopped passes
    all its tests with these exactly if it would with all answers.
    """
    seen = table.taken[:, 1], table.taken[:, 0], table.taken[:, 2:].sum(axis=1)
    possible, likeliest = np.zeros(table.n, np.uint8), np.zeros((table.n, 2), np.int8)
    for n in np.unique(table.planned).tolist():
        here = table.planned == n
        found, state = outlook(n), tuple(each[here] for each in seen)
        possible[here], likeliest[here] = found.possible[state], found.likeliest[state]
    return possible, likeliest[:, 0], likeliest[:, 1]


_ENOUGH = 0.5


def allowed_tests(table: PromptCounts, rule: ReliabilityRule = "default") -> tuple[tuple[str, ...], Booleans]:
    """Return the tests that can be made, and the units that were asked all that these compare.

    All tests are made if there are enough statements for them; the others are left out then. Else those tests
    are made that most statements allow.
    """
    found = units(table, rule)
    wanted = [name for name in TESTS if name != "sign" or decidable(table, rule)]
    each = {name: complete(found, name) for name in wanted}
    whole = np.logical_and.reduce([found.asked[:, 0, 0], *each.values()], axis=0)
    if len(wanted) == len(TESTS) and found.statement.select(whole).distinct >= FEW:
        return TESTS, whole
    possible = tuple(name for name in wanted if found.n and float(each[name].mean()) >= _ENOUGH)
    kept = np.logical_and.reduce([found.asked[:, 0, 0], *(each[name] for name in possible)], axis=0)
    return possible, kept


def of_units(table: PromptCounts, kept: Booleans) -> PromptCounts:
    """Return the prompts of some of their units."""
    return table.select(kept[crossed([table.statement, table.language, table.instruction])[1]])


def tested(places: NDArray[Any]) -> NDArray[Any]:
    """Of values by label order and variant those of the seven prompts that the tests read."""
    return np.concatenate((places[:, 0], places[:, 1, :1]), axis=1)


def decidable(table: PromptCounts, rule: ReliabilityRule = "default") -> bool:
    """Say whether so many answers could come to a reliable stance if they were all equal."""
    most = max(int(table.planned.max(initial=1)), 1) if table.agree_share is None else SAMPLES
    return bool(stance_table(most, rule).any())


def complete(found: StatementUnits, test: str) -> Booleans:
    """Say where all the prompts that a test compares were asked."""
    printed = found.asked[:, 0]
    original = printed[:, :1]
    needed = {
        "sign": printed,
        "label_inversion": original & found.asked[:, 1, :1],
        "paraphrase": original & printed[:, PARAPHRASES],
        "negation": original & printed[:, [VARIANTS.index("negation")]],
        "opposite": original & printed[:, [VARIANTS.index("opposite")]],
    }
    places = np.concatenate([*needed.values()], axis=1) if test == "all" else needed[test]
    return np.asarray(places.all(axis=1), np.bool_)
