"""Golden files: what was said before, beside what is said now."""

from __future__ import annotations

import csv
import difflib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app

DATA = Path(__file__).parent / "data"
_DIGITS = 12
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def invoke(*args: object) -> str:
    """Run a command; what it prints."""
    done = CliRunner().invoke(app, [*map(str, args)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def check(name: str | Path, text: str) -> None:
    """Compare a text with its golden file, or the file of a path; POLBIAS_UPDATE_GOLDEN=1 writes it anew.

    The last digits of numbers may differ, as linear algebra does from machine to machine.
    """
    path = DATA / name
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    expected = path.read_text("utf-8").splitlines()
    found = text.splitlines()
    if len(found) == len(expected):
        found = [old if _same(old, new) else new for old, new in zip(expected, found, strict=True)]
    wrong = [*difflib.unified_diff(expected, found, "golden", "found", lineterm="", n=0)]
    assert not wrong, f"{path.name}:\n" + "\n".join(line[:300] for line in wrong[:60])


def check_folder(name: str, texts: Mapping[str, str]) -> None:
    """Compare texts with the files of a golden folder, and their names."""
    folder = DATA / name
    for file, text in texts.items():
        check(f"{name}/{file}", text)
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        for path in folder.iterdir():
            if path.name not in texts:
                path.unlink()
    assert {path.name for path in folder.iterdir()} == {*texts}


def _same(old: str, new: str) -> bool:
    if old == new:
        return True
    if _NUMBER.sub("", old) != _NUMBER.sub("", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(one == two or _close(one, two) for one, two in pairs)


def _close(one: str, two: str) -> bool:
    exact = "." not in one + two and "e" not in one + two
    return not exact and float(one) == pytest.approx(float(two), rel=1e-7, abs=1e-9)


def table(text: str) -> str:
    """A CSV with its numbers rounded."""
    out = io.StringIO()
    rows = csv.reader(io.StringIO(text))
    csv.writer(out, lineterminator="\n").writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def _cell(cell: str) -> str:
    return str(rounded(float(cell))) if re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?|-?\de[+-]?\d+", cell) else cell


def rounded(value: Any) -> Any:
    """A value of JSON with its numbers rounded."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") + 0.0
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


def lines(value: Mapping[str, Any]) -> str:
    """A mapping as JSON, a line for each name."""
    said = (f"{_json(key)}: {_json(rounded(each))}" for key, each in value.items())
    return "{\n" + ",\n".join(said) + "\n}\n"


def blocks(value: Mapping[str, Mapping[str, Any]]) -> str:
    """A mapping of mappings as JSON, a line for each inner name."""
    said = (f"{_json(key)}: {lines(each).rstrip()}" for key, each in value.items())
    return "{\n" + ",\n".join(said) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def tables(paths: Iterable[Path]) -> dict[str, str]:
    """CSVs and summaries, rounded; without the version of the package."""
    found = {}
    for path in sorted(paths):
        if path.suffix == ".csv":
            found[path.name] = table(path.read_text("utf-8"))
        elif path.suffix == ".json":
            read = json.loads(path.read_text("utf-8"))
            read.pop("polbias", None)
            found[path.name] = json.dumps(rounded(read), indent=1, ensure_ascii=False) + "\n"
    return found
