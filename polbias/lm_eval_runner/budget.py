"""Count the tokens of a run, and stop it at a limit of tokens or cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from polbias.errors import InputError
from polbias.limits import MAX_BODY
from polbias.lm_eval_runner.requests import MultipleAnswers, RequestRejected
from polbias.models.bodies import is_token_count
from polbias.models.prices import Price
from polbias.models.tokens import COUNTING_RULE, estimate_tokens


class BudgetExceededError(RequestRejected):
    """The budget is spent: no further request is sent."""


@dataclass
class TokenUsage:
    """Tokens of requests and answers, and the number of answers with estimated tokens."""

    tokens_in: float = 0
    tokens_out: float = 0
    n_estimated: int = 0


@dataclass
class Budget:
    """Tokens used by a run, as the server counts them or estimated, and their limits.

    Cached answers count: rerunning a command does not spend a second budget.

    Args:
        max_tokens: limit of input plus output tokens; None for no limit.
        max_cost: limit of the cost, in the currency of the price.
        price: price of the model.
        max_answer_bytes: longest response body that is read.
        used: tokens of answers from the model.
        from_cache: tokens of cached answers.
        n_in_flight: requests without an answer yet.
    """

    max_tokens: float | None = None
    max_cost: float | None = None
    price: Price | None = None
    max_answer_bytes: int = MAX_BODY
    used: TokenUsage = field(default_factory=TokenUsage)
    from_cache: TokenUsage = field(default_factory=TokenUsage)
    n_in_flight: int = 0

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.price is None:
            raise InputError("--max-cost: the price of the model is unknown; give it with --price IN/OUT")

    @property
    def is_spent(self) -> bool:
        """Whether a limit is reached."""
        usages = self.used, self.from_cache
        sent, received = sum(usage.tokens_in for usage in usages), sum(usage.tokens_out for usage in usages)
        cost = self.price.of(sent, received) if self.price else 0
        limits = ((self.max_tokens, sent + received), (self.max_cost, cost))
        return any(limit is not None and amount >= limit for limit, amount in limits)

    def check(self) -> None:
        """Raise BudgetExceededError if the budget is spent."""
        if self.is_spent:
            raise BudgetExceededError("the budget is spent")

    def count(self, arguments: Sequence[Any], answer: Any, *, is_cached: bool = False) -> None:
        """Add the tokens of a request and its answer, or its several answers."""
        if isinstance(answer, MultipleAnswers):
            for text in answer.texts:
                self.count(arguments, text, is_cached=is_cached)
            return
        metadata = getattr(answer, "metadata", {})
        usage, reported = self.from_cache if is_cached else self.used, metadata.get("usage", {})
        if "filter" in metadata and not reported:  # a filter rejected the request: no tokens
            return
        sent, received = (
            reported[name] if is_token_count(reported.get(name)) else None
            for name in ("input_tokens", "output_tokens")
        )
        if not received and isinstance(answer, str) and answer.strip() and not metadata.get("filtered"):
            received = None  # a text has tokens: the server does not count them
        usage.n_estimated += sent is None or received is None
        usage.tokens_in += estimate_tokens(_texts(*arguments[:2])) if sent is None else sent
        if received is None:  # a likelihood is one token
            received = estimate_tokens([answer]) if isinstance(answer, str) else 1
        usage.tokens_out += received

    def lines(self) -> Iterator[str]:
        """Yield a line each on the tokens of the model's answers and of cached answers."""
        for source, usage in (("of requests", self.used), ("from cache", self.from_cache)):
            tokens = usage.tokens_in, usage.tokens_out
            if any(tokens):
                money = f", {self.price.of(*tokens):,.2f} {self.price.currency}" if self.price else ""
                note = f" ({usage.n_estimated:,} answers by {COUNTING_RULE})" if usage.n_estimated else ""
                yield f"tokens {source}: {tokens[0]:,.0f} in, {tokens[1]:,.0f} out{money}{note}"


def _texts(prompt: Any, label: Any) -> list[str]:
    """Return the texts of a request: the messages of a chat, or the prompt and the label to score."""
    if isinstance(prompt, str):
        return [prompt, label] if isinstance(label, str) else [prompt]
    return [turn["content"] for turn in json.loads(prompt.prompt)]


class BudgetSemaphore:
    """Semaphore that raises once the budget is spent and no request is in flight."""

    def __init__(self, inner: Any, budget: Budget) -> None:
        self._inner, self._budget = inner, budget

    async def acquire(self) -> bool:
        """Acquire, or raise BudgetExceededError once all requests in flight have returned."""
        await self._inner.acquire()
        while self._budget.is_spent and self._budget.n_in_flight:
            await asyncio.sleep(0.02)
        self._budget.check()
        self._budget.n_in_flight += 1
        return True

    def release(self) -> None:
        """Release."""
        self._budget.n_in_flight -= 1
        self._inner.release()
