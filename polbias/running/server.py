"""Ask any OpenAI-compatible server, many requests at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polbias.generators.services.completion import read_answer
from polbias.models import Answer as Completion
from polbias.models import Chat, ServiceError
from polbias.models import Request as ServiceRequest
from polbias.models.requests import Ask
from polbias.running.asking import Answer, Prefill, Request, Settings, prefill_of
from polbias.running.bridge import stream

if TYPE_CHECKING:
    import openai

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
    def identity(self) -> Mapping[str, Any]:
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
        parameters: dict[str, Any] = {"max_output_tokens": request.max_tokens, "seed": request.seed}
        parameters |= generation_parameters(request, prefill) | dict(settings.parameters)
        return self.chat.request(request.id, turns(request, prefill), **parameters)


def turns(request: Request, prefill: Prefill) -> list[dict[str, str]]:
    """Return the messages of a request as a server gets them, with the prefill as a last assistant turn."""
    messages = [{"role": turn["role"], "content": turn["content"]} for turn in request.messages]
    if request.prefill and prefill != "none":
        messages.append({"role": "assistant", "content": request.prefill})
    return messages


def generation_parameters(request: Request, prefill: Prefill) -> dict[str, Any]:
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
