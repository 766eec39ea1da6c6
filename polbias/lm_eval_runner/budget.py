"""What the answers of a run took, and how much they may take."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from polbias.files import InputError
from polbias.models.requests import Price
from polbias.models.tokens import Tokens


class Refused(BaseException):
    """A request is refused for good. No Exception, as lm_eval tries again after any of these."""


class SpentError(Refused):
    """The budget is spent, so that nothing more is asked."""


@dataclass
class Taken:
    """Tokens of requests and of their answers, and how many were estimated."""

    answers: int = 0
    tokens_in: float = 0
    tokens_out: float = 0
    estimated: int = 0


@dataclass
class Budget:
    """What answers took, as their server says, else estimated; and at most so much of it.

    Answers on file count, so that the same command again spends no second budget.

    Args:
        max_tokens: in and out together; None for no limit.
        max_cost: in the currency of the price.
        price: of the model.
        tokens: how they are estimated.
    """

    max_tokens: float | None = None
    max_cost: float | None = None
    price: Price | None = None
    tokens: Tokens = field(default_factory=Tokens)

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.price is None:
            raise InputError("--max-cost: the price of the model is not known; give it with --price IN/OUT")
        self.asked, self.kept, self.under_way = Taken(), Taken(), 0

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.max_tokens is not None or self.max_cost is not None

    @property
    def spent(self) -> str:
        """What the limit is that was reached; empty if none was."""
        both = [self.asked, self.kept]
        if self.max_tokens is not None and self._tokens(both) >= self.max_tokens:
            return f"{self.max_tokens:,.0f} tokens"
        if self.price and self.max_cost is not None and sum(map(self._cost, both)) >= self.max_cost:
            return f"{self.max_cost:,.2f} {self.price.currency}"
        return ""

    def check(self) -> None:
        """Stop if the budget is spent."""
        if self.spent:
            raise SpentError(f"the budget of {self.spent} is spent")

    def count(self, prompts: Iterable[Any], answers: Iterable[Any], kept: bool = False) -> None:
        """Count answers to prompts: texts, chats or tokens."""
        taken = self.kept if kept else self.asked
        for prompt, answer in zip(prompts, answers, strict=False):
            said = getattr(answer, "about", {}).get("usage", {})
            sent, received = said.get("input_tokens"), said.get("output_tokens")
            taken.answers += 1
            taken.estimated += sent is None or received is None
            taken.tokens_in += self._sent(prompt) if sent is None else sent
            if received is None:  # likelihoods take one token
                received = self.tokens.count([answer]) if isinstance(answer, str) else 1
            taken.tokens_out += received

    def lines(self) -> list[str]:
        """Say what was taken in this run, and before."""
        found = []
        for told, taken in (("asked", self.asked), ("from file", self.kept)):
            if taken.answers:
                money = f", {self._cost(taken):,.2f} {self.price.currency}" if self.price else ""
                how = f" ({taken.estimated:,} answers by {self.tokens})" if taken.estimated else ""
                tokens = f"{taken.tokens_in:,.0f} in, {taken.tokens_out:,.0f} out"
                found.append(f"tokens {told}: {tokens}{money}{how}")
        return found

    def _tokens(self, taken: Iterable[Taken]) -> float:
        return sum(each.tokens_in + each.tokens_out for each in taken)

    def _cost(self, taken: Taken) -> float:
        return self.price.of(taken.tokens_in, taken.tokens_out) if self.price else 0.0

    def _sent(self, prompt: Any) -> float:
        text = getattr(prompt, "prompt", prompt)
        if not isinstance(text, str):
            return len(text)
        return (
            self.tokens.count(turn["content"] for turn in json.loads(text))
            if text is not prompt
            else (self.tokens.count([text]))
        )


class Gate:
    """A semaphore that lets nothing through once the budget is spent; what is under way comes back first."""

    def __init__(self, inner: Any, budget: Budget) -> None:
        self._inner, self._budget = inner, budget

    async def acquire(self) -> bool:
        """Wait for a turn."""
        await self._inner.acquire()
        try:
            while self._budget.spent and self._budget.under_way:
                await asyncio.sleep(0.02)
            self._budget.check()
        except BaseException:
            self._inner.release()
            raise
        self._budget.under_way += 1
        return True

    def release(self) -> None:
        """End a turn."""
        self._budget.under_way -= 1
        self._inner.release()
