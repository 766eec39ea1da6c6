"""Which of the five tests a run allows, and of which statements: what was not asked fails no test."""

from __future__ import annotations

import numpy as np

from polbias.aliases import Booleans
from polbias.eval.columns import crossed
from polbias.eval.policy.robustness import TESTS, Units, units
from polbias.eval.policy.schema import FEW, VARIANTS, Prompts
from polbias.eval.policy.stances import Rule, stance_table

_ENOUGH = 0.5
_PARAPHRASES = tuple(VARIANTS.index(name) for name in VARIANTS if name.startswith("paraphrase"))


def allowed_tests(table: Prompts, rule: Rule = "default") -> tuple[tuple[str, ...], Booleans]:
    """Return the tests that can be made, and the units that were asked all that these compare.

    All tests are made if there are enough statements for them; the others are left out then. Else those tests
    are made that most statements allow.

    Args:
        table: the prompts of one respondent.
        rule: see :func:`polbias.eval.policy.stances.stances`.

    Returns:
        Names of :data:`TESTS`; and True for each of the units of the prompts to keep.
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
    """Return the prompts of some of their units.

    Args:
        table: the prompts.
        kept: True for each unit to keep.
    """
    if not table.n:
        return table
    return table.select(kept[crossed([table.statement, table.language, table.instruction])[1]])


def decidable(table: Prompts, rule: Rule = "default") -> bool:
    """Say whether so many answers could come to a reliable stance if they were all equal.

    Args:
        table: sampled answers.
        rule: see :func:`polbias.eval.policy.stances.stances`.
    """
    return bool(stance_table(max(int(table.asked.max(initial=1)), 1), rule).any())


def complete(found: Units, test: str, sampled: bool) -> Booleans:
    """Say where all the prompts that a test compares were asked.

    Args:
        found: the units.
        test: one of the tests, or "all".
        sampled: whether the answers were sampled; likelihoods are compared in both orders.

    Returns:
        True where they were, shape ``(units,)``.
    """
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
