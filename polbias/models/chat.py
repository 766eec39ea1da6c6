"""Chat models through the official ``openai`` client, at OpenAI or any server that speaks its language."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polbias.files import InputError, PolbiasError
from polbias.generators.services.completion import read_answer
from polbias.generators.services.errors import ServiceError, with_patience
from polbias.generators.services.keys import check_url, quiet_logs, scrub, usable_key
from polbias.models.requests import Answer, Ask, Request
from polbias.optional import advice

if TYPE_CHECKING:
    import openai

OWN_SERVER = "https://api.openai.com/v1"
_RESERVED = frozenset({"messages", "model", "n", "service", "stream"})
_LONGEST_WAIT = 120.0  # seconds that the client waits if a server says so with Retry-After
_NO_KEY = "none"


@dataclass(frozen=True)
class Chat:
    """A chat model.

    Args:
        model: its name at the server.
        base_url: the server, with its ``/v1``; ``$OPENAI_BASE_URL`` or OpenAI's own unless given.
        api_key_env: the environment variable with the key, which goes to `base_url` whoever that is; a server
            of one's own needs none.
        concurrency: how many requests may be under way at once.
        timeout: seconds without a byte after which a request is given up and tried again.
        retries: how often the client tries again after 408, 409, 429, 5xx, a timeout or a lost connection,
            with growing pauses, or those that the server asks for (up to two minutes).
    """

    model: str
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("chat model: found no name, expected one such as gpt-4o-mini")
        if self.concurrency < 1 or self.timeout <= 0 or self.retries < 0:
            raise InputError(
                "chat: expected concurrency of at least 1, a timeout above 0 and no negative retries"
            )
        check_url(self._url, "base_url")

    @property
    def name(self) -> str:
        """The name that requests carry."""
        return "openai"

    @property
    def server(self) -> str:
        """The address as it may be shown."""
        return check_url(self._url, "base_url")

    @property
    def list_priced(self) -> bool:
        """Whether it is OpenAI's own server."""
        return self.server == OWN_SERVER

    def request(
        self,
        id: str,
        messages: Sequence[Mapping[str, str]],
        *,
        expected_tokens: int | None = None,
        **parameters: Any,
    ) -> Request:
        """Make a request to this model.

        Args:
            id: what the caller knows it by.
            messages: turns with ``role`` and ``content``.
            expected_tokens: tokens of the expected answer, for the estimate.
            **parameters: sent as they are, except that ``max_output_tokens`` gets the name that the server
                knows; one that is None is left out.

        Raises:
            InputError: if a parameter is not for the caller to set, or is not JSON.
        """
        if wrong := _RESERVED & parameters.keys():
            raise InputError(f"request {id}: parameter {min(wrong)!r} cannot be set; remove it")
        turns = [{"role": turn["role"], "content": turn["content"]} for turn in messages]
        given = {name: value for name, value in parameters.items() if value is not None}
        return Request(id, self.name, self.model, {"messages": turns, **given}, expected_tokens)

    def check(self) -> None:
        """Raise a `PolbiasError` if the client or the key is missing."""
        _library()
        self._key()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; what is yielded asks one question, `concurrency` of them at once."""
        library, key = _library(), self._key()
        gate = asyncio.Semaphore(self.concurrency)
        async with library.AsyncOpenAI(
            api_key=key, base_url=self._url, timeout=self.timeout, max_retries=self.retries
        ) as client:

            async def ask(request: Request) -> Answer:
                async with gate:
                    return await with_patience(lambda: self._ask(client, request, key))

            with quiet_logs(key):
                yield ask

    @property
    def _url(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or OWN_SERVER

    def _key(self) -> str:
        value = os.environ.get(self.api_key_env)
        if not (value or "").strip() and not self.list_priced:
            return _NO_KEY
        return usable_key(self.api_key_env, value, package=self.name)

    async def _ask(self, client: openai.AsyncOpenAI, request: Request, key: str) -> Answer:
        return read_answer(await self._send(client, request, key), key)

    async def _send(self, client: openai.AsyncOpenAI, request: Request, key: str) -> object:
        library = _library()
        body = {name: value for name, value in request.payload.items() if name != "messages"}
        if "max_output_tokens" in body:
            named = "max_completion_tokens" if self.list_priced else "max_tokens"
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
            raise self._status_error(error, key) from None
        except library.APIConnectionError as error:
            cause = scrub(error.__cause__ or error, key) or type(error.__cause__).__name__
            raise self._error("connection", f"no connection ({cause}); is the server running?") from None
        except ValueError as error:  # the client lets through what its JSON parser raises
            raise self._error("answer", f"the answer is not JSON ({scrub(error, key)})") from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {scrub(error, key)}") from None

    def _status_error(self, error: openai.APIStatusError, key: str) -> ServiceError:
        status, said = error.status_code, scrub(error.message, key)
        if status in (401, 403):
            return self._error("auth", f"{said}; check the key in {self.api_key_env} and what it may do")
        if status == 404:
            hint = "" if self.server.endswith("/v1") else ", and whether base_url should end in /v1"
            return self._error("missing", f"{said}; check the model {self.model!r}{hint}")
        if status == 429 and "insufficient_quota" in (error.code, error.type):
            return self._error("quota", f"{said}; check the plan and billing of this account")
        if status == 429:
            wait = error.response.headers.get("retry-after")
            later = f" (the server asks to wait {scrub(wait, key)} s)" if wait else ""
            return self._error("rate", f"{said}{later}; run again later, or with less at once")
        if status >= 500:
            return self._error("server", f"{said}, after {self.retries + 1} tries")
        return self._error("request", f"{said}; correct the model's parameters or the text")

    def _error(self, kind: Any, message: str) -> ServiceError:
        return ServiceError(f"openai {self.model} at {self.server}: {message}", kind)


def _library() -> Any:
    try:
        import openai
    except ImportError:
        raise PolbiasError(
            f"openai: the client is not installed; {advice('services')}, or replay recorded answers"
        ) from None
    return openai
