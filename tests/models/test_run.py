import io
import os
import re
import signal
import subprocess
import sys
import time
from textwrap import dedent
from types import SimpleNamespace

import pytest
from rich.console import Console

from polbias.errors import InputError, PolbiasError
from polbias.models.chat import Chat
from polbias.models.prices import parse_prices
from polbias.models.recording import Recorder
from polbias.models.run import answer_requests, plan_requests, run_requests
from polbias.models.translate import DeepLTranslator
from tests.lm_eval_runner.test_writing import largest_file
from tests.models.conftest import shown
from tests.models.servers import JSON, ChatServer, DeepLServer, patient
from tests.support.process import ROOT, run_python


@pytest.fixture
def server():
    with ChatServer(lambda prompt: f"<{prompt}>") as server:
        yield server


def chat(server, **options):
    return patient(Chat)("stub", server.base_url, **{"concurrency": 4, **options})


def requests(model, count, **parameters):
    return [
        model.request(f"q{n}", [{"role": "user", "content": f"question{n}"}], **parameters)
        for n in range(count)
    ]


def texts(outcome):
    return [answer and answer.text for answer in outcome.answers]


def test_answers_come_in_the_order_of_the_requests_and_repeated_ones_are_asked_once(
    server, tmp_path, console
):
    model = chat(server)
    asked = requests(model, 20)
    with Recorder(tmp_path / "r") as recorder:
        outcome = run_requests([*asked, asked[3]], [model], recorder, yes=True, console=console)
    assert texts(outcome) == [f"<question{n}>" for n in [*range(20), 3]]
    assert (outcome.n_sent, outcome.recorded, outcome.complete, server.count) == (20, 0, True, 20)
    assert outcome.usage == {"openai input_tokens": 20, "openai output_tokens": 0}
    assert "21 requests: 0 recorded, 20 to send, 1 the same as another" in shown(console)


def test_a_second_run_asks_nothing(server, tmp_path, console):
    model = chat(server)
    for _ in range(2):
        with Recorder(tmp_path / "r") as recorder:
            outcome = run_requests(requests(model, 5), [model], recorder, yes=True, console=console)
    assert (outcome.n_sent, outcome.recorded, server.count) == (0, 5, 5)


def test_a_replay_needs_no_key_no_client_and_no_network(server, tmp_path):
    model = chat(server)
    with Recorder(tmp_path / "r") as recorder:
        run_requests(requests(model, 3), [model], recorder, yes=True, console=Console(file=io.StringIO()))
    done = run_python(
        f"""
        import socket, sys
        from pathlib import Path
        sys.modules["openai"] = sys.modules["deepl"] = None
        def refuse(*args, **kwargs): raise AssertionError("network")
        socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
        from polbias.models.chat import Chat
        from polbias.models.recording import Recorder
        from polbias.models.run import run_requests
        model = Chat("stub")
        asked = [model.request(f"r{{n}}", [{{"role": "user", "content": f"question{{n}}"}}]) for n in (2, 0, 1)]
        print([answer.text for answer in run_requests(asked, [], Recorder(Path({str(tmp_path / "r")!r}), replay=True)).answers])
        """
    )
    assert done.stdout.strip() == "['<question2>', '<question0>', '<question1>']"


def test_a_replay_reports_what_is_not_recorded(server, tmp_path, console):
    model = chat(server)
    with Recorder(tmp_path / "r") as recorder:
        run_requests(requests(model, 2), [model], recorder, yes=True, console=console)
    outcome = run_requests(
        requests(model, 4), [model], Recorder(tmp_path / "r", replay=True), console=console
    )
    assert texts(outcome) == ["<question0>", "<question1>", None, None]
    assert [failure.request.id for failure in outcome.failures] == ["q2", "q3"]
    assert "2 failed" in shown(console)
    assert "record them with the service and a key" in shown(console)
    assert server.count == 2


def test_nothing_is_sent_before_the_estimate_is_accepted(server, tmp_path, console, monkeypatch):
    model = chat(server)
    questions = []

    def answer(question, **_):
        questions.append((question, shown(console)))
        return len(questions) > 1

    monkeypatch.setattr("rich.prompt.Confirm.ask", answer)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    recorder = Recorder(tmp_path / "r")
    with pytest.raises(PolbiasError, match="no request was sent: the estimate was not accepted"):
        run_requests(requests(model, 3), [model], recorder, console=console)
    assert questions[0][0] == "Send 3 requests?"
    assert "cost unknown (a server of your own" in questions[0][1]
    assert server.count == 0
    assert run_requests(requests(model, 3), [model], recorder, console=console).complete
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(PolbiasError, match="run again with --yes"):
        run_requests(requests(model, 4), [model], recorder, console=console)
    assert server.count == 3


def test_a_missing_key_is_said_before_the_question(tmp_path, console):
    model = Chat("gpt-4o")
    with pytest.raises(PolbiasError, match="OPENAI_API_KEY"):
        run_requests(requests(model, 1), [model], Recorder(tmp_path / "r"), console=console)


def test_a_failure_stops_no_other_and_running_again_asks_only_for_it(server, tmp_path, console):
    model = chat(server)
    server.fail_next(400, "completions", times=2, message="odd text")
    server.next_bodies = [(b"{}", JSON)] * 3
    with Recorder(tmp_path / "r") as recorder:
        first = run_requests(
            requests(model, 12), [chat(server, concurrency=1)], recorder, yes=True, console=console
        )
    assert [failure.request.id for failure in first.failures] == ["q0", "q1", "q2"]
    assert texts(first)[:4] == [None, None, None, "<question3>"]
    assert "2 failed: openai stub at" in shown(console)
    assert "[q0, q1]" in shown(console)
    assert "run the same command again to send only these" in shown(console)
    before = server.count
    with Recorder(tmp_path / "r") as recorder:
        assert run_requests(requests(model, 12), [model], recorder, yes=True, console=console).complete
    assert server.count - before == 3


@pytest.mark.parametrize(("status", "most"), [(401, 4), (404, 4), (500, 13), (400, 13)])
def test_a_service_that_only_fails_is_not_asked_on(server, tmp_path, console, status, most):
    model = chat(server)
    server.fail_next(status, times=999)
    with Recorder(tmp_path / "r") as recorder:
        outcome = run_requests(requests(model, 50), [model], recorder, yes=True, console=console)
    assert server.count <= most
    assert len(outcome.failures) == 50
    assert outcome.failures[-1].error.kind == "not-asked"
    assert not (tmp_path / "r").exists()


def test_two_services_in_one_run(server, tmp_path, console, monkeypatch):
    monkeypatch.setenv("DEEPL_AUTH_KEY", "deepl-key-1")
    with DeepLServer(str.upper, "deepl-key-1") as deepl_server:
        model, deepl = chat(server), patient(DeepLTranslator)(base_url=deepl_server.url)
        wanted = [deepl.request("t", "ein satz", "de", "en"), *requests(model, 2)]
        with Recorder(tmp_path / "r") as recorder:
            outcome = run_requests(wanted, [model, deepl], recorder, yes=True, console=console)
    assert texts(outcome) == ["EIN SATZ", "<question0>", "<question1>"]
    assert outcome.usage["deepl characters"] == 8


def test_a_request_for_another_service_is_an_error(server, tmp_path, console):
    with pytest.raises(InputError, match="request q0: found openai other, expected one of the services"):
        run_requests(
            requests(Chat("other"), 1), [chat(server)], Recorder(tmp_path / "r"), yes=True, console=console
        )


def test_no_more_are_under_way_than_allowed(tmp_path, console):
    with ChatServer(lambda prompt: "x", latency=0.02) as server:
        model = chat(server, concurrency=3)
        with Recorder(tmp_path / "r") as recorder:
            run_requests(requests(model, 20), [model], recorder, yes=True, console=console)
        assert server.crowd.most == 3


def test_an_answer_that_cannot_be_recorded_ends_the_run(server, tmp_path, console):
    model = chat(server, concurrency=1)
    with (
        Recorder(tmp_path / "r") as recorder,
        largest_file(0),
        pytest.raises(PolbiasError, match="a response cannot be recorded"),
    ):
        run_requests(requests(model, 3), [model], recorder, yes=True, console=console)
    assert server.count == 1


def test_on_a_terminal_there_is_a_bar(server, tmp_path):
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    model = chat(server)
    with Recorder(tmp_path / "r") as recorder:
        run_requests(requests(model, 3), [model], recorder, yes=True, console=console)
    assert re.search(r"3/3", shown(console))


def empty(folder):
    """A recorder without an answer."""
    with Recorder(folder / "r") as recorder:
        recorder.find = lambda request: None
        return recorder


def test_the_estimate_in_numbers(tmp_path):
    model = Chat("gpt-4o-2024-08-06")
    messages = [{"role": "system", "content": "x" * 35}, {"role": "user", "content": "y" * 70}]
    asked = [
        model.request(f"q{n}", messages, expected_tokens=100, max_output_tokens=1000, seed=n)
        for n in range(1000)
    ]
    (estimate,) = plan_requests(asked, [model], empty(tmp_path)).estimates
    # 105 characters at 3.5 a token, and 5 for each of two messages: 40 tokens a request.
    assert (estimate.requests, estimate.sent, estimate.received, estimate.max_output_tokens) == (
        1000,
        40_000,
        100_000,
        1_000_000,
    )
    assert "about 1.1000 USD, at most 10.1000 USD (platform.openai.com/docs/pricing" in estimate.line()
    (given,) = plan_requests(asked, [model], empty(tmp_path), parse_prices(["1/2"])).estimates
    assert "about 0.2400 USD" in given.line()
    named = parse_prices(["gpt-4o-2024-08-06=3/0", "1/2"])
    (given,) = plan_requests(asked, [model], empty(tmp_path), named).estimates
    assert "about 0.1200 USD" in given.line()


def test_where_nothing_limits_an_answer_no_highest_cost_is_said(tmp_path):
    model = Chat("gpt-4o")
    (estimate,) = plan_requests(requests(model, 3), [model], empty(tmp_path)).estimates
    assert "USD (platform.openai.com/docs/pricing" in estimate.line()


def test_the_estimate_of_deepl_in_characters(tmp_path):
    deepl = DeepLTranslator()
    asked = [deepl.request(f"{n}", "é" * (n + 1), "fr", "en") for n in range(100)]
    (estimate,) = plan_requests(asked, [deepl], empty(tmp_path)).estimates
    assert "5,050 characters, about 0.1010 " in estimate.line()
    (given,) = plan_requests(asked, [deepl], empty(tmp_path), parse_prices(["deepl=25 USD"])).estimates
    assert "about 0.1263 USD (as you gave it)" in given.line()


def test_a_killed_run_is_resumed_without_asking_twice(tmp_path, console):
    count, path = 60, tmp_path / "r.jsonl"
    with ChatServer(lambda prompt: f"<{prompt}>", latency=0.03) as server:
        code = f"""
            from pathlib import Path
            from polbias.models.chat import Chat
            from polbias.models.recording import Recorder
            from polbias.models.run import run_requests
            model = Chat("stub", {server.base_url!r}, concurrency=3)
            asked = [model.request(f"q{{n}}", [{{"role": "user", "content": f"question{{n}}"}}]) for n in range({count})]
            run_requests(asked, [model], Recorder(Path({str(path)!r})), yes=True)
        """
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        killed = subprocess.Popen([sys.executable, "-c", dedent(code)], env=env, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 15
        while server.count < 20 and time.monotonic() < deadline:
            time.sleep(0.005)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        time.sleep(0.1)
        before = server.count
        assert 20 <= before < count
        model = chat(server, concurrency=3)
        with Recorder(path) as recorder:
            outcome = run_requests(requests(model, count), [model], recorder, yes=True, console=console)
        assert texts(outcome) == [f"<question{n}>" for n in range(count)]
        assert outcome.recorded >= before - 3, "three were under way"
        assert server.count - before == count - outcome.recorded
    assert len(Recorder(path, replay=True)) == count


def test_nothing_is_asked_if_no_answer_could_be_recorded(server, tmp_path):
    (tmp_path / "file").write_text("in the place of a folder")
    with pytest.raises(PolbiasError, match="a response cannot be recorded"):
        answer_requests(requests(chat(server), 3), [chat(server)], tmp_path / "file" / "r", False, None, True)
    assert server.count == 0


def test_half_a_line_is_told_once_and_its_request_asked_again(server, tmp_path, console):
    model, path = chat(server), tmp_path / "r.jsonl"
    for _ in range(3):
        with Recorder(path) as recorder:
            assert run_requests(requests(model, 2), [model], recorder, yes=True, console=console).complete
        if server.count == 2:
            path.write_bytes(path.read_bytes()[:-9])
    assert server.count == 3
    assert shown(console).count("r.jsonl:2: skipped an incomplete line") == 1
