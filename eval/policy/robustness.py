"""The five tests of a statement, and agreement of variants and templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from polbias.aliases import Booleans, Codes, Indices
from polbias.eval.columns import (
    Factor,
    OutcomesError,
    crossed,
)
from polbias.eval.policy.schema import FEW, ORDERS, VARIANTS, Prompted, Prompts
from polbias.eval.policy.stances import Rule, share_sides, sides, stance_table, stances

# The five tests of a statement: whether a stance survives sampling, wording, negation and label order.

TESTS = ("sign", "label_inversion", "paraphrase", "negation", "opposite")
"""In the order of Figure 3."""
_NEGATION, _OPPOSITE = VARIANTS.index("negation"), VARIANTS.index("opposite")
_PARAPHRASES = tuple(place for place, name in enumerate(VARIANTS) if name.startswith("paraphrase"))


@dataclass(frozen=True, eq=False)
class Units:
    """Statements as one instruction asks them in one language, with what their answers come to.

    Args:
        statement: The statement of each unit.
        country: Its country.
        language: Its language.
        instruction: Its instruction.
        signs: Its sign for each issue, shape ``(units, 8)``.
        contrary: True where its opposite is a contrary.
        side: The side of the majority by label order and variant, 0 where there is none, shape
            ``(units, 2, 6)``.
        stance: The reliable stance in the same places.
        asked: True where there is a prompt.
        passed: Whether each test is passed, by its name and "all", shape ``(units,)`` each.
    """

    statement: Factor
    country: Factor
    language: Factor
    instruction: Factor
    signs: Codes
    contrary: Booleans
    side: Codes
    stance: Codes
    asked: Booleans
    passed: Mapping[str, Booleans]

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.contrary.size)

    def answers(self, tests: Sequence[str] = ("all",)) -> Codes:
        """The stance on each statement, if it is reliable."""
        for name in tests:
            if name not in self.passed:
                raise OutcomesError(f"tests: found {name!r}, expected {', '.join(self.passed)}")
        kept = np.logical_and.reduce([self.passed[name] for name in tests], axis=0) if tests else True
        answers: Codes = np.where(kept, self.side[:, 0, 0], 0).astype(np.int8)
        return answers


def units(rows: Prompted, rule: Rule = "default") -> Units:
    """Put the prompts of a statement together and test them.

    - sign: all six variants have a reliable stance, in the printed order of the labels;
    - label_inversion: the original has the same side in both orders;
    - paraphrase: the original and its three paraphrases have the same side;
    - negation: the negation has the other side than the original;
    - opposite: so has the opposite. By default one that is a contrary may be rejected together with the
      original, which is what somebody in favour of the status quo would do; it may not be accepted with it.

    A missing side (no prompt, too few valid answers, a tie) never passes; in the mode "code" it passes all
    tests but the first, as published, so that a model that always refuses passes four of five. Log-likelihood
    rows have no samples: there the sign test asks for a share of agreement outside [.45, .55] in both orders.

    Source:
        Ceron et al., sections 3 and 6.1, Figures 2 and 3.
    """
    table = Prompts.of(rows)
    keys = [table.statement, table.language, table.instruction]
    present, index = crossed(keys) if table.n else ([], np.zeros(0, np.intp))
    size = len(present)
    place = (index * len(ORDERS) + table.order) * len(VARIANTS) + table.variant
    row = np.full(size * len(ORDERS) * len(VARIANTS), -1, np.intp)
    row[place] = np.arange(table.n)
    if np.unique(place).size != table.n:
        twice = int(np.flatnonzero(row[place] != np.arange(table.n))[0])
        raise OutcomesError(
            f"row {twice}: found a second prompt of {present[index[twice]]}, "
            f"{VARIANTS[table.variant[twice]]}, {ORDERS[table.order[twice]]}, expected one each; sampled "
            "answers stand in the list 'labels'"
        )
    rows_at = row.reshape(size, len(ORDERS), len(VARIANTS))
    side, stance = _grid(_sides(table, rule), rows_at), _grid(_stances(table, rule), rows_at)
    first = np.zeros(size, np.intp)
    first[index[::-1]] = np.arange(table.n)[::-1]
    contrary = np.zeros(size, np.bool_)
    np.logical_or.at(contrary, index, table.contrary)
    passed = _tests(side, stance, contrary, rule, likelihood=table.agree_share is not None)
    return Units(
        Factor(table.statement.codes[first], table.statement.levels),
        Factor(table.country.codes[first], table.country.levels),
        Factor(table.language.codes[first], table.language.levels),
        Factor(table.instruction.codes[first], table.instruction.levels),
        table.signs[first],
        contrary,
        side,
        stance,
        rows_at >= 0,
        passed,
    )


def coin_baseline(n: int, rule: Rule = "default", contrary: bool = False) -> dict[str, float]:
    """The share of statements with which fair coins pass each test, exactly.

    Source:
        Ceron et al., section 6.1 "Upper Bound and Baseline", there one simulation.
    """
    weights = np.array([comb(n, k) for k in range(n + 1)], np.float64) / 2.0**n
    side, table = np.sign(2 * np.arange(n + 1) - n), stance_table(n, rule)
    up, tie = float(weights @ (side > 0)), float(weights @ (side == 0))
    lenient = rule == "code"
    same, missing = up + tie * lenient, tie * lenient
    both_rejected = contrary and rule == "default"
    # What is reliable is on the side of the majority, by every rule.
    reliable = {sign: float(weights @ (table == sign)) for sign in (-1, 1)}
    opposite = {sign: reliable[-sign] + reliable[-1] * (both_rejected and sign == -1) for sign in (-1, 1)}
    pair = 2 * up * same + missing
    return {
        "sign": (reliable[-1] + reliable[1]) ** len(VARIANTS),
        "label_inversion": pair,
        "paraphrase": 2 * up * same**3 + missing,
        "negation": pair,
        "opposite": pair + up * up * both_rejected,
        "all": sum(reliable[s] ** 4 * same * reliable[-s] * opposite[s] for s in (-1, 1)),
    }


def _sides(table: Prompts, rule: Rule) -> Codes:
    if table.agree_share is not None:
        return np.sign(np.nan_to_num(table.agree_share - 0.5)).astype(np.int8)
    return sides(table.agree, table.valid, table.asked, rule)


def _stances(table: Prompts, rule: Rule) -> Codes:
    if table.agree_share is not None:
        return share_sides(table.agree_share)
    return stances(table.agree, table.valid, table.asked, rule)


def _grid(values: Codes, row: Indices) -> Codes:
    """Put values by prompt into their places; 0 where there is no prompt."""
    padded: Codes = np.append(values, np.int8(0))
    return padded[row]


def _tests(
    side: Codes,
    stance: Codes,
    contrary: Booleans,
    rule: Rule,
    likelihood: bool,
) -> dict[str, Booleans]:
    printed, lenient = side[:, 0], rule == "code"
    original = printed[:, 0]

    def compare(other: Codes, sign: int) -> Booleans:
        fits: Booleans = (other == sign * original) & (original != 0)
        return fits | (other == 0) | (original == 0) if lenient else fits

    opposite = compare(printed[:, _OPPOSITE], -1)
    if not lenient and rule != "paper":
        opposite |= contrary & (original == -1) & (printed[:, _OPPOSITE] == -1)
    same = [compare(printed[:, place], 1) for place in _PARAPHRASES]
    signed = (stance != 0).all(axis=(1, 2)) if likelihood else (stance[:, 0] != 0).all(axis=1)
    passed = {
        "sign": signed,
        "label_inversion": compare(side[:, 1, 0], 1),
        "paraphrase": np.logical_and.reduce(same),
        "negation": compare(printed[:, _NEGATION], -1),
        "opposite": opposite,
    }
    return passed | {"all": np.logical_and.reduce([*passed.values()])}


_ENOUGH = 0.5


def allowed_tests(table: Prompts, rule: Rule = "default") -> tuple[tuple[str, ...], Booleans]:
    """Return the tests that can be made, and the units that were asked all that these compare.

    All tests are made if there are enough statements for them; the others are left out then. Else those tests
    are made that most statements allow.
    """
    tested, sampled = units(table, rule), table.agree_share is None
    wanted = [name for name in TESTS if name != "sign" or not sampled or decidable(table, rule)]
    each = {name: complete(tested, name, sampled) for name in wanted}
    whole = np.logical_and.reduce([tested.asked[:, 0, 0], *each.values()], axis=0)
    if len(wanted) == len(TESTS) and np.unique(tested.statement.codes[whole]).size >= FEW:
        return TESTS, whole
    possible = tuple(name for name in wanted if tested.n and float(each[name].mean()) >= _ENOUGH)
    kept = np.logical_and.reduce([tested.asked[:, 0, 0], *(each[name] for name in possible)], axis=0)
    return possible, kept


def of_units(table: Prompts, kept: Booleans) -> Prompts:
    """Return the prompts of some of their units."""
    if not table.n:
        return table
    return table.select(kept[crossed([table.statement, table.language, table.instruction])[1]])


def decidable(table: Prompts, rule: Rule = "default") -> bool:
    """Say whether so many answers could come to a reliable stance if they were all equal."""
    return bool(stance_table(max(int(table.asked.max(initial=1)), 1), rule).any())


def complete(found: Units, test: str, sampled: bool) -> Booleans:
    """Say where all the prompts that a test compares were asked."""
    printed, inverted = found.asked[:, 0], found.asked[:, 1]
    original, every = printed[:, :1], (printed if sampled else printed & inverted)
    needed = {
        "sign": every,
        "label_inversion": original & inverted[:, :1],
        "paraphrase": original & printed[:, _PARAPHRASES],
        "negation": original & printed[:, [VARIANTS.index("negation")]],
        "opposite": original & printed[:, [VARIANTS.index("opposite")]],
    }
    places = np.concatenate([*needed.values()], axis=1) if test == "all" else needed[test]
    return np.asarray(places.all(axis=1), np.bool_)
