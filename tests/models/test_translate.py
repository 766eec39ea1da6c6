import asyncio

import pytest

from polbias.errors import InputError, PolbiasError
from polbias.models.requests import ServiceResponse
from polbias.models.service_errors import ServiceError
from polbias.models.translate import DeepLTranslator
from tests.models.servers import DeepLServer, patient


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("DEEPL_AUTH_KEY", "k")
    with DeepLServer(lambda text: f"<{text}>") as server:
        yield server


def ask(deepl, text="Ein Satz.", source="de", target="en"):
    async def once():
        async with deepl.session() as ask:
            return await ask(deepl.request("q", text, source, target))

    return asyncio.run(once())


def problem(deepl, **arguments):
    with pytest.raises(ServiceError) as caught:
        ask(deepl, **arguments)
    assert "\n" not in str(caught.value)
    return caught.value


def deepl(server, timeout=5, retries=1, **options):
    return patient(DeepLTranslator, timeout, retries)(base_url=server.url, **options)


def test_a_translation_by_the_protocol(server):
    assert ask(deepl(server)) == ServiceResponse("<Ein Satz.>", "stop", None, {"characters": 9})
    body = server.bodies[0]
    assert (body["text"], body["source_lang"], body["target_lang"]) == (["Ein Satz."], "DE", "EN-GB")


@pytest.mark.parametrize(
    ("source", "target", "sent"),
    [("de-CH", "en-US", ("DE", "EN-US")), ("en", "fr", ("EN", "FR")), ("en", "pt", ("EN", "PT-PT"))],
)
def test_languages(server, source, target, sent):
    ask(deepl(server), source=source, target=target)
    assert (server.bodies[0]["source_lang"], server.bodies[0]["target_lang"]) == sent


def test_429_and_lost_connections_are_tried_again(server):
    server.fail_next(429)
    assert ask(deepl(server)).text == "<Ein Satz.>"
    server.drop_next(after=True)
    assert ask(deepl(server)).text == "<Ein Satz.>"


def test_a_timeout_is_said(server):
    server.stall_next(seconds=3, times=9)
    error = problem(deepl(server, timeout=0.2, retries=0))
    assert error.kind == "timeout"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (403, "auth"),
        (401, "auth"),
        (456, "quota"),
        (404, "missing"),
        (400, "request"),
        (429, "rate"),
        (500, "server"),
        (503, "server"),
    ],
)
def test_errors_by_status(server, status, kind):
    server.fail_next(status, times=9, message="said so")
    error = problem(deepl(server, retries=0))
    assert error.kind == kind
    assert "said so" in str(error)
    assert error.fatal == (kind in ("auth", "quota", "missing"))


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"translations": []}',
        b'{"translations": [{"text": ""}]}',
        b'{"translations": [{"text": 3, "billed_characters": 1}]}',
    ],
)
def test_an_answer_of_another_form_is_tried_again_and_then_said(server, body):
    server.next_bodies = [body]
    assert ask(deepl(server)).text == "<Ein Satz.>"
    server.next_bodies = [body] * 3
    assert problem(deepl(server)).kind == "answer"


def test_no_more_are_under_way_than_allowed(monkeypatch):
    monkeypatch.setenv("DEEPL_AUTH_KEY", "k")
    with DeepLServer(str, latency=0.03) as server:
        service = deepl(server, concurrency=2)

        async def many():
            async with service.session() as ask:
                await asyncio.gather(
                    *(ask(service.request(f"{n}", f"Satz {n}", "de", "en")) for n in range(12))
                )

        asyncio.run(many())
        assert server.crowd.most == 2


def test_an_address_that_is_none_is_an_error():
    with pytest.raises(InputError, match="base_url: expected an address"):
        DeepLTranslator(base_url="deepl.com")


def test_without_a_key(monkeypatch):
    with pytest.raises(PolbiasError, match="DEEPL_AUTH_KEY"):
        DeepLTranslator().check()
