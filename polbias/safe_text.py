"""Texts that are safe to display and to store: without secrets of this run and terminal controls."""

from __future__ import annotations

import html
import json
import logging
import re
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

HIDDEN = "[key]"
"""Replaces a secret."""

# Names of arguments, headers, variables and URL parameters that hold secrets.

_MIN_LENGTH = 6
_PLACEHOLDERS = frozenset(
    {
        *("", "anything", "bearer", "changeme", "default", "dummykey", "fakekey", "foobar", "llamacpp"),
        *("lmstudio", "localai", "noauth", "nokey", "nokeyrequired", "notneeded", "nothing", "notrequired"),
        *("notused", "ollama", "placeholder", "sglang", "sknokeyrequired", "testkey", "undefined", "unused"),
        *("whatever", "xxxxxx", "yourapikey", "yourkey"),
    }
)
"""Dummy keys for servers that need none, without punctuation."""

_SECRET_NAME = re.compile(
    r"key|.*(?:api|access|account|app|auth|functions?|host|master|private|secret|service|shared|signing"
    r"|subscription)keys?"
    r"|.*(?:secret|password|passwd|passphrase|credentials?|signature|cookie|authorization)"
    r"|sig|sas|pwd|pass|jwt|auth"
    r"|.*(?<!bos|eos|pad|unk|sep|cls|end)(?<!mask|stop)(?<!start|image|begin)(?<!prefix)token"
)
_SECRET_VARIABLE = re.compile(r".*(?:key|token|secret|password|passwd|credentials?)")
_HEADERS = re.compile(r"(?:default|extra|http|custom|request)?headers?")
_HARMLESS_HEADER = re.compile(
    r"accept.*|anthropicversion|anthropicbeta|apiversion|connection|content.*|host|httpreferer|openai.*"
    r"|origin|referer|useragent|xtitle|.*requestid"
)
_HARMLESS_PARAMETER = re.compile(
    r".*version|alt|beta|deployment|format|lang(?:uage)?|limit|location|mode|model|project|provider|region"
    r"|stream|tenant|timeout|type|zone"
)
_AUTH_SCHEME = re.compile(r"(?:Basic|Bearer|Token|DeepL-Auth-Key)\s+", re.IGNORECASE)
_ASSIGNMENT = re.compile(
    r"""(?P<name>[\w-]+)["']?\s*[:=]\s*["']?(?P<value>(?:(?:Basic|Bearer|Token)\s+)?[^\s"',{}\[\]&]+)""",
    re.IGNORECASE,
)
_HEADER_BLOCK = re.compile(r"headers?[\"']?\s*[:=]\s*[\"']?\{(?P<block>[^}]*)", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z\d+.-]*://[^\s\"',{}<>]+", re.IGNORECASE)


@lru_cache(1_000)
def is_secret_name(name: str) -> bool:
    """Whether an argument, header or parameter of this name holds a secret, or headers that may."""
    normalized = _normalize(name)
    return bool(_SECRET_NAME.fullmatch(normalized) or _HEADERS.fullmatch(normalized))


def _normalize(name: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


# Secrets of this run.


class Secrets:
    """Secret values.

    Attributes:
        in_texts: pattern of the values in all escaped forms, except plain words.
        in_messages: the same including plain words, which an answer may contain by chance.
    """

    def __init__(self) -> None:
        self._values: set[str] = set()
        self.in_texts: re.Pattern[str] | None = None
        self.in_messages: re.Pattern[str] | None = None

    def add(self, value: str) -> None:
        """Add a value, unless it is too short, a short number or a dummy key."""
        value = value.strip()
        is_number = value.isdigit() and len(value) < 12
        if (
            is_number
            or len(value) < _MIN_LENGTH
            or _normalize(value) in _PLACEHOLDERS
            or value in self._values
        ):
            return
        self._values.add(value)
        self.in_messages = _pattern(self._values)
        self.in_texts = _pattern({value for value in self._values if not _is_word(value)})


def _is_word(value: str) -> bool:
    return value.isalpha() and len(value) < 12 and (value.islower() or value.isupper() or value.istitle())


def _pattern(values: set[str]) -> re.Pattern[str] | None:
    forms = {form for value in values for form in _escaped_forms(value)}
    return re.compile("|".join(map(_form_pattern, sorted(forms, key=len, reverse=True)))) if forms else None


def _escaped_forms(value: str) -> set[str]:
    """Return a value in the escaped forms of JSON, HTML and Python, and without URL encoding."""
    escaped = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    return {value, unquote(value), html.escape(value), *escaped}


def _form_pattern(form: str) -> str:
    """Return the pattern of a form, URL-encoded or not; a word does not match within words."""
    if _is_word(form):
        return rf"(?<!\w){form}(?!\w)"
    return "".join(
        re.escape(character) if quote(character, safe="") == character else _character_pattern(character)
        for character in form
    )


def _character_pattern(character: str) -> str:
    return f"(?:{re.escape(character)}|(?i:{quote(character, safe='')}))"


_secrets = Secrets()


def register(*values: object) -> None:
    """Register secrets of this run, which are replaced from now on.

    Values of fewer than six characters, short numbers and usual dummy keys ("EMPTY", "dummy") are not
    registered, as they occur in many texts that reveal nothing.
    """
    for value in values:
        if isinstance(value, str | bytes):
            _secrets.add(value if isinstance(value, str) else value.decode("utf-8", "replace"))


def register_header(name: object, value: object) -> None:
    """Register the value of a header as a secret, unless the header is harmless."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if _HARMLESS_HEADER.fullmatch(_normalize(name)):
        return
    credential = _AUTH_SCHEME.sub("", text.strip())
    register(credential)
    if text.lower().startswith("basic "):
        with suppress(ValueError):
            user = b64decode(credential).decode("utf-8", "replace")
            register(user, user.partition(":")[2])


def register_address(address: str) -> None:
    """Register user, password and query parameters of an address as secrets, except harmless parameters."""
    try:
        parts = urlsplit(address)
        user, password = parts.username or "", parts.password or ""
    except ValueError:
        return
    if user or password:
        register(password or user)
        register(f"{user}:{password}", b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode())
    for name, value in parse_qsl(parts.query):
        if is_secret_name(name) or not (
            _HARMLESS_PARAMETER.fullmatch(_normalize(name)) or _is_harmless(value)
        ):
            register(value)


def _is_harmless(value: str) -> bool:
    """Whether a value is a date, a number or a short word."""
    return bool(re.fullmatch(r"[\d.:/-]+|[A-Za-z_-]{1,12}", value))


def register_arguments(arguments: object, *, secret: bool = False) -> None:
    """Register the values of arguments with secret names as secrets, at any depth.

    Args:
        arguments: of a model or a request, as a mapping, or a part of them.
        secret: whether they are the value of an argument with a secret name.
    """
    if isinstance(arguments, Mapping):
        for name, value in arguments.items():
            if not _HEADERS.fullmatch(_normalize(name)):
                register_arguments(value, secret=secret or is_secret_name(str(name)))
            elif isinstance(value, Mapping):
                for header, text in value.items():
                    register_header(header, text)
            else:
                _register_block(str(value))
    elif isinstance(arguments, list | tuple):
        for value in arguments:
            register_arguments(value, secret=secret)
    elif isinstance(arguments, str):
        register_addresses(arguments)
        if secret:
            register_header("", arguments)


def register_addresses(text: str) -> None:
    """Register users, passwords and query parameters in the addresses of a text as secrets."""
    for match in _ADDRESS.finditer(text):
        register_address(match[0])


def _register_block(headers: str) -> None:
    for match in _ASSIGNMENT.finditer(headers):
        register_header(match["name"], match["value"])


def register_text(text: str) -> None:
    """Register values after secret names in a text as secrets: errors quote input that cannot be parsed."""
    register_addresses(text)
    for match in _ASSIGNMENT.finditer(text):
        if is_secret_name(match["name"]):
            register_header("", match["value"])
    for block in _HEADER_BLOCK.finditer(text):
        _register_block(block["block"])


def register_environment(variables: Mapping[str, str]) -> None:
    """Register values of variables with secret names, and users in addresses, as secrets."""
    for name, value in variables.items():
        is_path = value.startswith(("/", "~", "."))
        if _SECRET_VARIABLE.fullmatch(_normalize(name)) and not is_path and not _is_word(value):
            register(value)
        elif "://" in value and "@" in value:
            register_address(value)


# Redaction of texts and records.

_KEY_LIKE = re.compile(
    r"\bsk-[\w*-]{4,}|\b(?:gsk|xai|pplx|nvapi|fw|r8|csk)[_-][A-Za-z0-9*_-]{8,}|\bhf_[A-Za-z0-9*]{16,}"
    r"|\b(?:gh[opsu]_|github_pat_|glpat-)[\w-]{16,}|\bAIza[\w-]{16,}|\bA[KS]IA[A-Z0-9]{12,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|(?<=Bearer )[^\s'\",]+|(?<=: Basic )[^\s'\",]+|(?<=DeepL-Auth-Key )[^\s'\",]+|(?<=://)[^/@\s]+(?=@)"
    r"|(?<=[?&](?:key|sig)=)[^&\s'\"<>)]+|(?<=api[-_]key=)[^&\s'\"<>)]+"
)
_AIOHTTP_HEADERS = re.compile(r"headers=<CIMultiDict.*?\)>", re.DOTALL)  # in the text of an aiohttp request
_MAX_MESSAGE = 300


def redact_secrets(text: str) -> str:
    """Return a text with every secret of this run replaced, except plain words."""
    return _secrets.in_texts.sub(HIDDEN, text) if _secrets.in_texts else text


def redact(record: Any) -> Any:
    """Return a record that is safe to store: secrets, and values under secret names, are replaced."""
    if isinstance(record, Mapping):
        return {redact(name): _redact_named(name, value) for name, value in record.items()}
    if isinstance(record, list | tuple):
        return type(record)(map(redact, record)) if type(record) in (list, tuple) else record
    return redact_secrets(record) if type(record) is str else record


def _redact_named(name: object, value: Any) -> Any:
    # a number, true or null is not a secret
    return HIDDEN if isinstance(value, str | Mapping | list) and is_secret_name(str(name)) else redact(value)


def redact_message(text: object, *, max_length: int = _MAX_MESSAGE) -> str:
    """Return a message as one short line without secrets and strings in the form of one."""
    message = _AIOHTTP_HEADERS.sub("headers=...", str(text))
    line = " ".join(redact_lookalikes(message).split())
    return line if len(line) <= max_length else line[: max_length - 1] + "…"


def redact_lookalikes(text: str) -> str:
    """Return a message with every secret of this run, and every string in the form of one, replaced."""
    text = _secrets.in_messages.sub(HIDDEN, text) if _secrets.in_messages else text
    return _KEY_LIKE.sub(HIDDEN, text)


# Characters that control a terminal or reorder its text: ESC, C0, C1 and direction marks.

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text with control characters escaped (``\x1b`` for ESC), except tabs and line feeds."""
    return _CONTROLS.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def make_displayable(text: str) -> str:
    """Return a text that is safe to display: without secrets of this run and control characters."""
    return visible(redact_secrets(text))


# Logs, of any library.


class SafeRecords:
    """Factory of log records without secrets and control characters, also in tracebacks.

    Args:
        make: the factory to wrap.
    """

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self.make: Callable[..., logging.LogRecord] = make.make if isinstance(make, SafeRecords) else make

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        """Return a log record."""
        record = self.make(*args, **kwargs)
        with suppress(TypeError, ValueError):  # logging reports arguments that do not fit
            message = record.getMessage()
            if (safe := visible(redact_lookalikes(message))) != message:
                record.msg, record.args = safe, ()
        if record.exc_info and record.exc_info[1]:
            record.exc_text, record.exc_info = safe_traceback(record.exc_info[1]), None
        return record


_plain_factories: list[Callable[..., logging.LogRecord]] = []
"""The original factory of log records, once for every open :func:`safe_logs`."""
_factory_lock = Lock()


@contextmanager
def safe_logs() -> Iterator[None]:
    """Remove secrets and control characters from the log records of every library in the block.

    Blocks may overlap, in tasks and threads; the last block to end restores the factory.
    """
    with _factory_lock:
        _plain_factories.append(_plain_factories[0] if _plain_factories else logging.getLogRecordFactory())
        logging.setLogRecordFactory(SafeRecords(_plain_factories[0]))
    try:
        yield
    finally:
        with _factory_lock:
            plain = _plain_factories.pop()
            if not _plain_factories:
                logging.setLogRecordFactory(plain)


def safe_traceback(error: BaseException | None) -> str:
    """Return the traceback of an error without secrets and control characters."""
    return visible(redact_lookalikes("".join(traceback.format_exception(error)).rstrip()))
