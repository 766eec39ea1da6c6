"""Requests by datatrove's inference runner."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from polbias.aliases import Json
from polbias.files import InputError, PolbiasError
from polbias.models import Answer as ServiceAnswer
from polbias.models import Chat, ServiceError
from polbias.models import Request as ServiceRequest
from polbias.models.chat import check_url, scrub
from polbias.models.requests import Ask
from polbias.optional import advice
from polbias.running.asking import Answer, Prefill, Request, Settings, prefill_of
from polbias.running.server import generation_parameters, stream, turns

# datatrove's InferenceRunner where it only asks: it writes no files and keeps no checkpoints.


def inference_library() -> Any:
    """Return the names of datatrove that are used here, its logs switched off."""
    try:
        from types import SimpleNamespace

        import httpx  # noqa: F401  # datatrove needs it to ask
        from datatrove.data import Document
        from datatrove.pipeline.inference.run_inference import InferenceConfig, InferenceRunner
        from datatrove.pipeline.inference.servers import EndpointServer
        from datatrove.pipeline.inference.servers.base import InferenceServer
        from datatrove.pipeline.inference.types import InferenceError, ServerError
        from loguru import logger
    except ImportError as error:
        raise PolbiasError(f"datatrove: {error.name} is not installed; {advice('scale')}") from None
    logger.disable("datatrove")  # its tables of metrics would run through the progress bar
    return SimpleNamespace(
        Document=Document,
        EndpointServer=EndpointServer,
        InferenceConfig=InferenceConfig,
        InferenceError=InferenceError,
        InferenceRunner=InferenceRunner,
        InferenceServer=InferenceServer,
        ServerError=ServerError,
    )


def inference_runner(
    library: Any,
    rollout: Callable[..., Any],
    config: Any,
    server: Callable[[Any, int], Any] | None = None,
) -> Any:
    """Return a runner that writes nothing: answers are handed over by the rollout itself."""

    class Runner(library.InferenceRunner):  # type: ignore[misc]  # datatrove has no types
        def _init_server(self, rank: int) -> Any:
            return super()._init_server(rank) if server is None else server(self.config, rank)

        async def _save_document(self, *args: Any, **options: Any) -> None:
            """Keep nothing: datatrove's writer would need a format, a folder and aiofiles."""

    nothing: AbstractContextManager[None] = nullcontext()
    return Runner(rollout, config, nothing)


# Ask through datatrove's InferenceRunner: a server of one's own, or one that it starts (vLLM, SGLang).

ServerType = Literal["endpoint", "vllm", "sglang"]
_KEY = "OPENAI_API_KEY"
_GIVE_UP_AFTER = 10
_LOCAL = ("localhost", "127.0.0.1", "::1")


class InferenceRunnerAsker:
    """A model behind datatrove's InferenceRunner.

    What came is kept in the journal of the stage instead of datatrove's own checkpoints, which know a row by
    its place and id alone, so they would hand out the answers of another model; and one failed row does not
    end the run. datatrove tries a lost connection six times within about five minutes; over plain http on
    this machine it asks 429 and 5xx once only, without a key, so run those rows again or use `ServerAsker`.

    Args:
        model: its name at the server, or what the server that is started loads.
        base_url: of a running server, with its ``/v1``; for ``endpoint`` only.
        server_type: ``endpoint``, or the server to start: ``vllm`` or ``sglang``.
        concurrency: how many requests may be under way at once.
        timeout: seconds for one request.
        model_kwargs: for the server that is started.

    Raises:
        InputError: if an endpoint has no address, or the address is none.
    """

    notes: Sequence[str] = ()

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        server_type: ServerType = "endpoint",
        concurrency: int = 100,
        timeout: float = 600.0,
        model_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if (server_type == "endpoint") != (base_url is not None):
            raise InputError("datatrove: expected --base-url for a running server, and none for one to start")
        self.model, self.server_type = model, server_type
        self.concurrency, self.timeout, self.model_kwargs = concurrency, timeout, dict(model_kwargs or {})
        self._url = None if base_url is None else check_url(base_url, "base_url")

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model's name and what configures it. The answers of any server are one's own server's."""
        return {"asker": "server", "model": self.model, **self._configured}

    @property
    def address(self) -> str | None:
        """The server, or None if it is started here."""
        return self._url

    @property
    def default_prefill(self) -> Prefill:
        """A server that is started here goes on with the answer; any other gets a last assistant turn."""
        return "turn" if self.server_type == "endpoint" else "continue"

    @property
    def _configured(self) -> Json:
        return {"model_kwargs": self.model_kwargs} if self.model_kwargs else {}

    def check(self) -> None:
        """Raise a `PolbiasError` if datatrove or what its runner needs is missing."""
        inference_library()
        if self._url is not None and not _is_local(self._url):
            try:
                import openai  # noqa: F401  # with which datatrove asks other machines
            except ImportError:
                raise PolbiasError(f"datatrove: openai is not installed; {advice('services')}") from None

    def ask(self, requests: Iterable[Request], settings: Settings) -> Generator[Answer]:
        """Yield an answer or an error for each request, as they come; see `Asker.ask`."""
        library, prefill = inference_library(), prefill_of(self, settings)
        waiting = {str(place): request for place, request in enumerate(requests)}

        async def work(give: Callable[[Answer], None]) -> None:
            rollout = _rollout(library, waiting, settings, prefill, give)
            documents = (library.Document(text="-", id=place) for place in waiting)
            server = _endpoint_server(library) if self.server_type == "endpoint" else None
            runner = inference_runner(library, rollout, self._configuration(library), server)
            try:
                await runner.run_async(documents)
            except library.ServerError as error:
                raise PolbiasError(f"datatrove {self.server_type}: {scrub(error, _key())}") from None

        return stream(work)

    def _configuration(self, library: Any) -> Any:
        return library.InferenceConfig(
            server_type=self.server_type,
            model_name_or_path=self.model,
            endpoint_url=None if self._url is None else _endpoint(self._url),
            api_key=_key() or "none",
            max_concurrent_generations=self.concurrency,
            request_timeout=self.timeout,
            model_kwargs=self.model_kwargs or None,
            metric_interval=3600,
        )


def _endpoint(url: str) -> str:
    """Return an address as datatrove wants it: without /v1 where it talks to this machine by itself."""
    return url.removesuffix("/v1") if _is_local(url) else url


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in _LOCAL


def _key() -> str:
    return os.environ.get(_KEY, "").strip()


def _rollout(
    library: Any,
    waiting: Mapping[str, Request],
    settings: Settings,
    prefill: Prefill,
    give: Callable[[Answer], None],
) -> Callable[..., Any]:
    """Return what datatrove calls for each document: it asks, and hands the answer or the error over."""
    failed = 0

    async def rollout(document: Any, generate: Callable[[Json], Any]) -> None:
        nonlocal failed
        request = waiting[document.id]
        if failed >= _GIVE_UP_AFTER:
            give(Answer(request.id, error=f"not asked, because {failed} requests before failed"))
            return
        payload: Json = {"messages": turns(request, prefill), "max_tokens": request.max_tokens}
        payload |= {"seed": request.seed} | generation_parameters(request, prefill)
        payload |= settings.parameters
        payload = {name: value for name, value in payload.items() if value is not None}
        try:
            result = await generate(payload)
        except (library.InferenceError, library.ServerError) as error:
            failed += 1
            give(Answer(request.id, error=f"datatrove: {scrub(error.error, _key())}"))
            return
        failed = 0
        usage = result.usage or {}
        counted = {
            "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"),
        }
        tokens = {name: count for name, count in counted.items() if isinstance(count, int)}
        give(Answer(request.id, result.text, result.finish_reason, usage=tokens))

    return rollout


def _endpoint_server(library: Any) -> Any:
    """Return datatrove's server at an address, taken as ready before it is asked."""

    class Endpoint(library.EndpointServer):  # type: ignore[misc]  # datatrove has no types
        async def is_ready(self) -> bool:
            # datatrove asks BASE/v1/models without a key, which servers with a key do not answer.
            return True

    return Endpoint


# A chat model for `polbias.models.run`, asked through datatrove's InferenceRunner.

_Generate = Callable[[Json], Awaitable[Any]]


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

            async def ask(request: ServiceRequest) -> ServiceAnswer:
                try:
                    result = await generate({"request": request})
                except library.InferenceError as error:
                    if isinstance(error.__cause__, ServiceError):
                        raise error.__cause__ from None
                    raise PolbiasError(f"datatrove: {error.error}") from None
                except library.ServerError as error:
                    raise PolbiasError(f"datatrove: {error}") from None
                answer: ServiceAnswer = result.usage["answer"]
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

        async def _make_request(self, payload: Json) -> Json:
            answer = await send(payload["request"])
            counted = {
                "prompt_tokens": answer.usage.get("input_tokens", 0),
                "completion_tokens": answer.usage.get("output_tokens", 0),
            }
            choice = {"message": {"content": answer.text}, "finish_reason": answer.finish}
            return {"choices": [choice], "usage": {**counted, "answer": answer}}

    return Server
