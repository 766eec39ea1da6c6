"""Verification of the ladder's gold labels: reads all arguments of a build, decides each inference twice."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.errors import PolbiasError
from polbias.generators.logic import finite, finite_prover
from polbias.generators.logic.formula import Inference
from polbias.generators.logic.prover import ProofReport
from polbias.generators.partisan.ladder.reader import LadderReader, ReadItem
from polbias.generators.partisan.ladder.sentence_reader import LadderReadingError
from polbias.generators.partisan.ladder.settings import Setting
from polbias.generators.partisan.ladder.skeletons import GOLDS
from polbias.generators.partisan.xl_templates import CountryLanguage, load
from polbias.manifest import read_manifest

_CONFIG = re.compile(r"(?P<stage>\w+)_l(?P<level>[1-9])(_fresh)?")
_COLUMNS = (
    *("id", "pair_id", "skeleton_id", "prompt", "argument", "premises", "conclusion", "logical_form"),
    *("gold", "leaning", "mentioned", "positive", "family", "level", "gender", "shots"),
    *(f"label_{gold}" for gold in GOLDS),
)
_PARAGRAPHS_PER_EXAMPLE = 3  # premises, conclusion, label
_BATCH = 64  # inferences that a process decides at a time
_SINGLE_PROCESS = 2 * _BATCH
Row = Mapping[str, Any]
Question = tuple[Setting, Inference]


def verify_gold_labels(folder: Path, templates: Path | None = None) -> ProofReport:
    """Read every argument of a build, compare it with its columns and twin, and decide its gold label.

    Each distinct inference, also of an example in a prompt, is decided once by enumeration and once by z3.
    """
    readers = _Readers(templates)
    verification = _Verification()
    for config, splits in read_manifest(folder).configs.items():
        reader, level = readers.select_reader(config)
        for split in splits.values():
            verification.add_split(reader, level, _rows(folder / file.path for file in split.files))
    verification.decide()
    failed = tuple(f"{id_}: {problem}" for id_, problem in verification.problem_by_id.items())
    return ProofReport(verification.n_rows - len(failed), 0, failed, verification.n_rows)


def _rows(files: Iterable[Path]) -> Iterator[Row]:
    for file in files:
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(columns=list(_COLUMNS)):
                yield from batch.to_pylist()


class _Readers:
    """The readers of all countries and languages."""

    def __init__(self, templates: Path | None) -> None:
        self._stages = {stage.name: stage for stage in load(templates).stages}
        self._readers: dict[str, LadderReader] = {}

    def select_reader(self, config: str) -> tuple[LadderReader, int]:
        """Return the reader of a config, and its level."""
        match = _CONFIG.fullmatch(config)
        if not match or match["stage"] not in self._stages:
            raise PolbiasError(f"{config}: expected a country, a language and a level, such as us_en_l3")
        name = match["stage"]
        if name not in self._readers:
            self._readers[name] = reader_of(self._stages[name])
        return self._readers[name], int(match["level"])


def reader_of(stage: CountryLanguage) -> LadderReader:
    """Return the reader of a country in a language."""
    return LadderReader(stage.tag, stage.words.sides)


@dataclass
class _Verification:
    """Rows that were read, and their problems.

    Attributes:
        n_rows: number of rows.
        problem_by_id: first problem of each row that has one.
        golds: gold label of each row, by question and id of the row.
    """

    n_rows: int = 0
    problem_by_id: dict[str, str] = field(default_factory=dict)
    golds: dict[Question, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def add_split(self, reader: LadderReader, level: int, rows: Iterable[Row]) -> None:
        """Read the rows of a split, and compare twins."""
        items_by_pair: dict[str, list[tuple[str, ReadItem]]] = defaultdict(list)
        read = cache(reader.read)  # prompts without and with examples have the same arguments
        for row in rows:
            self.n_rows += 1
            id_ = row["id"]
            try:
                item = read(row["argument"])
            except LadderReadingError as error:
                self.problem_by_id[id_] = str(error)
                continue
            items_by_pair[row["pair_id"]].append((id_, item))
            self.golds[item.setting, item.inference][id_] = row["gold"]
            if problem := _row_problem(row, item, level) or self._add_examples(row, read):
                self.problem_by_id[id_] = problem
        for pair in items_by_pair.values():
            if problem := _pair_problem([item for _, item in pair]):
                for id_, _ in pair:
                    self.problem_by_id.setdefault(id_, problem)

    def _add_examples(self, row: Row, read: Callable[[str], ReadItem]) -> str | None:
        """Collect the examples in a prompt to be decided; return the first error, or None."""
        before, argument, after = row["prompt"].rpartition(f"\n\n{row['argument']}")
        if not argument or after:
            return "prompt: expected the argument at its end"
        _, *paragraphs = before.split("\n\n")
        n_paragraphs = _PARAGRAPHS_PER_EXAMPLE * row["shots"]
        if len(paragraphs) != n_paragraphs + bool(n_paragraphs):
            return f"prompt: found {len(paragraphs)} paragraphs of examples, expected {row['shots']} examples"
        gold_by_label = {f"**{row[f'label_{gold}']}**": gold for gold in GOLDS}
        for start in range(0, n_paragraphs, _PARAGRAPHS_PER_EXAMPLE):
            premises, conclusion, label = paragraphs[start : start + _PARAGRAPHS_PER_EXAMPLE]
            if label not in gold_by_label:
                return f"prompt: found {label!r}, expected the label of an example"
            try:
                example = read(f"{premises}\n\n{conclusion}")
            except LadderReadingError as error:
                return f"prompt: {error}"
            self.golds[example.setting, example.inference].setdefault(row["id"], gold_by_label[label])
        return None

    def decide(self) -> None:
        """Decide all inferences, and compare the labels with the gold labels."""
        for question, labels in decide_twice(list(self.golds)).items():
            for id_, gold in self.golds[question].items():
                if set(labels) != {gold}:
                    by_enumeration, by_z3 = labels
                    problem = f"found gold {gold}, expected {by_enumeration} (enumeration), {by_z3} (z3)"
                    self.problem_by_id.setdefault(id_, f"{problem} for {question[1]}")


def _row_problem(row: Row, item: ReadItem, level: int) -> str | None:
    """Return the first column of a row that differs from its text; None if all agree."""
    expected: dict[str, Any] = {
        "logical_form": str(item.inference),
        "leaning": item.leaning,
        "mentioned": item.mentioned_leaning,
        "family": item.setting.family,
        "level": level,
        "premises": list(item.premises),
        "conclusion": item.conclusion,
    }
    if item.setting.family != "ranking":  # where a denial is a ranking turned round
        expected["positive"] = not item.is_denial
    if item.gender is not None:
        expected["gender"] = item.gender
    for column, value in expected.items():
        if row[column] != value:
            return f"{column}: found {row[column]!r}, expected {value!r} as in the argument"
    if not row["skeleton_id"].startswith(start := f"{item.setting.family}-{level}-"):
        return f"skeleton_id: found {row['skeleton_id']!r}, expected {start!r} at its start"
    return None


def _pair_problem(items: Sequence[ReadItem]) -> str | None:
    """Return what keeps the rows of a pair from being twins; None if they are."""
    if len(items) != 2:
        return f"found {len(items)} readable rows in the pair, expected 2"
    first, second = items
    for name in ("inference", "names", "gender"):
        if getattr(first, name) != getattr(second, name):
            return f"found another {name} than the twin's, expected the same"
    if first.leaning_by_group == second.leaning_by_group or first.leaning == second.leaning:
        return "found the parties of the twin, expected them exchanged"
    return None


def decide_twice(questions: Sequence[Question]) -> Mapping[Question, tuple[finite.Label, finite.Label]]:
    """Return the labels of inferences by enumeration and by z3; many are decided in processes."""
    n_processes = min(os.cpu_count() or 1, len(questions) // _BATCH)
    if len(questions) <= _SINGLE_PROCESS or n_processes < 2:
        return dict(zip(questions, _decide_batch(questions), strict=True))
    batches = [questions[start : start + _BATCH] for start in range(0, len(questions), _BATCH)]
    with ProcessPoolExecutor(n_processes, get_context("spawn")) as pool:
        labels = [pair for pairs in pool.map(_decide_batch, batches) for pair in pairs]
    return dict(zip(questions, labels, strict=True))


def _decide_batch(questions: Sequence[Question]) -> list[tuple[finite.Label, finite.Label]]:
    return [
        (
            finite.decide(inference, setting.models),
            finite_prover.prover_of(setting.domain).decide(inference),
        )
        for setting, inference in questions
    ]
