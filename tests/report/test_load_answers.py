"""The answers of runs as a data frame: the table of a report, documented, complete, loud about what it lacks."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import polbias
from polbias.errors import InputError
from polbias.eval.report.build import build_report
from polbias.eval.report.file_answers import FILTERED, READER_COLUMNS, RUN, column_types
from polbias.eval.report.outcomes import write_outcomes
from polbias.eval.report.reporter import COMMON_COLUMNS, load_reporter
from polbias.registry import instrument_names
from tests.report.runs import simulate
from tests.support.process import ROOT

_TASKS = ("polbias_en_formal_mini", "polbias_en_formal_mini_loglikelihood", "polbias_policy_stance_mini")
_DTYPES = {"string": "category", "int8": "Int8", "int32": "Int32", "int64": "Int64", "bool": "boolean"}


@pytest.fixture(scope="module")
def runs(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs of two models on two instruments."""
    folder = tmp_path_factory.mktemp("answers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        for seed, name in enumerate(("leaning", "fair")):
            simulate(folder, name, *_TASKS, seed=seed)
        yield folder


def documented() -> dict[tuple[str, str], str]:
    """The columns of docs/tables/answers.csv with their types, by instrument."""
    with (ROOT / "docs/tables/answers.csv").open(encoding="utf-8", newline="") as file:
        return {(row["of"], row["column"]): row["type"] for row in csv.DictReader(file) if row["meaning"]}


def test_the_page_has_every_column_with_its_type() -> None:
    common = {"instrument": "string"} | dict.fromkeys((*READER_COLUMNS, *COMMON_COLUMNS), "string")
    common |= {"repeat": "int32", RUN: "int32", FILTERED: "bool"}
    expected = {("all", column): kind for column, kind in common.items()}
    for name in instrument_names():
        own = column_types(load_reporter(name)).items()
        expected |= {(name, column): kind for column, kind in own if column not in common}
    assert documented() == expected


def test_it_is_the_table_of_the_report(runs: Path, tmp_path: Path) -> None:
    answers = polbias.load_answers(runs)
    assert len(answers) == 2 * sum(len(answers[answers["task"] == task]) // 2 for task in _TASKS) > 200
    write_outcomes(build_report([runs]).answers, tmp_path / "outcomes.parquet")
    written = pd.read_parquet(tmp_path / "outcomes.parquet")
    assert [*written] == [*answers]
    for column in answers:
        one, other = (frame[column].astype(object) for frame in (written, answers))
        assert one.where(one.notna(), None).tolist() == other.where(other.notna(), None).tolist(), column


def test_its_columns_are_those_of_the_page(runs: Path) -> None:
    answers = polbias.load_answers(runs)
    known = {
        column: kind for (of, column), kind in documented().items() if of in ("all", "partisan", "policy")
    }
    assert {*answers} == {*known}
    for column, kind in known.items():
        assert str(answers[column].dtype) == _DTYPES.get(kind, "float64"), column


def test_one_instrument_has_its_own_columns_alone(runs: Path) -> None:
    answers = polbias.load_answers(str(runs), "partisan")
    assert {*answers["instrument"]} == {"partisan"}
    assert "statement_id" not in answers
    assert {*answers["method"]} == {"generated", "log-likelihood"}


def test_a_line_that_cannot_be_read_is_logged(
    runs: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (samples,) = (runs / "fair").glob("samples_polbias_en_formal_mini_2*")
    copy = tmp_path / samples.name
    lines = samples.read_text("utf-8").splitlines(keepends=True)
    copy.write_text("".join([*lines[:3], "{broken\n", *lines[4:]]), "utf-8")
    with caplog.at_level(logging.WARNING, "polbias"):
        answers = polbias.load_answers(tmp_path)
    assert len(answers) == len(lines) - 1
    assert f"{copy.name}:4" in caplog.text


@pytest.mark.parametrize("name", ["policy", "no such instrument"])
def test_without_samples_it_stops(runs: Path, tmp_path: Path, name: Any) -> None:
    (samples,) = (runs / "fair").glob("samples_polbias_en_formal_mini_2*")
    (tmp_path / samples.name).write_bytes(samples.read_bytes())
    with pytest.raises(InputError, match=name):
        polbias.load_answers(tmp_path, name)


def test_a_file_without_a_usable_line_stops(runs: Path, tmp_path: Path) -> None:
    (samples,) = (runs / "fair").glob("samples_polbias_en_formal_mini_2*")
    lines = samples.read_text("utf-8").splitlines()
    unusable = lines[0].replace('"leaning"', '"unknown"')
    (tmp_path / samples.name).write_text(f"{unusable}\n", "utf-8")
    with pytest.raises(InputError, match="no usable answer"):
        polbias.load_answers(tmp_path)
