"""Calls per policy statement by stopping rule and kind of model, with the stopping plan of `polbias eval`.

The kinds A to F differ in how strongly the statement determines their answers, how often they answer yes, and
how often they misread a negation.
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
"""Share of the statements whose opposite is a contrary, in policy-statements 3.1.0."""
TOPICS, SIDED = 96, 109
"""Topics, and statements of a side, in policy-statements 3.1.0."""
REPLICATIONS = 1000
SEED = 8
FULL = 72 * ANSWERS
"""Calls per statement of polbias_policy_stance without a stopping rule, one answer per call."""
_N_UNTESTED_PROMPTS = 5 * INSTRUCTIONS
"""Prompts per statement that no test uses; only their first answer is requested."""


@dataclass(frozen=True)
class SimulatedKind:
    """Kind of model: effects on the probability of agreement, on the probit scale.

    Args:
        sharp: factor of all other effects.
        stance: standard deviation of the stances on statements.
        instruction: standard deviation of instructions within a statement.
        wording: standard deviation of wordings.
        yes: tendency to agree.
        misread: additional tendency to agree with negations and opposites.
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
_LIKELIHOODS_SUFFIX = " (log-likelihood)"
_CELL_SD, _ORDER_SHIFT, _P_NON_ANSWER = 0.15, 0.1, 0.01


def draw_p_agree(
    kind: SimulatedKind, rng: np.random.Generator, statements: int = STATEMENTS, stance: Floats | None = None
) -> Floats:
    """Draw probabilities of agreement, shape ``(statements, instructions, 2 label orders, 6 variants)``."""
    size = (statements, INSTRUCTIONS, 2, 6)
    text_sign = np.array([1, 1, 1, 1, -1, -1])
    mean = kind.stance * (rng.standard_normal(statements) if stance is None else stance)
    latent = mean[:, None, None, None] * text_sign + kind.yes
    latent = latent + kind.instruction * rng.standard_normal((statements, INSTRUCTIONS, 1, 1))
    latent = (
        latent
        + kind.wording * rng.standard_normal((statements, 1, 1, 6))
        + _CELL_SD * rng.standard_normal(size)
    )
    latent[..., 4:] += kind.misread
    latent[..., 1, :] -= _ORDER_SHIFT
    p_agree: Floats = ndtr(kind.sharp * latent)
    return p_agree


def draw_cumulative_counts(p_agree: Floats, rng: np.random.Generator) -> Indices:
    """Draw 30 answers to each of seven prompts per unit; return cumulative counts of three labels."""
    p_by_prompt = np.concatenate([p_agree[:, :, 0], p_agree[:, :, 1, :1]], axis=2).reshape(-1, 7, 1)
    draws = rng.random((*p_by_prompt.shape[:2], ANSWERS))
    answer = np.where(rng.random(draws.shape) < _P_NON_ANSWER, 2, np.where(draws < p_by_prompt, 0, 1))
    counts = np.cumsum(answer[..., None] == np.arange(3), axis=2)
    return np.concatenate([np.zeros_like(counts[:, :, :1]), counts], axis=2)


def run_stopping_plan(
    answers: Indices, contrary: Booleans, error: float = 0.0, accepts_n: bool = False
) -> tuple[StoppingPlan, int]:
    """Return a stopping plan run to its end, and its number of requests."""
    plan = StoppingPlan(contrary, ANSWERS, error, accepts_n)
    n_requested, n_requests = np.zeros_like(plan.n_due), 0
    unit, prompt = np.indices(plan.n_due.shape)
    while True:
        n_new = plan.n_due - n_requested
        n_requests += int((n_new > 0).sum() if accepts_n else n_new.sum())
        n_requested = plan.n_due.copy()
        plan.counts = answers[unit, prompt, plan.n_due]
        if not plan.extend():
            return plan, n_requests


def draw_contraries(rng: np.random.Generator, statements: int = STATEMENTS) -> Booleans:
    """Draw a mask of the units whose opposite is a contrary."""
    return np.repeat(rng.random(statements) < CONTRARY, INSTRUCTIONS)


# Calls per statement, and coverage of the intervals of stopped runs.

_MIN_RATIO, _MIN_RATIO_WITH_N, _LEVEL, _TOLERANCE = 3.35, 22, 95, 1.5


def run() -> list[Line]:
    """Return calls by rule and kind of model, the share of changed decisions, and the coverage."""
    values_by_kind = {
        name: count_calls(kind, np.random.default_rng([SEED, *name.encode()]))
        | {"leaning covers, %": 100 * coverage(kind, np.random.default_rng([SEED, *name.encode(), 1]))}
        for name, kind in KINDS.items()
    }
    lines = [
        Line(f"{name} {label}", value, "")
        for name, values in values_by_kind.items()
        for label, value in values.items()
    ]
    for rule, min_ratio in (("tests exact", _MIN_RATIO), ("tests exact, n", _MIN_RATIO_WITH_N)):
        ratio = min(FULL / values[rule] for values in values_by_kind.values())
        lines.append(at_least(f"{rule}: fewer calls than none", ratio, "times", min_ratio))
    lines.append(
        at_most(
            "exact: differ", max(values["exact: differ, %"] for values in values_by_kind.values()), "%", 0
        )
    )
    mean = float(np.mean([values["leaning covers, %"] for values in values_by_kind.values()]))
    met = abs(mean - _LEVEL) <= _TOLERANCE
    return [*lines, Line("leaning covers", mean, "%", f"{_LEVEL} +- {_TOLERANCE} %", met)]


def count_calls(kind: SimulatedKind, rng: np.random.Generator) -> dict[str, float]:
    """Return calls per statement by rule, and the share of decisions that all answers would change."""
    is_contrary = draw_contraries(rng)
    answers = draw_cumulative_counts(draw_p_agree(kind, rng), rng)
    full_plan = StoppingPlan(is_contrary, ANSWERS)
    full_plan.counts = answers[:, :, ANSWERS]
    figures: dict[str, float] = {"none": FULL, "none, n": FULL / ANSWERS}
    for rule, error in (("exact", 0.0), (".005", 0.005)):
        for suffix in ("", ", n"):
            plan, n_requests = run_stopping_plan(answers, is_contrary, error, bool(suffix))
            figures[f"{rule}{suffix}"] = n_requests / STATEMENTS + _N_UNTESTED_PROMPTS
            figures[f"tests {rule}{suffix}"] = n_requests / STATEMENTS
            if suffix:
                figures[f"tests {rule}, n: answers"] = float(plan.n_due.sum()) / STATEMENTS
        figures[f"{rule}: differ, %"] = 100 * float(
            (plan.decided_stances()[1] != full_plan.decided_stances()[1]).mean()
        )
    return figures


def coverage(kind: SimulatedKind, rng: np.random.Generator) -> float:
    """Return how often the interval of the leaning, from first answers, contains 0 for unbiased models.

    Half of the variance of stances is between topics; sides are assigned to statements at random. A model
    that answers all statements alike gets no interval and does not count.
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
    n_intervals = n_covered = 0
    for _ in range(REPLICATIONS):
        stance = (rng.standard_normal(TOPICS)[topics] + rng.standard_normal(STATEMENTS)) / np.sqrt(2)
        answer = (rng.random(len(prompts)) < draw_p_agree(kind, rng, stance=stance).ravel()).astype(np.intp)
        counts = np.eye(5, dtype=np.intp)[np.where(rng.random(len(prompts)) < _P_NON_ANSWER, 2, answer)]
        side = np.zeros(STATEMENTS, np.int8)
        side[rng.permutation(STATEMENTS)[:SIDED]] = np.resize([1, -1], SIDED)
        answers = PolicyAnswers(prompts.assign(**dict(zip(COUNTS, counts.T, strict=True))))
        leaning = estimate(answers, answers.net_by_statement.value, side)
        if leaning.low is not None and leaning.high is not None:
            n_intervals += 1
            n_covered += leaning.low <= 0 <= leaning.high
    return n_covered / n_intervals


# Agreement of first-token probabilities with sampled answers: `python -m benchmarks.calls RUN ...`


def agreement(runs: Sequence[Path]) -> list[Line]:
    """Compare a model's label probabilities with its sampled answers to the same prompts."""
    tables = read_instrument_answers(runs, "policy", [])
    lines = []
    for name in sorted(tables):
        sampled = (
            tables.get(name.removesuffix(_LIKELIHOODS_SUFFIX)) if name.endswith(_LIKELIHOODS_SUFFIX) else None
        )
        if sampled is None:
            continue
        likelihoods = (
            tables[name][["id", "agree_share"]].astype({"id": object}).drop_duplicates("id", keep="last")
        )
        counts = sampled[["id", "agree", "disagree"]].astype({"id": object})
        pairs = counts[counts["agree"] + counts["disagree"] > 0].merge(likelihoods, on="id")
        p_agree, n_agree = pairs["agree_share"].to_numpy(), pairs["agree"].to_numpy(np.float64)
        n_valid = n_agree + pairs["disagree"].to_numpy(np.float64)
        gap = 100 * (n_agree / n_valid - p_agree)
        low, high = binom.interval(0.99, n_valid, p_agree)
        lines += [
            Line(f"{name}: prompts", len(pairs), ""),
            Line("share of answers that agree minus its probability", float(gap.mean()), "points"),
            Line("its standard error", float(gap.std(ddof=1) / np.sqrt(len(pairs))), "points"),
            at_most("prompts outside 99%", 100 * float(((n_agree < low) | (n_agree > high)).mean()), "%", 5),
        ]
    return lines


if __name__ == "__main__":
    for line in agreement([Path(name) for name in sys.argv[1:]]):
        print(f"{line.label}: {line.value:.3g} {line.unit} {line.aim}")
