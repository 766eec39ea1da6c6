"""Estimated tokens of texts, tokens of shared prefixes, and prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from polbias.models.prices import Price
from polbias.models.service_settings import settings

CHARACTERS = 4
"""Characters per token, a rule of thumb for English; other languages need more tokens; tokenizers differ."""

BLOCK = 16
"""Tokens per block of a prefix cache, which stores complete blocks (vLLM's default)."""


COUNTING_RULE = f"characters / {CHARACTERS}, a rule of thumb"


def estimate_tokens(texts: Iterable[str]) -> float:
    """Estimate the total tokens of texts."""
    return sum(map(len, texts)) / CHARACTERS


def shared_tokens(texts: Iterable[str], times: int = 1) -> int:
    """Return the tokens that a server reads from its prefix cache, if each text is sent `times` times."""
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
    model: str, user_prices: Mapping[str, Price], service: str = "openai", *, has_list_price: bool
) -> Price | None:
    """Return the price of a model: the user's, otherwise the list price if the provider's server is used."""
    user_price = (
        user_prices.get("deepl") if service == "deepl" else user_prices.get(model) or user_prices.get("")
    )
    return user_price or (settings().list_price(service, model) if has_list_price else None)
