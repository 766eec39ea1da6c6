"""Keys of services: where they come from, and where they must never stand."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from polbias.files import InputError, PolbiasError

_HIDDEN = "[key]"
_KEY_LIKE = re.compile(r"\bsk-[\w*-]{4,}|(?<=Bearer )\S+|(?<=DeepL-Auth-Key )\S+|(?<=://)[^/@\s]+(?=@)")
_LONGEST = 300
_SHORTEST_KEY = 8
_CLIENTS = ("openai", "httpx", "httpcore", "deepl", "urllib3")  # prefixes of the loggers of the clients


def hide(text: str, *secrets: str) -> str:
    """Return a text with every occurrence of the secrets replaced, and nothing else changed.

    What has less than eight characters is no secret but a word that a server of one's own takes for a key.
    """
    for secret in secrets:
        if len(secret) >= _SHORTEST_KEY:
            text = text.replace(secret, _HIDDEN)
    return text


def scrub(text: object, *secrets: str) -> str:
    """Return a message of a server or client in one short line without keys.

    Args:
        text: the message, or an exception.
        secrets: keys known to be in use; whatever looks like a key is removed as well.
    """
    line = " ".join(_KEY_LIKE.sub(_HIDDEN, hide(str(text), *secrets)).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def check_url(url: str, what: str) -> str:
    """Return a base address as it may be shown: without user, password and query.

    Args:
        url: the address.
        what: the name of the setting, for the message.

    Raises:
        InputError: if it is no http address or holds a password; the message does not repeat it.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{what}: expected an address such as http://127.0.0.1:8000/v1")
    if parts.username or parts.password:
        raise InputError(
            f"{what}: holds a user or password; put the key into an environment variable instead"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def usable_key(name: str, value: str | None, *, package: str) -> str:
    """Return a key from the environment, checked but never shown.

    Args:
        name: the environment variable.
        value: what it holds.
        package: the service, for the message.

    Raises:
        PolbiasError: if there is none, or it cannot stand in a header.
    """
    key = (value or "").strip()
    if not key:
        raise PolbiasError(
            f"{package}: no key in the environment variable {name}; set it, or replay recorded answers"
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise PolbiasError(
            f"{package}: what {name} holds is no key (blanks or unusual characters); correct it"
        )
    return key


@contextmanager
def quiet_logs(key: str) -> Iterator[None]:
    """Keep a key out of the logs of the client libraries, which at DEBUG repeat what a server sends.

    Args:
        key: replaced in everything that they log meanwhile.
    """

    def redact(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if (clean := hide(message, key)) != message:
            record.msg, record.args = clean, ()
        return True

    names = [name for name in list(logging.root.manager.loggerDict) if name.startswith(_CLIENTS)]
    loggers = [logging.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(redact)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(redact)
