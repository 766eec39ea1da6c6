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


def response_error(field: str, found: Any, expected: str) -> ResponseError:
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
        raise response_error("body", outputs, "an object")
    if isinstance(outputs.get("content"), list):
        text = text_of(outputs["content"], outputs.get("stop_reason"))
        return {**outputs, "content": [{"type": "text", "text": text}]}
    choices = outputs.get("choices")
    if not isinstance(choices, list) or not choices:
        raise response_error("choices", choices, "a list of answers (or content, a list of blocks)")
    return {**outputs, "choices": [_choice(each, number) for number, each in enumerate(in_order(choices))]}


def in_order(choices: Sequence[Any]) -> list[Any]:
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
    body: Any, payload: Document, tell_once: Callable[[str, str], None], *, in_blocks: bool = False
) -> Any:
    """Return a response with no more answers than its request asks for; say what is odd about their number.

    Args:
        body: of the response.
        payload: the request.
        tell_once: shows a line unless one of its kind was shown.
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
    wanted, indices = n_answers(payload), _indices(choices)
    if len(choices) < wanted:
        if wanted != payload.get("n"):
            raise ResponseError(f"choices of the response: found {len(choices)}, expected {wanted} answers")
        tell_once(
            "few",
            f"the server gives {len(choices)} of {wanted} answers that a request asks for (n): the others "
            "are asked for one by one",
        )
    elif len(choices) > wanted:
        tell_once(
            "many",
            f"the server gives {len(choices)} answers where a request asks for {wanted}: the first are taken",
        )
    elif any(index is not None for index in indices) and {*map(repr, indices)} != {*map(repr, range(wanted))}:
        numbers = ", ".join(map(str, indices))
        tell_once(
            "index",
            f"the server numbers its {wanted} answers {numbers:.40} (index), not 0 to {wanted - 1}: they are "
            "numbered anew",
        )
    return {**body, "choices": in_order(choices)[:wanted]}


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
        choices = in_order(choices)
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
        counted = _usage(body)
        total = counted.get("input_tokens", 0) + counted.get("output_tokens", 0)
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
    texts = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    all_scored = texts and len(tokens) == len(choice["logprobs"]["token_logprobs"])
    return all_scored and "".join(tokens) == choice.get("text")


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

    Its answers took as many tokens as they might, as far as anybody can tell.
    """
    room = payload.get("max_completion_tokens") or payload.get("max_tokens") or limit // CHARACTERS
    usage = {"completion_tokens": room * n_answers(payload)}
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
        about = body[CLIENT_FIELD] if isinstance(body.get(CLIENT_FIELD), Mapping) else {}
        if isinstance(body.get("choices"), list):
            choices = in_order(body["choices"])
            usage = {name: round(count / len(choices)) for name, count in _usage(body).items()}
            answers += [
                _about(_reason(choice), _thoughts(choice.get("message")), usage) | _tops(choice) | about
                for choice in choices
            ]
        else:
            answers.append(_about(_word(body.get("stop_reason")), _thoughts(body), _usage(body)) | about)
    return answers


def _about(reason: str | None, thoughts: str, usage: Document) -> Json:
    fields = {
        "finish_reason": reason,
        "reasoning": thoughts,
        "usage": usage,
        "filtered": is_withheld(reason),
    }
    return {name: value for name, value in fields.items() if value}


def native_reason(body: Any) -> str | None:
    """Return why the answer in a response ended, in the words of the provider behind a gateway."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return _word(first.get("native_finish_reason")) if isinstance(first, Mapping) else None


def _reason(choice: Document) -> str | None:
    """Why an answer ended, in the words of a gateway or, where these hide a refusal, of its provider."""
    reason, native = _word(choice.get("finish_reason")), _word(choice.get("native_finish_reason"))
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    return native if is_withheld(native) and not text else reason


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


def _word(reason: Any) -> str | None:
    return reason if isinstance(reason, str) else None


def _choice(choice: Any, number: int) -> Json:
    if not isinstance(choice, Mapping):
        raise response_error(f"choices[{number}]", choice, "an object")
    reason = _reason(choice)
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
    if is_withheld(_word(reason)):
        return REFUSED_BY_PROVIDER
    blocks = content if isinstance(content, list) else [{"text": content}]
    said = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    texts = ["" if text is None else text for text in said]
    other = next((text for text in texts if not isinstance(text, str)), None)
    if other is not None:
        raise response_error("content", other, "a text")
    return (
        CUT_OFF if _word(reason) in LENGTH_FINISH_REASONS and not "".join(texts).strip() else "".join(texts)
    )
