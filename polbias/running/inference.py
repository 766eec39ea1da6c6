"""datatrove's InferenceRunner where it only asks: it writes no files and keeps no checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from polbias.files import PolbiasError
from polbias.optional import advice


def inference_library() -> Any:
    """Return the names of datatrove that are used here, its logs switched off.

    Raises:
        PolbiasError: if datatrove or what its runner needs is missing.
    """
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
    """Return a runner that writes nothing: answers are handed over by the rollout itself.

    Args:
        library: from `inference_library`.
        rollout: what datatrove calls for each document, with the document and a function that asks.
        config: datatrove's ``InferenceConfig``.
        server: makes the server from configuration and rank; the one that `config` names unless given.
    """

    class Runner(library.InferenceRunner):  # type: ignore[misc]  # datatrove has no types
        def _init_server(self, rank: int) -> Any:
            return super()._init_server(rank) if server is None else server(self.config, rank)

        async def _save_document(self, *args: Any, **options: Any) -> None:
            """Keep nothing: datatrove's writer would need a format, a folder and aiofiles."""

    nothing: AbstractContextManager[None] = nullcontext()
    return Runner(rollout, config, nothing)
