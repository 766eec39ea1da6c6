"""Answers in words: phrases from lists."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

from polbias.errors import TemplateError
from polbias.paths import package_file

ANSWERS = "polbias:templates/simulation"
"""The folder of our lists."""
_BYTES_PER_TOKEN = 3  # fewer than any tokenizer has on prose, so that no answer is longer than is said here


def tokens(text: str) -> int:
    """Return how many tokens a text has at most, counted by its length."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def truncate_to_tokens(text: str, limit: int | None) -> tuple[str, bool]:
    """Return a text as far as a limit of tokens lets it go, and whether it was cut."""
    if limit is None or tokens(text) <= limit:
        return text, False
    return text.encode()[: limit * _BYTES_PER_TOKEN].decode("utf-8", "ignore"), True


def choose_phrase(texts: Sequence[str], lot: float, slots: Mapping[str, str], limit: int | None) -> str:
    """Return one of the phrases that fit, filled in; the shortest phrase is the first."""
    room = math.inf if limit is None else limit - sum(map(tokens, slots.values()))
    fitting = max(bisect_right(texts, room, key=tokens), 1)
    text = texts[int(lot * fitting)]
    for name, value in slots.items():
        text = text.replace(f"{{{name}}}", value)
    return text


@lru_cache(maxsize=16)
def phrases(folder: str = ANSWERS) -> Mapping[tuple[str, str, str], Sequence[str]]:
    """Return all phrases, the shortest first, by topic, language and what is said."""
    found: dict[tuple[str, str, str], Sequence[str]] = {}
    for path in package_file(folder).glob("answers.*.yaml"):
        language = path.suffixes[0].removeprefix(".")
        read: Any = yaml.safe_load(path.read_text("utf-8"))
        for topic, sayings in read["answers"].items():
            for said, texts in sayings.items():
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise TemplateError(f"{path}: {topic}.{said}: found {texts!r}, expected a list of texts")
                found[topic, language, said] = sorted(texts, key=lambda text: (tokens(text), text))
    return found
