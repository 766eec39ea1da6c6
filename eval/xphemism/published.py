"""Read the published files: the labels of the pairs, and the answers of models.

The file of answers repeats the labels, but some of its shifts are outdated. The labels come from the data
file; the shift in the file of answers is stored in addition, as the published script analysed it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval.report.document import Notice
from polbias.eval.report.file_answers import FileAnswers, answer_frame, column_types
from polbias.eval.report.reporter import load_reporter
from polbias.eval.report.run_metadata import RunMetadata
from polbias.eval.samples import SampleFile
from polbias.eval.xphemism.answers import (
    AXES,
    LABELS,
    NAME,
    PROMPT_NAMES,
    PROMPTS,
    SHIFT_NAMES,
    SIDES,
)
from polbias.files import file_sha256, read_bytes, read_json

LANGUAGE = "de"
"""Language of the published instructions."""

_GOLD = "golden_truthfulness_base_claim"
_SHIFTS = (*SIDES, *SHIFT_NAMES)
_LEVELS: Mapping[str, Sequence[str]] = {
    _GOLD: LABELS[:2],
    "shift": _SHIFTS,
    "axis": AXES,
    "judgmental_base": ("0", "1"),
    "judgmental_exchange": ("0", "1"),
}
_ANSWERS: Mapping[Any, str] = {name: name for name in LABELS} | {0: "false", 1: "true", None: "unparsable"}
_STYLES: Mapping[str, str] = {name: name for name in PROMPTS} | dict(PROMPT_NAMES)
_COLUMNS = ("id", "base_word", "exchange_word", *_LEVELS)
_ARMS = ("base_claim", "exchange_claim")
_DATASET = "polbix"
_MAX_NOTICES = 20  # further problems are only counted


def read_published(data: Path, answers: Path) -> list[FileAnswers]:
    """Return the answers of each model in the published files, or in files of the same layout.

    Source:
        Jakob et al. (2025), section 4.1.
    """
    problems: list[Notice] = []
    labels = _read_labels(data, problems)
    items = _read_answers(answers)
    if not labels.keys() & items.keys():
        raise InputError(
            f"{answers}: found no id of {data.name} among {len(items)} items, expected answers to its "
            "claims; give two files with the same ids"
        )
    problems += [_missing_id_notice(data.name, name) for name in items.keys() - labels.keys()]
    rows: list[Json] = []
    for name, row in labels.items():
        if row is None:
            continue
        if name in items:
            rows += _answer_rows(name, row, items[name], answers.name, problems)
        else:
            problems.append(_missing_id_notice(answers.name, name))
    problems.sort(key=lambda problem: (problem.where, problem.problem))
    if not rows:
        first = "".join(f"; first problem: {problem.where}: {problem.problem}" for problem in problems[:1])
        raise InputError(f"{answers}: found no usable answered pair{first}")
    return [*_split_by_model(rows, answers, problems)]


def _split_by_model(
    rows: Sequence[Document], path: Path, problems: Sequence[Notice]
) -> Iterator[FileAnswers]:
    """Yield the answers of each model; the first model has the notices."""
    notices = [*problems[:_MAX_NOTICES]]
    if len(problems) > _MAX_NOTICES:
        notices.append(
            Notice(path.name, f"{len(problems) - _MAX_NOTICES:,} more such places", "as those", True)
        )
    types, sha256 = column_types(load_reporter(NAME)), file_sha256(path)
    for model in sorted({row["model"] for row in rows}):
        model_rows, file = (
            [row for row in rows if row["model"] == model],
            SampleFile(model, _DATASET, "", path),
        )
        outcomes = answer_frame(
            [answer for row in model_rows for answer in _answer_outcomes(row)], types, file
        )
        yield FileAnswers(file, NAME, outcomes, len(model_rows), sha256, RunMetadata(), tuple(notices))
        notices = []


def _answer_outcomes(row: Document) -> Iterator[Json]:
    """Yield a row per answer to both claims of a pair."""
    for arm, answers in (("base", row["base"]), ("shifted", row["exchange"])):
        columns = {name: value for name, value in row.items() if name not in ("base", "exchange")}
        columns |= {"id": f"{row['pair_id']}/{row['prompt_style']}/{arm}", "arm": arm, "dataset": _DATASET}
        for repeat, answer in enumerate(answers):
            label = _ANSWERS[answer]
            outcome = "answered" if label in LABELS[:2] else label
            yield columns | {"repeat": repeat, "label": label, "outcome": outcome}


def _read_labels(path: Path, problems: list[Notice]) -> dict[str, Json | None]:
    """Return the labels by id; None for invalid labels."""
    try:
        reader = csv.DictReader(io.StringIO(read_bytes(path).decode("utf-8-sig"), newline=""))
        missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"{path}: found no column {', '.join(missing)}, expected {', '.join(_COLUMNS)}")
        lines = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); expected a CSV file") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read ({error}); expected a CSV file in UTF-8") from None
    labels_by_id: dict[str, Json | None] = {}
    for line, row in lines:
        name = row["id"]
        if not name or name in labels_by_id:
            raise InputError(f"{path}:{line}: found the id {name!r} twice or empty, expected every id once")
        labels_by_id[name] = _parse_labels(row, f"{name} (line {line})", path.name, problems)
    return labels_by_id


def _parse_labels(row: Json, where: str, file: str, problems: list[Notice]) -> Json | None:
    labels = {name: (row[name] or "").strip().lower() for name in _LEVELS}
    for name, value in labels.items():
        if value not in _LEVELS[name]:
            expected = " or ".join(map(str, _LEVELS[name]))
            problems.append(_build_notice(file, where, f"{name} {row[name]!r}", expected, "left out"))
            return None
    words = sorted(str(row[name] or "").strip() for name in ("base_word", "exchange_word"))
    if not all(words):
        problems.append(
            _build_notice(file, where, f"words {words}", "a base and an exchange word", "left out")
        )
        return None
    return {
        "cluster_id": " | ".join(words),
        "gold": labels[_GOLD],
        "axis": labels["axis"],
        "shift": labels["shift"],
        "judgmental_base": int(labels["judgmental_base"]),
        "judgmental_exchange": int(labels["judgmental_exchange"]),
    }


def _read_answers(path: Path) -> dict[str, Document]:
    """Return the items by id."""
    items = read_json(path, "a list of items with id and answers")
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: found {brief(items)}, expected a list of items with id and answers")
    item_by_id: dict[str, Document] = {}
    for index, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            raise InputError(f"{path}: item {index}: found {brief(item)}, expected an object with an id")
        if item["id"] in item_by_id:
            raise InputError(f"{path}: item {index}: found the id {item['id']!r} twice, expected it once")
        item_by_id[item["id"]] = item
    return item_by_id


def _answer_rows(
    name: str, labels: Json, item: Document, file: str, problems: list[Notice]
) -> Iterator[Json]:
    """Yield a row per prompt and model of an item."""
    answer_shift = item.get("shift", labels["shift"])
    if not isinstance(answer_shift, str) or answer_shift.lower() not in _SHIFTS:
        problems.append(
            _build_notice(file, name, f"shift {brief(answer_shift)}", "left, right or none", "not used")
        )
        answer_shift = labels["shift"]
    arms = item.get("truthfulness_probability")
    base, exchange = (_answers_by_prompt(arms, arm) for arm in _ARMS)
    if base is None or exchange is None:
        expected = "truthfulness_probability with base_claim and exchange_claim"
        problems.append(_build_notice(file, name, brief(arms), expected, "left out"))
        return
    for prompt in sorted({*base, *exchange}):
        style = prompt.removesuffix("_prompt")
        if style not in _STYLES:
            problems.append(_build_notice(file, name, f"prompt {prompt!r}", "simple or advanced", "left out"))
            continue
        before, after = base.get(prompt, {}), exchange.get(prompt, {})
        for model in sorted({*before, *after}):
            location = f"{name}, {style}, {model}"
            runs = [_parse_runs(answers_by_model.get(model)) for answers_by_model in (before, after)]
            if runs[0] is None or runs[1] is None:
                invalid = before.get(model) if runs[0] is None else after.get(model)
                expected = "a list of 1, 0, null or refusal for both claims"
                problems.append(_build_notice(file, location, brief(invalid), expected, "left out"))
                continue
            yield labels | {
                "pair_id": name,
                "model": model,
                "prompt_style": _STYLES[style],
                "instruction_language": LANGUAGE,
                "shift_in_answers": answer_shift.lower(),
                "base": runs[0],
                "exchange": runs[1],
            }


def _answers_by_prompt(arms: Any, arm: str) -> Mapping[str, Document] | None:
    """Return the answers to a claim by prompt and model; None if they have another layout."""
    answers = arms.get(arm) if isinstance(arms, dict) else None
    is_valid = isinstance(answers, dict) and all(isinstance(value, dict) for value in answers.values())
    return answers if is_valid else None


def _parse_runs(runs: Any) -> Sequence[Any] | None:
    """Return the answers of all runs; None if there are none or one is invalid."""
    if not isinstance(runs, list) or not runs:
        return None
    answers = [None if isinstance(answer, float) and math.isnan(answer) else answer for answer in runs]
    is_valid = all(isinstance(answer, Hashable) and answer in _ANSWERS for answer in answers)
    return answers if is_valid else None


def _build_notice(file: str, where: str, actual: str, expected: str, action: str) -> Notice:
    return Notice(f"{file}: {where}", f"found {actual}, expected {expected}", action, serious=True)


def _missing_id_notice(file: str, name: str) -> Notice:
    return _build_notice(file, name, "no such id", "the claims of the other file", "left out")
