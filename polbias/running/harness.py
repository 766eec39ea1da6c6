"""Ask any model that lm-evaluation-harness knows: in this process, or at an API of its."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from polbias.evaluation.models import is_api
from polbias.files import InputError, PolbiasError
from polbias.generators.services.keys import check_url, scrub
from polbias.optional import lm_eval_imports
from polbias.running.asking import Answer, Prefill, Request, Settings, prefill_of
from polbias.running.lm_eval_models import Harness

# Arguments that say where and how fast a model runs, not what it answers; a token is nobody's business.
_ELSEWHERE = frozenset(
    {
        "auth_token",
        "base_url",
        "batch_size",
        "ca_cert_path",
        "data_parallel_size",
        "device",
        "device_map",
        "gpu_memory_utilization",
        "header",
        "max_batch_size",
        "max_memory_per_gpu",
        "max_retries",
        "num_concurrent",
        "offload_folder",
        "parallelize",
        "tensor_parallel_size",
        "timeout",
        "verify_certificate",
    }
)
_BATCH = 8  # of a model that takes what it is given; each one more takes memory
_SCHEDULING = ("vllm", "sglang")  # put batches together themselves; a size would only hold them up
_GIVE_UP_AFTER = 3  # batches without a single answer: asking on helps nobody


class LmEvalAsker:
    """A model of lm_eval. It is loaded when something is asked, and torch only if the model needs it.

    Local models get the turns in their own chat template and go on after the prefill. Where that template
    knows no system turn, lm_eval would drop it; here it goes before the user's. A prompt that is longer than
    the model takes is an error of its row, never cut.

    The default parameters of a model of transformers or vLLM are those of its generation configuration.
    Seeds: vLLM gets that of the row, transformers that of a batch's first row, an API that of lm_eval.

    Args:
        model: a name of lm_eval's registry, such as ``hf``, ``vllm`` or ``local-chat-completions``.
        model_args: as for ``lm_eval --model_args``.
        batch_size: for local models; how many requests are answered together. Unless given, vLLM and SGLang
            take as many as they can, others 8.
        device: for local models; unless given, the first graphics card, or the processor where there is none.

    Raises:
        InputError: if the arguments are not of the form ``key=value,key=value``.
    """

    def __init__(
        self, model: str, model_args: str = "", *, batch_size: int | None = None, device: str | None = None
    ) -> None:
        self.model, self.model_args, self.batch_size, self.device = model, model_args, batch_size, device
        self._given = _parsed(model_args)
        self._notes: dict[str, None] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """The kind of model and its arguments, without those that say only where it runs."""
        kept = {name: value for name, value in sorted(self._given.items()) if name not in _ELSEWHERE}
        return {"asker": "lm_eval", "model": self.model, "model_args": kept}

    @property
    def address(self) -> str | None:
        """The server of an API model."""
        url = self._given.get("base_url")
        return None if url is None else check_url(url, "model_args: base_url")

    @property
    def default_prefill(self) -> Prefill:
        """Local models go on with the answer; a chat API gets its beginning as a last assistant turn."""
        return "turn" if self.model.endswith("chat-completions") else "continue"

    @property
    def notes(self) -> Sequence[str]:
        """What was asked otherwise than the rows say."""
        return tuple(self._notes)

    def check(self) -> None:
        """Raise a `PolbiasError` if lm_eval is missing or has no such model."""
        self._class  # noqa: B018

    def ask(self, requests: Iterable[Request], settings: Settings) -> Generator[Answer]:
        """Yield an answer or an error for each request, batch by batch; see `Asker.ask`."""
        prefill, harness = prefill_of(self, settings), self._harness
        waiting = list(requests)
        failed = 0
        for start in range(0, len(waiting), harness.slice):
            batch = waiting[start : start + harness.slice]
            if failed >= _GIVE_UP_AFTER:
                reason = f"not asked, because {failed} batches before failed"
                yield from (Answer(request.id, error=reason) for request in batch)
                continue
            answers = list(harness.answer(batch, settings.parameters, prefill))
            failed = failed + 1 if all(answer.error for answer in answers) else 0
            self._notes.update(dict.fromkeys(harness.notes))
            yield from answers

    @cached_property
    def _class(self) -> Any:
        with lm_eval_imports():
            from lm_eval.api.registry import get_model
        try:
            return get_model(self.model)
        except ValueError as error:
            raise InputError(f"--model {self.model}: {scrub(error)}") from None
        except ImportError as error:
            raise PolbiasError(f"--model {self.model}: {scrub(error)}; install what it needs") from None

    @cached_property
    def _harness(self) -> Harness:
        from lm_eval.config.evaluate_config import EvaluatorConfig

        own = {"batch_size": self.batch_size, "device": self.device or EvaluatorConfig().device}
        if self.batch_size is None and not is_api(self._class):
            own["batch_size"] = "auto" if self.model in _SCHEDULING else _BATCH
        own = {name: value for name, value in own.items() if name not in self._given}
        try:
            lm = self._class.create_from_arg_string(self.model_args, own)
        except (KeyboardInterrupt, PolbiasError):
            raise
        except Exception as error:  # whatever a library of the model says when it cannot be loaded
            raise PolbiasError(
                f"--model {self.model} --model_args {scrub(self.model_args)}: cannot be loaded "
                f"({type(error).__name__}: {scrub(error)})"
            ) from None
        return Harness(self.model, lm)


def _parsed(model_args: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in model_args.split(",") if part.strip()]
    for name, equals, _ in pairs:
        if not equals or not name.strip():
            raise InputError(f"model_args: found {scrub(name)!r}, expected key=value,key=value")
    return {name.strip(): value for name, _, value in pairs}
