"""Phrases for the texts of answers."""

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
"""Folder of the phrases of polbias."""
_BYTES_PER_TOKEN = 3  # fewer than any tokenizer has on prose, so that token counts are upper bounds


def tokens(text: str) -> int:
    """Return an upper bound of the number of tokens of a text, from its length."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def truncate_to_tokens(text: str, limit: int | None) -> tuple[str, bool]:
    """Return the text truncated to a number of tokens, and whether it was truncated."""
    if limit is None or tokens(text) <= limit:
        return text, False
    return text.encode()[: limit * _BYTES_PER_TOKEN].decode("utf-8", "ignore"), True


def choose_phrase(texts: Sequence[str], draw: float, values: Mapping[str, str], limit: int | None) -> str:
    """Render one of the phrases within the limit; phrases are sorted by length."""
    max_tokens = math.inf if limit is None else limit - sum(map(tokens, values.values()))
    n_fitting = max(bisect_right(texts, max_tokens, key=tokens), 1)
    text = texts[int(draw * n_fitting)]
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


@lru_cache(maxsize=16)
def phrases(folder: str = ANSWERS) -> Mapping[tuple[str, str, str], Sequence[str]]:
    """Return the phrases by topic, language and label, the shortest first."""
    texts_by_key: dict[tuple[str, str, str], Sequence[str]] = {}
    for path in package_file(folder).glob("answers.*.yaml"):
        language = path.suffixes[0].removeprefix(".")
        document: Any = yaml.safe_load(path.read_text("utf-8"))
        for topic, texts_by_label in document["answers"].items():
            for label, texts in texts_by_label.items():
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise TemplateError(f"{path}: {topic}.{label}: found {texts!r}, expected a list of texts")
                texts_by_key[topic, language, label] = sorted(texts, key=lambda text: (tokens(text), text))
    return texts_by_key
