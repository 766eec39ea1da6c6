"""Real servers with a small model on this machine, asked by all routes; `make test-model` installs them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.model.routes import (
    CONNECTIONS,
    ROUTES,
    Answered,
    Recorder,
    Run,
    ask,
    chat_model,
    command_line,
    eval_options,
    read_answers,
    run,
)
from tests.model.servers import (
    ALIAS,
    LLAMA,
    SERVERS,
    TRANSFORMERS,
    VLLM,
    NotInstalledError,
    Running,
    Server,
    Weights,
    check_installed,
    serve,
)

pytestmark = pytest.mark.model

# Policy has no greedy task, the others but self-assessment have no sampled one.
GREEDY = Run(
    (
        "polbias_en_formal_mini",
        "polbias_wason",
        "polbias_policy_leaning",
        "polbias_xphemism_mini",
        "polbias_selfassess_preference_mini",
    ),
    temperature=0,
)
SAMPLED = Run(("polbias_policy_stance_mini", "polbias_selfassess_generate_mini"), n_samples=2)
ONE = Run(GREEDY.tasks[:1], temperature=0, n_rows=24)
OTHER = Run(GREEDY.tasks[1:2], temperature=0)
SCORED = "polbias_en_formal_mini_loglikelihood"
N_SCORED = 8
# What docs/running.md says of each server.
ABILITIES: Mapping[str, Mapping[str, bool]] = {
    VLLM.name: {"n": True, "seed": True, "reason": True, "usage": True, "top_logprobs": True, "echo": True},
    LLAMA.name: {"n": False, "seed": True, "reason": True, "usage": True, "top_logprobs": True, "echo": False},
    TRANSFORMERS.name: {"n": False, "seed": False, "reason": True, "usage": True, "top_logprobs": False, "echo": False},
}  # fmt: skip
SECONDS = 900


@contextmanager
def running(server: Server, weights: Weights, factory: pytest.TempPathFactory) -> Iterator[Running]:
    try:
        check_installed(server)
    except NotInstalledError as reason:
        pytest.skip(str(reason))
    with serve(server, weights, factory.mktemp(server.name) / "server.log") as started:
        yield started


@pytest.fixture(scope="module", params=SERVERS, ids=lambda server: server.name)
def server(
    request: pytest.FixtureRequest, weights: Weights, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    with running(request.param, weights, tmp_path_factory) as started:
        yield started


@pytest.fixture(scope="module")
def asked(
    server: Running, environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, Run], Answered]:
    """What a route brings back, asked once for each server."""
    answered: dict[tuple[str, Run], Answered] = {}

    def ask_once(route: str, what: Run) -> Answered:
        if (route, what) not in answered:
            folder = tmp_path_factory.mktemp("asked")
            answered[route, what] = ask(ROUTES[route], server.url, what, folder, environment)
        return answered[route, what]

    return ask_once


def abilities(server: Running) -> Mapping[str, bool]:
    """What a server does of what it is asked."""
    turns = [{"role": "user", "content": "Write a sentence about the sea."}]

    def chat(**settings: object) -> tuple[str, ...]:
        status, body = server.post("chat/completions", messages=turns, max_tokens=12, **settings)
        assert status == 200, body
        return tuple(choice["message"]["content"] for choice in body["choices"])

    _, body = server.post("chat/completions", messages=turns, max_tokens=4, logprobs=True, top_logprobs=5)
    (choice,) = body["choices"]
    _, echoed = server.post("completions", prompt="The sky is", max_tokens=1, echo=True, logprobs=1)
    scored = echoed["choices"][0].get("logprobs") or {"token_logprobs": []}
    seeded = [chat(temperature=1, seed=seed) for seed in (1, 1, 2)]
    return {
        "n": len(chat(temperature=1, n=3)) == 3,
        "seed": seeded[0] == seeded[1] != seeded[2],
        "reason": choice["finish_reason"] == "length",
        "usage": body["usage"]["completion_tokens"] == 4,
        "top_logprobs": len(
            ((choice.get("logprobs") or {}).get("content") or [{}])[0].get("top_logprobs", ())
        )
        == 5,
        "echo": len(scored["token_logprobs"]) == echoed["usage"]["total_tokens"],
    }


def test_a_server_does_what_the_documentation_says(server: Running) -> None:
    assert abilities(server) == ABILITIES[server.server.name]


def test_a_server_that_never_samples_is_found_out(
    weights: Weights, environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    asked = Run(SAMPLED.tasks[:1], n_samples=8, n_tokens=4)
    with running(TRANSFORMERS, weights, tmp_path_factory) as server:
        assert abilities(server) == ABILITIES[TRANSFORMERS.name]
        options = eval_options(asked, tmp_path)
        run(environment, "polbias", "eval", *chat_model(server.url), *options, "--no-cache")
    (path,) = tmp_path.rglob("results_*.json")
    assert json.loads(path.read_text("utf-8"))["polbias"]["not_sampled"] == [*asked.tasks]


@pytest.mark.parametrize("route", [name for name in ROUTES if name != "chat"])
def test_greedy_answers_and_figures_are_those_of_every_route(
    asked: Callable[[str, Run], Answered], route: str
) -> None:
    expected, found = asked("chat", GREEDY), asked(route, GREEDY)
    assert found.prompts == expected.prompts
    assert {task: len(rows) for task, rows in expected.answers.items()} == dict.fromkeys(
        GREEDY.tasks, GREEDY.n_rows
    )
    assert found.answers == expected.answers
    assert found.figures.keys() == expected.figures.keys()
    for task, figures in expected.figures.items():
        assert found.figures[task] == pytest.approx(figures, abs=1e-12), task


@pytest.mark.parametrize("route", ROUTES)
def test_sampled_prompts_are_those_of_every_route(asked: Callable[[str, Run], Answered], route: str) -> None:
    expected, found = asked("inspect", SAMPLED), asked(route, SAMPLED)
    assert found.prompts == expected.prompts
    stances, articles = (found.answers[task] for task in SAMPLED.tasks)
    assert len(stances) == len(articles) == SAMPLED.n_rows
    assert {len(texts) for texts in stances.values()} == {SAMPLED.n_samples}
    assert any(first != second for first, second in stances.values())


Start = Callable[[list[object], Run], subprocess.Popen[str]]


@pytest.fixture
def start(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Start]:
    """Starts `polbias eval` with an answer cache beside its results; nobody goes on after the test."""
    clients: list[subprocess.Popen[str]] = []

    def start_client(model: list[object], asked: Run) -> subprocess.Popen[str]:
        options = [*eval_options(asked, tmp_path / "results"), "--cache-dir", tmp_path / "cache"]
        client = subprocess.Popen(
            command_line("polbias", "eval", *model, *options),
            env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        clients.append(client)
        return client

    yield start_client
    for client in clients:
        client.kill()
        client.communicate()


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for a condition that a process brings about."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert process.poll() is None, "".join(process.communicate())[-2000:]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def finish(process: subprocess.Popen[str]) -> int:
    """Return the exit status of a process, whose output is shown where the test fails."""
    sys.stderr.write("".join(process.communicate(timeout=SECONDS)))
    return process.returncode


def test_a_killed_client_asks_only_what_is_missing(
    server: Running, start: Start, asked: Callable[[str, Run], Answered], tmp_path: Path
) -> None:
    with Recorder(server.url) as recorder:
        model = chat_model(f"{recorder.url}/v1")
        killed = start(model, ONE)
        wait_until(lambda: len(recorder.bodies) > 8, killed)
        killed.kill()
        killed.communicate()
        assert finish(start(model, ONE)) == 0
    (answers,) = read_answers(tmp_path / "results").values()
    assert len(answers) == ONE.n_rows
    assert len(recorder.bodies) <= ONE.n_rows + CONNECTIONS  # those under way at the kill
    assert answers.items() >= asked("chat", GREEDY).answers[ONE.tasks[0]].items()


def test_a_killed_server_ends_no_run_for_good(
    server: Running, start: Start, asked: Callable[[str, Run], Answered], tmp_path: Path
) -> None:
    expected = asked("chat", GREEDY).answers[ONE.tasks[0]]
    before = server.n_answers
    client = start(chat_model(server.url), ONE)
    wait_until(lambda: server.n_answers > before + 8, client)
    server.kill()
    time.sleep(2)
    server.start()
    if finish(client) != 0:  # it took longer than the client is patient
        assert finish(start(chat_model(server.url), ONE)) == 0
    (answers,) = read_answers(tmp_path / "results").values()
    assert len(answers) == ONE.n_rows
    assert answers.items() >= expected.items()
    assert server.n_answers - before <= ONE.n_rows + CONNECTIONS


def test_two_clients_do_not_ask_the_same_at_once(server: Running, start: Start, tmp_path: Path) -> None:
    with Recorder(server.url) as recorder:
        model = chat_model(f"{recorder.url}/v1")
        recorder.latency = 20  # the first client is still at it when the second has started
        first = start(model, ONE)
        wait_until(lambda: bool(recorder.bodies), first)
        beside, second = start(model, OTHER), start(model, ONE)
        _, message = second.communicate(timeout=SECONDS)
        recorder.latency = 0
        assert finish(beside) == finish(first) == 0
    assert second.returncode > 0
    assert "Traceback" not in message
    assert str(tmp_path / "cache") in message.splitlines()[-1]
    assert {task: len(rows) for task, rows in read_answers(tmp_path / "results").items()} == {
        ONE.tasks[0]: ONE.n_rows,
        OTHER.tasks[0]: OTHER.n_rows,
    }


# Log-likelihoods.


def score(
    model: Sequence[object], environment: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    options = ("--tasks", SCORED, "--limit", N_SCORED, "--output_path", folder, "--no-report", "--no-cache")
    return run(environment, "polbias", "eval", *model, *options, check=False)


def likelihoods(folder: Path) -> list[list[float]]:
    """Return the log-probability of each label of each row."""
    (path,) = folder.rglob(f"samples_{SCORED}_2*.jsonl")
    samples = sorted(
        map(json.loads, path.read_text("utf-8").splitlines()), key=lambda sample: sample["doc_id"]
    )
    return [[float(value) for value, _ in sample["filtered_resps"]] for sample in samples]


def test_likelihoods_are_those_of_transformers_or_are_refused(
    server: Running, weights: Weights, environment: Mapping[str, str], tmp_path: Path
) -> None:
    arguments = (
        f"model={ALIAS},base_url={server.url}/completions,tokenizer={weights.folder},tokenized_requests=False"
    )
    done = score(
        ["--model", "local-completions", "--model_args", arguments], environment, tmp_path / "server"
    )
    if not ABILITIES[server.server.name]["echo"]:
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        assert not [*tmp_path.rglob("samples_*")]
        return
    assert done.returncode == 0, done.stderr[-2000:]
    here = ["--model", "hf", "--model_args", f"pretrained={weights.folder},dtype=float32", "--device", "cpu"]
    assert score(here, environment, tmp_path / "hf").returncode == 0
    expected = likelihoods(tmp_path / "hf")
    assert len(expected) == N_SCORED
    for found, values in zip(likelihoods(tmp_path / "server"), expected, strict=True):
        assert found == pytest.approx(values, abs=1e-3)
