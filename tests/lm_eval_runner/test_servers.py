"""Requests of `polbias eval` to servers that refuse settings, filter prompts, fail or count otherwise."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import PolbiasError
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.responses import REFUSED_BY_PROVIDER
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.lm_eval_runner.test_responses import SAID
from tests.lm_eval_runner.test_responses import chat as answer
from tests.support.loopback import LoopbackServer, Reply, Request
from tests.support.openai_server import LoopbackOpenAI

pytestmark = pytest.mark.e2e

MINI, POLICY = "polbias_en_formal_mini", "polbias_policy_stance_de"
OUT = Path("polbias-results")
Respond = Callable[[dict[str, Any]], Reply | None]


class Picky(LoopbackServer):
    """A chat server that answers unless a function of the request replies otherwise."""

    def __init__(self, respond: Respond = lambda _: None) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []
        self._respond = respond

    def respond(self, request: Request) -> Reply:
        """Return the reply of the function, else an answer."""
        if request.method == "GET":
            return Reply.json({}, 404)
        self.bodies.append(request.json())
        return self._respond(self.bodies[-1]) or Reply.json(answer("stop", content=SAID))


def refuse(message: str, status: int = 400, **fields: object) -> Reply:
    """Return an error in OpenAI's shape."""
    return Reply.json({"error": {"message": message, "type": "invalid_request_error", **fields}}, status)


def run_mini(evaluate: Evaluate, server: Picky, *options: str, limit: int = 4, **arguments: object) -> Any:
    """Ask the first rows of the small task."""
    return evaluate(*chat(server.url, **arguments), "--tasks", MINI, "--limit", str(limit), *options)


@pytest.mark.parametrize("concurrent", [1, 4])
def test_a_setting_that_is_refused_is_left_out_and_recorded(evaluate: Evaluate, concurrent: int) -> None:
    def respond(body: dict[str, Any]) -> Reply | None:
        return refuse("temperature is not supported", param="temperature") if "temperature" in body else None

    with Picky(respond) as server:
        done = run_mini(evaluate, server, num_concurrent=concurrent)
        assert done.exception is None, done.output
        assert len(server.bodies) <= 4 + concurrent
        assert done.stderr.count("temperature=0.0 is not sent") == 1
        again = run_mini(evaluate, server, limit=6)
    assert again.exception is None, again.output
    assert results_of(OUT)["polbias"]["dropped"] == {"temperature": 0.0}
    samples = samples_of(OUT, MINI)
    assert all(sample["polbias"][0]["dropped"] == {"temperature": 0.0} for sample in samples)
    assert len(samples) == 6


@pytest.mark.parametrize(
    ("options", "lacks", "has"),
    [
        (["--gen_kwargs", "temperature=null"], ["temperature"], {"seed": 1234}),
        (["--gen_kwargs", '{"seed": null, "max_tokens": null, "max_completion_tokens": 99}'],
         ["seed", "max_tokens", "max_gen_toks"], {"max_completion_tokens": 99, "temperature": 0}),
        (["--gen_kwargs", "temperature=0.25"], ["stop"], {"temperature": 0.25, "max_tokens": 2048}),
    ],
)  # fmt: skip
def test_the_body_has_what_was_asked_for(
    evaluate: Evaluate, options: list[str], lacks: Sequence[str], has: Mapping[str, object]
) -> None:
    with Picky() as server:
        assert run_mini(evaluate, server, *options).exception is None
    for body in server.bodies:
        assert not {*lacks} & {*body}
        assert {name: body[name] for name in has} == has


def test_null_in_model_args_is_not_sent(evaluate: Evaluate) -> None:
    with Picky() as server:
        done = run_mini(evaluate, server, seed="null", temperature="null", top_p=0.5)
        assert done.exception is None, done.output
    assert all("seed" not in body and "temperature" not in body for body in server.bodies)
    assert all(body["top_p"] == 0.5 for body in server.bodies)


@pytest.mark.parametrize("name", ["gpt-4.1-2025-04-14", "qwen2.5-7b", "o3-mini"])
def test_a_name_with_a_digit_changes_no_setting(evaluate: Evaluate, name: str) -> None:
    with Picky() as server:
        url = f"{server.url}/v1/chat/completions"
        options = ["--model", "openai-chat-completions", "--model_args", f"model={name},base_url={url}"]
        done = evaluate(*options, "--tasks", MINI, "--limit", "2", "--gen_kwargs", "temperature=0.3")
        assert done.exception is None, done.output
    assert {body["temperature"] for body in server.bodies} == {0.3}
    assert {body["max_completion_tokens"] for body in server.bodies} == {2048}


def test_a_value_that_the_user_asked_for_is_never_left_out(evaluate: Evaluate) -> None:
    def respond(body: dict[str, Any]) -> Reply | None:
        return refuse("temperature is deprecated for this model") if "temperature" in body else None

    with Picky(respond) as server:
        done = run_mini(evaluate, server, "--gen_kwargs", "temperature=0.7", num_concurrent=1)
        assert len(server.bodies) == 1
    assert isinstance(done.exception, StoppedError)
    assert "temperature" in str(done.exception)
    assert "run the same command again" not in str(done.exception)


def test_a_filtered_prompt_is_a_refusal_and_the_run_goes_on(evaluate: Evaluate) -> None:
    prompts: dict[str, int] = {}

    def respond(body: dict[str, Any]) -> Reply | None:
        number = prompts.setdefault(json.dumps(body["messages"]), len(prompts))
        if number % 4 == 0:
            return refuse("The response was filtered", code="content_filter")
        if number % 4 == 1:
            return refuse("Your input was flagged", 403, metadata={"reasons": ["hate"]})
        return Reply.json(answer("content_filter", content=None)) if number % 4 == 2 else None

    with Picky(respond) as server:
        done = run_mini(evaluate, server, limit=8, num_concurrent=1)
        assert done.exception is None, done.output
        again = run_mini(evaluate, server, limit=8)
        assert len(server.bodies) == 8
    for samples in (samples_of(OUT, MINI),):
        assert [sample["filtered"] for sample in samples].count(1) == 6
        assert all((sample["refusal"] == 1) == (sample["filtered"] == 1) for sample in samples)
        texts = {sample["filtered_resps"][0] for sample in samples if sample["filtered"]}
        assert texts == {REFUSED_BY_PROVIDER}
    assert results_of(OUT)["polbias"]["filtered"] == 6
    assert "8 answered from" in again.stdout


def test_an_error_in_a_200_is_asked_again_and_never_kept(evaluate: Evaluate) -> None:
    seen: set[str] = set()

    def once(body: dict[str, Any]) -> Reply | None:
        prompt = json.dumps(body["messages"])
        if prompt in seen:
            return None
        seen.add(prompt)
        if len(seen) % 2:
            return Reply.json({"error": {"code": 429, "message": "Rate limited upstream"}})
        return Reply.json(answer("error", content="") | {"error": {"code": 502, "message": "upstream"}})

    with Picky(once) as server:
        done = run_mini(evaluate, server, num_concurrent=4)
        assert done.exception is None, done.output
        assert len(server.bodies) == 8
    assert {sample["filtered_resps"][0] for sample in samples_of(OUT, MINI)} == {SAID}


def test_why_single_answers_ended_is_kept_beside_a_task_with_several(evaluate: Evaluate, data: Any) -> None:
    """A policy task that is given several answers with one request takes nothing from other tasks."""

    def respond(body: dict[str, Any]) -> Reply:
        choices = [
            {"index": at, "finish_reason": "length", "message": {"role": "assistant", "content": "agree, because"}}
            for at in range(body.get("n", 1))
        ]  # fmt: skip
        return Reply.json({"choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 3}})

    metadata = {"polbias_samples": 4, "polbias_source": "policy-statements/de"}
    arguments = ["--metadata", json.dumps(metadata), "--limit", "2"]
    tasks = ["polbias_policy_leaning", POLICY]
    with Picky(respond) as server:
        done = evaluate(*chat(server.url), "--tasks", ",".join(tasks), *arguments, family="policy")
        assert done.exception is None, done.output
        assert any("n" in body for body in server.bodies)
        again = evaluate(*chat(server.url), "--tasks", ",".join(tasks), *arguments, family="policy")
        assert again.exception is None, again.output
    for task in tasks:
        for sample in samples_of(OUT, task):
            assert sample["polbias"], task
            assert all(known["finish_reason"] == "length" for known in sample["polbias"])
            assert all(known["usage"] for known in sample["polbias"])


@pytest.mark.parametrize("concurrent", [1, 4])
def test_a_connection_that_breaks_later_is_made_again(evaluate: Evaluate, concurrent: int) -> None:
    with Picky() as server:
        server._respond = lambda _: server.drop_next("/chat/") if len(server.bodies) == 2 else None
        done = run_mini(evaluate, server, limit=6, num_concurrent=concurrent)
        assert done.exception is None, done.output
    assert len(samples_of(OUT, MINI)) == 6


# Log-likelihoods.


@pytest.mark.parametrize(("shift", "taken"), [(0, True), (-1, False), (1, False)])
def test_likelihoods_are_of_as_many_tokens_as_the_server_counts(
    evaluate: Evaluate, shift: int, taken: bool
) -> None:
    server = LoopbackOpenAI(lambda _: "valid", labels=("valid", "invalid"))
    original = server.respond

    def respond(request: Request) -> Reply:
        reply = original(request)
        if request.path == "/v1/completions":
            body = json.loads(reply.body)
            (choice,) = body["choices"]
            length = len(choice["logprobs"]["token_logprobs"])
            choice["logprobs"]["tokens"] = []
            body["usage"] = {"prompt_tokens": length - 1 - shift, "completion_tokens": 1}
            return Reply.json(body)
        return reply

    server.respond = respond  # type: ignore[method-assign]
    with server:
        told = f"model=m,base_url={server.url}/v1/completions,max_retries=1,max_length=100000"
        options = ["--model", "local-completions", "--model_args", told, "--limit", "4"]
        done = evaluate(*options, "--tasks", f"{MINI}_loglikelihood")
    if taken:
        assert done.exception is None, done.output
        assert "by characters" not in done.stdout  # the server's own count
    else:
        assert isinstance(done.exception, StoppedError)
        assert "log-likelihoods" in str(done.exception)


def test_a_server_that_takes_no_token_ids_is_asked_once(evaluate: Evaluate) -> None:
    server = LoopbackOpenAI(lambda _: "valid", labels=("valid", "invalid"))
    with server:
        server.fail_next(500, "/v1/completions", times=50, message="value is not a valid str")
        told = f"model=m,base_url={server.url}/v1/completions,num_concurrent=1"
        done = evaluate(
            *("--model", "local-completions", "--model_args", told, "--limit", "2"),
            *("--tasks", f"{MINI}_loglikelihood"),
        )
        assert server.count == 1
    assert "tokenized_requests=False" in str(done.exception)


# What cannot work is said at once, with the right form.


@pytest.mark.parametrize(
    ("model", "arguments", "named"),
    [
        ("local-chat-completions", "model=m", "base_url=http://127.0.0.1:8000/v1/chat/completions"),
        ("local-completions", "model=m", "base_url=http://127.0.0.1:8000/v1/completions"),
        ("local-chat-completions", "model=m,base_url=localhost:8000", "base_url"),
        ("local-chat-completions", "base_url=http://127.0.0.1:1/v1/chat/completions", "model=NAME"),
        ("local-chat-completions", "model=m,base_url=http://127.0.0.1:1/v1", "/v1/chat/completions"),
        ("local-chat", "model=m", "local-chat-completions"),
        ("gpt-4o", "", "openai-chat-completions"),
        (None, "model=m", "--model: "),
        (None, "", "--model: "),
        (
            *("local-chat-completions", "model=m,base_url=http://127.0.0.1:1/v1/chat/completions"),
            os.strerror(errno.ECONNREFUSED),
        ),
    ],
)  # fmt: skip
def test_a_wrong_model_or_address_is_told_at_once_with_the_right_form(
    evaluate: Evaluate, model: str | None, arguments: str, named: str
) -> None:
    options = [*(["--model", model] if model else []), *(["--model_args", arguments] if arguments else [])]
    done = evaluate(*options, "--tasks", MINI, "--limit", "2")
    assert isinstance(done.exception, PolbiasError), done.output
    assert named in str(done.exception)
    assert "\n" not in str(done.exception)
    assert "run the same command again" not in str(done.exception)


@pytest.mark.parametrize(
    ("status", "message", "path", "named"),
    [
        (401, "Incorrect API key provided", "/v1/chat/completions", "OPENAI_API_KEY"),
        (404, "The model `m` does not exist", "/v1/chat/completions", "/v1/models"),
        (404, "Not Found", "/v1", "/v1/chat/completions"),
        (405, "Method Not Allowed", "/", "/chat/completions"),
        (400, "System role not supported", "/v1/chat/completions", "polbias_system=false"),
        (500, "Conversation roles must alternate user/assistant", "/v1/chat/completions", "polbias_system"),
        (429, "You exceeded your current quota", "/v1/chat/completions", "quota"),
    ],
)  # fmt: skip
def test_what_a_server_refuses_for_good_ends_the_run_with_what_helps(
    evaluate: Evaluate, status: int, message: str, path: str, named: str
) -> None:
    code = "insufficient_quota" if status == 429 else None
    with Picky(lambda _: refuse(message, status, code=code)) as server:
        told = f"model=m,base_url={server.url}{path},num_concurrent=1"
        done = evaluate("--model", "local-chat-completions", "--model_args", told, "--tasks", MINI)
        assert len(server.bodies) == 1
    assert isinstance(done.exception, StoppedError), done.output
    assert named in str(done.exception)
    assert "run the same command again" not in str(done.exception)


def test_a_missing_key_names_its_variable(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    done = evaluate("--model", "openai-chat-completions", "--model_args", "model=m", "--tasks", MINI)
    assert isinstance(done.exception, PolbiasError)
    assert "OPENAI_API_KEY" in str(done.exception)
    assert "ValueError" not in str(done.exception)


@pytest.mark.parametrize(
    ("beginning", "model"),
    [
        ("openai", "openai-chat-completions"),
        ("anthropic", "anthropic-chat"),
        ("local", "local-chat-completions"),
    ],
)
def test_the_beginning_of_a_model_class_suggests_it_first(
    evaluate: Evaluate, beginning: str, model: str
) -> None:
    done = evaluate("--model", beginning, "--tasks", MINI)
    assert f"did you mean {model}" in str(done.exception)
