"""Loopback servers of the services: a chat server that sends odd bodies and counts who is there, and DeepL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from polbias.models.chat import Service
from tests.support.loopback import HttpError, LoopbackServer, Reply, Request
from tests.support.openai_server import LoopbackOpenAI

JSON = {"Content-Type": "application/json"}


def patient(kind: type[Service], timeout: float = 5, retries: int = 0) -> Any:
    """A kind of service with a patience of its own."""
    return type(kind.__name__, (kind,), {"timeout": timeout, "retries": retries})


class Crowd:
    """How many requests are inside at once."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._now -= 1


class ChatServer(LoopbackOpenAI):
    """A chat server whose next bodies can be anything.

    Attributes:
        crowd: how many requests were inside at once.
        next_bodies: sent as they are, with status 200, before any other answer to a POST.
        keys: the keys that came.
    """

    def __init__(self, answer: Callable[[str], str | None], **options: Any) -> None:
        super().__init__(answer, **options)
        self.crowd = Crowd()
        self.next_bodies: list[tuple[bytes, dict[str, str]]] = []
        self.keys: list[str] = []

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def respond(self, request: Request) -> Reply:
        self.keys.append(request.headers.get("Authorization", ""))
        if self.next_bodies and request.method == "POST":
            body, headers = self.next_bodies.pop(0)
            return Reply(200, body, headers)
        return super().respond(request)

    def _reply(self, request: Request, fault: Any) -> Reply:
        with self.crowd:
            return super()._reply(request, fault)


class DeepLServer(LoopbackServer):
    """DeepL's ``/v2/translate``; with another key than `auth_key` 403, as there."""

    def __init__(self, translate: Callable[[str], str], auth_key: str = "k", latency: float = 0.0) -> None:
        super().__init__(latency)
        self.bodies: list[dict[str, Any]] = []
        self.crowd = Crowd()
        self.next_bodies: list[bytes] = []
        self._translate, self._auth_key = translate, auth_key

    def respond(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"DeepL-Auth-Key {self._auth_key}":
            raise HttpError(403, f"Forbidden for {request.headers.get('Authorization')}")
        if (request.method, request.path) != ("POST", "/v2/translate"):
            raise HttpError(404, "Not found")
        body = request.json()
        self.bodies.append(body)
        if self.next_bodies:
            return Reply(200, self.next_bodies.pop(0), JSON)
        found = body.get("source_lang", "DE")
        return Reply.json(
            {
                "translations": [
                    {
                        "detected_source_language": found,
                        "text": self._translate(text),
                        "billed_characters": len(text),
                    }
                    for text in body["text"]
                ]
            }
        )

    def error_reply(self, error: HttpError, headers: Any) -> Reply:
        return Reply.json({"message": error.message}, error.status, headers)

    def _reply(self, request: Request, fault: Any) -> Reply:
        with self.crowd:
            return super()._reply(request, fault)
