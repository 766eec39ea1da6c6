"""An HTTP server on 127.0.0.1 for a respondent: small, bounded, in one thread."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

from polbias.eval.simulation.protocol import Protocol, RequestError
from polbias.files import InputError

HOST = "127.0.0.1"
MAX_BODY = 16 << 20
MAX_HEADER = 64 << 10
MAX_CONNECTIONS = 512
_IDLE = 120.0  # seconds that a connection may be silent
_STARTING = 10.0


class Server:
    """Serves a protocol, from :meth:`run` in this thread, or as a context manager in one of its own.

    Args:
        protocol: What is answered.
        port: On which port; 0 lets the system choose.
    """

    def __init__(self, protocol: Protocol, port: int = 0) -> None:
        self._protocol, self._port = protocol, port
        self._open: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: OSError | None = None

    @property
    def url(self) -> str:
        """The address, without a slash at the end; known once the server runs."""
        return f"http://{HOST}:{self._port}"

    def run(self, ready: Callable[[str], None]) -> None:
        """Serve until Ctrl-C or a signal to end.

        Args:
            ready: Is given the address as soon as there is one.

        Raises:
            InputError: If the port cannot be had.
        """
        try:
            asyncio.run(self._serve(ready, signals=True))
        except OSError as error:
            raise self._taken(error) from None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run_in_thread, daemon=True)
        self._thread.start()
        self._started.wait(_STARTING)
        if self._error is not None:
            raise self._taken(self._error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(_STARTING)

    def _run_in_thread(self) -> None:
        try:
            asyncio.run(self._serve(lambda _: None, signals=False))
        except OSError as error:
            self._error = error
        finally:
            self._started.set()

    def _taken(self, error: OSError) -> InputError:
        return InputError(
            f"--port {self._port}: cannot be had ({error.strerror}); choose another, or 0 for any"
        )

    async def _serve(self, ready: Callable[[str], None], *, signals: bool) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        if signals:
            for each in (signal.SIGINT, signal.SIGTERM):
                self._loop.add_signal_handler(each, self._stop.set)
        server = await asyncio.start_server(self._accept, HOST, self._port, limit=MAX_HEADER, backlog=256)
        async with server:
            self._port = server.sockets[0].getsockname()[1]
            self._started.set()
            ready(self.url)
            await self._stop.wait()
            server.close()
            for task in [*self._open]:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # a coroutine runs in one
        self._open.add(task)
        try:
            if len(self._open) > MAX_CONNECTIONS:
                _send(writer, 503, RequestError(503, "too many connections").body(), last=True)
                return
            while await self._exchange(reader, writer):
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away or is silent, or the server stops
        finally:
            self._open.discard(task)
            with suppress(OSError, RuntimeError):
                writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; say whether the connection goes on."""
        try:
            async with asyncio.timeout(_IDLE):
                request = await _read(reader)
        except RequestError as error:  # what comes after it cannot be told apart
            _send(writer, error.status, error.body(), last=True)
            return False
        method, path, body, last = request
        try:
            _send(writer, 200, self._protocol.reply(method, path, _json(body)), last=last)
        except RequestError as error:
            _send(writer, error.status, error.body(), last=last)
        return not last


async def _read(reader: asyncio.StreamReader) -> tuple[str, str, bytes, bool]:
    """Return method, path and body of a request, and whether it is the last of its connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RequestError(431, "the headers are too long") from None
    first, *lines = head.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise RequestError(400, f"found {first[:60]!r}, expected a request of HTTP/1.1")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    if "transfer-encoding" in headers:
        raise RequestError(411, "chunked bodies are not supported, send Content-Length")
    size = headers.get("content-length", "0")
    if not size.isdecimal():
        raise RequestError(400, f"Content-Length: found {size!r}, expected a number of bytes")
    if int(size) > MAX_BODY:
        raise RequestError(413, f"the body has {int(size):,} bytes, expected at most {MAX_BODY:,}")
    last = headers.get("connection", "").lower() == "close" or parts[2] == "HTTP/1.0"
    return parts[0], parts[1], await reader.readexactly(int(size)), last


def _json(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body) if body else {}
    except ValueError as error:
        raise RequestError(400, f"the body is no JSON: {error}") from None
    if not isinstance(read, dict):
        raise RequestError(400, f"the body is {type(read).__name__}, expected an object")
    return read


def _send(writer: asyncio.StreamWriter, status: int, data: dict[str, Any], *, last: bool) -> None:
    body = json.dumps(data).encode()
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: {'close' if last else 'keep-alive'}\r\n\r\n"
    )
    writer.write(head.encode("latin-1") + body)
