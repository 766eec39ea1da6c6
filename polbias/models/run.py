"""Runs of requests: plan, send or resume, and stop when the service fails."""

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

# Plan and cost estimate, before any request is sent.


@dataclass(frozen=True)
class CostEstimate:
    """Cost estimate of the requests to one model that have no recorded response.

    Args:
        service: the service.
        requests: number of requests.
        sent: tokens in the requests, or characters for DeepL.
        received: expected tokens in the responses.
        max_output_tokens: upper limit of the tokens in the responses; infinite without a limit.
        price: price of the model; None if unknown.
    """

    service: Service
    requests: int
    sent: int
    received: float
    max_output_tokens: float
    price: Price | None

    def line(self) -> str:
        """Return the estimate as a line of text."""
        amount = f"about {self.sent:,} tokens sent and {self.received:,} received"
        if self.service.name == "deepl":
            amount = f"{self.sent:,} characters"
        return f"{self.service.title}: {self.requests:,} to send, {amount}, {self._cost_line()}"

    def _cost_line(self) -> str:
        if self.price is None:
            return f"cost unknown ({self.service.no_price_reason}; give one with --price)"
        cost = f"about {self.price.of(self.sent, self.received):.4f} {self.price.currency}"
        if self.max_output_tokens < math.inf:
            cost += f", at most {self.price.of(self.sent, self.max_output_tokens):.4f} {self.price.currency}"
        return f"{cost} ({self.price.source})"


@dataclass(frozen=True)
class RequestPlan:
    """Plan of a run.

    Args:
        requests: all requests, in order.
        recorded: number of requests with a recorded response.
        open: distinct requests without a recorded response.
        n_repeated: number of requests that repeat an open request.
        estimates: a cost estimate per service and model.
        replay: whether no request may be sent.
    """

    requests: Sequence[Request]
    recorded: int
    open: Sequence[Request]
    n_repeated: int
    estimates: Sequence[CostEstimate]
    replay: bool = False

    def lines(self) -> list[str]:
        """Return the plan as lines of text."""
        repeats = f", {self.n_repeated:,} the same as another" if self.n_repeated else ""
        open_requests = f"{len(self.open):,} {'not recorded' if self.replay else 'to send'}"
        lines = [f"{len(self.requests):,} requests: {self.recorded:,} recorded, {open_requests}{repeats}"]
        return lines + ([] if self.replay else [estimate.line() for estimate in self.estimates])


def plan_requests(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    prices: Mapping[str, Price] | None = None,
) -> RequestPlan:
    """Look up recorded responses and estimate the cost of the others; needs neither key nor network."""
    requests = tuple(requests)
    unanswered = [request for request in requests if recorder.find(request) is None]
    distinct = list({request.key: request for request in reversed(unanswered)}.values())[::-1]
    service_groups = [] if recorder.replay else _group_by_service(distinct, services)
    return RequestPlan(
        requests,
        len(requests) - len(unanswered),
        distinct,
        len(unanswered) - len(distinct),
        [_estimate(service, service_requests, prices or {}) for service, service_requests in service_groups],
        recorder.replay,
    )


def _group_by_service(
    requests: Iterable[Request], services: Sequence[Service]
) -> list[tuple[Service, list[Request]]]:
    """Group requests by service, in the order of the services."""
    groups: dict[tuple[str, str], list[Request]] = {(service.name, service.model): [] for service in services}
    for request in requests:
        if (request.service, request.model) not in groups:
            raise InputError(
                f"request {request.id}: found {request.service} {request.model}".rstrip()
                + ", expected one of the services of this run"
            )
        groups[request.service, request.model].append(request)
    return [pair for pair in zip(services, groups.values(), strict=True) if pair[1]]


def estimate_tokens(messages: Iterable[Mapping[str, str]]) -> int:
    """Estimate the tokens of a chat from its characters."""
    rule = settings().tokens
    return math.ceil(
        sum(len(message["content"]) / rule.characters_per_token + rule.per_message for message in messages)
    )


def _estimate(service: Service, requests: Sequence[Request], prices: Mapping[str, Price]) -> CostEstimate:
    received, max_output_tokens = 0.0, math.inf
    if service.name == "deepl":
        sent = sum(len(request.payload["text"]) for request in requests)
    else:
        sent = sum(estimate_tokens(request.payload["messages"]) for request in requests)
        limits = [request.payload.get("max_output_tokens", math.inf) for request in requests]
        received = sum(map(min, (request.expected_tokens for request in requests), limits))
        max_output_tokens = sum(limits)
    price = price_of(service.model, prices, service.name, has_list_price=service.has_list_price)
    return CostEstimate(service, len(requests), sent, received, max_output_tokens, price)


# Send requests: estimate, confirm, show progress, resume, report.

_MAX_CONSECUTIVE_FAILURES = 10  # failures of a service; it is probably down


def run_requests(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    *,
    prices: Mapping[str, Price] | None = None,
    yes: bool = False,
    console: Console | None = None,
) -> RequestsOutcome:
    """Return responses from the recording, and send the other requests to the services.

    The plan and its cost estimate are printed first, and requests are sent only after confirmation. A service
    that is not reachable raises a `ServiceError` before the first of them. A failed request does not stop the
    others. A wrong key, an unknown model, an exhausted account or ten consecutive failures of a service stop
    the requests to this service.
    """
    console = console or Console(stderr=True)
    plan = plan_requests(requests, services, recorder, prices)
    _print_lines(console, [*filter(None, [recorder.notice]), *plan.lines()])
    if plan.open and not plan.replay:
        for estimate in plan.estimates:
            estimate.service.check()
        _confirm(plan, yes)
        asyncio.run(_reach_all(estimate.service for estimate in plan.estimates))
    failures: dict[str, ServiceError] = {}
    usage: Counter[str] = Counter()
    if plan.replay:
        missing = ServiceError(f"{recorder.path}: no response is recorded", "unrecorded")
        failures = {request.key: missing for request in plan.open}
    elif plan.open:
        failures = asyncio.run(_send_all(plan, services, recorder, console, usage))
    outcome = RequestsOutcome(
        [recorder.find(request) for request in plan.requests],
        [Failure(request, failures[request.key]) for request in plan.open if request.key in failures],
        len(plan.open) - len(failures),
        plan.recorded,
        usage,
    )
    if plan.open:
        _print_lines(console, outcome.lines())
    return outcome


def answer_requests(
    requests: Sequence[Request],
    services: Sequence[Service],
    record: Path,
    replay: bool,
    price: Sequence[str] | None,
    yes: bool,
) -> RequestsOutcome:
    """Answer requests from a recording, and send the others after confirmation of their cost."""
    prices = parse_prices(price or [])
    with Recorder(record, replay) as recorder:
        return run_requests(requests, services, recorder, prices=prices, yes=yes)


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _confirm(plan: RequestPlan, yes: bool) -> None:
    from rich.prompt import Confirm

    if yes:
        return
    if not sys.stdin.isatty():
        raise PolbiasError("no request was sent: the estimate must be accepted; run again with --yes")
    question = f"Send {len(plan.open):,} requests?"
    if not Confirm.ask(question, default=False, console=Console(stderr=True)):
        raise PolbiasError("no request was sent: the estimate was not accepted")


async def _reach_all(services: Iterable[Service]) -> None:
    """Raise the first error of a service that is not reachable."""
    await asyncio.gather(*(service.reach() for service in services))


async def _send_all(
    plan: RequestPlan,
    services: Sequence[Service],
    recorder: Recorder,
    console: Console,
    usage: Counter[str],
) -> dict[str, ServiceError]:
    """Send all open requests; return the failures by key."""
    failures: dict[str, ServiceError] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("sending", total=len(plan.open))

        def handle_result(request: Request, result: ServiceResponse | ServiceError) -> None:
            if isinstance(result, ServiceResponse):
                recorder.record(request, result)
                usage.update({f"{request.service} {unit}": count for unit, count in result.usage.items()})
            else:
                failures[request.key] = result
            failure_count = f", {len(failures)} failed" if failures else ""
            progress.update(task, advance=1, description=f"sending{failure_count}")

        try:
            async with asyncio.TaskGroup() as group:
                for service, service_requests in _group_by_service(plan.open, services):
                    group.create_task(_Queue(service, deque(service_requests), handle_result).serve())
        except* PolbiasError as group_of_errors:
            error: BaseException = group_of_errors
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise error from None
    return failures


class _Queue:
    """Queue of the requests to one service, which stops when the service fails."""

    def __init__(
        self,
        service: Service,
        pending: deque[Request],
        handle_result: Callable[[Request, ServiceResponse | ServiceError], None],
    ) -> None:
        self._service, self._pending, self._handle_result = service, pending, handle_result
        self._n_consecutive_failures = 0
        self._stopped = False

    async def serve(self) -> None:
        """Send requests until none is pending or the service failed."""
        async with self._service.session() as ask, asyncio.TaskGroup() as group:
            for _ in range(min(self._service.concurrency, len(self._pending))):
                group.create_task(self._send_pending(ask))
        reason = f"{self._service.name} at {self._service.server}: not sent, because earlier requests failed"
        for request in self._pending:
            self._handle_result(request, ServiceError(reason, "not-asked"))

    async def _send_pending(self, ask: Ask) -> None:
        while self._pending and not self._stopped:
            request = self._pending.popleft()
            try:
                self._handle_result(request, await ask(request))
                self._n_consecutive_failures = 0
            except ServiceError as error:
                self._n_consecutive_failures += error.is_service_wide
                self._stopped = (
                    self._stopped or error.fatal or self._n_consecutive_failures >= _MAX_CONSECUTIVE_FAILURES
                )
                self._handle_result(request, error)
