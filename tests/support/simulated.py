"""`polbias simulate serve` in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.process import ROOT


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the server as a user does, and end it with Ctrl-C."""
    process = subprocess.Popen(
        [sys.executable, "-m", "polbias.cli.main", "simulate", "serve", *options],
        env={**os.environ, "POLBIAS_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+/v1", line)
    assert address, line + process.communicate()[1]
    try:
        yield process, address[0]
    finally:
        process.kill()
        process.communicate()
