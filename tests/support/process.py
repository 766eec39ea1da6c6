"""Python in a fresh process, where the environment must be set before an import, and commands in this one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).resolve().parents[2]

_PRIVATE = ("HF_", "HUGGING_FACE_", "POLBIAS_", "OPENAI_", "DEEPL_")


def run_python(
    code_or_args: str | Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 120.0,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process that knows no token, no cache and no setting of the user.

    Args:
        code_or_args: source code, indented as one likes, or the arguments of the interpreter.
        env: variables added to the cleaned environment.
        cwd: working directory; the repository root unless given.
        timeout: seconds after which the process is killed.
        check: fail with the output of the process if it does not exit with 0.

    Returns:
        The finished process, with stdout and stderr as text.

    Raises:
        AssertionError: the process failed and `check` is set.
        subprocess.TimeoutExpired: the process took too long.
    """
    args = ["-c", dedent(code_or_args)] if isinstance(code_or_args, str) else list(code_or_args)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PRIVATE)}
    path = os.pathsep.join(filter(None, [str(ROOT), inherited.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *args],
        env={**inherited, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **(env or {})},
        cwd=cwd or ROOT,
        timeout=timeout,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


_COMMANDS = """
import json, sys
from polbias.cli.main import run
from tests.support.lm_eval_ours import lm_eval
for name, *told in json.loads(sys.argv[1]):
    sys.argv = [name, *told]
    try:
        (lm_eval if name == "lm_eval" else run)()
    except SystemExit as end:
        if end.code:
            raise
    print(end="\\0", flush=True)
"""


def run_commands(*commands: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> Sequence[str]:
    """Run commands of `polbias` and `lm_eval` one after another in a new process; return what each printed."""
    return run_python(["-c", _COMMANDS, json.dumps(commands)], env=env, cwd=cwd).stdout.split("\0")[:-1]


def run_polbias(
    *args: object,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: bytes = b"",
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run `polbias` in this process, which has its imports, as `run_python` does in a new one."""
    from polbias.cli.main import run

    return run_here(run, ["polbias", *map(str, args)], env=env, cwd=cwd, stdin=stdin, check=check)


def run_here(
    main: Callable[[], object],
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: bytes = b"",
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run the entry point of a command in this process, with an environment and streams of its own."""
    streams = [
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", write_through=True) for data in (stdin, b"", b"")
    ]
    status = 0
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(_PRIVATE)]:
            patch.delenv(name)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        patch.chdir(cwd or ROOT)
        patch.setattr(sys, "argv", [*argv])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception:
            traceback.print_exc()
            status = 1
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])  # type: ignore[attr-defined]
    if check and status:
        raise AssertionError(f"exit status {status}\n{out}\n{err}")
    return subprocess.CompletedProcess([*argv], status, out, err)
