"""What a provider sends, made one text for each question: refusals and thoughts without an answer as well."""

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
"""The field of a body in which stands what the client knows of its request."""


class ResponseError(ValueError):
    """A response of a server has another shape than those of the APIs that are known."""


def response_error(field: str, value: Any, expected: str) -> ResponseError:
    """An error that names a field of a response."""
    kind = "nothing" if value is None else type(value).__name__
    return ResponseError(
        f"{field} of the response: found {kind}, expected {expected}; is base_url that of this kind of API?"
    )


def with_texts(outputs: Any) -> Any:
    """Return the bodies of responses with one text in place of each content.

    A refusal by the provider, and an answer that was cut off before it began, become texts that the readers
    of answers take for what they are; thoughts beside the answer and a content that is null are no text.
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
    """Return the answers of a response by their indices, as they stand where these are no such numbers."""
    indices = _indices(choices)
    if not all(type(index) is int for index in indices) or len({*indices}) < len(choices):
        return [*choices]
    return [choice for _, choice in sorted(zip(indices, choices, strict=True), key=itemgetter(0))]


def _indices(choices: Sequence[Any]) -> list[Any]:
    return [choice.get("index") if isinstance(choice, Mapping) else None for choice in choices]


def n_answers(payload: Document) -> int:
    """Return for how many answers a request asks: to one prompt, or to each of several."""
    prompt = payload.get("prompt")
    prompts = prompt if isinstance(prompt, list | tuple) and not isinstance(prompt[0], int) else [prompt]
    return len(prompts) * (payload.get("n") or 1)


def with_all_answers(
    body: Any, payload: Document, print_once: Callable[[str, str], None], *, in_blocks: bool = False
) -> Any:
    """Return a response with no more answers than its request asks for; say what is odd about their number.

    Args:
        body: of the response.
        payload: the request.
        print_once: shows a line unless one of its kind was shown.
        in_blocks: whether the API is Anthropic's, whose answers are blocks.

    Raises:
        ResponseError: if several prompts have fewer answers, which could be those of any of them.
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
            f"the server gives {len(choices)} of {n_requested} answers that a request asks for (n): the others "
            "are asked for one by one",
        )
    elif len(choices) > n_requested:
        print_once(
            "many",
            f"the server gives {len(choices)} answers where a request asks for {n_requested}: the first are taken",
        )
    elif any(index is not None for index in indices) and {*map(repr, indices)} != {
        *map(repr, range(n_requested))
    }:
        numbers = ", ".join(map(str, indices))
        print_once(
            "index",
            f"the server numbers its {n_requested} answers {numbers:.40} (index), not 0 to {n_requested - 1}: they are "
            "numbered anew",
        )
    return {**body, "choices": sort_choices(choices)[:n_requested]}


class Likelihood(tuple[float, bool]):
    """A log-likelihood as lm_eval has it, with the tokens that it took.

    Args:
        value: the log-likelihood, and whether no other continuation is likelier.
        usage: ``input_tokens`` and ``output_tokens``, as far as the server counts them.
    """

    metadata: Document

    def __new__(cls, value: tuple[float, bool], usage: Document) -> Likelihood:
        """Make a pair that knows its usage."""
        pair = super().__new__(cls, value)
        pair.metadata = {"usage": usage} if usage else {}
        return pair


def with_logprobs(outputs: Any, contexts: Sequence[int]) -> Any:
    """Return the bodies of responses that have a log-probability for every token of every prompt.

    A server that does not echo its prompt would otherwise give every continuation the same probability, and
    one whose list is shifted or lacks a token the probabilities of others. A list is therefore taken only if
    it is as long as the server counts the tokens, or if its tokens make the text.
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
                    f"choices[{number}].logprobs", logprobs, "an object (and an index beside it)"
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
                "the server counts tokens (usage), or tokens that make its text; its log-likelihoods would "
                "be of other tokens: use a server that echoes the whole prompt, as vLLM's does, or --model hf"
            )
    return bodies


def _is_echo(choice: Document) -> bool:
    """Whether the tokens of a choice make its text."""
    tokens = choice["logprobs"].get("tokens")
    are_texts = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    has_all_scores = are_texts and len(tokens) == len(choice["logprobs"]["token_logprobs"])
    return has_all_scores and "".join(tokens) == choice.get("text")


def usages(outputs: Any) -> list[Json]:
    """Return the tokens that each choice of some responses took, those of a body in equal parts."""
    parts: list[Json] = []
    for body in outputs if isinstance(outputs, list) else [outputs]:
        n_choices = len(body["choices"])
        parts += [{name: count / n_choices for name, count in _usage(body).items()}] * n_choices
    return parts


def filtered_body(payload: Document, message: str, *, in_blocks: bool = False) -> Json:
    """Return the body of a response in which a filter of the provider withholds all answers.

    Args:
        payload: the request.
        message: of the filter.
        in_blocks: whether the API is Anthropic's, whose answers are blocks.
    """
    return {**_body_without_text(payload, "content_filter", in_blocks), CLIENT_FIELD: {"filter": message}}


def too_long_body(payload: Document, limit: int, *, in_blocks: bool = False) -> Json:
    """Return the body of a response in place of one that is longer than a limit in bytes.

    Its answers took as many tokens as they might, as far as anybody can print_line.
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
    """Return what is said beside each text of some responses: why it ended, thoughts, tokens."""
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
    """Return why the answer in a response ended, in the words of the provider behind a gateway."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return _string_or_none(first.get("native_finish_reason")) if isinstance(first, Mapping) else None


def _finish_reason(choice: Document) -> str | None:
    """Why an answer ended, in the words of a gateway or, where these hide a refusal, of its provider."""
    reason, native = (
        _string_or_none(choice.get("finish_reason")),
        _string_or_none(choice.get("native_finish_reason")),
    )
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    return native if is_withheld(native) and not text else reason


def _top_logprobs(choice: Document) -> Json:
    """The likeliest first tokens of an answer in a chat with their log-probabilities, where they are told."""
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
    """The thoughts in a message: a field beside its content, or blocks of it."""
    if not isinstance(message, Mapping):
        return ""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            return str(message[name])
    blocks = message.get("content")
    objects = [block for block in blocks if isinstance(block, Mapping)] if isinstance(blocks, list) else []
    return "".join(block["thinking"] for block in objects if isinstance(block.get("thinking"), str))


def _usage(response: Document) -> Json:
    """The tokens of a request and of its answer, thoughts among them."""
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
    """Return the answer in an output of Inspect; one that is marked as a refusal is that of the provider."""
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
    """Return the text of a content: a string, null, or blocks of which some have a text."""
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
