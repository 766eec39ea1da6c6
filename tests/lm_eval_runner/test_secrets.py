"""Servers that repeat every key they get: none stands in what `polbias eval` prints, logs or writes."""

from __future__ import annotations

import gc
import json
import logging
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from polbias.safe_text import safe_logs
from tests.lm_eval_runner.conftest import Evaluate, results_of, samples_of
from tests.lm_eval_runner.test_responses import chat as answer
from tests.support.loopback import LoopbackServer, Reply, Request

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("young_garbage")]

MINI = "polbias_en_formal_mini"
SECRET = "0123456789abcdefSECRET"
_TERMINAL = "\x1b]52;c;aGk=\x07\x9b2J\u202e"


def spill(request: Request) -> str:
    """Return all that a request holds."""
    return f"{dict(request.headers)} {dict(request.query)} {request.body.decode()}"


def echo(request: Request) -> Reply:
    text = f"valid {spill(request)}"
    return Reply.json(answer("stop", content=text, reasoning_content=text))


def fail(request: Request) -> Reply:
    return Reply.json({"error": {"message": f"{_TERMINAL} {spill(request)}"[:290]}}, 500)


def refuse(request: Request) -> Reply:
    return Reply.json({"error": {"message": f"{_TERMINAL} {spill(request)}"[:290]}}, 400)


def login_page(request: Request) -> Reply:
    return Reply(200, f"<html>{spill(request)}</html>".encode(), {"Content-Type": "text/html"})


class Server(LoopbackServer):
    """A server that replies with a function of the request."""

    def __init__(self, reply: Callable[[Request], Reply]) -> None:
        super().__init__()
        self.received: list[Request] = []
        self._reply_to = reply

    def respond(self, request: Request) -> Reply:
        """Return the reply of the function."""
        self.received.append(request)
        return self._reply_to(request) if request.method == "POST" else Reply.json({}, 404)


def ask(evaluate: Evaluate, server: Server, *options: str, address: str = "", **arguments: Any) -> Any:
    """Ask the first rows of the small task."""
    url = f"{server.url}/v1/chat/completions{address}"
    model_args = {"model": "stub", "base_url": url, "max_retries": 1, **arguments}
    model = ["--model", "local-chat-completions", "--model_args", json.dumps(model_args)]
    with safe_logs():  # as the command does in a process of its own
        done = evaluate(*model, "--tasks", MINI, "--limit", "2", *options, report=True)
        gc.collect()  # of requests that nobody waited for asyncio logs the error when they go
    return done


def assert_hidden(folder: Path, texts: Sequence[str], *secrets: str) -> None:
    """Assert that secrets are neither in texts nor in any file, and nothing in a text commands a terminal."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    for secret in secrets:
        assert not [text for text in texts if secret in text]
        assert not [path for path in files if secret.encode() in path.read_bytes()]
    assert not [text for text in texts if {*text} & {*"\x1b\x07\x9b\u202e"}]
    private = [
        path for path in files if path.suffix == ".sqlite" or path.name.startswith(("results_", "identity"))
    ]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} <= {0o600}


def shown(done: Any) -> list[str]:
    """Return all that a command printed, or would as its last line."""
    bars_moved = (text.replace("\x1b[A", "") for text in (done.output, done.stderr))  # by tqdm
    return [*bars_moved, str(done.exception or "")]


GIVEN: Mapping[str, tuple[dict[str, Any], str, Sequence[str], Mapping[str, str]]] = {
    "variable": ({}, "", (), {"OPENAI_API_KEY": SECRET}),
    "variable-of-groq": ({}, "", (), {"OPENAI_API_KEY": f"gsk_{SECRET}"}),
    "header": ({"header": {"api-key": SECRET}}, "", (), {}),
    "bearer": ({"header": {"Authorization": f"Bearer {SECRET}"}}, "", (), {}),
    "query": ({}, f"?sig={SECRET}&api-version=2024-02-01", (), {}),
    "query-quoted": ({}, f"?code=a%2Fb%3D{SECRET}", (), {}),
    "gen_kwargs": ({}, "", ("--gen_kwargs", json.dumps({"api_key": SECRET})), {}),
    "gen_kwargs-nested": ({}, "", ("--gen_kwargs", json.dumps({"extra": {"access_token": SECRET}})), {}),
    "metadata": ({}, "", ("--metadata", json.dumps({"a": {"password": SECRET}, "hf_token": SECRET})), {}),
}


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        *((given, reply) for given in GIVEN for reply in (echo, fail)),
        ("header", refuse),
        ("query", login_page),
    ],
)
def test_no_secret_is_printed_logged_or_written(
    evaluate: Evaluate,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    given: str,
    reply: Callable[[Request], Reply],
) -> None:
    arguments, address, options, variables = GIVEN[given]
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("LMEVAL_LOG_LEVEL", "DEBUG")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with Server(reply) as server:
        done = ask(evaluate, server, *options, address=address, **arguments)
        assert given == "metadata" or any(SECRET in spill(request) for request in server.received)
    assert (done.exit_code == 0) == (reply is echo), done.output
    assert_hidden(tmp_path, [*shown(done), caplog.text], SECRET)
    if reply is echo and given != "metadata":
        assert "[key]" in samples_of(tmp_path, MINI)[0]["filtered_resps"][0]


@pytest.mark.parametrize(
    "model_args",
    [
        f"model=stub,base_url=URL,header={{'api-key': '{SECRET}'}}",
        f'{{"model": "stub", "api_key": "{SECRET}"',
        f'{{"model": "stub", "header": {{"X-Own": "{SECRET}"',
        f"model=stub,base_url=http://me:{SECRET}@127.0.0.1/v1/chat/completions",
        f"model=stub,base_url=URL,header={SECRET}",
        f"model=stub,base_url=URL,auth_token={SECRET * 20}",
    ],
)
def test_arguments_that_are_wrong_are_said_without_their_keys(
    evaluate: Evaluate, tmp_path: Path, model_args: str
) -> None:
    with Server(fail) as server:
        url = f"{server.url}/v1/chat/completions"
        model = ["--model", "local-chat-completions", "--model_args", model_args.replace("URL", url)]
        done = evaluate(*model, "--tasks", MINI, "--limit", "2")
    assert done.exit_code
    assert_hidden(tmp_path, shown(done), SECRET)


@pytest.mark.parametrize("key", ["EMPTY", "none", "dummy", "not-needed", "ollama", "123456"])
def test_what_stands_for_a_key_changes_no_answer(
    evaluate: Evaluate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with Server(lambda _: Reply.json(answer("stop", content=f"valid: {key}"))) as server:
        assert ask(evaluate, server).exit_code == 0
    assert samples_of(tmp_path, MINI)[0]["filtered_resps"] == [f"valid: {key}"]


def test_another_key_asks_nothing_again(evaluate: Evaluate, tmp_path: Path) -> None:
    with Server(echo) as server:
        assert ask(evaluate, server, address=f"?sig={SECRET}").exit_code == 0
        n_asked = len(server.received)
        options = ("--gen_kwargs", json.dumps({"api_key": SECRET[::-1]}))
        assert ask(evaluate, server, *options, address=f"?sig={SECRET[::-1]}").exit_code == 0
        assert len(server.received) == n_asked
    assert results_of(tmp_path)["config"]["gen_kwargs"] == {}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_refused(evaluate: Evaluate, tmp_path: Path, status: int) -> None:
    with Server(echo) as other:
        away = Reply(status, b"", {"Location": f"{other.url}/v1/chat/completions"})
        with Server(lambda _: away) as server:
            done = ask(evaluate, server, header={"x-api-key": SECRET})
            assert server.url in str(done.exception)
        assert other.url in str(done.exception)
        assert not other.received
    assert_hidden(tmp_path, shown(done), SECRET)


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_at_the_same_server_is_followed(evaluate: Evaluate, status: int) -> None:
    def reply(request: Request) -> Reply:
        return echo(request) if request.path == "/v2/chat" else Reply(status, b"", {"Location": "/v2/chat"})

    with Server(reply) as server:
        assert ask(evaluate, server, header={"x-api-key": SECRET}).exit_code == 0
        assert all(request.headers["x-api-key"] == SECRET for request in server.received)


def test_a_server_that_redirects_in_a_circle_ends_the_run(evaluate: Evaluate) -> None:
    with Server(lambda request: Reply(307, b"", {"Location": request.path})) as server:
        assert ask(evaluate, server).exit_code == 1
        assert len(server.received) <= 2 * 11
