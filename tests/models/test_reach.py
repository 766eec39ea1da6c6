"""A service that is down, or that never answers, is named before any request, within 15 seconds."""

import asyncio
import re
import socket
import time

import pytest

from polbias.models.chat import Chat, Service
from polbias.models.recording import Recorder
from polbias.models.run import run_requests
from polbias.models.service_errors import ServiceError
from polbias.models.translate import DeepLTranslator
from tests.models.conftest import shown
from tests.models.servers import ChatServer, DeepLServer, patient

MAX_SECONDS = 15


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("DEEPL_AUTH_KEY", "k")
    monkeypatch.setenv("OPENAI_API_KEY", "k")


@pytest.fixture
def closed_port():
    """A port at which nothing listens."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture
def silent_port():
    """A port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def service_at(kind: str, port: int) -> Service:
    address = f"http://127.0.0.1:{port}"
    return Chat("m", f"{address}/v1") if kind == "chat" else DeepLTranslator(base_url=address)


def error_of(service: Service) -> tuple[str, float]:
    start = time.monotonic()
    with pytest.raises(ServiceError) as caught:
        asyncio.run(service.reach())
    assert caught.value.kind == "connection"
    return str(caught.value), time.monotonic() - start


@pytest.mark.parametrize(("kind", "option"), [("chat", "--base-url"), ("deepl", "--deepl-url")])
def test_a_closed_port_is_one_clear_error(kind, option, closed_port):
    message, seconds = error_of(service_at(kind, closed_port))
    assert seconds < MAX_SECONDS
    name = f"openai m at http://127.0.0.1:{closed_port}/v1" if kind == "chat" else None
    assert message == (
        f"{name or f'deepl at http://127.0.0.1:{closed_port}'}: not reachable (Connection refused); start the "
        f"server, or correct its address ({option}) or the network"
    )


@pytest.mark.parametrize("kind", ["chat", "deepl"])
def test_a_server_that_hangs_is_one_clear_error(kind, silent_port, monkeypatch):
    service = service_at(kind, silent_port)
    assert service.reach_timeout <= 10
    monkeypatch.setattr(type(service), "reach_timeout", 1.0)
    message, seconds = error_of(service)
    assert seconds < MAX_SECONDS - 10
    assert f"127.0.0.1:{silent_port}" in message
    assert "not reachable (no answer within 1 s); start the server" in message


def test_an_unknown_host_is_named():
    message, _ = error_of(Chat("m", "http://no-such-host.invalid/v1"))
    assert re.match(r"openai m at http://no-such-host\.invalid/v1: not reachable \(.+\); start", message)


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_server_that_answers_with_an_error_is_reachable(status):
    with ChatServer(str) as chats, DeepLServer(str) as deepls:
        chats.fail_next(status)
        deepls.fail_next(status)
        asyncio.run(Chat("m", chats.base_url).reach())
        asyncio.run(DeepLTranslator(base_url=deepls.url).reach())
        assert (chats.requests, deepls.requests) == (["GET /v1/models"], ["GET /v2/usage"])


def test_a_lost_connection_is_tried_again():
    with ChatServer(str) as chats, DeepLServer(str) as deepls:
        chats.drop_next()
        deepls.drop_next()
        asyncio.run(Chat("m", chats.base_url).reach())
        asyncio.run(DeepLTranslator(base_url=deepls.url).reach())


def test_nothing_is_sent_to_one_service_if_another_is_down(tmp_path, console, closed_port):
    with ChatServer(str) as chats:
        chat, deepl = patient(Chat)("m", chats.base_url), service_at("deepl", closed_port)
        asked = [
            chat.request("q", [{"role": "user", "content": "a"}]),
            deepl.request("t", "ein Satz", "de", "en"),
        ]
        with Recorder(tmp_path / "r") as recorder, pytest.raises(ServiceError, match="--deepl-url"):
            run_requests(asked, [chat, deepl], recorder, yes=True, console=console)
        assert chats.count == 0


@pytest.mark.parametrize(
    ("key", "host", "cost"),
    [
        ("0123-4567:fx", "https://api-free.deepl.com", "cost unknown (the free plan of DeepL; "),
        ("0123-4567", "https://api.deepl.com", "about 0.0002 EUR"),
    ],
)
def test_the_notice_names_the_host_of_the_keys_plan(tmp_path, console, monkeypatch, key, host, cost):
    monkeypatch.setenv("DEEPL_AUTH_KEY", key)
    deepl = patient(DeepLTranslator)()
    hosts = []

    class Translator:
        def __init__(self, auth_key, server_url):
            hosts.append(server_url)

        def get_usage(self):
            pass

        def translate_text(self, **payload):
            raise ValueError("no network in tests")

    monkeypatch.setattr("deepl.Translator", Translator)
    with Recorder(tmp_path / "r") as recorder:
        run_requests(
            [deepl.request("t", "ein Satz.", "de", "en")], [deepl], recorder, yes=True, console=console
        )
    assert f"deepl at {host}: 1 to send, 9 characters, {cost}" in shown(console)
    assert set(hosts) == {host}


def test_the_official_client_takes_the_same_hosts():
    import deepl

    assert DeepLTranslator.own_server == deepl.Translator("a")._server_url
    assert DeepLTranslator.free_server == deepl.Translator("a:fx")._server_url
