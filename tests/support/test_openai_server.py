"""The loopback model server speaks to its clients: plain HTTP and lm_eval."""

from __future__ import annotations

import json
import math
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import run_python

LABELS = ("valid", "invalid")


def answer(prompt: str) -> str | None:
    """A model that follows the last word of its prompt."""
    return {"mute": None, "long": "one two three four", "stop": "valid\n\ninvalid"}.get(
        prompt.split()[-1], "invalid" if "not" in prompt else "valid"
    )


@pytest.fixture
def server() -> Iterator[LoopbackOpenAI]:
    with LoopbackOpenAI(answer, labels=LABELS) as running:
        yield running


def post(server: LoopbackOpenAI, path: str, body: object, key: str = "") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{server.url}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def chat(server: LoopbackOpenAI, prompt: str, **options: object) -> Any:
    body = {"model": "stub", "messages": [{"role": "user", "content": prompt}], **options}
    return post(server, "/v1/chat/completions", body)["choices"]


@pytest.mark.parametrize(
    ("prompt", "options", "text", "reason"),
    [
        ("is it?", {}, "valid", "stop"),
        ("is it not?", {"temperature": 0}, "invalid", "stop"),
        ("mute", {}, None, "content_filter"),
        ("long", {"max_tokens": 2}, "one two", "length"),
        ("stop", {"stop": ["\n\n"]}, "valid", "stop"),
    ],
)
def test_chat(
    server: LoopbackOpenAI, prompt: str, options: dict[str, object], text: str | None, reason: str
) -> None:
    (choice,) = chat(server, prompt, **options)
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, reason)


def test_chat_joins_messages_and_gives_several_answers(server: LoopbackOpenAI) -> None:
    parts = [
        {"role": "system", "content": "do not"},
        {"role": "user", "content": [{"type": "text", "text": "x"}]},
    ]
    choices = post(server, "/v1/chat/completions", {"messages": parts, "n": 3, "seed": 7})["choices"]
    assert [choice["message"]["content"] for choice in choices] == ["invalid"] * 3
    assert [choice["index"] for choice in choices] == [0, 1, 2]
    assert server.bodies[0]["seed"] == 7
    assert server.count == 1


def test_completions_of_texts_and_tokens(server: LoopbackOpenAI) -> None:
    batch = [list(b"is it?"), list(b"is it not?")]
    for prompts in (["is it?", "is it not?"], batch):
        choices = post(server, "/v1/completions", {"prompt": prompts})["choices"]
        assert [choice["text"] for choice in choices] == ["valid", "invalid"]
    assert post(server, "/v1/completions", {"prompt": batch[1]})["choices"][0]["text"] == "invalid"


def test_echo_puts_the_probability_of_a_label_on_its_last_token(server: LoopbackOpenAI) -> None:
    body = {"prompt": "is it not? valid", "echo": True, "logprobs": 1, "max_tokens": 1}
    logprobs = post(server, "/v1/completions", body)["choices"][0]["logprobs"]
    assert logprobs["token_logprobs"][0] is None
    assert sum(logprobs["token_logprobs"][1:-1]) == pytest.approx(math.log(0.05))
    assert max(logprobs["top_logprobs"][-2].values()) > math.log(0.05)


def test_models_and_keys() -> None:
    with LoopbackOpenAI(answer, models=("a", "b"), api_key="k") as server:
        request = urllib.request.Request(f"{server.url}/v1/models", headers={"Authorization": "Bearer k"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert [model["id"] for model in json.load(reply)["data"]] == ["a", "b"]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            post(server, "/v1/completions", {"prompt": "x"}, key="other")


def test_faults_and_latency(server: LoopbackOpenAI) -> None:
    server.fail_next(429, "/chat/", headers={"Retry-After": "1"})
    with pytest.raises(urllib.error.HTTPError, match="429") as caught:
        chat(server, "x")
    assert caught.value.headers["Retry-After"] == "1"
    assert json.load(caught.value)["error"]["message"] == "injected fault"
    server.drop_next("/chat/")
    with pytest.raises(OSError, match=r"closed|reset"):
        chat(server, "x")
    server.latency = 0.05
    assert chat(server, "x")[0]["message"]["content"] == "valid"
    assert server.count == 3


@pytest.mark.e2e
def test_lm_eval_generates_and_scores(server: LoopbackOpenAI, tmp_path: Path) -> None:
    code = f"""
        import math
        from lm_eval.api.instance import Instance
        from lm_eval.models.openai_completions import LocalChatCompletion, LocalCompletionsAPI

        def ask(kind, *arguments):
            return [Instance(kind, doc={{}}, arguments=a, idx=0, metadata=("t", 0, 1)) for a in arguments]

        for concurrent in (1, 4):
            model = LocalCompletionsAPI(
                base_url="{server.url}/v1/completions", model="stub", num_concurrent=concurrent,
                max_length=10_000,
            )
            pairs = [("Is it not so? Antwort: ü", " valid"), ("Is it not so? Antwort: ü", " invalid")]
            scored = model.loglikelihood(ask("loglikelihood", *pairs))
            assert [greedy for _, greedy in scored] == [False, True], scored
            assert math.isclose(math.exp(scored[0][0]), 0.05) and math.isclose(math.exp(scored[1][0]), 0.9)
            assert model.generate_until(ask("generate_until", ("is it?", {{"until": []}}))) == ["valid"]
        chat = LocalChatCompletion(base_url="{server.url}/v1/chat/completions", model="stub")
        prompt = chat.apply_chat_template([{{"role": "user", "content": "is it not?"}}])
        assert chat.generate_until(ask("generate_until", (prompt, {{"until": []}}))) == ["invalid"]
    """
    run_python(code, env={"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}, cwd=tmp_path)
