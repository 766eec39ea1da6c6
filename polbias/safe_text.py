"""Texts that are safe to show and to store: no secret of this run, and nothing that a terminal obeys."""

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
"""Stands in place of a secret."""

# Which arguments, headers, variables and parts of addresses hold secrets.

_SHORTEST = 6
_PLACEHOLDERS = frozenset(
    {
        *("", "anything", "bearer", "changeme", "default", "dummykey", "fakekey", "foobar", "llamacpp"),
        *("lmstudio", "localai", "noauth", "nokey", "nokeyrequired", "notneeded", "nothing", "notrequired"),
        *("notused", "ollama", "placeholder", "sglang", "sknokeyrequired", "testkey", "undefined", "unused"),
        *("whatever", "xxxxxx", "yourapikey", "yourkey"),
    }
)
"""What stands for a key where none is needed, without its punctuation."""

_SECRET_NAME = re.compile(
    r"key|.*(?:api|access|account|app|auth|functions?|host|master|private|secret|service|shared|signing"
    r"|subscription)keys?"
    r"|.*(?:secret|password|passwd|passphrase|credentials?|signature|cookie|authorization)"
    r"|sig|sas|pwd|pass|jwt|auth"
    r"|.*(?<!bos|eos|pad|unk|sep|cls|end)(?<!mask|stop)(?<!start|image|begin)(?<!prefix)token"
)
_SECRET_VARIABLE = re.compile(r".*(?:key|token|secret|password|passwd|credentials?)")
_HEADERS = re.compile(r"(?:default|extra|http|custom|request)?headers?")
_OPEN_HEADER = re.compile(
    r"accept.*|anthropicversion|anthropicbeta|apiversion|connection|content.*|host|httpreferer|openai.*"
    r"|origin|referer|useragent|xtitle|.*requestid"
)
_OPEN_PARAMETER = re.compile(
    r".*version|alt|beta|deployment|format|lang(?:uage)?|limit|location|mode|model|project|provider|region"
    r"|stream|tenant|timeout|type|zone"
)
_SCHEME = re.compile(r"(?:Basic|Bearer|Token|DeepL-Auth-Key)\s+", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"""(?P<name>[\w-]+)["']?\s*[:=]\s*["']?(?P<value>(?:(?:Basic|Bearer|Token)\s+)?[^\s"',{}\[\]&]+)""",
    re.IGNORECASE,
)
_HEADER_BLOCK = re.compile(r"headers?[\"']?\s*[:=]\s*[\"']?\{(?P<block>[^}]*)", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z\d+.-]*://[^\s\"',{}<>]+", re.IGNORECASE)


@lru_cache(1_000)
def is_secret_name(name: str) -> bool:
    """Return whether an argument, header or parameter of this name holds a secret, or headers that may."""
    plain = _plain(name)
    return bool(_SECRET_NAME.fullmatch(plain) or _HEADERS.fullmatch(plain))


def _plain(name: object) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


# The secrets that this run was given.


class Secrets:
    """Values that are nobody's business.

    Attributes:
        in_texts: pattern of all the ways in which they are written, but for words.
        in_messages: the same with words, which may stand in an answer by chance.
    """

    def __init__(self) -> None:
        self._values: set[str] = set()
        self.in_texts: re.Pattern[str] | None = None
        self.in_messages: re.Pattern[str] | None = None

    def add(self, value: str) -> None:
        """Add a value, unless it is too short, a number, or what stands for a key where none is needed."""
        value = value.strip()
        is_number = value.isdigit() and len(value) < 12
        if is_number or len(value) < _SHORTEST or _plain(value) in _PLACEHOLDERS or value in self._values:
            return
        self._values.add(value)
        self.in_messages = _pattern(self._values)
        self.in_texts = _pattern({value for value in self._values if not _is_word(value)})


def _is_word(value: str) -> bool:
    return value.isalpha() and len(value) < 12 and (value.islower() or value.isupper() or value.istitle())


def _pattern(values: set[str]) -> re.Pattern[str] | None:
    forms = {form for value in values for form in _forms(value)}
    return re.compile("|".join(map(_written, sorted(forms, key=len, reverse=True)))) if forms else None


def _forms(value: str) -> set[str]:
    """Return a value as JSON, HTML and Python write it."""
    written = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]}
    return {value, unquote(value), html.escape(value), *written}


def _written(form: str) -> str:
    """Return the pattern of a value, also in an address; a word is not looked for within words."""
    if _is_word(form):
        return rf"(?<!\w){form}(?!\w)"
    return "".join(
        re.escape(sign) if quote(sign, safe="") == sign else _escaped_or_not(sign) for sign in form
    )


def _escaped_or_not(sign: str) -> str:
    return f"(?:{re.escape(sign)}|(?i:{quote(sign, safe='')}))"


_secrets = Secrets()


def register(*values: object) -> None:
    """Take values for secrets of this run, which `hide` replaces from now on.

    What has less than six characters, is a short number or the usual placeholder of a key ("EMPTY", "dummy")
    is not replaced, as it stands in many places that give nothing away.
    """
    for value in values:
        if isinstance(value, str | bytes):
            _secrets.add(value if isinstance(value, str) else value.decode("utf-8", "replace"))


def register_header(name: object, value: object) -> None:
    """Take the value of a header for a secret, unless the header is one that everybody may see."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if _OPEN_HEADER.fullmatch(_plain(name)):
        return
    credential = _SCHEME.sub("", text.strip())
    register(credential)
    if text.lower().startswith("basic "):
        with suppress(ValueError):
            user = b64decode(credential).decode("utf-8", "replace")
            register(user, user.partition(":")[2])


def register_address(address: str) -> None:
    """Take user, password and query parameters of an address for secrets."""
    try:
        parts = urlsplit(address)
        user, password = parts.username or "", parts.password or ""
    except ValueError:
        return
    if user or password:
        register(password or user)
        register(f"{user}:{password}", b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode())
    for name, value in parse_qsl(parts.query):
        if is_secret_name(name) or not (_OPEN_PARAMETER.fullmatch(_plain(name)) or _is_open(value)):
            register(value)


def _is_open(value: str) -> bool:
    """Whether a value is a date, a number or a word, which are no secrets under a harmless name."""
    return bool(re.fullmatch(r"[\d.:/-]+|[A-Za-z_-]{1,12}", value))


def register_arguments(arguments: object, *, secret: bool = False) -> None:
    """Take what arguments hold under the names of secrets for secrets, at any depth.

    Args:
        arguments: of a model or a request, as a mapping, or a part of them.
        secret: whether they are such a part, named as a secret.
    """
    if isinstance(arguments, Mapping):
        for name, value in arguments.items():
            if not _HEADERS.fullmatch(_plain(name)):
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
    """Take the users, passwords and parameters in the addresses of a text for secrets."""
    for match in _ADDRESS.finditer(text):
        register_address(match[0])


def _register_block(headers: str) -> None:
    for match in _ASSIGNED.finditer(headers):
        register_header(match["name"], match["value"])


def register_text(text: str) -> None:
    """Take what a text holds under the names of secrets for secrets; errors quote what cannot be parsed."""
    register_addresses(text)
    for match in _ASSIGNED.finditer(text):
        if is_secret_name(match["name"]):
            register_header("", match["value"])
    for block in _HEADER_BLOCK.finditer(text):
        _register_block(block["block"])


def register_environment(variables: Mapping[str, str]) -> None:
    """Take the values of variables that are named as secrets, and the users in addresses, for secrets."""
    for name, value in variables.items():
        is_path = value.startswith(("/", "~", "."))
        if _SECRET_VARIABLE.fullmatch(_plain(name)) and not is_path and not _is_word(value):
            register(value)
        elif "://" in value and "@" in value:
            register_address(value)


# Texts and records without them.

_KEY_LIKE = re.compile(
    r"\bsk-[\w*-]{4,}|\b(?:gsk|xai|pplx|nvapi|fw|r8|csk)[_-][A-Za-z0-9*_-]{8,}|\bhf_[A-Za-z0-9*]{16,}"
    r"|\b(?:gh[opsu]_|github_pat_|glpat-)[\w-]{16,}|\bAIza[\w-]{16,}|\bA[KS]IA[A-Z0-9]{12,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|(?<=Bearer )[^\s'\",]+|(?<=: Basic )[^\s'\",]+|(?<=DeepL-Auth-Key )[^\s'\",]+|(?<=://)[^/@\s]+(?=@)"
    r"|(?<=[?&](?:key|sig)=)[^&\s'\"<>)]+|(?<=api[-_]key=)[^&\s'\"<>)]+"
)
_HEADERS_SHOWN = re.compile(r"headers=<CIMultiDict.*?\)>", re.DOTALL)  # of a request of aiohttp
_LONGEST = 300


def redact_secrets(text: str) -> str:
    """Return a text with every secret of this run replaced that is no mere word, and nothing else changed."""
    return _secrets.in_texts.sub(HIDDEN, text) if _secrets.in_texts else text


def redact(record: Any) -> Any:
    """Return a record as it may be written down: what is named as a secret, or is one, is replaced."""
    if isinstance(record, Mapping):
        return {redact(name): _redact_named(name, value) for name, value in record.items()}
    if isinstance(record, list | tuple):
        return type(record)(map(redact, record)) if type(record) in (list, tuple) else record
    return redact_secrets(record) if type(record) is str else record


def _redact_named(name: object, value: Any) -> Any:
    # a number, true or null gives nothing away
    return HIDDEN if isinstance(value, str | Mapping | list) and is_secret_name(str(name)) else redact(value)


def redact_message(text: object, *, longest: int = _LONGEST) -> str:
    """Return a message of a server or client in one short line without secrets, or what looks like one."""
    message = _HEADERS_SHOWN.sub("headers=...", str(text))
    line = " ".join(hide_like(message).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def hide_like(text: str) -> str:
    """Return a message with every secret of this run replaced, and all that has the form of one."""
    text = _secrets.in_messages.sub(HIDDEN, text) if _secrets.in_messages else text
    return _KEY_LIKE.sub(HIDDEN, text)


# What a terminal obeys, or shows in another order than it stands: ESC, C0 and C1, marks of direction.

_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text whose control characters, but for tabs and line ends, are seen: ``\x1b`` for ESC."""
    return _CONTROLS.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def showable(text: str) -> str:
    """Return a text as it may be shown: without secrets of this run and control characters."""
    return visible(redact_secrets(text))


# Logs, of any library.


class SafeRecords:
    """A factory of log records without secrets and control characters, tracebacks included.

    Args:
        make: the factory that makes them.
    """

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self.make: Callable[..., logging.LogRecord] = make.make if isinstance(make, SafeRecords) else make

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        """Make a record."""
        record = self.make(*args, **kwargs)
        with suppress(TypeError, ValueError):  # arguments that do not fit: logging says so itself
            message = record.getMessage()
            if (safe := visible(hide_like(message))) != message:
                record.msg, record.args = safe, ()
        if record.exc_info and record.exc_info[1]:
            record.exc_text, record.exc_info = safe_traceback(record.exc_info[1]), None
        return record


_plain_factories: list[Callable[..., logging.LogRecord]] = []
"""The factory of log records, once for every :func:`safe_logs` that is open."""
_factory_lock = Lock()


@contextmanager
def safe_logs() -> Iterator[None]:
    """Keep secrets and control characters out of all that any library logs meanwhile.

    Calls of several services overlap, in tasks and threads; the last one to end restores the factory.
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
    return visible(hide_like("".join(traceback.format_exception(error)).rstrip()))
