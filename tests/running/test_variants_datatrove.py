"""`polbias variants --engine datatrove`: the same outcome as with the client alone, nothing asked twice."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time

import pytest
from datatrove.pipeline.inference.run_inference import InferenceRunner
from rich.console import Console
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.files import PolbiasError
from polbias.models import Chat, Recorder, run
from polbias.running.datatrove_client import InferenceRunnerChat
from tests.models.servers import ChatServer
from tests.running.conftest import lines_of
from tests.support.process import ROOT

STATEMENTS = [f"The town should build {number} new schools near the harbour." for number in range(2, 14)]
REQUESTS = 2 * len(STATEMENTS)
KEY = "sk-" + "k" * 30


def answer(prompt):
    """Three paraphrases or an opposite; some are filtered, cut off, or in another form."""
    text = next(text for text in STATEMENTS if text in prompt)
    if "paraphras" in prompt.lower():
        if " 3 " in text:
            return None
        if " 4 " in text:
            return "word " * 5000
        beginnings = ("It is right that", "We want that", "What we need is this:")
        return json.dumps({"paraphrases": [f"{beginning} {text}" for beginning in beginnings]})
    if " 5 " in text:
        return f"It is wrong that {text}"
    return json.dumps({"opposite": text.replace("new", "no"), "kind": "adjective", "type": "contrary"})


class Town(ChatServer):
    """A server that wants a key, refuses one statement in OpenAI's way, and keeps what it answered."""

    def __init__(self, latency=0.0):
        super().__init__(answer, api_key=KEY, latency=latency)
        self.answered = []

    def _chat(self, body):
        reply = super()._chat(body)
        if " 6 " in body["messages"][-1]["content"]:
            reply["choices"][0]["message"] |= {"content": None, "refusal": "I do not write about this."}
        self.answered.append(json.dumps(body, sort_keys=True))
        return reply


@pytest.fixture
def variants(tmp_path, monkeypatch):
    """Run the command in a folder below; an error of the toolkit is `Result.exception`."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def call(server, *options, out="out"):
        command = arguments(tmp_path / out, "http://127.0.0.1:9/v1" if server is None else server.base_url)
        return CliRunner().invoke(app, [*command, *options])

    return call


def arguments(folder, base_url):
    folder.mkdir(exist_ok=True)
    (folder / "in.txt").write_text("\n".join(STATEMENTS) + "\n", "utf-8")
    files = ["-o", str(folder / "out.jsonl"), "--record", str(folder / "recorded.jsonl")]
    model = ["--model", "stub", "--base-url", base_url]
    return ["variants", str(folder / "in.txt"), "--language", "en", *files, *model]


def written(folder):
    """What a run wrote, the recording without its order."""
    return (folder / "out.jsonl").read_bytes(), sorted((folder / "recorded.jsonl").read_bytes().splitlines())


@pytest.fixture
def default(variants, tmp_path):
    """What the default engine writes, and what it sends."""
    with Town() as server:
        assert variants(server, "--yes", out="default").exit_code == 0
    return *written(tmp_path / "default"), sorted(server.answered)


def test_the_same_requests_and_the_same_outcome_as_the_default_engine(
    variants, default, tmp_path, monkeypatch
):
    through = []
    sends = InferenceRunner._send_request
    monkeypatch.setattr(
        InferenceRunner, "_send_request", lambda *given: through.append(given) or sends(*given)
    )
    with Town(latency=0.01) as server:
        done = variants(server, "--yes", "--engine", "datatrove", "--concurrency", "3")
        assert done.exit_code == 0, done.output
        assert server.crowd.most == 3
    assert len(through) == REQUESTS
    assert (*written(tmp_path / "out"), sorted(server.answered)) == default
    codes = {
        problem["code"] for line in lines_of(tmp_path / "out" / "out.jsonl") for problem in line["problems"]
    }
    assert {"refused", "cut-off", "not-json"} <= codes
    (tmp_path / "out" / "out.jsonl").unlink()
    for engine in ("datatrove", "server"):  # no server is there
        assert variants(None, "--replay", "--engine", engine).exit_code == 0
        assert written(tmp_path / "out") == default[:2]


def test_killed_in_the_middle_and_gone_on_with(variants, default, tmp_path):
    with Town(latency=0.05) as server:
        command = [*arguments(tmp_path / "out", server.base_url), "--engine", "datatrove", "--yes"]
        process = subprocess.Popen(
            [sys.executable, "-m", "polbias.cli.main", *command, "--concurrency", "2"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while len(server.answered) < 8 and process.poll() is None:
            time.sleep(0.005)
        process.kill()
        told = process.communicate()
        time.sleep(0.2)  # the server ends what is under way
        answered, on_file = len(server.answered), len(lines_of(tmp_path / "out" / "recorded.jsonl"))
        assert 8 - 2 <= on_file <= answered < REQUESTS, told
        assert answered - on_file <= 2  # what was under way
        assert not (tmp_path / "out" / "out.jsonl").exists()
        server.latency = 0.0
        assert variants(server, "--engine", "datatrove", "--yes").exit_code == 0
        assert len(server.answered) - answered == REQUESTS - on_file  # only what was not on file
        assert written(tmp_path / "out") == default[:2]
        assert variants(server, "--engine", "datatrove").exit_code == 0  # nothing to ask, nothing to accept
        assert len(server.answered) - answered == REQUESTS - on_file


@pytest.mark.parametrize("engines", [("server", "datatrove"), ("datatrove", "server")])
def test_a_run_goes_on_with_the_other_engine(variants, default, tmp_path, engines):
    first, second = engines
    with Town() as server:
        server.fail_next(400, times=5)
        done = variants(server, "--engine", first, "--yes", "--concurrency", "1")
        assert done.exit_code == 1
        assert "5 failed: openai stub" in done.output
        assert "400" in done.output
        assert len(lines_of(tmp_path / "out" / "recorded.jsonl")) == REQUESTS - 5
        assert variants(server, "--engine", second, "--yes").exit_code == 0
        assert server.count == REQUESTS + 5
    assert written(tmp_path / "out") == default[:2]


def test_rate_limits_errors_lost_connections_and_nonsense_pass(variants, default, tmp_path):
    with Town() as server:
        server.fail_next(429, times=3, headers={"Retry-After": "0"})
        server.fail_next(500, times=2)
        server.drop_next()
        server.next_bodies = [(b"<html>", {"Content-Type": "application/json"})]
        done = variants(server, "--engine", "datatrove", "--yes")
        assert done.exit_code == 0, done.output
    assert written(tmp_path / "out") == default[:2]


@pytest.mark.parametrize(("status", "asked"), [(401, 1), (404, 1), (429, 10), (500, 10), (400, 10)])
def test_what_a_server_refuses_ends_the_asking_as_with_the_default_engine(
    tmp_path, monkeypatch, status, asked
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    told = []
    for kind in (Chat, InferenceRunnerChat):
        with Town() as server, Recorder(tmp_path / kind.__name__) as recorder:
            server.fail_next(status, times=100)
            chat = kind("stub", server.base_url, concurrency=1, retries=0)
            requests = [chat.request(text, [{"role": "user", "content": text}]) for text in STATEMENTS]
            screen = Console(file=io.StringIO(), width=400)
            outcome = run(requests, [chat], recorder, yes=True, console=screen)
            assert server.count == asked
        assert outcome.answers == [None] * len(STATEMENTS)
        told.append(screen.file.getvalue().replace(server.base_url, "URL"))
        assert KEY not in told[-1]
    assert told[0] == told[1]
    assert str(status) in told[0]


def test_nothing_is_sent_before_the_cost_is_accepted_or_where_something_is_missing(
    variants, tmp_path, monkeypatch
):
    with Town() as server:
        done = variants(server, "--engine", "datatrove", "--price", "stub=1/2")
        assert isinstance(done.exception, PolbiasError)
        assert "--yes" in str(done.exception)
        assert f"{REQUESTS} to ask, about" in done.output
        monkeypatch.setitem(sys.modules, "datatrove.data", None)
        done = variants(server, "--engine", "datatrove", "--yes")
        assert "datatrove.data is not installed; pip install '" in str(done.exception)
        assert server.count == 0
    assert not (tmp_path / "out" / "recorded.jsonl").exists()
    assert not (tmp_path / "out" / "out.jsonl").exists()
