"""Errors of a service, in words that hold no key, and patience with those that pass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.models.requests import ServiceResponse

RETRY_DELAY = 0.25  # seconds before an answer that cannot be used is asked for again; doubled each time
MAX_TRIES = 3

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
        message: one line, without a key (see `safe_text.redact_message`).
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
    def is_service_wide(self) -> bool:
        """Whether it says something about the service rather than about this one answer."""
        return self.kind in _OF_THE_SERVICE


async def with_patience(ask: Callable[[], Awaitable[ServiceResponse]]) -> ServiceResponse:
    """Ask, and ask again where that may help: for what the client of a service lets through."""
    for attempt in range(MAX_TRIES - 1):
        try:
            return await ask()
        except ServiceError as error:
            if not error.again:
                raise
        await asyncio.sleep(RETRY_DELAY * 2**attempt)
    return await ask()
