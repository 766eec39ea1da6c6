"""Parse response bodies: one text per answer, also for refusals and for reasoning without an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.inspect_logs import response_metadata
from polbias.models.bodies import TOO_LONG, is_token_count
from polbias.models.tokens import CHARACTERS
from polbias.responses import CUT_OFF, LENGTH_FINISH_REASONS, REFUSED_BY_PROVIDER, Response, is_withheld

CLIENT_FIELD = "polbias"
"""Field that the client adds to a body: metadata of the request."""


class ResponseError(ValueError):
    """A response does not have the shape of a supported API."""


def response_error(field: str, value: Any, expected: str) -> ResponseError:
    """Return an error on a field of a response."""
    kind = "nothing" if value is None else type(value).__name__
    return ResponseError(
        f"{field} of the response: found {kind}, expected {expected}; does base_url belong to this API?"
    )


def with_texts(outputs: Any) -> Any:
    """Return response bodies with one text per content.

    Refusals of the provider, and answers truncated before they began, become texts that answer extraction
    recognises. Reasoning and null contents give no text.
    """
    if isinstance(outputs, list) and outputs:
        return [with_texts(body) for body in outputs]
    if not isinstance(outputs, Mapping):
        raise response_error("body", outputs, "an object")
    if isinstance(outputs.get("content"), list):
        text = text_of(outputs["content"], outputs.get("stop_reason"))
        return {**outputs, "content": [{"type": "text", "text": text}]}
    choices = outputs.get("choices")
    if not isinstance(choices, list) or not choices:
        raise response_error("choices", choices, "a list of answers (or content, a list of blocks)")
    return {
        **outputs,
        "choices": [_normalize_choice(choice, number) for number, choice in enumerate(sort_choices(choices))],
    }


def sort_choices(choices: Sequence[Any]) -> list[Any]:
    """Sort the choices of a response by index; keep the order if the indices are not distinct integers."""
    indices = _indices(choices)
    if not all(type(index) is int for index in indices) or len({*indices}) < len(choices):
        return [*choices]
    return [choice for _, choice in sorted(zip(indices, choices, strict=True), key=itemgetter(0))]


def _indices(choices: Sequence[Any]) -> list[Any]:
    return [choice.get("index") if isinstance(choice, Mapping) else None for choice in choices]


def n_answers(payload: Document) -> int:
    """Return the number of answers that a request asks for: prompts times ``n``."""
    prompt = payload.get("prompt")
    prompts = prompt if isinstance(prompt, list | tuple) and not isinstance(prompt[0], int) else [prompt]
    return len(prompts) * (payload.get("n") or 1)


def with_all_answers(
    body: Any, payload: Document, print_once: Callable[[str, str], None], *, in_blocks: bool = False
) -> Any:
    """Return a response with at most the requested answers; print a line on a wrong number or indices.

    Args:
        body: body of the response.
        payload: body of the request.
        print_once: prints a line, once per kind.
        in_blocks: whether the API is Anthropic's, whose answers are blocks.

    Raises:
        ResponseError: if a request with several prompts has too few answers, as these cannot be assigned.
    """
    if isinstance(body, Mapping):
        foreign = "choices" if in_blocks else "content"  # lm_eval would read it as an empty answer
        body = {name: value for name, value in body.items() if name != foreign}
    choices = body.get("choices") if isinstance(body, Mapping) else None
    if not isinstance(choices, list) or not choices:
        return body
    n_requested, indices = n_answers(payload), _indices(choices)
    if len(choices) < n_requested:
        if n_requested != payload.get("n"):
            raise ResponseError(
                f"choices of the response: found {len(choices)}, expected {n_requested} answers"
            )
        print_once(
            "few",
            f"the server gives {len(choices)} of {n_requested} answers that a request asks for (n): the "
            "others are requested one by one",
        )
    elif len(choices) > n_requested:
        print_once(
            "many",
            f"the server gives {len(choices)} answers where a request asks for {n_requested}: the first are "
            "used",
        )
    elif any(index is not None for index in indices) and {*map(repr, indices)} != {
        *map(repr, range(n_requested))
    }:
        numbers = ", ".join(map(str, indices))
        print_once(
            "index",
            f"the server numbers its {n_requested} answers {numbers:.40} (index), not 0 to "
            f"{n_requested - 1}: they are renumbered",
        )
    return {**body, "choices": sort_choices(choices)[:n_requested]}


class Likelihood(tuple[float, bool]):
    """lm_eval's log-likelihood with its token usage.

    Args:
        value: the log-likelihood, and whether the continuation is the likeliest.
        usage: ``input_tokens`` and ``output_tokens``, if the server counts them.
    """

    metadata: Document

    def __new__(cls, value: tuple[float, bool], usage: Document) -> Likelihood:
        """Create a pair with usage as metadata."""
        pair = super().__new__(cls, value)
        pair.metadata = {"usage": usage} if usage else {}
        return pair


def with_logprobs(outputs: Any, contexts: Sequence[int]) -> Any:
    """Check that responses have a log-probability for every prompt token; return them with sorted choices.

    Without an echoed prompt every continuation would get the same probability; with a shifted or incomplete
    list, the probability of other tokens. The lists must have as many values as the server counts tokens,
    or their tokens must join to the text.

    Raises:
        ResponseError: if a list is missing or incomplete.
    """
    bodies = []
    for body in outputs if isinstance(outputs, list) else [outputs]:
        choices = body.get("choices") if isinstance(body, Mapping) else None
        if not isinstance(choices, list) or len(choices) != len(contexts):
            raise response_error("choices", choices, f"a list of {len(contexts)}")
        choices = sort_choices(choices)
        bodies.append({**body, "choices": choices})
        lengths = []
        for number, (choice, context) in enumerate(zip(choices, contexts, strict=True)):
            logprobs = choice.get("logprobs") if isinstance(choice, Mapping) else None
            if not isinstance(logprobs, Mapping) or not isinstance(choice.get("index"), int):
                raise response_error(
                    f"choices[{number}].logprobs", logprobs, "an object (and an index next to it)"
                )
            for name, is_right in (("token_logprobs", _is_number), ("top_logprobs", _has_numbers)):
                values = logprobs.get(name)
                continuation = values[context:-1] if isinstance(values, list) else ()
                if not continuation or not all(map(is_right, continuation)):
                    raise response_error(
                        f"choices[{number}].logprobs.{name}",
                        values,
                        f"a list with a value for each of the prompt's {context + 1} or more tokens",
                    )
            lengths.append(len(logprobs["token_logprobs"]))
        usage = _usage(body)
        total = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        if sum(lengths) != total and not all(map(_is_echo, choices)):
            raise ResponseError(
                f"logprobs of the response: found {sum(lengths)} values, expected {total or 'as many'} as "
                "the server counts tokens (usage), or tokens that join to its text; its log-likelihoods "
                "would be of other tokens: use a server that echoes the prompt, as vLLM's does, or --model hf"
            )
    return bodies


def _is_echo(choice: Document) -> bool:
    """Whether the tokens of a choice join to its text."""
    tokens = choice["logprobs"].get("tokens")
    are_texts = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    has_all_scores = are_texts and len(tokens) == len(choice["logprobs"]["token_logprobs"])
    return has_all_scores and "".join(tokens) == choice.get("text")


def usages(outputs: Any) -> list[Json]:
    """Return the token usage of each choice: equal parts of the usage of its body."""
    parts: list[Json] = []
    for body in outputs if isinstance(outputs, list) else [outputs]:
        n_choices = len(body["choices"])
        parts += [{name: count / n_choices for name, count in _usage(body).items()}] * n_choices
    return parts


def filtered_body(payload: Document, message: str, *, in_blocks: bool = False) -> Json:
    """Return a response body whose answers a filter of the provider withholds.

    Args:
        payload: body of the request.
        message: message of the filter.
        in_blocks: whether the API is Anthropic's, whose answers are blocks.
    """
    return {**_body_without_text(payload, "content_filter", in_blocks), CLIENT_FIELD: {"filter": message}}


def too_long_body(payload: Document, limit: int, *, in_blocks: bool = False) -> Json:
    """Return a body without text that replaces a response longer than a limit in bytes.

    Its usage is the upper bound: the token limit of every answer.
    """
    max_tokens = payload.get("max_completion_tokens") or payload.get("max_tokens") or limit // CHARACTERS
    usage = {"completion_tokens": max_tokens * n_answers(payload)}
    return {**_body_without_text(payload, TOO_LONG, in_blocks), "usage": usage}


def _body_without_text(payload: Document, reason: str, in_blocks: bool) -> Json:
    if in_blocks:
        return {"content": [], "stop_reason": reason}
    message_or_text: Json = {"message": {"content": None}} if "messages" in payload else {"text": ""}
    choice = {"finish_reason": reason, **message_or_text}
    return {"choices": [{"index": index, **choice} for index in range(n_answers(payload))]}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _has_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(map(_is_number, value.values()))


def metadata_of_texts(outputs: Any) -> list[Json]:
    """Return the metadata of each text of responses: finish reason, reasoning, usage, filter."""
    answers: list[Json] = []
    for body in outputs if isinstance(outputs, list) else [outputs]:
        if not isinstance(body, Mapping):
            continue
        client_fields = body[CLIENT_FIELD] if isinstance(body.get(CLIENT_FIELD), Mapping) else {}
        if isinstance(body.get("choices"), list):
            choices = sort_choices(body["choices"])
            usage = {name: round(count / len(choices)) for name, count in _usage(body).items()}
            answers += [
                _metadata(_finish_reason(choice), _reasoning(choice.get("message")), usage)
                | _top_logprobs(choice)
                | client_fields
                for choice in choices
            ]
        else:
            answers.append(
                _metadata(_string_or_none(body.get("stop_reason")), _reasoning(body), _usage(body))
                | client_fields
            )
    return answers


def _metadata(reason: str | None, reasoning: str, usage: Document) -> Json:
    fields = {
        "finish_reason": reason,
        "reasoning": reasoning,
        "usage": usage,
        "filtered": is_withheld(reason),
    }
    return {name: value for name, value in fields.items() if value}


def native_reason(body: Any) -> str | None:
    """Return the finish reason of the provider behind a gateway."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return _string_or_none(first.get("native_finish_reason")) if isinstance(first, Mapping) else None


def _finish_reason(choice: Document) -> str | None:
    """Return the finish reason; the provider's instead of the gateway's if the latter hides a refusal."""
    reason, native = (
        _string_or_none(choice.get("finish_reason")),
        _string_or_none(choice.get("native_finish_reason")),
    )
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    return native if is_withheld(native) and not text else reason


def _top_logprobs(choice: Document) -> Json:
    """Return the log-probabilities of the likeliest first tokens of a chat answer, if reported."""
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    first = content[0] if isinstance(content, list) and content else None
    entries = first.get("top_logprobs") if isinstance(first, Mapping) else None
    logprob_by_token: dict[str, float] = {}
    for entry in entries if isinstance(entries, list) else ():
        if (
            isinstance(entry, Mapping)
            and isinstance(entry.get("token"), str)
            and _is_number(entry.get("logprob"))
        ):
            logprob_by_token[entry["token"]] = float(entry["logprob"])
    return {"top_logprobs": logprob_by_token} if logprob_by_token else {}


def _reasoning(message: Any) -> str:
    """Return the reasoning of a message, from a field or from thinking blocks."""
    if not isinstance(message, Mapping):
        return ""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            return str(message[name])
    blocks = message.get("content")
    objects = [block for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    return "".join(block["thinking"] for block in objects if isinstance(block.get("thinking"), str))


def _usage(response: Document) -> Json:
    """Return the input, output and reasoning tokens; the output includes the reasoning."""
    usage = response.get("usage")
    if not isinstance(usage, Mapping):
        return {}
    details = usage.get("completion_tokens_details")
    counts = {
        "input_tokens": usage.get("prompt_tokens", usage.get("input_tokens")),
        "output_tokens": usage.get("completion_tokens", usage.get("output_tokens")),
        "reasoning_tokens": details.get("reasoning_tokens") if isinstance(details, Mapping) else None,
    }
    counts["input_tokens"] = counts["input_tokens"] or None  # 0 where a server does not count
    return {name: count for name, count in counts.items() if type(count) is int and is_token_count(count)}


def inspect_response(output: Any) -> Response:
    """Return the answer of an Inspect output; a block marked as refusal is a refusal of the provider."""
    if not output.choices:
        return Response("")
    message = output.choices[0].message
    is_refused = any(getattr(block, "refusal", None) for block in message.content)
    text = text_of(message.text, "refusal" if is_refused else output.stop_reason)
    return Response(text, response_metadata(output))


def _string_or_none(reason: Any) -> str | None:
    return reason if isinstance(reason, str) else None


def _normalize_choice(choice: Any, number: int) -> Json:
    if not isinstance(choice, Mapping):
        raise response_error(f"choices[{number}]", choice, "an object")
    reason = _finish_reason(choice)
    choice = {**choice, "index": number}
    if "message" not in choice and "text" in choice:
        return {**choice, "text": text_of(choice["text"], reason)}
    message = choice.get("message") or {}
    if "message" not in choice or not isinstance(message, Mapping):
        raise response_error(f"choices[{number}].message", message, "an object")
    refused = "refusal" if message.get("refusal") else reason
    return {**choice, "message": {**message, "content": text_of(message.get("content"), refused)}}


def text_of(content: Any, reason: Any) -> str:
    """Return the text of a content (string, null or blocks), or the marker of a refusal or truncation."""
    if is_withheld(_string_or_none(reason)):
        return REFUSED_BY_PROVIDER
    blocks = content if isinstance(content, list) else [{"text": content}]
    values = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    texts = ["" if text is None else text for text in values]
    invalid = next((text for text in texts if not isinstance(text, str)), None)
    if invalid is not None:
        raise response_error("content", invalid, "a text")
    return (
        CUT_OFF
        if _string_or_none(reason) in LENGTH_FINISH_REASONS and not "".join(texts).strip()
        else "".join(texts)
    )
