"""Errors that a user can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from polbias.safe_text import hide_like, visible

_Data = TypeVar("_Data")

# JSON may have one half of an escaped character without the other, and no file can hold it.


def replace_surrogates(text: str) -> str:
    """Return a text with U+FFFD for every half of a character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_json(data: _Data) -> _Data:
    """Return parsed JSON with whole characters in all its texts."""
    read: _Data = json.loads(replace_surrogates(json.dumps(data, ensure_ascii=False)))
    return read


def escape_halves(text: str) -> str:
    """Return a text with every half of a character as JSON escapes it, so that parsing JSON gives it back."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question after the names that come nearest to one that there is not; empty if none is near."""
    from difflib import get_close_matches

    found = get_close_matches(name, dict.fromkeys(known), 3, 0.6)
    return f"did you mean {' or '.join(found)}? " if found else ""


_LONGEST = 3_000
"""Characters of a line; one that is longer holds a value that nobody reads to its end."""


class PolbiasError(Exception):
    """A problem that the user can mend.

    The message is one line: where (file, line or field), what was found, what was expected and
    what to do. The command line prints it without a traceback and exits with `status`. The middle of a
    line that is far too long is left out, as it begins with the place and ends with what to do. Secrets of
    this run and control characters are replaced.
    """

    status = 1

    def __str__(self) -> str:
        message = visible(hide_like(escape_halves(super().__str__())))
        return "\n".join(shorten_middle(line, _LONGEST) for line in message.split("\n"))


def shorten_middle(text: str, longest: int) -> str:
    """Return a text without its middle if it is longer, in characters."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


class TemplateError(PolbiasError):
    """A template or country file is incomplete, inconsistent or malformed."""


class BuildError(PolbiasError):
    """A dataset could not be built, or a build does not match ``datasets.lock``."""


class PublishError(PolbiasError):
    """A dataset could not be published to, or read from, a Hub."""


class InputError(PolbiasError):
    """A file that a user gave cannot be used; the command line exits with status 2."""

    status = 2
