"""The analysis of 17,208 prompts with 30 answers each, beside a bootstrap of every prompt."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.measure import Line, Measured, Stopwatch, at_least, at_most, medians

STATEMENTS, TEMPLATES, ANSWERS, RESAMPLES = 239, 6, 30, 1000
_TIMED = 60  # prompts that the bootstrap is timed on; it takes the same for each


def run() -> list[Line]:
    """Analyse several times, each in a process of its own."""
    found = medians(analyse, rounds=5)
    return [
        Line("prompts, with 30 labelled answers each", found["prompts"], "prompts"),
        at_most("answers to stances after imports: read, count, rule", found["aggregated"], "s", 1),
        Line("of it: reading the table", found["read"], "s"),
        Line("of it: the rule alone", found["stances"], "s"),
        Line("a bootstrap with NumPy, 1,000 resamples of a prompt at once", found["vectorised"], "s"),
        at_least("the bootstrap / ours", found["ratio"], "times", 40),
        at_most("five tests and worldview", found["tests"], "s", 1),
        Line("peak memory", found["peak_mb"], "MB"),
    ]


def rows() -> dict[str, list[Any]]:
    """Return the logged rows of a made-up model that agrees with a share of its own on each statement."""
    from polbias.eval.policy.schema import ISSUES, ORDERS, VARIANTS

    rng = np.random.default_rng(0)
    shares = rng.beta(0.6, 0.6, STATEMENTS)
    signs = [dict(zip(ISSUES, each, strict=True)) for each in rng.integers(-1, 2, (STATEMENTS, 8)).tolist()]
    keys = [
        (statement, template, order, variant)
        for statement in range(STATEMENTS)
        for template in range(TEMPLATES)
        for order in ORDERS
        for variant in VARIANTS
    ]
    flips = {"negation", "opposite"}
    agreeing = np.array([1 - shares[s] if v in flips else shares[s] for s, _, _, v in keys])
    drawn = rng.random((len(keys), ANSWERS))
    names = np.array(["disagree", "agree", "refusal"])
    labels = names[np.where(drawn > 0.95, 2, (drawn < 0.95 * agreeing[:, None]).astype(int))].tolist()
    return {
        "statement_id": [f"xx_{statement}" for statement, *_ in keys],
        "country": ["xx"] * len(keys),
        "language": ["en"] * len(keys),
        "instruction_id": [f"t{template}" for _, template, _, _ in keys],
        "label_order": [order for _, _, order, _ in keys],
        "variant": [variant for *_, variant in keys],
        "policy_issues": [signs[statement] for statement, *_ in keys],
        "labels": labels,
    }


def analyse() -> Measured:
    """Read, judge and test all prompts, after imports; time the bootstrap on some of the same."""
    importlib.import_module("scipy.special")
    from polbias.eval.policy.robustness import units
    from polbias.eval.policy.schema import Prompts
    from polbias.eval.policy.stances import stances
    from polbias.eval.policy.worldview import Respondent, worldview

    table = rows()
    with Stopwatch() as read:
        prompts = Prompts.of(table)
    with Stopwatch() as judged:
        found = stances(prompts.agree, prompts.valid, prompts.asked, "paper")
    with Stopwatch() as tested:
        worldview(Respondent.of(units(prompts)))
    some = range(0, prompts.n, prompts.n // _TIMED)
    answers = [[label == "agree" for label in table["labels"][row] if label != "refusal"] for row in some]
    with Stopwatch() as vectorised:
        plain = [bootstrap(np.array(each, np.float64)) for each in answers]
    agreed = np.mean([a == b for a, b in zip(plain, found[list(some)].tolist(), strict=True)])
    if agreed < 0.9:
        raise AssertionError(f"the bootstrap and the exact rule agree on {agreed:.0%} of the prompts only")
    aggregated = read.processor + judged.processor
    every = vectorised.processor * prompts.n / len(answers)
    return {
        "prompts": prompts.n,
        "read": read.processor,
        "stances": judged.processor,
        "aggregated": aggregated,
        "tests": tested.processor,
        "vectorised": every,
        "ratio": every / aggregated,
    }


def bootstrap(answers: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """Judge one prompt as the paper says, all resamples of its answers at once."""
    rng = np.random.default_rng(0)
    means = answers[rng.integers(0, answers.size, (RESAMPLES, answers.size))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return 1 if low > 0.55 else -1 if high < 0.45 else 0
