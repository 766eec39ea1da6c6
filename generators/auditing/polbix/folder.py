"""A user's copy of the published folder: claims with what models answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polbias.aliases import Document
from polbias.files import InputError, read_json
from polbias.generators.auditing.polbix.files import (
    FLAGS,
    HASHES,
    ClaimPair,
    Labels,
    TablePair,
    claim_differences,
    labels_of,
    pair_differences,
    read_claims,
    read_pairs,
)
from polbias.generators.auditing.probvaa.files import Once, Record, digest

# ``sample_output.json`` and files of its layout: what models answered to both claims of a row.

Arm = Literal["base", "exchange"]
ARMS: Mapping[str, Arm] = {"base_claim": "base", "exchange_claim": "exchange"}
PROMPTS: Mapping[str, str] = {"simple_prompt": "simple", "advanced_prompt": "objective"}
"""Prompts of the published files; the text of the paper calls the second one objective (section 4.1)."""
_FIELDS = (
    "id", "base_word", "exchange_word", "golden_truthfulness_base_claim", "shift", "axis", "judgmental_base",
    "judgmental_exchange", "truthfulness_probability",
)  # fmt: skip
_TEXTS = _FIELDS[:3]
_TRUTH: Mapping[str, bool] = {**FLAGS, "wahr": True, "falsch": False}


@dataclass(frozen=True, slots=True)
class Cell:
    """Answers of one model to one claim with one prompt.

    Attributes:
        arm: the claim.
        prompt: "simple", "objective", or the name of the file for another one.
        model: its name in the file.
        runs: True where the model took the claim for true, False where for false, None without a valid
            answer.
    """

    arm: Arm
    prompt: str
    model: str
    runs: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """One row of a file of answers.

    Attributes:
        id: of the row of ``dataset.csv``.
        base_word: as in that file.
        exchange_word: as in that file.
        gold: the truth of the base claim that this file has.
        labels: the labels that this file has; they may be out of date, those of ``dataset.csv`` count.
        cells: all answers, in the order of the file.
    """

    id: str
    base_word: str
    exchange_word: str
    gold: bool
    labels: Labels
    cells: tuple[Cell, ...]


def read_answers(path: Path) -> list[Answers]:
    """Read a file of answers, of any models, prompts and number of runs.

    An answer is 0 or 1, true or false, or one of these words in quotes; anything else counts as no valid
    answer.

    Source:
        Jakob et al., section 4.1.
    """
    data = read_json(path, "a list of rows, like sample_output.json")
    if not isinstance(data, list) or not data:
        found = "an empty list" if data == [] else type(data).__name__
        raise InputError(f"{path}: found {found}, expected a list of rows with {', '.join(_FIELDS)}")
    rows, once = [], Once("row")
    for number, item in enumerate(data, 1):
        place = f"{path}: row {number}"
        if not isinstance(item, dict):
            raise InputError(f"{place}: found {type(item).__name__}, expected an object")
        for field in _FIELDS:
            if field not in item:
                raise InputError(f"{place}: field {field!r}: missing, found {', '.join(item)}")
        row = Record(place, number, item)
        for field in _TEXTS:
            if not isinstance(item[field], str) or not row[field]:
                row.fail(field, "a text")
        once.check(row, "id", row["id"])
        rows.append(
            Answers(
                row["id"],
                row["base_word"],
                row["exchange_word"],
                row.one_of("golden_truthfulness_base_claim", FLAGS, lower=True),
                labels_of(row, "shift", "axis", "judgmental_base", "judgmental_exchange"),
                tuple(_cells(row, "truthfulness_probability")),
            )
        )
    return rows


def _cells(row: Record, field: str) -> Iterator[Cell]:
    for arm, prompts in _object(row, field, row.values[field], "base_claim and exchange_claim").items():
        if arm not in ARMS:
            row.fail(field, f"{' or '.join(ARMS)}, of which each holds prompts", arm)
        for prompt, models in _object(row, field, prompts, "prompts").items():
            for model, runs in _object(row, field, models, "models").items():
                if not isinstance(runs, list):
                    row.fail(field, f"a list of answers of {model}", runs)
                yield Cell(ARMS[arm], PROMPTS.get(prompt, prompt), model, tuple(map(_truth, runs)))


def _object(row: Record, field: str, value: object, holds: str) -> Document:
    if not isinstance(value, dict):
        row.fail(field, f"an object with {holds}", value)
    return value


def _truth(answer: object) -> bool | None:
    """Read an answer; None if it is not a valid one."""
    if isinstance(answer, float) and not math.isfinite(answer):
        return None
    return _TRUTH.get(str(answer).strip().strip(".\"'").lower())


def answer_differences(name: str, answers: Sequence[Answers], known: Mapping[str, Labels]) -> Iterator[str]:
    """Say in words how a file of answers stands to ``dataset.csv``."""
    strange = [each.id for each in answers if each.id not in known]
    if strange:
        yield f"{name}: {len(strange)} rows are not in dataset.csv, such as {strange[0]}"
    absent = len(known.keys() - {each.id for each in answers})
    if absent:
        yield f"{name}: {absent} rows of dataset.csv have no answers"
    stale = sum(each.id in known and each.labels != known[each.id] for each in answers)
    if stale:
        yield f"{name}: {stale} rows have other labels than dataset.csv; those of dataset.csv count"
    runs = [answer for each in answers for cell in each.cells for answer in cell.runs]
    invalid = sum(answer is None for answer in runs)
    if invalid:
        yield f"{name}: {invalid:,} of {len(runs):,} answers are not valid"
    shapes = [
        frozenset((cell.arm, cell.prompt, cell.model, len(cell.runs)) for cell in each.cells)
        for each in answers
    ]
    odd = len(shapes) - max(map(shapes.count, set(shapes)))
    if odd:
        yield f"{name}: {odd} rows have other models, prompts or numbers of runs than the others"


# A user's copy of the published files: read, joined, checked, with all that differs said.

_CLAIMS, _PAIRS = "dataset.csv", "wordpairs.tsv"


@dataclass(frozen=True)
class Polbix:
    """The published files.

    Attributes:
        claims: rows of ``dataset.csv``.
        pairs: rows of ``wordpairs.tsv``; empty without that file.
        answers: rows of every file of answers, by its name.
        differences: sentences that say how all this differs from the published files.
    """

    claims: tuple[ClaimPair, ...]
    pairs: tuple[TablePair, ...]
    answers: Mapping[str, tuple[Answers, ...]]
    differences: tuple[str, ...]


def load(data: Path) -> Polbix:
    """Read ``dataset.csv``, or the folder that holds it with tables of pairs and files of answers.

    The file may lack rows or exchange claims. A folder may also have ``wordpairs.tsv`` and any number of
    files of answers, which are all that end in ``output.json``.

    Source:
        https://github.com/XplaiNLP/PolBiX; Jakob et al., section 3.
    """
    if not data.exists():
        raise InputError(f"{data}: found nothing there, expected the dataset.csv of PolBiX or its folder")
    folder = data if data.is_dir() else None
    claims = read_claims(folder / _CLAIMS if folder else data)
    notes = list(claim_differences(claims))
    pairs: list[TablePair] = []
    answers: dict[str, tuple[Answers, ...]] = {}
    if folder:
        labels = {each.id: each.labels for each in claims}
        if (folder / _PAIRS).exists():
            pairs = read_pairs(folder / _PAIRS)
            notes += pair_differences(_PAIRS, pairs)
        for path in sorted(folder.glob("*output.json")):
            answers[path.name] = tuple(read_answers(path))
            notes += answer_differences(path.name, answers[path.name], labels)
    for path in [folder / name for name in HASHES] if folder else [data]:
        if path.exists() and digest(path) != HASHES.get(path.name, HASHES[_CLAIMS]):
            notes.append(f"{path.name}: is not byte for byte the copy that the documentation counts")
    return Polbix(tuple(claims), tuple(pairs), answers, tuple(notes))
