"""Translation by DeepL or a chat model."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from polbias.files import InputError, PolbiasError
from polbias.models.chat import Chat, check_url, hide, quiet_logs, scrub, usable_key
from polbias.models.prompts import Role, settings
from polbias.models.requests import Answer, Ask, Request, ServiceError, with_patience
from polbias.optional import advice

# Translations through the official ``deepl`` client.

_OWN_SERVER = "https://api.deepl.com"
_OWN_PARAMETERS = frozenset({"text", "source_lang", "target_lang", "model_type", "service", "model"})


@dataclass(frozen=True)
class Translate:
    """DeepL, asked for one text at a time.

    Args:
        model: DeepL's ``model_type``, such as ``quality_optimized``; empty for its default.
        server_url: another server; DeepL's own (free or paid, by the key) unless given.
        api_key_env: the environment variable with the key.
        concurrency: how many requests may be under way at once.
        timeout: seconds without a byte after which a request is given up and tried again.
        retries: how often the client tries again after 429, 5xx, a timeout or a lost connection.
    """

    model: str = ""
    server_url: str | None = None
    api_key_env: str = "DEEPL_AUTH_KEY"
    concurrency: int = 4
    timeout: float = 30.0
    retries: int = 5

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.timeout <= 0 or self.retries < 0:
            raise InputError(
                "deepl: expected concurrency of at least 1, a timeout above 0 and no negative retries"
            )
        check_url(self.server_url or _OWN_SERVER, "server_url")

    @property
    def name(self) -> str:
        """The name that requests carry."""
        return "deepl"

    @property
    def server(self) -> str:
        """The address as it may be shown."""
        return check_url(self.server_url or _OWN_SERVER, "server_url")

    @property
    def list_priced(self) -> bool:
        """Whether it is DeepL's own server."""
        return self.server_url is None

    def request(self, id: str, text: str, source: str, target: str, **parameters: Any) -> Request:
        """Make a request."""
        if wrong := _OWN_PARAMETERS & parameters.keys():
            raise InputError(f"request {id}: parameter {min(wrong)!r} cannot be set; remove it")
        if not text.strip():
            raise InputError(f"request {id}: found no text to translate")
        given = {name: value for name, value in parameters.items() if value is not None}
        to = settings().deepl_targets.get(target, target.upper())
        languages = {"source_lang": source.split("-")[0].upper(), "target_lang": to}
        return Request(id, self.name, self.model, {"text": text, **languages, **given})

    def check(self) -> None:
        """Raise a `PolbiasError` if the client or the key is missing."""
        _library()
        self._key()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Ask]:
        """Open connections; what is yielded asks one question, `concurrency` of them at once."""
        library, key = _library(), self._key()
        # The client has these for the whole process only; that is the way its documentation names.
        before = library.http_client.max_network_retries, library.http_client.min_connection_timeout
        _set_limits(library, self.retries, self.timeout)
        threads, local = ThreadPoolExecutor(self.concurrency, "deepl"), threading.local()

        def work(request: Request) -> Answer:
            if not hasattr(local, "client"):  # its connections are not for several threads
                local.client = library.Translator(key, server_url=self.server_url)
            return self._ask(local.client, request, key)

        async def ask(request: Request) -> Answer:
            loop = asyncio.get_running_loop()
            return await with_patience(lambda: loop.run_in_executor(threads, work, request))

        try:
            with quiet_logs(key):
                yield ask
        finally:
            _set_limits(library, 0, self.timeout)  # for what is still under way when a run is interrupted
            threads.shutdown(wait=True, cancel_futures=True)
            _set_limits(library, *before)

    def _key(self) -> str:
        return usable_key(self.api_key_env, os.environ.get(self.api_key_env), package=self.name)

    def _ask(self, client: Any, request: Request, key: str) -> Answer:
        library, payload = _library(), dict(request.payload)
        text = payload.pop("text")
        if request.model:
            payload["model_type"] = request.model
        try:
            result = client.translate_text(text, **payload)
        except library.AuthorizationException as error:
            raise self._error("auth", f"{scrub(error, key)}; check the key in {self.api_key_env}") from None
        except library.QuotaExceededException as error:
            raise self._error("quota", f"{scrub(error, key)}; check the plan of this account") from None
        except library.TooManyRequestsException as error:
            raise self._error("rate", f"{scrub(error, key)}; run again later, or with less at once") from None
        except library.exceptions.ConnectionException as error:
            kind = "timeout" if "timed out" in str(error).lower() else "connection"
            if error.should_retry:  # and it did
                raise self._error(kind, f"{scrub(error, key)}, after {self.retries + 1} tries") from None
            raise self._error(kind, scrub(error, key), again=True) from None
        except library.DeepLException as error:
            raise self._status_error(error, key) from None
        except (
            AttributeError,
            IndexError,
            KeyError,
            TypeError,
        ) as error:  # raised on answers of another form
            raise self._error("answer", f"the answer is no translation ({type(error).__name__})") from None
        except Exception as error:
            raise self._error("client", f"{type(error).__name__}: {scrub(error, key)}") from None
        return self._answer(result, key)

    def _answer(self, result: Any, key: str) -> Answer:
        translated = getattr(result, "text", None)
        if not isinstance(translated, str) or not translated.strip():
            raise self._error("answer", "the translation is empty or no text")
        used, billed = getattr(result, "model_type_used", None), getattr(result, "billed_characters", None)
        usage = {"characters": billed} if isinstance(billed, int) else {}
        return Answer(hide(translated, key), "stop", used if isinstance(used, str) else None, usage)

    def _status_error(self, error: Any, key: str) -> ServiceError:
        status, said = error.http_status_code, scrub(error, key)
        if status == 401:
            return self._error("auth", f"{said}; check the key in {self.api_key_env}")
        if status == 404:
            return self._error("missing", f"{said}; check server_url")
        if status is not None and status >= 500:
            return self._error("server", f"{said}, after {self.retries + 1} tries")
        return self._error("request", f"{said}; correct the languages, the parameters or the text")

    def _error(self, kind: Any, message: str, *, again: bool | None = None) -> ServiceError:
        return ServiceError(f"deepl at {self.server}: {message}", kind, again=again)


def _set_limits(library: Any, retries: int, timeout: float) -> None:
    library.http_client.max_network_retries, library.http_client.min_connection_timeout = retries, timeout


def _library() -> Any:
    try:
        import deepl
    except ImportError:
        raise PolbiasError(
            f"deepl: the client is not installed; {advice('services')}, or replay recorded answers"
        ) from None
    return deepl


# Requests in a role of ``services.yaml``: to a chat model by its prompt, to DeepL by its protocol.


def base_language(language: str) -> str:
    """Return a language without its region: ``de`` of ``de-CH``."""
    return language.split("-")[0].lower()


def role_request(
    role: Role,
    service: Chat | Translate,
    id: str,
    text: str,
    *,
    language: str,
    target: str,
    country: str = "",
    count: int = 1,
) -> Request:
    """Make the request that a role makes of a text."""
    if isinstance(service, Translate):
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
