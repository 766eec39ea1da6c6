"""`polbias eval` as a user types it: in a process of its own, with a server that is killed in the middle."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from polbias.lm_eval_runner.tasks import catalogue
from tests.support.openai_server import LoopbackOpenAI
from tests.support.process import run_polbias, run_python

TASK = "polbias_en_formal"


def polbias(*args: str, cwd: Path, check: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {"NO_COLOR": "1", "XDG_CACHE_HOME": str(cwd / "cache"), "HF_HUB_OFFLINE": "1", **env}
    return run_polbias("eval", *args, env=environment, cwd=cwd, check=check)


def test_the_list_has_a_line_for_every_name(tmp_path: Path) -> None:
    told = polbias("--list", cwd=tmp_path, check=True).stdout.splitlines()
    assert sorted(line.split()[0] for line in told) == list(catalogue().names)
    line = next(line for line in told if line.startswith("polbias_policy_stance_mini "))
    assert line.split(maxsplit=1)[1] == (
        "writes policy-statements/all, variants original and negation, instructions 1, 4 answers each"
    )
    some = polbias("--list", "--tasks", "polbias_w*", cwd=tmp_path, check=True).stdout
    assert [line.split()[0] for line in some.splitlines()] == ["polbias_wason_loglikelihood", "polbias_wason"]


def test_help_names_the_options_and_lm_eval_s(tmp_path: Path) -> None:
    told = polbias("--help", cwd=tmp_path, check=True, COLUMNS="200").stdout
    for word in ("--list", "--no-cache", "--cache-dir", "--cost", "--model_args", "lm_eval run -h"):
        assert word in told
    assert "--apply_chat_template" in polbias("-h", cwd=tmp_path, check=True).stdout


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        (["--model", "dummy", "--tasks", "polbias_en_frmal"], 2, "nearest: polbias_en_formal"),
        (["--model", "dummy"], 2, "names no task"),
        (["--nonsense"], 2, "unrecognized arguments: --nonsense"),
        (["--model", "vllm", "--tasks", TASK], 1, "pip install 'lm_eval[vllm]'"),
    ],
)
def test_a_problem_is_one_line(tmp_path: Path, args: list[str], status: int, told: str) -> None:
    done = polbias(*args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("polbias: ")
    assert told in line


def test_without_lm_eval_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "lm_eval.py").write_text("raise ImportError('no lm_eval here')", "utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv[1:] = ['eval', '--tasks', {TASK!r}]\n"
        "from polbias.cli.main import run; run()"
    )
    done = run_python(["-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("polbias: lm_eval cannot be used (no lm_eval here); run `pip check`")


@pytest.mark.e2e
def test_a_server_killed_after_100_of_200(tmp_path: Path, partisan_build: Path) -> None:
    answered: list[str] = []
    lock = threading.Lock()

    def answer(prompt: str) -> str:
        with lock:
            answered.append(prompt)
            if len(answered) == 101:
                threading.Thread(target=dying.stop).start()
        if len(answered) > 100:
            threading.Event().wait(30)  # no answer any more: the connections are cut
        return "**valid**"

    def ask(server: LoopbackOpenAI) -> subprocess.CompletedProcess[str]:
        # One address for both servers, as a server that is started again has.
        where = f"{server.url}/v1/chat/completions"
        arguments = f"model=stub,base_url={where},max_retries=2,num_concurrent=4"
        return polbias(
            *(
                "--model",
                "local-chat-completions",
                "--model_args",
                arguments,
                "--tasks",
                TASK,
                "--limit",
                "200",
            ),
            cwd=tmp_path,
            POLBIAS_DATA_DIR=str(partisan_build),
        )

    dying = LoopbackOpenAI(answer)
    with dying:
        broken = ask(dying)
    assert broken.returncode == 1
    assert "Traceback" not in broken.stderr
    (last,) = [line for line in broken.stderr.splitlines() if line.startswith("polbias: ")]
    assert "the model stopped after 100 of 200 requests" in last
    assert "its answers are cached: run the same command again; 100 are missing" in last
    assert not list(tmp_path.rglob("results_*.json"))

    asked: list[str] = []
    with _at(dying.url, lambda prompt: asked.append(prompt) or "**valid**") as server:
        done = ask(server)
    assert done.returncode == 0, done.stderr
    assert len(asked) == 100
    assert not {*asked} & {*answered[:100]}
    assert "requests: 100 sent, 100 answered from" in done.stdout
    assert next(tmp_path.rglob("samples_*.jsonl")).read_text("utf-8").count("\n") == 200


def _at(url: str, answer: object) -> LoopbackOpenAI:
    """A server at the address of one that died."""
    server = LoopbackOpenAI(answer)  # type: ignore[arg-type]
    inner = server._server
    inner.server_close()
    inner.socket = inner.socket.__class__(inner.address_family, inner.socket_type)
    inner.allow_reuse_address = True
    inner.server_address = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
    inner.server_bind()
    inner.server_activate()
    return server
