"""A chat model for `polbias.generators.services.run`, asked through datatrove's InferenceRunner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from polbias.files import PolbiasError
from polbias.models import Answer, Chat, Request, ServiceError
from polbias.models.requests import Ask
from polbias.running.inference import inference_library, inference_runner

_Generate = Callable[[dict[str, Any]], Awaitable[Any]]


@dataclass(frozen=True)
class InferenceRunnerChat(Chat):
    """A chat model whose requests are the generations of an InferenceRunner of datatrove.

    Its requests are those of `Chat`, so that a recording serves both, and whatever `run` does (estimate,
    consent, recording, resuming, giving up) it does for both. A server of datatrove is whatever makes one
    request, and the one here makes it with the client of `Chat`: datatrove's own loses refusals, sends no key
    over plain http on this machine and asks 429 and 5xx there once only.
    """

    def check(self) -> None:
        """Raise a `PolbiasError` if datatrove, the client or the key is missing."""
        super().check()
        inference_library()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Start a runner; what is yielded asks one question, `concurrency` of them at once."""
        library = inference_library()
        config = library.InferenceConfig(
            server_type="custom",
            model_name_or_path=self.model,
            max_concurrent_generations=self.concurrency,
            metric_interval=3600,
        )
        async with super().session() as send, _generating(library, config, send) as generate:

            async def ask(request: Request) -> Answer:
                try:
                    result = await generate({"request": request})
                except library.InferenceError as error:
                    if isinstance(error.__cause__, ServiceError):
                        raise error.__cause__ from None
                    raise PolbiasError(f"datatrove: {error.error}") from None
                except library.ServerError as error:
                    raise PolbiasError(f"datatrove: {error}") from None
                answer: Answer = result.usage["answer"]
                return answer

            yield ask


@asynccontextmanager
async def _generating(library: Any, config: Any, send: Ask) -> AsyncIterator[_Generate]:
    """Run a runner on one document, which ends with the context, and yield what its rollout asks with."""
    opened: asyncio.Future[_Generate] = asyncio.get_running_loop().create_future()
    closing = asyncio.Event()

    async def rollout(document: Any, generate: _Generate) -> None:
        opened.set_result(generate)
        await closing.wait()

    runner = inference_runner(library, rollout, config, _server(library, send))
    running = asyncio.create_task(runner.run_async([library.Document(text="-", id="session")]))
    try:
        await asyncio.wait((opened, running), return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            running.result()  # raises what kept it from starting
        yield opened.result()
    finally:
        closing.set()
        await running


def _server(library: Any, send: Ask) -> Any:
    """Return a server of datatrove that nobody starts and whose requests are made by `send`."""

    class Server(library.InferenceServer):  # type: ignore[misc]  # datatrove has no types
        async def start_server(self) -> None:
            """Nothing to start."""

        async def monitor_health(self) -> None:
            await asyncio.Event().wait()  # until it is cancelled

        async def is_ready(self) -> bool:
            return True

        async def _make_request(self, payload: dict[str, Any]) -> dict[str, Any]:
            answer = await send(payload["request"])
            counted = {
                "prompt_tokens": answer.usage.get("input_tokens", 0),
                "completion_tokens": answer.usage.get("output_tokens", 0),
            }
            choice = {"message": {"content": answer.text}, "finish_reason": answer.finish}
            return {"choices": [choice], "usage": {**counted, "answer": answer}}

    return Server
