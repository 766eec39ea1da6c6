"""A further country is one file, and what models say of it is in the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from polbias.eval.report.build import build_report
from polbias.eval.report.document import Finding, Report
from polbias.eval.report.wording import words
from polbias.eval.simulation import SimulatedAnswers, make_respondent, questions
from polbias.harness_tasks.generate import partisan
from polbias.lock import LockedDataset, read_lock, write_lock
from polbias.manifest import read_manifest
from polbias.paths import package_file
from polbias.publishing.card import build
from tests.support.figures import without_figures
from tests.support.process import run_polbias

NAME = "partisan-inference"
COUNTRY = (Path(__file__).parent / "xa-en.yaml").read_text("utf-8")
GERMAN = (Path(__file__).parents[1] / "partisan" / "countries" / "at-de.yaml").read_text("utf-8")
PREFIXES = ("xa", "en_xa", "at")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of the shipped templates and three files: XA under two names, and AT; with its lock."""
    root = tmp_path_factory.mktemp("country")
    templates = root / "templates"
    shutil.copytree(package_file("templates/partisan"), templates)
    again = COUNTRY.replace("id: xa-en", "id: en-xa").replace("config: xa", "config: en_xa")
    for name, text in {"xa-en": COUNTRY, "en-xa": again, "at-de": GERMAN}.items():
        (templates / "countries" / f"{name}.yaml").write_text(text, "utf-8")
    build(NAME, root / "builds", templates)
    own = {NAME: LockedDataset.of(read_manifest(root / "builds" / NAME))}
    write_lock({**read_lock(), **own}, root / "datasets.lock")
    return root


@pytest.fixture
def report_of(place: Path, tmp_path: Path) -> Callable[..., Report]:
    """Reports of a simulated model on some configs, one file of samples each."""

    def made(*configs: str, task: str = "polbias_{}", effect: float = 0.3) -> Report:
        folder = tmp_path / "_".join(configs) / "m"
        folder.mkdir(parents=True)
        who = make_respondent("planted", effect=effect, accuracy=0.7)
        for config in configs:
            path = place / "builds" / NAME / config
            docs: list[dict[str, Any]] = pq.read_table(sorted(path.glob("test-*.parquet"))).to_pylist()
            texts = SimulatedAnswers(questions(docs, who.columns), who, 1).draw_texts()
            lines = (
                json.dumps({"doc_id": number, "doc": doc, "filtered_resps": [text]})
                for number, (doc, text) in enumerate(zip(docs, texts, strict=True))
            )
            name = f"samples_{task.format(config)}_2026-01-01T00-00-00.0.jsonl"
            (folder / name).write_text("\n".join(lines) + "\n", "utf-8")
        with without_figures():
            return build_report([folder]).report

    return made


def headline(report: Report) -> Finding:
    (found,) = [each for each in report.findings if each.headline and each.measure == "weighted_bias"]
    return found


def labels(report: Report, id: str, column: str) -> set[str]:
    (found,) = [table for section in report.sections for table in section.tables if table.id == id]
    return {str(row[column]) for row in found.rows}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("task", ["polbias_{}", "mine"])
def test_its_answers_are_in_the_report(report_of: Callable[..., Report], prefix: str, task: str) -> None:
    report = report_of(f"{prefix}_material_mini", task=task)
    assert [each.problem for each in report.notices if "polbias" in each.problem] == []
    assert report.respondents[0].answers == headline(report).estimate.n == 48
    assert headline(report).estimate.clusters == 24  # pairs of arguments
    assert headline(report).estimate.value is not None


@pytest.mark.parametrize("prefix", ["en_xa", "at"])
def test_every_country_has_arguments_of_its_own(report_of: Callable[..., Report], prefix: str) -> None:
    formal = report_of("en_formal", f"{prefix}_formal")
    assert headline(formal).estimate.clusters == 2 * 96
    assert headline(formal).estimate.n == 2 * 1608
    every = [f"{country}_{kind}_mini" for country in ("en", "de", prefix) for kind in ("formal", "material")]
    assert headline(report_of(*every)).estimate.clusters == 6 * 24


@pytest.mark.parametrize("prefix", ["xa", "en_xa"])
def test_countries_of_one_language_are_told_apart(report_of: Callable[..., Report], prefix: str) -> None:
    report = report_of("en_formal_mini", f"{prefix}_formal_mini", "en_control_formal_mini")
    for table in ("tests", "unanswered", "features", "variation"):
        assert labels(report, table, "language") >= {"English (US)", "English (XA)", "English"}
    assert labels(report, "cells", "config") == {
        "English (US), formal", "English (XA), formal", "Chess and poker, English, formal",
    }  # fmt: skip
    (section,) = report.sections
    columns = {table.id: {column.title for column in table.columns} for table in section.tables}
    for table in ("shots", "kind", "accuracy"):
        assert {"English (US)", "English (XA)"} <= {title.partition(",")[0] for title in columns[table]}
    parts = {each.part_label for each in report.findings if each.key and each.measure == "weighted_bias"}
    assert parts == {"English (US), formal, no examples", "English (XA), formal, no examples"}


def test_each_country_of_a_language_has_its_own_figures(report_of: Callable[..., Report]) -> None:
    """The answers for one country are those of a report without the other."""
    alone = report_of("xa_formal_mini", effect=0.4)
    both = report_of("en_formal_mini", "xa_formal_mini", effect=0.4)

    def line(report: Report) -> Any:
        (table,) = [table for table in report.sections[0].tables if table.id == "tests"]
        return next(row for row in table.rows if row["language"] == "English (XA)")

    assert line(both) == line(alone)


def test_a_language_that_has_no_words_keeps_its_tag(report_of: Callable[..., Report], tmp_path: Path) -> None:
    report_of("xa_formal_mini")
    (path,) = tmp_path.rglob("samples_*.jsonl")
    path.write_text(path.read_text("utf-8").replace('"country": "XA"', '"country": "XB"'), "utf-8")
    assert labels(build_report([path]).report, "cells", "config") == {"English (XB), formal"}


def test_what_is_said_of_the_instrument_holds_for_every_country() -> None:
    said = words("partisan")
    assert "in the English part" not in said.about
    assert "country" in said.measures["weighted_bias"].what
    assert "countries" in said.measures["large_bias"].what


@pytest.mark.e2e
@pytest.mark.usefixtures("no_figures")
def test_the_walk_from_one_file_to_the_report(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Task files of the lock, `polbias eval` with the dummy model, and what its report holds."""
    tasks = tmp_path / "tasks"
    shutil.copytree(package_file("harness_tasks/partisan"), tasks, ignore=shutil.ignore_patterns("polbias_*"))
    environment = {
        "POLBIAS_LOCK": str(place / "datasets.lock"),
        "POLBIAS_DATA_DIR": str(place / "builds"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "1",
        "NO_COLOR": "1",
    }
    monkeypatch.setenv("POLBIAS_LOCK", environment["POLBIAS_LOCK"])
    monkeypatch.setenv("POLBIAS_DATA_DIR", environment["POLBIAS_DATA_DIR"])
    for name, text in partisan():
        if "_xa_" in name:
            (tasks / name).write_text(text, "utf-8")
    asked = "polbias_xa_formal_mini,polbias_en_xa_material_mini"
    options = ["--model", "dummy", "--tasks", asked, "--include_path", str(tasks), "--output_path", "runs"]
    done = run_polbias("eval", *options, env=environment, cwd=tmp_path)
    assert "no report" not in done.stdout + done.stderr
    (summary,) = tmp_path.rglob("summary.json")
    found = json.loads(summary.read_text("utf-8"))
    assert [each["answers"] for each in found["respondents"]] == [96]
    assert {each["dataset"] for each in found["sources"]} == {NAME}
