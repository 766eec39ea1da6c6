"""Counts what a loopback server is asked and answers, and does something at one of the requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from tests.support.loopback import LoopbackServer, Reply, Request, _Fault


class Meter:
    """The requests of a run at a server.

    Attributes:
        seen: requests that came.
        answered: POST requests that the server carried out; a client may not have got the answer.
    """

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        self._lock = threading.Lock()
        self._begin, self._respond = server._begin, server.respond
        server._begin = self._begun  # type: ignore[method-assign]
        server.respond = self._responded  # type: ignore[method-assign]
        self.reset()

    def reset(self) -> None:
        """Count from 0 and forget what was to happen."""
        self.seen = self.answered = 0
        self._under_way, self._silent_until = 0, 0.0
        self._fault: tuple[int, _Fault] | None = None
        self._trap: tuple[int, bool, Callable[[], object]] | None = None

    def fail_at(self, number: int, **fault: Any) -> None:
        """Answer one request with a fault.

        Args:
            number: of the request, from 1.
            **fault: as `tests.support.loopback` knows them: kind, status, headers, seconds.
        """
        self._fault = number, _Fault(path_contains="", times=1, **fault)

    def relent(self) -> None:
        """Do nothing any more to the requests that follow."""
        self._fault = self._trap = None

    def trap(self, number: int, after: bool, act: Callable[[], object]) -> None:
        """Do something at a request, before or after it is carried out; its answer is not sent yet."""
        self._trap = number, after, act

    def idle(self) -> bool:
        """Whether nobody is connected, and no request is being answered."""
        connected = self.server._server.open_connections
        return not self._under_way and not connected and time.monotonic() > self._silent_until

    def _begun(self, line: str) -> _Fault | None:
        with self._lock:
            self.seen += 1
            number = self.seen
        if self._fault and self._fault[0] == number:
            self.server.requests.append(line)
            self._silent_until = time.monotonic() + self._fault[1].seconds + 0.1
            return self._fault[1]
        return self._begin(line)

    def _responded(self, request: Request) -> Reply:
        with self._lock:
            self._under_way += 1
            trap = self._trap if self._trap and self.seen >= self._trap[0] else None
            if trap:
                self._trap = None
        try:
            if trap and not trap[1]:
                trap[2]()
            reply = self._respond(request)
            with self._lock:
                self.answered += request.method == "POST"
            if trap and trap[1]:
                trap[2]()
            return reply
        finally:
            with self._lock:
                self._under_way -= 1
