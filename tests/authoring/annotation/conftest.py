"""A few tasks of both kinds, and what fills them in."""

from __future__ import annotations

import pytest

from polbias.generators.authoring.annotation.tasks import Guideline, TaskSet, load_guideline, make_tasks

WORDS = (("Apfel", "Obst"), ("Bus", "Wagen"), ("=Chor", "Gesang"))


@pytest.fixture(scope="session")
def guideline() -> Guideline:
    return load_guideline()


def word_set(*annotators: str, reverse: bool = False) -> TaskSet:
    rows = [
        {"pair_id": f"p{n}", "first": first, "second": second, "collected": "manual", "printed": "-"}
        for n, (first, second) in enumerate(WORDS)
    ]
    made = make_tasks("words", rows, reverse=reverse)
    return TaskSet(kind="words", seed=1, annotators=annotators, tasks=made)


def claim_set(*annotators: str, count: int = 4) -> TaskSet:
    rows = [
        {
            "id": f"c{n}",
            "base_word": "Apfel",
            "exchange_word": "Obst",
            "base_claim": f"Der Apfel {n} ist reif.",
            "exchange_claim": f"Das Obst {n} ist reif.",
            "gold": "true",
        }
        for n in range(count)
    ]
    return TaskSet(kind="claims", seed=1, annotators=annotators, tasks=make_tasks("claims", rows))
