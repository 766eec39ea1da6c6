"""Prices of services: per million tokens, or characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from polbias.errors import InputError

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Price per million tokens (DeepL: characters), and its source."""

    input: float
    output: float
    currency: str
    source: str

    def of(self, sent: float, received: float) -> float:
        """Return the cost of sent and received tokens."""
        return (sent * self.input + received * self.output) / _MILLION


_PRICE = re.compile(
    r"(?:(?P<model>[^=\s]+)=)?(?P<input>\d+(?:\.\d+)?)(?:/(?P<output>\d+(?:\.\d+)?))?"
    r"(?: ?(?P<currency>[A-Z]{3}))?"
)


def parse_prices(texts: Iterable[str]) -> dict[str, Price]:
    """Parse a user's prices; the key is the model, empty for all models."""
    prices = {}
    for text in texts:
        match = _PRICE.fullmatch(text.strip())
        if match is None or (match["output"] is None and match["model"] != "deepl"):
            raise InputError(
                f"price {text!r}: expected MODEL=INPUT/OUTPUT per million tokens, such as gpt-4o=2.5/10, "
                "or deepl=20 per million characters"
            )
        output = float(match["output"] or 0)
        prices[match["model"] or ""] = Price(
            float(match["input"]), output, match["currency"] or "USD", "as you gave it"
        )
    return prices
