"""Servers that die or refuse, full disks, other settings, cut-off lines: nothing is lost, mixed or asked twice."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from polbias.files import InputError, PolbiasError
from tests.running.conftest import caller, lines_of
from tests.running.town import is_choice, leaning
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import ROOT

N, ARTICLES, CHOICES = 4, 20, 128
JOURNALS = ("stage1.articles.jsonl", "stage2.judgements.jsonl")


class Dying(LoopbackOpenAI):
    """A server that dies when it has given some answers; what it answered is in `answered`."""

    def __init__(self, respond, dies_after=None):
        super().__init__(respond)
        self.dies_after, self.answered = dies_after, []
        self._taken, self._turn = 0, threading.Lock()

    def _chat(self, body):
        with self._turn:
            dies = self.dies_after is not None and self._taken >= self.dies_after
            self._taken += not dies
        if dies:
            time.sleep(0.3)  # replies under way arrive
            self._stopped.set()  # no more replies
            self._server.hang_up()
            time.sleep(0.2)
        reply = super()._chat(body)
        self.answered.append(json.dumps(body["messages"]))
        return reply


@pytest.fixture
def run(selfassess, tmp_path):
    return runner(selfassess, tmp_path / "out")


def runner(selfassess, out):
    def call(server, *args, command="run"):
        where = ["--model", "m", "--base-url", f"{server.url}/v1", "-o", out, "--retries", 0]
        return selfassess(command, *where, "-n", N, "--concurrency", 4, *args)

    return call


@pytest.fixture(scope="module")
def whole(town, tmp_path_factory):
    """The server and the folder of an undisturbed run."""
    out = tmp_path_factory.mktemp("whole") / "out"
    with LoopbackOpenAI(leaning) as server:
        with pytest.MonkeyPatch.context() as patch:
            assert runner(caller(town, patch), out)(server).exit_code == 0
        yield server, out


@pytest.fixture(scope="module")
def uninterrupted(whole):
    """What an undisturbed run writes: its journals, sorted, and its summary."""
    return written(whole[1])


def written(folder):
    journals = [sorted((folder / name).read_text().splitlines()) for name in JOURNALS]
    return [*journals, (folder / "analysis" / "summary.json").read_text()]


@pytest.mark.parametrize("dies_after", [7, 20, 21, 90])
def test_a_server_that_dies_and_comes_back(run, uninterrupted, tmp_path, dies_after):
    """Within the first stage, between the stages, at the start of and within the second one."""
    with Dying(leaning, dies_after) as dying:
        done = run(dying)
        assert done.exit_code == 1
        assert "run the same again" in done.output
    first = list(dying.answered)[:dies_after]
    on_file = sum(
        len(lines_of(tmp_path / "out" / name)) for name in JOURNALS if (tmp_path / "out" / name).exists()
    )
    assert on_file == dies_after
    with Dying(leaning) as server:
        done = run(server, "--moved")
        assert done.exit_code == 0, done.output
    assert len(server.answered) == ARTICLES + CHOICES - dies_after
    assert not Counter(first) & Counter(server.answered)  # no question twice
    assert written(tmp_path / "out") == uninterrupted


def test_another_address_is_not_taken_silently(run):
    with LoopbackOpenAI(leaning) as one, LoopbackOpenAI(leaning) as other:
        assert run(one, command="generate").exit_code == 0
        done = run(other, command="generate")
        assert isinstance(done.exception, InputError)
        assert "--moved" in str(done.exception)
        assert other.count == 0


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["--model", "other"], "model.model"),
        (["--seed", 2], "stage1.seed"),
        (["-n", 5], "stage1.n"),
        (["--roles", "user"], "stage1.roles"),
        (["--article-parameter", "temperature=0.5"], "stage1.parameters.temperature"),
        (["--article-tokens", 100], "stage1.max_tokens"),
        (["--orders", "seeded"], "stage2.orders"),
        (["--ways", "2"], "stage2.ways"),
        (["--prefill", "none"], "stage2.prefill"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused(selfassess, whole, uninterrupted, args, named):
    server, out = whole
    asked = server.count
    done = runner(selfassess, out)(server, *args)
    assert isinstance(done.exception, InputError)
    assert f": {named}: the folder was made with" in str(done.exception)
    assert server.count == asked
    assert written(out) == uninterrupted


def test_a_journal_of_something_else_is_refused_even_without_its_manifest(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        (tmp_path / "out" / "run.json").unlink()
        done = run(server, "--model", "other", command="generate")
        assert isinstance(done.exception, InputError)
        assert "was asked with another model, text or setting" in str(done.exception)
        assert server.count == ARTICLES


def test_a_cut_off_line_is_dropped_and_its_row_asked_again(run, uninterrupted, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        path = tmp_path / "out" / JOURNALS[0]
        path.write_bytes(path.read_bytes()[:-30])
        done = run(server)
        assert done.exit_code == 0
        assert "the last line on file was cut off" in done.output
        assert server.count == ARTICLES + 1 + CHOICES
    assert written(tmp_path / "out") == uninterrupted


def test_a_broken_line_within_is_an_error_that_names_it(run, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        assert run(server, command="generate").exit_code == 0
        path = tmp_path / "out" / JOURNALS[0]
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], lines[1][:50], *lines[2:]]) + "\n")
        done = run(server, command="generate")
        assert isinstance(done.exception, InputError)
        assert f"{path}:2" in str(done.exception)


@pytest.mark.parametrize(("status", "asked"), [(401, 1), (400, ARTICLES), (500, 10)])
def test_what_a_server_refuses_is_told_and_asked_again_later(run, uninterrupted, tmp_path, status, asked):
    with LoopbackOpenAI(leaning) as server:
        server.fail_next(status, times=ARTICLES)
        done = run(server, "--concurrency", 1)
        assert done.exit_code == 1
        assert server.count == asked  # a wrong key and a broken server end the asking, a bad request does not
        assert f"{status}" in done.output
        failures = lines_of(tmp_path / "out" / "stage1.articles.failures.jsonl")
        assert len(failures) == ARTICLES
        assert not (tmp_path / "out" / JOURNALS[1]).exists()
        server.clear_faults()
        assert run(server).exit_code == 0
    assert written(tmp_path / "out") == uninterrupted


def test_rate_limits_errors_and_silence_pass(run, uninterrupted, tmp_path):
    with LoopbackOpenAI(leaning) as server:
        server.fail_next(429, times=2, headers={"Retry-After": "0"})
        server.fail_next(500, times=2)
        server.stall_next(seconds=30, times=1)
        server.drop_next(after=True)
        assert run(server, "--retries", 3, "--timeout", 1).exit_code == 0
    assert written(tmp_path / "out") == uninterrupted


def test_one_article_that_cannot_be_had_need_not_stop_the_rest(run, tmp_path):
    def respond(prompt):
        return leaning(prompt)

    with LoopbackOpenAI(respond) as server:
        server.fail_next(400)
        done = run(server, "--incomplete", "--concurrency", 1)
        assert done.exit_code == 0
        assert "1 articles missing" in done.output
        judged = len(lines_of(tmp_path / "out" / JOURNALS[1]))
        assert judged < CHOICES
        assert run(server).exit_code == 0
        assert server.count == ARTICLES + 1 + CHOICES  # only what was missing
        assert len(lines_of(tmp_path / "out" / JOURNALS[1])) == CHOICES


def test_killed_while_asking(town, uninterrupted, tmp_path):
    """SIGKILL: what was answered is on file; SIGINT: the same, and it says how to go on."""
    out = tmp_path / "out"
    with Dying(lambda prompt: time.sleep(0.02) or leaning(prompt)) as server:
        args = ["run", "--set", town, "--model", "m", "--base-url", f"{server.url}/v1", "-n", N, "-o", out]
        command = [
            sys.executable,
            "-m",
            "polbias.cli.main",
            "selfassess",
            *map(str, args),
            "--concurrency",
            "2",
        ]

        def start():
            return subprocess.Popen(
                command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )

        def wait_for(answers):
            while len(server.answered) < answers:
                time.sleep(0.01)

        def on_file():
            return sum(len(lines_of(out / name)) for name in JOURNALS if (out / name).exists())

        process = start()
        wait_for(12)
        process.kill()
        process.communicate()
        time.sleep(0.3)  # the server ends what is under way
        first, answered = on_file(), len(server.answered)
        assert 0 < first <= answered
        process = start()
        wait_for(answered + 60)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert "run the same again to go on" in told
        time.sleep(0.3)
        second, answered = on_file(), len(server.answered)
        assert second > first
        process = start()
        told = process.communicate(timeout=120)
        assert process.returncode == 0, told
        assert len(server.answered) - answered == ARTICLES + CHOICES - second  # only what was not on file
    assert written(out) == uninterrupted


def test_a_full_disk_leaves_a_journal_that_can_be_gone_on_with(run, uninterrupted, tmp_path):
    out = tmp_path / "out"
    with LoopbackOpenAI(leaning) as server:
        old = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, old[1]))
            done = run(server)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, old)
            signal.signal(signal.SIGXFSZ, handler)
        assert isinstance(done.exception, PolbiasError)
        assert "cannot be written" in str(done.exception)
        before = lines_of(out / JOURNALS[0])
        assert 0 < len(before) < ARTICLES
        assert (out / JOURNALS[0]).read_bytes().endswith(b"\n")
        assert run(server).exit_code == 0
    assert lines_of(out / JOURNALS[0])[: len(before)] == before
    assert written(out) == uninterrupted


def test_two_runs_do_not_write_to_one_folder(run, tmp_path):
    from polbias.running.record import Journal

    with LoopbackOpenAI(leaning) as server, Journal(tmp_path / "out" / JOURNALS[0]):
        done = run(server)
        assert isinstance(done.exception, PolbiasError)
        assert "another run is writing" in str(done.exception)
        assert server.count == 0


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(run, tmp_path):
    (tmp_path / "out").write_text("a file")
    with LoopbackOpenAI(leaning) as server:
        done = run(server)
        assert isinstance(done.exception, PolbiasError)
        assert str(tmp_path / "out") in str(done.exception)
        assert server.count == 0


def test_a_lone_surrogate_is_one_and_the_same_before_and_after_a_restart(run, tmp_path):
    with LoopbackOpenAI(lambda p: leaning(p) + ("" if is_choice(p) else " \ud800")) as server:
        assert run(server).exit_code == 0
        asked = server.count
        assert run(server).exit_code == 0
        assert server.count == asked


def test_the_key_stands_nowhere(run, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "x" * 30)
    with LoopbackOpenAI(
        lambda p: leaning(p) if is_choice(p) else leaning(p) + os.environ["OPENAI_API_KEY"]
    ) as server:
        done = run(server)
    assert done.exit_code == 0
    assert "xxxxx" not in done.output
    for path in (tmp_path / "out").rglob("*.json*"):
        assert "xxxxx" not in path.read_text()
