"""What Inspect leaves behind: the samples in its logs, as those that lm_eval logs."""

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
from polbias.files import UNZIPPING, open_bytes, read_bytes, without_gz
from polbias.limits import MAX_ENTRY, MAX_TOTAL
from polbias.optional import install_command, is_installed
from polbias.responses import is_withheld

SUFFIXES = (".eval", ".json")
"""Of the two formats of a log; other files end in the second as well (:func:`is_log`)."""
_BEGINNING = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_BEGINNING_SIZE = 200  # bytes
ROUTE = "Inspect"
"""What stands in place of the kind of model that lm_eval names."""
_OURS = "polbias_task"  # in the metadata of our tasks: the lm_eval task that one stands for
_USAGE = ("input_tokens", "output_tokens", "reasoning_tokens")
TOOLKIT = "polbias_version"  # there as well
_GATEWAY = "openai-api"  # its models are named openai-api/SERVICE/MODEL, those of others PROVIDER/MODEL


def is_log(path: Path) -> bool:
    """Whether a file is a log: by its name, or as a JSON file by how it begins; either may be compressed."""
    suffix = without_gz(path).suffix
    if suffix != ".json":
        return suffix in SUFFIXES
    try:
        with open_bytes(path) as file:
            return _BEGINNING.match(file.read(_BEGINNING_SIZE)) is not None
    except (OSError, *UNZIPPING):
        return False


def refuse_too_large(path: Path, header_only: bool = False, content: Path | BytesIO | None = None) -> None:
    """Refuse a log that would not fit into memory, before it is unpacked; its header is in one entry."""
    try:
        total, entries = path.stat().st_size, {}
        if is_zipfile(content or path):
            with ZipFile(content or path) as archive:
                entries = {entry.filename: entry.file_size for entry in archive.infolist()}
    except (OSError, BadZipFile, ValueError, NotImplementedError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    for name, size in entries.items():
        if size > MAX_ENTRY:
            found = f"{size:,} bytes in {name!r:.100}"
            raise InputError(f"{path}: found {found}, expected at most {MAX_ENTRY:,}; take the sample out")
    total += 0 if header_only else sum(entries.values())
    if total > MAX_TOTAL:
        raise InputError(f"{path}: found {total:,} bytes, expected at most {MAX_TOTAL:,}; divide the log")


@dataclass(frozen=True)
class InspectLog:
    """The header of a log.

    Attributes:
        model: name of the model without its provider, as lm_eval makes a folder of it.
        task: of lm_eval whose rows and reader were taken; as Inspect names it if it is none of ours.
        time: when the run began, in the form and the zone of lm_eval's.
        expected: samples that were asked.
        available: rows of the task.
        version: of the task.
        results: settings of the run, under the names that they have in the results of lm_eval.
        toolkit: version of polbias that read the answers; empty if the log does not have it.
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
    """Return the name of a model of Inspect without its provider, as lm_eval makes a folder of it."""
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
    rows, asked = log.eval.dataset, log.eval.model_generate_config.model_dump(exclude_none=True)
    system = asked.get("system_message")
    began = datetime.fromisoformat(log.eval.created).astimezone()
    return InspectLog(
        model=model_name(log.eval.model),
        task=str((log.eval.metadata or {}).get(_OURS, log.eval.task)),
        time=began.strftime("%Y-%m-%dT%H-%M-%S.%f"),
        expected=None if rows.sample_ids is None else len(rows.sample_ids),
        available=rows.samples,
        version=str(log.eval.task_version),
        results={
            "config": {"model": ROUTE, "model_args": log.eval.model_args, "gen_kwargs": asked},
            "system_instruction_sha": system and sha256(system.encode()).hexdigest(),
        },
        toolkit=str((log.eval.metadata or {}).get(TOOLKIT, "")),
    )


def first_row(path: Path) -> Json:
    """The first row that was asked, without reading the rest; empty without any."""
    from inspect_ai.log import read_eval_log_sample

    if path != without_gz(path):
        return next((dict(sample.metadata or {}) for sample in _read(path).samples or ()), {})
    asked = _read(path, header_only=True).eval.dataset.sample_ids or ()
    for name in asked[:1]:
        try:
            return dict(read_eval_log_sample(path, name).metadata or {})
        except (IndexError, OSError, ValueError):  # the run ended before it
            break
    return {}


def samples(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield number and content of every sample: answers of all its epochs, scores averaged over them."""
    found: dict[str, Json] = {}
    log = _read(path)
    ours = _OURS in (log.eval.metadata or {})
    for each in log.samples or ():
        scores = each.scores or {}
        answers, metadata = [each.output.completion], [response_metadata(each.output)]
        if ours:
            logged = [score.metadata or {} for score in scores.values()]
            answers = [text for score in logged for text in score.get("answers", ())]
            logged_metadata = [about for score in logged for about in score.get("polbias", ())]
            metadata = logged_metadata or metadata * len(
                answers
            )  # earlier logs have it beside the output alone
        if not answers:  # the model gave none
            continue
        sample = found.setdefault(
            str(each.id),
            {
                "doc_id": each.id,
                "doc": each.metadata,
                "resps": [[]],
                "filtered_resps": [],
                "polbias": [],
                "metrics": {},
            },
        )
        if not ours:  # solvers may write into metadata
            turns = [] if isinstance(each.input, str) else [(turn.role, turn.text) for turn in each.input]
            sample["asked"] = {"input": turns or each.input, "choices": each.choices, "target": each.target}
        sample["resps"][0] += answers
        sample["filtered_resps"] += answers
        sample["polbias"] += metadata
        for name, value in _scored(scores, ours):
            sample["metrics"].setdefault(name, []).append(value)
    for number, sample in enumerate(found.values(), start=1):
        scored = {name: _mean(values) for name, values in sample["metrics"].items()}
        yield number, {**scored, **sample, "metrics": [*scored]}


def response_metadata(output: Any) -> Json:
    """Return finish reason, thoughts and usage of a model's output, as `polbias eval` logs them.

    Tokens that came out of a provider's cache are input tokens; of hidden thoughts there is the summary.
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
    """Tokens of an output, as far as they are known."""
    if usage is None:
        return {}
    counts = {name: getattr(usage, name, None) for name in _USAGE}
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    counts["input_tokens"] = usage.input_tokens + cached
    return {name: count for name, count in counts.items() if count is not None}


def _scored(scores: Mapping[str, Any], ours: bool) -> Iterator[tuple[str, Any]]:
    """What scorers gave a sample: a value of several parts as SCORER/PART, a grade as its number."""
    from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, value_to_float

    number = value_to_float()
    for scorer, score in scores.items():
        parts = score.value if isinstance(score.value, dict) else {"": score.value}
        for part, value in parts.items():
            graded = value in (CORRECT, INCORRECT, NOANSWER, PARTIAL)
            name = part if ours else "/".join(filter(None, (scorer, part)))
            yield name, number(value) if graded else value


def _mean(values: list[Any]) -> Any:
    """The mean of what epochs were given; what is no number stays as it is."""
    numbers = [each for each in values if isinstance(each, int | float) and math.isfinite(each)]
    odd = [each for each in values if not isinstance(each, int | float)]
    return next((each for each in odd if each is not None), sum(numbers) / len(numbers) if numbers else None)


def _read(path: Path, header_only: bool = False) -> Any:
    if not is_installed("inspect_ai"):
        raise InputError(f"{path}: a log of Inspect, which is not installed; {install_command('inspect')}")
    from inspect_ai.log import read_eval_log

    plain = without_gz(path)
    content = path if plain == path else BytesIO(read_bytes(path, MAX_TOTAL))
    refuse_too_large(path, header_only, content)
    if isinstance(content, BytesIO):
        content.seek(0)
    try:
        kind: Literal["eval", "json"] = "eval" if plain.suffix == ".eval" else "json"
        return read_eval_log(content, header_only=header_only, format=kind)
    except Exception as error:  # whatever a damaged archive makes of it
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: no log of Inspect that can be read ({reason})") from None
