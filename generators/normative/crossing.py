"""Which frames go together, and how they are spread evenly over problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from polbias.generators.logic.formula import Formula, Inference, Necessarily, Not, Possibly
from polbias.generators.logic.logics import Logic
from polbias.generators.logic.prover import prove
from polbias.generators.normative.family import Family
from polbias.generators.normative.frames import Domain, Frame
from polbias.generators.normative.patterns import Pattern
from polbias.template_files import fault

Pair = tuple[Frame, Frame]


def admissible(family: Family, pattern: Pattern, domain: Domain, logic: Logic) -> tuple[Pair, ...]:
    """Return the pairs of frames in which a pattern keeps its gold however the frames are read.

    Args:
        family: the templates.
        pattern: the pattern.
        domain: of the frames.
        logic: in which the gold holds.

    Returns:
        (premise frame, hypothesis frame), the hypothesis frame varying fastest.

    Raises:
        TemplateError: if there is none.
    """
    frames = family.frames[domain]
    categorical = pattern.id.startswith("Cat")
    pairs = tuple(
        (first, second)
        for first, second in product(
            frames.of(pattern.task, pattern.premise, split=categorical),
            frames.of(pattern.task, pattern.hypothesis),
        )
        if _keeps_gold(pattern, domain, logic, first, second)
    )
    if not pairs:
        raise fault(
            family.folder / f"frames.{domain}.yaml",
            "frames",
            f"found none for {pattern.premise} and {pattern.hypothesis} in the {pattern.task} task that "
            f"leave pattern {pattern.id} its gold; add frames with these forms",
        )
    return pairs


def _keeps_gold(pattern: Pattern, domain: Domain, logic: Logic, first: Frame, second: Frame) -> bool:
    if first.readings is None and second.readings is None:
        return True
    form = pattern.in_domain(domain)
    premises = first.formulas(domain, pattern.premise, _operand(form.premises[0]))
    conclusions = second.formulas(domain, pattern.hypothesis, _operand(form.conclusion))
    verdicts = {
        prove(Inference((premise,), conclusion), logic).valid
        for premise, conclusion in product(premises, conclusions)
    }
    return len(verdicts) == 1


def _operand(formula: Formula) -> Formula:
    """Return what the operator of a modal sentence is put before, without negations."""
    while isinstance(formula, Not | Necessarily | Possibly):
        formula = formula.body
    return formula


def spread(pairs: Sequence[Pair], groups: Sequence[str], rng: np.random.Generator) -> list[Pair]:
    """Give every problem of a pattern a pair of frames, so that pairs and frames come up evenly.

    Each problem in turn gets a pair that has come up least; among those, one whose frames have come up
    least in its group, then least in all; ties are broken by the seed.

    Args:
        pairs: the admissible pairs.
        groups: the content type of each problem, in the order in which they are served.
        rng: breaks ties.

    Returns:
        A pair for every problem.
    """
    used: Counter[Pair] = Counter()
    first: Counter[tuple[str, str]] = Counter()
    second: Counter[tuple[str, str]] = Counter()
    chosen = []
    for group in groups:
        order = rng.permutation(len(pairs))

        def load(position: int, group: str = group, order: NDArray[np.int64] = order) -> tuple[int, ...]:
            premise, hypothesis = pair = pairs[position]
            return (
                used[pair],
                first[group, premise.id] + second[group, hypothesis.id],
                first["", premise.id] + second["", hypothesis.id],
                int(order[position]),
            )

        pair = pairs[min(range(len(pairs)), key=load)]
        chosen.append(pair)
        used[pair] += 1
        for key in (group, ""):
            first[key, pair[0].id] += 1
            second[key, pair[1].id] += 1
    return chosen
