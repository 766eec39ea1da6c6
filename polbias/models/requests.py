"""A request to a service, its identity, and an answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from polbias.files import InputError


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
    payload: Mapping[str, Any]
    expected_tokens: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        try:
            self.text.encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"request {self.id}: cannot be written as JSON ({error})") from None

    @property
    def content(self) -> dict[str, Any]:
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
class Answer:
    """What a service answered.

    Args:
        text: the answer; empty only if `finish` says why.
        finish: how it ended: ``stop``, ``length`` (cut off), ``refusal``, ``content_filter`` or what the
            server says.
        model: the model that the server says it used.
        usage: what is billed: ``input_tokens`` and ``output_tokens``, or ``characters``.
    """

    text: str
    finish: str = "stop"
    model: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


Ask = Callable[[Request], Awaitable[Answer]]


class Service(Protocol):
    """What the run needs of a service; constructing one needs neither key nor client library."""

    @property
    def name(self) -> str:
        """The name that requests carry."""

    @property
    def model(self) -> str:
        """The model that requests carry."""

    @property
    def server(self) -> str:
        """The address, without secrets, as shown before anything is sent."""

    @property
    def list_priced(self) -> bool:
        """Whether the provider's own server is asked, so that its price list applies."""

    @property
    def concurrency(self) -> int:
        """How many requests may be under way at once."""

    def check(self) -> None:
        """Raise a `PolbiasError` if the client library or the key is missing."""

    def session(self) -> AbstractAsyncContextManager[Ask]:
        """Open connections; what is yielded asks one question and never more than `concurrency` at once."""
