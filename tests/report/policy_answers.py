"""Policy statements of a small design with every column that the report reads, and answers to them, made up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from polbias.eval.policy import section
from polbias.eval.policy.answers import ISSUES, ORDERS, VARIANTS
from polbias.eval.simulation import SimulatedAnswers, SimulatedRespondent, questions
from tests.support.outcomes import outcomes
from tests.support.policy_samples import text_side, varied

Row = dict[str, Any]
TASK = "polbias_policy_stance"


def statements(
    count: int = 40,
    instructions: Iterable[str] = ("p1-agree", "p2-agree"),
    variants: Iterable[str] = VARIANTS,
    language: str = "en",
) -> list[Row]:
    """Statements for and against the issues in turns, in wordings, instructions and both label orders."""
    issues = [
        {
            issue: (1 - 2 * (number // len(ISSUES) % 2)) * (place == number % len(ISSUES))
            for place, issue in enumerate(ISSUES)
        }
        for number in range(count)
    ]
    return [
        {
            "id": f"all/de-{number:02}/{variant}/{instruction}/{order}",
            "dataset": "policy-statements",
            "dataset_version": "1.0.0",
            "config": "all",
            "pair_id": f"all/de-{number:02}/{variant}/{instruction}",
            "prompt": f"{order} {instruction} {language}: statement {number}, {variant}.",
            "language": language,
            "gold": None,
            "statement_id": f"de-{number:02}",
            "cluster_id": f"de-{number:02}",
            "country": "DE",
            "variant": variant,
            "opposite_type": "contradictory",
            "policy_issues": issues[number],
            "side": text_side(issues[number], variant),
            "instruction_id": instruction,
            "label_order": order,
            "label_agree": "agree",
            "label_disagree": "disagree",
        }
        for instruction in instructions
        for number in range(count)
        for variant in variants
        for order in ORDERS
    ]


def answered(
    docs: Iterable[Mapping[str, Any]],
    answers: Iterable[Any],
    task: str = TASK,
    name: str = "m",
) -> pd.DataFrame:
    """What the reader of files makes of answers to documents."""
    more = {"label_mass": 1.0} if task.endswith("_loglikelihood") else {}
    samples = (
        {"doc": doc, "filtered_resps": answer, **more} for doc, answer in zip(docs, answers, strict=True)
    )
    return outcomes(section, samples, task, name)


def simulated(
    respondent: SimulatedRespondent,
    docs: list[Row] | None = None,
    seed: int = 0,
    samples: int = 30,
    name: str = "m",
    task: str = TASK,
) -> pd.DataFrame:
    """The answers of a simulated respondent."""
    docs = statements() if docs is None else docs
    asked = SimulatedAnswers(questions(docs, respondent.columns), respondent, seed)
    texts = [asked.draw_texts(sample) for sample in range(samples)]
    return answered(docs, zip(*texts, strict=True), task, name)


def said(decide: Callable[[Row], str], docs: list[Row] | None = None, n: int = 30) -> pd.DataFrame:
    """The answers of somebody who means the same every time, in one wording or another."""
    docs = statements() if docs is None else docs
    return answered(docs, [varied(decide(doc), n) for doc in docs])


def holds(side: Mapping[str, int]) -> Callable[[Row], str]:
    """Somebody with a stance on some issues, who agrees with statements on the others in every wording."""

    def decide(doc: Row) -> str:
        turned = -1 if doc["variant"] in ("negation", "opposite") else 1
        stance = sum(sign * side.get(issue, 0) for issue, sign in doc["policy_issues"].items())
        return "disagree" if stance * turned < 0 else "agree"

    return decide
