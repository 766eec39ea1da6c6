"""Reader of Inspect logs: yields their samples in the form that lm_eval logs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile, ZipFile, is_zipfile

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.files import GZIP_ERRORS, open_bytes, read_bytes, without_gz
from polbias.limits import MAX_ENTRY, MAX_TOTAL
from polbias.optional import install_command, is_installed
from polbias.responses import is_withheld

SUFFIXES = (".eval", ".json")
"""Suffixes of the two log formats; a .json file may be something else (:func:`is_log`)."""
_BEGINNING = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_BEGINNING_SIZE = 200  # bytes
ROUTE = "Inspect"
"""Value of lm_eval's field `model` for a run of Inspect."""
_TASK_KEY = "polbias_task"  # metadata key of polbias tasks: name of the equivalent lm_eval task
_USAGE = ("input_tokens", "output_tokens", "reasoning_tokens")
TOOLKIT = "polbias_version"  # metadata key of the polbias version
_GATEWAY = "openai-api"  # its models are named openai-api/SERVICE/MODEL, all others PROVIDER/MODEL


def is_log(path: Path) -> bool:
    """Whether a file is a log, by its suffix or the first bytes of its JSON; it may be compressed."""
    suffix = without_gz(path).suffix
    if suffix != ".json":
        return suffix in SUFFIXES
    try:
        with open_bytes(path) as file:
            return _BEGINNING.match(file.read(_BEGINNING_SIZE)) is not None
    except (OSError, *GZIP_ERRORS):
        return False


def refuse_too_large(path: Path, header_only: bool = False, content: Path | BytesIO | None = None) -> None:
    """Raise an error for a log too large for memory, before it is unpacked; its header is in one entry."""
    try:
        total, entries = path.stat().st_size, {}
        if is_zipfile(content or path):
            with ZipFile(content or path) as archive:
                entries = {entry.filename: entry.file_size for entry in archive.infolist()}
    except (OSError, BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    for name, size in entries.items():
        if size > MAX_ENTRY:
            size_text = f"{size:,} bytes in {name!r:.100}"
            raise InputError(
                f"{path}: found {size_text}, expected at most {MAX_ENTRY:,}; take the sample out"
            )
    total += 0 if header_only else sum(entries.values())
    if total > MAX_TOTAL:
        raise InputError(f"{path}: found {total:,} bytes, expected at most {MAX_TOTAL:,}; divide the log")


@dataclass(frozen=True)
class InspectLog:
    """The header of a log.

    Attributes:
        model: name of the model without its provider, as in lm_eval's folder names.
        task: equivalent lm_eval task; the name in Inspect if it is not a polbias task.
        time: start of the run, in lm_eval's format and time zone.
        expected: number of requested samples.
        available: number of rows of the task.
        version: version of the task.
        results: settings of the run, under the names in lm_eval's results.
        toolkit: version of polbias that extracted the labels; empty if the log has none.
    """

    model: str
    task: str
    time: str
    expected: int | None
    available: int | None
    version: str
    results: Json
    toolkit: str = ""


def model_name(name: str) -> str:
    """Return the name of a model without its provider, as in lm_eval's folder names."""
    provider, _, model = name.partition("/")
    if provider == _GATEWAY:
        model = model.partition("/")[2]
    return (model or provider).replace("/", "__")


def header(path: Path) -> InspectLog:
    """Read the header of a log."""
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    return _header(path, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _header(path: Path, _changed: int) -> InspectLog:
    log = _read(path, header_only=True)
    rows, generation = log.eval.dataset, log.eval.model_generate_config.model_dump(exclude_none=True)
    system = generation.get("system_message")
    began = datetime.fromisoformat(log.eval.created).astimezone()
    return InspectLog(
        model=model_name(log.eval.model),
        task=str((log.eval.metadata or {}).get(_TASK_KEY, log.eval.task)),
        time=began.strftime("%Y-%m-%dT%H-%M-%S.%f"),
        expected=None if rows.sample_ids is None else len(rows.sample_ids),
        available=rows.samples,
        version=str(log.eval.task_version),
        results={
            "config": {"model": ROUTE, "model_args": log.eval.model_args, "gen_kwargs": generation},
            "system_instruction_sha": system and sha256(system.encode()).hexdigest(),
        },
        toolkit=str((log.eval.metadata or {}).get(TOOLKIT, "")),
    )


def first_row(path: Path) -> Json:
    """Return the first row of a log without reading the others; empty if it has none."""
    from inspect_ai.log import read_eval_log_sample

    if path != without_gz(path):
        return next((dict(sample.metadata or {}) for sample in _read(path).samples or ()), {})
    sample_ids = _read(path, header_only=True).eval.dataset.sample_ids or ()
    for name in sample_ids[:1]:
        try:
            return dict(read_eval_log_sample(path, name).metadata or {})
        except (IndexError, OSError, ValueError):  # the run ended before this sample
            break
    return {}


def samples(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield number and content of each sample, with the answers of all epochs and their mean scores."""
    merged: dict[str, Json] = {}
    log = _read(path)
    is_polbias_task = _TASK_KEY in (log.eval.metadata or {})
    for logged_sample in log.samples or ():
        scores = logged_sample.scores or {}
        answers, metadata = [logged_sample.output.completion], [response_metadata(logged_sample.output)]
        if is_polbias_task:
            score_metadata = [score.metadata or {} for score in scores.values()]
            answers = [text for score in score_metadata for text in score.get("answers", ())]
            logged_metadata = [response for score in score_metadata for response in score.get("polbias", ())]
            # earlier logs have metadata of the output only
            metadata = logged_metadata or metadata * len(answers)
        if not answers:  # the model returned none
            continue
        sample = merged.setdefault(
            str(logged_sample.id),
            {
                "doc_id": logged_sample.id,
                "doc": logged_sample.metadata,
                "resps": [[]],
                "filtered_resps": [],
                "polbias": [],
                "metrics": {},
            },
        )
        if not is_polbias_task:  # solvers may write into metadata
            messages = (
                []
                if isinstance(logged_sample.input, str)
                else [(turn.role, turn.text) for turn in logged_sample.input]
            )
            sample["asked"] = {
                "input": messages or logged_sample.input,
                "choices": logged_sample.choices,
                "target": logged_sample.target,
            }
        sample["resps"][0] += answers
        sample["filtered_resps"] += answers
        sample["polbias"] += metadata
        for name, value in _score_values(scores, is_polbias_task):
            sample["metrics"].setdefault(name, []).append(value)
    for number, sample in enumerate(merged.values(), start=1):
        scored = {name: _mean(values) for name, values in sample["metrics"].items()}
        yield number, {**scored, **sample, "metrics": [*scored]}


def response_metadata(output: Any) -> Json:
    """Return finish reason, reasoning and usage of a model's output, as `polbias eval` logs them.

    Input tokens include cached ones; hidden reasoning is replaced by its summary.
    """
    if not output.choices:
        return {}
    blocks = output.choices[0].message.content
    thoughts = [
        (block.summary or "") if block.redacted else block.reasoning
        for block in blocks
        if getattr(block, "type", "") == "reasoning"
    ]
    metadata: Document = {
        "finish_reason": None if output.stop_reason == "unknown" else output.stop_reason,
        "reasoning": "\n".join(filter(None, thoughts)),
        "usage": _usage(output.usage),
        "filtered": is_withheld(output.stop_reason),
    }
    return {name: value for name, value in metadata.items() if value}


def _usage(usage: Any) -> Json:
    """Return the reported token counts of an output."""
    if usage is None:
        return {}
    counts = {name: getattr(usage, name, None) for name in _USAGE}
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    counts["input_tokens"] = usage.input_tokens + cached
    return {name: count for name, count in counts.items() if count is not None}


def _score_values(scores: Mapping[str, Any], is_polbias_task: bool) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each score; a value with parts is named SCORER/PART, a grade is a number."""
    from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, value_to_float

    number = value_to_float()
    for scorer, score in scores.items():
        parts = score.value if isinstance(score.value, dict) else {"": score.value}
        for part, value in parts.items():
            graded = value in (CORRECT, INCORRECT, NOANSWER, PARTIAL)
            name = part if is_polbias_task else "/".join(filter(None, (scorer, part)))
            yield name, number(value) if graded else value


def _mean(values: list[Any]) -> Any:
    """Return the mean score of the epochs, or the first value that is not a number."""
    numbers = [each for each in values if isinstance(each, int | float) and math.isfinite(each)]
    other_values = [each for each in values if not isinstance(each, int | float)]
    return next(
        (each for each in other_values if each is not None), sum(numbers) / len(numbers) if numbers else None
    )


def _read(path: Path, header_only: bool = False) -> Any:
    if not is_installed("inspect_ai"):
        raise InputError(f"{path}: reading an Inspect log needs inspect_ai; {install_command('inspect')}")
    from inspect_ai.log import read_eval_log

    plain = without_gz(path)
    content = path if plain == path else BytesIO(read_bytes(path, MAX_TOTAL))
    refuse_too_large(path, header_only, content)
    if isinstance(content, BytesIO):
        content.seek(0)
    try:
        kind: Literal["eval", "json"] = "eval" if plain.suffix == ".eval" else "json"
        return read_eval_log(content, header_only=header_only, format=kind)
    except Exception as error:  # a damaged archive raises errors of many classes
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: cannot be read as an Inspect log ({reason})") from None
