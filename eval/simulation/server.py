"""An OpenAI-compatible server of simulated respondents."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from aiohttp import web

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval.simulation.draws import key
from polbias.eval.simulation.phrases import tokens, truncate_to_tokens
from polbias.eval.simulation.prompt_index import PromptIndex, conversation

# Endpoints: chat, completions, log-probabilities, tokens. The tokens are the UTF-8 bytes of a text, as
# ``/tokenizer_info``, ``/tokenize`` and ``/detokenize`` report: lm_eval's ``local-completions`` needs no
# local tokenizer (``tokenizer_backend=remote``; texts have many such tokens, so set a large ``max_length``).

Body = Document
_MAX_DISPLAYED = 80  # characters of an unknown prompt
_MAX_CHOICES = 128  # answers to one request


class RequestError(Exception):
    """Error response to a request.

    Args:
        status: HTTP status.
        message: Error text.
        code: Machine-readable error code.
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code

    def body(self) -> Json:
        """Return the response body in OpenAI's format."""
        return {
            "error": {
                "message": self.message,
                "type": "invalid_request_error",
                "param": None,
                "code": self.code,
            }
        }


@dataclass(frozen=True)
class _RequestParameters:
    """Generation settings of a request."""

    limit: int | None
    stops: tuple[str, ...]
    sampled: bool
    seed: int | None
    count: int

    @classmethod
    def of(cls, body: Body) -> _RequestParameters:
        limit = body.get("max_completion_tokens") or body.get("max_tokens")
        stop, count, seed = body.get("stop") or (), body.get("n") or 1, body.get("seed")
        if body.get("stream"):
            raise RequestError(400, "stream: not supported; send the request without it", "unsupported")
        for name, value in (("max_tokens", limit or 1), ("n", count)):
            if not isinstance(value, int) or value < 1:
                raise RequestError(400, f"{name}: found {value!r}, expected a whole number from 1")
        if count > _MAX_CHOICES:
            raise RequestError(400, f"n: found {count}, expected at most {_MAX_CHOICES}")
        if not isinstance(seed, int | None):
            raise RequestError(400, f"seed: found {seed!r}, expected a whole number")
        sampled = body.get("temperature") != 0
        return cls(limit, (stop,) if isinstance(stop, str) else tuple(stop), sampled, seed, count)


class OpenAIProtocol:
    """OpenAI-compatible responses of a simulated respondent.

    Greedy requests (temperature 0) get the first answer to a prompt, sampled requests the answer of their
    seed; sampled requests without a seed get the answers to a prompt in order.

    Args:
        prompt_index: Index of the prompts that the respondent answers.
        model: Name of the model.
    """

    def __init__(self, prompt_index: PromptIndex, model: str) -> None:
        self._prompt_index, self._model = prompt_index, model
        self._n_answers_by_key: Counter[int] = Counter()
        self.answered = 0
        self.unknown = 0
        self._handlers: dict[tuple[str, str], Callable[[Body], Json]] = {
            ("GET", "/v1/models"): self._models,
            ("GET", "/tokenizer_info"): lambda _: {
                "tokenizer_class": "bytes",
                "eos_token": "\0",
                "bos_token": None,
            },
            ("POST", "/tokenize"): lambda body: {"tokens": list(_decode_prompt(body.get("prompt")).encode())},
            ("POST", "/detokenize"): lambda body: {"prompt": _decode_prompt(body.get("tokens"))},
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/completions"): self._complete,
        }

    def reply(self, method: str, path: str, body: Body) -> Json:
        """Return the response to a request."""
        handler = self._handlers.get((method, path.rstrip("/")))
        if handler is None:
            available = ", ".join(f"{method} {path}" for method, path in self._handlers)
            raise RequestError(404, f"{method} {path}: no such call; there are {available}")
        return handler(body)

    def _models(self, _: Body) -> Json:
        return {
            "object": "list",
            "data": [{"id": self._model, "object": "model", "owned_by": "polbias"}],
        }

    def _chat(self, body: Body) -> Json:
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise RequestError(400, "messages: expected a list of objects with role and content")
        if messages and messages[-1].get("role") == "assistant":  # prefill
            messages = messages[:-1]
        prompt = conversation(messages)
        last = conversation(messages[-1:])
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text},
                "finish_reason": reason,
                "logprobs": None,
            }
            for index, (text, reason) in enumerate(
                self._sample_answers((prompt, last), _RequestParameters.of(body))
            )
        ]
        return self._response_body("chat.completion", choices, [prompt])

    def _complete(self, body: Body) -> Json:
        prompt_input, parameters = (
            body.get("prompt"),
            _RequestParameters.of({**body, "max_tokens": body.get("max_tokens") or None}),
        )
        is_batch = (
            isinstance(prompt_input, list) and bool(prompt_input) and not isinstance(prompt_input[0], int)
        )
        batch: Sequence[Any] = prompt_input if is_batch and prompt_input is not None else [prompt_input]
        choices: list[Json] = []
        for prompt in batch:
            text = _decode_prompt(prompt)
            if body.get("echo"):
                choices.append(self._echo_choice(prompt, text, generated=body.get("max_tokens", 16) > 0))
                continue
            choices += [
                {"text": answer, "finish_reason": reason, "logprobs": None}
                for answer, reason in self._sample_answers((text,), parameters)
            ]
        indexed_choices = [{"index": index, **choice} for index, choice in enumerate(choices)]
        return self._response_body("text_completion", indexed_choices, list(map(_decode_prompt, batch)))

    def _sample_answers(
        self, prompts: Sequence[str], parameters: _RequestParameters
    ) -> list[tuple[str, str]]:
        """Return answers to the first of the prompts that is indexed, each with its finish reason."""
        known_prompt = next((prompt for prompt in prompts if self._prompt_index.find(prompt)), None)
        match = None if known_prompt is None else self._prompt_index.find(known_prompt)
        if known_prompt is None or match is None:
            raise self._unknown_prompt_error(prompts[0])
        simulation, row = match
        answers = []
        for index in range(parameters.count):
            number = self._sample_number(known_prompt, parameters, index)
            (text,) = simulation.draw_texts(number, np.array([row]), parameters.limit, prompts[0])
            stop_positions = [text.index(stop) for stop in parameters.stops if stop and stop in text]
            text, is_truncated = truncate_to_tokens(
                text[: min(stop_positions)] if stop_positions else text, parameters.limit
            )
            answers.append((text, "length" if is_truncated else "stop"))
        self.answered += 1
        return answers

    def _sample_number(self, prompt: str, parameters: _RequestParameters, index: int) -> int:
        if not parameters.sampled:
            return 0
        if parameters.seed is not None:
            return parameters.seed + index
        prompt_key = key(prompt)
        self._n_answers_by_key[prompt_key] += 1
        return self._n_answers_by_key[prompt_key] - 1

    def _unknown_prompt_error(self, prompt: str) -> RequestError:
        self.unknown += 1
        excerpt = prompt if len(prompt) <= _MAX_DISPLAYED else f"{prompt[:_MAX_DISPLAYED]}..."
        return RequestError(
            400,
            f"unknown prompt {excerpt!r}: a simulated respondent answers the {len(self._prompt_index):,} "
            "prompts that it has read, word for word; build the dataset, or name its file with --rows",
            "unknown_prompt",
        )

    def _echo_choice(self, prompt: Any, text: str, *, generated: bool) -> Json:
        """Return a prompt with log-probabilities; the last token has the log-likelihood of the label."""
        match = self._prompt_index.find_continued(text)
        if match is None:
            raise self._unknown_prompt_error(text)
        simulation, row, code = match
        logprob, greedy = simulation.loglikelihood(row, code)
        self.answered += 1
        token_texts = (
            [chr(byte) for byte in text.encode()] if isinstance(prompt, str) else list(map(str, prompt))
        )
        token_logprobs: list[float | None] = [None, *[0.0] * (len(token_texts) - 2), logprob]
        top_logprobs: list[dict[str, float] | None] = [
            None,
            *({piece: 0.0} for piece in token_texts[1:-1]),
            {token_texts[-1]: logprob},
        ]
        if not greedy and top_logprobs[-1] is not None:
            top_logprobs[-1]["another"] = logprob + 1.0
        if generated:
            token_texts, token_logprobs, top_logprobs = (
                [*token_texts, "."],
                [*token_logprobs, -1.0],
                [*top_logprobs, {".": -1.0}],
            )
        logprobs = {
            "tokens": token_texts,
            "token_logprobs": token_logprobs,
            "top_logprobs": top_logprobs,
            "text_offset": list(range(len(token_texts))),
        }
        return {"text": text + "." * generated, "finish_reason": "length", "logprobs": logprobs}

    def _response_body(self, kind: str, choices: list[Json], prompts: Sequence[str]) -> Json:
        n_prompt_tokens = sum(map(tokens, prompts))
        n_completion_tokens = sum(
            tokens(choice.get("text") or (choice.get("message") or {}).get("content") or "")
            for choice in choices
        )
        usage = {
            "prompt_tokens": n_prompt_tokens,
            "completion_tokens": n_completion_tokens,
            "total_tokens": n_prompt_tokens + n_completion_tokens,
        }
        return {
            "id": f"simulated-{self.answered}",
            "object": kind,
            "created": 0,
            "model": self._model,
            "choices": choices,
            "usage": usage,
        }


def _decode_prompt(prompt: Any) -> str:
    """Return the text of a prompt, which may be a list of byte tokens."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list) and all(isinstance(token, int) and 0 <= token < 256 for token in prompt):
        return bytes(prompt).decode("utf-8", "replace")
    raise RequestError(
        400,
        "prompt: expected a text, or tokens that are the bytes of one; use tokenizer_backend=remote, or let "
        "lm_eval send text (tokenized_requests=False)",
    )


# HTTP server on 127.0.0.1, in one thread.

HOST = "127.0.0.1"
MAX_BODY = 16 << 20
_TIMEOUT_SECONDS = 10.0


class SimulationServer:
    """HTTP server of a protocol: :meth:`run` serves in this thread, a context manager in a new thread.

    Args:
        protocol: The protocol that answers requests.
        port: Port; 0 lets the system choose.
    """

    def __init__(self, protocol: OpenAIProtocol, port: int = 0) -> None:
        self._protocol, self._port = protocol, port
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)

    @property
    def url(self) -> str:
        """Address without a final slash; valid once the server runs."""
        return f"http://{HOST}:{self._port}"

    def run(self, ready: Callable[[str], None]) -> None:
        """Serve until Ctrl-C or SIGTERM; pass the address to `ready` once the server runs."""
        asyncio.run(self._run_until_signal(ready))

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._run_in_loop(self._start())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._run_in_loop(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run_in_loop(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_TIMEOUT_SECONDS)

    async def _run_until_signal(self, ready: Callable[[str], None]) -> None:
        stop = asyncio.Event()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(signal_number, stop.set)
        try:
            await self._start()
            ready(self.url)
            await stop.wait()
        finally:
            await self._runner.cleanup()

    async def _start(self) -> None:
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, HOST, self._port).start()
        except OSError as error:
            raise InputError(
                f"--port {self._port}: cannot be had ({error.strerror}); choose another, or 0 for any"
            ) from None
        self._port = self._runner.addresses[0][1]

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            body = _parse_json(await request.read())
            return web.json_response(self._protocol.reply(request.method, request.path, body))
        except web.HTTPRequestEntityTooLarge as error:
            return web.json_response(RequestError(413, str(error.text)).body(), status=413)
        except RequestError as error:
            return web.json_response(error.body(), status=error.status)


def _parse_json(body: bytes) -> Json:
    try:
        document = json.loads(body) if body else {}
    except ValueError as error:
        raise RequestError(400, f"the body is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise RequestError(400, f"the body is {type(document).__name__}, expected an object")
    return document
