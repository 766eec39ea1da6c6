"""Build a wheel of the checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.process import ROOT, run_python

_LEFT_OUT = shutil.ignore_patterns(
    ".venv", ".git", "build", "dist", "*.egg-info", ".*_cache", "_build", ".hypothesis"
)


def build_wheel(folder: Path) -> Path:
    """Build the wheel from a copy, so that the checkout stays clean.

    Args:
        folder: where to work; the wheel is left there.

    Returns:
        The wheel.
    """
    source = folder / "source"
    shutil.copytree(ROOT, source, symlinks=True, ignore=_LEFT_OUT)
    # what pip calls, without pip's processes around it
    run_python(f"import setuptools.build_meta as build\nbuild.build_wheel({str(folder)!r})", cwd=source)
    return next(folder.glob("*.whl"))
