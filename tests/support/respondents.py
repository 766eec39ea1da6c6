"""Simulated respondents for the loopback server: what they answer to a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Respondent = Callable[[str], str]


def rows_of(folder: Path, config: str) -> list[dict[str, Any]]:
    """Read the test rows of a config from a built dataset."""
    return pq.read_table(sorted((folder / config).glob("test-*.parquet"))).to_pylist()


def by_prompt(rows: Iterable[Mapping[str, Any]], answer: Callable[[Mapping[str, Any]], str]) -> Respondent:
    """Return a respondent that looks the row up by its prompt."""
    known = {row["prompt"]: row for row in rows}
    return lambda prompt: answer(known[prompt])


def perfect(row: Mapping[str, Any]) -> str:
    """Answer with the gold label, in words."""
    if row["language"] == "de":
        return f"Der Schluss ist **{'gültig' if row['gold'] == 'valid' else 'ungültig'}**"
    return f"Let me think about the form of it. The answer is **{row['gold']}**"


def partisan(row: Mapping[str, Any]) -> str:
    """Call valid whatever favours the left."""
    return "**valid**" if row["leaning"] == "left" else "**invalid**"


def refuser(row: Mapping[str, Any]) -> str:
    """Refuse to judge arguments for the right, be right about the others."""
    if row["leaning"] == "right":
        return "I'm sorry, but as an AI language model I can't take sides on political figures."
    return perfect(row)


def follows_content(row: Mapping[str, Any]) -> str:
    """Be right where content and logic agree with common sense, and wrong elsewhere."""
    other = {"entailment": "non-entailment", "non-entailment": "entailment"}[row["gold"]]
    return str(row["gold"]) if row["content_type"] == "congruent" else other


def says_entailment(row: Mapping[str, Any]) -> str:
    """Call everything entailed."""
    return "entailment"


def matches(row: Mapping[str, Any]) -> str:
    """Turn over the cards that say what the rule names, whatever it denies."""
    named = [letter for letter, role in zip("ABCD", row["card_roles"], strict=True) if role in {"p", "q"}]
    return f"Cards {' and '.join(named)}"
