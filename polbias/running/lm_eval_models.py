"""Models of lm_eval as clients."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import cached_property
from typing import Any

from polbias.aliases import Document, Json
from polbias.files import InputError, PolbiasError
from polbias.lm_eval_runner.run import is_api
from polbias.models.chat import check_url, scrub
from polbias.optional import lm_eval_imports
from polbias.running.asking import Answer, Prefill, Request, Settings, prefill_of

# What differs between the models of lm_eval: templates, prefills, default sampling, seeds, ends.

_VLLM_PARAMETERS = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
_VLLM_SLICE, _API_SLICE, _AUTOMATIC_SLICE = 512, 4, 64
_CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}


class Harness:
    """One loaded model of lm_eval.

    Args:
        name: in lm_eval's registry.
        lm: the model.
    """

    def __init__(self, name: str, lm: Any) -> None:
        from lm_eval.models.api_models import TemplateAPI

        self.name, self.lm = name, lm
        self.notes: dict[str, None] = {}
        self._api = isinstance(lm, TemplateAPI)
        self._config = None if self._api else getattr(getattr(lm, "model", None), "generation_config", None)
        if not self._api:
            lm.chat_template(True)  # as lm_eval's own evaluator does: some models keep it

    @property
    def slice(self) -> int:
        """How many requests go to the model in one call."""
        if self._api:
            return _API_SLICE * max(1, int(getattr(self.lm, "_concurrent", 1)))
        if self.name == "vllm":
            return _VLLM_SLICE
        size = getattr(self.lm, "batch_size", 1)
        return size if isinstance(size, int) and size > 0 else _AUTOMATIC_SLICE

    def answer(
        self, requests: Sequence[Request], parameters: Document, prefill: Prefill
    ) -> Generator[Answer]:
        """Yield an answer or an error for each of a few requests, in their order."""
        from lm_eval.api.instance import Instance

        instances: list[Any] = []
        asked: list[Request] = []
        for request in requests:
            context = self._context(request, prefill)
            if problem := self._too_long(context, request.max_tokens):
                yield Answer(request.id, error=problem)
                continue
            arguments = (context, self._arguments(request, parameters, prefill))
            asked.append(request)
            instances.append(Instance("generate_until", {}, arguments, len(instances), ("polbias", None, 1)))
        if not asked:
            return
        self._seed(asked[0])
        came = _Arrivals()
        self.lm.set_cache_hook(came)
        try:
            texts: Sequence[str | None] = self.lm.generate_until(instances, disable_tqdm=True)
            error = None
        except Exception as raised:  # an API model raises for one request, a local one when memory is full
            texts = [came.take(*instance.args) for instance in instances]
            error = f"{self.name}: {type(raised).__name__}: {scrub(raised)}"
        for request, text in zip(asked, texts, strict=True):
            if text is None:
                yield Answer(request.id, error=error or f"{self.name}: gave no text")
            else:
                yield Answer(request.id, text, self._finish(text, request.max_tokens))

    def _context(self, request: Request, prefill: Prefill) -> Any:
        messages = [{"role": turn["role"], "content": turn["content"]} for turn in request.messages]
        given = request.prefill if prefill != "none" else None
        if request.prefill and not given:
            self._note("the beginning of the answer is left out")
        context = self._rendered(messages, given, prefill)
        system = messages[0]["content"] if messages[0]["role"] == "system" else ""
        if not self._api and system.strip() not in str(context):
            self._note("the chat template has no system turn; it stands before the user's turn")
            first = {"role": "user", "content": f"{system}\n\n{messages[1]['content']}"}
            context = self._rendered([first, *messages[2:]], given, prefill)
        return context

    def _rendered(self, messages: list[dict[str, str]], given: str | None, prefill: Prefill) -> Any:
        if given:
            messages = [*messages, {"role": "assistant", "content": given}]
        continues = bool(given) and (prefill == "continue" or self._api)
        try:
            return self.lm.apply_chat_template(messages, add_generation_prompt=not continues)
        except Exception as error:
            raise PolbiasError(
                f"{self.name}: its chat template cannot take these turns ({scrub(error)}); "
                "choose an instruction-tuned model with a chat template"
            ) from None

    def _too_long(self, context: Any, max_tokens: int) -> str | None:
        """Say what is wrong with a prompt that the model would cut without a word."""
        if self._api or not isinstance(context, str):
            return None
        most, tokens = int(self.lm.max_length) - max_tokens, self._count(context)
        if tokens is None or tokens <= most:
            return None
        return f"the prompt has {tokens:,} tokens; the model takes {most:,} beside {max_tokens} of an answer"

    def _count(self, text: str, **options: Any) -> int | None:
        tokens = self.lm.tok_encode(text, **options)
        return (
            len(tokens)
            if isinstance(tokens, list) and all(isinstance(each, int) for each in tokens)
            else None
        )

    def _finish(self, text: str, max_tokens: int) -> str | None:
        """Return ``length`` for an answer that fills its length: lm_eval does not say how it ended."""
        if self._api or not text:
            return None
        tokens = self._count(text, add_special_tokens=False)
        return "length" if tokens is not None and tokens >= max_tokens else None

    def _arguments(self, request: Request, parameters: Document, prefill: Prefill) -> Json:
        sampling = (
            {"temperature": 0.0, "do_sample": False} if request.sampling == "greedy" else self._defaults()
        )
        if self.name == "vllm" and request.seed is not None:
            sampling["seed"] = request.seed
        if self._api and request.prefill and prefill == "continue":
            sampling |= _CONTINUE
        chosen = sampling | dict(parameters)
        kept = {name: value for name, value in chosen.items() if value is not None or name not in parameters}
        return {"until": [], "max_gen_toks": request.max_tokens, **kept}

    def _defaults(self) -> Json:
        """Return the model's own sampling; lm_eval would decode greedily for want of a temperature."""
        if self._api:  # null is "not set" for servers that speak OpenAI's language; Anthropic's default is 1
            return {"temperature": 1.0 if self.name.startswith("anthropic") else None}
        if self.name == "vllm" and hasattr(self.lm.model, "get_default_sampling_params"):
            own = self.lm.model.get_default_sampling_params()
            return {"do_sample": own.temperature > 0} | {
                name: getattr(own, name) for name in _VLLM_PARAMETERS
            }
        if self._config is None:
            self._note(
                "its default sampling is unknown; lm_eval decodes greedily unless a temperature is given"
            )
            return {}
        if not self._config.do_sample:
            self._note("the model's own default is to decode greedily")
            return {"temperature": 0.0, "do_sample": False}
        return {"temperature": self._config.temperature or 1.0, "do_sample": True}

    def _seed(self, request: Request) -> None:
        if self._config is not None and request.seed is not None and request.sampling == "defaults":
            import torch

            torch.manual_seed(request.seed)

    def _note(self, text: str) -> None:
        self.notes[f"{self.name}: {text}"] = None


class _Arrivals:
    """Keeps answers as lm_eval hands them to its cache, so that none is lost when another one fails."""

    def __init__(self) -> None:
        self._came: dict[str, list[str]] = {}

    def add_partial(self, attr: str, req: tuple[Any, Any], res: str) -> None:
        """Take one answer; the name is lm_eval's."""
        self._came.setdefault(self._name(*req), []).append(res)

    def take(self, context: Any, arguments: Any) -> str | None:
        """Return an answer to a context that came, or None."""
        found = self._came.get(self._name(context, arguments))
        return found.pop(0) if found else None

    @staticmethod
    def _name(context: Any, arguments: Any) -> str:
        return f"{context}\0{sorted(arguments.items(), key=str)}"


# Ask any model that lm-evaluation-harness knows: in this process, or at an API of its.

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
    def identity(self) -> Document:
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
