"""Requests, their outcomes, errors and prices."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from polbias.aliases import Document, Json
from polbias.errors import InputError, PolbiasError

# A request to a service, its identity, and an answer.


def canonical(data: object) -> str:
    """Return data as the one JSON text that stands for it: sorted keys, no blanks, no NaN."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Request:
    """One question to a service.

    Two requests are the same if service, model and payload are; the id is the caller's own. To have
    several answers to one question, put a ``seed`` into its parameters.

    Args:
        id: what the caller knows it by, in reports.
        service: ``"openai"`` (any server that speaks its language) or ``"deepl"``.
        model: the model asked for; may be empty for DeepL.
        payload: messages or text, and all parameters, as JSON.
        expected_tokens: tokens of the expected answer, for the estimate only.

    Raises:
        InputError: if the payload is not JSON.
    """

    id: str
    service: str
    model: str
    payload: Document
    expected_tokens: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        try:
            self.text.encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"request {self.id}: cannot be written as JSON ({error})") from None

    @property
    def content(self) -> Json:
        """All that makes the request what it is."""
        return {"service": self.service, "model": self.model, **self.payload}

    @cached_property
    def text(self) -> str:
        """The request as canonical JSON."""
        return canonical(self.content)

    @cached_property
    def key(self) -> str:
        """SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class ServiceResponse:
    """What a service answered.

    Args:
        text: the answer; empty only if `finish` says why.
        finish: how it ended: ``stop``, ``length`` (cut off), ``too_long`` (longer than is read), ``refusal``,
            ``content_filter`` or what the server says.
        model: the model that the server says it used.
        usage: what is billed: ``input_tokens`` and ``output_tokens``, or ``characters``.
    """

    text: str
    finish: str = "stop"
    model: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


Ask = Callable[[Request], Awaitable[ServiceResponse]]


# What can go wrong with a service, in words that hold no key.

PAUSE = 0.25  # seconds before an answer that cannot be used is asked for again; doubled each time
TRIES = 3

Kind = Literal[
    "auth",  # the key is wrong or may not do this
    "quota",  # the account has nothing left
    "missing",  # no such model or address
    "request",  # the service refuses this request
    "rate",  # too many requests, still after all retries
    "server",
    "timeout",
    "connection",
    "answer",  # an answer came that cannot be used
    "client",  # the official client failed in a way it does not document
    "unrecorded",  # a replay, and no answer was recorded
    "not-asked",  # the run stopped before
]
_FATAL = frozenset({"auth", "quota", "missing"})
_OF_THE_SERVICE = frozenset({"request", "rate", "server", "timeout", "connection", "client"})


class ServiceError(PolbiasError):
    """One request to a service that got no usable answer.

    Args:
        message: one line, without a key (see `safe_text.scrub`).
        kind: what went wrong.
        again: whether asking again at once may help, and the client has not done so; of an answer that
            cannot be used it may.
    """

    def __init__(self, message: str, kind: Kind, *, again: bool | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.again = kind == "answer" if again is None else again

    @property
    def fatal(self) -> bool:
        """Whether every further request would fail for the same reason."""
        return self.kind in _FATAL

    @property
    def of_the_service(self) -> bool:
        """Whether it says something about the service rather than about this one answer."""
        return self.kind in _OF_THE_SERVICE


async def with_patience(ask: Callable[[], Awaitable[ServiceResponse]]) -> ServiceResponse:
    """Ask, and ask again where that may help: for what the client of a service lets through."""
    for attempt in range(TRIES - 1):
        try:
            return await ask()
        except ServiceError as error:
            if not error.again:
                raise
        await asyncio.sleep(PAUSE * 2**attempt)
    return await ask()


# What a run brought, and what to do about what it did not.

_IDS_SHOWN = 5


@dataclass(frozen=True)
class Failure:
    """A request without an answer, and why."""

    request: Request
    error: ServiceError


@dataclass(frozen=True)
class RequestsOutcome:
    """What a run brought.

    Args:
        answers: one for each request, in their order; None where there is none.
        failures: the requests without an answer, in their order, each question once.
        asked: how many questions were answered in this run.
        recorded: how many requests had an answer on file.
        usage: what was billed in this run, by service and unit.
    """

    answers: Sequence[ServiceResponse | None]
    failures: Sequence[Failure]
    asked: int
    recorded: int
    usage: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """Whether every request has an answer."""
        return None not in self.answers

    def lines(self) -> list[str]:
        """Return the report as lines to show: what was done, what failed and what to do."""
        usage = ", ".join(f"{count:,} {unit}" for unit, count in self.usage.items())
        billed = f" ({usage})" if usage else ""
        lines = [f"{self.asked:,} answered now{billed}, {self.recorded:,} from the recording"]
        grouped: dict[str, list[str]] = {}
        for failure in self.failures:
            grouped.setdefault(str(failure.error), []).append(failure.request.id)
        for message, ids in grouped.items():
            more = f" and {len(ids) - _IDS_SHOWN:,} more" if len(ids) > _IDS_SHOWN else ""
            lines.append(f"{len(ids):,} failed: {message} [{', '.join(ids[:_IDS_SHOWN])}{more}]")
        if self.failures and all(failure.error.kind == "unrecorded" for failure in self.failures):
            lines.append("record them with the service and a key, then replay again")
        elif self.failures:
            lines.append("run the same again to ask only for these: every answer that came is recorded")
        return lines


# What services cost: per million tokens, or characters.

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
