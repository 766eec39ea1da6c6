"""Chat models behind an OpenAI-compatible address."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from polbias.aliases import Document
from polbias.errors import InputError, PolbiasError
from polbias.limits import MAX_BODY
from polbias.models.bodies import LIMIT_CODE, TOO_LONG, is_token_count, limit_bodies
from polbias.models.redirects import redirect_hook
from polbias.models.requests import Ask, Request, ServiceResponse
from polbias.models.service_errors import Kind, ServiceError, with_patience
from polbias.optional import install_command
from polbias.safe_text import redact_message, redact_secrets, register, safe_logs

if TYPE_CHECKING:
    import openai


# Addresses of services.


def check_url(url: str) -> str:
    """Return a base address as it may be shown: without user, password and query."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("base_url: expected an address such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password:
        raise InputError(
            "base_url: holds a user or password; put the key into an environment variable instead"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


# Read what a server calls a chat completion.


def read_answer(response: Any) -> ServiceResponse:
    """Return what a response says; a refusal is an answer, nothing at all is not."""
    choices = getattr(response, "choices", None)
    if isinstance(response, str) or not isinstance(choices, list) or not choices:
        raise ServiceError(
            "openai: the answer is no chat completion; check that base_url is that of an OpenAI-compatible "
            "API (it usually ends in /v1)",
            "answer",
        )
    message, finish = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
    text, refusal = getattr(message, "content", None), getattr(message, "refusal", None)
    finish = finish if isinstance(finish, str) and finish else "stop"
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    if text is not None and not isinstance(text, str):
        raise ServiceError(f"openai: the answer is not text but a {type(text).__name__}", "answer")
    if not (text or "").strip() and finish != "content_filter":
        hint = "; it was cut off before it began: raise max_output_tokens" if finish == "length" else ""
        raise ServiceError(f"openai: the answer is empty (finish_reason {finish}){hint}", "answer")
    model = getattr(response, "model", None)
    model = redact_secrets(model) if isinstance(model, str) else None
    return ServiceResponse(redact_secrets(text or ""), redact_secrets(finish), model, _usage(response))


def _usage(response: Any) -> dict[str, int]:
    found = getattr(response, "usage", None)
    named = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
    counts = {ours: getattr(found, theirs, None) for ours, theirs in named}
    return {name: count for name, count in counts.items() if type(count) is int and is_token_count(count)}


# What services have in common, and chat models: at OpenAI or any server that speaks its language.

_LONGEST_WAIT = 120.0  # seconds that the client waits if a server says so with Retry-After
_NO_KEY = "none"


@dataclass(frozen=True)
class Service:
    """A service asked through its official client; constructing one needs neither client nor key.

    Args:
        model: its name at the server, which requests carry; empty for DeepL.
        base_url: the server; the provider's own unless given.
        concurrency: how many requests may be under way at once.

    Attributes:
        name: that requests carry, and that of the client library.
        own_server: of the provider, to which its price list applies.
        key_name: the environment variable with the key.
        timeout: seconds without a byte after which a request is given up and tried again.
        retries: how often the client tries again after an overload, a timeout or a lost connection, with
            growing pauses, or those that the server asks for (up to two minutes).
    """

    model: str = ""
    base_url: str | None = None
    concurrency: int = 8
    name: ClassVar[str]
    own_server: ClassVar[str]
    key_name: ClassVar[str]
    timeout: ClassVar[float]
    retries: ClassVar[int] = 5

    def __post_init__(self) -> None:
        check_url(self._url)

    @property
    def server(self) -> str:
        """The address as it may be shown."""
        return check_url(self._url)

    @property
    def has_list_price(self) -> bool:
        """Whether the provider's own server is asked."""
        return self.server == self.own_server

    @property
    def title(self) -> str:
        """Name, model and address, as shown before anything is sent."""
        return " ".join(filter(None, (self.name, self.model, "at", self.server)))

    def check(self) -> None:
        """Raise a `PolbiasError` if the client or the key is missing."""
        self._library()
        self._key()

    def session(self) -> AbstractAsyncContextManager[Ask]:
        """Open connections; what is yielded asks one question, `concurrency` of them at once."""
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
                "or replay recorded answers"
            ) from None

    def _key(self) -> str:
        """The key from the environment, checked but never shown."""
        key = os.environ.get(self.key_name, "").strip()
        if not key:
            raise PolbiasError(
                f"{self.name}: no key in the environment variable {self.key_name}; "
                "set it, or replay recorded answers"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise PolbiasError(
                f"{self.name}: what {self.key_name} holds is no key "
                "(blanks or unusual characters); correct it"
            )
        register(key)
        return key

    def _error(self, kind: Kind, message: str, *, again: bool | None = None) -> ServiceError:
        return ServiceError(f"{self.title}: {message}", kind, again=again)


class Chat(Service):
    """A chat model; `base_url` ends in ``/v1``, and is ``$OPENAI_BASE_URL`` unless given.

    A key goes to that server whoever it is; a server of one's own needs none.
    """

    name = "openai"
    own_server = "https://api.openai.com/v1"
    key_name = "OPENAI_API_KEY"
    timeout = 120.0
    max_answer_bytes: ClassVar[int] = MAX_BODY

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("chat model: found no name, expected one such as gpt-4o-mini")
        super().__post_init__()

    def request(
        self, id: str, messages: Sequence[Document], *, expected_tokens: int = 0, **parameters: Any
    ) -> Request:
        """Make a request to this model."""
        return Request(id, self.name, self.model, {"messages": messages, **parameters}, expected_tokens)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; what is yielded asks one question, `concurrency` of them at once."""
        library, key = self._library(), self._key()
        gate = asyncio.Semaphore(self.concurrency)
        redirects: list[str] = []
        http_client = library.DefaultAsyncHttpxClient(
            event_hooks={"response": [redirect_hook(redirects)]}, timeout=self.timeout
        )
        limit_bodies(http_client, self.max_answer_bytes)
        settings = {"timeout": self.timeout, "max_retries": self.retries, "http_client": http_client}
        async with library.AsyncOpenAI(api_key=key, base_url=self._url, **settings) as client:

            async def ask(request: Request) -> ServiceResponse:
                async with gate:
                    return await with_patience(lambda: self._ask(client, request, redirects))

            with safe_logs():
                yield ask

    @property
    def _url(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or self.own_server

    def _key(self) -> str:
        own = self.has_list_price or os.environ.get(self.key_name, "").strip()
        return super()._key() if own else _NO_KEY

    async def _ask(
        self, client: openai.AsyncOpenAI, request: Request, redirects: Sequence[str]
    ) -> ServiceResponse:
        response = await self._send(client, request, redirects)
        return response if isinstance(response, ServiceResponse) else read_answer(response)

    async def _send(self, client: openai.AsyncOpenAI, request: Request, redirects: Sequence[str]) -> object:
        library = self._library()
        body = {name: value for name, value in request.payload.items() if name != "messages"}
        if "max_output_tokens" in body:
            named = "max_completion_tokens" if self.has_list_price else "max_tokens"
            body[named] = body.pop("max_output_tokens")
        try:
            # A server that sends byte after byte keeps no request for ever.
            async with asyncio.timeout((self.retries + 1) * (self.timeout + _LONGEST_WAIT)):
                return await client.chat.completions.create(
                    model=self.model, messages=request.payload["messages"], extra_body=body
                )
        except (TimeoutError, library.APITimeoutError):
            tries = self.retries + 1
            raise self._error(
                "timeout",
                f"no answer within {self.timeout:g} s, {tries} times; allow more time or ask less at once",
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
        except ValueError as error:  # the client lets through what its JSON parser raises
            raise self._error("answer", f"the answer is not JSON ({redact_message(error)})") from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {redact_message(error)}") from None

    def _status_error(self, error: openai.APIStatusError) -> ServiceError:
        status, said = error.status_code, redact_message(error.message)
        if status in (401, 403):
            return self._error("auth", f"{said}; check the key in {self.key_name} and what it may do")
        if status == 404:
            hint = "" if self.server.endswith("/v1") else ", and whether base_url should end in /v1"
            return self._error("missing", f"{said}; check the model {self.model!r}{hint}")
        if status == 429 and "insufficient_quota" in (error.code, error.type):
            return self._error("quota", f"{said}; check the plan and billing of this account")
        if status == 429:
            wait = error.response.headers.get("retry-after")
            later = f" (the server asks to wait {redact_message(wait)} s)" if wait else ""
            return self._error("rate", f"{said}{later}; run again later, or with less at once")
        if status >= 500:
            return self._error("server", f"{said}, after {self.retries + 1} tries")
        return self._error("request", f"{said}; correct the model's parameters or the text")
