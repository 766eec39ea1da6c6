"""Builds by the command line, as a user types it, and what they leave."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.process import run_python

NAME, ROWS, SHARDS = "partisan-inference-xl", 4800, 40
_SECONDS = 400


def build(
    out: Path, executor: str, env: Mapping[str, str] | None = None, workers: int = 2
) -> subprocess.CompletedProcess[str]:
    """Run ``polbias build`` with an executor.

    Args:
        out: the folder that gets one folder per dataset.
        executor: its name; ``inprocess`` has one worker.
        env: variables of the cluster.
        workers: of the other executors.
    """
    options = ["--rows", str(ROWS), "--shards", str(SHARDS), "--executor", executor, "--output", str(out)]
    if executor != "inprocess":
        options += ["--workers", str(workers)]
    command = ["-m", "polbias.cli.main", "build", NAME, *options]
    return run_python(command, env={"COLUMNS": "300", **(env or {})}, timeout=_SECONDS, check=False)


def published(out: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of the dataset, without those of its run."""
    folder = out / NAME
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".run" not in path.relative_to(folder).parts
    }
