"""Requests to a service, its responses, and the outcome of a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.models.service_errors import ServiceError

# Requests and responses.


def canonical(data: object) -> str:
    """Return data as canonical JSON: sorted keys, no blanks, no NaN."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Request:
    """Request to a service.

    Service, model and payload are the identity of a request, the id is not. For several responses to one
    prompt, put a ``seed`` into the parameters.

    Args:
        id: id of the request in the caller's reports.
        service: ``"openai"`` (any OpenAI-compatible server) or ``"deepl"``.
        model: name of the model; may be empty for DeepL.
        payload: messages or text, and all parameters, as JSON.
        expected_tokens: tokens of the expected response, for the cost estimate only.

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
        """Identity of the request: service, model and payload."""
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
    """Response of a service.

    Args:
        text: text of the response; empty only if `finish` is ``too_long`` or ``content_filter``.
        finish: finish reason: ``stop``, ``length`` (truncated), ``too_long`` (above the limit in bytes),
            ``refusal``, ``content_filter`` or another reason from the server.
        model: name of the model as reported by the server.
        usage: billed units: ``input_tokens`` and ``output_tokens``, or ``characters``.
    """

    text: str
    finish: str = "stop"
    model: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


Ask = Callable[[Request], Awaitable[ServiceResponse]]


# Outcome of a run.

_MAX_IDS = 5


@dataclass(frozen=True)
class Failure:
    """Request without a response, and its error."""

    request: Request
    error: ServiceError


@dataclass(frozen=True)
class RequestsOutcome:
    """Outcome of a run.

    Args:
        answers: response to each request, in the order of the requests; None if it has none.
        failures: distinct requests without a response, in the order of the requests.
        n_sent: number of requests answered by a service in this run.
        recorded: number of requests with a recorded response before the run.
        usage: billed units of this run, by service and unit.
    """

    answers: Sequence[ServiceResponse | None]
    failures: Sequence[Failure]
    n_sent: int
    recorded: int
    usage: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """Whether every request has a response."""
        return None not in self.answers

    def lines(self) -> list[str]:
        """Return the report lines: responses, failures, and how to proceed."""
        usage = ", ".join(f"{count:,} {unit}" for unit, count in self.usage.items())
        billed = f" ({usage})" if usage else ""
        lines = [f"{self.n_sent:,} answered now{billed}, {self.recorded:,} from the recording"]
        ids_by_message: dict[str, list[str]] = {}
        for failure in self.failures:
            ids_by_message.setdefault(str(failure.error), []).append(failure.request.id)
        for message, ids in ids_by_message.items():
            more = f" and {len(ids) - _MAX_IDS:,} more" if len(ids) > _MAX_IDS else ""
            lines.append(f"{len(ids):,} failed: {message} [{', '.join(ids[:_MAX_IDS])}{more}]")
        if self.failures and all(failure.error.kind == "unrecorded" for failure in self.failures):
            lines.append("record them with the service and a key, then replay again")
        elif self.failures:
            lines.append("run the same command again to send only these: all responses are recorded")
        return lines
