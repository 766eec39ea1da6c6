"""Answers that would end a run, fill the memory or be taken for others: they are outcomes, and paid once."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import PolbiasError
from polbias.eval.samples import flatten_responses
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.lm_eval_runner.responses import metadata_of_texts, with_all_answers, with_texts
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.lm_eval_runner.test_responses import chat as answer
from tests.lm_eval_runner.test_servers import MINI, OUT, POLICY, Picky, run_mini
from tests.support.loopback import Reply

pytestmark = pytest.mark.e2e

HALF = "\ud83d"


@pytest.mark.parametrize("concurrent", [1, 4])
@pytest.mark.parametrize(
    "fields",
    [
        {"content": f"The argument is valid. {HALF}"},
        {"content": f"{HALF}{HALF}"},
        {"content": "valid", "reasoning": f"Hm {HALF}"},
    ],
)
def test_half_a_character_is_kept_as_it_came_and_paid_once(
    evaluate: Evaluate, command: Evaluate, fields: dict[str, str], concurrent: int
) -> None:
    def respond(body: dict[str, Any]) -> Reply | None:
        return Reply.json(answer("stop", **fields)) if len(server.bodies) % 2 else None

    with Picky(respond) as server:
        for _ in range(2):
            done = run_mini(evaluate, server, limit=8, num_concurrent=concurrent)
            assert done.exception is None, done.output
            assert len(server.bodies) == 8
    samples = samples_of(OUT, MINI)
    texts = [sample["filtered_resps"][0] for sample in samples]
    assert len(samples) == 8
    assert texts.count(fields["content"]) >= 4
    shutil.copytree(OUT, "copied")
    for arguments in (
        ("report", str(OUT), "-o", "report"),
        ("compare", str(OUT), "copied", "-o", "compared"),
    ):
        done = command(*arguments)
        assert isinstance(done.exception, PolbiasError | SystemExit | None), done.output
    assert json.loads(Path("report/summary.json").read_text("utf-8"))


def gzipped(start: bytes, size: int) -> Reply:
    """Return a compressed body with so many blanks after its start."""
    body = gzip.compress(start + b" " * size, 1)
    return Reply(200, body, {"Content-Type": "application/json", "Content-Encoding": "gzip"})


@pytest.mark.parametrize("concurrent", [1, 4])
@pytest.mark.parametrize(
    "long", [gzipped(b'{"choices": ', 5_000_000), Reply(200, b'{"choices": "' + b"x" * 300_000 + b'"}')]
)
def test_an_answer_over_the_limit_is_truncated_and_paid_once(
    evaluate: Evaluate, long: Reply, concurrent: int
) -> None:
    with Picky(lambda _: long if len(server.bodies) % 2 else None) as server:
        for _ in range(2):
            done = run_mini(evaluate, server, "--max-answer-bytes", "200000", num_concurrent=concurrent)
            assert done.exception is None, done.output
            assert len(server.bodies) == 4
    samples = samples_of(OUT, MINI)
    reasons = [sample["polbias"][0]["finish_reason"] for sample in samples]
    assert sorted(reasons) == ["stop", "stop", "too_long", "too_long"]
    assert [sample["truncated"] for sample in samples] == [reason == "too_long" for reason in reasons]
    assert samples[reasons.index("too_long")]["polbias"][0]["usage"] == {"output_tokens": 2048}
    assert results_of(OUT)["polbias"]["too_long"] == 2
    assert "--max-answer-bytes" in done.stdout


def test_an_error_of_any_length_is_told_in_a_line(evaluate: Evaluate) -> None:
    with Picky(lambda _: Reply(400, b'{"error": "' + b"no " * 2_000_000)) as server:
        done = run_mini(evaluate, server)
    assert isinstance(done.exception, StoppedError)
    assert len(str(done.exception)) < 1_000


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": -5},
        {"prompt_tokens": -(10**30), "completion_tokens": 3},
        {"prompt_tokens": 10**300, "completion_tokens": float("nan")},
        {"prompt_tokens": float("nan"), "completion_tokens": float("-inf")},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": True, "completion_tokens": "5"},
        {"prompt_tokens": -0.5, "completion_tokens": []},
        [-5],
    ],
)
def test_a_budget_cannot_be_outrun(evaluate: Evaluate, usage: Any) -> None:
    with Picky(lambda _: Reply.json(answer("stop", content="valid") | {"usage": usage})) as server:
        done = run_mini(evaluate, server, "--max-tokens", "400", limit=48, num_concurrent=1)
        assert isinstance(done.exception, StoppedError), done.output
        assert 0 < len(server.bodies) < 10
        again = run_mini(evaluate, server, "--max-tokens", "400", limit=48, num_concurrent=1)
        assert isinstance(again.exception, StoppedError), again.output
        assert len(server.bodies) < 10


def numbered(*choices: tuple[Any, str]) -> dict[str, Any]:
    """Return the body of a response of a chat API with some indices and texts."""
    return {
        "choices": [
            {"index": index, "finish_reason": "stop", "message": {"content": text}} for index, text in choices
        ]
    }


@pytest.mark.parametrize(
    ("indices", "order"),
    [
        ([0, 0, 0, 0], [0, 1, 2, 3]),
        ([1, 2, 3, 4], [0, 1, 2, 3]),
        ([3, 2, 1, 0], [3, 2, 1, 0]),
        ([-1, 7, 10**20, 3], [0, 3, 1, 2]),
        (["0", "1", "2", "3"], [0, 1, 2, 3]),
        ([None] * 4, [0, 1, 2, 3]),
        ([[0], {}, 2, 3], [0, 1, 2, 3]),
        ([0, 1, 2, 3, 4], [0, 1, 2, 3]),
        ([1, 1, 1, 1, 1, 1], [0, 1, 2, 3]),
    ],
)
def test_answers_are_numbered_whatever_their_indices_are(indices: list[Any], order: list[int]) -> None:
    told: list[str] = []
    body = numbered(*((index, f"text {at}") for at, index in enumerate(indices)))
    found = with_all_answers(body, {"n": 4}, lambda kind, _: told.append(kind))
    choices = with_texts(found)["choices"]
    assert [choice["index"] for choice in choices] == [0, 1, 2, 3]
    assert [choice["message"]["content"] for choice in choices] == [f"text {at}" for at in order]
    assert len(metadata_of_texts(found)) == 4
    assert len(told) == (indices not in ([3, 2, 1, 0], [None] * 4))


@pytest.mark.parametrize("indices", [[0, 0, 0, 0], [1, 2, 3, 4], [0], [5, 6], [0] * 9])
def test_several_answers_of_a_request_are_all_told_apart(evaluate: Evaluate, indices: list[int]) -> None:
    def respond(body: dict[str, Any]) -> Reply:
        n = body.get("n", 1)
        return Reply.json(numbered(*((index, "agree") for index in (indices if n > 1 else [0]))))

    with Picky(respond) as server:
        asked = [*chat(server.url), "--tasks", POLICY, "--metadata", '{"polbias_samples": 4}', "--limit", "2"]
        done = evaluate(*asked, "--stopping-rule", "none", family="policy")
        assert done.exception is None, done.output
        first = len(server.bodies)
        assert evaluate(*asked, "--stopping-rule", "none", family="policy").exception is None
        assert len(server.bodies) == first
    for sample in samples_of(OUT, POLICY):
        assert {*flatten_responses(sample["filtered_resps"])} == {"agree"}
    assert done.stderr.count("the server ") == 1, done.stderr


def test_a_batch_with_an_answer_too_few_is_asked_again(evaluate: Evaluate) -> None:
    def respond(body: dict[str, Any]) -> Reply:
        choices = [
            {"index": index, "text": f"valid, {prompt[:20]}", "finish_reason": "stop"}
            for index, prompt in enumerate(body["prompt"])
        ]
        return Reply.json({"choices": choices[len(server.bodies) == 2 :]})

    with Picky(respond) as server:
        told = f"model=m,base_url={server.url}/v1/completions,num_concurrent=1"
        told += ",tokenizer_backend=None,tokenized_requests=False"
        asked = ["--model", "local-completions", "--model_args", told, "--tasks", MINI, "--limit", "8"]
        done = evaluate(*asked, "--batch_size", "4")
        assert done.exception is None, done.output
        assert len(server.bodies) == 3
    for sample in samples_of(OUT, MINI):
        assert sample["filtered_resps"][0].startswith("valid, ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"model": "m" * 300}, "255"),
        ({"model": "ü" * 200}, "255"),
        ({"model": "half \ud800"}, "model_args"),
        ({"model": ".."}, "model_args"),
        ({"model": "."}, "model_args"),
        ({"model": "a\x1b[2Jb"}, "model_args"),
    ],
)
def test_a_name_that_no_folder_has_is_told_before_anything_is_asked(
    evaluate: Evaluate, arguments: dict[str, str], told: str
) -> None:
    with Picky() as server:
        given = {"base_url": f"{server.url}/v1/chat/completions", **arguments}
        options = ["--model", "local-chat-completions", "--model_args", json.dumps(given)]
        done = evaluate(*options, "--tasks", MINI, "--limit", "2", "--no-cache")
        assert not server.bodies
    assert isinstance(done.exception, PolbiasError), done.output
    assert told in str(done.exception)
    assert "\n" not in str(done.exception)
    assert "\x1b" not in str(done.exception)


@pytest.mark.parametrize("name", ["../../m", "a/b", "m" * 255, "m m"])
@pytest.mark.parametrize("other", ["x" * 5_000, "a\x00b"])
def test_odd_names_and_long_arguments_are_taken(evaluate: Evaluate, name: str, other: str) -> None:
    with Picky() as server:
        given = {"model": name, "base_url": f"{server.url}/v1/chat/completions", "auth_token": None}
        options = [
            "--model",
            "local-chat-completions",
            "--model_args",
            json.dumps({**given, "revision": other}),
        ]
        done = evaluate(*options, "--tasks", MINI, "--limit", "2")
        assert done.exception is None, done.output
    assert [path.parent.parent for path in Path().rglob("samples_*.jsonl")] == [OUT]


def test_json_of_another_type_is_json(evaluate: Evaluate) -> None:
    body = json.dumps(answer("stop", content="valid")).encode()
    with Picky(lambda _: Reply(200, body, {"Content-Type": "text/plain"})) as server:
        assert run_mini(evaluate, server).exception is None
        assert len(server.bodies) == 4


@pytest.mark.parametrize("concurrent", [1, 2])
def test_a_timeout_names_its_setting(evaluate: Evaluate, concurrent: int) -> None:
    with Picky() as server:
        server.stall_next("/chat/", 5, times=9)
        done = run_mini(evaluate, server, limit=1, timeout=1, max_retries=1, num_concurrent=concurrent)
    assert isinstance(done.exception, StoppedError)
    assert "timeout=1" in str(done.exception)
