"""What `lm_eval --log_samples` and Inspect leave behind: runs, and the samples in them."""

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
from polbias.errors import InputError, whole_json
from polbias.eval import inspect_logs
from polbias.files import UNZIPPING, without_gz
from polbias.lines import read_lines
from polbias.responses import Response

# Where the samples of runs are.

_LOGLIKELIHOOD = "_loglikelihood"
# lm_eval writes OUTPUT/<model>/samples_<task>_<time>.jsonl; times sort as text.
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl(?:\.gz)?")

_NAMES = ("samples_*.jsonl", *(f"*{suffix}" for suffix in inspect_logs.SUFFIXES))
_COMPRESSED = tuple(f"{name}.gz" for name in _NAMES)


@dataclass(frozen=True, order=True)
class SampleFile:
    """The samples of one task from one run.

    Attributes:
        model: name of the folder that the file is in, which lm_eval makes of the model's name; that name, if
            it is a log of Inspect.
        task: name of the task.
        time: of the run, as in the file's name or the log's header; empty if the name does not say.
        path: of the file.
        name: of the respondent, where that of the model does not tell runs apart.
    """

    model: str
    task: str
    time: str
    path: Path
    name: str = ""

    @property
    def is_loglikelihood(self) -> bool:
        """Whether labels were scored instead of answers written."""
        return self.task.endswith(_LOGLIKELIHOOD)

    @property
    def respondent(self) -> str:
        """The model; by log-likelihood it is one of its own, since those are never pooled with answers."""
        return (self.name or self.model) + (" (log-likelihood)" if self.is_loglikelihood else "")


def find_sample_files(paths: Iterable[Path], newest: bool = True) -> list[SampleFile]:
    """Return the sample files at some paths, by model, task and time."""
    found: set[SampleFile] = set()
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: not there; expected a folder that lm_eval or Inspect wrote, or a file")
        own = [path] if path.is_file() else [*_below(path)]
        if not own:
            raise InputError(
                f"{path}: found no samples_*.jsonl and no log of Inspect (*.eval, *.json), nor *.gz; run "
                f"lm_eval with --log_samples --output_path {path}, or inspect eval with --log-dir {path}"
            )
        found.update(_named(each) for each in own)
    files = sorted(found)
    if not newest:
        return files
    return list({(file.model, file.task): file for file in files}.values())


def _below(folder: Path) -> Iterator[Path]:
    """Yield the sample files in a folder, and the JSON files that are a log of Inspect."""
    for name in (*_NAMES, *_COMPRESSED):
        for path in sorted(folder.rglob(name)):
            plain = without_gz(path)
            is_copy = plain != path and plain.exists()
            if not is_copy and (plain.suffix == ".jsonl" or inspect_logs.is_log(path)):
                yield path


def _named(path: Path) -> SampleFile:
    if inspect_logs.is_log(path):
        log = inspect_logs.header(path)
        return SampleFile(log.model, log.task, log.time, path)
    name = _NAME.fullmatch(path.name)
    model = path.resolve().parent.name
    task, time = (
        (name["task"], name["time"]) if name else (without_gz(path).stem.removeprefix("samples_"), "")
    )
    return SampleFile(model, task, time, path)


# Read logged samples; what cannot be read is reported, and the rest goes on.

_NEEDED = ("doc", "filtered_resps")


@dataclass(frozen=True)
class SkippedLine:
    """A line that was left out.

    Attributes:
        path: of the file.
        line: its number, from 1.
        found: what is wrong with it.
    """

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}; the line is left out"


def read_samples(path: Path, problems: list[SkippedLine]) -> Iterator[Json]:
    """Return the samples of a file, one after the other."""
    return (sample for _, sample in numbered_samples(path, problems))


def numbered_samples(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    """Yield the samples of a file with their lines; as :func:`read_samples`."""
    seen: set[tuple[Any, Any]] = set()
    for number, sample in _logged(path, problems):
        problem = _problem(sample)
        key = (sample.get("doc_id"), sample.get("filter"))
        if problem is None and key[0] is not None and key in seen:
            problem = f"document {key[0]} stands there twice"
        if problem is not None:
            problems.append(SkippedLine(path, number, problem))
            continue
        seen.add(key)
        _restore_responses(sample)
        yield number, sample


def _logged(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    return inspect_logs.samples(path) if inspect_logs.is_log(path) else json_lines(path, problems)


def json_lines(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, Json]]:
    """Yield number and content of every line of a JSON Lines file."""
    import orjson

    for number, line in _lines(path, problems):
        if line.isspace():
            continue
        try:
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError:  # it is stricter: NaN, half a character
                record = whole_json(json.loads(line))
        except (ValueError, RecursionError):
            kind = "cut off" if not line.endswith(b"\n") else "no JSON"
            found = f"found {line[:40]!r}, {kind}; expected one JSON object a line"
            problems.append(SkippedLine(path, number, found))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            found = f"found {type(record).__name__}, expected an object"
            problems.append(SkippedLine(path, number, found))


def _lines(path: Path, problems: list[SkippedLine]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; a compressed one may end where it is damaged."""
    n_lines = 0
    try:
        for n_lines, line in read_lines(path):
            yield n_lines, line
    except UNZIPPING as error:
        found = f"found gzip that is damaged or cut off ({error}), expected the whole file"
        problems.append(SkippedLine(path, n_lines + 1, found))


def first_row(path: Path) -> Json:
    """Return the first row that samples are of which names its dataset, else the first; empty without any."""
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
    missing = [name for name in _NEEDED if name not in sample]
    if missing:
        return f"found no {' and no '.join(missing)}, expected a sample of lm_eval"
    if not isinstance(sample["doc"], dict):
        return f"doc: found {type(sample['doc']).__name__}, expected an object"
    for name in ("doc_id", "filter"):
        if isinstance(sample.get(name), list | dict):
            return f"{name}: found {type(sample[name]).__name__}, expected a single value"
    return None


def _restore_responses(sample: Json) -> None:
    """Make each answer a response with its finish reason and what else the field ``polbias`` has of it."""
    metadata, answers = sample.get("polbias"), sample["filtered_resps"]
    if not isinstance(metadata, list) or not isinstance(answers, list):
        return
    texts = flatten_responses(answers)
    if len(texts) == len(metadata) and all(isinstance(text, str) for text in texts):
        sample["filtered_resps"] = [
            Response(text, about) if about and isinstance(about, dict) else text
            for text, about in zip(texts, metadata, strict=True)
        ]


_NO_METRICS = frozenset({"doc_id", "target", "truth", "polbias", "filtered"})
"""Numbers of a sample that are no metric."""


def metrics_of(sample: Document) -> list[str]:
    """Return the names of the metrics of a sample; earlier versions of lm_eval do not list them."""
    listed = sample.get("metrics")
    if isinstance(listed, list):
        return listed
    return [
        name for name, value in sample.items() if isinstance(value, int | float) and name not in _NO_METRICS
    ]


def row_digest(row: Document) -> str:
    """Return a digest of a row that does not depend on the version of its dataset."""
    own = {name: value for name, value in row.items() if name != "dataset_version"}
    return sha256(json.dumps(own, sort_keys=True, default=str).encode()).hexdigest()


@contextmanager
def skip_invalid_sample(problems: list[SkippedLine], path: Path, line: int) -> Iterator[None]:
    """Report a sample that lacks what its reader needs, and go on without it."""
    try:
        yield
    except KeyError as error:
        problems.append(
            SkippedLine(path, line, f"found no {error} in its doc, expected a sample of this task")
        )
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        problems.append(SkippedLine(path, line, f"found what is no sample of this task ({reason})"))


# What families read of a sample.


def generated_texts(answers: Any) -> list[str]:
    """Return the answers of a sample in words."""
    found = flatten_responses(answers)
    if not found:
        raise ValueError("filtered_resps: found none, expected an answer")
    for text in found:
        if not isinstance(text, str):
            raise TypeError(f"filtered_resps: found {text!r:.40}, expected a text")
    return found


def check_row(row: Document, names: Iterable[str], known: Mapping[str, Collection[Any]]) -> Json:
    """Refuse a row that has no name where there must be one, or a level that there is not."""
    for name in names:
        if not isinstance(row[name], str) or not row[name]:
            raise ValueError(f"{name}: found {row[name]!r}, expected a name")
    for name, levels in known.items():
        if row[name] not in levels:
            raise ValueError(f"{name}: found {row[name]!r}, expected {' or '.join(map(str, levels))}")
    return dict(row)


def flatten_responses(answers: Iterable[Any]) -> list[str]:
    """Return all answers to a prompt, whether they came from several requests or from one repeated."""
    listed = [*answers]
    if {*map(type, listed)} == {str}:
        return listed
    found: list[str | None] = []
    for each in listed:
        found += each if isinstance(each, list | tuple) else [each]
    return ["" if text is None else text for text in found]
