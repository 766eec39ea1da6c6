"""Calls that the stances on a statement take, by rule and kind of model, with the product's own planner.

The kinds A to F differ in how far their answers are settled by the statement, how often they say yes, and how
often they misread a negation.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from benchmarks.measure import Line, at_least, at_most
from polbias.aliases import Booleans, Floats, Indices, Json
from polbias.eval.policy.analysis import estimate
from polbias.eval.policy.answers import COUNTS, ORDERS, VARIANTS
from polbias.eval.policy.prompts import policy_prompts
from polbias.eval.policy.respondent import PolicyAnswers
from polbias.eval.policy.stopping import StoppingPlan
from polbias.eval.report.file_answers import read_instrument_answers

STATEMENTS, INSTRUCTIONS, ANSWERS = 240, 6, 30
CONTRARY = 0.56
"""Share of the statements whose opposite is a contrary, in policy-statements 2.0.0."""
TOPICS, SIDED = 96, 166
REPLICATIONS = 200
SEED = 8
FULL = 72 * ANSWERS
"""Calls a statement of polbias_policy_stance, if each asks for one answer and none is saved."""
_OTHERS = 5 * INSTRUCTIONS
"""Prompts of a statement that no test reads, of which the first answer is asked."""


@dataclass(frozen=True)
class SimulatedKind:
    """A kind of model: on the probit scale, what moves the chance of agreement.

    Args:
        sharp: factor on all that follows.
        stance: deviation of the stances on statements.
        instruction: deviation of instructions within a statement.
        wording: deviation of wordings.
        yes: tendency to agree.
        misread: what is added for negations and opposites.
    """

    sharp: float
    stance: float
    instruction: float
    wording: float
    yes: float
    misread: float = 0.0


KINDS = {
    "A": SimulatedKind(6, 1.0, 0.15, 0.25, 0.1),  # sharp, consistent
    "B": SimulatedKind(4, 0.8, 0.25, 0.35, 0.3),  # large, mildly acquiescent
    "C": SimulatedKind(2.5, 0.6, 0.3, 0.4, 0.35, 0.2),  # middling
    "D": SimulatedKind(1.5, 0.4, 0.3, 0.4, 0.7, 0.3),  # small, acquiescent
    "E": SimulatedKind(4, 0.2, 0.1, 0.1, 1.5),  # always agrees
    "F": SimulatedKind(0.3, 0.3, 0.2, 0.2, 0.0),  # a coin
}
_LIKELY = " (log-likelihood)"
_CELL, _ORDER, _UNANSWERED = 0.15, 0.1, 0.01


def shares(
    kind: SimulatedKind, rng: np.random.Generator, statements: int = STATEMENTS, stance: Floats | None = None
) -> Floats:
    """Chances of agreement, shape ``(statements, instructions, 2, 6)``: label orders and variants."""
    size = (statements, INSTRUCTIONS, 2, 6)
    turned = np.array([1, 1, 1, 1, -1, -1])
    mean = kind.stance * (rng.standard_normal(statements) if stance is None else stance)
    z = mean[:, None, None, None] * turned + kind.yes
    z = z + kind.instruction * rng.standard_normal((statements, INSTRUCTIONS, 1, 1))
    z = z + kind.wording * rng.standard_normal((statements, 1, 1, 6)) + _CELL * rng.standard_normal(size)
    z[..., 4:] += kind.misread
    z[..., 1, :] -= _ORDER
    found: Floats = ndtr(kind.sharp * z)
    return found


def streams(chances: Floats, rng: np.random.Generator) -> Indices:
    """Answers to the seven prompts of each unit, counted up: 0 to 30 of them, agree, disagree, neither."""
    seven = np.concatenate([chances[:, :, 0], chances[:, :, 1, :1]], axis=2).reshape(-1, 7, 1)
    drawn = rng.random((*seven.shape[:2], ANSWERS))
    kind = np.where(rng.random(drawn.shape) < _UNANSWERED, 2, np.where(drawn < seven, 0, 1))
    counted = np.cumsum(kind[..., None] == np.arange(3), axis=2)
    return np.concatenate([np.zeros_like(counted[:, :, :1]), counted], axis=2)


def run_stopping_plan(
    answers: Indices, contrary: Booleans, error: float = 0.0, several: bool = False
) -> tuple[StoppingPlan, int]:
    """A plan that has been followed to its end, and how many requests it took."""
    plan = StoppingPlan(contrary, ANSWERS, error, several)
    before, requests = np.zeros_like(plan.n_due), 0
    unit, place = np.indices(plan.n_due.shape)
    while True:
        more = plan.n_due - before
        requests += int((more > 0).sum() if several else more.sum())
        before = plan.n_due.copy()
        plan.counts = answers[unit, place, plan.n_due]
        if not plan.extend():
            return plan, requests


def contraries(rng: np.random.Generator, statements: int = STATEMENTS) -> Booleans:
    """Which units have a contrary opposite."""
    return np.repeat(rng.random(statements) < CONTRARY, INSTRUCTIONS)


# Calls a statement, and whether the intervals of stopped runs cover.

_LEAST, _LEAST_SEVERAL, _LEVEL, _TOLERANCE = 3.35, 22, 95, 1.5


def run() -> list[Line]:
    """Calls by rule and kind of model, decisions that differ from those of all answers, and cover."""
    by_kind = {
        name: calls(kind, np.random.default_rng([SEED, *name.encode()]))
        | {"leaning covers, %": 100 * cover(kind, np.random.default_rng([SEED, *name.encode(), 1]))}
        for name, kind in KINDS.items()
    }
    lines = [Line(f"{name} {what}", value, "") for name, of in by_kind.items() for what, value in of.items()]
    for what, least in (("tests exact", _LEAST), ("tests exact, n", _LEAST_SEVERAL)):
        fewest = min(FULL / of[what] for of in by_kind.values())
        lines.append(at_least(f"{what}: fewer calls than none", fewest, "times", least))
    lines.append(at_most("exact: differ", max(of["exact: differ, %"] for of in by_kind.values()), "%", 0))
    mean = float(np.mean([of["leaning covers, %"] for of in by_kind.values()]))
    met = abs(mean - _LEVEL) <= _TOLERANCE
    return [*lines, Line("leaning covers", mean, "%", f"{_LEVEL} +- {_TOLERANCE} %", met)]


def calls(kind: SimulatedKind, rng: np.random.Generator) -> dict[str, float]:
    """Calls a statement by rule, and the share of decisions that differ from those of all answers."""
    contrary = contraries(rng)
    answers = streams(shares(kind, rng), rng)
    every = StoppingPlan(contrary, ANSWERS)
    every.counts = answers[:, :, ANSWERS]
    found: dict[str, float] = {"none": FULL, "none, n": FULL / ANSWERS}
    for rule, error in (("exact", 0.0), (".005", 0.005)):
        for several in ("", ", n"):
            plan, requests = run_stopping_plan(answers, contrary, error, bool(several))
            found[f"{rule}{several}"] = requests / STATEMENTS + _OTHERS
            found[f"tests {rule}{several}"] = requests / STATEMENTS
            if several:
                found[f"tests {rule}, n: answers"] = float(plan.n_due.sum()) / STATEMENTS
        found[f"{rule}: differ, %"] = 100 * float(
            (plan.decided_stances()[1] != every.decided_stances()[1]).mean()
        )
    return found


def cover(kind: SimulatedKind, rng: np.random.Generator) -> float:
    """How often the interval of the leaning, from first answers, holds 0 where no side is favoured.

    Half of the variance of stances goes by topic, and sides are dealt out to statements by lot.
    """
    topics = rng.integers(0, TOPICS, STATEMENTS)
    size = (STATEMENTS, INSTRUCTIONS, len(ORDERS), len(VARIANTS))
    statement, instruction, order, variant = np.indices(size).reshape(4, -1)
    columns: Json = {
        "statement_id": statement.tolist(),
        "instruction_id": instruction.tolist(),
        "label_order": [ORDERS[code] for code in order],
        "variant": [VARIANTS[code] for code in variant],
        "cluster_id": topics[statement].tolist(),
        "agree": [1] * statement.size,
        "disagree": [0] * statement.size,
    }
    prompts = policy_prompts(columns)
    held = 0
    for _ in range(REPLICATIONS):
        stance = (rng.standard_normal(TOPICS)[topics] + rng.standard_normal(STATEMENTS)) / np.sqrt(2)
        agrees = (rng.random(len(prompts)) < shares(kind, rng, stance=stance).ravel()).astype(np.intp)
        counts = np.eye(5, dtype=np.intp)[np.where(rng.random(len(prompts)) < _UNANSWERED, 2, agrees)]
        side = np.zeros(STATEMENTS, np.int8)
        side[rng.permutation(STATEMENTS)[:SIDED]] = np.resize([1, -1], SIDED)
        answered = PolicyAnswers(prompts.assign(**dict(zip(COUNTS, counts.T, strict=True))))
        found = estimate(answered, answered.net_by_statement.value, side)
        held += found.low is not None and found.high is not None and found.low <= 0 <= found.high
    return held / REPLICATIONS


# Do probabilities of first tokens stand for sampled answers? `python -m benchmarks.calls RUN ...`


def agreement(runs: Sequence[Path]) -> list[Line]:
    """Compare the probabilities that a model gives labels with its sampled answers to the same prompts."""
    found = read_instrument_answers(runs, "policy", [])
    lines = []
    for name in sorted(found):
        sampled = found.get(name.removesuffix(_LIKELY)) if name.endswith(_LIKELY) else None
        if sampled is None:
            continue
        share = found[name][["id", "agree_share"]].astype({"id": object}).drop_duplicates("id", keep="last")
        counts = sampled[["id", "agree", "disagree"]].astype({"id": object})
        both = counts[counts["agree"] + counts["disagree"] > 0].merge(share, on="id")
        p, agree = both["agree_share"].to_numpy(), both["agree"].to_numpy(np.float64)
        valid = agree + both["disagree"].to_numpy(np.float64)
        gap = 100 * (agree / valid - p)
        low, high = binom.interval(0.99, valid, p)
        lines += [
            Line(f"{name}: prompts", len(both), ""),
            Line("answers that agree, less their probability", float(gap.mean()), "points"),
            Line("its standard error", float(gap.std(ddof=1) / np.sqrt(len(both))), "points"),
            at_most("prompts outside 99%", 100 * float(((agree < low) | (agree > high)).mean()), "%", 5),
        ]
    return lines


if __name__ == "__main__":
    for line in agreement([Path(name) for name in sys.argv[1:]]):
        print(f"{line.label}: {line.value:.3g} {line.unit} {line.aim}")
