"""Texts of others on a terminal: none of them commands it, in any command and message."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.report.test_compare import sample, write
from tests.support.builds import write_build
from tests.support.loopback import LoopbackServer, Reply, Request
from tests.support.process import ROOT

pytestmark = pytest.mark.e2e

SIGNS = "\x1b]52;c;aGk=\x07\x1b[2J\x1b]0;title\x1b\\\x9b2J\x90\u202e\u2066\x08"
_OURS = re.compile(r"\x1b\[(?:[\d;]*m|\?25[lh]|[\d;]*[AK])")  # colours of rich, bars of rich and tqdm


def on_terminal(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, columns: int = 200
) -> tuple[int, str]:
    """Run `polbias` on a terminal of its own; return its exit status and what was shown."""
    main, end = pty.openpty()
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": str(columns)}
    command = [sys.executable, "-c", "from polbias.cli.main import run; run()", *arguments]
    process = subprocess.Popen(
        command, cwd=cwd, env={**variables, **(env or {})}, stdin=end, stdout=end, stderr=end
    )
    os.close(end)
    shown = bytearray()
    while True:
        try:
            block = os.read(main, 65_536)
        except OSError:  # all that could write is gone
            break
        if not block:
            break
        shown += block
    os.close(main)
    return process.wait(), shown.decode("utf-8", "replace")


def assert_harmless(shown: str) -> None:
    """Assert that a terminal was given nothing but colours and bars of ours to obey."""
    rest = _OURS.sub("", shown)
    assert "\\x1b]52;c;aGk=" in re.sub(r"\s", "", rest)
    assert not re.findall(
        "[^\n\r\t -~\xa0-\u061b\u061d-\u200d\u2010-\u2027\u2030-\u2065\u2070-\U0010ffff]", rest
    )


@pytest.fixture
def rows(tmp_path: Path, policy_row: dict[str, object]) -> Path:
    """A build whose row would command the terminal."""
    folder = tmp_path / "data"
    folder.mkdir()
    write_build(
        folder, "policy-statements", {"de": [policy_row | {"prompt": f"{SIGNS} {policy_row['prompt']}"}]}
    )
    return folder


@pytest.fixture
def policy_row() -> dict[str, object]:
    from polbias.generators.engine import TableRows
    from polbias.generators.policy.tables import dataset

    spec = next(spec for spec in dataset().tables if spec.config == "de")
    return next(iter(TableRows(spec).batches(0, 1))).to_pylist()[0]


def test_a_row_that_is_shown(rows: Path, tmp_path: Path) -> None:
    env = {"POLBIAS_DATA_DIR": str(rows), "POLBIAS_LOCK": str(rows / "datasets.lock")}
    status, shown = on_terminal("show", "policy-statements/de", "-n", "1", cwd=tmp_path, env=env)
    assert status == 0, shown
    assert "\x1b[" in shown  # colours of rich
    assert_harmless(shown)


@pytest.mark.parametrize("command", [("report", "-o", "out"), ("compare",)])
def test_folders_that_are_named_so(command: tuple[str, ...], tmp_path: Path) -> None:
    for side in "ab":
        folder = tmp_path / f"{side}{SIGNS}"
        write(folder, [sample(number, acc=number % 2) for number in range(4)], f"sums{SIGNS}")
    names = [path.name for path in sorted(tmp_path.iterdir())]
    _, shown = on_terminal(*command, *names, cwd=tmp_path)
    assert_harmless(shown)


class Server(LoopbackServer):
    """A server whose errors would command the terminal."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self._status = status

    def respond(self, request: Request) -> Reply:
        """Return the error."""
        return Reply.json({"error": {"message": f"no {SIGNS}", "code": SIGNS}}, self._status)


@pytest.mark.parametrize(("status", "level"), [(400, "WARNING"), (500, "DEBUG")])
def test_a_message_of_a_server(partisan_build: Path, tmp_path: Path, status: int, level: str) -> None:
    env = {"POLBIAS_DATA_DIR": str(partisan_build), "OPENAI_API_KEY": "none", "LMEVAL_LOG_LEVEL": level}
    with Server(status) as server:
        url = f"{server.url}/v1/chat/completions"
        model_args = json.dumps({"model": "stub", "base_url": url, "max_retries": 1})
        options = ["--tasks", "polbias_en_formal_mini", "--limit", "2", "--no-cache", "--no-report"]
        model = ["--model", "local-chat-completions", "--model_args", model_args]
        code, shown = on_terminal("eval", *model, *options, cwd=tmp_path, env=env)
    assert code == 1
    assert_harmless(shown)


def test_an_error_that_nobody_foresaw(tmp_path: Path) -> None:
    code = (
        "import polbias.cli.show as show\n"
        "from polbias.cli import main\n"
        "def fail(*_):\n"
        f"    raise LookupError({SIGNS!r})\n"
        "show.registry.dataset_names = fail\n"
        "main.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "list"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "LookupError" in done.stderr
    assert_harmless(done.stderr)
