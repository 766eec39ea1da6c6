"""A small HTTP server on 127.0.0.1 that can be told to fail: the base of the test servers."""

from __future__ import annotations

import json
import socket
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """One request, its body read in full; `path` is as sent, without the query."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Message
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON; a body that is none is answered with 400."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise HttpError(400, f"the body is not JSON: {error}") from error


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, data: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """Return `data` as a JSON reply."""
        return cls(status, json.dumps(data).encode(), {"Content-Type": "application/json", **(headers or {})})


class HttpError(Exception):
    """Raised by a handler: becomes the error reply of the server."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass
class _Fault:
    kind: Literal["fail", "drop", "lose", "stall"]
    path_contains: str
    times: int
    status: int = 500
    message: str = "injected fault"
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


class LoopbackServer:
    """A server in threads of its own; subclasses implement `respond` and may reshape `error_reply`.

    `requests` holds every request as ``"METHOD /path"``, the faulty ones included. A handler that
    raises anything but `HttpError` is a mistake in the test: the context manager reports it.
    """

    def __init__(self, latency: float = 0.0) -> None:
        self.latency = latency
        self.requests: list[str] = []
        self._faults: list[_Fault] = []
        self._crashes: list[str] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        """The address, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def respond(self, request: Request) -> Reply:
        """Answer one request; called from many threads."""
        raise NotImplementedError

    def error_reply(self, error: HttpError, headers: Mapping[str, str]) -> Reply:
        """Return the reply for an error, in the shape that the clients of this server know."""
        return Reply.json({"error": error.message}, error.status, headers)

    def fail_next(
        self,
        status: int = 500,
        path_contains: str = "",
        times: int = 1,
        message: str = "injected fault",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer the next `times` requests whose ``"METHOD /path"`` matches with `status`, undone."""
        self._add(_Fault("fail", path_contains, times, status, message, headers or {}))

    def drop_next(self, path_contains: str = "", times: int = 1, *, after: bool = False) -> None:
        """Close the connection on the next matching requests.

        Without `after` the request is never read; with it the deed is done and half of the answer sent.
        """
        self._add(_Fault("lose" if after else "drop", path_contains, times))

    def stall_next(self, path_contains: str = "", seconds: float = 60.0, times: int = 1) -> None:
        """Leave the next matching requests without an answer for `seconds`."""
        self._add(_Fault("stall", path_contains, times, seconds=seconds))

    def clear_faults(self) -> None:
        """Forget the faults that nobody met."""
        with self._lock:
            self._faults.clear()

    def stop(self) -> None:
        """Stop listening and close every open connection, as a server that dies."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._server.shutdown()
            self._server.server_close()
            self._server.hang_up()

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._crashes and kind is None:
            raise AssertionError("the loopback server crashed:\n" + "\n".join(self._crashes))

    def _add(self, fault: _Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def _begin(self, line: str) -> _Fault | None:
        """Log a request and take the first fault meant for it."""
        with self._lock:
            self.requests.append(line)
            for fault in self._faults:
                if fault.times and fault.path_contains in line:
                    fault.times -= 1
                    return fault
        return None

    def _wait(self, seconds: float) -> None:
        if seconds:
            self._stopped.wait(seconds)

    def _reply(self, request: Request, fault: _Fault | None) -> Reply:
        self._wait(self.latency)
        if fault is not None and fault.kind == "fail":
            return self.error_reply(HttpError(fault.status, fault.message), fault.headers)
        try:
            return self.respond(request)
        except HttpError as error:
            return self.error_reply(error, {})
        except Exception:
            self._crashes.append(traceback.format_exc())
            return self.error_reply(HttpError(500, traceback.format_exc()), {})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: LoopbackServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner
        self.open_connections: set[socket.socket] = set()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""

    def hang_up(self) -> None:
        for connection in list(self.open_connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.open_connections.add(self.connection)

    def finish(self) -> None:
        self.server.open_connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def serve(self) -> None:
        owner, parts = self.server.owner, urlsplit(self.path)
        fault = owner._begin(f"{self.command} {parts.path}")
        if fault is not None and fault.kind == "drop":
            self._hang_up()
            return
        if fault is not None and fault.kind == "stall":
            owner._wait(fault.seconds)
        query = parse_qs(parts.query, keep_blank_values=True)
        request = Request(self.command, parts.path, query, self.headers, self._read_body())
        self._send(owner._reply(request, fault), cut=fault is not None and fault.kind == "lose")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def _read_body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, reply: Reply, *, cut: bool) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body[: len(reply.body) // 2] if cut else reply.body)
        if cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
