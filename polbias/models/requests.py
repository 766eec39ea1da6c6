"""Requests to a service, its responses, and the outcome of many."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.models.service_errors import ServiceError

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
    n_sent: int
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
        lines = [f"{self.n_sent:,} answered now{billed}, {self.recorded:,} from the recording"]
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
