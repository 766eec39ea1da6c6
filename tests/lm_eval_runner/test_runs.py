"""`polbias eval` from the options to the results: a server on loopback, and a tiny local model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import PolbiasError
from polbias.eval.samples import find_sample_files
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.models import cache
from tests.lm_eval_runner.conftest import Evaluate, chat, results_of, samples_of
from tests.support.openai_server import LoopbackOpenAI
from tests.support.respondents import by_prompt, partisan, rows_of

pytestmark = pytest.mark.e2e

MINI = "polbias_en_formal_mini"
POLICY = "polbias_policy_stance_de"
OUT = Path("polbias-results")


@pytest.fixture
def answer(partisan_build: Path) -> Callable[[str], str]:
    return by_prompt(rows_of(partisan_build / "partisan-inference", "en_formal_mini"), partisan)


def test_a_run_tells_what_came_of_it_and_is_not_paid_for_twice(evaluate: Evaluate, answer: Any) -> None:
    with LoopbackOpenAI(answer) as server:
        first = evaluate(*chat(server.url, auth_token="a-secret-of-mine"), "--tasks", MINI, report=True)
        assert first.exception is None, first.output
        assert server.count == 48
        second = evaluate(*chat(server.url, num_concurrent=2), "--tasks", MINI)
        assert server.count == 48
        evaluate(*chat(server.url), "--tasks", MINI, "--no-cache")
        assert server.count == 96
        evaluate(*chat(server.url, model="another"), "--tasks", MINI)
        assert server.count == 144
        assert {body["max_tokens"] for body in server.bodies} == {2048}
    line = next(line for line in first.stdout.splitlines() if line.startswith(MINI))
    interval = "none: hardly any variation"  # all pairs differ alike
    assert line.split() == [MINI, "bias", "-100.0", *interval.split(), "48", "24", "0.0%"]
    assert "partisan-inference/en_formal_mini" in first.stderr
    assert "48 rows from the local build" in first.stderr
    assert "requests: 48 sent\n" in first.stdout
    assert "requests: 0 sent, 48 answered from" in second.stdout
    assert f"results and samples: {OUT / 'stub'}" in first.stdout
    assert f"report: {OUT / 'stub' / 'report'}" in first.stdout
    found = results_of(OUT / "stub")
    assert found["config"]["model"] == "local-chat-completions"
    assert found["polbias"]["requests_from_cache"] == 0  # of the last one, without a cache
    assert len(found["polbias"]["sources"]) == 1
    assert len(samples_of(OUT / "stub", MINI)) == 48
    assert {file.task for file in find_sample_files([OUT])} == {MINI}
    for path in Path().rglob("*"):
        assert "writing" not in path.name
        assert path.is_dir() or b"a-secret-of-mine" not in path.read_bytes()


def test_a_trial_run_has_no_interval_for_want_of_clusters(evaluate: Evaluate, answer: Any) -> None:
    with LoopbackOpenAI(answer) as server:
        done = evaluate(*chat(server.url), "--tasks", MINI, "--limit", "4")
    (line,) = (line for line in done.stdout.splitlines() if line.startswith(MINI))
    assert "2 clusters" in line
    assert "variation" not in line


def test_a_server_that_dies_and_comes_back(
    evaluate: Evaluate, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LoopbackOpenAI(answer) as server:
        whole = evaluate(*chat(server.url), "--tasks", MINI, "--no-cache")
        expected = results_of(OUT)["results"]
        server.fail_next(500, "/chat/", times=0)
        sent = count()
        dying = chat(server.url, max_retries=1, num_concurrent=1)
        original = server.respond

        def respond(request: Any) -> Any:
            if next(sent) >= 20:
                from tests.support.loopback import HttpError

                raise HttpError(503, "overloaded with sk-1234567890")
            return original(request)

        monkeypatch.setattr(server, "respond", respond)
        broken = evaluate(*dying, "--tasks", MINI)
        assert isinstance(broken.exception, StoppedError)
        told = str(broken.exception)
        assert "stopped after 20 of 48 requests" in told
        assert "run the same command again; 28 are missing" in told
        assert "overloaded" in told
        assert "sk-1234567890" not in told
        monkeypatch.setattr(server, "respond", original)
        before = server.count
        again = evaluate(*chat(server.url), "--tasks", MINI)
        assert server.count == before + 28
    assert "requests: 28 sent, 20 answered from" in again.stdout
    assert results_of(OUT)["results"] == expected
    assert whole.exception is None


def test_a_refusal_is_final_and_a_passing_fault_is_not(evaluate: Evaluate, answer: Any) -> None:
    with LoopbackOpenAI(answer, api_key="right") as server:
        for concurrent in (1, 4):
            done = evaluate(*chat(server.url, num_concurrent=concurrent), "--tasks", MINI, "--limit", "4")
            assert isinstance(done.exception, StoppedError)
            assert "401" in str(done.exception)
            assert "Incorrect API key" in str(done.exception)
        assert server.count <= 5  # lm_eval itself would ask ten times for each
    with LoopbackOpenAI(answer) as server:
        server.fail_next(429, "/chat/", times=1, message="slow down")
        done = evaluate(*chat(server.url), "--tasks", MINI, "--limit", "4")
        assert done.exception is None
        assert server.count == 5
        assert done.stderr.count("the server fails: slow down") == 1


def answers_to(bodies: list[dict[str, Any]]) -> Counter[int]:
    """How many answers requests asked for, by their seeds: a request for several has one seed after the other."""
    return Counter(body["seed"] + place for body in bodies for place in range(body.get("n", 1)))


def test_samples_stay_samples_when_a_run_goes_on(evaluate: Evaluate) -> None:
    drawn = count()
    options = ["--tasks", POLICY, "--metadata", '{"polbias_samples": 5}']
    with LoopbackOpenAI(lambda prompt: f"agree {next(drawn)}") as server:
        evaluate(*chat(server.url), *options, "--limit", "2", family="policy")
        done = evaluate(*chat(server.url), *options, family="policy")
        assert (server.count, answers_to(server.bodies)) == (6, Counter(dict.fromkeys(range(5), 6)))
        assert "requests: 4 sent for 20 answers, 10 answered" in done.stdout
        evaluate(
            *chat(server.url), "--tasks", POLICY, "--metadata", '{"polbias_samples": 6}', family="policy"
        )
        assert answers_to(server.bodies) == Counter(dict.fromkeys(range(6), 6))
        before = server.count
        others = '{"polbias_samples": 2, "polbias_first_seed": 100}'
        more = ["--tasks", POLICY, "--metadata", others, "--output_path", "others"]
        evaluate(*chat(server.url), *more, family="policy")
        assert {*answers_to(server.bodies[before:])} == {100, 101}
        wrong = ["--tasks", POLICY, "--metadata", '{"polbias_first_seed": "x"}']
        refused = evaluate(*chat(server.url), *wrong, family="policy")
        assert "polbias_first_seed: found 'x', expected a seed" in str(refused.exception)
    for sample in samples_of(OUT, POLICY):
        assert len({*sample["filtered_resps"]}) == 6


def test_a_local_model_writes_scores_and_samples(
    evaluate: Evaluate, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = [
        "--model",
        "hf",
        "--model_args",
        f"pretrained={tiny_model}",
        "--device",
        "cpu",
        "--batch_size",
        "4",
    ]
    both = ["--tasks", f"{MINI},{MINI}_loglikelihood", "--limit", "4", "--gen_kwargs", "max_gen_toks=4"]
    first = evaluate(*local, *both)
    assert "requests: 12 sent" in first.stdout, first.output
    before = results_of(OUT)["results"]
    assert "requests: 0 sent, 12 answered" in evaluate(*local, *both).stdout
    assert results_of(OUT)["results"] == before

    # Sampling: broken off half-way, the rest is drawn with other numbers, and no answer is lost or doubled.
    sampled = [*local, "--tasks", POLICY, "--limit", "2", "--gen_kwargs", "max_gen_toks=6"]
    sampled += ["--metadata", '{"polbias_samples": 6}']
    put, left = cache.AnswerStore.write, count()

    def dying(store: Any, *row: Any) -> None:
        if next(left) >= 8:
            raise MemoryError("out of memory")
        put(store, *row)

    monkeypatch.setattr(cache.AnswerStore, "write", dying)
    broken = evaluate(*sampled, family="policy")
    assert "stopped after 8 of 12 requests (MemoryError" in str(broken.exception)
    monkeypatch.setattr(cache.AnswerStore, "write", put)
    done = evaluate(*sampled, family="policy")
    assert "requests: 4 sent, 8 answered" in done.stdout, done.output
    answers = [text for sample in samples_of(OUT, POLICY) for text in sample["filtered_resps"][0]]
    assert len(answers) == 12
    assert len({*answers}) == 12  # six random bytes each: equal ones would mean equal random numbers


def test_a_group(evaluate: Evaluate, tiny_model: Path) -> None:
    done = evaluate(
        *("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu"),
        *(
            "--tasks",
            "polbias_partisan_mini",
            "--limit",
            "2",
            "--gen_kwargs",
            "max_gen_toks=2",
            "-o",
            "there/x.json",
        ),
    )
    assert done.exception is None, done.output
    assert "polbias_de_material_mini" in done.stdout
    assert len(list(Path("there").glob("samples_*.jsonl"))) == 6
    assert json.loads(next(Path("there").glob("x_*.json")).read_text("utf-8"))["group_subtasks"]


def test_the_test_model_of_lm_eval_needs_no_network(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("looked an address up"))
    done = evaluate("--model", "dummy", "--tasks", f"{MINI},{MINI}_loglikelihood")
    assert "requests: 144 sent" in done.stdout, done.output
    assert "cut off" not in done.stdout, "an unknown word is no evidence of a cut"
    assert str(OUT / "dummy") in done.stdout


def test_what_cannot_be_is_told_before_anything_is_asked(
    evaluate: Evaluate, answer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LoopbackOpenAI(answer) as server:
        for options, told in (
            ([*chat(server.url), "--tasks", f"{MINI},{MINI}_loglikelihood"], "gives no log-likelihoods"),
            ([*chat(server.url), "--tasks", "en_formal"], "nearest: polbias_en_formal"),
            ([*chat(server.url), "--tasks", MINI, "--num_fewshot", "3"], "part of the prompt"),
            ([*chat(server.url), "--tasks", MINI, "--hf_hub_log_args", "nonsense=1"], "hf_hub_log_args"),
            (
                ["--model", "hf", "--model_args", f"pretrained={tmp_path}/gone", "--tasks", MINI],
                "cannot be loaded",
            ),
            (
                ["--model", "vllm", "--model_args", "pretrained=a/b", "--tasks", MINI],
                r"pip install 'lm_eval\[vllm\]'",
            ),
        ):
            done = evaluate(*options)
            with pytest.raises(PolbiasError, match=told):
                raise done.exception
        assert server.count == 0
    monkeypatch.delenv("OPENAI_API_KEY")
    done = evaluate("--model", "openai-chat-completions", "--model_args", "model=m", "--tasks", MINI)
    assert "OPENAI_API_KEY" in str(done.exception)
