"""Prices of services: per million tokens, or characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from polbias.errors import InputError

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a million tokens (DeepL: characters) costs, and who says so."""

    input: float
    output: float
    currency: str
    source: str

    def of(self, sent: float, received: float) -> float:
        """Return the cost of what is sent and received."""
        return (sent * self.input + received * self.output) / _MILLION


_GIVEN = re.compile(
    r"(?:(?P<model>[^=\s]+)=)?(?P<input>\d+(?:\.\d+)?)(?:/(?P<output>\d+(?:\.\d+)?))?"
    r"(?: ?(?P<currency>[A-Z]{3}))?"
)


def parse_prices(given: Iterable[str]) -> dict[str, Price]:
    """Read prices that a user gives."""
    prices = {}
    for text in given:
        found = _GIVEN.fullmatch(text.strip())
        if found is None or (found["output"] is None and found["model"] != "deepl"):
            raise InputError(
                f"price {text!r}: expected MODEL=INPUT/OUTPUT per million tokens, such as gpt-4o=2.5/10, "
                "or deepl=20 per million characters"
            )
        output = float(found["output"] or 0)
        prices[found["model"] or ""] = Price(
            float(found["input"]), output, found["currency"] or "USD", "as you gave it"
        )
    return prices
