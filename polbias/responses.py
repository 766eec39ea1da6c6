"""Responses: the text of a model with the metadata of its server."""

from __future__ import annotations

from polbias.aliases import Document

CUT_OFF = "<think>"
"""What is kept in place of an answer that was cut off before it began: a thought that is never closed."""
NOT_REQUESTED = "[polbias: not asked]"
"""What stands in place of an answer that was never asked for, as nothing hangs on it any more."""


class Response(str):
    """An answer of a model, with what its server said beside the text.

    Args:
        text: the answer.
        about: ``finish_reason``, ``reasoning`` (thoughts beside the text) and ``usage`` (tokens), as far as
            they were said.
    """

    about: Document

    def __new__(cls, text: str, about: Document | None = None) -> Response:
        """Make a text that knows what was said beside it."""
        made = super().__new__(cls, text)
        made.about = about or {}
        return made


def ended(text: str) -> str | None:
    """Why a server ended an output, where it said so."""
    return text.about.get("finish_reason") if isinstance(text, Response) else None


LIMITS = frozenset(
    {
        *("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
        *("model_length", "model_context_window_exceeded", "too_long"),
    }
)
"""Why an answer ended that had no more room, in the words of servers; ``too_long`` is ours."""


REFUSED_BY_PROVIDER = "I can't help with this request: the provider refused to answer it."
"""What is kept in place of an answer that a provider refuses to give; every reader takes it for a refusal."""
