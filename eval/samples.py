"""Read logged samples; what cannot be read is reported, and the rest goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.aliases import Json
from polbias.files import InputError

_NEEDED = ("doc", "filtered_resps")


@dataclass(frozen=True)
class Problem:
    """A line that was left out.

    Attributes:
        path: of the file.
        line: its number, from 1.
        found: what is wrong with it.
    """

    path: Path
    line: int
    found: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.found}; the line is left out"


def read_samples(path: Path, problems: list[Problem]) -> Iterator[Json]:
    """Return the samples of a file, one after the other.

    Args:
        path: a ``samples_*.jsonl`` of lm_eval.
        problems: receives the lines that are cut off, lack a field or repeat a document.

    Raises:
        InputError: if the file cannot be opened.
    """
    return (sample for _, sample in numbered_samples(path, problems))


def numbered_samples(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Json]]:
    """Yield the samples of a file with their lines; as :func:`read_samples`."""
    seen: set[tuple[Any, Any]] = set()
    for number, sample in json_lines(path, problems):
        problem = _problem(sample)
        key = (sample.get("doc_id"), sample.get("filter"))
        if problem is None and key[0] is not None and key in seen:
            problem = f"document {key[0]} stands there twice"
        if problem is not None:
            problems.append(Problem(path, number, problem))
            continue
        seen.add(key)
        yield number, sample


def json_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Json]]:
    """Yield number and content of every line of a JSON Lines file.

    Args:
        path: of the file.
        problems: receives the lines that are cut off or hold no object.

    Raises:
        InputError: if the file cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    with file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                kind = "cut off" if not line.endswith(b"\n") else "no JSON"
                found = f"found {line[:40]!r}, {kind}; expected one JSON object a line"
                problems.append(Problem(path, number, found))
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                found = f"found {type(record).__name__}, expected an object"
                problems.append(Problem(path, number, found))


def first_row(path: Path) -> Json:
    """Return the first row that samples are of which names its dataset, else the first; empty without any.

    Args:
        path: of the samples.

    Raises:
        InputError: if the file cannot be opened.
    """
    first: Json = {}
    for _, sample in json_lines(path, []):
        row = sample.get("doc")
        if isinstance(row, dict) and row:
            if row.get("dataset"):
                return row
            first = first or row
    return first


def _problem(sample: Json) -> str | None:
    missing = [name for name in _NEEDED if name not in sample]
    if missing:
        return f"found no {' and no '.join(missing)}, expected a sample of lm_eval"
    if not isinstance(sample["doc"], dict):
        return f"doc: found {type(sample['doc']).__name__}, expected an object"
    for name in ("doc_id", "filter"):
        if isinstance(sample.get(name), list | dict):
            return f"{name}: found {type(sample[name]).__name__}, expected a single value"
    return None


@contextmanager
def left_out(problems: list[Problem], path: Path, line: int) -> Iterator[None]:
    """Report a sample that lacks what its reader needs, and go on without it.

    Args:
        problems: receives it.
        path: of the file.
        line: of the sample.
    """
    try:
        yield
    except KeyError as error:
        problems.append(Problem(path, line, f"found no {error} in its doc, expected a sample of this task"))
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        problems.append(Problem(path, line, f"found what is no sample of this task ({reason})"))
