"""Call hosted models through the providers of Inspect, as a model of lm_eval."""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.log._transcript import Transcript, init_transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelCall,
    get_model,
)
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.models.api_models import JsonChatStr
from pydantic import ValidationError
from tqdm import tqdm  # type: ignore[import-untyped]

from polbias.aliases import Document, Json
from polbias.errors import InputError, PolbiasError
from polbias.lm_eval_runner.answer_cache import AnswerCache, CacheWriteError
from polbias.lm_eval_runner.budget import BudgetSemaphore
from polbias.lm_eval_runner.model_identity import INSPECT
from polbias.lm_eval_runner.requests import GENERATE, RequestRejected
from polbias.lm_eval_runner.responses import inspect_response, native_reason, text_of
from polbias.lm_eval_runner.server_errors import NO_SYSTEM_TURN, ServerError, TransientError, error_in_answer
from polbias.lm_eval_runner.settings import LIMIT, NEWER_LIMIT
from polbias.models.bodies import LIMIT_CODE, TOO_LONG, limit_bodies
from polbias.models.redirects import redirect_hook
from polbias.responses import Response, is_withheld
from polbias.safe_text import redact_message, register

# Settings of a request: names in lm_eval, in Inspect, and in request bodies.

_ALIASES = {  # in order of precedence
    "max_tokens": ("max_completion_tokens", "max_tokens", "max_new_tokens", "max_gen_toks"),
    "stop_seqs": ("stop_seqs", "stop", "until"),
}
_IGNORED_SETTINGS = ("do_sample",)  # implied by the temperature
# Settings of retries belong into --model_args; the others change the kind of a response.
_RETRY_ARGUMENTS = frozenset({"max_retries", "timeout", "attempt_timeout", "stream_idle_timeout"})
_CLIENT_ARGUMENTS = _RETRY_ARGUMENTS | {
    *(
        "max_connections",
        "adaptive_connections",
        "batch",
        "cache",
        "num_choices",
        "best_of",
        "system_message",
    ),
    *("fail_on_refusal", "fallback_models", "modalities", "max_tool_output", "internal_tools"),
}
_SETTINGS = frozenset(GenerateConfig.model_fields) - _CLIENT_ARGUMENTS
# Name in messages, and names in request bodies in lower case without underscores.
_WIRE_NAMES = {
    "temperature": ("temperature", {"temperature"}),
    "top_p": ("top_p", {"topp"}),
    "top_k": ("top_k", {"topk"}),
    "seed": ("seed", {"seed", "randomseed"}),
    "stop_seqs": ("stop", {"stop", "stopsequences", "stopseqs"}),
    "frequency_penalty": ("frequency_penalty", {"frequencypenalty"}),
    "presence_penalty": ("presence_penalty", {"presencepenalty"}),
}
_FIELDS = {"stop": "stop_seqs"}
_PROMPT_FIELDS = ("messages", "input", "contents", "prompt", "system", "extra_headers")


def generate_config(settings: Document) -> GenerateConfig:
    """Return Inspect's generation config for the settings of a request; null values are dropped."""
    remaining = {name: value for name, value in settings.items() if name not in _IGNORED_SETTINGS}
    fields: Json = {}
    for field, names in _ALIASES.items():
        values = [remaining.pop(name) for name in names if name in remaining]
        fields[field] = values[0] if values else None
    stops = fields["stop_seqs"] or []
    fields["stop_seqs"] = [stop for stop in ([stops] if isinstance(stops, str) else stops) if stop] or None
    if unknown := [name for name in remaining if name not in _SETTINGS]:
        raise InputError(
            f"--gen_kwargs {unknown[0]}: not a setting of requests to --model {INSPECT}, expected "
            "temperature, top_p, max_tokens, seed, reasoning_effort or another of Inspect's; client "
            f"arguments, retries and connections go into --model_args ({unknown[0]}=...)"
        )
    return _config("--gen_kwargs", {**fields, **remaining})


def _config(option: str, settings: Document) -> GenerateConfig:
    try:
        return GenerateConfig(**settings)
    except ValidationError as error:
        fault = error.errors()[0]
        name = fault["loc"][0] if fault["loc"] else "settings"
        raise InputError(f"{option} {name}: found {fault['input']!r}; {fault['msg']}") from None


def dropped_settings(config: GenerateConfig, call: ModelCall | None) -> Json:
    """Return the settings that are missing in the request sent, or have another value there."""
    if call is None or not call.request:  # a provider that does not record its requests
        return {}
    sent = dict(_parameters(call.request))
    dropped: Json = {}
    for field, (name, wire_names) in _WIRE_NAMES.items():
        value = getattr(config, field)
        if value is not None and not any(
            _is_same_value(value, sent[wire_name]) for wire_name in wire_names & {*sent}
        ):
            dropped[name] = value
    return dropped


def _parameters(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and values at every depth of a request body, without its prompt."""
    for name, value in body.items():
        if value is not None and name not in _PROMPT_FIELDS:
            yield name.replace("_", "").lower(), value
            if isinstance(value, Mapping):
                yield from _parameters(value)


def _is_same_value(value: Any, sent: Any) -> bool:
    """Whether two numbers are equal up to rounding; True for other types."""
    if isinstance(value, int | float) and isinstance(sent, int | float):
        return math.isclose(value, sent, rel_tol=1e-4)
    return True


# Responses and errors.

_PARSE_ERRORS = (TypeError, AttributeError, LookupError, ValueError)  # of a client that parses a response
_FILTERED = "content_filter"  # Inspect's stop reason of a withheld answer
_MESSAGE_CLASSES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def messages(prompt: Any) -> list[ChatMessage]:
    """Return the chat messages of a prompt."""
    if not isinstance(prompt, JsonChatStr):
        return [ChatMessageUser(content=str(prompt))]
    return [_MESSAGE_CLASSES[turn["role"]](content=turn["content"]) for turn in json.loads(prompt.prompt)]


class UnavailableError(Exception):
    """The server still fails after the last retry."""


def _last_call() -> ModelCall | None:
    """Return the last request and response; None if the provider does not record them."""
    calls = [event.call for event in transcript().events if isinstance(event, ModelEvent)]
    return calls[-1] if calls else None


def _payload(config: GenerateConfig) -> Json:
    """Return settings under the names that servers use in their errors."""
    fields = {name: getattr(config, field) for field, (name, _) in _WIRE_NAMES.items()}
    fields |= {LIMIT: config.max_tokens, NEWER_LIMIT: (config.extra_body or {}).get(NEWER_LIMIT)}
    return {name: value for name, value in fields.items() if value is not None}


def _cause(error: BaseException) -> BaseException:
    """Return the client error that Inspect and its retries wrap."""
    if (attempt := getattr(error, "last_attempt", None)) is not None:
        error = attempt.exception() or error
    return error.__cause__ if type(error).__name__ == "ModelGenerateError" and error.__cause__ else error


def _status(error: BaseException) -> int:
    """Return the HTTP status of an error; 0 if it has none."""
    body = getattr(error, "response", None)
    candidates = [getattr(error, name, None) for name in ("status_code", "status", "code")]
    if isinstance(body, Mapping):  # AWS client
        candidates.append(body.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    return next((value for value in candidates if type(value) is int), 0)


def _body(error: BaseException) -> str:
    """Return the response body of an error, else its text."""
    try:
        text = getattr(getattr(error, "response", None), "text", None)
    except RuntimeError:  # an unread stream
        text = None
    return text if isinstance(text, str) and text else f"{getattr(error, 'body', None) or ''} {error}"


def _message(error: BaseException) -> str:
    """Return an error in one line: its status and the message in the response body."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    message = inner.get("message") if isinstance(inner, Mapping) else None
    text = message or _strip_markup(str(error)) or type(error).__name__
    status = _status(error)
    if not status and error.__cause__ is not None:  # the reason of a connection error
        text = f"{text} ({error.__cause__})"
    return redact_message(f"{status} {text}" if status and str(status) not in str(text) else text)


_MARKUP = re.compile(r"\[/?(?:bold|italic|blue|red|green|yellow)\]|^ERROR: ")


def _strip_markup(text: str) -> str:
    """Return a console text of Inspect in one line, without markup."""
    return " ".join(_MARKUP.sub("", _MARKUP.sub("", text)).split())


# The model class.

_FIRST_PAUSE = 1.0  # seconds, doubled each time, after an error in a response with status 200
_RETRIES = 5  # with Inspect's pauses of 3, 6, 12, ... seconds: about a minute and a half
_CONNECTIONS = 8
_BATCH = 100  # requests, Inspect's default batch size


@register_model(INSPECT)
class InspectModel(LM):  # type: ignore[misc]
    """A model of one of Inspect's providers: ``model=PROVIDER/NAME``.

    Args:
        model: provider and name of the model.
        max_connections: concurrent requests.
        num_concurrent: alias of max_connections.
        batch: whether to use the provider's batch API, or the number of requests per batch.
        batch_size: ignored; lm_eval passes it.
        max_batch_size: ignored.
        device: ignored.
        arguments: settings of Inspect (``max_retries``, ``timeout``); others go to the provider's client.
    """

    answer_cache: AnswerCache

    def __init__(
        self,
        model: str = "",
        max_connections: int | None = None,
        num_concurrent: int | None = None,
        batch: bool | int | Json = False,
        batch_size: Any = None,
        max_batch_size: Any = None,
        device: Any = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        self.check_name(model)
        self._name = str(model)
        self._printed_lines: set[str] = set()
        self._has_answered = False  # whether the server has sent an answer
        self._address = arguments.get("base_url") or f"the server of {model}"
        self._connections = max_connections or num_concurrent
        self._batch = batch
        settings = {name: arguments.pop(name) for name in {*arguments} & (_SETTINGS | _RETRY_ARGUMENTS)}
        settings = {"max_retries": _RETRIES, "adaptive_connections": False, **settings}
        settings["max_connections"] = self._connections or (None if batch else _CONNECTIONS)
        config = _config("--model_args", {**settings, "batch": batch or None})
        try:
            with _capture_output(lambda _: None):
                self._model = get_model(model, config=config, memoize=False, **arguments)
        except TypeError:
            raise  # an argument unknown to the client
        except Exception as error:
            raise PolbiasError(f"--model {INSPECT}: {redact_message(_strip_markup(str(error)))}") from error
        register(self._model.api.api_key)
        self._redirects: list[str] = []
        for hooks in _response_hooks(self._model.api):
            hooks.append(redirect_hook(self._redirects))
        self._configs: dict[str, GenerateConfig] = {}
        self._watch_retries()
        # The connections of a client belong to an event loop: all calls use one.
        self._runner = asyncio.Runner()
        atexit.register(self._runner.close)

    @staticmethod
    def check_name(model: Any) -> None:
        """Raise InputError unless the name includes the provider."""
        if "/" not in str(model or "").strip("/"):
            raise InputError(
                f"--model_args model: found {model!r}, expected PROVIDER/NAME as Inspect names models, say "
                "anthropic/NAME (providers: https://inspect.aisi.org.uk/providers.html)"
            )

    @property
    def tokenizer_name(self) -> str:
        """Name of the model; the provider applies the chat template."""
        return self._name

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> JsonChatStr:
        """Return chat messages as one JSON text."""
        return JsonChatStr(json.dumps(chat_history, ensure_ascii=False))

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> Any:
        """Raise NotImplementedError: hosted chat models give no log-likelihoods."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """Return the answers to requests; each is cached as it arrives."""
        client = getattr(getattr(self._model.api, "client", None), "_client", None)
        if hasattr(client, "send") and not self._batch and "send" not in vars(client):
            limit_bodies(client, self.answer_cache.budget.max_answer_bytes)
        for request in requests:
            if (key := _settings_key(request.args[1])) not in self._configs:
                self._configs[key] = generate_config(request.args[1])
        with (
            _capture_output(self._print_once),
            tqdm(total=len(requests), desc="Requesting API", disable=disable_tqdm) as bar,
        ):
            return self._runner.run(self._send_all(requests, bar))

    async def _send_all(self, requests: Sequence[Any], bar: Any) -> list[str]:
        """Send requests concurrently; raise the first error once the requests in flight have returned."""
        gate = BudgetSemaphore(
            asyncio.Semaphore(width := self._n_workers(len(requests))), self.answer_cache.budget
        )
        waiting = iter(enumerate(requests))
        responses: dict[int, str] = {}
        errors: list[BaseException] = []

        async def work() -> None:
            while not errors and (entry := next(waiting, None)) is not None:
                number, request = entry
                try:
                    await gate.acquire()
                    try:
                        # in a new asyncio task: Inspect keeps the events of a task until it ends
                        responses[number] = await asyncio.create_task(self._respond(request))
                    finally:
                        gate.release()
                    self.cache_hook.add_partial(GENERATE, request.args, responses[number])
                    bar.update()
                except (Exception, RequestRejected, CacheWriteError) as error:
                    errors.append(error)

        workers = [asyncio.create_task(work()) for _ in range(width)]

        def stop(_: Any, context: Document) -> None:
            """Cancel the workers if the task that sends batches has failed; they would wait forever."""
            if self._batch and isinstance(error := context.get("exception"), Exception):
                errors.append(UnavailableError(_message(_cause(error.__cause__ or error))))
                for worker in workers:
                    worker.cancel()

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(stop)
        await asyncio.gather(*workers, return_exceptions=True)
        loop.set_exception_handler(None)
        if errors:
            raise errors[0]
        return [responses[number] for number in range(len(requests))]

    def _n_workers(self, n_requests: int) -> int:
        """Return the number of concurrent requests; under a budget, at most one batch."""
        if not self._batch:
            return min(n_requests, self._connections or _CONNECTIONS)
        limited = self.answer_cache.budget.max_tokens or self.answer_cache.budget.max_cost
        size = self._batch if type(self._batch) is int else _BATCH
        return min(n_requests, self._connections or (size if limited else n_requests))

    async def _respond(self, request: Any) -> Response:
        """Return the answer to a request; retry with adapted settings and after transient errors."""
        init_transcript(Transcript(log_model_api=True))  # else only the first requests are recorded
        prompt, settings = request.args
        chat, seconds = messages(prompt), _FIRST_PAUSE
        for attempt in range(_RETRIES + 1):
            if attempt:
                await asyncio.sleep(seconds)
                seconds *= 2
            config = self._adapt_config(self._configs[_settings_key(settings)])
            try:
                while (answer := await self._generate(chat, config)) is None:
                    config = self._adapt_config(self._configs[_settings_key(settings)])
                return answer
            except TransientError as error:
                fault = error
        raise fault

    async def _generate(self, chat: list[ChatMessage], config: GenerateConfig) -> Response | None:
        """Return the answer to a chat; None if settings were adapted and the caller has to send it again.

        A prompt that a filter rejects yields a refusal.

        Raises:
            TransientError: if the response has an error instead of an answer, and a retry may succeed.
            UnavailableError: if the server still fails after the retries of its client.
            RequestRejected: if the server rejects the request for good.
        """
        try:
            output = await self._model.generate(chat, config=config)
        except Exception as error:
            if self._redirects:
                raise RequestRejected(self._redirects[-1]) from None
            cause = _cause(error)
            if isinstance(cause, _PARSE_ERRORS) and not _status(cause):
                # status 200 without an answer: most likely an error of a gateway
                message = f"the response has no answer ({_message(cause)})"
                self.answer_cache.faults.record_reply(message)
                raise TransientError(message) from error
            fault = ServerError.parse(_status(cause), _body(cause))
            if LIMIT_CODE in _body(cause):
                usage = {"output_tokens": config.max_tokens} if config.max_tokens else {}
                return Response(text_of(None, TOO_LONG), {"finish_reason": TOO_LONG, "usage": usage})
            if fault.is_filter:
                return self._refusal_or_raise(fault)
            if self.answer_cache.settings.adapt(_payload(config), fault):
                return None
            raise self._make_error(cause, fault) from error
        if not output.choices:
            raise RequestRejected(f"the response of {self._name} has no answer")
        call = _last_call()
        rejection = output.error or (output.completion if call and call.error else None)
        if rejection and output.stop_reason != _FILTERED:  # the prompt is too long
            raise RequestRejected(redact_message(rejection))
        if call and (in_body := error_in_answer(call.response)) is not None:
            return self._refusal_or_raise(in_body)
        self._has_answered = True
        merged = self._model.config.merge(config)
        dropped = {} if rejection else dropped_settings(merged, call)
        for name, value in dropped.items():
            self._report_dropped(name, value)
        answer = inspect_response(output)
        added: Json = {
            "filter": redact_message(rejection or ""),
            "dropped": {**self.answer_cache.settings.dropped, **dropped},
        }
        metadata: Json = {**answer.metadata, **{name: value for name, value in added.items() if value}}
        if merged.seed is not None and "seed" not in dropped:
            metadata["seed"] = merged.seed
        if not answer and call and is_withheld(native_reason(call.response)):
            return Response(text_of(None, _FILTERED), {**metadata, "filtered": True})
        return Response(answer, metadata)

    def _refusal_or_raise(self, error: ServerError) -> Response:
        """Return a refusal for an error of a filter; raise another error."""
        if error.is_filter:
            metadata = {"finish_reason": _FILTERED, "filtered": True, "filter": error.message}
            return Response(text_of(None, _FILTERED), metadata)
        self.answer_cache.faults.record_reply(error.message)
        if error.is_transient:
            raise TransientError(error.message)
        raise RequestRejected(str(error))

    def _make_error(self, cause: BaseException, fault: ServerError) -> BaseException:
        """Return the exception of a client error."""
        message = _message(cause)
        is_transient = self._is_transient_error(cause)
        if is_transient and not fault.status and not self._has_answered:
            hint = "is base_url right, and the server up?"
            return RequestRejected(f"{self._address} cannot be reached ({message}); {hint}")
        if fault.is_about_system_turn:
            return RequestRejected(message + NO_SYSTEM_TURN)
        if is_transient:
            return UnavailableError(message)
        if self._batch and not fault.status:
            message += "; one rejected prompt can fail a batch: resume without batch=true"
        if fault.status in (401, 403):
            message += f"; check {' or '.join(self._model.api.api_key_vars) or 'the key'}"
        elif fault.status == 404:
            message += f"; check the name of the model ({self._name}) and base_url ({self._address})"
        return RequestRejected(message)

    def _adapt_config(self, config: GenerateConfig) -> GenerateConfig:
        """Return a config without rejected settings, the token limit under the server's name."""
        settings = self.answer_cache.settings
        changes: Json = {_FIELDS.get(name, name): None for name in settings.dropped}
        if settings.limit_name == NEWER_LIMIT and config.max_tokens is not None:
            body = {**(config.extra_body or {}), NEWER_LIMIT: config.max_tokens}
            changes |= {"max_tokens": None, "extra_body": body}
        return config.model_copy(update=changes) if changes else config

    def _report_dropped(self, name: str, value: Any) -> None:
        """Print that a setting was not sent; raise RequestRejected if the user requested it."""
        requested = self.answer_cache.settings.requested
        names = _ALIASES["stop_seqs"] if name == "stop" else (name,)
        if any(requested.get(alias) is not None for alias in names):
            raise RequestRejected(
                f"{self._name} or its client takes no {name}, which --gen_kwargs or --model_args sets "
                f"({value!r}); remove it, or leave it to the provider with --gen_kwargs {name}=null"
            )
        self._print_once(f"{name}={value!r} is not sent: {self._name} or its client does not accept it")

    def _watch_retries(self) -> None:
        """Print the server's error before each retry."""
        api = self._model.api
        should_retry: Callable[[Any], Any] = api.should_retry
        self._is_transient_error = should_retry

        def report_retry(error: Exception) -> Any:
            if not self._has_answered and not _status(error):  # no connection: most likely a wrong URL
                return False
            if decision := should_retry(error):
                self.answer_cache.faults.record_reply(_message(error))
            return decision

        vars(api)["should_retry"] = report_retry

    def _print_once(self, line: str) -> None:
        if line not in self._printed_lines:
            self._printed_lines.add(line)
            self.answer_cache.settings.print_line(line)


def _response_hooks(api: Any) -> Iterator[list[Any]]:
    """Yield the response hooks of a provider's clients (httpx, httpx2), which resend keys on redirects."""
    client = getattr(api, "client", None)
    for http_client in {getattr(api, "http_client", None), getattr(client, "_client", None)}:
        if isinstance(hooks := getattr(http_client, "event_hooks", None), dict):
            yield hooks["response"]


def _settings_key(settings: Document) -> str:
    return json.dumps(settings, sort_keys=True, default=str)


class _WarningHandler(logging.Handler):
    """Handler that prints Inspect's warnings, except on settings not sent (dropped_settings finds these)."""

    def __init__(self, print_line: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._print_line = print_line

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning in one line."""
        line = _strip_markup(record.getMessage())
        if not any(f"'{name}'" in line for name in _WIRE_NAMES):
            self._print_line(redact_message(line))


@contextmanager
def _capture_output(print_line: Callable[[str], None]) -> Iterator[None]:
    """Suppress the output and logs of Inspect, except warnings."""
    logger = logging.getLogger("inspect_ai")
    before = logger.handlers, logger.level, logger.propagate
    logger.handlers, logger.propagate = [_WarningHandler(print_line)], False
    try:
        with redirect_stdout(StringIO()):
            yield
    finally:
        logger.handlers, logger.level, logger.propagate = before
