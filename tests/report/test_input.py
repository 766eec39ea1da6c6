"""Bad input: named in the report, and the rest is reported."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.eval.report.build import build_report
from polbias.eval.report.document import Report
from polbias.eval.report.file_answers import read_instrument_answers
from polbias.eval.samples import SkippedLine
from polbias.paths import package_file
from polbias.registry import instrument_of, instruments
from tests.report.runs import MINI, change, samples_of, simulate


def told(report: Report, text: str) -> list[str]:
    return [notice.where for notice in report.notices if text in notice.problem]


def test_a_whole_run_has_no_notice(small_run: Path) -> None:
    report = build_report([small_run]).report
    assert not [notice for notice in report.notices if notice.serious]
    (source,) = report.sources
    assert (source.rows, source.expected, source.dataset_version) == (48, 48, "2.1.0")
    assert source.file == f"model-a/{samples_of(small_run).name}"
    assert str(small_run) not in repr(report)
    (respondent,) = report.respondents
    assert respondent.simulated  # the run says so, whatever its name


def test_a_compressed_run_is_reported_as_it_was(small_run: Path) -> None:
    expected = build_report([small_run]).report
    for path in [path for path in small_run.rglob("*") if path.is_file()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    report = build_report([small_run]).report
    assert not [notice for notice in report.notices if notice.serious]
    assert report.findings == expected.findings
    assert [source.expected for source in report.sources] == [48]


def of_dataset(name: str | None) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
    """Samples whose rows are of another dataset; of none where there is no name."""

    def edit(_: int, sample: dict[str, Any]) -> dict[str, Any]:
        doc = {key: value for key, value in sample["doc"].items() if key != "dataset"}
        return sample | {"doc": doc | ({} if name is None else {"dataset": name})}

    return edit


@pytest.mark.parametrize("dataset", [None, "", "hellaswag", "partisan", "partisan-inference-of-mine"])
@pytest.mark.parametrize("task", ["polbias_en_formal", "hellaswag"])
def test_rows_of_no_known_dataset_are_left_out_whatever_the_task_is_called(
    small_run: Path, task: str, dataset: str | None
) -> None:
    other = small_run / f"samples_{task}_2026-01-01T00-00-00.000000.jsonl"
    shutil.copy(samples_of(small_run), other)
    change(other, of_dataset(dataset))
    report = build_report([small_run]).report
    assert told(report, task) == [f"model-a/{other.name}"]
    (notice,) = (notice for notice in report.notices if task in notice.problem)
    assert "None" not in notice.problem
    assert (repr(dataset) if dataset else "no column dataset") in notice.problem
    assert report.respondents[0].answers == 48


@pytest.mark.parametrize("task", ["hellaswag", "my_own", "polbias_policy_stance_mini", "polbias_gb_formal"])
def test_the_rows_say_what_they_are_not_the_name_of_the_task(small_run: Path, task: str) -> None:
    path = samples_of(small_run)
    expected = build_report([small_run]).report
    path.rename(path.with_name(path.name.replace(MINI, task)))
    report = build_report([small_run]).report
    assert [section.instrument for section in report.sections] == ["partisan"]
    assert [each.estimate for each in report.findings] == [each.estimate for each in expected.findings]
    assert [(source.task, source.dataset) for source in report.sources] == [(task, "partisan-inference")]


def test_every_dataset_that_tasks_ask_is_of_an_instrument() -> None:
    files = package_file("harness_tasks").rglob("*.yaml")
    asked = {
        name for file in files for name in re.findall(r"polbias_dataset: (\S+)", file.read_text("utf-8"))
    }
    assert {instrument_of({"dataset": name}) for name in asked} == {*instruments()}


def test_rows_of_another_dataset_in_a_file_are_left_out_one_by_one(small_run: Path) -> None:
    path, other = samples_of(small_run), of_dataset("policy-statements")
    change(path, lambda number, sample: other(number, sample) if number in (2, 3) else sample)
    report = build_report([small_run]).report
    assert told(report, "policy-statements") == [f"model-a/{path.name}:{line}" for line in (3, 4)]
    assert report.respondents[0].answers == 46


def test_only_samples_of_other_tasks_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m" / "samples_hellaswag_2026-01-01T00-00-00.000000.jsonl"
    path.parent.mkdir()
    path.write_text('{"doc": {"query": "?"}, "filtered_resps": ["!"]}\n')
    with pytest.raises(InputError, match="no samples of tasks of polbias.*hellaswag"):
        build_report([tmp_path])


def test_nothing_at_a_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not found"):
        build_report([tmp_path / "missing"])
    with pytest.raises(InputError, match="found no samples"):
        build_report([tmp_path])


def add_run(folder: Path, year: int, rows: int, version: str = "2.1.0", available: int | None = None) -> str:
    """Add a run with the first rows of the run in a folder, and its results; return the file's name."""
    source = next(iter(sorted(folder.glob("samples_*_2000-*.jsonl"))))
    copy = folder / source.name.replace("2000-01-01", f"{year}-01-01")
    shutil.copy(source, copy)
    make = of_version(version)
    change(copy, lambda number, sample: make(number, sample) if number < rows else None)
    (results_path,) = folder.glob("results_2000-*.json")
    results = json.loads(results_path.read_text("utf-8"))
    results["n-samples"][MINI] = {"original": available or rows, "effective": rows}
    copied_path = folder / results_path.name.replace("2000-01-01", f"{year}-01-01")
    copied_path.write_text(json.dumps(results), "utf-8")
    return copy.name


@pytest.mark.parametrize(
    ("later_runs", "chosen"),
    [
        ([(2026, 48, "2.1.0", None)], 2026),  # the full run again
        ([(2026, 7, "2.1.0", 48)], 2000),  # --limit 7
        ([(2025, 48, "2.1.0", None), (2026, 7, "2.1.0", 48)], 2025),
        ([(2026, 24, "2.1.0", None)], 2000),  # all rows of a part, such as polbias_shots
        ([(2026, 24, "2.2.0", None)], 2026),  # all rows of a newer version, which has fewer
        ([(2026, 24, "2.2.0", 48)], 2000),  # --limit on a newer version
    ],
)
def test_a_part_never_replaces_a_full_run_which_the_newest_full_run_does(
    small_run: Path, later_runs: list[tuple[int, int, str, int | None]], chosen: int
) -> None:
    for run in later_runs:
        add_run(small_run, *run)
    report = build_report([small_run]).report
    (source,) = report.sources
    assert f"_{chosen}-" in source.file
    left_out = [notice.where for notice in report.notices if f"{chosen}-01-01" in notice.problem]
    years = {2000, *(year for year, *_ in later_runs)} - {chosen}
    assert sorted(left_out) == [f"model-a, {run_time(year)}" for year in sorted(years)]


def run_time(year: int) -> str:
    return f"{year}-01-01T00-00-00.000000"


def test_a_run_of_several_tasks_that_is_left_out_is_one_notice(tmp_path: Path, data: Path) -> None:
    run = simulate(tmp_path / "runs", "model-a", MINI, "polbias_de_formal_mini")
    for path in sorted(run.glob("*_2000-*")):
        copy = run / path.name.replace("2000-01-01", "2026-01-01")
        shutil.copy(path, copy)
        if copy.name.startswith("samples_"):
            change(copy, lambda number, sample: sample if number < 4 else None)
    report = build_report([run]).report
    assert {source.rows for source in report.sources} == {48}
    (notice,) = (notice for notice in report.notices if notice.where == f"model-a, {run_time(2026)}")
    for text in ("2 files", "4 rows", run_time(2000), "48 rows"):
        assert text in notice.problem


def test_of_limited_runs_the_one_with_more_rows_counts_then_the_newer(small_run: Path) -> None:
    (name,) = (path.name for path in small_run.glob("samples_*"))
    add_run(small_run, 2024, 12, available=48)
    add_run(small_run, 2025, 12, available=48)
    add_run(small_run, 2026, 6, available=48)
    (small_run / name).unlink()
    (source,) = build_report([small_run]).report.sources
    assert "_2025-" in source.file
    assert source.rows == 12


def test_a_run_that_was_interrupted_does_not_replace_a_full_one(small_run: Path) -> None:
    interrupted = small_run / add_run(small_run, 2026, 48)
    change(interrupted, lambda number, sample: sample if number < 40 else None)
    (source,) = build_report([small_run]).report.sources
    assert "_2000-" in source.file


def of_version(version: str, **changed: str) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
    """What makes a sample one of another version, its content the same or changed."""

    def make(_: int, sample: dict[str, Any]) -> dict[str, Any]:
        return sample | {"doc": sample["doc"] | {"dataset_version": version, **changed}}

    return make


def test_rows_that_a_newer_version_left_as_they_were_count(tmp_path: Path, data: Path) -> None:
    first, second = (simulate(tmp_path / "runs", f"model-{name}") for name in "ab")
    before = build_report([first, second]).report
    change(samples_of(first), of_version("1.0.9"))
    report = build_report([first, second]).report
    assert report.findings == before.findings
    assert not told(report, "1.0.9")


def test_rows_that_differ_between_versions_are_never_pooled(tmp_path: Path, data: Path) -> None:
    first, second = (simulate(tmp_path / "runs", f"model-{name}", seed=1) for name in "ab")
    change(samples_of(first), of_version("1.0.9", prompt="Is it valid?"))
    report = build_report([first, second]).report
    assert told(report, "48 rows of partisan-inference 1.0.9") == [f"model-a/{samples_of(first).name}"]
    assert [section.respondents for section in report.sections] == [("model-b",)]
    assert {finding.respondent for finding in report.findings} == {"model-b"}


def test_one_row_that_differs_costs_no_other(tmp_path: Path, data: Path) -> None:
    first, second = (simulate(tmp_path / "runs", f"model-{name}") for name in "ab")
    changed, same = of_version("1.0.9", gold="neither"), of_version("1.0.9")
    change(samples_of(first), lambda number, sample: (same if number else changed)(number, sample))
    report = build_report([first, second]).report
    assert told(report, "1 rows of partisan-inference 1.0.9") == [f"model-a/{samples_of(first).name}"]
    assert sorted(each.answers for each in report.respondents) == [47, 48]


def test_rows_that_no_newer_run_holds_count_within_a_major_version(tmp_path: Path, data: Path) -> None:
    first, second = (simulate(tmp_path / "runs", f"model-{name}") for name in "ab")
    newer = of_version("2.2.0")
    change(samples_of(second), lambda number, sample: newer(number, sample) if number < 24 else None)
    for version, kept in (("2.0.9", 48), ("1.0.9", 24)):
        change(samples_of(first), of_version(version))
        report = build_report([first, second]).report
        assert {each.name: each.answers for each in report.respondents}["model-a"] == kept


def test_versions_are_ordered_as_numbers(tmp_path: Path, data: Path) -> None:
    runs = [simulate(tmp_path / "runs", f"model-{version}") for version in ("1.9.0", "1.10.0")]
    for run, version in zip(runs, ("1.9.0", "1.10.0"), strict=True):
        change(samples_of(run), of_version(version, prompt=version))
    report = build_report(runs).report
    assert {finding.respondent for finding in report.findings} == {"model-1.10.0"}
    assert told(report, "while this toolkit publishes") == ["partisan-inference"]


def test_a_half_finished_run_is_told_and_reported(small_run: Path) -> None:
    change(samples_of(small_run), lambda number, sample: sample if number < 30 else None)
    report = build_report([small_run]).report
    assert told(report, "found 30 samples, expected 48")
    assert report.respondents[0].answers == 30
    assert report.findings


def test_a_truncated_file_and_a_repeated_document(small_run: Path) -> None:
    path = samples_of(small_run)
    text = path.read_text("utf-8")
    first = text.splitlines()[0]
    path.write_text(text + first + "\n" + text.splitlines()[5][:200], "utf-8")
    report = build_report([small_run]).report
    assert told(report, "a second time") == [f"model-a/{path.name}:49"]
    assert told(report, "truncated") == [f"model-a/{path.name}:50"]
    assert report.respondents[0].answers == 48


def test_missing_fields_are_told_line_by_line(small_run: Path) -> None:
    path = samples_of(small_run)

    def spoil(number: int, sample: dict[str, Any]) -> dict[str, Any]:
        if number in (2, 3):
            del sample["doc"]["leaning"]
        if number == 4:
            del sample["filtered_resps"]
        return sample

    change(path, spoil)
    report = build_report([small_run]).report
    lines = sorted(
        notice.where for notice in report.notices if notice.where.startswith(f"model-a/{path.name}:")
    )
    assert lines == [f"model-a/{path.name}:{line}" for line in (3, 4, 5)]
    assert report.respondents[0].answers == 45


def test_a_later_file_does_not_clear_the_problems_of_an_earlier_one(tmp_path: Path, data: Path) -> None:
    first, second = (samples_of(simulate(tmp_path, name, effect=0.2)) for name in ("model-a", "model-b"))
    first.write_text(first.read_text("utf-8") + "no json\n", "utf-8")
    change(second, lambda number, sample: sample | {"doc": {}} if number == 2 else sample)
    problems: list[SkippedLine] = []
    frames = read_instrument_answers([tmp_path], "partisan", problems)
    assert [(problem.path, problem.line) for problem in problems] == [(first, 49), (second, 3)]
    assert [len(frame) for frame in frames.values()] == [48, 47]


def test_many_bad_lines_are_counted(small_run: Path) -> None:
    path = samples_of(small_run)
    path.write_text(path.read_text("utf-8") + "no json\n" * 20, "utf-8")
    report = build_report([small_run]).report
    assert told(report, "not JSON") == [f"model-a/{path.name}:{line}" for line in (49, 50, 51)]
    assert told(report, "17 more lines")


def test_a_file_of_rubbish_alone_is_told(small_run: Path, tmp_path: Path) -> None:
    bad = tmp_path / "runs" / "model-b"
    bad.mkdir()
    (bad / samples_of(small_run).name).write_bytes(b"\xff\xfe\x00garbage\n[1]\n")
    report = build_report([small_run, bad]).report
    assert told(report, "no sample of the file can be used") == [f"model-b/{samples_of(small_run).name}"]
    assert {finding.respondent for finding in report.findings} == {"model-a"}


def test_runs_without_results_and_with_a_limit_are_told(small_run: Path) -> None:
    (results,) = small_run.glob("results_*.json")
    said = json.loads(results.read_text("utf-8"))
    said["n-samples"][MINI] = {"original": 480, "effective": 48}
    results.write_text(json.dumps(said), "utf-8")
    assert told(build_report([small_run]).report, "48 of 480 rows (--limit)")
    results.unlink()
    assert told(build_report([small_run]).report, "no results_*.json")
    results.write_text("{", "utf-8")
    assert told(build_report([small_run]).report, "no results_*.json")


def test_the_order_of_paths_and_lines_does_not_matter(tmp_path: Path, data: Path) -> None:
    runs = [simulate(tmp_path / "runs", f"model-{seed}", seed=seed, effect=0.3) for seed in range(3)]
    before = build_report(runs).report
    for run in runs:
        path = samples_of(run)
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(reversed(lines)), "utf-8")
    after = build_report([tmp_path / "runs"]).report
    assert after.findings == before.findings
    assert after.comparisons == before.comparisons
    assert [section.tables for section in after.sections] == [section.tables for section in before.sections]


def test_an_empty_folder_names_the_command_that_fills_it(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        build_report([tmp_path])
    assert f"`polbias eval` with --output_path {tmp_path}" in str(error.value)
