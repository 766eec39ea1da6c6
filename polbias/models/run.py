"""What a run would ask and cost, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from polbias.files import InputError
from polbias.generators.services.prices import Price
from polbias.models.prompts import settings
from polbias.models.recording import Recorder
from polbias.models.requests import Request, Service


@dataclass(frozen=True)
class Estimate:
    """What the open requests to one model come to.

    Args:
        service: the service asked.
        requests: how many.
        sent: tokens in the requests, or characters for DeepL.
        received: tokens expected in the answers.
        most: tokens in the answers if each is as long as allowed; None if nothing limits them.
        price: None if nobody gave one.
        open_ended: requests whose answers may have any length; they are not in `received`.
    """

    service: Service
    requests: int
    sent: int
    received: int
    most: int | None
    price: Price | None
    open_ended: int = 0

    @property
    def cost(self) -> float | None:
        """The expected cost, in the currency of the price."""
        return None if self.price is None else self.price.of(self.sent, self.received)

    @property
    def most_cost(self) -> float | None:
        """The cost if every answer is as long as allowed."""
        return None if self.price is None or self.most is None else self.price.of(self.sent, self.most)

    def line(self) -> str:
        """Return the estimate as a person reads it."""
        name = " ".join(filter(None, (self.service.name, self.service.model)))
        if self.service.name == "deepl":
            amount = f"{self.sent:,} characters"
        else:
            amount = f"about {self.sent:,} tokens sent and {self.received:,} received"
            if self.open_ended:
                amount += f", and {self.open_ended:,} answers of unknown length"
        return f"{name} at {self.service.server}: {self.requests:,} to ask, {amount}, {self._cost_line()}"

    def _cost_line(self) -> str:
        if self.price is None:
            reason = "no price listed" if self.service.list_priced else "a server of your own"
            return f"cost unknown ({reason}; give one with --price)"
        cost = f"about {self.cost:.4f} {self.price.currency}"
        if self.most_cost is not None and self.service.name != "deepl":
            cost += f", at most {self.most_cost:.4f} {self.price.currency}"
        return f"{cost} ({self.price.source})"


@dataclass(frozen=True)
class Plan:
    """What a run will do.

    Args:
        requests: all of them, in order.
        recorded: how many have an answer on file.
        open: those without, each question once.
        repeated: how many are the same question as another open one.
        estimates: one for each service and model.
        dropped_line: the line of the recording that a killed run left incomplete.
        replay: whether nothing may be asked.
    """

    requests: Sequence[Request]
    recorded: int
    open: Sequence[Request]
    repeated: int
    estimates: Sequence[Estimate]
    dropped_line: int | None = None
    replay: bool = False

    def lines(self) -> list[str]:
        """Return the plan as lines to show."""
        repeated = f", {self.repeated:,} the same as another" if self.repeated else ""
        to_ask = f"{len(self.open):,} {'not recorded' if self.replay else 'to ask'}"
        lines = [f"{len(self.requests):,} requests: {self.recorded:,} recorded, {to_ask}{repeated}"]
        if self.dropped_line is not None:
            lines.append(
                f"line {self.dropped_line} of the recording is incomplete; that request is asked again"
            )
        return lines + ([] if self.replay else [estimate.line() for estimate in self.estimates])


def plan(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    prices: Mapping[str, Price] | None = None,
) -> Plan:
    """Look up what is recorded and estimate the rest. Needs neither key nor network.

    Args:
        requests: what is wanted.
        services: what can be asked.
        recorder: recorded answers.
        prices: prices by model, ``"deepl"``, or ``""`` for every chat model; before the price list.

    Raises:
        InputError: if a request that is not recorded is for none of the services.
    """
    requests = tuple(requests)
    unanswered = [request for request in requests if recorder.find(request) is None]
    distinct = list({request.key: request for request in reversed(unanswered)}.values())[::-1]
    replay = recorder.mode == "replay"
    estimates = [] if replay else _estimates(distinct, services, prices or {})
    return Plan(
        requests,
        len(requests) - len(unanswered),
        tuple(distinct),
        len(unanswered) - len(distinct),
        tuple(estimates),
        recorder.dropped_line,
        replay,
    )


def service_of(request: Request, services: Sequence[Service]) -> Service:
    """Return the service that a request is for.

    Raises:
        InputError: if none is.
    """
    for service in services:
        if (service.name, service.model) == (request.service, request.model):
            return service
    raise InputError(
        f"request {request.id}: is for {request.service} {request.model}".rstrip()
        + ", which is none of the services of this run"
    )


def estimate_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """Estimate the tokens of a chat from its characters."""
    rule = settings().tokens
    return math.ceil(sum(len(m["content"]) / rule.characters_per_token + rule.per_message for m in messages))


def _estimates(
    requests: Sequence[Request], services: Sequence[Service], prices: Mapping[str, Price]
) -> list[Estimate]:
    by_service: dict[int, list[Request]] = {}
    for request in requests:
        by_service.setdefault(services.index(service_of(request, services)), []).append(request)
    return [_estimate(services[index], group, prices) for index, group in sorted(by_service.items())]


def _estimate(service: Service, requests: Sequence[Request], prices: Mapping[str, Price]) -> Estimate:
    if service.name == "deepl":
        price = prices.get("deepl")
        sent, received, most = sum(len(request.payload["text"]) for request in requests), 0, None
        unknown = 0
    else:
        price = prices.get(service.model) or prices.get("")
        sent = sum(estimate_tokens(request.payload["messages"]) for request in requests)
        limits = [limit for request in requests if (limit := _limit(request)) is not None]
        most = sum(limits) if len(limits) == len(requests) else None
        expected = [count for request in requests if (count := _expected(request)) is not None]
        received, unknown = sum(expected), len(requests) - len(expected)
    if price is None and service.list_priced:
        price = settings().list_price(service.name, service.model)
    return Estimate(service, len(requests), sent, received, most, price, unknown)


def _limit(request: Request) -> int | None:
    limit = request.payload.get("max_output_tokens")
    return limit if isinstance(limit, int) else None


def _expected(request: Request) -> int | None:
    known = [count for count in (request.expected_tokens, _limit(request)) if count is not None]
    return min(known, default=None)
