"""Subclass models of lm_eval to use the answer cache and to handle errors of servers."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from polbias.aliases import Document, Json
from polbias.limits import MAX_ERROR_BODY
from polbias.lm_eval_runner.addresses import advice_on, url_hint
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
from polbias.lm_eval_runner.server_errors import ServerError, TransientError, error_in_answer
from polbias.lm_eval_runner.settings import STOPS
from polbias.models.bodies import read_up_to
from polbias.models.redirects import MAX_REDIRECTS, RedirectError, redirect_target
from polbias.responses import Response


def cached_model_class(kind: Any) -> Any:
    """Return a subclass of a model of lm_eval that reads and writes its attribute ``answer_cache``.

    A permanent error of an API (wrong key, unknown model, prompt too long) raises at once; lm_eval would
    send the request again. Every response yields an answer, even without a text.
    """
    from lm_eval.models.anthropic_llms import AnthropicChat
    from lm_eval.models.api_models import TemplateAPI
    from lm_eval.models.openai_completions import LocalChatCompletion, OpenAIChatCompletion

    in_blocks = issubclass(kind, AnthropicChat)
    has_custom_client = getattr(kind, "amodel_call", None) is not TemplateAPI.amodel_call

    class CachedModel(kind):  # type: ignore[misc]
        answer_cache: AnswerCache

        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().generate_until
            return self.answer_cache.answer(GENERATE, requests, lambda batch: model(batch, *args, **kwargs))

        def loglikelihood(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            model = super().loglikelihood
            return self.answer_cache.answer(
                "loglikelihood", requests, lambda batch: model(batch, *args, **kwargs)
            )

    class CachedLocalModel(CachedModel):
        def generate_until(self, requests: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
            end_token = getattr(self, "think_end_token", None)
            if isinstance(end_token, str) and not any(request.args[1].get("until") for request in requests):
                # lm_eval would drop the reasoning, and with it the sign of a truncated answer
                self.answer_cache.think_end, self.think_end_token = end_token, None
            try:
                return super().generate_until(requests, *args, **kwargs)
            finally:
                self.think_end_token = end_token

    class CachedApiModel(CachedModel):
        has_answered = False  # whether the server has sent a valid response

        def parse_generations(self, outputs: Any, **kwargs: Any) -> Any:
            texts = super().parse_generations(outputs=with_texts(outputs), **kwargs)
            self.has_answered = True
            metadata = metadata_of_texts(outputs)
            if len(metadata) != len(texts):
                return texts
            answers = [Response(text, fields) for text, fields in zip(texts, metadata, strict=True)]
            return [MultipleAnswers(answers)] if self.answer_cache.is_multi_sample else answers

        def parse_logprobs(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
            checked = with_logprobs(outputs, kwargs["ctxlens"])
            likelihoods = super().parse_logprobs(checked, *args, **kwargs)
            self.has_answered = True
            return [
                Likelihood(likelihood, usage)
                for likelihood, usage in zip(likelihoods, usages(outputs), strict=True)
            ]

        def model_call(self, messages: Any, **kwargs: Any) -> Any:
            self.answer_cache.budget.check()
            if has_custom_client:
                return super().model_call(messages, **kwargs)

            async def call() -> Any:
                async with self._session() as session:
                    try:
                        return await self._exchange(session, messages, **kwargs)
                    except ResponseError as error:
                        raise self._final_error(error) from None

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
            semaphore = BudgetSemaphore(sem, self.answer_cache.budget)
            if has_custom_client:
                keys = {"cache_keys": cache_keys, "ctxlens": ctxlens, "gen_kwargs": gen_kwargs}
                return await super().amodel_call(session, semaphore, messages, generate=generate, **keys)
            await semaphore.acquire()
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
                raise self._final_error(error) from None
            finally:
                semaphore.release()

        def _session(self) -> Any:
            from aiohttp import ClientSession, ClientTimeout, TCPConnector

            connector = TCPConnector(ssl=self.verify_certificate)
            return ClientSession(connector=connector, timeout=ClientTimeout(total=self.timeout))

        async def _exchange(
            self, session: Any, messages: Any, *, generate: bool = True, gen_kwargs: Json | None = None
        ) -> Any:
            """Send a request and return the body of its response."""
            from aiohttp import ClientError

            settings, address, n_redirects = self.answer_cache.settings, str(self.base_url), 0
            while True:
                payload = self._payload(messages, generate, gen_kwargs)
                options: Json = {"json": payload, "headers": self.header, "allow_redirects": False}
                try:
                    async with session.post(address, **options) as response:
                        status = response.status
                        target = redirect_target(address, status, response.headers.get("Location"))
                        limit = self.answer_cache.budget.max_answer_bytes if status < 400 else MAX_ERROR_BODY
                        content, is_too_long = await read_up_to(response.content.iter_any(), limit)
                        if is_too_long:
                            response.close()  # drops the remaining body
                    if target and n_redirects < MAX_REDIRECTS:
                        address, n_redirects = target, n_redirects + 1
                        continue
                except RedirectError as redirect:
                    raise RequestRejected(str(redirect)) from None
                except (ClientError, TimeoutError, OSError) as failure:
                    raise self._connection_error(failure) from None
                if status < 400 and is_too_long:
                    if not generate:
                        raise _too_long_error(limit)
                    return too_long_body(payload, limit, in_blocks=in_blocks)
                text = content.decode("utf-8", "replace")
                body = _parse_json(text) if status < 400 else None
                error = error_in_answer(body) if status < 400 else ServerError.parse(status, text)
                if error is None:
                    if not isinstance(body, list | Mapping):
                        raise response_error("body", body, "a JSON object")
                    if generate:
                        print_once = self.answer_cache.faults.print_once
                        body = with_all_answers(body, payload, print_once, in_blocks=in_blocks)
                    client_fields = {"dropped": {**settings.dropped}} if settings.dropped and generate else {}
                    return {**body, CLIENT_FIELD: client_fields} if isinstance(body, Mapping) else body
                if generate and error.is_filter:
                    return filtered_body(payload, error.message, in_blocks=in_blocks)
                if not settings.adapt(payload, error):
                    raise self._server_error(payload, error)

        def _payload(self, messages: Any, generate: bool, gen_kwargs: Json | None) -> Json:
            generation = copy.deepcopy(gen_kwargs or {})
            has_stops = any(generation.get(name) for name in ("until", *STOPS))
            # OpenAI's class sends temperature 1 to every model with a 5 in its name.
            payload_class = LocalChatCompletion if issubclass(kind, OpenAIChatCompletion) else kind
            payload = payload_class._create_payload(
                self, self.create_message(messages), generate=generate, gen_kwargs=generation, seed=self._seed
            )
            return self.answer_cache.settings.apply(payload, has_stops)

        def _server_error(self, payload: Document, error: ServerError) -> BaseException:
            """Return the exception of a server's error: TransientError for a retry, else RequestRejected."""
            takes_ids = _has_token_ids(payload) and not self.has_answered
            if error.is_transient and not takes_ids and not error.is_about_system_turn:
                self.answer_cache.faults.record_reply(error.message)
                return TransientError(error.message)
            return RequestRejected(f"{error}{advice_on(error, self, has_token_ids=takes_ids)}")

        def _connection_error(self, error: Exception) -> BaseException:
            """Return the exception of a failed connection: transient if it timed out or worked before."""
            reason = _failure_reason(error)
            if isinstance(error, TimeoutError):
                reason = (
                    f"no answer within timeout={self.timeout} (seconds); raise it with --model_args "
                    "timeout=N, or lower num_concurrent"
                )
            if self.has_answered or isinstance(error, TimeoutError):
                self.answer_cache.faults.record_reply(reason)
                return TransientError(reason)
            return RequestRejected(
                f"{self.base_url} cannot be reached ({reason}); is the server up?{url_hint(self)}"
            )

        def _final_error(self, error: ResponseError) -> BaseException:
            """Return the exception of an invalid response: final unless a valid one came before."""
            return error if self.has_answered else RequestRejected(f"{error}{url_hint(self)}")

    class CachedChatModel(CachedApiModel):
        def loglikelihood(self, requests: list[Any], *_: Any, **__: Any) -> list[Any]:
            return self.answer_cache.labels(requests, lambda batch: kind.generate_until(self, batch))

    cached_class = CachedApiModel if issubclass(kind, TemplateAPI) else CachedLocalModel
    cached_class = CachedChatModel if issubclass(kind, LocalChatCompletion) else cached_class
    cached_class.__name__ = kind.__name__
    return cached_class


def _failure_reason(error: Exception) -> str:
    """Return the system's reason of a failed connection; aiohttp's text has Python objects."""
    system_error = getattr(error, "os_error", None)
    number = getattr(system_error, "errno", None)
    if isinstance(system_error, socket.gaierror):
        return str(system_error.strerror)
    return os.strerror(number) if number and number > 0 else str(error) or type(error).__name__


def _parse_json(text: str) -> Any:
    """Parse the JSON of a body, whatever its content type."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ResponseError(
            "body of the response: found no JSON, expected a JSON object; does base_url belong to this API?"
        ) from None


def _too_long_error(limit: int) -> ResponseError:
    return ResponseError(
        f"the response: found more than {limit:,} bytes, expected log-probabilities; raise --max-answer-bytes"
    )


def _has_token_ids(payload: Document) -> bool:
    prompt = payload.get("prompt")
    first = prompt[0] if isinstance(prompt, list) and prompt else None
    return isinstance(first, int | list)
