"""An OpenAI-compatible server on 127.0.0.1: chat, completions with echoed log-probabilities, models.

It also offers the tokenizer calls (``/tokenizer_info``, ``/tokenize``, ``/detokenize``) that let lm_eval's
``local-completions`` work without a tokenizer of its own. Its tokens are the UTF-8 bytes of the text, so a
run wants a generous ``max_length`` (lm_eval cuts at 2048 tokens unless told otherwise).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.loopback import HttpError, LoopbackServer, Reply, Request

Prompt = str | list[int]


def bytes_to_text(tokens: Sequence[int]) -> str:
    """Return the text of byte tokens."""
    return bytes(tokens).decode("utf-8", "replace")


class LoopbackOpenAI(LoopbackServer):
    """A model that answers with a function of the prompt.

    Args:
        answer: the answer to a prompt; the messages of a chat arrive joined by blank lines. None is sent
            as an empty content, as filtered answers are.
        labels: the continuations that log-likelihood requests may ask for, such as ``("valid", "invalid")``.
        probability: the probability of a label after a prompt; without it .9 for the answer and .05 for any
            other label.
        latency: seconds before every answer.
        models: names that ``/v1/models`` lists.
        api_key: if given, requests with another key get 401.
        decode: the text of token ids, where a client sends those of a tokenizer of its own.
    """

    def __init__(
        self,
        answer: Callable[[str], str | None],
        *,
        labels: Sequence[str] = (),
        probability: Callable[[str, str], float] | None = None,
        latency: float = 0.0,
        models: Sequence[str] = ("stub",),
        api_key: str | None = None,
        decode: Callable[[Sequence[int]], str] = bytes_to_text,
    ) -> None:
        super().__init__(latency)
        self.bodies: list[dict[str, Any]] = []
        self._answer = answer
        self._labels = sorted(labels, key=len, reverse=True)
        self._probability = probability or self._default_probability
        self._models = models
        self._api_key = api_key
        self._decode = decode

    @property
    def count(self) -> int:
        """The number of requests for an answer, the refused ones included."""
        return sum(line.endswith("/completions") for line in self.requests)

    def respond(self, request: Request) -> Reply:
        if self._api_key is not None and request.headers.get("Authorization") != f"Bearer {self._api_key}":
            raise HttpError(401, "Incorrect API key provided.", "invalid_api_key")
        if (request.method, request.path) == ("GET", "/v1/models"):
            listed = [{"id": name, "object": "model", "owned_by": "tests"} for name in self._models]
            return Reply.json({"object": "list", "data": listed})
        if (request.method, request.path) == ("GET", "/tokenizer_info"):
            return Reply.json({"tokenizer_class": "bytes", "eos_token": "\x00", "bos_token": None})
        routes: dict[str, Callable[[dict[str, Any]], dict[str, object]]] = {
            "/v1/chat/completions": self._chat,
            "/v1/completions": self._complete,
            "/tokenize": lambda body: {"tokens": list(body["prompt"].encode())},
            "/detokenize": lambda body: {"prompt": bytes_to_text(body["tokens"])},
        }
        if request.method != "POST" or request.path not in routes:
            raise HttpError(404, f"no such call: {request.method} {request.path}")
        return Reply.json(routes[request.path](request.json()))

    def error_reply(self, error: HttpError, headers: Mapping[str, str]) -> Reply:
        details = {"message": error.message, "type": "server_error", "param": None, "code": error.code}
        return Reply.json({"error": details}, error.status, headers)

    def _chat(self, body: dict[str, Any]) -> dict[str, object]:
        self.bodies.append(body)
        prompt = "\n\n".join(_content(message) for message in body["messages"])
        choices = []
        for index in range(body.get("n") or 1):
            text, reason = _finish(self._answer(prompt), body)
            message = {"role": "assistant", "content": text}
            choices.append({"index": index, "message": message, "finish_reason": reason, "logprobs": None})
        return {**_envelope("chat.completion", body), "choices": choices, "usage": _usage([prompt])}

    def _complete(self, body: dict[str, Any]) -> dict[str, object]:
        self.bodies.append(body)
        given = body["prompt"]
        batch = given if isinstance(given, list) and given and not isinstance(given[0], int) else [given]
        choices: list[dict[str, object]] = []
        for prompt in batch:
            text = prompt if isinstance(prompt, str) else self._decode(prompt)
            for _ in range(body.get("n") or 1):
                if body.get("echo"):
                    choice = self._echo(prompt, text, generated=body.get("max_tokens", 16) > 0)
                else:
                    completion, reason = _finish(self._answer(text), body)
                    choice = {"text": completion or "", "finish_reason": reason, "logprobs": None}
                choices.append({"index": len(choices), **choice})
        return {**_envelope("text_completion", body), "choices": choices, "usage": _usage(batch)}

    def _echo(self, prompt: Prompt, text: str, *, generated: bool) -> dict[str, object]:
        """Return the prompt with log-probabilities: all of a label's weight lies on its last token."""
        pieces = (
            [chr(byte) for byte in text.encode()] if isinstance(prompt, str) else [str(t) for t in prompt]
        )
        label = next((label for label in self._labels if text.endswith(label)), None)
        chance = 1.0 if label is None else self._probability(text[: -len(label)].rstrip(" "), label)
        weights: list[float | None] = [None, *[0.0] * (len(pieces) - 2), math.log(chance)][: len(pieces)]
        tops = [
            None if weight is None else {piece: weight} for piece, weight in zip(pieces, weights, strict=True)
        ]
        if chance < 0.5 and tops[-1] is not None:
            tops[-1]["another"] = math.log1p(-chance)
        if generated:
            pieces, weights, tops = [*pieces, "."], [*weights, -1.0], [*tops, {".": -1.0}]
        offsets = list(range(len(pieces)))
        logprobs = {"tokens": pieces, "token_logprobs": weights, "top_logprobs": tops, "text_offset": offsets}
        return {"text": text + "." * generated, "finish_reason": "length", "logprobs": logprobs}

    def _default_probability(self, prompt: str, label: str) -> float:
        return 0.9 if (self._answer(prompt) or "").strip() == label.strip() else 0.05


def _content(message: Mapping[str, Any]) -> str:
    """Return the text of a message, also where it comes in parts."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def _finish(answer: str | None, body: Mapping[str, Any]) -> tuple[str | None, str]:
    """Cut an answer at the stop strings and after `max_tokens` words; also return why it ended."""
    if answer is None:
        return None, "content_filter"
    stops = [body["stop"]] if isinstance(body.get("stop"), str) else body.get("stop") or []
    ends = [answer.index(stop) for stop in stops if stop and stop in answer]
    text = answer[: min(ends)] if ends else answer
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    words = list(re.finditer(r"\S+\s*", text))
    if limit and len(words) > limit:
        return text[: words[limit].start()].rstrip(), "length"
    return text, "stop"


def _envelope(kind: str, body: Mapping[str, Any]) -> dict[str, object]:
    return {"id": "cmpl-loopback", "object": kind, "created": 0, "model": body.get("model", "stub")}


def _usage(prompts: Sequence[Prompt]) -> dict[str, int]:
    tokens = sum(len(prompt.split() if isinstance(prompt, str) else prompt) for prompt in prompts)
    return {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
