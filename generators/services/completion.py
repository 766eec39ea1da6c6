"""Read what a server calls a chat completion."""

from __future__ import annotations

from typing import Any

from polbias.generators.services.errors import ServiceError
from polbias.generators.services.keys import hide
from polbias.models.requests import Answer


def read_answer(response: Any, key: str) -> Answer:
    """Return what a response says; a refusal is an answer, nothing at all is not.

    Args:
        response: what the client returned, which need not be what its types say.
        key: the key in use, so that it stands in no answer.

    Raises:
        ServiceError: if it is no completion, no text, or empty.
    """
    choices = getattr(response, "choices", None)
    if isinstance(response, str) or not isinstance(choices, list) or not choices:
        raise ServiceError(
            "openai: the answer is no chat completion; check that base_url is that of an OpenAI-compatible "
            "API (it usually ends in /v1)",
            "answer",
        )
    message, finish = getattr(choices[0], "message", None), getattr(choices[0], "finish_reason", None)
    text, refusal = getattr(message, "content", None), getattr(message, "refusal", None)
    finish = finish if isinstance(finish, str) and finish else "stop"
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "refusal"
    if text is not None and not isinstance(text, str):
        raise ServiceError(f"openai: the answer is not text but a {type(text).__name__}", "answer")
    if not (text or "").strip() and finish != "content_filter":
        hint = "; it was cut off before it began: raise max_output_tokens" if finish == "length" else ""
        raise ServiceError(f"openai: the answer is empty (finish_reason {finish}){hint}", "answer")
    model = getattr(response, "model", None)
    return Answer(hide(text or "", key), finish, model if isinstance(model, str) else None, _usage(response))


def _usage(response: Any) -> dict[str, int]:
    found = getattr(response, "usage", None)
    named = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"))
    counts = {ours: getattr(found, theirs, None) for ours, theirs in named}
    return {name: count for name, count in counts.items() if isinstance(count, int)}
