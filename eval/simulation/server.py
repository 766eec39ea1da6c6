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

from polbias.aliases import Document, Json
from polbias.errors import InputError, PolbiasError
from polbias.eval.simulation.draws import key
from polbias.eval.simulation.phrases import tokens, truncate_to_tokens
from polbias.eval.simulation.prompt_index import PromptIndex, conversation
from polbias.optional import install_command

try:
    from aiohttp import web
except ImportError:
    raise PolbiasError(f"aiohttp is not installed; {install_command('eval')}") from None

# What an OpenAI-compatible server says: chat, completions, log-probabilities, tokens.
# The tokens are the UTF-8 bytes of a text, and ``/tokenizer_info``, ``/tokenize`` and ``/detokenize`` say so:
# lm_eval's ``local-completions`` needs no tokenizer of its own (``tokenizer_backend=remote``; texts are many
# such tokens long, so that it wants a generous ``max_length``).

Body = Document
_SHOWN = 80  # characters of an unknown prompt
_ENOUGH = 128  # answers to one request


class RequestError(Exception):
    """A request that gets an error instead of an answer.

    Args:
        status: Of HTTP.
        message: What is wrong, for a person.
        code: The same, for a program.
    """

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code

    def body(self) -> Json:
        """Return the reply, as OpenAI's servers shape it."""
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
    """What a request says about how to answer."""

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
            raise RequestError(400, "stream: not supported, ask without it", "unsupported")
        for name, value in (("max_tokens", limit or 1), ("n", count)):
            if not isinstance(value, int) or value < 1:
                raise RequestError(400, f"{name}: found {value!r}, expected a whole number from 1")
        if count > _ENOUGH:
            raise RequestError(400, f"n: found {count}, expected at most {_ENOUGH}")
        if not isinstance(seed, int | None):
            raise RequestError(400, f"seed: found {seed!r}, expected a whole number")
        sampled = body.get("temperature") != 0
        return cls(limit, (stop,) if isinstance(stop, str) else tuple(stop), sampled, seed, count)


class OpenAIProtocol:
    """Replies to requests.

    Greedy requests (temperature 0) get the first answer to a prompt, sampled ones that of their seed; without
    a seed the answers to a prompt come in their order.

    Args:
        known: The respondent and the prompts that it recognises.
        model: Its name.
    """

    def __init__(self, known: PromptIndex, model: str) -> None:
        self._known, self._model = known, model
        self._given: Counter[int] = Counter()
        self.answered = 0
        self.unknown = 0
        self._calls: dict[tuple[str, str], Callable[[Body], Json]] = {
            ("GET", "/v1/models"): self._models,
            ("GET", "/tokenizer_info"): lambda _: {
                "tokenizer_class": "bytes",
                "eos_token": "\0",
                "bos_token": None,
            },
            ("POST", "/tokenize"): lambda body: {"tokens": list(_text(body.get("prompt")).encode())},
            ("POST", "/detokenize"): lambda body: {"prompt": _text(body.get("tokens"))},
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/completions"): self._complete,
        }

    def reply(self, method: str, path: str, body: Body) -> Json:
        """Return the reply to a request."""
        call = self._calls.get((method, path.rstrip("/")))
        if call is None:
            offered = ", ".join(f"{method} {path}" for method, path in self._calls)
            raise RequestError(404, f"{method} {path}: no such call; there are {offered}")
        return call(body)

    def _models(self, _: Body) -> Json:
        return {
            "object": "list",
            "data": [{"id": self._model, "object": "model", "owned_by": "polbias"}],
        }

    def _chat(self, body: Body) -> Json:
        turns = body.get("messages")
        if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
            raise RequestError(400, "messages: expected a list of objects with role and content")
        if turns and turns[-1].get("role") == "assistant":  # the beginning of the answer
            turns = turns[:-1]
        prompt = conversation(turns)
        last = conversation(turns[-1:])
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": text},
                "finish_reason": reason,
                "logprobs": None,
            }
            for index, (text, reason) in enumerate(self._answers((prompt, last), _RequestParameters.of(body)))
        ]
        return self._envelope("chat.completion", choices, [prompt])

    def _complete(self, body: Body) -> Json:
        given, asked = (
            body.get("prompt"),
            _RequestParameters.of({**body, "max_tokens": body.get("max_tokens") or None}),
        )
        several = isinstance(given, list) and bool(given) and not isinstance(given[0], int)
        batch: Sequence[Any] = given if several and given is not None else [given]
        choices: list[Json] = []
        for each in batch:
            text = _text(each)
            if body.get("echo"):
                choices.append(self._echoed(each, text, generated=body.get("max_tokens", 16) > 0))
                continue
            choices += [
                {"text": answer, "finish_reason": reason, "logprobs": None}
                for answer, reason in self._answers((text,), asked)
            ]
        numbered = [{"index": index, **choice} for index, choice in enumerate(choices)]
        return self._envelope("text_completion", numbered, list(map(_text, batch)))

    def _answers(self, prompts: Sequence[str], asked: _RequestParameters) -> list[tuple[str, str]]:
        """Return answers to the first of some readings of a prompt that is known, and why each ended."""
        known = next((prompt for prompt in prompts if self._known.find(prompt)), None)
        found = None if known is None else self._known.find(known)
        if known is None or found is None:
            raise self._not_known(prompts[0])
        simulation, row = found
        made = []
        for place in range(asked.count):
            number = self._number(known, asked, place)
            (text,) = simulation.texts(number, np.array([row]), asked.limit, prompts[0])
            ends = [text.index(stop) for stop in asked.stops if stop and stop in text]
            text, short = truncate_to_tokens(text[: min(ends)] if ends else text, asked.limit)
            made.append((text, "length" if short else "stop"))
        self.answered += 1
        return made

    def _number(self, prompt: str, asked: _RequestParameters, place: int) -> int:
        if not asked.sampled:
            return 0
        if asked.seed is not None:
            return asked.seed + place
        hashed = key(prompt)
        self._given[hashed] += 1
        return self._given[hashed] - 1

    def _not_known(self, prompt: str) -> RequestError:
        self.unknown += 1
        shown = prompt if len(prompt) <= _SHOWN else f"{prompt[:_SHOWN]}..."
        return RequestError(
            400,
            f"unknown prompt {shown!r}: a simulated respondent answers the {len(self._known):,} prompts that "
            "it has read, word for word; build the dataset, or name its file with --rows",
            "unknown_prompt",
        )

    def _echoed(self, prompt: Any, text: str, *, generated: bool) -> Json:
        """Return a prompt with log-probabilities: all the weight of a label lies on its last token."""
        found = self._known.find_continued(text)
        if found is None:
            raise self._not_known(text)
        simulation, row, code = found
        weight, greedy = simulation.loglikelihood(row, code)
        self.answered += 1
        pieces = [chr(byte) for byte in text.encode()] if isinstance(prompt, str) else list(map(str, prompt))
        weights: list[float | None] = [None, *[0.0] * (len(pieces) - 2), weight]
        tops: list[dict[str, float] | None] = [
            None,
            *({piece: 0.0} for piece in pieces[1:-1]),
            {pieces[-1]: weight},
        ]
        if not greedy and tops[-1] is not None:
            tops[-1]["another"] = weight + 1.0
        if generated:
            pieces, weights, tops = [*pieces, "."], [*weights, -1.0], [*tops, {".": -1.0}]
        logprobs = {
            "tokens": pieces,
            "token_logprobs": weights,
            "top_logprobs": tops,
            "text_offset": list(range(len(pieces))),
        }
        return {"text": text + "." * generated, "finish_reason": "length", "logprobs": logprobs}

    def _envelope(self, kind: str, choices: list[Json], prompts: Sequence[str]) -> Json:
        asked = sum(map(tokens, prompts))
        said = sum(
            tokens(each.get("text") or (each.get("message") or {}).get("content") or "") for each in choices
        )
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        return {
            "id": f"simulated-{self.answered}",
            "object": kind,
            "created": 0,
            "model": self._model,
            "choices": choices,
            "usage": usage,
        }


def _text(given: Any) -> str:
    """The text of a prompt, which may come as byte tokens."""
    if isinstance(given, str):
        return given
    if isinstance(given, list) and all(isinstance(each, int) and 0 <= each < 256 for each in given):
        return bytes(given).decode("utf-8", "replace")
    raise RequestError(
        400,
        "prompt: expected a text, or tokens that are the bytes of one; use tokenizer_backend=remote, or let "
        "lm_eval send text (tokenized_requests=False)",
    )


# An HTTP server on 127.0.0.1 for a respondent, in one thread.

HOST = "127.0.0.1"
MAX_BODY = 16 << 20
_PATIENCE = 10.0


class SimulationServer:
    """Serves a protocol, from :meth:`run` in this thread, or as a context manager in one of its own.

    Args:
        protocol: What is answered.
        port: On which port; 0 lets the system choose.
    """

    def __init__(self, protocol: OpenAIProtocol, port: int = 0) -> None:
        self._protocol, self._port = protocol, port
        app = web.Application(client_max_size=MAX_BODY)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)

    @property
    def url(self) -> str:
        """The address, without a slash at the end; known once the server runs."""
        return f"http://{HOST}:{self._port}"

    def run(self, ready: Callable[[str], None]) -> None:
        """Serve until Ctrl-C or a signal to end."""
        asyncio.run(self._until_a_signal(ready))

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        try:
            self._in_thread(self._start())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._in_thread(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _in_thread(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    async def _until_a_signal(self, ready: Callable[[str], None]) -> None:
        stop = asyncio.Event()
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(each, stop.set)
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
            body = _json(await request.read())
            return web.json_response(self._protocol.reply(request.method, request.path, body))
        except web.HTTPRequestEntityTooLarge as error:
            return web.json_response(RequestError(413, str(error.text)).body(), status=413)
        except RequestError as error:
            return web.json_response(error.body(), status=error.status)


def _json(body: bytes) -> Json:
    try:
        read = json.loads(body) if body else {}
    except ValueError as error:
        raise RequestError(400, f"the body is no JSON: {error}") from None
    if not isinstance(read, dict):
        raise RequestError(400, f"the body is {type(read).__name__}, expected an object")
    return read
