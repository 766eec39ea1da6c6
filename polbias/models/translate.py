"""Translation by DeepL or a chat model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from polbias.errors import InputError
from polbias.models.bodies import is_token_count
from polbias.models.chat import Chat, Service
from polbias.models.requests import Ask, Request, ServiceResponse
from polbias.models.service_errors import Kind, ServiceError, with_patience
from polbias.models.service_settings import Role, settings
from polbias.safe_text import redact_message, redact_secrets, safe_logs

# Translations through the official ``deepl`` client.


@dataclass(frozen=True)
class DeepLTranslator(Service):
    """DeepL, asked for one text at a time."""

    concurrency: int = 4
    name = "deepl"
    own_server = "https://api.deepl.com"
    key_name = "DEEPL_AUTH_KEY"
    timeout = 30.0

    def request(self, id: str, text: str, source: str, target: str) -> Request:
        """Make a request."""
        to = settings().deepl_targets.get(target, target.upper())
        languages = {"source_lang": source.split("-")[0].upper(), "target_lang": to}
        return Request(id, self.name, self.model, {"text": text, **languages})

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; what is yielded asks one question, `concurrency` of them at once."""
        library, key = self._library(), self._key()
        # The client has these for the whole process only; that is the way its documentation names.
        before = library.http_client.max_network_retries, library.http_client.min_connection_timeout
        _set_limits(library, self.retries, self.timeout)
        threads, local = ThreadPoolExecutor(self.concurrency, "deepl"), threading.local()

        def work(request: Request) -> ServiceResponse:
            if not hasattr(local, "client"):  # its connections are not for several threads
                local.client = library.Translator(key, server_url=self.base_url)
            return self._ask(local.client, request)

        async def ask(request: Request) -> ServiceResponse:
            loop = asyncio.get_running_loop()
            return await with_patience(lambda: loop.run_in_executor(threads, work, request))

        try:
            with safe_logs():
                yield ask
        finally:
            _set_limits(library, 0, self.timeout)  # for what is still under way when a run is interrupted
            threads.shutdown(wait=True, cancel_futures=True)
            _set_limits(library, *before)

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
            if error.should_retry:  # and it did
                raise self._error(kind, f"{redact_message(error)}, after {self.retries + 1} tries") from None
            raise self._error(kind, redact_message(error), again=True) from None
        except library.DeepLException as error:
            raise self._status_error(error) from None
        except (
            AttributeError,
            IndexError,
            KeyError,
            TypeError,
        ) as error:  # raised on answers of another form
            raise self._error("answer", f"the answer is no translation ({type(error).__name__})") from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {redact_message(error)}") from None
        return self._answer(result)

    def _answer(self, result: Any) -> ServiceResponse:
        translated = getattr(result, "text", None)
        if not isinstance(translated, str) or not translated.strip():
            raise self._error("answer", "the translation is empty or no text")
        used, billed = getattr(result, "model_type_used", None), getattr(result, "billed_characters", None)
        usage = {"characters": billed} if type(billed) is int and is_token_count(billed) else {}
        return ServiceResponse(
            redact_secrets(translated), "stop", used if isinstance(used, str) else None, usage
        )

    def _status_error(self, error: Any) -> ServiceError:
        status, said = error.http_status_code, redact_message(error)
        if status == 401:
            return self._error("auth", f"{said}; check the key in {self.key_name}")
        if status == 404:
            return self._error("missing", f"{said}; check base_url")
        if status is not None and status >= 500:
            return self._error("server", f"{said}, after {self.retries + 1} tries")
        return self._error("request", f"{said}; correct the languages, the parameters or the text")


def _set_limits(library: Any, retries: int, timeout: float) -> None:
    library.http_client.max_network_retries, library.http_client.min_connection_timeout = retries, timeout


# Requests in a role of ``services.yaml``: to a chat model by its prompt, to DeepL by its protocol.


def base_language(language: str) -> str:
    """Return a language without its region: ``de`` of ``de-CH``."""
    return language.split("-")[0].lower()


def role_request(
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
    """Make the request that a role makes of a text."""
    if isinstance(service, DeepLTranslator):
        if role != "translation":
            raise InputError(f"request {id}: deepl can only translate; give a chat model for {role}")
        return service.request(id, text, language, target)
    known = settings()
    for code in (language, target):
        if base_language(code) not in known.languages:
            expected = ", ".join(sorted(known.languages))
            raise InputError(f"request {id}: language {code!r} is unknown; expected one of: {expected}")
    name = known.roles[role].prompt
    prompt = known.prompts[name]
    slots = {
        "statement": text,
        "language": known.languages[base_language(language)],
        "country": known.countries.get(country.upper(), country),
        "count": count,
        "target": known.languages[base_language(target)],
    }
    system, user = known.render(name, slots)
    characters = prompt.answer_characters.per_statement * len(text) + prompt.answer_characters.fixed
    return service.request(
        id,
        [{"role": "system", "content": system}, {"role": "user", "content": user}],
        expected_tokens=known.expected_tokens(characters),
        **prompt.parameters,
    )
