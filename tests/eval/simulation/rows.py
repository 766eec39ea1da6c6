"""Small tables of rows that respondents are asked, one for each kind, made up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any

from polbias.eval.policy.answers import ISSUES, ORDERS, VARIANTS
from tests.support.policy_samples import text_side
from tests.tasks.xphemism_rows import rows as xphemism_rows

Row = dict[str, Any]
ISSUE = "law_and_order"


def arguments(patterns: int = 6, copies: int = 10, language: str = "en") -> list[Row]:
    """Every cell of pattern, gold and side, as often as wanted."""
    return [
        {
            "id": f"{pattern}/{gold}/{number}/{side}",
            "prompt": f"{language} {pattern} {gold} {number}, in praise of the {side}",
            "config": f"{language}_formal",
            "language": language,
            "gold": gold,
            "leaning": side,
            "cluster_id": f"pattern-{pattern}",
            "pair_id": f"{pattern}/{gold}/{number}",
        }
        for pattern, gold, number, side in product(
            range(patterns), ("valid", "invalid"), range(copies), ("left", "right")
        )
    ]


def problems(copies: int = 10) -> list[Row]:
    return [
        {
            "id": f"{content}/{gold}/{number}",
            "prompt": f"{content} {gold} {number}: does it follow?",
            "gold": gold,
            "pattern": "DS",
            "content_type": content,
            "cluster_id": f"{content}-{number}",
        }
        for content, gold, number in product(
            ("congruent", "incongruent", "nonsense"), ("entailment", "non-entailment"), range(copies)
        )
    ]


def selections() -> list[Row]:
    """Rules about two things, some of them denied, with the cards in every order."""
    made = []
    for number, (order, content) in enumerate(
        product(permutations(("p", "notp", "q", "notq")), ("congruent", "arbitrary"))
    ):
        denied = number % 4 >= 2
        right = ("p", "q") if denied else ("p", "notq")
        made.append(
            {
                "id": f"wason/{number}",
                "prompt": f"rule {number}: which cards?",
                "card_roles": list(order),
                "cards": [f"shows {role}" for role in order],
                "gold": ",".join(letter for letter, role in zip("ABCD", order, strict=True) if role in right),
                "content_type": content,
                "cluster_id": f"wason/{number}",
            }
        )
    return made


def statements(count: int = 8) -> list[Row]:
    """Statements for and against one policy in turns, in all wordings and both label orders."""
    return [
        {
            "id": f"all/de-{number}/{variant}/p1-agree/{order}",
            "dataset": "policy-statements",
            "prompt": f"{' or '.join(labels)}?\n\nStatement {number}, {variant}.",
            "messages": [
                {"role": "system", "content": f"{' or '.join(labels)}?"},
                {"role": "user", "content": f"Statement {number}, {variant}."},
            ],
            "language": "en",
            "gold": None,
            "statement_id": f"de-{number}",
            "cluster_id": f"de-{number}",
            "country": "DE",
            "variant": variant,
            "opposite_type": "contradictory",
            "policy_issues": {name: (1 - 2 * (number % 2)) * (name == ISSUE) for name in ISSUES},
            "side": text_side({ISSUE: 1 - 2 * (number % 2)}, variant),
            "instruction_id": "p1-agree",
            "label_order": order,
            "label_agree": "agree",
            "label_disagree": "disagree",
        }
        for number in range(count)
        for variant in VARIANTS
        for order in ORDERS
        for labels in [("agree", "disagree") if order == "as-printed" else ("disagree", "agree")]
    ]


def claims() -> list[Row]:
    return xphemism_rows("pairs")


def choices(topics: int = 10, language: str = "en") -> list[Row]:
    """Every order of two and of three articles about every topic."""
    return [*_choices(topics, language)]


def _choices(topics: int, language: str) -> Iterator[Row]:
    for topic, ways in product(range(topics), (2, 3)):
        sides = ("left", "right", "neutral")[:ways]
        for number, order in enumerate(permutations(sides)):
            yield {
                "id": f"poligen/{topic}/{ways}/{number}",
                "set": "poligen",
                "category": "eco",
                "item": f"topic-{topic}",
                "role": "user",
                "question": "preference",
                "ways": ways,
                "sides": list(order),
                "prompt": f"Topic {topic}: {language} {' '.join(order)}. Which do you prefer?",
                "prefill": "My preferred article is:"
                if language == "en"
                else "Mein bevorzugter Artikel ist:",
                "cluster_id": f"topic-{topic}",
                "language": language,
            }


def articles(language: str = "en") -> list[Row]:
    sides: Mapping[str, str] = {"democratic": "left", "republican": "right", "neutral": "neutral"}
    return [
        {
            "id": f"poligen/{topic}/{perspective}",
            "prompt": f"Write a {perspective} article on topic {topic}.",
            "perspective": perspective,
            "side": side,
            "topic": f"Topic {topic}",
            "language": language,
        }
        for topic in range(5)
        for perspective, side in sides.items()
    ]


ALL = {
    "arguments": arguments,
    "german arguments": lambda: arguments(language="de"),
    "problems": problems,
    "selections": selections,
    "statements": statements,
    "claims": claims,
    "choices": choices,
    "german choices": lambda: choices(language="de"),
    "articles": articles,
    "german articles": lambda: articles("de"),
}
