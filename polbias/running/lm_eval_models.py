"""What differs between the models of lm_eval: templates, prefills, default sampling, seeds, ends."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from polbias.files import PolbiasError
from polbias.generators.services.keys import scrub
from polbias.running.asking import Answer, Prefill, Request

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
        self, requests: Sequence[Request], parameters: Mapping[str, Any], prefill: Prefill
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

    def _arguments(self, request: Request, parameters: Mapping[str, Any], prefill: Prefill) -> dict[str, Any]:
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

    def _defaults(self) -> dict[str, Any]:
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
