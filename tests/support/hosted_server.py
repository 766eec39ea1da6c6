"""A stand-in for hosted providers on 127.0.0.1: OpenAI's chat, responses and batches, Anthropic's messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.loopback import HttpError, LoopbackServer, Reply, Request


@dataclass(frozen=True)
class Answer:
    """What the model of a provider answers.

    Args:
        text: visible text.
        reason: why it ended, in the words of Anthropic.
        thoughts: before the text.
        refusal: whether the text is a refusal in a field of its own.
    """

    text: str = "valid"
    reason: str = "end_turn"
    thoughts: str = ""
    refusal: bool = False


_OPENAI_REASONS = {"end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}
INPUT, CACHED, OUTPUT, REASONING = 40, 30, 7, 3
"""Tokens of a request, those of them from a cache, and tokens of an answer, those of them for thoughts."""


class HostedServer(LoopbackServer):
    """A provider whose model answers with a function of the last turn.

    Args:
        answer: may raise `HttpError`.
        batch_checks: how often a batch is under way before it is done.
    """

    def __init__(self, answer: Callable[[str], Answer], batch_checks: int = 1) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []
        self.batches: list[list[dict[str, Any]]] = []
        self._answer = answer
        self._batch_checks = batch_checks
        self._checks: list[int] = []
        self._guard = threading.Lock()

    def respond(self, request: Request) -> Reply:
        """Answer a request of one of the interfaces."""
        routes: Mapping[str, Callable[[Any], Any]] = {
            "/v1/chat/completions": self._chat,
            "/v1/responses": self._responses,
            "/v1/messages": self._messages,
            "/v1/batches": self._create_batch,
        }
        if request.method == "POST" and request.path == "/v1/files":
            return Reply.json(self._upload(request.body))
        if request.method == "POST" and request.path in routes:
            body = request.json()
            if not isinstance(body.get("input"), str):  # Inspect first tries whether thoughts are summarised
                with self._guard:
                    self.bodies.append(body)
            content = routes[request.path](body)
            return _streamed(content) if body.get("stream") else Reply.json(content)
        head, _, name = request.path.rpartition("/")
        if head == "/v1/batches":
            return Reply.json(self._batch(int(name), check=True))
        if name == "content":
            return Reply(200, self._results(int(head.rpartition("/")[2])))
        raise HttpError(404, f"no such call: {request.method} {request.path}")

    def error_reply(self, error: HttpError, headers: Mapping[str, str]) -> Reply:
        """Return an error in the shape that both providers' clients know."""
        details = {
            "message": error.message,
            "type": "invalid_request_error",
            "param": None,
            "code": error.code,
        }
        return Reply.json({"type": "error", "error": details}, error.status, headers)

    def _chat(self, body: dict[str, Any]) -> Any:
        answer = self._answer(body["messages"][-1]["content"])
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.refusal:
            message = {**message, "content": None, "refusal": answer.text}
        reason = _OPENAI_REASONS[answer.reason]
        usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
        usage |= {
            "prompt_tokens_details": {"cached_tokens": CACHED},
            "completion_tokens_details": {"reasoning_tokens": REASONING},
        }
        return {
            **{"id": "c", "object": "chat.completion", "created": 0, "model": body["model"], "usage": usage},
            "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        }

    def _responses(self, body: dict[str, Any]) -> Any:
        answer = Answer("hello") if isinstance(body["input"], str) else self._answer(_text(body["input"][-1]))
        block: dict[str, Any] = {"type": "output_text", "text": answer.text, "annotations": []}
        if answer.refusal:
            block = {"type": "refusal", "refusal": answer.text}
        output: list[dict[str, Any]] = [
            {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [block]}
        ]
        if answer.thoughts:
            summary = [{"type": "summary_text", "text": answer.thoughts}]
            output.insert(0, {"type": "reasoning", "id": "r", "summary": summary, "encrypted_content": "x"})
        usage = {"input_tokens": INPUT, "output_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
        usage |= {
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens_details": {"reasoning_tokens": REASONING},
        }
        cut = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}.get(answer.reason)
        return {
            **{"id": "r", "object": "response", "created_at": 0, "model": body["model"], "usage": usage},
            **{"output": output, "tools": [], "tool_choice": "auto", "parallel_tool_calls": True},
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": cut} if cut else None,
        }

    def _messages(self, body: dict[str, Any]) -> Any:
        answer = self._answer(_text(body["messages"][-1]))
        blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
        if answer.thoughts:
            blocks.insert(0, {"type": "thinking", "thinking": answer.thoughts, "signature": "x"})
        usage = {"input_tokens": INPUT - CACHED, "output_tokens": OUTPUT, "cache_read_input_tokens": CACHED}
        return {
            **{"id": "m", "type": "message", "role": "assistant", "model": body["model"], "usage": usage},
            **{"content": blocks, "stop_reason": answer.reason, "stop_sequence": None},
        }

    def _upload(self, body: bytes) -> Any:
        lines = [json.loads(line) for line in body.splitlines() if line.startswith(b'{"custom_id"')]
        with self._guard:
            self.batches.append(lines)
            self._checks.append(0)
            number = len(self.batches) - 1
        about = {"object": "file", "bytes": len(body), "created_at": 0, "filename": "b", "purpose": "batch"}
        return {"id": str(number), "status": "processed", **about}

    def _create_batch(self, body: dict[str, Any]) -> Any:
        return self._batch(int(body["input_file_id"]))

    def _batch(self, number: int, *, check: bool = False) -> Any:
        self._checks[number] += check
        done = self._checks[number] > self._batch_checks
        total = len(self.batches[number])
        return {
            **{"id": str(number), "object": "batch", "endpoint": "/v1/chat/completions", "created_at": 0},
            **{"input_file_id": str(number), "completion_window": "24h", "errors": None},
            "status": "completed" if done else "in_progress",
            "output_file_id": str(number) if done else None,
            "request_counts": {"total": total, "completed": total if done else 0, "failed": 0},
        }

    def _results(self, number: int) -> bytes:
        lines = []
        for line in self.batches[number]:
            made = {"/v1/chat/completions": self._chat, "/v1/responses": self._responses}[line["url"]]
            body = made(line["body"])
            response = {"status_code": 200, "request_id": "q", "body": body}
            lines.append({"id": "b", "custom_id": line["custom_id"], "response": response, "error": None})
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _text(turn: Mapping[str, Any]) -> str:
    content = turn["content"]
    return str(content if isinstance(content, str) else content[0]["text"])


def _streamed(message: Mapping[str, Any]) -> Reply:
    """Return a message of Anthropic's API as the events of a stream."""
    start = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(message["content"]):
        kind = block["type"]
        events += [
            {"type": "content_block_start", "index": index, "content_block": {**block, kind: ""}},
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": f"{kind}_delta", kind: block[kind]},
            },
            {"type": "content_block_stop", "index": index},
        ]
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": OUTPUT}},
        {"type": "message_stop"},
    ]
    lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Reply(200, lines.encode(), {"Content-Type": "text/event-stream"})
