"""Errors of a service, without keys in their messages, and retries of transient errors."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.models.requests import ServiceResponse

RETRY_DELAY = 0.25  # seconds before a retry after an unusable response; doubled each time
MAX_TRIES = 3

Kind = Literal[
    "auth",  # the key is wrong or lacks permission
    "quota",  # the account has no credit left
    "missing",  # no such model or address
    "request",  # the service rejects this request
    "rate",  # too many requests, still after all retries
    "server",
    "timeout",
    "connection",
    "answer",  # the response cannot be used
    "client",  # the official client raised an undocumented error
    "unrecorded",  # a replay without a recorded response
    "not-asked",  # the run stopped before this request
]
_FATAL_KINDS = frozenset({"auth", "quota", "missing"})
_SERVICE_KINDS = frozenset({"request", "rate", "server", "timeout", "connection", "client"})


class ServiceError(PolbiasError):
    """Failure of a request to a service.

    Args:
        message: one line, without a key (see `safe_text.redact_message`).
        kind: kind of the error.
        should_retry: whether an immediate retry may help and the client has not retried; by default only for
            the kind "answer".
    """

    def __init__(self, message: str, kind: Kind, *, should_retry: bool | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.should_retry = kind == "answer" if should_retry is None else should_retry

    @property
    def fatal(self) -> bool:
        """Whether every further request would fail for the same reason."""
        return self.kind in _FATAL_KINDS

    @property
    def is_service_wide(self) -> bool:
        """Whether the service failed, not only this response."""
        return self.kind in _SERVICE_KINDS


async def retry(send: Callable[[], Awaitable[ServiceResponse]]) -> ServiceResponse:
    """Send a request; retry errors that the client of the service does not retry."""
    for attempt in range(MAX_TRIES - 1):
        try:
            return await send()
        except ServiceError as error:
            if not error.should_retry:
                raise
        await asyncio.sleep(RETRY_DELAY * 2**attempt)
    return await send()
