"""Where the toolkit finds its own files and a user's builds."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path


def package_file(relative: str) -> Path:
    """Return the path of a file that ships with the package."""
    package, _, path = relative.rpartition(":")
    return Path(str(files(package or "polbias"))) / path


def checkout_root() -> Path | None:
    """Return the root of the checkout that this package runs from, or None if it is installed."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "templates").is_dir() else None


def build_root() -> Path:
    """Return the folder that holds local builds, one folder per Hub repository.

    ``$POLBIAS_DATA_DIR`` if it is set, else ``build/datasets`` beside the checkout, or in the current
    folder where polbias runs from an installed wheel.
    """
    chosen = os.environ.get("POLBIAS_DATA_DIR")
    if chosen:
        return Path(chosen)
    return (checkout_root() or Path.cwd()) / "build" / "datasets"
