"""The packages of this environment, without some of them."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from tests.support.process import ROOT


def link_packages(folder: Path, *, without: tuple[str, ...]) -> dict[str, str]:
    """Link what is installed into a folder, but for some names; return the environment of ``python -S``."""
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(without):
            (folder / path.name).symlink_to(path)
    return {"PYTHONPATH": f"{folder}:{ROOT}"}
