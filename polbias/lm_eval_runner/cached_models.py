"""Models of lm_eval that answer from the answer cache what they can, and ask servers for the rest."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from polbias.aliases import Document, Json
from polbias.limits import MAX_ERROR_BODY
from polbias.lm_eval_runner.addresses import advice_for, form_hint
from polbias.lm_eval_runner.answer_cache import AnswerCache
from polbias.lm_eval_runner.budget import BudgetSemaphore
from polbias.lm_eval_runner.requests import GENERATE, MultipleAnswers, RequestRejected
from polbias.lm_eval_runner.responses import (
    CLIENT_FIELD,
    Likelihood,
    ResponseError,
    filtered_body,
    metadata_of_texts,
    response_error,
    too_long_body,
    usages,
    with_all_answers,
    with_logprobs,
    with_texts,
)
from polbias.lm_eval_runner.server_errors import PassingError, ServerError, error_in_answer
from polbias.lm_eval_runner.settings import STOPS
from polbias.models.bodies import read_up_to
from polbias.models.redirects import MAX_REDIRECTS, RedirectError, redirect_target
from polbias.responses import Response


def cached_model_class(kind: Any) -> Any:
    """Return a subclass of a model of lm_eval that answers from its attribute ``memory`` what it can.

    What an API refuses for good (a wrong key, an unknown model, a prompt that is too long) is not sent again
    and again, as lm_eval would. Every response gives one answer, also one without a text.
    """
    from lm_eval.models.anthropic_llms import AnthropicChat
    from lm_eval.models.api_models import TemplateAPI
    from lm_eval.models.openai_completions import LocalChatCompletion, OpenAIChatCompletion

    in_blocks = issubclass(kind, AnthropicChat)
    has_own_client = getattr(kind, "amodel_call", None) is not TemplateAPI.amodel_call

    class Remembering(kind):  # type: ignore[misc]
        memory: AnswerCache

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
        is_served = False  # whether the server has answered yet

        def parse_generations(self, outputs: Any, **kwargs: Any) -> Any:
            texts = super().parse_generations(outputs=with_texts(outputs), **kwargs)
            self.is_served = True
            about = metadata_of_texts(outputs)
            if len(about) != len(texts):
                return texts
            answers = [Response(text, known) for text, known in zip(texts, about, strict=True)]
            return [MultipleAnswers(answers)] if self.memory.bundled else answers

        def parse_logprobs(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
            checked = with_logprobs(outputs, kwargs["ctxlens"])
            likelihoods = super().parse_logprobs(checked, *args, **kwargs)
            self.is_served = True
            return [
                Likelihood(likelihood, usage)
                for likelihood, usage in zip(likelihoods, usages(outputs), strict=True)
            ]

        def model_call(self, messages: Any, **kwargs: Any) -> Any:
            self.memory.budget.check()
            if has_own_client:
                return super().model_call(messages, **kwargs)

            async def call() -> Any:
                async with self._session() as session:
                    try:
                        return await self._exchange(session, messages, **kwargs)
                    except ResponseError as error:
                        raise self._final(error) from None

            return asyncio.run(call())

        async def amodel_call(
            self,
            session: Any,
            sem: Any,
            messages: Any,
            *,
            generate: bool = True,
            cache_keys: Sequence[Any] | None = None,
            ctxlens: Sequence[int] | None = None,
            gen_kwargs: Json | None = None,
        ) -> Any:
            gate = BudgetSemaphore(sem, self.memory.budget)
            if has_own_client:
                keys = {"cache_keys": cache_keys, "ctxlens": ctxlens, "gen_kwargs": gen_kwargs}
                return await super().amodel_call(session, gate, messages, generate=generate, **keys)
            await gate.acquire()
            try:
                body = await self._exchange(session, messages, generate=generate, gen_kwargs=gen_kwargs)
                if generate:
                    answers = self.parse_generations(body)
                else:
                    answers = self.parse_logprobs(body, tokens=messages, ctxlens=ctxlens)
                for answer, key in zip(answers, cache_keys or (), strict=False):
                    self.cache_hook.add_partial(GENERATE if generate else "loglikelihood", key, answer)
                return answers
            except ResponseError as error:
                raise self._final(error) from None
            finally:
                gate.release()

        def _session(self) -> Any:
            from aiohttp import ClientSession, ClientTimeout, TCPConnector

            connector = TCPConnector(ssl=self.verify_certificate)
            return ClientSession(connector=connector, timeout=ClientTimeout(total=self.timeout))

        async def _exchange(
            self, session: Any, messages: Any, *, generate: bool = True, gen_kwargs: Json | None = None
        ) -> Any:
            """Send a request and return the body of its response."""
            from aiohttp import ClientError

            settings, address, n_redirects = self.memory.settings, str(self.base_url), 0
            while True:
                payload = self._payload(messages, generate, gen_kwargs)
                sent: Json = {"json": payload, "headers": self.header, "allow_redirects": False}
                try:
                    async with session.post(address, **sent) as response:
                        status = response.status
                        target = redirect_target(address, status, response.headers.get("Location"))
                        limit = self.memory.budget.max_answer_bytes if status < 400 else MAX_ERROR_BODY
                        content, is_too_long = await read_up_to(response.content.iter_any(), limit)
                        if is_too_long:
                            response.close()  # the rest is not waited for
                    if target and n_redirects < MAX_REDIRECTS:
                        address, n_redirects = target, n_redirects + 1
                        continue
                except RedirectError as redirect:
                    raise RequestRejected(str(redirect)) from None
                except (ClientError, TimeoutError, OSError) as failure:
                    raise self._unreachable(failure) from None
                if status < 400 and is_too_long:
                    if not generate:
                        raise _longer_than(limit)
                    return too_long_body(payload, limit, in_blocks=in_blocks)
                text = content.decode("utf-8", "replace")
                body = _parse(text) if status < 400 else None
                error = error_in_answer(body) if status < 400 else ServerError.parse(status, text)
                if error is None:
                    if not isinstance(body, list | Mapping):
                        raise response_error("body", body, "an object of JSON")
                    if generate:
                        tell_once = self.memory.faults.tell_once
                        body = with_all_answers(body, payload, tell_once, in_blocks=in_blocks)
                    about = {"dropped": {**settings.dropped}} if settings.dropped and generate else {}
                    return {**body, CLIENT_FIELD: about} if isinstance(body, Mapping) else body
                if generate and error.is_filter:
                    return filtered_body(payload, error.message, in_blocks=in_blocks)
                if not settings.adapt(payload, error):
                    raise self._error(payload, error)

        def _payload(self, messages: Any, generate: bool, gen_kwargs: Json | None) -> Json:
            given = copy.deepcopy(gen_kwargs or {})
            stops_wanted = any(given.get(name) for name in ("until", *STOPS))
            # OpenAI's class sends temperature 1 to every model with a 5 in its name.
            own = LocalChatCompletion if issubclass(kind, OpenAIChatCompletion) else kind
            payload = own._create_payload(
                self, self.create_message(messages), generate=generate, gen_kwargs=given, seed=self._seed
            )
            return self.memory.settings.apply(payload, stops_wanted)

        def _error(self, payload: Document, error: ServerError) -> BaseException:
            """What to raise for an error of the server: something final, or what is tried again."""
            takes_ids = _has_token_ids(payload) and not self.is_served
            if error.is_passing and not takes_ids and not error.is_about_system_turn:
                self.memory.faults.note(error.message)
                return PassingError(error.message)
            return RequestRejected(f"{error}{advice_for(error, self, has_token_ids=takes_ids)}")

        def _unreachable(self, error: Exception) -> BaseException:
            """What to raise where there is no response: once a server has answered, it may come back."""
            reason = str(error) or type(error).__name__
            if isinstance(error, TimeoutError):
                reason = (
                    f"no answer within timeout={self.timeout} (seconds); allow more with --model_args "
                    "timeout=N, or ask less at once with num_concurrent"
                )
            if self.is_served or isinstance(error, TimeoutError):
                self.memory.faults.note(reason)
                return PassingError(reason)
            return RequestRejected(
                f"{self.base_url} cannot be reached ({reason}); is the server up?{form_hint(self)}"
            )

        def _final(self, error: ResponseError) -> BaseException:
            """An odd response is final unless the server has sent a right one before."""
            return error if self.is_served else RequestRejected(f"{error}{form_hint(self)}")

    class RememberingChat(RememberingApi):
        def loglikelihood(self, requests: list[Any], *_: Any, **__: Any) -> list[Any]:
            return self.memory.labels(requests, lambda some: kind.generate_until(self, some))

    made = RememberingApi if issubclass(kind, TemplateAPI) else RememberingLocal
    made = RememberingChat if issubclass(kind, LocalChatCompletion) else made
    made.__name__ = kind.__name__
    return made


def _parse(text: str) -> Any:
    """Return the JSON of a body, whatever type the server calls it."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ResponseError(
            "body of the response: found no JSON, expected an object of JSON; is base_url that of this kind "
            "of API?"
        ) from None


def _longer_than(limit: int) -> ResponseError:
    return ResponseError(
        f"the response: found more than {limit:,} bytes, expected log-probabilities; raise --max-answer-bytes"
    )


def _has_token_ids(payload: Document) -> bool:
    prompt = payload.get("prompt")
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    return isinstance(first, int | list)
