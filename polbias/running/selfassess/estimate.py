"""What a stage would ask and cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polbias.files import InputError
from polbias.generators.selfassess.choices import Design
from polbias.models import Price, settings
from polbias.models.run import estimate_tokens
from polbias.running.stage import Row

_FACTORIAL = {2: 2, 3: 6}
_QUESTION_TOKENS = 60  # a question of Table 6 with its headings and its beginning of an answer


@dataclass(frozen=True)
class Estimate:
    """What is still to be asked in a stage.

    Args:
        stage: its name.
        requests: how many.
        sent: tokens in the requests, estimated from their characters.
        received: tokens in the answers, if each is as long as allowed.
    """

    stage: str
    requests: int
    sent: int
    received: int

    def line(self, price: Price | None) -> str:
        """Return the estimate as a person reads it."""
        cost = "" if price is None else f", at most about {self.cost(price):.2f} {price.currency}"
        tokens = f"about {self.sent:,} tokens sent and at most {self.received:,} received"
        return f"{self.stage}: {self.requests:,} to ask, {tokens}{cost}"

    def after(self, done: int) -> Estimate:
        """Return what is left when so many requests are answered, each counting alike."""
        left = max(0, self.requests - done)
        share = left / self.requests if self.requests else 0.0
        return Estimate(self.stage, left, round(self.sent * share), round(self.received * share))

    def cost(self, price: Price) -> float:
        """Return what it costs at most, in the currency of the price."""
        return price.of(self.sent, self.received)


def of_rows(stage: str, rows: Sequence[Row]) -> Estimate:
    """Estimate rows that are there."""
    sent = sum(estimate_tokens(row.request.messages) for row in rows)
    return Estimate(stage, len(rows), sent, sum(row.request.max_tokens for row in rows))


def of_choices(stage: str, items: int, design: Design, article_tokens: int, answer_tokens: int) -> Estimate:
    """Estimate questions about articles that are not written yet, each as long as it may be.

    Args:
        stage: its name.
        items: how many.
        design: which questions.
        article_tokens: at most so many has an article.
        answer_tokens: at most so many has an answer.
    """
    each = items * len(design.roles) * len(design.questions)
    asked = {ways: each * (_FACTORIAL[ways] if design.orders == "all" else 1) for ways in design.ways}
    sent = sum(count * (ways * article_tokens + _QUESTION_TOKENS) for ways, count in asked.items())
    requests = sum(asked.values())
    return Estimate(stage, requests, sent, requests * answer_tokens)


def price_of(model: str, given: dict[str, Price], list_priced: bool) -> Price | None:
    """Return the price of a model: what the user says, else the provider's list, else None."""
    price = given.get(model) or given.get("")
    return price or (settings().list_price("openai", model) if list_priced else None)


def check_limit(estimates: Sequence[Estimate], price: Price | None, limit: float | None) -> None:
    """Refuse a run that may cost more than a limit.

    Raises:
        InputError: if it may, or nobody knows the price.
    """
    if limit is None:
        return
    if price is None:
        raise InputError(
            "--limit-cost: the price is not known; give it with --price, such as --price 0.5/1.5"
        )
    cost = sum(estimate.cost(price) for estimate in estimates)
    if cost > limit:
        raise InputError(
            f"--limit-cost: the run may cost {cost:.2f} {price.currency}, the limit is {limit:.2f}; nothing "
            "was sent: take fewer items (--n), one order (--orders seeded), or raise the limit"
        )
