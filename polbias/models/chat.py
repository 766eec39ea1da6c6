"""Chat models at an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from socket import gaierror
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from polbias.aliases import Document
from polbias.errors import InputError, PolbiasError
from polbias.limits import MAX_BODY
from polbias.models.bodies import LIMIT_CODE, TOO_LONG, is_token_count, limit_bodies
from polbias.models.redirects import redirect_hook
from polbias.models.requests import Ask, Request, ServiceResponse
from polbias.models.service_errors import Kind, ServiceError, retry
from polbias.optional import install_command
from polbias.safe_text import redact_message, redact_secrets, register, safe_logs

if TYPE_CHECKING:
    import openai


# Addresses of services.


def check_url(url: str, example: str = "http://127.0.0.1:8000/v1") -> str:
    """Return a base address without query; raise if it has a user or password, or no host."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"base_url: expected an address such as {example}")  # it may hold a password
    if parts.username or parts.password:
        raise InputError(
            "base_url: found a user or password; put the key into an environment variable instead"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


# Parse a chat completion.


def read_answer(response: Any) -> ServiceResponse:
    """Parse a chat completion; a refusal is a response, an empty text raises a `ServiceError`."""
    choices = getattr(response, "choices", None)
    if isinstance(response, str) or not isinstance(choices, list) or not choices:
        raise ServiceError(
            "openai: the response is not a chat completion; check that base_url is an OpenAI-compatible API "
            "(it usually ends in /v1)",
            "answer",
        )
    message, finish = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
    text, refusal = getattr(message, "content", None), getattr(message, "refusal", None)
    finish = finish if isinstance(finish, str) and finish else "stop"
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    if text is not None and not isinstance(text, str):
        raise ServiceError(f"openai: found a response of type {type(text).__name__}, expected text", "answer")
    if not (text or "").strip() and finish != "content_filter":
        hint = (
            "; it was truncated before the first character: raise max_output_tokens"
            if finish == "length"
            else ""
        )
        raise ServiceError(f"openai: the response is empty (finish_reason {finish}){hint}", "answer")
    model = getattr(response, "model", None)
    model = redact_secrets(model) if isinstance(model, str) else None
    return ServiceResponse(redact_secrets(text or ""), redact_secrets(finish), model, _usage(response))


def _usage(response: Any) -> dict[str, int]:
    usage = getattr(response, "usage", None)
    field_names = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
    counts = {name: getattr(usage, server_name, None) for name, server_name in field_names}
    return {name: count for name, count in counts.items() if type(count) is int and is_token_count(count)}


# Base class of services, and chat models at OpenAI or an OpenAI-compatible server.

_MAX_RETRY_AFTER = 120.0  # upper limit in seconds of a wait by the header Retry-After
_RECONNECT_DELAY = 1.0  # seconds before another attempt to reach a server
_MAX_ATTEMPTS = 3
_NO_KEY = "none"


@dataclass(frozen=True)
class Service:
    """Service, used with its official client; constructing one needs neither client nor key.

    Args:
        model: name of the model at the server, also in requests; empty for DeepL.
        base_url: address of the server; by default the provider's.
        concurrency: maximum number of concurrent requests.

    Attributes:
        name: name of the service in requests, and of the client library.
        own_server: address of the provider, to which its price list applies.
        key_name: environment variable with the key.
        url_option: option of the commands with the address.
        timeout: seconds without a byte after which a request is aborted and retried.
        reach_timeout: seconds after which a server that sends no answer is unreachable.
        retries: retries by the client after an overload, a timeout or a lost connection, with growing pauses,
            or pauses that the server requests (up to two minutes).
    """

    model: str = ""
    base_url: str | None = None
    concurrency: int = 8
    name: ClassVar[str]
    own_server: ClassVar[str]
    key_name: ClassVar[str]
    url_option: ClassVar[str]
    timeout: ClassVar[float]
    reach_timeout: ClassVar[float] = 8.0
    retries: ClassVar[int] = 5

    def __post_init__(self) -> None:
        check_url(self._url)

    @property
    def server(self) -> str:
        """Address of the server without query."""
        return check_url(self._url)

    @property
    def has_list_price(self) -> bool:
        """Whether the server is the provider's, to which its list price applies."""
        return self.server == self.own_server

    @property
    def no_price_reason(self) -> str:
        """The reason why a price is unknown."""
        return "no price listed" if self.has_list_price else "a server of your own"

    @property
    def title(self) -> str:
        """Name, model and address."""
        return " ".join(filter(None, (self.name, self.model, "at", self.server)))

    def check(self) -> None:
        """Raise a `PolbiasError` if the client or the key is missing."""
        self._library()
        self._key()

    async def reach(self) -> None:
        """Raise a `ServiceError` if the server sends no answer, not even an error."""
        reason = ""
        for attempt in range(_MAX_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_RECONNECT_DELAY)
            try:
                reason = await self._probe()
            except TimeoutError:
                reason = f"no answer within {self.reach_timeout:g} s"
                break
            if not reason:
                return
        action = f"start the server, or correct its address ({self.url_option}) or the network"
        raise self._error("connection", f"not reachable ({reason}); {action}")

    async def _probe(self) -> str:
        """Request something free of charge; return the reason why the connection failed, or ""."""
        raise NotImplementedError

    def session(self) -> AbstractAsyncContextManager[Ask]:
        """Open connections; yield a function that sends one request, at most `concurrency` at once."""
        raise NotImplementedError

    @property
    def _url(self) -> str:
        return self.base_url or self.own_server

    def _library(self) -> Any:
        try:
            return import_module(self.name)
        except ImportError:
            raise PolbiasError(
                f"{self.name}: the client is not installed; {install_command('services')}, "
                "or replay recorded responses"
            ) from None

    def _key(self) -> str:
        """Return the key from the environment, registered for redaction."""
        key = os.environ.get(self.key_name, "").strip()
        if not key:
            raise PolbiasError(
                f"{self.name}: no key in the environment variable {self.key_name}; "
                "set it, or replay recorded responses"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise PolbiasError(
                f"{self.name}: the value of {self.key_name} is not a key "
                "(blanks or unusual characters); correct it"
            )
        register(key)
        return key

    def _error(self, kind: Kind, message: str, *, should_retry: bool | None = None) -> ServiceError:
        return ServiceError(f"{self.title}: {message}", kind, should_retry=should_retry)


def connection_reason(error: BaseException) -> str:
    """Return the innermost reason of the operating system for a failed connection, else the message."""
    reason, cause = "", error.__cause__ or error.__context__
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno and cause.strerror:
            reason = cause.strerror if isinstance(cause, gaierror) else os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return redact_message(reason or error) or type(error).__name__


class Chat(Service):
    """Chat model; `base_url` ends in ``/v1``, by default ``$OPENAI_BASE_URL`` or else OpenAI.

    The key is sent to any server at this address; only OpenAI requires one.
    """

    name = "openai"
    own_server = "https://api.openai.com/v1"
    key_name = "OPENAI_API_KEY"
    url_option = "--base-url"
    timeout = 120.0
    max_answer_bytes: ClassVar[int] = MAX_BODY

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("chat model: found no name, expected one such as gpt-4o-mini")
        super().__post_init__()

    def request(
        self, id: str, messages: Sequence[Document], *, expected_tokens: int = 0, **parameters: Any
    ) -> Request:
        """Return a request to this model."""
        return Request(id, self.name, self.model, {"messages": messages, **parameters}, expected_tokens)

    async def _probe(self) -> str:
        library = self._library()
        with safe_logs():
            async with self._client(self.reach_timeout, 0, []) as client:
                try:
                    async with asyncio.timeout(self.reach_timeout):
                        await client.models.list()
                except library.APITimeoutError:
                    raise TimeoutError from None
                except library.APIConnectionError as error:
                    return connection_reason(error)
                except (library.OpenAIError, ValueError):
                    pass  # an answer all the same
        return ""

    def _client(self, timeout: float, retries: int, redirects: list[str]) -> openai.AsyncOpenAI:
        """Return a client that collects refused redirects and limits the length of responses."""
        library = self._library()
        http_client = library.DefaultAsyncHttpxClient(
            event_hooks={"response": [redirect_hook(redirects)]}, timeout=timeout
        )
        limit_bodies(http_client, self.max_answer_bytes)
        client: openai.AsyncOpenAI = library.AsyncOpenAI(
            api_key=self._key(),
            base_url=self._url,
            timeout=timeout,
            max_retries=retries,
            http_client=http_client,
        )
        return client

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; yield a function that sends one request, at most `concurrency` at once."""
        semaphore = asyncio.Semaphore(self.concurrency)
        redirects: list[str] = []
        async with self._client(self.timeout, self.retries, redirects) as client:

            async def ask(request: Request) -> ServiceResponse:
                async with semaphore:
                    return await retry(lambda: self._ask(client, request, redirects))

            with safe_logs():
                yield ask

    @property
    def _url(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or self.own_server

    def _key(self) -> str:
        needs_key = self.has_list_price or os.environ.get(self.key_name, "").strip()
        return super()._key() if needs_key else _NO_KEY

    async def _ask(
        self, client: openai.AsyncOpenAI, request: Request, redirects: Sequence[str]
    ) -> ServiceResponse:
        response = await self._send(client, request, redirects)
        return response if isinstance(response, ServiceResponse) else read_answer(response)

    async def _send(self, client: openai.AsyncOpenAI, request: Request, redirects: Sequence[str]) -> object:
        library = self._library()
        body = {name: value for name, value in request.payload.items() if name != "messages"}
        if "max_output_tokens" in body:
            limit_name = "max_completion_tokens" if self.has_list_price else "max_tokens"
            body[limit_name] = body.pop("max_output_tokens")
        try:
            # Ends a request to a server that sends single bytes forever.
            async with asyncio.timeout((self.retries + 1) * (self.timeout + _MAX_RETRY_AFTER)):
                return await client.chat.completions.create(
                    model=self.model, messages=request.payload["messages"], extra_body=body
                )
        except (TimeoutError, library.APITimeoutError):
            n_tries = self.retries + 1
            raise self._error(
                "timeout",
                f"no response within {self.timeout:g} s, {n_tries} times; allow more time or send "
                "less at once",
            ) from None
        except library.APIStatusError as error:
            if error.code == LIMIT_CODE:
                return ServiceResponse("", TOO_LONG)
            if error.status_code < 400 and redirects:
                raise self._error("missing", redirects[-1]) from None
            raise self._status_error(error) from None
        except library.APIConnectionError as error:
            cause = redact_message(error.__cause__ or error) or type(error.__cause__).__name__
            raise self._error("connection", f"no connection ({cause}); is the server running?") from None
        except ValueError as error:  # from the client's JSON parser
            raise self._error("answer", f"the response is not JSON ({redact_message(error)})") from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {redact_message(error)}") from None

    def _status_error(self, error: openai.APIStatusError) -> ServiceError:
        status, message = error.status_code, redact_message(error.message)
        if status in (401, 403):
            return self._error("auth", f"{message}; check the key in {self.key_name} and its permissions")
        if status == 404:
            hint = "" if self.server.endswith("/v1") else ", and whether base_url should end in /v1"
            return self._error("missing", f"{message}; check the model {self.model!r}{hint}")
        if status == 429 and "insufficient_quota" in (error.code, error.type):
            return self._error("quota", f"{message}; check the plan and billing of this account")
        if status == 429:
            wait = error.response.headers.get("retry-after")
            wait_hint = f" (the server requests a wait of {redact_message(wait)} s)" if wait else ""
            return self._error("rate", f"{message}{wait_hint}; run again later, or with less at once")
        if status >= 500:
            return self._error("server", f"{message}, after {self.retries + 1} tries")
        return self._error("request", f"{message}; correct the model's parameters or the text")
