"""Models of lm_eval that answer from the answer cache what they can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polbias.aliases import Json
from polbias.eval.answers.text import Response
from polbias.lm_eval_runner.budget import Gate
from polbias.lm_eval_runner.cache import Memory
from polbias.lm_eval_runner.requests import GENERATE, Refused, Several
from polbias.lm_eval_runner.responses import (
    ResponseError,
    beside,
    odd,
    with_logprobs,
    with_texts,
    without_empty_stops,
)


def remembering(kind: Any) -> Any:
    """Return a subclass of a model of lm_eval that answers from its attribute ``memory`` what it can.

    A request that an API refuses for good (a wrong key, an unknown model, a prompt that is too long) is not
    sent again and again, as lm_eval would. Every response gives one answer, also one without a text.
    """
    from lm_eval.models.api_models import TemplateAPI
    from lm_eval.models.openai_completions import LocalChatCompletion

    class Remembering(kind):  # type: ignore[misc]
        memory: Memory

        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().generate_until
            return self.memory.answer(GENERATE, requests, lambda some: model(some, *args, **kwargs))

        def loglikelihood(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().loglikelihood
            return self.memory.answer("loglikelihood", requests, lambda some: model(some, *args, **kwargs))

    class RememberingLocal(Remembering):
        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            end = getattr(self, "think_end_token", None)
            if isinstance(end, str) and not any(request.args[1].get("until") for request in requests):
                # lm_eval would drop the thoughts, and with them what shows that they were cut off
                self.memory.think_end, self.think_end_token = end, None
            try:
                return super().generate_until(requests, *args, **kwargs)
            finally:
                self.think_end_token = end

    class RememberingApi(Remembering):
        def _create_payload(self, *args: Any, **kwargs: Any) -> Json:
            return without_empty_stops(super()._create_payload(*args, **kwargs))

        def parse_generations(self, outputs: Any, **kwargs: Any) -> Any:
            texts = super().parse_generations(outputs=with_texts(outputs), **kwargs)
            said = beside(outputs)
            if len(said) != len(texts):
                return texts
            answers = [Response(text, about) for text, about in zip(texts, said, strict=True)]
            return [Several(answers)] if self.memory.bundled else answers

        def parse_logprobs(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
            found = with_logprobs(outputs, kwargs["ctxlens"])
            return super().parse_logprobs(found, *args, **kwargs)

        def model_call(self, *args: Any, **kwargs: Any) -> Any:
            self.memory.budget.check()
            try:
                return super().model_call(*args, **kwargs)
            except Exception as error:
                raise _final(error, self.memory.faults) or error from None

        async def amodel_call(self, session: Any, sem: Any, messages: Any, **kwargs: Any) -> Any:
            gate = Gate(sem, self.memory.budget)
            try:
                return await super().amodel_call(session, gate, messages, **kwargs)
            except Exception as error:
                raise _final(error, self.memory.faults) or error from None

    class RememberingChat(RememberingApi):
        def loglikelihood(self, requests: list[Any], *_: Any, **__: Any) -> list[Any]:
            return self.memory.labels(requests, lambda some: kind.generate_until(self, some))

    made = RememberingApi if issubclass(kind, TemplateAPI) else RememberingLocal
    made = RememberingChat if issubclass(kind, LocalChatCompletion) else made
    made.__name__ = kind.__name__
    return made


_TRY_AGAIN = (408, 409, 425, 429)


def _final(error: Exception, faults: Sequence[str]) -> Refused | ResponseError | None:
    """What an error of a client says, with what the server has just said; None if it says it itself."""
    if type(error).__name__ in ("JSONDecodeError", "ContentTypeError"):
        return odd("body", "", "an object of JSON")
    response = getattr(error, "response", None)
    status = getattr(error, "status", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500 and status not in _TRY_AGAIN:
        reason = getattr(error, "message", None) or getattr(response, "reason", None) or "refused"
        said = f": {faults[-1]}" if faults else ""
        return Refused(f"{status} {reason}{said}")
    return None
