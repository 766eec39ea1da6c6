"""Answers in words: phrases from lists."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from polbias.files import TemplateError
from polbias.locations import package_file

ANSWERS = "polbias:templates/simulation"
"""The folder of our lists."""
_BYTES_PER_TOKEN = 3  # fewer than any tokenizer has on prose, so that no answer is longer than is said here


def tokens(text: str) -> int:
    """Return how many tokens a text has at most, counted by its length."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def cut(text: str, limit: int | None) -> tuple[str, bool]:
    """Return a text as far as a limit of tokens lets it go, and whether it was cut."""
    if limit is None or tokens(text) <= limit:
        return text, False
    return text.encode()[: limit * _BYTES_PER_TOKEN].decode("utf-8", "ignore"), True


@dataclass(frozen=True)
class Phrases:
    """Phrases that all say the same, the shortest first.

    Attributes:
        texts: The phrases, with names in braces where something is put in.
        sizes: Their tokens.
    """

    texts: tuple[str, ...]
    sizes: tuple[int, ...]

    def pick(self, lot: float, slots: Mapping[str, str], limit: int | None) -> str:
        """Return one of the phrases that fit.

        Args:
            lot: Which, in [0, 1).
            slots: What is put in.
            limit: How many tokens an answer may have; the shortest phrase where none fits.
        """
        room = None if limit is None else limit - sum(map(tokens, slots.values()))
        fitting = len(self.texts) if room is None else max(bisect_right(self.sizes, room), 1)
        text = self.texts[int(lot * fitting)]
        for name, value in slots.items():
            text = text.replace(f"{{{name}}}", value)
        return text


@lru_cache(maxsize=16)
def phrases(folder: str = ANSWERS) -> Mapping[tuple[str, str, str], Phrases]:
    """Return all phrases by topic, language and what is said.

    Args:
        folder: Of the lists, ``package:path``.

    Raises:
        TemplateError: If a list is empty or holds something else than texts.
    """
    found: dict[tuple[str, str, str], Phrases] = {}
    for path in package_file(folder).glob("answers.*.yaml"):
        language = path.suffixes[0].removeprefix(".")
        read: Any = yaml.safe_load(path.read_text("utf-8"))
        for topic, sayings in read["answers"].items():
            for said, texts in sayings.items():
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise TemplateError(f"{path}: {topic}.{said}: found {texts!r}, expected a list of texts")
                ordered = sorted(texts, key=lambda text: (tokens(text), text))
                found[topic, language, said] = Phrases(tuple(ordered), tuple(map(tokens, ordered)))
    return found
