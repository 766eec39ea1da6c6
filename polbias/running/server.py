"""A server's answers as an asynchronous stream."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from polbias.aliases import Document, Json
from polbias.models import Answer as Completion
from polbias.models import Chat, ServiceError
from polbias.models import Request as ServiceRequest
from polbias.models.chat import read_answer
from polbias.models.requests import Ask
from polbias.running.asking import Answer, Prefill, Request, Settings, prefill_of

if TYPE_CHECKING:
    import openai


# From an event loop to a generator: what asynchronous work brings, while it goes on.

Item = TypeVar("Item")
_AHEAD = 16  # items that may wait for the reader: what is lost, beside requests under way, by a kill
_CLOSING = 15.0  # seconds that work under way has to end when nobody wants it any more


class _End(Generic[Item]):
    """The last thing in the queue: why there is no more."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def stream(work: Callable[[Callable[[Item], None]], Awaitable[None]]) -> Generator[Item]:
    """Run asynchronous work in a thread of its own and yield what it hands out.

    The work stands still while a few items wait, so that it does not run ahead of a reader that writes down
    what comes.
    """
    waiting: queue.SimpleQueue[Item | _End[Item]] = queue.SimpleQueue()
    room, closed = threading.Semaphore(_AHEAD), threading.Event()

    def give(item: Item) -> None:
        if not closed.is_set():
            room.acquire()
        waiting.put(item)

    loop = asyncio.new_event_loop()
    task = loop.create_task(_run(work, give))
    thread = threading.Thread(target=_serve, args=(loop, task, waiting), daemon=True)
    thread.start()
    interrupted: KeyboardInterrupt | None = None
    try:
        while True:
            try:
                item = waiting.get()
            except KeyboardInterrupt as signal:  # what has come is still handed out
                if interrupted is not None:
                    raise
                interrupted = signal
                _cancel(loop, task)
                continue
            if isinstance(item, _End):
                break
            yield item
            room.release()
        if interrupted is not None:
            raise interrupted
        if item.error is not None:
            raise item.error
    finally:
        closed.set()
        room.release()  # for the one item that may stand at the door
        if thread.is_alive():
            _cancel(loop, task)
            thread.join(_CLOSING)


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(task.cancel)


async def _run(
    work: Callable[[Callable[[Item], None]], Awaitable[None]], give: Callable[[Item], None]
) -> None:
    await work(give)


def _serve(
    loop: asyncio.AbstractEventLoop,
    task: asyncio.Task[None],
    waiting: queue.SimpleQueue[Item | _End[Item]],
) -> None:
    asyncio.set_event_loop(loop)
    error: BaseException | None = None
    try:
        loop.run_until_complete(task)
    except BaseException as raised:
        error = raised
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        waiting.put(_End(error))


# Ask any OpenAI-compatible server, many requests at once.

_GIVE_UP_AFTER = 10  # failures of the server in a row: it is down, and asking on helps nobody
_REFUSED = 100  # requests in a row that the server refuses: a setting is wrong, not one prompt too long
_CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}  # vLLM's and SGLang's names


@dataclass(frozen=True)
class _Speaker(Chat):
    """A chat model whose empty answer is an answer: an article may be empty, and that is an outcome."""

    async def _ask(self, client: openai.AsyncOpenAI, request: ServiceRequest, key: str) -> Completion:
        response = await self._send(client, request, key)
        try:
            return read_answer(response, key)
        except ServiceError:
            if (finish := _empty(response)) is None:
                raise
            return Completion("", finish)


class ServerAsker:
    """A model at an OpenAI-compatible server, through the client of `polbias.models`.

    That client waits and asks again after 408, 409, 429 and 5xx, a timeout or a lost connection, as long as
    the server wishes with Retry-After. A request that fails for good stops no other; a wrong key, an unknown
    model, an empty account, ten failures of the server or a hundred refused requests in a row end the asking.

    Args:
        model: its name at the server.
        base_url: the server, with its ``/v1``; OpenAI's own unless given.
        concurrency: how many requests may be under way at once.
        timeout: seconds without a byte after which a request is given up and tried again.
        retries: how often it is tried again.
    """

    default_prefill: Prefill = "turn"
    notes: Sequence[str] = ()

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        concurrency: int = 8,
        timeout: float = 300.0,
        retries: int = 5,
    ) -> None:
        self.chat: Chat = _Speaker(model, base_url, concurrency=concurrency, timeout=timeout, retries=retries)

    @property
    def identity(self) -> Document:
        """The kind of asker and the model's name."""
        return {"asker": "server", "model": self.chat.model}

    @property
    def address(self) -> str:
        """The server, without secrets."""
        return self.chat.server

    def check(self) -> None:
        """Raise a `PolbiasError` if the client or a key for OpenAI's own server is missing."""
        self.chat.check()

    def ask(self, requests: Iterable[Request], settings: Settings) -> Generator[Answer]:
        """Yield an answer or an error for each request, as they come; see `Asker.ask`."""
        prefill = prefill_of(self, settings)
        asked = [(request, self._request(request, settings, prefill)) for request in requests]

        async def work(give: Callable[[Answer], None]) -> None:
            async with self.chat.session() as ask:
                await _Workers(ask, deque(asked), give).run(self.chat.concurrency)

        return stream(work)

    def _request(self, request: Request, settings: Settings, prefill: Prefill) -> ServiceRequest:
        parameters: Json = {"max_output_tokens": request.max_tokens, "seed": request.seed}
        parameters |= generation_parameters(request, prefill) | dict(settings.parameters)
        return self.chat.request(request.id, turns(request, prefill), **parameters)


def turns(request: Request, prefill: Prefill) -> list[dict[str, str]]:
    """Return the messages of a request as a server gets them, with the prefill as a last assistant turn."""
    messages = [{"role": turn["role"], "content": turn["content"]} for turn in request.messages]
    if request.prefill and prefill != "none":
        messages.append({"role": "assistant", "content": request.prefill})
    return messages


def generation_parameters(request: Request, prefill: Prefill) -> Json:
    """Return what a server is told about how to generate, apart from length and seed."""
    greedy = {"temperature": 0} if request.sampling == "greedy" else {}
    return greedy | (_CONTINUE if request.prefill and prefill == "continue" else {})


class _Workers:
    """The requests that wait, and whether it still makes sense to ask."""

    def __init__(
        self,
        ask: Ask,
        waiting: deque[tuple[Request, ServiceRequest]],
        give: Callable[[Answer], None],
    ) -> None:
        self._ask, self._waiting, self._give = ask, waiting, give
        self._in_a_row = self._refused = 0
        self._stopped: str | None = None

    async def run(self, concurrency: int) -> None:
        """Ask until nothing waits or the server has proved useless."""
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(self._waiting))):
                group.create_task(self._work())
        for request, _ in self._waiting:
            self._give(
                Answer(request.id, error=f"not asked, because requests before failed: {self._stopped}")
            )

    async def _work(self) -> None:
        while self._waiting and self._stopped is None:
            request, question = self._waiting.popleft()
            try:
                found = await self._ask(question)
            except ServiceError as error:
                self._refused += error.kind == "request"
                self._in_a_row += error.of_the_service and error.kind != "request"
                if error.fatal or self._in_a_row >= _GIVE_UP_AFTER or self._refused >= _REFUSED:
                    self._stopped = str(error)
                self._give(Answer(request.id, error=str(error)))
            else:
                self._in_a_row = self._refused = 0
                self._give(Answer(request.id, found.text, found.finish, usage=found.usage))


def _empty(response: object) -> str | None:
    """Return why a completion without text ended; None if the response is something else."""
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or not choices:
        return None
    text = getattr(getattr(choices[0], "message", None), "content", "")
    finish = getattr(choices[0], "finish_reason", None)
    blank = text is None or (isinstance(text, str) and not text.strip())
    return (finish if isinstance(finish, str) and finish else "stop") if blank else None
