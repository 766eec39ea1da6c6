"""`polbias eval --model inspect`: hosted models by Inspect's providers, from stand-ins for these on loopback."""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from polbias.errors import InputError, PolbiasError
from polbias.lm_eval_runner.answer_cache import StoppedError
from polbias.responses import REFUSED_BY_PROVIDER
from tests.lm_eval_runner.conftest import Evaluate, results_of, samples_of
from tests.lm_eval_runner.test_stopping import ANSWERS, ROWS, documents
from tests.support.builds import write_build
from tests.support.hosted_server import CACHED, INPUT, OUTPUT, REASONING, Answer, HostedServer
from tests.support.loopback import HttpError
from tests.support.process import run_python

# Inspect leaves the streams of batches open.
pytestmark = [pytest.mark.e2e, pytest.mark.filterwarnings("ignore::ResourceWarning")]

MINI = "polbias_en_formal_mini"
POLICY = "polbias_policy_stance_de"
OUT = Path("polbias-results")
USAGE = {"input_tokens": INPUT, "output_tokens": OUTPUT, "reasoning_tokens": REASONING}


@pytest.fixture(autouse=True)
def keys(evaluate: Evaluate, young_garbage: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-anthropic")
    yield
    gc.collect()


@pytest.fixture(scope="module")
def policy_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy")
    write_build(folder, "policy-statements", {"de": documents()})
    return folder


def hosted(model: str, server: HostedServer | None = None, **more: object) -> list[str]:
    """Return the options for a model of a provider."""
    arguments: dict[str, object] = {"model": model, "max_retries": 0}
    if server is not None:
        arguments["base_url"] = server.url if model.startswith("anthropic") else f"{server.url}/v1"
    return ["--model", "inspect", "--model_args", json.dumps({**arguments, **more})]


def test_a_chat_is_asked_once_and_keeps_its_keys_to_itself(evaluate: Evaluate) -> None:
    with HostedServer(lambda _: Answer("The argument is **valid**.")) as server:
        options = [*hosted("openai/gpt-4o", server, api_key="a-secret-of-mine"), "--tasks", MINI]
        first = evaluate(*options)
        assert first.exception is None, first.output
        assert len(server.bodies) == 48
        second = evaluate(*hosted("openai/gpt-4o", server, num_concurrent=2, timeout=60), "--tasks", MINI)
        assert len(server.bodies) == 48
        left_out = evaluate(
            *options, "--limit", "2", "--gen_kwargs", '{"temperature": null, "max_tokens": null}'
        )
        assert left_out.exception is None, left_out.output
    assert "requests: 48 sent\n" in first.stdout
    assert f"tokens of requests: {48 * INPUT:,} in, {48 * OUTPUT} out" in first.stdout
    assert "requests: 0 sent, 48 answered from" in second.stdout
    assert f"results and samples: {OUT / 'gpt-4o'}" in first.stdout
    sent, unset = server.bodies[0], server.bodies[-1]
    assert {name: sent[name] for name in {*sent} - {"messages"}} == {
        **{"model": "gpt-4o", "max_tokens": 2048, "temperature": 0.0},
    }
    assert {*unset} == {"model", "messages"}
    assert first.stderr.count("Requesting API") >= 1
    assert "inspect" not in first.stderr.lower()
    samples = samples_of(OUT / "gpt-4o", MINI)
    assert samples[0]["polbias"] == [{"finish_reason": "stop", "usage": USAGE}]
    for path in Path().rglob("*"):
        assert path.is_dir() or b"a-secret-of-mine" not in path.read_bytes()


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_keys_that_a_server_repeats_are_hidden(evaluate: Evaluate, model: str) -> None:
    secret = "key-of-openai" if model.startswith("openai") else "key-of-anthropic"
    with HostedServer(lambda _: Answer(f"**valid** {secret}", thoughts=secret)) as server:
        done = evaluate(*hosted(model, server), "--tasks", MINI, "--limit", "2")
        assert done.exception is None, done.output
        server.fail_next(401, message=f"wrong key {secret}", times=20)
        failed = evaluate(*hosted(model, server), "--tasks", MINI, "--limit", "4")
    assert secret not in f"{done.output}{done.stderr}{failed.output}{failed.stderr}{failed.exception}"
    assert samples_of(OUT, MINI)[0]["filtered_resps"] == ["**valid** [key]"]
    for path in Path().rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes()


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-sonnet-4-5"])
def test_a_redirect_to_another_server_is_refused(evaluate: Evaluate, model: str) -> None:
    path = "/v1/messages" if model.startswith("anthropic") else "/v1/chat/completions"
    with HostedServer(lambda _: Answer()) as other, HostedServer(lambda _: Answer()) as server:
        server.fail_next(307, headers={"Location": f"{other.url}{path}"}, times=20)
        done = evaluate(*hosted(model, server), "--tasks", MINI, "--limit", "2")
        assert not other.requests
    assert isinstance(done.exception, StoppedError)
    assert server.url in str(done.exception)
    assert other.url in str(done.exception)


def test_what_a_model_does_not_take_is_recorded(evaluate: Evaluate) -> None:
    with HostedServer(lambda _: Answer("**valid**", thoughts="Let me see.")) as server:
        done = evaluate(*hosted("openai/gpt-5", server), "--tasks", MINI, "--limit", "4")
        assert done.exception is None, done.output
        assert not any({"temperature", "seed", "stop"} & {*body} for body in server.bodies)
    (about,) = samples_of(OUT / "gpt-5", MINI)[0]["polbias"]
    assert about["dropped"] == {"temperature": 0.0}
    assert about["reasoning"] == "Let me see."
    assert about["usage"] == USAGE
    assert done.stderr.count("temperature") == 1
    assert results_of(OUT / "gpt-5")["polbias"]["dropped"] == {"temperature": 0.0}
    with HostedServer(lambda _: Answer()) as server:
        refused = evaluate(
            *hosted("openai/gpt-5", server), "--tasks", MINI, "--gen_kwargs", "temperature=0.4"
        )
        assert isinstance(refused.exception, StoppedError)
        assert "takes no temperature" in str(refused.exception)
        assert len(server.bodies) <= 8


def test_settings_are_sent_as_given(evaluate: Evaluate) -> None:
    settings = {"temperature": 0.4, "top_p": 0.9, "seed": 7, "until": ["END"], "frequency_penalty": 0.1}
    with HostedServer(lambda _: Answer("valid")) as server:
        given = json.dumps({**settings, "max_completion_tokens": 99})
        done = evaluate(
            *(*hosted("openai/gpt-4o", server), "--tasks", MINI, "--limit", "2", "--gen_kwargs", given),
            *("--system_instruction", "Be brief."),
        )
        assert done.exception is None, done.output
    body = server.bodies[0]
    expected = {**settings, "stop": ["END"], "max_tokens": 99, "model": "gpt-4o"}
    del expected["until"]
    assert {name: body[name] for name in {*body} - {"messages"}} == expected
    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    assert samples_of(OUT / "gpt-4o", MINI)[0]["polbias"][0]["seed"] == 7


def outcomes(samples: list[dict[str, Any]]) -> Counter[str]:
    names = ("refusal", "truncated", "unparsable")
    return Counter(next((name for name in names if sample[name]), "verdict") for sample in samples)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4o", "openai/gpt-5", "openai-api/own/m", "anthropic/claude-opus-4-6"]
)
def test_refusals_filters_and_cuts_are_outcomes(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    if model.startswith("anthropic"):
        pytest.importorskip("anthropic")
    monkeypatch.setenv("OWN_API_KEY", "none")
    number = count()

    def answer(prompt: str) -> Answer:
        match next(number):
            case 0:
                return Answer("I can't say", reason="refusal")
            case 1:
                raise HttpError(400, "Output blocked by content filtering policy", "content_filter")
            case 2:
                raise HttpError(403, "Your input was flagged by moderation")
            case 3:
                return Answer("", reason="max_tokens")
            case 4 if not model.startswith("anthropic"):
                return Answer("Nothing I would help with.", refusal=True)
        return Answer("**valid**")

    with HostedServer(answer) as server:
        done = evaluate(*hosted(model, server, max_connections=1), "--tasks", MINI, "--limit", "6")
        assert done.exception is None, done.output
        assert evaluate(*hosted(model, server), "--tasks", MINI, "--limit", "6").exception is None
    samples = samples_of(OUT, MINI)
    n_refusals = 3 if model.startswith("anthropic") else 4
    assert outcomes(samples) == {"refusal": n_refusals, "truncated": 1, "verdict": 5 - n_refusals}
    about = [sample["polbias"][0] for sample in samples]
    assert sum(known.get("filtered", False) for known in about) == 3
    assert all("filter" in known or "usage" in known for known in about)
    assert sum(sample["filtered_resps"] == [REFUSED_BY_PROVIDER] for sample in samples) == n_refusals


def test_anthropic(evaluate: Evaluate) -> None:
    pytest.importorskip("anthropic")
    with HostedServer(lambda _: Answer("**valid**", thoughts="First, ...")) as server:
        done = evaluate(
            *(*hosted("anthropic/claude-opus-4-6", server), "--tasks", MINI, "--limit", "4", "--reasoning"),
            *("--gen_kwargs", "reasoning_effort=low", "--system_instruction", "Be brief."),
        )
        assert done.exception is None, done.output
    body = server.bodies[0]
    assert body["max_tokens"] >= 4096
    assert body["output_config"] == {"effort": "low"}
    assert "Be brief." in json.dumps(body["system"])
    (about,) = samples_of(OUT / "claude-opus-4-6", MINI)[0]["polbias"]
    assert about["reasoning"] == "First, ..."
    assert about["dropped"] == {"temperature": 0.0}
    assert about["usage"]["input_tokens"] == INPUT > CACHED


def test_a_server_that_dies_and_comes_back(evaluate: Evaluate) -> None:
    dead, sent = [True], count()

    def answer(_: str) -> Answer:
        if dead[0] and next(sent) >= 20:
            raise HttpError(503, "overloaded with key-of-openai")
        return Answer("**valid**")

    with HostedServer(answer) as server:
        broken = evaluate(*hosted("openai/gpt-4o", server), "--tasks", MINI)
        assert isinstance(broken.exception, StoppedError)
        message = str(broken.exception)
        assert "after 20 of 48 requests" in message
        assert "503" in message
        assert "overloaded" in message
        assert "key-of-openai" not in broken.output + message
        dead[0], before = False, len(server.bodies)
        again = evaluate(*hosted("openai/gpt-4o", server), "--tasks", MINI)
        assert len(server.bodies) - before == 28
    assert "requests: 28 sent, 20 answered from" in again.stdout
    with HostedServer(lambda _: Answer("**valid**")) as server:
        server.fail_next(429, "/chat/", message="slow down")
        done = evaluate(*hosted("openai/gpt-4o", server, max_retries=2), "--tasks", MINI, "--limit", "4")
        assert done.exception is None, done.output
    with HostedServer(lambda _: Answer("**valid**")) as server:
        server.fail_next(401, "/chat/", times=99, message="Incorrect API key provided: key-of-openai")
        done = evaluate(*hosted("openai/gpt-4o", server, max_retries=5), "--tasks", MINI)
        assert isinstance(done.exception, StoppedError)
        assert "401" in str(done.exception)
        assert "key-of-openai" not in str(done.exception)
        assert len(server.requests) <= 8


def test_samples_stay_several_and_seeds_are_those_of_the_user(evaluate: Evaluate) -> None:
    drawn = count()
    options = ["--tasks", POLICY, "--metadata", '{"polbias_samples": 5}', "--stopping-rule", "none"]
    with HostedServer(lambda _: Answer(f"agree {next(drawn)}")) as server:
        some = evaluate(*hosted("openai/gpt-4o", server), *options, "--limit", "2", family="policy")
        assert some.exception is None, some.output
        assert len(server.bodies) == 10
        done = evaluate(*hosted("openai/gpt-4o", server), *options, "--limit", "6", family="policy")
        assert "requests: 20 sent, 10 answered" in done.stdout, done.output
        assert not any({"seed", "n"} & {*body} for body in server.bodies)
        assert {body["temperature"] for body in server.bodies} == {1.0}
        assert all(len({*sample["filtered_resps"][0]}) == 5 for sample in samples_of(OUT, POLICY))
        server.bodies.clear()
        seeded = evaluate(
            *(*hosted("openai/gpt-4o", server), *options, "--limit", "2", "--gen_kwargs", "seed=3"),
            family="policy",
        )
        assert seeded.exception is None, seeded.output
        assert Counter(body["seed"] for body in server.bodies) == dict.fromkeys(range(3, 8), 2)


def test_asking_stops_when_tests_need_no_more(evaluate: Evaluate) -> None:
    with HostedServer(lambda _: Answer("agree")) as server:
        first, second = (
            evaluate(*hosted("openai/gpt-4o", server), "--tasks", POLICY, family="policy") for _ in range(2)
        )
        assert first.exception is None, first.output
        assert "answers not requested" in first.stdout
        assert "requests: 0 sent" in second.stdout
        assert len(server.bodies) < ROWS * ANSWERS / 2


@pytest.mark.parametrize("batch", [False, 5])
def test_a_budget_stops_a_run(evaluate: Evaluate, batch: bool | int) -> None:
    settings = {"size": batch, "tick": 0.05, "send_delay": 0.1} if batch else False
    most = ["--max-tokens", str(10 * (INPUT + OUTPUT))]
    with HostedServer(lambda _: Answer("**valid**")) as server:
        options = [*hosted("openai/gpt-4o", server, max_connections=5, batch=settings), "--tasks", MINI]
        stopped = evaluate(*options, *most)
        assert isinstance(stopped.exception, StoppedError), stopped.output
        assert "the budget is spent after" in str(stopped.exception)
        n_sent = sum(map(len, server.batches)) or len(server.bodies)
        assert 10 <= n_sent <= 15
        whole = evaluate(*options, "--max-tokens", "100000")
        assert f"requests: {48 - n_sent} sent, {n_sent} answered" in whole.stdout, whole.output


def test_batches(evaluate: Evaluate) -> None:
    batch = {"size": 20, "tick": 0.05, "send_delay": 0.2}
    model = "openai/gpt-4.1"  # Inspect keeps the number of connections of another test's
    with HostedServer(lambda _: Answer("**valid**")) as server:
        server.fail_next(500, "/batches", times=99, message="no batches today")
        broken = evaluate(
            *hosted(model, server, batch=batch, max_retries=1), "--tasks", MINI, "--limit", "20"
        )
        assert isinstance(broken.exception, StoppedError), broken.output
        assert "no batches today" in str(broken.exception)
        server.clear_faults()
        server.batches.clear()
        server._checks.clear()
        done = evaluate(*hosted(model, server, batch=batch), "--tasks", MINI)
        assert done.exception is None, done.output
        assert sum(map(len, server.batches)) == 48
        assert len(server.batches) <= 3
        assert not any("/chat/completions" in line for line in server.requests)
        plain = evaluate(*hosted(model, server), "--tasks", MINI)
        assert "requests: 0 sent, 48 answered" in plain.stdout
    assert "batch" not in done.output
    assert samples_of(OUT, MINI)[0]["polbias"] == [{"finish_reason": "stop", "usage": USAGE}]


def test_what_cannot_be_is_said_before_anything_is_asked(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    mini = ["--tasks", MINI, "--limit", "2"]
    monkeypatch.setitem(sys.modules, "mistralai", None)
    with HostedServer(lambda _: Answer()) as server:
        for options, message in (
            ([*hosted("gpt-4o", server), *mini], "expected PROVIDER/NAME"),
            ([*hosted("nowhere/m", server), *mini], "nowhere"),
            ([*hosted("mistral/m", server), *mini], "pip install mistralai"),
            ([*hosted("openai/gpt-4o", server, nonsense=1), *mini], "nonsense"),
            ([*hosted("openai/gpt-4o", server, max_retries="x"), *mini], "max_retries"),
            (
                [*hosted("openai/gpt-4o", server), "--tasks", f"{MINI}_loglikelihood"],
                "gives no log-likelihoods",
            ),
            (
                [*hosted("openai/gpt-4o", server), *mini, "--gen_kwargs", "nonsense=1"],
                "--gen_kwargs nonsense",
            ),
            ([*hosted("openai/gpt-4o", server), *mini, "--gen_kwargs", "top_p=x"], "--gen_kwargs top_p"),
        ):
            done = evaluate(*options)
            assert isinstance(done.exception, PolbiasError), (message, done.exception)
            assert message in str(done.exception)
            assert "\n" not in str(done.exception)
        monkeypatch.delenv("OPENAI_API_KEY")
        done = evaluate(*hosted("openai/gpt-4o", server), *mini)
        assert "OPENAI_API_KEY" in str(done.exception)
        assert not server.requests


def test_without_inspect_its_packages_are_named(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "polbias.lm_eval_runner.inspect_model", raising=False)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.event", None)
    done = evaluate(*hosted("openai/gpt-4o"), "--tasks", MINI)
    assert isinstance(done.exception, PolbiasError)
    assert not isinstance(done.exception, InputError)
    assert "pip install" in str(done.exception)
    assert "inspect_ai" in str(done.exception)


def test_other_models_do_not_load_inspect(partisan_build: Path, tmp_path: Path) -> None:
    code = f"""
    import sys
    from polbias.cli.main import run
    sys.argv = ["polbias", "eval", "--model", "dummy", "--tasks", "{MINI}", "--limit", "2", "--no-report"]
    try:
        run()
    except SystemExit as end:
        assert not end.code
    assert "inspect_ai" not in sys.modules
    """
    given = {"POLBIAS_DATA_DIR": str(partisan_build), "XDG_CACHE_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    run_python(code, env=given, cwd=tmp_path)


def test_the_model_of_inspect_for_tests(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: object) -> int:
        return 0

    monkeypatch.setattr(
        "inspect_ai.model._providers.mockllm.MockLLM.count_text_tokens", nothing, raising=False
    )
    done = evaluate(*hosted("mockllm/model"), "--tasks", MINI)
    assert done.exception is None, done.output
    assert results_of(OUT / "model")["config"]["model"] == "inspect"
    assert all(
        sample["filtered_resps"] == ["Default output from mockllm/model"] for sample in samples_of(OUT, MINI)
    )


def rejecting(reject: Callable[[dict[str, Any]], HttpError | None]) -> HostedServer:
    """Return a chat server that rejects some requests by their bodies."""
    server = HostedServer(lambda _: Answer("**valid**"))
    answer = server._chat

    def check(body: dict[str, Any]) -> Any:
        if error := reject(body):
            raise error
        return answer(body)

    server._chat = check  # type: ignore[method-assign]
    return server


@pytest.mark.parametrize(
    ("field", "message", "expected"),
    [
        ("temperature", "'temperature' does not support 0 with this model", {"max_tokens": 2048}),
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            {"temperature": 0.0, "max_completion_tokens": 2048},
        ),
    ],
)
def test_what_nobody_asked_for_is_left_out_or_renamed(
    evaluate: Evaluate, field: str, message: str, expected: dict[str, object]
) -> None:
    with rejecting(lambda body: HttpError(400, message) if field in body else None) as server:
        done = evaluate(*hosted("openai/gpt-own", server), "--tasks", MINI, "--limit", "4")
        assert done.exception is None, done.output
    sent = server.bodies[-1]
    assert {name: sent[name] for name in {*sent} - {"messages", "model"}} == expected
    dropped = results_of(OUT)["polbias"].get("dropped", {})
    assert dropped == ({"temperature": 0.0} if field == "temperature" else {})
    assert done.stderr.count(message) == 1


@pytest.mark.parametrize(
    ("status", "message", "named"),
    [
        (400, "System role not supported", "polbias_system=false"),
        (401, "Incorrect API key provided", "OPENAI_API_KEY"),
        (404, "The model does not exist", "gpt-own"),
    ],
)
def test_a_final_error_says_what_helps(evaluate: Evaluate, status: int, message: str, named: str) -> None:
    with rejecting(lambda _: HttpError(status, message)) as server:
        done = evaluate(*hosted("openai/gpt-own", server), "--tasks", MINI, "--limit", "2")
    assert isinstance(done.exception, StoppedError), done.output
    assert message in str(done.exception)
    assert named in str(done.exception)
    assert "run the same command again" not in str(done.exception)


def test_an_address_without_a_server_is_told_without_retries(evaluate: Evaluate) -> None:
    with HostedServer(lambda _: Answer()) as server:
        options = hosted("openai/gpt-own", server, max_retries=8)
    done = evaluate(*options, "--tasks", MINI, "--limit", "2")
    assert isinstance(done.exception, StoppedError), done.output
    assert f"{server.url}/v1 cannot be reached" in str(done.exception)
    assert "the server fails" not in done.stderr


def test_an_error_in_an_answer_is_asked_again(evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polbias.lm_eval_runner.inspect_model._FIRST_PAUSE", 0.01)
    server = HostedServer(lambda _: Answer("**valid**"))
    answer, seen = server._chat, Counter[str]()

    def fail_first(body: dict[str, Any]) -> Any:
        prompt = body["messages"][-1]["content"]
        seen[prompt] += 1
        error = {"code": 502, "message": "Provider returned error"}
        if seen[prompt] == 1:
            return {"error": error}
        if seen[prompt] == 2:
            failed = answer(body)
            return failed | {"choices": [failed["choices"][0] | {"finish_reason": "error", "error": error}]}
        return answer(body)

    server._chat = fail_first  # type: ignore[method-assign]
    with server:
        done = evaluate(*hosted("openai/gpt-own", server), "--tasks", MINI, "--limit", "2")
        assert done.exception is None, done.output
    assert set(seen.values()) == {3}
    assert {sample["filtered_resps"][0] for sample in samples_of(OUT, MINI)} == {"**valid**"}


def test_all_answers_know_what_was_dropped(evaluate: Evaluate) -> None:
    with HostedServer(lambda _: Answer("**valid**")) as server:
        done = evaluate(*hosted("openai/gpt-5", server), "--tasks", MINI)
        assert done.exception is None, done.output
    samples = samples_of(OUT / "gpt-5", MINI)
    assert len(samples) == 48
    assert all(sample["polbias"][0]["dropped"] == {"temperature": 0.0} for sample in samples)


@pytest.mark.parametrize("model", ["openai/gpt-4o", "openai/o3-mini", "anthropic/claude-3-5-haiku-latest"])
def test_half_a_character_and_an_answer_over_the_limit_end_no_run(evaluate: Evaluate, model: str) -> None:
    texts = ["The argument is valid. \ud83d", "valid " * 50_000, "valid"]
    with HostedServer(lambda _: Answer(texts[len(server.bodies) % 3])) as server:
        options = [*hosted(model, server), "--tasks", MINI, "--limit", "6", "--max-answer-bytes", "100000"]
        for _ in range(2):
            done = evaluate(*options)
            assert done.exception is None, done.output
            assert len(server.bodies) == 6
    samples = samples_of(OUT, MINI)
    reasons = Counter(sample["polbias"][0]["finish_reason"] for sample in samples)
    assert reasons["too_long"] == 2
    assert sum(sample["truncated"] for sample in samples) == reasons["too_long"]
    assert sum("\ud83d" in sample["filtered_resps"][0] for sample in samples) == 2
