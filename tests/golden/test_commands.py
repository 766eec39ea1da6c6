"""What other people type and import: the help of every command, and the public names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from typer.main import get_command

from polbias.cli.main import app
from tests.golden.files import check, invoke, lines

# DESIGN, "Public names that others rely on"
_PUBLIC = (
    "polbias.eval.answers.Verdict",
    "polbias.eval.answers.extract_cards",
    "polbias.eval.answers.extract_choice",
    "polbias.eval.answers.extract_conclusion",
    "polbias.eval.answers.extract_entailment",
    "polbias.eval.answers.extract_stance",
    "polbias.eval.answers.extract_truth",
    "polbias.eval.answers.extract_validity",
    "polbias.eval.bias.unweighted_bias",
    "polbias.eval.bias.weighted_bias",
    "polbias.generators.engine.run_shard",
    "polbias.registry.instrument_of",
)


def test_help_of_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "dumb")
    told = []
    for path in _commands(get_command(app), ()):
        text = re.sub(r"\x1b\[[0-9;]*m", "", invoke(*path, "--help"))
        text = re.sub(r"(--workers .*\[default:) \d+\] *", r"\1 CORES] ", text)
        told.append("\n".join(line.rstrip() for line in text.splitlines()).strip())
    assert len(told) >= 35
    check("help.txt", "\n\n\n".join(told) + "\n")


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, each in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(each, (*path, name))


def test_public_names() -> None:
    found = {}
    for name in _PUBLIC:
        module, _, own = name.rpartition(".")
        # where a type of the signature lives is not part of it
        found[name] = re.sub(
            r"\b(?:\w+\.)+(?=\w)", "", str(inspect.signature(getattr(import_module(module), own)))
        )
    check("public.json", lines(found))
