"""A run of requests: planned, resumed, stopped when the service fails."""

from __future__ import annotations

import asyncio
import math
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from polbias.errors import InputError, PolbiasError
from polbias.models.chat import Service
from polbias.models.prices import Price, parse_prices
from polbias.models.recording import Recorder
from polbias.models.requests import Ask, Failure, Request, RequestsOutcome, ServiceResponse
from polbias.models.service_errors import ServiceError
from polbias.models.service_settings import settings
from polbias.models.tokens import price_of
from polbias.terminal import Console

# What a run would ask and cost, before anything is sent.


@dataclass(frozen=True)
class CostEstimate:
    """What the open requests to one model come to.

    Args:
        service: the service asked.
        requests: how many.
        sent: tokens in the requests, or characters for DeepL.
        received: tokens expected in the answers.
        most: tokens in the answers if each is as long as allowed; infinite if nothing limits them.
        price: None if nobody gave one.
    """

    service: Service
    requests: int
    sent: int
    received: float
    max_output_tokens: float
    price: Price | None

    def line(self) -> str:
        """Return the estimate as a person reads it."""
        amount = f"about {self.sent:,} tokens sent and {self.received:,} received"
        if self.service.name == "deepl":
            amount = f"{self.sent:,} characters"
        return f"{self.service.title}: {self.requests:,} to ask, {amount}, {self._cost_line()}"

    def _cost_line(self) -> str:
        if self.price is None:
            reason = "no price listed" if self.service.has_list_price else "a server of your own"
            return f"cost unknown ({reason}; give one with --price)"
        cost = f"about {self.price.of(self.sent, self.received):.4f} {self.price.currency}"
        if self.max_output_tokens < math.inf:
            cost += f", at most {self.price.of(self.sent, self.max_output_tokens):.4f} {self.price.currency}"
        return f"{cost} ({self.price.source})"


@dataclass(frozen=True)
class RequestPlan:
    """What a run will do.

    Args:
        requests: all of them, in order.
        recorded: how many have an answer on file.
        open: those without, each question once.
        repeated: how many are the same question as another open one.
        estimates: one for each service and model.
        replay: whether nothing may be asked.
    """

    requests: Sequence[Request]
    recorded: int
    open: Sequence[Request]
    n_repeated: int
    estimates: Sequence[CostEstimate]
    replay: bool = False

    def lines(self) -> list[str]:
        """Return the plan as lines to show."""
        repeated = f", {self.n_repeated:,} the same as another" if self.n_repeated else ""
        to_ask = f"{len(self.open):,} {'not recorded' if self.replay else 'to ask'}"
        lines = [f"{len(self.requests):,} requests: {self.recorded:,} recorded, {to_ask}{repeated}"]
        return lines + ([] if self.replay else [estimate.line() for estimate in self.estimates])


def plan(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    prices: Mapping[str, Price] | None = None,
) -> RequestPlan:
    """Look up what is recorded and estimate the rest. Needs neither key nor network."""
    requests = tuple(requests)
    unanswered = [request for request in requests if recorder.find(request) is None]
    distinct = list({request.key: request for request in reversed(unanswered)}.values())[::-1]
    grouped = [] if recorder.replay else _by_service(distinct, services)
    return RequestPlan(
        requests,
        len(requests) - len(unanswered),
        distinct,
        len(unanswered) - len(distinct),
        [_estimate(service, own, prices or {}) for service, own in grouped],
        recorder.replay,
    )


def _by_service(
    requests: Iterable[Request], services: Sequence[Service]
) -> list[tuple[Service, list[Request]]]:
    """Group requests by the service that they are for, in the order of the services."""
    groups: dict[tuple[str, str], list[Request]] = {(each.name, each.model): [] for each in services}
    for request in requests:
        if (request.service, request.model) not in groups:
            raise InputError(
                f"request {request.id}: is for {request.service} {request.model}".rstrip()
                + ", which is none of the services of this run"
            )
        groups[request.service, request.model].append(request)
    return [pair for pair in zip(services, groups.values(), strict=True) if pair[1]]


def estimate_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """Estimate the tokens of a chat from its characters."""
    rule = settings().tokens
    return math.ceil(sum(len(m["content"]) / rule.characters_per_token + rule.per_message for m in messages))


def _estimate(service: Service, requests: Sequence[Request], prices: Mapping[str, Price]) -> CostEstimate:
    received, most = 0.0, math.inf
    if service.name == "deepl":
        sent = sum(len(request.payload["text"]) for request in requests)
    else:
        sent = sum(estimate_tokens(request.payload["messages"]) for request in requests)
        limits = [request.payload.get("max_output_tokens", math.inf) for request in requests]
        received = sum(map(min, (request.expected_tokens for request in requests), limits))
        most = sum(limits)
    price = price_of(service.model, prices, service.name, listed=service.has_list_price)
    return CostEstimate(service, len(requests), sent, received, most, price)


# Ask services: estimate, consent, progress, resume, and a report in which nothing is lost.

_GIVE_UP_AFTER = 10  # failures of a service in a row: it is down, and asking on helps nobody


def run_requests(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    *,
    prices: Mapping[str, Price] | None = None,
    yes: bool = False,
    console: Console | None = None,
) -> RequestsOutcome:
    """Answer requests, from the recording or from the services.

    The plan with its estimate is shown first. Nothing is sent unless it is accepted. A failure of one
    request stops no other, but a wrong key, an unknown model, an empty account or ten failures of a
    service in a row end the asking of that service.
    """
    console = console or Console(stderr=True)
    planned = plan(requests, services, recorder, prices)
    _show(console, [*filter(None, [recorder.notice]), *planned.lines()])
    if planned.open and not planned.replay:
        for estimate in planned.estimates:
            estimate.service.check()
        _accept(planned, yes)
    failures: dict[str, ServiceError] = {}
    usage: Counter[str] = Counter()
    if planned.replay:
        missing = ServiceError(f"{recorder.path}: no answer is recorded", "unrecorded")
        failures = {request.key: missing for request in planned.open}
    elif planned.open:
        failures = asyncio.run(_ask_all(planned, services, recorder, console, usage))
    outcome = RequestsOutcome(
        [recorder.find(request) for request in planned.requests],
        [Failure(request, failures[request.key]) for request in planned.open if request.key in failures],
        len(planned.open) - len(failures),
        planned.recorded,
        usage,
    )
    if planned.open:
        _show(console, outcome.lines())
    return outcome


def answer_requests(
    requests: Sequence[Request],
    services: Sequence[Service],
    record: Path,
    replay: bool,
    price: Sequence[str] | None,
    yes: bool,
) -> RequestsOutcome:
    """Ask services what is not recorded yet, at a price that is accepted."""
    prices = parse_prices(price or [])
    with Recorder(record, replay) as recorder:
        return run_requests(requests, services, recorder, prices=prices, yes=yes)


def _show(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _accept(planned: RequestPlan, yes: bool) -> None:
    from rich.prompt import Confirm

    if yes:
        return
    if not sys.stdin.isatty():
        raise PolbiasError("nothing was sent: the estimate must be accepted; run again with --yes")
    question = f"Send {len(planned.open):,} requests?"
    if not Confirm.ask(question, default=False, console=Console(stderr=True)):
        raise PolbiasError("nothing was sent: the estimate was not accepted")


async def _ask_all(
    planned: RequestPlan,
    services: Sequence[Service],
    recorder: Recorder,
    console: Console,
    usage: Counter[str],
) -> dict[str, ServiceError]:
    """Ask every open request; return the failures by key."""
    failures: dict[str, ServiceError] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("asking", total=len(planned.open))

        def done(request: Request, result: ServiceResponse | ServiceError) -> None:
            if isinstance(result, ServiceResponse):
                recorder.record(request, result)
                usage.update({f"{request.service} {unit}": count for unit, count in result.usage.items()})
            else:
                failures[request.key] = result
            failed = f", {len(failures)} failed" if failures else ""
            progress.update(task, advance=1, description=f"asking{failed}")

        try:
            async with asyncio.TaskGroup() as group:
                for service, own in _by_service(planned.open, services):
                    group.create_task(_Queue(service, deque(own), done).serve())
        except* PolbiasError as group_of_errors:
            error: BaseException = group_of_errors
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise error from None
    return failures


class _Queue:
    """The requests to one service, and whether it still makes sense to ask it."""

    def __init__(
        self,
        service: Service,
        waiting: deque[Request],
        done: Callable[[Request, ServiceResponse | ServiceError], None],
    ) -> None:
        self._service, self._waiting, self._done = service, waiting, done
        self._in_a_row = 0
        self._stopped = False

    async def serve(self) -> None:
        """Ask until nothing is waiting or the service has proved useless."""
        async with self._service.session() as ask, asyncio.TaskGroup() as group:
            for _ in range(min(self._service.concurrency, len(self._waiting))):
                group.create_task(self._work(ask))
        reason = (
            f"{self._service.name} at {self._service.server}: not asked, because requests before it failed"
        )
        for request in self._waiting:
            self._done(request, ServiceError(reason, "not-asked"))

    async def _work(self, ask: Ask) -> None:
        while self._waiting and not self._stopped:
            request = self._waiting.popleft()
            try:
                self._done(request, await ask(request))
                self._in_a_row = 0
            except ServiceError as error:
                self._in_a_row += error.is_service_wide
                self._stopped = self._stopped or error.fatal or self._in_a_row >= _GIVE_UP_AFTER
                self._done(request, error)
