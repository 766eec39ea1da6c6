"""Checks of the source tree that `make lint` runs, in addition to ruff, mypy, import-linter and reuse."""
