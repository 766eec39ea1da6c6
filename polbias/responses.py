"""Responses: the text of a model with metadata from its server."""

from __future__ import annotations

import re

from polbias.aliases import Document

CUT_OFF = "<think>"
"""Text of a response that was truncated before its answer began: reasoning that is never closed."""
NOT_REQUESTED = "[polbias: not asked]"
"""Text of a response that was planned but not requested, because a stopping rule had decided."""


class Response(str):
    """A response of a model: its text, with metadata from the server.

    Args:
        text: the answer.
        metadata: ``finish_reason``, ``reasoning`` (outside the text) and ``usage`` (tokens), if the server
            sent them.
    """

    metadata: Document

    def __new__(cls, text: str, metadata: Document | None = None) -> Response:
        """Return a text with metadata."""
        response = super().__new__(cls, text)
        response.metadata = metadata or {}
        return response


def finish_reason(text: str) -> str | None:
    """Return the server's finish reason; None if it sent none."""
    return text.metadata.get("finish_reason") if isinstance(text, Response) else None


LENGTH_FINISH_REASONS = frozenset(
    {
        *("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
        *("model_length", "model_context_window_exceeded", "too_long"),
    }
)
"""Finish reasons of truncated responses, of several servers; ``too_long`` is polbias's."""


REFUSED_BY_PROVIDER = "I can't help with this request: the provider refused to answer it."
"""Text of a response that a provider withheld; every answer extraction labels it as a refusal."""


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
"""Marks at which reasoning opens or closes; a closing mark has a non-empty group."""


MARK_TAIL = 200
"""Characters at the end of a prompt that are searched for an opening mark as its last word."""


def attach_reasoning(prompt: str, text: str, end_mark: str | None = None, is_open: bool = False) -> str:
    """Return an output with its reasoning as metadata, if `end_mark` closes it.

    If the prompt opened the reasoning, or must have (`is_open`), and the output never closes it, the output
    gets an opening mark, so that answer extraction detects the truncation.
    """
    if end_mark and end_mark in text:
        reasoning, _, answer = text.rpartition(end_mark)
        return Response(answer.lstrip(), {"reasoning": reasoning} if reasoning.strip() else None)
    if not is_open:
        marks = [*THOUGHT_MARK.finditer(prompt, max(0, len(prompt) - MARK_TAIL))]
        is_open = bool(marks) and not any(marks[-1].groups()) and not prompt[marks[-1].end() :].strip()
    if not is_open or text.startswith(CUT_OFF):
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
    """Whether a finish reason means that the provider withheld the answer."""
    return reason is not None and reason.lower().replace("-", "_") in WITHHELD_REASONS


def is_filtered(text: str) -> bool | None:
    """Whether the provider, not the model, withheld an answer; None without a finish reason."""
    if isinstance(text, Response) and text.metadata.get("filtered"):
        return True
    reason = finish_reason(text)
    return None if reason is None else is_withheld(reason)
