"""Ask services: estimate, consent, progress, resume, and a report in which nothing is lost."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from polbias.files import PolbiasError
from polbias.generators.services.errors import ServiceError
from polbias.generators.services.outcome import Failure, Outcome
from polbias.generators.services.prices import Price
from polbias.models.recording import Recorder
from polbias.models.requests import Answer, Ask, Request, Service
from polbias.models.run import Plan, plan, service_of

_GIVE_UP_AFTER = 10  # failures of a service in a row: it is down, and asking on helps nobody


def run(
    requests: Iterable[Request],
    services: Sequence[Service],
    recorder: Recorder,
    *,
    prices: Mapping[str, Price] | None = None,
    yes: bool = False,
    confirm: Callable[[str], bool] | None = None,
    console: Console | None = None,
) -> Outcome:
    """Answer requests, from the recording or from the services.

    The plan with its estimate is shown first. Nothing is sent unless it is accepted. A failure of one
    request stops no other, but a wrong key, an unknown model, an empty account or ten failures of a
    service in a row end the asking of that service.

    Args:
        requests: what is wanted.
        services: what can be asked, such as `Chat` and `Translate`.
        recorder: where answers are found and kept; in a replay nothing is asked.
        prices: see `plan`.
        yes: accept the estimate without a question.
        confirm: asks whether to go on; a question on the terminal unless given.
        console: where plan, progress and report are shown; standard error unless given.

    Raises:
        PolbiasError: if a key or client is missing, the estimate is not accepted, or an answer cannot be
            recorded. Nothing has been sent then, or all that was answered is recorded.
    """
    console = console or Console(stderr=True)
    planned = plan(requests, services, recorder, prices)
    _show(console, planned.lines())
    if planned.open and not planned.replay:
        for estimate in planned.estimates:
            estimate.service.check()
        _accept(planned, yes, confirm)
        recorder.prepare()
    failures: dict[str, ServiceError] = {}
    usage: Counter[str] = Counter()
    if planned.replay:
        missing = ServiceError(f"{recorder.path}: no answer is recorded", "unrecorded")
        failures = {request.key: missing for request in planned.open}
    elif planned.open:
        failures = asyncio.run(_ask_all(planned, services, recorder, console, usage))
    outcome = Outcome(
        [recorder.find(request) for request in planned.requests],
        [Failure(request, failures[request.key]) for request in planned.open if request.key in failures],
        len(planned.open) - len(failures),
        planned.recorded,
        usage,
    )
    if planned.open:
        _show(console, outcome.lines())
    return outcome


def _show(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _accept(planned: Plan, yes: bool, confirm: Callable[[str], bool] | None) -> None:
    if yes:
        return
    if confirm is None:
        if not sys.stdin.isatty():
            raise PolbiasError("nothing was sent: the estimate must be accepted; run again with --yes")
        confirm = _ask_on_terminal
    if not confirm(f"Send {len(planned.open):,} requests?"):
        raise PolbiasError("nothing was sent: the estimate was not accepted")


def _ask_on_terminal(question: str) -> bool:
    from rich.prompt import Confirm

    return Confirm.ask(question, default=False, console=Console(stderr=True))


async def _ask_all(
    planned: Plan, services: Sequence[Service], recorder: Recorder, console: Console, usage: Counter[str]
) -> dict[str, ServiceError]:
    """Ask every open request; return the failures by key."""
    failures: dict[str, ServiceError] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("asking", total=len(planned.open))

        def done(request: Request, result: Answer | ServiceError) -> None:
            if isinstance(result, Answer):
                recorder.record(request, result)
                usage.update({f"{request.service} {unit}": count for unit, count in result.usage.items()})
            else:
                failures[request.key] = result
            failed = f", {len(failures)} failed" if failures else ""
            progress.update(task, advance=1, description=f"asking{failed}")

        waiting: dict[int, deque[Request]] = {}
        for request in planned.open:
            waiting.setdefault(services.index(service_of(request, services)), deque()).append(request)
        try:
            async with asyncio.TaskGroup() as group:
                for index, queue in waiting.items():
                    group.create_task(_Queue(services[index], queue, done).serve())
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
        done: Callable[[Request, Answer | ServiceError], None],
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
                self._in_a_row += error.of_the_service
                self._stopped = self._stopped or error.fatal or self._in_a_row >= _GIVE_UP_AFTER
                self._done(request, error)
