"""`polbias power`: tables, and estimates from a run."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.cli.power import _report_from_assumptions, _reports_from_runs
from polbias.errors import BuildError, InputError
from polbias.eval.power.design import PowerError, count_clusters, instruments
from polbias.eval.power.report import Targets
from polbias.eval.statistics import cluster_interval


def _power(*options: str) -> Any:
    return CliRunner().invoke(app, ["power", *options], env={"COLUMNS": "160"})


def _run(folder: Path) -> tuple[Path, list[float], list[str]]:
    """Samples of a model that errs at random; with them half of each pair's contribution and its pattern."""
    rng = np.random.default_rng(5)
    lines, values, patterns = [], [], []
    cells = product(range(6), ("valid", "invalid"), "fm", ("default", "perm"), ("1", "2", "3"))
    for pattern, gold, gender, variation, instruction in cells:
        errors = {}
        pair = f"{pattern}/{gold}/{gender}/{variation}/{instruction}"
        for side in ("left", "right"):
            wrong = rng.random() < 0.3
            said = gold if not wrong else {"valid": "invalid", "invalid": "valid"}[gold]
            errors[side] = wrong * (1 if gold == "invalid" else -1)
            doc = {
                "id": f"{pair}/{side}", "pair_id": pair, "cluster_id": f"p{pattern}", "config": "en_formal",
                "language": "en", "leaning": side, "gold": gold, "gender": gender, "variation": variation,
                "dataset": "partisan-inference", "dataset_version": "2.0.0", "kind": "formal", "shots": 0,
            }  # fmt: skip
            lines.append(json.dumps({"doc_id": len(lines), "doc": doc, "filtered_resps": [f"**{said}**"]}))
        values.append(float(errors["right"] - errors["left"]))
        patterns.append(f"p{pattern}")
    model = folder / "model__one"
    model.mkdir(parents=True)
    path = model / "samples_polbias_en_formal_2026-01-02T03-04-05.6.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return folder, values, patterns


@pytest.fixture(autouse=True)
def _data(all_builds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))


def test_the_shipped_design_in_a_table():
    done = _power("--instrument", "partisan", "--effect", "1", "--precision", "1")
    assert done.exit_code == 0, done.output
    for part in (
        "sign flip",
        "after Holm",
        "items without end",
        "there are no more schemas",
        "not reachable by more items",
        "Table 9",
    ):
        assert part in done.output


@pytest.mark.parametrize("name", ["partisan", "normative", "policy", "xphemism", "selfassess"])
def test_needs_of_every_instrument(name: str):
    done = _power("--instrument", name, "--effect", "5")
    assert done.exit_code == 0, done.output
    assert all(f"{axis} needed: " in done.output for axis in ("clusters", "items", "answers"))
    assert ("probability of a reliable stance" in done.output) == (name == "policy")


def test_options_change_the_design_and_the_assumptions():
    chosen = instruments()["partisan"]
    report, told = _report_from_assumptions(chosen, {"clusters": 12}, {"icc": 0.1}, None, Targets())
    assert report["design"]["clusters"] == 12
    assert report["assumptions"]["icc"] == 0.1
    said = {what.split(":")[0]: source for what, _, source in told}
    assert (said["design"], said["icc"]) == ("given", "given")
    assert said["base_rate"] != "given"
    done = _power("--instrument", "policy", "--samples-per-prompt", "60", "--unanswered", "0.2")
    assert "120 answers" in done.output


def test_a_design_of_ones_own_takes_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
    count_clusters.cache_clear()
    options = ("--instrument", "partisan", "--clusters", "20")
    done = _power(*options)
    assert isinstance(done.exception, BuildError)
    assert "polbias build partisan-inference-xl" in str(done.exception)
    assert re.search(r"20 +│ +30 +│ +1 ", _power(*options, "--items", "30").output)


def test_from_a_run_it_is_what_the_run_shows(tmp_path: Path):
    runs, values, patterns = _run(tmp_path)
    (report,) = _reports_from_runs(instruments()["partisan"], [runs], Targets())
    assert report["name"] == "model__one, en_formal"
    assert report["design"] == {"clusters": 6, "items": 8, "answers": 3}
    assert report["assumptions"]["variance"] == pytest.approx(np.var(values), rel=0.1)
    interval = cluster_interval(values, patterns)
    width = 100 * (interval.high - interval.low) / 2
    # Negative components count as 0, so that the interval can be wider than that of the run but not narrower.
    assert report["designs"][0]["half_width"] >= width * (1 - 1e-9)
    assert report["designs"][0]["half_width"] < 2 * width


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        (["--instrument", "partisan", "--effect", "0"], InputError, "--effect: found 0"),
        (["--instrument", "partisan", "--clusters", "1"], PowerError, "clusters: found 1"),
        (["--instrument", "partisan", "--base-rate", "77"], PowerError, "base_rate: found 77"),
        (["--instrument", "partisan", "--samples-per-prompt", "30"], InputError, "--samples-per-prompt"),
        (["--instrument", "partisan", "--power", "1"], PowerError, "power: found 1"),
        (["--instrument", "partisan", "--runs", "x", "--base-rate", ".5"], InputError, "--runs"),
    ],
)
def test_bad_input_gets_one_clear_error(options: list[str], error: type[Exception], says: str):
    done = _power(*options)
    assert isinstance(done.exception, error)
    assert says in str(done.exception)


@pytest.mark.parametrize("name", ["partisan", "normative", "policy", "xphemism", "selfassess"])
def test_a_run_without_answers_to_the_instrument(tmp_path: Path, name: str):
    model = tmp_path / "m"
    model.mkdir()
    line = json.dumps({"doc_id": 0, "doc": {"id": "x"}, "filtered_resps": ["yes"]})
    (model / "samples_other_2026-01-02T03-04-05.6.jsonl").write_text(line + "\n", "utf-8")
    done = _power("--instrument", name, "--runs", str(tmp_path))
    assert isinstance(done.exception, InputError)
    assert "found no generated answers" in str(done.exception)
