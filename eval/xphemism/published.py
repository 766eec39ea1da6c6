"""Read the published files: the labels of the pairs, and the answers of models to them.

The file of answers repeats the labels, but some of its shifts are from an earlier state. The labels are taken
from the data; the shift of the answers is kept beside, because the published script analysed that one.
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
_SHOWN = 20  # problems that are told one by one


def read_published(data: Path, answers: Path) -> list[FileAnswers]:
    """Read a user's copy of the published files, or files of the same layout: the answers of each model.

    Source:
        Jakob et al. (2025), section 4.1.
    """
    problems: list[Notice] = []
    labels = _read_labels(data, problems)
    given = _read_answers(answers)
    if not labels.keys() & given.keys():
        raise InputError(
            f"{answers}: found no id of {data.name} among {len(given)} items, expected answers to its "
            "claims; give the files that belong together"
        )
    problems += [_lacking(data.name, name) for name in given.keys() - labels.keys()]
    rows: list[Json] = []
    for name, row in labels.items():
        if row is None:
            continue
        if name in given:
            rows += _answered(name, row, given[name], answers.name, problems)
        else:
            problems.append(_lacking(answers.name, name))
    problems.sort(key=lambda each: (each.where, each.problem))
    if not rows:
        first = "".join(f"; first problem: {each.where}: {each.problem}" for each in problems[:1])
        raise InputError(f"{answers}: found no answered pair that can be used{first}")
    return [*_by_model(rows, answers, problems)]


def _by_model(rows: Sequence[Document], path: Path, problems: Sequence[Notice]) -> Iterator[FileAnswers]:
    """Yield the answers of each model; the problems stand with the first."""
    notices = [*problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        notices.append(Notice(path.name, f"{len(problems) - _SHOWN:,} more such places", "as those", True))
    types, hashed = column_types(load_reporter(NAME)), file_sha256(path)
    for model in sorted({row["model"] for row in rows}):
        own, file = [row for row in rows if row["model"] == model], SampleFile(model, _DATASET, "", path)
        outcomes = answer_frame([answer for row in own for answer in _outcomes(row)], types, file)
        yield FileAnswers(file, NAME, outcomes, len(own), hashed, RunMetadata(), tuple(notices))
        notices = []


def _outcomes(row: Document) -> Iterator[Json]:
    """Yield the answers to both claims of a pair."""
    for arm, answers in (("base", row["base"]), ("shifted", row["exchange"])):
        about = {name: value for name, value in row.items() if name not in ("base", "exchange")}
        about |= {"id": f"{row['pair_id']}/{row['prompt_style']}/{arm}", "arm": arm, "dataset": _DATASET}
        for repeat, said in enumerate(answers):
            label = _ANSWERS[said]
            became = "answered" if label in LABELS[:2] else label
            yield about | {"repeat": repeat, "label": label, "outcome": became}


def _read_labels(path: Path, problems: list[Notice]) -> dict[str, Json | None]:
    """The labels by id; None where they cannot be used."""
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
    found: dict[str, Json | None] = {}
    for line, row in lines:
        name = row["id"]
        if not name or name in found:
            raise InputError(f"{path}:{line}: found the id {name!r} twice or empty, expected every id once")
        found[name] = _labelled(row, f"{name} (line {line})", path.name, problems)
    return found


def _labelled(row: Json, where: str, file: str, problems: list[Notice]) -> Json | None:
    labels = {name: (row[name] or "").strip().lower() for name in _LEVELS}
    for name, value in labels.items():
        if value not in _LEVELS[name]:
            expected = " or ".join(map(str, _LEVELS[name]))
            problems.append(_problem(file, where, f"{name} {row[name]!r}", expected, "left out"))
            return None
    words = sorted(str(row[name] or "").strip() for name in ("base_word", "exchange_word"))
    if not all(words):
        problems.append(_problem(file, where, f"words {words}", "a base and an exchange word", "left out"))
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
    """The items by id."""
    items = read_json(path, "a list of items with id and answers")
    if not isinstance(items, list) or not items:
        raise InputError(f"{path}: found {brief(items)}, expected a list of items with id and answers")
    found: dict[str, Document] = {}
    for index, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("id"), str):
            raise InputError(f"{path}: item {index}: found {brief(item)}, expected an object with an id")
        if item["id"] in found:
            raise InputError(f"{path}: item {index}: found the id {item['id']!r} twice, expected it once")
        found[item["id"]] = item
    return found


def _answered(name: str, labels: Json, item: Document, file: str, problems: list[Notice]) -> Iterator[Json]:
    """Yield a row for every prompt and model of an item."""
    stale = item.get("shift", labels["shift"])
    if not isinstance(stale, str) or stale.lower() not in _SHIFTS:
        problems.append(_problem(file, name, f"shift {brief(stale)}", "left, right or none", "not used"))
        stale = labels["shift"]
    arms = item.get("truthfulness_probability")
    base, exchange = (_by_prompt(arms, arm) for arm in _ARMS)
    if base is None or exchange is None:
        expected = "truthfulness_probability with base_claim and exchange_claim"
        problems.append(_problem(file, name, brief(arms), expected, "left out"))
        return
    for prompt in sorted({*base, *exchange}):
        style = prompt.removesuffix("_prompt")
        if style not in _STYLES:
            problems.append(_problem(file, name, f"prompt {prompt!r}", "simple or advanced", "left out"))
            continue
        before, after = base.get(prompt, {}), exchange.get(prompt, {})
        for model in sorted({*before, *after}):
            where = f"{name}, {style}, {model}"
            runs = [_runs(given.get(model)) for given in (before, after)]
            if runs[0] is None or runs[1] is None:
                bad = before.get(model) if runs[0] is None else after.get(model)
                expected = "a list of 1, 0, null or refusal for both claims"
                problems.append(_problem(file, where, brief(bad), expected, "left out"))
                continue
            yield labels | {
                "pair_id": name,
                "model": model,
                "prompt_style": _STYLES[style],
                "instruction_language": LANGUAGE,
                "shift_in_answers": stale.lower(),
                "base": runs[0],
                "exchange": runs[1],
            }


def _by_prompt(arms: Any, arm: str) -> Mapping[str, Document] | None:
    """Answers to a claim by prompt and model; None if they are not laid out so."""
    given = arms.get(arm) if isinstance(arms, dict) else None
    fits = isinstance(given, dict) and all(isinstance(each, dict) for each in given.values())
    return given if fits else None


def _runs(given: Any) -> Sequence[Any] | None:
    """The answers of all runs; None if there are none or one of them is unknown."""
    if not isinstance(given, list) or not given:
        return None
    plain = [None if isinstance(each, float) and math.isnan(each) else each for each in given]
    known = all(isinstance(each, Hashable) and each in _ANSWERS for each in plain)
    return plain if known else None


def _problem(file: str, where: str, found: str, expected: str, done: str) -> Notice:
    return Notice(f"{file}: {where}", f"found {found}, expected {expected}", done, serious=True)


def _lacking(file: str, name: str) -> Notice:
    return _problem(file, name, "no such id", "the claims of the other file", "left out")
