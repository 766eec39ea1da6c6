"""Responses: the text of a model with the metadata of its server."""

from __future__ import annotations

import re

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

    metadata: Document

    def __new__(cls, text: str, about: Document | None = None) -> Response:
        """Make a text that knows what was said beside it."""
        made = super().__new__(cls, text)
        made.metadata = about or {}
        return made


def finish_reason(text: str) -> str | None:
    """Why a server ended an output, where it said so."""
    return text.metadata.get("finish_reason") if isinstance(text, Response) else None


LENGTH_FINISH_REASONS = frozenset(
    {
        *("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
        *("model_length", "model_context_window_exceeded", "too_long"),
    }
)
"""Why an answer ended that had no more room, in the words of servers; ``too_long`` is ours."""


REFUSED_BY_PROVIDER = "I can't help with this request: the provider refused to answer it."
"""What is kept in place of an answer that a provider refuses to give; every reader takes it for a refusal."""


THOUGHT_MARK = re.compile(
    r"<(?P<tag>/?)(?:\w{1,8}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|inner_monologue)>"
    r"|\[(?P<bracket>/?)think\]|◁(?P<mark>/?)think▷|<\|channel>(?:thought)?|<(?P<turned>channel\|>)"
    r"|<\|(?:begin_of_thought|start_thinking|inner_prefix"
    r"|(?P<word>end_of_thought|end_thinking|start_response|inner_suffix))\|>"
    r"|<\|(?:start\|>assistant<\|)?channel\|>\s?(?:analysis|commentary|(?P<channel>final))\b"
    r"(?:[^<\n]{0,80}(?:<\|constrain\|>\w{0,20})?<\|message\|>)?"
    r"|assistant(?-i:analysis|commentary|(?P<stripped>final))",
    re.IGNORECASE,
)
"""What opens a thought; what closes one has a group that is not empty."""


MARK_TAIL = 200
"""Characters at the end of a prompt among which a mark can be its last word."""


def attach_reasoning(prompt: str, text: str, end: str | None = None, thinking: bool = False) -> str:
    """Return an output that knows its thought, which its prompt may have opened and ``end`` may close.

    A thought that the prompt opened, or must have (``thinking``), and that the output never closes is opened
    again, so that it can be told.
    """
    if end and end in text:
        thought, _, answer = text.rpartition(end)
        return Response(answer.lstrip(), {"reasoning": thought} if thought.strip() else None)
    if not thinking:
        marks = [*THOUGHT_MARK.finditer(prompt, max(0, len(prompt) - MARK_TAIL))]
        thinking = bool(marks) and not any(marks[-1].groups()) and not prompt[marks[-1].end() :].strip()
    if not thinking or text.startswith(CUT_OFF):
        return text
    return text if any(any(mark.groups()) for mark in THOUGHT_MARK.finditer(text)) else CUT_OFF + text


WITHHELD_REASONS = frozenset(
    {
        *("refusal", "content_filter", "content_filtered", "safety", "image_safety", "prohibited_content"),
        *("blocklist", "spii", "recitation", "guardrail_intervened", "guardrail", "guardrails", "sensitive"),
        *("moderation", "moderated", "policy_violation", "error_toxic"),
    }
)


def is_withheld(reason: str | None) -> bool:
    """Return whether an answer ended because its provider refuses to give it, in the words of servers."""
    return reason is not None and reason.lower().replace("-", "_") in WITHHELD_REASONS


def is_filtered(text: str) -> bool | None:
    """Whether the provider, not the model, withheld an answer; None where its server said nothing."""
    if isinstance(text, Response) and text.metadata.get("filtered"):
        return True
    reason = finish_reason(text)
    return None if reason is None else is_withheld(reason)
