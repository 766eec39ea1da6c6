"""Tokens of texts, what they share at their beginnings, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.files import InputError
from polbias.models.prompts import settings
from polbias.models.requests import Price

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English; other languages take more tokens, and tokenizers differ."""

BLOCK = 16
"""Tokens: a prefix cache keeps whole blocks of so many (vLLM's default)."""


@dataclass(frozen=True)
class Tokens:
    """How tokens are counted.

    Args:
        tokenizer: with a method ``encode``; None counts characters.
        name: of the tokenizer.
    """

    tokenizer: Any = None
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"characters / {CHARACTERS_PER_TOKEN}, a rule of thumb"

    def count(self, texts: Iterable[str]) -> float:
        """Return how many tokens some texts have together."""
        return sum(map(len, map(self._units, texts))) / self._size

    def shared(self, texts: Sequence[str]) -> float:
        """Return how many of their tokens need not be read again where every prefix is kept."""
        block, before, found = BLOCK * self._size, self._units(""), 0
        for units in sorted(map(self._units, texts)):
            low, high = 0, min(len(before), len(units)) // block
            while low < high:
                middle = (low + high + 1) // 2
                same = before[low * block : middle * block] == units[low * block : middle * block]
                low, high = (middle, high) if same else (low, middle - 1)
            found, before = found + low * block, units
        return found / self._size

    @property
    def _size(self) -> int:
        return 1 if self.tokenizer else CHARACTERS_PER_TOKEN

    def _units(self, text: str) -> Sequence[Any]:
        return self.tokenizer.encode(text, add_special_tokens=False) if self.tokenizer else text


def load_tokens(name: str | None) -> Tokens:
    """Return how tokens are counted by a tokenizer of the Hub or of a folder, by a rule of thumb if None."""
    if name is None:
        return Tokens()
    from transformers import AutoTokenizer

    try:
        return Tokens(AutoTokenizer.from_pretrained(name), name)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"--tokenizer {name}: {reason}; expected a tokenizer of the Hugging Face Hub, or its folder"
        ) from None


def price_of(
    model: str, given: Mapping[str, Price], service: str = "openai", *, listed: bool
) -> Price | None:
    """Return the price of a model: the user's, or the provider's where its own server is asked."""
    named = given.get("deepl") if service == "deepl" else given.get(model) or given.get("")
    return named or (settings().list_price(service, model) if listed else None)
