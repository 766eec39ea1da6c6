"""Errors that a user can act on."""

from __future__ import annotations


class PolbiasError(Exception):
    """A problem that the user can mend.

    The message is one line: where (file, line or field), what was found, what was expected and
    what to do. The command line prints it without a traceback and exits with `status`.
    """

    status = 1


class TemplateError(PolbiasError):
    """A template or country file is incomplete, inconsistent or malformed."""


class BuildError(PolbiasError):
    """A dataset could not be built, or a build does not match ``datasets.lock``."""


class PublishError(PolbiasError):
    """A dataset could not be published to, or read from, a Hub."""


class InputError(PolbiasError):
    """A file that a user gave cannot be used; the command line exits with status 2."""

    status = 2
