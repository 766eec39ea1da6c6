"""What a provider sends, made one text for each question: refusals and thoughts without an answer as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answers.refusal import PROVIDER_REFUSALS, REFUSED_BY_PROVIDER
from polbias.eval.answers.text import CUT_OFF, LIMITS
from polbias.models.chat import scrub

_STOPS = ("stop", "stop_sequences")


class ResponseError(ValueError):
    """A response of a server has another shape than those of the APIs that are known."""


def odd(field: str, found: Any, expected: str) -> ResponseError:
    """An error that names a field of a response."""
    kind = "nothing" if found is None else type(found).__name__
    return ResponseError(
        f"{field} of the response: found {kind}, expected {expected}; is base_url that of this kind of API?"
    )


def with_texts(outputs: Any) -> Any:
    """Return the bodies of responses with one text in place of each content.

    A refusal by the provider, and an answer that was cut off before it began, become texts that the readers
    of answers take for what they are; thoughts beside the answer and a content that is null are no text.
    """
    if isinstance(outputs, list) and outputs:
        return [with_texts(each) for each in outputs]
    if not isinstance(outputs, Mapping):
        raise odd("body", outputs, "an object")
    if isinstance(outputs.get("content"), list):
        text = text_of(outputs["content"], outputs.get("stop_reason"))
        return {**outputs, "content": [{"type": "text", "text": text}]}
    choices = outputs.get("choices")
    if not isinstance(choices, list) or not choices:
        if outputs.get("error"):
            raise ResponseError(f"the server answered with an error: {scrub(outputs['error'])}")
        raise odd("choices", choices, "a list of answers (or content, a list of blocks)")
    return {**outputs, "choices": [_choice(each, number) for number, each in enumerate(choices)]}


def with_logprobs(outputs: Any, contexts: Sequence[int]) -> Any:
    """Return the bodies of responses that have a log-probability for every token of every prompt.

    A server that does not echo its prompt would otherwise give every continuation the same probability.
    """
    for body in outputs if isinstance(outputs, list) else [outputs]:
        choices = body.get("choices") if isinstance(body, Mapping) else None
        if not isinstance(choices, list) or len(choices) != len(contexts):
            raise odd("choices", choices, f"a list of {len(contexts)}")
        for number, (choice, context) in enumerate(zip(choices, contexts, strict=True)):
            said = choice.get("logprobs") if isinstance(choice, Mapping) else None
            if not isinstance(said, Mapping) or not isinstance(choice.get("index"), int):
                raise odd(f"choices[{number}].logprobs", said, "an object (and an index beside it)")
            for name, right in (("token_logprobs", _is_number), ("top_logprobs", _has_numbers)):
                values = said.get(name)
                told = values[context:-1] if isinstance(values, list) else ()
                if not told or not all(map(right, told)):
                    place = f"choices[{number}].logprobs.{name}"
                    raise odd(
                        place,
                        values,
                        f"a list with a value for each of the prompt's {context + 1} or more tokens",
                    )
    return outputs


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _has_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(map(_is_number, value.values()))


def beside(outputs: Any) -> list[Json]:
    """Return what is said beside each text of some responses: why it ended, thoughts, tokens."""
    found: list[Json] = []
    for each in outputs if isinstance(outputs, list) else [outputs]:
        if not isinstance(each, Mapping):
            continue
        if isinstance(each.get("choices"), list):
            said = sorted(each["choices"], key=_index)
            usage = {name: round(count / len(said)) for name, count in _usage(each).items()}
            found += [
                _said(choice.get("finish_reason"), _thoughts(choice.get("message")), usage) | _tops(choice)
                for choice in said
            ]
        else:
            found.append(_said(each.get("stop_reason"), _thoughts(each), _usage(each)))
    return found


def _said(reason: Any, thoughts: str, usage: Document) -> Json:
    made = {"finish_reason": _word(reason), "reasoning": thoughts, "usage": usage}
    return {name: value for name, value in made.items() if value}


def _tops(choice: Document) -> Json:
    """The likeliest first tokens of an answer in a chat with their log-probabilities, where they are told."""
    said = choice.get("logprobs")
    content = said.get("content") if isinstance(said, Mapping) else None
    first = content[0] if isinstance(content, list) and content else None
    listed = first.get("top_logprobs") if isinstance(first, Mapping) else None
    found: dict[str, float] = {}
    for each in listed if isinstance(listed, list) else ():
        if (
            isinstance(each, Mapping)
            and isinstance(each.get("token"), str)
            and _is_number(each.get("logprob"))
        ):
            found[each["token"]] = float(each["logprob"])
    return {"top_logprobs": found} if found else {}


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


def _index(choice: Document) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _word(reason: Any) -> str | None:
    return reason if isinstance(reason, str) else None


def _choice(choice: Any, number: int) -> Json:
    if not isinstance(choice, Mapping):
        raise odd(f"choices[{number}]", choice, "an object")
    reason = choice.get("finish_reason")
    choice = {**choice, "index": choice["index"] if isinstance(choice.get("index"), int) else number}
    if "message" not in choice and "text" in choice:
        return {**choice, "text": text_of(choice["text"], reason)}
    message = choice.get("message") or {}
    if "message" not in choice or not isinstance(message, Mapping):
        raise odd(f"choices[{number}].message", message, "an object")
    refused = "refusal" if message.get("refusal") else reason
    return {**choice, "message": {**message, "content": text_of(message.get("content"), refused)}}


def text_of(content: Any, reason: Any) -> str:
    """Return the text of a content: a string, null, or blocks of which some have a text."""
    if _word(reason) in PROVIDER_REFUSALS:
        return REFUSED_BY_PROVIDER
    blocks = content if isinstance(content, list) else [{"text": content}]
    said = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    texts = ["" if text is None else text for text in said]
    other = next((text for text in texts if not isinstance(text, str)), None)
    if other is not None:
        raise odd("content", other, "a text")
    return CUT_OFF if _word(reason) in LIMITS and not "".join(texts).strip() else "".join(texts)
