"""Tokens of texts, what they share at their beginnings, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polbias.models.prompts import settings
from polbias.models.requests import Price

CHARACTERS = 4
"""Of a token: a rule of thumb for English; other languages take more tokens, and tokenizers differ."""

BLOCK = 16
"""Tokens: a prefix cache keeps whole blocks of so many (vLLM's default)."""


@dataclass(frozen=True)
class Tokens:
    """How tokens are counted.

    Args:
        units: what a text consists of.
        size: so many units are a token.
        told: the same in words.
    """

    units: Callable[[str], Sequence[Any]] = str
    size: int = CHARACTERS
    told: str = f"characters / {CHARACTERS}, a rule of thumb"

    def count(self, texts: Iterable[str]) -> float:
        """Return how many tokens some texts have together."""
        return sum(len(self.units(text)) for text in texts) / self.size

    def shared(self, texts: Iterable[str], times: int = 1) -> int:
        """Return how many tokens need not be read again where every prefix of texts sent so often is kept."""
        block, found = BLOCK * self.size, 0
        seen: dict[tuple[int, Sequence[Any]], int] = {}
        for units in map(self.units, texts):
            before = 0
            for end in range(block, len(units) + 1, block):
                key = before, units[end - block : end]
                found += times - (key not in seen)
                before = seen.setdefault(key, len(seen) + 1)
        return found * BLOCK


def by_tokenizer(tokenizer: Any, name: str) -> Tokens:
    """Return how a tokenizer counts."""
    return Tokens(lambda text: tuple(tokenizer.encode(text, add_special_tokens=False)), 1, name)


def price_of(
    model: str, given: Mapping[str, Price], service: str = "openai", *, listed: bool
) -> Price | None:
    """Return the price of a model: the user's, or the provider's where its own server is asked."""
    named = given.get("deepl") if service == "deepl" else given.get(model) or given.get("")
    return named or (settings().list_price(service, model) if listed else None)
