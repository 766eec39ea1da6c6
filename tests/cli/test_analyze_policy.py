"""`polbias analyze policy`: from logged samples to tables and figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.eval.policy.schema import ISSUES, ORDERS, VARIANTS
from polbias.files import InputError
from tests.support.shared import shared

PUBLISHED = shared("upstream/probvaa")


def _doc(number: int, variant: str, order: str, country: str = "de") -> dict[str, Any]:
    signs = {issue: (1 if (number + place) % 2 else -1) for place, issue in enumerate(ISSUES)}
    return {
        "id": f"all/{country}_{number}/{variant}/{order}",
        "dataset": "policy-statements",
        "cluster_id": f"{country}_{number}",
        "statement_id": f"{country}_{number}",
        "country": country,
        "language": "en",
        "variant": variant,
        "opposite_type": "contradictory",
        "instruction_id": "p1-agree",
        "label_order": order,
        "label_agree": "agree",
        "label_disagree": "disagree",
        "policy_issues": signs,
    }


def _run(
    folder: Path, numbers: range = range(1, 9), variants: tuple[str, ...] = VARIANTS, answers: int = 30
) -> Path:
    """The samples of a model that agrees with odd statements, coherently."""
    lines = []
    for number in numbers:
        for variant in variants:
            for order in ORDERS:
                agrees = bool(number % 2) != (variant in ("negation", "opposite"))
                said = ["I agree." if agrees else "disagree"] * answers
                sample = {"doc_id": len(lines), "doc": _doc(number, variant, order), "filtered_resps": said}
                lines.append(json.dumps(sample))
    model = folder / "model__one"
    model.mkdir(parents=True)
    path = model / "samples_polbias_policy_stance_2026-01-02T03-04-05.6.jsonl"
    path.write_text("\n".join([*lines, '{"doc": ']), "utf-8")
    return folder


@pytest.mark.parametrize(("dataset", "found"), [("probvaa", True), ("partisan-inference", False)])
def test_the_rows_say_whether_they_are_policy_statements(tmp_path: Path, dataset: str, found: bool) -> None:
    (path,) = _run(tmp_path / "run").rglob("samples_*.jsonl")
    path.write_text(path.read_text("utf-8").replace("policy-statements", dataset), "utf-8")
    path.rename(path.with_name("samples_mine_2026-01-02T03-04-05.6.jsonl"))
    done = CliRunner().invoke(app, ["analyze", "policy", str(tmp_path), "-o", str(tmp_path / "out")])
    assert (done.exit_code == 0) == found
    assert (tmp_path / "out" / "summary.json").exists() == found


def test_tables_figures_and_what_was_left_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["analyze", "policy", str(_run(tmp_path / "run")), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert ".jsonl:97:" in done.output
    assert "100.0% of statements pass all reliability tests" in done.output
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["model__one"]["n"] == 96
    with (out / "worldview.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["stance"]) for row in rows] == [1.0, -1.0] * 4
    assert (out / "worldview-en.svg").read_text("utf-8").startswith("<svg ")
    assert not (out / "leanings-en.svg").exists()
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    CliRunner().invoke(app, ["analyze", "policy", str(tmp_path / "run"), "-o", str(out)])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_no_zeros_where_nothing_was_tested(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = _run(tmp_path / "run", variants=("original", "opposite"), answers=1)
    done = CliRunner().invoke(app, ["analyze", "policy", str(run), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "Sampling, Paraphrase, Negation" in done.output
    assert "not tested" in done.output
    assert "0.0" not in done.output
    summary = json.loads((out / "summary.json").read_text("utf-8"))["model__one"]
    assert summary["not_tested"] == ["sign", "paraphrase", "negation"]
    assert {each["stance"] for each in summary["worldview"]} == {None}
    with (out / "worldview.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert {name for name, cell in row.items() if cell} == {
                *("model", "language", "issue", "positive", "negative")
            }
    with (out / "tests.csv").open(encoding="utf-8") as file:
        passed = {row["test"]: row["passed"] for row in csv.DictReader(file)}
    assert {name for name, share in passed.items() if share} == {"label_inversion", "opposite"}


def test_match_with_parties(tmp_path: Path) -> None:
    if PUBLISHED is None:
        pytest.skip("no copy of the published ProbVAA")
    out = tmp_path / "out"
    run = str(_run(tmp_path / "run", range(1, 30)))
    done = CliRunner().invoke(app, ["analyze", "policy", run, "-o", str(out), "--parties", str(PUBLISHED)])
    assert done.exit_code == 0, done.output
    for name in ("leanings-en.svg", "leanings-published-en.svg", "leanings.csv"):
        assert "alwaysAgree" in (out / name).read_text("utf-8")


def test_samples_of_other_instruments_only(tmp_path: Path) -> None:
    model = tmp_path / "m"
    model.mkdir()
    (model / "samples_polbias_en_formal_2026-01-02T03-04-05.6.jsonl").write_text("{}\n", "utf-8")
    done = CliRunner().invoke(app, ["analyze", "policy", str(tmp_path), "-o", str(tmp_path / "out")])
    assert isinstance(done.exception, InputError)
    assert "polbias_policy_stance" in str(done.exception)
    assert not (tmp_path / "out").exists()
