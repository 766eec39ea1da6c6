"""Python in a fresh process, where the environment must be set before an import."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

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
