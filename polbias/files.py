"""Errors that a user can act on."""

from __future__ import annotations

_LONGEST = 3_000
"""Characters of a line; one that is longer holds a value that nobody reads to its end."""


class PolbiasError(Exception):
    """A problem that the user can mend.

    The message is one line: where (file, line or field), what was found, what was expected and
    what to do. The command line prints it without a traceback and exits with `status`. The middle of a
    line that is far too long is left out, as it begins with the place and ends with what to do.
    """

    status = 1

    def __str__(self) -> str:
        # Half a character, as JSON may hold, would end the command that prints it.
        message = super().__str__().encode("utf-8", "backslashreplace").decode("utf-8")
        return "\n".join(clipped(line, _LONGEST) for line in message.split("\n"))


def clipped(text: str, longest: int) -> str:
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
