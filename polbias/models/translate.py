"""Translation by DeepL or a chat model."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from polbias.errors import InputError
from polbias.models.bodies import is_token_count
from polbias.models.chat import Chat, Service, connection_reason
from polbias.models.requests import Ask, Request, ServiceResponse
from polbias.models.service_errors import Kind, ServiceError, retry
from polbias.models.service_settings import Role, settings
from polbias.safe_text import redact_message, redact_secrets, safe_logs

# Translations through the official ``deepl`` client.


@dataclass(frozen=True)
class DeepLTranslator(Service):
    """DeepL, with one text per request; by default at the server of the key's plan.

    Attributes:
        free_server: address for keys of the free plan, which end in ``:fx``.
    """

    concurrency: int = 4
    name = "deepl"
    own_server = "https://api.deepl.com"
    free_server: ClassVar[str] = "https://api-free.deepl.com"
    key_name = "DEEPL_AUTH_KEY"
    url_option = "--deepl-url"
    timeout = 30.0
    reach_timeout = 5.0  # for each address of the host, and for the answer

    @property
    def no_price_reason(self) -> str:
        """The reason why a price is unknown."""
        return "the free plan of DeepL" if self.server == self.free_server else super().no_price_reason

    @property
    def _url(self) -> str:
        is_free = os.environ.get(self.key_name, "").strip().endswith(":fx")
        return self.base_url or (self.free_server if is_free else self.own_server)

    def request(self, id: str, text: str, source: str, target: str) -> Request:
        """Return a request to translate a text."""
        target_lang = settings().deepl_targets.get(target, target.upper())
        languages = {"source_lang": source.split("-")[0].upper(), "target_lang": target_lang}
        return Request(id, self.name, self.model, {"text": text, **languages})

    async def _probe(self) -> str:
        library, key = self._library(), self._key()

        def request_usage() -> str:
            try:
                library.Translator(key, server_url=self._url).get_usage()
            except library.exceptions.ConnectionException as error:
                if "timed out" in str(error).lower():
                    raise TimeoutError from None
                return connection_reason(error)
            except (library.DeepLException, ValueError, TypeError, KeyError):
                pass  # an answer all the same
            return ""

        # The thread ends before the limits are restored, which it reads; also if this run is interrupted.
        with (
            safe_logs(),
            _retries_and_timeout(library, 0, self.reach_timeout),
            ThreadPoolExecutor(1, "deepl") as thread,
        ):
            return await asyncio.get_running_loop().run_in_executor(thread, request_usage)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; yield a function that sends one request, at most `concurrency` at once."""
        library, key = self._library(), self._key()
        threads, thread_data = ThreadPoolExecutor(self.concurrency, "deepl"), threading.local()

        def translate(request: Request) -> ServiceResponse:
            if not hasattr(thread_data, "client"):  # its connections are not thread-safe
                thread_data.client = library.Translator(key, server_url=self._url)
            return self._ask(thread_data.client, request)

        async def ask(request: Request) -> ServiceResponse:
            loop = asyncio.get_running_loop()
            return await retry(lambda: loop.run_in_executor(threads, translate, request))

        with _retries_and_timeout(library, self.retries, self.timeout):
            try:
                with safe_logs():
                    yield ask
            finally:
                # For pending requests of an interrupted run.
                with _retries_and_timeout(library, 0, self.timeout):
                    threads.shutdown(wait=True, cancel_futures=True)

    def _ask(self, client: Any, request: Request) -> ServiceResponse:
        library = self._library()
        try:
            result = client.translate_text(**request.payload)
        except library.AuthorizationException as error:
            raise self._error("auth", f"{redact_message(error)}; check the key in {self.key_name}") from None
        except library.QuotaExceededException as error:
            raise self._error("quota", f"{redact_message(error)}; check the plan of this account") from None
        except library.TooManyRequestsException as error:
            raise self._error(
                "rate", f"{redact_message(error)}; run again later, or with less at once"
            ) from None
        except library.exceptions.ConnectionException as error:
            kind: Kind = "timeout" if "timed out" in str(error).lower() else "connection"
            if error.should_retry:  # and the client did retry
                raise self._error(kind, f"{redact_message(error)}, after {self.retries + 1} tries") from None
            raise self._error(kind, redact_message(error), should_retry=True) from None
        except library.DeepLException as error:
            raise self._status_error(error) from None
        except (
            AttributeError,
            IndexError,
            KeyError,
            TypeError,
        ) as error:  # from responses of another format
            raise self._error(
                "answer", f"the response is not a translation ({type(error).__name__})"
            ) from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {redact_message(error)}") from None
        return self._answer(result)

    def _answer(self, result: Any) -> ServiceResponse:
        translated = getattr(result, "text", None)
        if not isinstance(translated, str) or not translated.strip():
            raise self._error("answer", "the translation is empty or not text")
        model, n_characters = (
            getattr(result, "model_type_used", None),
            getattr(result, "billed_characters", None),
        )
        usage = (
            {"characters": n_characters} if type(n_characters) is int and is_token_count(n_characters) else {}
        )
        return ServiceResponse(
            redact_secrets(translated), "stop", model if isinstance(model, str) else None, usage
        )

    def _status_error(self, error: Any) -> ServiceError:
        status, message = error.http_status_code, redact_message(error)
        if status == 401:
            return self._error("auth", f"{message}; check the key in {self.key_name}")
        if status == 404:
            return self._error("missing", f"{message}; check base_url")
        if status is not None and status >= 500:
            return self._error("server", f"{message}, after {self.retries + 1} tries")
        return self._error("request", f"{message}; correct the languages, the parameters or the text")


@contextmanager
def _retries_and_timeout(library: Any, retries: int, timeout: float) -> Iterator[None]:
    """Set the limits of the client, which are process-wide; its documentation recommends setting them so."""
    client = library.http_client
    previous_limits = client.max_network_retries, client.min_connection_timeout
    client.max_network_retries, client.min_connection_timeout = retries, timeout
    try:
        yield
    finally:
        client.max_network_retries, client.min_connection_timeout = previous_limits


# Requests of a role in ``services.yaml``, to a chat model or DeepL.


def base_language(language: str) -> str:
    """Return a language code without its region: ``de`` for ``de-CH``."""
    return language.split("-")[0].lower()


def build_role_request(
    role: Role,
    service: Chat | DeepLTranslator,
    id: str,
    text: str,
    *,
    language: str,
    target: str,
    country: str = "",
    count: int = 1,
) -> Request:
    """Build the request that applies the prompt of a role to a text; DeepL has the role translation only."""
    if isinstance(service, DeepLTranslator):
        if role != "translation":
            raise InputError(f"request {id}: deepl can only translate; use a chat model for {role}")
        return service.request(id, text, language, target)
    service_settings = settings()
    for code in (language, target):
        if base_language(code) not in service_settings.languages:
            expected = ", ".join(sorted(service_settings.languages))
            raise InputError(f"request {id}: language {code!r} is unknown; expected one of: {expected}")
    name = service_settings.roles[role].prompt
    prompt = service_settings.prompts[name]
    values = {
        "statement": text,
        "language": service_settings.languages[base_language(language)],
        "country": service_settings.countries.get(country.upper(), country),
        "count": count,
        "target": service_settings.languages[base_language(target)],
    }
    system, user = service_settings.render(name, values)
    characters = prompt.answer_characters.per_character * len(text) + prompt.answer_characters.fixed
    return service.request(
        id,
        [{"role": "system", "content": system}, {"role": "user", "content": user}],
        expected_tokens=service_settings.expected_tokens(characters),
        **prompt.parameters,
    )
