"""`polbias simulate`: samples that the analyses read, and a server that lm_eval asks."""

from __future__ import annotations

import csv
import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from polbias.cli.main import app
from polbias.errors import InputError
from polbias.eval.partisan.answers import extract_label
from polbias.eval.partisan.bias import weighted_bias
from polbias.eval.policy.analysis import issue_titles
from polbias.eval.samples import SkippedLine, find_sample_files, read_samples
from polbias.eval.simulation import make_respondent, questions
from polbias.lock import LockedDataset, write_lock
from polbias.manifest import read_manifest
from tests.eval.simulation import rows as tables
from tests.support.builds import write_build
from tests.support.drawn import outcomes
from tests.support.simulated import serving
from tests.tasks.conftest import lm_eval  # noqa: F401
from tests.tasks.xphemism_rows import rows as xphemism_rows

MINI = "polbias_en_formal_mini"


def invoke(*args: str) -> str:
    done = CliRunner().invoke(app, ["simulate", *args])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with small policy statements and X-phemism pairs, and its lock."""
    folder = tmp_path / "builds"
    write_build(folder, "policy-statements", {"all": tables.statements(12)})
    write_build(folder, "xphemism-pairs", {name: xphemism_rows(name) for name in ("pairs", "placebo")})
    names = ("policy-statements", "xphemism-pairs")
    write_lock(
        {name: LockedDataset.of(read_manifest(folder / name)) for name in names}, folder / "datasets.lock"
    )
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(folder))
    monkeypatch.setenv("POLBIAS_LOCK", str(folder / "datasets.lock"))
    return folder


def test_partisan_samples_are_those_of_the_respondent(
    tmp_path: Path, partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    options = (
        "--respondent",
        "planted",
        "--effect",
        "0.8",
        "--side",
        "right",
        "--seed",
        "4",
        "--model",
        "biased",
    )
    said = invoke(
        "samples", "--task", MINI, "--task", f"{MINI}_loglikelihood", *options, "-o", str(tmp_path / "run")
    )
    assert "wrote 96 samples of 2 tasks" in said
    files = {file.task: file for file in find_sample_files([tmp_path / "run"])}
    assert {file.model for file in files.values()} == {"biased"}
    problems: list[SkippedLine] = []
    samples = [*read_samples(files[MINI].path, problems)]
    assert not problems
    docs = [sample["doc"] for sample in samples]
    labels = [extract_label(sample["filtered_resps"][0], "en") for sample in samples]
    asked = questions(docs)
    who = make_respondent("planted", effect=0.8, side="right")
    assert labels == [asked.LABELS[code] for code in outcomes(asked, who, 4)]
    told = [{**doc, "label": label} for doc, label in zip(docs, labels, strict=True)]
    results = json.loads(next((tmp_path / "run").rglob("results_*.json")).read_text("utf-8"))
    assert results["results"][MINI]["weighted_bias,none"] == pytest.approx(weighted_bias(told))
    assert results["config"]["model_args"]["seed"] == 4
    assert results["n-samples"][MINI] == {"original": 48, "effective": 48}
    scored = results["results"][f"{MINI}_loglikelihood"]
    assert scored["weighted_bias,none"] == pytest.approx(weighted_bias(told))
    assert scored["label_mass,none"] == pytest.approx(0.95)


def test_the_same_command_writes_the_same_bytes(
    tmp_path: Path, partisan_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    for name in ("a", "b"):
        options = ("--task", MINI, "--intercept-sd", "pattern_id=0.5", "--limit", "20")
        invoke("samples", *options, "-o", str(tmp_path / name))
    files = sorted((tmp_path / "a").rglob("*.json*"))
    assert [path.parent.name for path in files] == ["simulated-planted-0"] * 2
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
    assert not [*(tmp_path / "a").rglob(".*")]


def test_policy_samples_are_analysed(tmp_path: Path, builds: Path) -> None:
    worldview = (
        "--worldview",
        f"{tables.ISSUE}=1",
        "--accuracy",
        "0.5",
        "--metadata",
        '{"polbias_samples": 30}',
    )
    for task in ("polbias_policy_stance", "polbias_policy_stance_loglikelihood"):
        invoke("samples", "--task", task, *worldview, "-o", str(tmp_path / "run"))
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["report", "--instrument", "policy", "--tables-only", str(tmp_path / "run"), "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    with (out / "tables" / "policy-worldview.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["issue"] == issue_titles()[tables.ISSUE]]
    assert {row["respondent"] for row in rows} == {
        "simulated-planted-0",
        "simulated-planted-0 (log-likelihood)",
    }
    assert all(float(row["stance"]) == pytest.approx(100) for row in rows)
    sampled = next((tmp_path / "run").rglob("samples_polbias_policy_stance_2*.jsonl"))
    first = json.loads(sampled.read_text("utf-8").splitlines()[0])
    assert len(first["filtered_resps"]) == 30
    assert [each["arg_1"]["seed"] for each in first["arguments"].values()] == [*range(30)]


def test_xphemism_samples_are_analysed(tmp_path: Path, builds: Path) -> None:
    options = ("--effect", "1", "--side", "right", "--model", "leaner")
    invoke("samples", "--task", "polbias_xphemism", *options, "-o", str(tmp_path / "run"))
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["report", "--instrument", "xphemism", "--tables-only", str(tmp_path / "run"), "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    with (out / "tables" / "xphemism-leaning.csv").open(encoding="utf-8") as file:
        assert {row["respondent"] for row in csv.DictReader(file)} == {"leaner"}
    results = json.loads(next((tmp_path / "run").rglob("results_*.json")).read_text("utf-8"))
    assert results["results"]["polbias_xphemism_simple"]["leaning_effect,none"] == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--task", "polbias_en_formel"), "there is none"),
        (("--task", MINI, "--respondent", "nobody"), "'nobody'"),
        (("--task", MINI, "--respondent", "coin", "--effect", "0.1"), "does not take effect"),
        (("--task", MINI, "--intercept-sd", "pattern_id"), "such as cluster_id=0.5"),
        (("--task", MINI, "--intercept-sd", "topic=1"), "no row of these tasks"),
        (("--task", MINI, "--model", "a/b"), "without slashes"),
        (("--task", MINI, "--metadata", "[]"), "expected a JSON object"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    tmp_path: Path,
    partisan_build: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    found: str,
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    with pytest.raises(InputError, match=re.escape(found)):
        invoke("samples", *options, "-o", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.e2e
def test_lm_eval_hears_from_the_server_what_samples_are_made_of(
    tmp_path: Path,
    partisan_build: Path,
    monkeypatch: pytest.MonkeyPatch,
    lm_eval: Callable[..., Any],  # noqa: F811
) -> None:
    options = ("--effect", "0.5", "--side", "left", "--seed", "3", "--intercept-sd", "pattern_id=0.5")
    with serving(partisan_build, *options) as (process, url):
        address = f"model=simulated,base_url={url}/chat/completions,num_concurrent=32,max_retries=1"
        asked = ("--model", "local-chat-completions", "--model_args", address, "--apply_chat_template")
        results, samples = lm_eval(*asked, "--tasks", MINI)
        address = (
            f"model=simulated,base_url={url}/completions,num_concurrent=32,max_length=100000,max_retries=1"
        )
        asked = ("--model", "local-completions", "--model_args", f"{address},tokenizer_backend=remote")
        scored, _ = lm_eval(*asked, "--tasks", f"{MINI}_loglikelihood")
        process.send_signal(signal.SIGINT)
        said, wrong = process.communicate(timeout=10)
    assert process.returncode == 0, wrong
    assert "stopped after 144 answers; 0 prompts were unknown" in said
    assert not wrong
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(partisan_build))
    invoke(
        "samples", "--task", MINI, "--task", f"{MINI}_loglikelihood", *options, "-o", str(tmp_path / "run")
    )
    own = {file.task: [*read_samples(file.path, [])] for file in find_sample_files([tmp_path / "run"])}
    texts = [[sample["filtered_resps"] for sample in each] for each in (samples[MINI], own[MINI])]
    assert texts[0] == texts[1]
    simulated = json.loads(next((tmp_path / "run").rglob("results_*.json")).read_text("utf-8"))["results"]
    for found, task in ((results, MINI), (scored, f"{MINI}_loglikelihood")):
        for metric, value in found["results"][task].items():
            if isinstance(value, float):
                assert value == pytest.approx(simulated[task][metric], abs=1e-9), metric


def test_a_server_without_prompts_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
    with pytest.raises(InputError, match="polbias build"):
        invoke("serve")
