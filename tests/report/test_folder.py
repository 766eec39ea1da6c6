"""What a report consists of: summary.json as documented and fixed, tables, outcomes, results for the Hub."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
import yaml

from polbias.cli.report_folder import check_folder, write_report
from polbias.errors import InputError
from polbias.eval.report.build import ReportWithAnswers, build_report
from polbias.eval.report.document import MINUS, format_points
from polbias.eval.report.flat_tables import flat_tables
from polbias.eval.report.hub_results import file_name, hub_eval_results
from polbias.eval.report.outcomes import write_outcomes
from polbias.eval.report.summary_json import summary, summary_text
from polbias.eval.report.verdicts import interval_contains_zero
from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from polbias.experiments.demonstration import demonstration, write_choices
from polbias.lock import read_lock
from polbias.paths import package_file
from tests.golden.files import check_folder as check_golden
from tests.golden.files import tables
from tests.report.runs import simulate
from tests.test_template_texts import refused

GOLDEN = Path(__file__).parent / "golden" / "summary.json"
_TASKS = (
    "polbias_en_formal_mini", "polbias_en_material_mini", "polbias_en_formal_mini_loglikelihood",
    "polbias_policy_stance_mini", "polbias_xphemism_simple", "polbias_deontic_logic_zero", "polbias_wason",
    "polbias_deontic_logic_zero_paper",
    "polbias_selfassess_preference_mini", "polbias_selfassess_least_biased_mini",
)  # fmt: skip


@pytest.fixture(scope="module")
def runs(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs of two respondents on a part of every instrument."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        (folder / "articles").mkdir()
        shown = demonstration().model_copy(update={"topics": 8})
        patch.setenv("POLBIAS_STAGE2", str(write_choices(shown, folder / "articles")))
        options: dict[str, Any] = {"effect": 0.3, "side": "left", "judgment": 0.1, "unparsable": 0.05}
        simulate(folder / "runs", "leaning", *_TASKS, seed=1, **options)
        simulate(folder / "runs", "fair", *_TASKS, seed=2)
        yield folder / "runs"


@pytest.fixture(scope="module")
def made(runs: Path) -> ReportWithAnswers:
    return build_report([runs])


@pytest.fixture(scope="module")
def written(made: ReportWithAnswers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written") / "one"
    write_report(made, folder)
    return folder


def test_summary_is_as_its_schema_says(made: ReportWithAnswers) -> None:
    schema = json.loads(package_file("templates/report/summary.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = json.loads(summary_text(made.report))
    jsonschema.validate(found, schema)
    assert found["schema"] == schema["$id"]
    assert {each["instrument"] for each in found["findings"]} == {
        "partisan", "policy", "xphemism", "selfassess", "normative",
    }  # fmt: skip


def test_summary_is_that_of_the_golden_file(made: ReportWithAnswers) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 writes it anew: look at every difference before it is committed."""
    found = json.loads(summary_text(made.report))
    found["polbias"] = "VERSION"
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert list(differences(found, json.loads(GOLDEN.read_text("utf-8")), "")) == []


def differences(found: Any, expected: Any, place: str) -> Iterator[str]:
    """Yield what differs; the last digits of numbers may, as linear algebra does from machine to machine."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in {**expected, **found}:
            if key not in found or key not in expected:
                yield f"{place}/{key}: {'missing' if key in expected else 'new'}"
            else:
                yield from differences(found[key], expected[key], f"{place}/{key}")
    elif isinstance(found, list) and isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{place}: {len(found)} entries, expected {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from differences(one, other, f"{place}/{number}")
    elif isinstance(found, float) and isinstance(expected, int | float):
        if found != pytest.approx(expected, rel=1e-5, abs=1e-7):
            yield f"{place}: {found}, expected {expected}"
    elif found != expected:
        yield f"{place}: {found!r}, expected {expected!r}"


def test_the_same_samples_give_the_same_bytes(runs: Path, written: Path, tmp_path: Path) -> None:
    write_report(build_report([runs / "leaning", runs / "fair"]), tmp_path / "two")
    files = sorted(path.relative_to(written) for path in written.rglob("*.*"))
    assert len(files) > 40
    for file in files:
        assert (written / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    assert str(runs).encode() not in (written / "report.html").read_bytes()


def test_a_brief_report_has_every_headline_its_versions_and_hashes(
    made: ReportWithAnswers, tmp_path: Path
) -> None:
    write_report(made, tmp_path / "report", brief=True)
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert refused(page) == []
    for finding in made.report.findings:
        value = finding.estimate.value
        if finding.headline and value is not None:
            size = f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"
            in_sd = finding.measure == "margin"
            assert f">{size.replace('-', MINUS) if in_sd else format_points(value)}" in page
    for source in made.report.sources:
        assert source.sha256 in page
        assert source.dataset_version in page
    assert page.count("<table") == 2
    assert "2026" in page or "2000" in page
    assert "not shown to be absent" in page


def test_tables_are_those_of_the_golden_folder(written: Path) -> None:
    check_golden("report", tables((written / "tables").glob("*.csv")))


def test_planted_biases_are_found_and_fairness_is_not_called_bias(made: ReportWithAnswers) -> None:
    headlines = {
        (each["instrument"], each["respondent"]): each
        for each in summary(made.report)["findings"]
        if each["headline"] and not each["measure"].endswith(("accuracy_gap", "refusal_gap", "margin"))
    }
    for instrument in ("partisan", "policy", "xphemism", "selfassess"):
        biased, fair = headlines[instrument, "leaning"], headlines[instrument, "fair"]
        assert biased["high"] < 0, instrument
        expected = {"selfassess": "too few to be tested", "partisan": "described"}.get(
            instrument, "not established"
        )
        assert fair["verdict"] == expected, instrument
        assert fair["low"] <= 0 <= fair["high"], instrument


def test_a_planted_bias_shows_in_the_margin_and_is_no_accuracy_gap(made: ReportWithAnswers) -> None:
    gaps = {each.respondent: each.estimate for each in made.report.findings if each.measure == "accuracy_gap"}
    margins = {each.respondent: each.estimate for each in made.report.findings if each.measure == "margin"}
    assert gaps.keys() == {"fair", "leaning", "fair (log-likelihood)", "leaning (log-likelihood)"}
    assert not [name for name, gap in gaps.items() if gap.low is not None and not interval_contains_zero(gap)]
    (_, least, _), (_, _, most) = (
        margins[f"{name} (log-likelihood)"].value_and_interval for name in ("fair", "leaning")
    )
    assert most < least


def test_tables_are_flat_and_complete(made: ReportWithAnswers, written: Path) -> None:
    found = dict(flat_tables(made.report))
    assert {"findings", "comparisons", "partisan-tests", "partisan-tests-paper"} <= set(found)
    for name, rows in found.items():
        for row in rows:
            lists = {key for key, value in row.items() if isinstance(value, list)}
            assert lists <= {"doubts", "unanswered"}, name
            plain = [value for key in row for value in (row[key] if key in lists else [row[key]])]
            assert all(isinstance(value, str | int | float | bool | None) for value in plain), name
    first = found["partisan-tests"][0]
    assert any(key.endswith("_low") for key in first)
    assert any(key.endswith("_clusters") for key in first)
    assert found["comparisons"][0]["unanswered"] == [0, 5]
    with (written / "tables" / "comparisons.csv").open(encoding="utf-8") as file:
        assert next(csv.DictReader(file))["unanswered"] == "0;5"


def test_tables_on_page_and_disk_have_signs_and_no_names_of_signs(written: Path) -> None:
    signs = {"*", "–", ""}
    for name in ("xphemism-table2", "xphemism-table2-paper"):
        with (written / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
            cells = {row[column] for row in csv.DictReader(file) for column in ("judgment", "shift")}
        assert cells <= signs
        assert "–" in cells, name
    page = (written / "report.html").read_text("utf-8")
    assert refused(page) == []


def test_outcomes_are_tidy(made: ReportWithAnswers, tmp_path: Path) -> None:
    path = tmp_path / "outcomes.parquet"
    write_outcomes(made.answers, path)
    rows = sum(len(outcomes) for frames in made.answers.values() for outcomes in frames.values())
    table = pq.read_table(path)
    assert table.num_rows == rows
    assert sum(each.answers for each in made.report.respondents) >= rows
    assert set(table["instrument"].unique().to_pylist()) == {
        "partisan", "policy", "xphemism", "selfassess", "normative",
    }  # fmt: skip
    assert set(table["outcome"].unique().to_pylist()) <= {"answered", "refusal", "unparsable", "truncated"}
    assert table["id"].null_count == table["cluster_id"].null_count == 0
    frame = table.to_pandas()
    answered = frame[(frame.instrument == "partisan") & (frame.task == "polbias_en_formal_mini")]
    assert len(answered) == 2 * 48


def test_results_for_the_hub_are_accuracies_of_the_tasks_of_eval_yaml(
    made: ReportWithAnswers, all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import parse_eval_result_entries

    assert dict(hub_eval_results(made.answers)) == {}  # a part of a config is no result of it
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    # one config alone is a task of eval.yaml
    asked = run_tasks(
        ["polbias_en_formal", "polbias_de_formal_mini"], make_respondent("refuser", share=0.5), 7, model="m"
    )
    asked.write(tmp_path / "m")
    found = dict(hub_eval_results(build_report([tmp_path]).answers))
    (entry,) = parse_eval_result_entries(yaml.safe_load(found["m"]))
    assert (entry.dataset_id, entry.task_id) == ("polbias/partisan-inference", "en_formal")
    assert entry.dataset_revision == f"v{read_lock()['partisan-inference'].version}"
    scores = asked.results["results"]["polbias_en_formal"]
    assert 0.4 < scores["refusal,none"] < 0.6
    assert entry.value == pytest.approx(scores["acc,none"], abs=6e-5)  # of four digits
    assert f"1,608 answers, {1608 * scores['refusal,none']:.0f} refusals" in str(entry.notes)


@pytest.mark.parametrize(
    ("respondent", "expected"),
    [
        ("a/b", "a-b.yaml"),
        ("../x", "-x.yaml"),
        ("m (log-likelihood)", "m--log-likelihood-.yaml"),
        ("", "respondent.yaml"),
    ],
)
def test_names_of_respondents_make_safe_file_names(respondent: str, expected: str) -> None:
    assert file_name(respondent) == expected


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("")
    with pytest.raises(
        InputError, match=r"found thesis\.docx, expected an empty folder or an earlier report"
    ):
        check_folder(tmp_path)
    with pytest.raises(InputError, match="found a file"):
        check_folder(tmp_path / "thesis.docx")
    check_folder(tmp_path / "new")


def test_formulas_in_names_do_not_reach_a_spreadsheet(
    tmp_path: Path, all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    simulate(tmp_path / "runs", "=cmd()", "polbias_en_formal_mini")
    write_report(build_report([tmp_path / "runs"]), tmp_path / "report")
    text = (tmp_path / "report" / "tables" / "findings.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["respondent"] for row in rows} == {"'=cmd()"}
