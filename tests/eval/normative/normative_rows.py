"""Rows of the normative dataset for the tests: the published columns over a small design of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polbias.eval.normative.answers import entailment_answers, selection_answers
from polbias.eval.normative.effects import (
    Consistency,
    compare_contents,
    compare_domains,
    consistency,
    group_equivalents,
)
from polbias.eval.normative.wason import compare_selections
from polbias.eval.statistics import Contrast

TYPES = ("congruent", "incongruent", "nonsense")
PATTERNS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "logic": {
        "NotMu-MiNot": ("entailment", "entailment"),
        "MiNot-NotMu": ("entailment", "entailment"),
        "Mi-Mu": ("non-entailment", "non-entailment"),
        "NotMu-NotMi": ("non-entailment", "non-entailment"),
    },
    "syllogism": {
        "Cat-MP": ("entailment", "entailment"),
        "Cat-MT": ("entailment", "entailment"),
        "Cat-AC": ("non-entailment", "non-entailment"),
        "Cat-DA": ("non-entailment", "non-entailment"),
    },
}
DISJUNCTIONS = {
    "FC-Or-Elim": ("entailment", "non-entailment"),
    "FC-Or-Intro": ("non-entailment", "entailment"),
    "Ross-Or-Intro": ("non-entailment", "entailment"),
}
EQUIVALENT = (
    ("duality", ("NotMu-MiNot", "MiNot-NotMu")),
    ("contrapositive", ("Mi-Mu", "NotMu-NotMi")),
    ("contrapositive", ("Cat-MP", "Cat-MT")),
    ("contrapositive", ("Cat-AC", "Cat-DA")),
)
CONFIGS = ("deontic_logic", "deontic_syllogism", "epistemic_logic", "epistemic_syllogism")


def entailment_rows(
    config: str, styles: Sequence[str] = ("zero",), contents: int = 3, seed_words: str = "frimble"
) -> list[dict[str, Any]]:
    """Make the rows of a config.

    Args:
        config: one of :data:`CONFIGS`.
        styles: the prompt styles.
        contents: number of contents per type.
        seed_words: a word of the nonsense that fills the prompts.

    Returns:
        One dictionary per row; contents are of one type each, Ross-Or-Intro has no congruent ones.
    """
    return list(_rows(config, styles, contents, seed_words))


def _rows(config: str, styles: Sequence[str], contents: int, word: str) -> Iterator[dict[str, Any]]:
    domain, task = config.removesuffix("_balanced").split("_")
    patterns = dict(PATTERNS[task]) | (DISJUNCTIONS if config == "deontic_logic" else {})
    for style in styles:
        for kind in TYPES:
            for number in range(contents):
                content = f"{kind}-{number}"
                for pattern, (gold, sdl) in patterns.items():
                    if pattern == "Ross-Or-Intro" and kind == "congruent":
                        continue
                    split = {"Ross-Or-Intro": "ross-"}.get(pattern, "or-" if pattern in DISJUNCTIONS else "")
                    yield {
                        "id": f"{config}/{style}/{pattern}/{split}{content}",
                        "dataset": "normative-reasoning",
                        "config": config,
                        "language": "en",
                        "prompt": f"Premise: You may {word} {pattern} {content}, {config} {style}.\nAnswer:",
                        "gold": gold,
                        "gold_sdl": sdl,
                        "cluster_id": f"{config}/{split}{content}",
                        "domain": domain,
                        "task": task,
                        "pattern": pattern,
                        "content_type": kind,
                        "content_id": split + content,
                        "prompt_style": style,
                        "consistency_ids": [
                            f"{relation}:{config}/{content}/{'+'.join(pair)}"
                            for relation, pair in EQUIVALENT
                            if pattern in pair
                        ],
                    }


_ORDERS = (("p", "notp", "q", "notq"), ("notq", "q", "p", "notp"), ("q", "p", "notq", "notp"))
POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")


def wason_rows(contents: int = 2) -> list[dict[str, Any]]:
    """Make rows of the selection task.

    Args:
        contents: number of rules per domain and type.
    """
    rows = []
    for domain in ("deontic", "epistemic"):
        for kind in ("congruent", "arbitrary", "nonsense"):
            for number in range(contents):
                for index, polarity in enumerate(POLARITIES):
                    roles = _ORDERS[(index + number) % len(_ORDERS)]
                    first, second = polarity.split("-")
                    needed = {first, "q" if second == "notq" else "notq"}
                    reversed_ = kind == "congruent" and polarity != "p-q"
                    name = f"{domain}-{kind}-{number}"
                    rows.append(
                        {
                            "id": f"wason/{polarity}/{name}",
                            "dataset": "normative-reasoning",
                            "config": "wason",
                            "language": "en",
                            "prompt": f"Rule {polarity} of {name}. Which cards?\nAnswer:",
                            "gold": ",".join(
                                letter for letter, role in zip("ABCD", roles, strict=True) if role in needed
                            ),
                            "cluster_id": f"wason/{name}",
                            "domain": domain,
                            "content_type": "incongruent" if reversed_ else kind,
                            "content_id": name,
                            "polarity": polarity,
                            "card_roles": list(roles),
                            "cards": [
                                {"p": "sings", "notp": "does not sing", "q": "hops", "notq": "does not hop"}[
                                    role
                                ]
                                for role in roles
                            ],
                            "prompt_style": "zero",
                        }
                    )
    return rows


def answered(rows: Sequence[Mapping[str, Any]], respondent: Any) -> list[dict[str, Any]]:
    """Return the rows with the label that a respondent gives to each."""
    return [dict(row) | {"label": respondent(row)} for row in rows]


def content_effect(rows: Any, low: str = "incongruent") -> Contrast:
    """Return the accuracy with congruent contents minus that with others."""
    return compare_contents(entailment_answers(rows), low).effect()


def domain_effect(rows: Any) -> Contrast:
    """Return deontic minus epistemic accuracy, as the report compares the domains in one setting."""
    return compare_domains(entailment_answers(rows)).effect()


def selection_effect(rows: Any, *compared: str) -> Contrast:
    """Return the difference in exact choices between two levels of a column."""
    return compare_selections(selection_answers(rows), *compared).effect()


def consistencies(rows: Any) -> list[Consistency]:
    """Return how often equivalent inferences are answered alike, of all kinds and of each."""
    return consistency(group_equivalents(entailment_answers(rows)))
