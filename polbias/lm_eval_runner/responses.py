"""What a provider sends, made one text for each question: refusals and thoughts without an answer as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answers.refusal import REFUSED_BY_PROVIDER
from polbias.eval.answers.text import CUT_OFF

_REFUSALS = frozenset({"refusal", "content_filter"})
_LIMITS = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
_STOPS = ("stop", "stop_sequences")


def with_texts(outputs: Any) -> Any:
    """Return the bodies of responses with one text in place of each content.

    A refusal by the provider, and an answer that was cut off before it began, become texts that the readers
    of answers take for what they are; thoughts beside the answer and a content that is null are no text.
    """
    if isinstance(outputs, list):
        return [with_texts(each) for each in outputs]
    if not isinstance(outputs, Mapping):
        return outputs
    if isinstance(outputs.get("choices"), list):
        return {**outputs, "choices": [_choice(each) for each in outputs["choices"]]}
    if isinstance(outputs.get("content"), list):
        text = text_of(outputs["content"], outputs.get("stop_reason"))
        return {**outputs, "content": [{"type": "text", "text": text}]}
    return outputs


def beside(outputs: Any) -> list[Json]:
    """Return what is said beside each text of some responses: why it ended, thoughts, tokens."""
    found: list[Json] = []
    for each in outputs if isinstance(outputs, list) else [outputs]:
        if not isinstance(each, Mapping):
            continue
        if isinstance(each.get("choices"), list):
            said = sorted(each["choices"], key=lambda choice: choice.get("index") or 0)
            usage = _usage(each) if len(said) == 1 else {}
            found += [
                _said(choice.get("finish_reason"), _thoughts(choice.get("message")), usage) for choice in said
            ]
        else:
            found.append(_said(each.get("stop_reason"), _thoughts(each), _usage(each)))
    return found


def _said(reason: Any, thoughts: str, usage: Document) -> Json:
    made = {"finish_reason": reason, "reasoning": thoughts, "usage": usage}
    return {name: value for name, value in made.items() if value}


def _thoughts(message: Any) -> str:
    """The thoughts in a message: a field beside its content, or blocks of it."""
    if not isinstance(message, Mapping):
        return ""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            return str(message[name])
    blocks = message.get("content")
    named = [each for each in blocks if isinstance(each, Mapping)] if isinstance(blocks, list) else []
    return "".join(each["thinking"] for each in named if isinstance(each.get("thinking"), str))


def _usage(response: Document) -> Json:
    """The tokens of a request and of its answer, thoughts among them."""
    said = response.get("usage")
    if not isinstance(said, Mapping):
        return {}
    details = said.get("completion_tokens_details")
    counts = {
        "input_tokens": said.get("prompt_tokens", said.get("input_tokens")),
        "output_tokens": said.get("completion_tokens", said.get("output_tokens")),
        "reasoning_tokens": details.get("reasoning_tokens") if isinstance(details, Mapping) else None,
    }
    return {name: count for name, count in counts.items() if isinstance(count, int)}


def without_empty_stops(payload: Json) -> Json:
    """Return a request without stop strings that are null or empty; providers refuse these."""
    kept = dict(payload)
    for name in _STOPS:
        if isinstance(kept.get(name), list):
            kept[name] = [stop for stop in kept[name] if stop]
        if name in kept and not kept[name]:
            del kept[name]
    return kept


def _choice(choice: Document) -> Json:
    reason = choice.get("finish_reason")
    if "message" not in choice and "text" in choice:
        return {**choice, "text": text_of(choice["text"], reason)}
    message = choice.get("message") or {}
    refused = "refusal" if message.get("refusal") else reason
    return {**choice, "message": {**message, "content": text_of(message.get("content"), refused)}}


def text_of(content: Any, reason: str | None) -> str:
    """Return the text of a content: a string, null, or blocks of which some have a text."""
    if reason in _REFUSALS:
        return REFUSED_BY_PROVIDER
    blocks = content if isinstance(content, list) else [{"text": content}]
    text = "".join(block.get("text") or "" for block in blocks if isinstance(block, Mapping))
    return CUT_OFF if reason in _LIMITS and not text.strip() else text
