"""Reader of samples logged by `lm_eval --log_samples` and by Inspect."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError, replace_json_surrogates
from polbias.eval import inspect_logs
from polbias.files import GZIP_ERRORS, without_gz
from polbias.lines import read_lines
from polbias.responses import Response

_LOGLIKELIHOOD = "_loglikelihood"
# lm_eval writes OUTPUT/<model>/samples_<task>_<time>.jsonl; times sort as text.
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl(?:\.gz)?")

_NAMES = ("samples_*.jsonl", *(f"*{suffix}" for suffix in inspect_logs.SUFFIXES))
_COMPRESSED = tuple(f"{name}.gz" for name in _NAMES)


@dataclass(frozen=True, order=True)
class SampleFile:
    """The samples of one task from one run.

    Attributes:
        model: model name as in lm_eval's folder names.
        task: name of the task.
        time: time of the run, from the file name or the log's header; empty if unknown.
        path: path of the file.
        name: name of the respondent, if several runs share a model name.
        run: number of the run among the runs of its task that are averaged, from 0.
    """

    model: str
    task: str
    time: str
    path: Path
    name: str = ""
    run: int = 0

    @property
    def is_loglikelihood(self) -> bool:
        """Whether labels were scored by log-likelihood instead of generated."""
        return self.task.endswith(_LOGLIKELIHOOD)

    @property
    def respondent(self) -> str:
        """Name of the respondent; log-likelihoods are a separate one, never pooled with answers."""
        return (self.name or self.model) + (" (log-likelihood)" if self.is_loglikelihood else "")


def find_sample_files(paths: Iterable[Path], newest: bool = True) -> list[SampleFile]:
    """Return the sample files at these paths, sorted by model, task and time."""
    found: set[SampleFile] = set()
    for path in paths:
        if not path.exists():
            raise InputError(
                f"{path}: not found; expected a sample file, or a folder written by `polbias eval`, lm_eval "
                "or Inspect"
            )
        sample_paths = [path] if path.is_file() else [*_below(path)]
        if not sample_paths:
            raise InputError(
                f"{path}: found no samples_*.jsonl and no log of Inspect (*.eval, *.json), nor *.gz; run "
                f"`polbias eval` with --output_path {path}, lm_eval with --log_samples --output_path {path}, "
                f"or inspect eval with --log-dir {path}"
            )
        found.update(_sample_file(sample_path) for sample_path in sample_paths)
    files = sorted(found)
    if not newest:
        return files
    return list({(file.model, file.task): file for file in files}.values())


def _below(folder: Path) -> Iterator[Path]:
    """Yield the sample files and the Inspect logs below a folder."""
    for name in (*_NAMES, *_COMPRESSED):
        for path in sorted(folder.rglob(name)):
            plain = without_gz(path)
            is_copy = plain != path and plain.exists()
            if not is_copy and (plain.suffix == ".jsonl" or inspect_logs.is_log(path)):
                yield path


def _sample_file(path: Path) -> SampleFile:
    if inspect_logs.is_log(path):
        log = inspect_logs.header(path)
        return SampleFile(log.model, log.task, log.time, path)
    name = _NAME.fullmatch(path.name)
    model = path.resolve().parent.name
    task, time = (
        (name["task"], name["time"]) if name else (without_gz(path).stem.removeprefix("samples_"), "")
    )
    return SampleFile(model, task, time, path)


# Samples are read one by one; invalid lines are skipped and reported.

_REQUIRED_KEYS = ("doc", "filtered_resps")


@dataclass(frozen=True)
class SkippedLine:
    """A skipped line of a sample file.

    Attributes:
        path: path of the file.
        line: line number, from 1.
        problem: reason in words.
    """

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}; the line is skipped"


def read_samples(path: Path, problems: list[SkippedLine]) -> Iterator[Json]:
    """Yield the samples of a file; add skipped lines to `problems`."""
    return (sample for _, sample in numbered_samples(path, problems))


def numbered_samples(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    """Yield line number and sample, as :func:`read_samples`."""
    seen: set[tuple[Any, Any]] = set()
    for number, sample in _iter_records(path, problems):
        problem = _problem(sample)
        key = (sample.get("doc_id"), sample.get("filter"))
        if problem is None and key[0] is not None and key in seen:
            problem = f"found document {key[0]} a second time, expected it once"
        if problem is not None:
            problems.append(SkippedLine(path, number, problem))
            continue
        seen.add(key)
        _restore_responses(sample)
        yield number, sample


def _iter_records(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    return inspect_logs.samples(path) if inspect_logs.is_log(path) else json_lines(path, problems)


def json_lines(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    """Yield line number and object of each line of a JSON Lines file."""
    import orjson

    for number, line in _lines(path, problems):
        if line.isspace():
            continue
        try:
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError:  # stricter than json: NaN, unpaired surrogates
                record = replace_json_surrogates(json.loads(line))
        except (ValueError, RecursionError):
            kind = "truncated" if not line.endswith(b"\n") else "not JSON"
            problem = f"found {line[:40]!r}, {kind}; expected one JSON object per line"
            problems.append(SkippedLine(path, number, problem))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            problem = f"found {type(record).__name__}, expected an object"
            problems.append(SkippedLine(path, number, problem))


def _lines(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, bytes]]:
    """Yield line number and line; a damaged compressed file ends at the damage."""
    n_lines = 0
    try:
        for n_lines, line in read_lines(path):
            yield n_lines, line
    except GZIP_ERRORS as error:
        problem = f"found damaged or truncated gzip ({error}), expected a complete file"
        problems.append(SkippedLine(path, n_lines + 1, problem))


def first_row(path: Path) -> Json:
    """Return the first row that names its dataset, else the first row; empty if there is none."""
    if inspect_logs.is_log(path):
        return inspect_logs.first_row(path)
    first: Json = {}
    for _, sample in json_lines(path, []):
        row = sample.get("doc")
        if isinstance(row, dict) and row:
            if row.get("dataset"):
                return row
            first = first or row
    return first


def _problem(sample: Json) -> str | None:
    missing = [name for name in _REQUIRED_KEYS if name not in sample]
    if missing:
        return f"found no {' and no '.join(missing)}, expected a sample of lm_eval"
    if not isinstance(sample["doc"], dict):
        return f"doc: found {type(sample['doc']).__name__}, expected an object"
    for name in ("doc_id", "filter"):
        if isinstance(sample.get(name), list | dict):
            return f"{name}: found {type(sample[name]).__name__}, expected a single value"
    return None


def _restore_responses(sample: Json) -> None:
    """Attach the metadata in field ``polbias`` (finish reason, usage, ...) to each answer."""
    metadata, answers = sample.get("polbias"), sample["filtered_resps"]
    if not isinstance(metadata, list) or not isinstance(answers, list):
        return
    texts = flatten_responses(answers)
    if len(texts) == len(metadata) and all(isinstance(text, str) for text in texts):
        sample["filtered_resps"] = [
            Response(text, fields) if fields and isinstance(fields, dict) else text
            for text, fields in zip(texts, metadata, strict=True)
        ]


_NO_METRICS = frozenset({"doc_id", "target", "truth", "polbias", "filtered"})
"""Numeric fields of a sample that are not metrics."""


def metrics_of(sample: Document) -> list[str]:
    """Return the names of the metrics of a sample; older versions of lm_eval do not list them."""
    names = sample.get("metrics")
    if isinstance(names, list):
        return names
    return [
        name for name, value in sample.items() if isinstance(value, int | float) and name not in _NO_METRICS
    ]


def row_digest(row: Document) -> str:
    """Return a hash of a row without its dataset version."""
    versionless = {name: value for name, value in row.items() if name != "dataset_version"}
    return sha256(json.dumps(versionless, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def skip_invalid_sample(problems: list[SkippedLine], path: Path, line: int) -> Iterator[None]:
    """Skip a sample whose fields are missing or invalid, and add it to `problems`."""
    try:
        yield
    except KeyError as error:
        problems.append(
            SkippedLine(path, line, f"found no {error} in its doc, expected a sample of this task")
        )
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        problems.append(SkippedLine(path, line, f"found an invalid sample of this task ({reason})"))


def generated_texts(answers: Any) -> list[str]:
    """Return the generated answers of a sample."""
    texts = flatten_responses(answers)
    if not texts:
        raise ValueError("filtered_resps: found none, expected an answer")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"filtered_resps: found {text!r:.40}, expected a text")
    return texts


def check_row(row: Document, names: Iterable[str], levels_by_name: Mapping[str, Collection[Any]]) -> Json:
    """Raise an error if a row lacks a name or has an unknown level; return a copy."""
    for name in names:
        if not isinstance(row[name], str) or not row[name]:
            raise ValueError(f"{name}: found {row[name]!r}, expected a name")
    for name, levels in levels_by_name.items():
        if row[name] not in levels:
            raise ValueError(f"{name}: found {row[name]!r}, expected {' or '.join(map(str, levels))}")
    return dict(row)


def flatten_responses(answers: Iterable[Any]) -> list[str]:
    """Return all answers to a prompt as one list, from several requests or repeats of one."""
    responses = [*answers]
    if {*map(type, responses)} == {str}:
        return responses
    texts: list[str | None] = []
    for response in responses:
        texts += response if isinstance(response, list | tuple) else [response]
    return ["" if text is None else text for text in texts]
