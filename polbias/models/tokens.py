"""Tokens of texts, what they share at their beginnings, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from polbias.models.prices import Price
from polbias.models.service_settings import settings

CHARACTERS = 4
"""Of a token: a rule of thumb for English; other languages take more tokens, and tokenizers differ."""

BLOCK = 16
"""Tokens: a prefix cache keeps whole blocks of so many (vLLM's default)."""


COUNTING_RULE = f"characters / {CHARACTERS}, a rule of thumb"


def estimate_tokens(texts: Iterable[str]) -> float:
    """Return how many tokens some texts have together."""
    return sum(map(len, texts)) / CHARACTERS


def shared_tokens(texts: Iterable[str], times: int = 1) -> int:
    """Return how many tokens a server that caches every prefix need not read, of texts sent so often."""
    size, n_blocks = BLOCK * CHARACTERS, 0
    prefixes: dict[tuple[int, str], int] = {}
    for text in texts:
        prefix = 0
        for end in range(size, len(text) + 1, size):
            key = prefix, text[end - size : end]
            n_blocks += times - (key not in prefixes)
            prefix = prefixes.setdefault(key, len(prefixes) + 1)
    return n_blocks * BLOCK


def price_of(
    model: str, given: Mapping[str, Price], service: str = "openai", *, listed: bool
) -> Price | None:
    """Return the price of a model: the user's, or the provider's where its own server is asked."""
    named = given.get("deepl") if service == "deepl" else given.get(model) or given.get("")
    return named or (settings().list_price(service, model) if listed else None)
