"""Paths of the package's files and of a user's builds, and the user's namespace on the Hub."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

DEFAULT_NAMESPACE = "polbias"  # user or organisation on the Hub


def package_file(relative: str) -> Path:
    """Return the path of a file in polbias, or in another package for ``package:path``."""
    package, _, path = relative.rpartition(":")
    return Path(str(files(package or "polbias"))) / path


def checkout_root() -> Path | None:
    """Return the root of the checkout that contains this package; None if polbias is installed."""
    root = Path(__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "templates").is_dir() else None


def user_namespace() -> str | None:
    """Return the user's namespace on the Hub, ``$POLBIAS_NAMESPACE``; None if it is not set."""
    return os.environ.get("POLBIAS_NAMESPACE", "").strip() or None


def dataset_namespace() -> str:
    """Return the namespace of datasets on the Hub: the user's, else the namespace of polbias."""
    return user_namespace() or DEFAULT_NAMESPACE


def build_root() -> Path:
    """Return the folder of local builds, which has one folder per Hub repository.

    ``$POLBIAS_DATA_DIR`` if it is set, else ``build/datasets`` in the checkout, or in the current folder if
    polbias is installed.
    """
    folder = os.environ.get("POLBIAS_DATA_DIR")
    if folder:
        return Path(folder)
    return (checkout_root() or Path.cwd()) / "build" / "datasets"
