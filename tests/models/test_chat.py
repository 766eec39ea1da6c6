import asyncio
import gzip
import json
import time

import pytest

from polbias.errors import InputError, PolbiasError
from polbias.models.chat import Chat
from polbias.models.requests import ServiceResponse
from polbias.models.service_errors import ServiceError
from tests.models.servers import JSON, ChatServer, patient
from tests.support.loopback import Reply
from tests.support.process import run_python

HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture
def server():
    with ChatServer(lambda prompt: f"<{prompt}>") as server:
        yield server


def ask(chat, messages=HELLO, **parameters):
    async def once():
        async with chat.session() as ask:
            return await ask(chat.request("q", messages, **parameters))

    return asyncio.run(once())


def problem(chat, **parameters):
    with pytest.raises(ServiceError) as caught:
        ask(chat, **parameters)
    assert "\n" not in str(caught.value)
    return caught.value


def chat(server, timeout=5, retries=2, **options):
    return patient(Chat, timeout, retries)("stub", server.base_url, **options)


def test_an_answer_with_its_usage(server):
    expected = ServiceResponse("<hello>", "stop", "stub", {"input_tokens": 1, "output_tokens": 0})
    assert ask(chat(server)) == expected


def test_parameters_are_sent_as_they_are_and_the_limit_by_the_name_the_server_knows(server):
    ask(chat(server), temperature=0, top_k=3, max_output_tokens=7)
    body = server.bodies[0]
    assert (body["temperature"], body["top_k"], body["max_tokens"]) == (0, 3, 7)
    assert not {"max_output_tokens", "max_completion_tokens", "stream"} & body.keys()


@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_to_another_server_is_refused(server, status):
    with ChatServer(lambda prompt: prompt) as other:
        server.fail_next(status, headers={"Location": f"{other.base_url}/chat/completions"})
        refusal = str(problem(chat(server)))
        assert not other.requests
    assert server.url in refusal
    assert other.url in refusal


def test_a_redirect_at_the_same_server_is_followed(server):
    server.fail_next(307, headers={"Location": f"{server.base_url}/chat/completions"})
    assert ask(chat(server)).text == "<hello>"
    assert len(server.requests) == 2


def test_an_answer_that_was_cut_off_says_so(server):
    answer = ask(chat(server), [{"role": "user", "content": "one two three"}], max_output_tokens=2)
    assert (answer.text, answer.finish) == ("<one two", "length")


def test_a_429_is_waited_out_as_the_server_says(server):
    server.fail_next(429, headers={"Retry-After": "1"})
    begin = time.monotonic()
    assert ask(chat(server)).text == "<hello>"
    assert time.monotonic() - begin >= 1
    assert server.count == 2


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_error_is_tried_again(server, status):
    server.fail_next(status)
    assert ask(chat(server)).text == "<hello>"


def test_a_connection_lost_before_or_within_the_answer_is_tried_again(server):
    server.drop_next()
    assert ask(chat(server)).text == "<hello>"
    server.drop_next(after=True)
    assert ask(chat(server)).text == "<hello>"
    assert server.count == 4


def test_a_timeout_is_tried_again_and_then_said(server):
    server.stall_next(seconds=3)
    assert ask(chat(server, timeout=0.3)).text == "<hello>"
    server.stall_next(seconds=3, times=5)
    error = problem(chat(server, timeout=0.2, retries=1))
    assert (error.kind, error.fatal) == ("timeout", False)
    assert "no response within 0.2 s, 2 times" in str(error)


def test_what_still_fails_after_all_tries_is_said(server):
    server.fail_next(500, times=9, message="GPU on fire")
    error = problem(chat(server, retries=1))
    assert error.kind == "server"
    assert "GPU on fire, after 2 tries" in str(error)
    server.clear_faults()
    server.fail_next(429, times=9, headers={"Retry-After": "600"})
    error = problem(chat(server))
    assert error.kind == "rate"
    assert "the server requests a wait of 600 s" in str(error)


def test_a_server_that_is_not_there():
    error = problem(patient(Chat)("stub", "http://127.0.0.1:9/v1"))
    assert error.kind == "connection"
    assert "is the server running?" in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "fatal", "hint"),
    [
        (401, "auth", True, "check the key in OPENAI_API_KEY"),
        (403, "auth", True, "check the key in OPENAI_API_KEY"),
        (404, "missing", True, "check the model 'stub'"),
        (400, "request", False, "correct the model's parameters"),
        (422, "request", False, "correct the model's parameters"),
    ],
)
def test_what_no_retry_mends_is_asked_once(server, status, kind, fatal, hint):
    server.fail_next(status, times=9)
    error = problem(chat(server))
    assert (error.kind, error.fatal) == (kind, fatal)
    assert hint in str(error)
    assert server.count == 1


def test_an_address_without_v1_is_guessed():
    with ChatServer(str) as server:
        assert "whether base_url should end in /v1" in str(problem(Chat("stub", server.url)))


def test_an_empty_account_is_fatal(server):
    quota = b'{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}'
    server.error_reply = lambda error, headers: Reply(429, quota, JSON)
    server.fail_next(429, times=9)
    assert problem(chat(server, retries=0)).kind == "quota"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"choices": [', "not JSON"),
        (b"[1]", "not a chat completion"),
        (b"{}", "not a chat completion"),
        (b'{"choices": []}', "not a chat completion"),
        (
            b'{"choices": [{"message": {"content": [{"text": "x"}]}}]}',
            "found a response of type list, expected text",
        ),
        (b'{"choices": [{"message": {"content": 3}}]}', "found a response of type int, expected text"),
        (b'{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}', "the response is empty"),
        (
            b'{"choices": [{"message": {"content": " "}, "finish_reason": "length"}]}',
            "raise max_output_tokens",
        ),
        (b'{"choices": [{"message": null}]}', "the response is empty"),
    ],
)
def test_an_answer_that_cannot_be_used_is_tried_again_and_then_said(server, body, said):
    server.next_bodies = [(body, JSON)]
    assert ask(chat(server)).text == "<hello>"
    server.next_bodies = [(body, JSON)] * 3
    error = problem(chat(server))
    assert (error.kind, error.fatal, error.is_service_wide) == ("answer", False, False)
    assert said in str(error)
    assert not server.next_bodies


def test_a_web_page_is_no_answer(server):
    server.next_bodies = [(b"<html>login</html>", {"Content-Type": "text/html"})] * 3
    assert "usually ends in /v1" in str(problem(chat(server)))


def test_a_refusal_and_a_filtered_answer_are_answers(server):
    body = b'{"choices": [{"message": {"content": null, "refusal": "I will not."}, "finish_reason": "stop"}]}'
    server.next_bodies = [(body, JSON)]
    assert ask(chat(server)) == ServiceResponse("I will not.", "refusal")
    with ChatServer(lambda prompt: None) as filtering:
        assert ask(chat(filtering)).finish == "content_filter"


def test_no_more_are_under_way_than_allowed():
    with ChatServer(lambda prompt: "x", latency=0.03) as server:
        model = chat(server, concurrency=3)

        async def many():
            async with model.session() as ask:
                await asyncio.gather(*(ask(model.request(f"q{n}", HELLO, seed=n)) for n in range(24)))

        asyncio.run(many())
        assert server.crowd.most == 3


def test_a_server_of_ones_own_needs_no_key_and_openai_does(server, monkeypatch):
    ask(chat(server))
    assert server.keys == ["Bearer none"]
    with pytest.raises(PolbiasError, match="no key in the environment variable OPENAI_API_KEY"):
        Chat("gpt-4o").check()
    monkeypatch.setenv("OPENAI_API_KEY", " sk-mine \n")
    ask(chat(server))
    assert server.keys[-1] == "Bearer sk-mine"


def test_the_address_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    assert Chat("stub").server == server.base_url
    assert not Chat("stub").has_list_price
    assert ask(Chat("stub")).text == "<hello>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": " "}, "found no name"),
        ({"model": "m", "base_url": "localhost:8000"}, "base_url: expected an address"),
    ],
)
def test_wrong_settings_are_errors(arguments, message):
    with pytest.raises(InputError, match=message):
        Chat(**arguments)


def test_without_the_clients_the_package_imports_and_the_error_names_the_extra():
    done = run_python(
        """
        import sys
        sys.modules["openai"] = sys.modules["deepl"] = None
        from polbias.models.chat import Chat
        from polbias.models.translate import DeepLTranslator
        for service in (Chat("m"), DeepLTranslator()):
            try:
                service.check()
            except Exception as error:
                print(type(error).__name__, error)
        """
    )
    assert done.stdout.count("is not installed; pip install '") == 2
    assert done.stdout.startswith("PolbiasError openai")


def test_importing_the_package_imports_no_client():
    done = run_python(
        "import sys, polbias.models.run, polbias.models.translate; print({'openai', 'deepl', 'httpx2'} & set(sys.modules))"
    )
    assert done.stdout.strip() == "set()"


BOMB = gzip.compress(b'{"choices": ' + b" " * 3_000_000, mtime=0)


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (BOMB, {**JSON, "Content-Encoding": "gzip"}),
        (gzip.compress(BOMB, mtime=0), {**JSON, "Content-Encoding": "gzip, gzip"}),
        (b'"' + b"x" * 300_000 + b'"', JSON),
    ],
    ids=["gzip", "gzip of gzip", "plain"],
)
def test_an_answer_over_the_limit_is_too_long_and_asked_once(server, monkeypatch, body, headers):
    monkeypatch.setattr(Chat, "max_answer_bytes", 200_000)
    server.next_bodies = [(body, headers)]
    assert ask(chat(server)) == ServiceResponse("", "too_long")
    assert server.count == 1
    assert ask(chat(server)).text == "<hello>"


def test_a_long_error_is_told_in_a_line(server):
    server.fail_next(400, message="no " * 1_000_000)
    assert len(str(problem(chat(server)))) < 1_000


def test_json_of_another_type_is_json(server):
    body = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "half \ud83d"}}]}
    server.next_bodies = [(json.dumps(body).encode(), {"Content-Type": "text/plain"})]
    assert ask(chat(server)).text == "half \ud83d"


@pytest.mark.parametrize("count", [-5, True, 10**30, float("nan"), "7"])
def test_tokens_that_there_cannot_be_are_not_counted(server, count):
    body = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "yes"}}],
        "usage": {"prompt_tokens": count, "completion_tokens": 3},
    }
    server.next_bodies = [(json.dumps(body).encode(), JSON)]
    assert ask(chat(server)).usage == {"output_tokens": 3}
