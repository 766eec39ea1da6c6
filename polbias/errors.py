"""Errors that a user can fix."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from polbias.safe_text import redact_lookalikes, visible

_Data = TypeVar("_Data")

# JSON may contain an escaped lone surrogate, which UTF-8 cannot encode.


def replace_surrogates(text: str) -> str:
    """Return a text with every lone surrogate replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def replace_json_surrogates(data: _Data) -> _Data:
    """Return parsed JSON with every lone surrogate replaced by U+FFFD."""
    repaired: _Data = json.loads(replace_surrogates(json.dumps(data, ensure_ascii=False)))
    return repaired


def escape_surrogates(text: str) -> str:
    """Return a text with lone surrogates escaped as in JSON, so that parsing JSON restores them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question with the first names that begin with an unknown name, else the closest ones.

    Empty if there are none. A beginning has at least three letters.
    """
    from difflib import get_close_matches

    distinct_names = [*dict.fromkeys(names)]
    matches = [candidate for candidate in distinct_names if len(name) > 2 and candidate.startswith(name)][:3]
    matches = matches or get_close_matches(name, distinct_names, 3, 0.6)
    return f"did you mean {' or '.join(matches)}? " if matches else ""


_MAX_LINE = 3_000
"""Maximum number of characters in a line of a message."""


class PolbiasError(Exception):
    """An error that the user can fix.

    The message is one line: place (file, line or field), found value, expected value, and an instruction.
    The command line prints it without a traceback and exits with `status`. A line of more than 3,000
    characters loses its middle, as it begins with the place and ends with the instruction. Secrets of this
    run and control characters are replaced.
    """

    status = 1

    def __str__(self) -> str:
        message = visible(redact_lookalikes(escape_surrogates(super().__str__())))
        return "\n".join(shorten_middle(line, _MAX_LINE) for line in message.split("\n"))


def shorten_middle(text: str, max_length: int) -> str:
    """Return a text, without its middle if it has more than `max_length` characters."""
    half_length = max_length // 2
    return text if len(text) <= max_length else f"{text[:half_length]} ... {text[-half_length:]}"


class TemplateError(PolbiasError):
    """A template or country file is incomplete, inconsistent or malformed."""


class BuildError(PolbiasError):
    """A dataset could not be built, or a build does not match ``datasets.lock``."""


class PublishError(PolbiasError):
    """A dataset could not be published to, or read from, a Hub."""


class InputError(PolbiasError):
    """A user's file or option cannot be used; the command line exits with status 2."""

    status = 2
