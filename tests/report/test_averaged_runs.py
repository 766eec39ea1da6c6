"""Several runs of one model on one task: their mean, the deviation between them, and which runs count."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polbias.eval.answer_frames import concat_answers
from polbias.eval.normative import section as normative
from polbias.eval.partisan import section as partisan
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.partisan.answers import read_answers
from polbias.eval.report.build import build_report
from polbias.eval.report.document import Finding, Report
from polbias.eval.report.page.tables import brief_table
from polbias.eval.report.reporter import Reporter, ReportSettings
from polbias.eval.report.run_comparison import compare_runs
from polbias.eval.report.summary_json import finding_records
from polbias.eval.simulation import SimulatedRespondent
from tests.report.normative_answers import simulated as simulated_problems
from tests.report.partisan_answers import answered, arguments, simulated
from tests.report.partisan_sections import report as partisan_report
from tests.report.partisan_sections import table
from tests.report.runs import MINI, change, simulate

LOGPROBS = "polbias_en_formal_mini_loglikelihood"


def run(folder: Path, seed: int, *tasks: str, source: Path | None = None) -> Path:
    """Write the run number `seed` of model-a into a folder; returns the folder of the model."""
    made = source or simulate(folder / f"seed-{seed}", "model-a", *tasks, seed=seed, accuracy=0.8)
    place = folder / "model-a"
    place.mkdir(exist_ok=True)
    for path in made.iterdir():
        shutil.copy(path, place / path.name.replace("2000-01-01", f"2000-01-0{seed + 1}"))
    return place


def edit(place: Path, time: str, change_results: Callable[[dict[str, Any]], object]) -> None:
    """Change the results of the run of a day."""
    (path,) = place.glob(f"results_{time}*.json")
    results = json.loads(path.read_text("utf-8"))
    change_results(results)
    path.write_text(json.dumps(results), "utf-8")


def headline(report: Report, measure: str = "weighted_bias") -> Finding:
    (finding,) = [each for each in report.findings if each.headline and each.measure == measure]
    return finding


@pytest.fixture
def three_runs(tmp_path: Path, data: Path) -> Path:
    for seed in range(3):
        place = run(tmp_path, seed)
    return place


def test_the_estimate_is_the_mean_over_the_runs(three_runs: Path, tmp_path: Path) -> None:
    report = build_report([three_runs]).report
    singles = [headline(build_report([tmp_path / f"seed-{seed}"]).report) for seed in range(3)]
    values = [single.estimate.value or 0.0 for single in singles]
    finding = headline(report)
    assert finding.estimate.value == pytest.approx(fmean(values))
    assert (finding.runs, finding.run_deviation) == (3, pytest.approx(stdev(values)))
    assert stdev(values) > 0
    assert finding.estimate.n == 3 * 48
    assert finding.estimate.clusters == singles[0].estimate.clusters
    assert [single.runs for single in singles] == [1, 1, 1]
    assert {single.run_deviation for single in singles} == {None}
    (respondent,) = report.respondents
    assert (respondent.tasks, respondent.answers) == ((MINI,), 144)
    assert len(report.sources) == 3
    assert not [notice for notice in report.notices if "run" in notice.problem]


def test_the_table_and_the_summary_say_how_many_runs(three_runs: Path, tmp_path: Path) -> None:
    report = build_report([three_runs]).report
    findings = [finding for finding in report.findings if finding.headline]
    heads = [head.title for head in brief_table(findings).heads]
    assert heads[heads.index("Runs") :][:2] == ["Runs", "SD between runs"]
    record = finding_records([headline(report)])[0]
    assert (record["runs"], record["run_deviation"]) == (3, headline(report).run_deviation)
    single = build_report([tmp_path / "seed-0"]).report
    assert "Runs" not in [head.title for head in brief_table(single.findings).heads]


def test_the_same_answers_count_once(three_runs: Path) -> None:
    before = headline(build_report([three_runs]).report)
    for path in [*three_runs.glob("*2000-01-03*")]:
        shutil.copy(path, path.with_name(path.name.replace("2000-01-03", "2026-01-01")))
    report = build_report([three_runs]).report
    assert replace(headline(report), scores=None) == replace(before, scores=None)
    (notice,) = [notice for notice in report.notices if "same answers" in notice.problem]
    assert "2026-01-01" in notice.problem
    assert "2000-01-03" in notice.where


@pytest.mark.parametrize("seed_of_requests", [False, True])
def test_runs_of_other_requests_are_not_averaged(three_runs: Path, seed_of_requests: bool) -> None:
    (path,) = three_runs.glob(f"samples_{MINI}_2000-01-03*")

    def send_other_setting(_: int, sample: dict[str, Any]) -> dict[str, Any]:
        settings = {"seed": 3} if seed_of_requests else {"max_gen_toks": 4096}
        sample["arguments"]["gen_args_0"]["arg_1"] |= settings
        return sample

    change(path, send_other_setting)
    report = build_report([three_runs]).report
    assert headline(report).runs == (3 if seed_of_requests else 1)
    left_out = [notice.where for notice in report.notices if "older run" in notice.problem]
    assert len(left_out) == (0 if seed_of_requests else 2)


def test_a_limited_run_never_counts_beside_a_full_one(three_runs: Path) -> None:
    edit(three_runs, "2000-01-02", lambda results: results["n-samples"][MINI].update(original=96))
    report = build_report([three_runs]).report
    assert headline(report).runs == 2


def test_log_likelihoods_are_computed_not_sampled(tmp_path: Path, data: Path) -> None:
    for seed in range(2):
        place = run(tmp_path, seed, LOGPROBS)
    report = build_report([place]).report
    assert {finding.runs for finding in report.findings} == {1}
    assert [notice for notice in report.notices if "older run" in notice.problem]


def test_tasks_with_different_numbers_of_runs_are_said(tmp_path: Path, data: Path) -> None:
    other = MINI.replace("formal", "material")
    run(tmp_path, 0, MINI, other)
    for seed in (1, 2):
        place = run(tmp_path, seed, MINI)
    report = build_report([place]).report
    assert headline(report).runs == 1
    assert [notice for notice in report.notices if "1 to 3" in notice.problem]


def test_compare_takes_the_mean_of_every_item(three_runs: Path, tmp_path: Path) -> None:
    other = simulate(tmp_path / "other", "model-b", seed=7, accuracy=0.8)
    report = compare_runs(three_runs, other)
    means = {each.measure: each.means[0] for each in report.comparisons}
    samples = [
        json.loads(line)
        for path in three_runs.glob("samples_*")
        for line in path.read_text("utf-8").splitlines()
    ]
    assert means["acc"] == pytest.approx(fmean(sample["acc"] for sample in samples))
    assert [notice for notice in report.notices if "3 full runs" in notice.problem]
    assert len(report.sources) == 4


def test_compare_averages_over_the_runs_that_answered(three_runs: Path, tmp_path: Path) -> None:
    other = simulate(tmp_path / "other", "model-b", seed=7, accuracy=0.8)
    paths = sorted(three_runs.glob("samples_*"))
    first_values = [json.loads(path.read_text("utf-8").splitlines()[0])["acc"] for path in paths]
    before = {each.measure: each.means[0] or 0.0 for each in compare_runs(three_runs, other).comparisons}

    def refuse_first(number: int, sample: dict[str, Any]) -> dict[str, Any]:
        return sample if number else sample | {"acc": 0.0, "refusal": 1.0, "filtered_resps": ["No."]}

    change(paths[2], refuse_first)
    after = {each.measure: each.means[0] or 0.0 for each in compare_runs(three_runs, other).comparisons}
    assert after["refusal"] == pytest.approx(1 / 3 / 48)
    difference = fmean(first_values[:2]) - fmean(first_values)
    assert after["acc"] - before["acc"] == pytest.approx(difference / 48)


# Oracles: what identical runs may not narrow, and what independent runs may.


def repeated(answers: pd.DataFrame, times: int) -> pd.DataFrame:
    """Return the answers as those of several identical runs."""
    return concat_answers(
        [
            answers.assign(run=pd.array([number] * len(answers), "Int32"), repeat=answers["repeat"] + number)
            for number in range(times)
        ]
    )


@pytest.mark.parametrize(("instrument", "answers"), [
    (partisan, simulated(SimulatedRespondent("a", accuracy=0.9, bias=0.1, refuse=0.05), ("us_en_formal",), patterns=20)),
    (partisan, simulated(SimulatedRespondent("a", accuracy=0.98), ("en_formal",))),
    (normative, simulated_problems(SimulatedRespondent("a", accuracy=0.97, refuse=0.02), 8)),
])  # fmt: skip
def test_identical_runs_narrow_no_interval(instrument: Reporter, answers: pd.DataFrame) -> None:
    settings = ReportSettings()
    one, three = (
        instrument.build_findings({"m": frame}, settings) for frame in (answers, repeated(answers, 3))
    )
    fields = ("value", "low", "high", "p", "clusters", "state", "discordant", "pairs", "limit")
    for first, second in zip(one, three, strict=True):
        for name in fields:
            expected = getattr(first.estimate, name)
            is_number = isinstance(expected, float)
            assert getattr(second.estimate, name) == (
                pytest.approx(expected, nan_ok=True) if is_number else expected
            ), (first.measure, first.key, name)
        if first.latent and first.latent.low is not None and first.latent.high is not None:
            assert second.latent is not None
            width = (second.latent.high or 0) - (second.latent.low or 0)
            assert width > 0.95 * (first.latent.high - first.latent.low)  # half an answer is added in both


@pytest.mark.parametrize("topic_sd", [0.0, 0.4])
def test_a_fair_model_is_rejected_in_5_percent(topic_sd: float) -> None:
    """Three runs of a model without bias: noise between runs only, and topics that differ as well."""
    docs = arguments("us_en_formal", patterns=40, shots=(0,))
    answers = answered(docs, [["valid"] for _ in docs], "polbias_us_en_formal")
    rows = read_answers("m", repeated(answers, 3)).rows
    side = np.where(rows["leaning"] == "right", 1, -1)
    ability = np.where(rows["gold"] == "valid", 0.8, -0.8)
    topic, levels = rows["cluster_id"].cat.codes.to_numpy(), rows["label"].cat.categories
    random = np.random.default_rng(5)
    contrasts = []
    for _ in range(400):
        slope = random.normal(0, topic_sd, topic.max() + 1)[topic]
        is_valid = ability + side * slope / 2 + random.normal(size=side.size) > 0
        labels = pd.Categorical(np.where(is_valid, "valid", "invalid"), levels)
        contrasts.append(AnswerSubset(rows.assign(label=labels)).bias_contrast())
    rejected = np.mean([contrast.p_value < 0.05 for contrast in contrasts])
    errors = np.mean([contrast.standard_error for contrast in contrasts])
    assert rejected < 0.05 + 3.1 * 0.0109  # four in ten thousand such tests fail by chance
    assert errors == pytest.approx(np.std([contrast.estimate for contrast in contrasts]), rel=0.15)


def test_the_papers_test_counts_the_answers_of_all_runs() -> None:
    """Table 10 of the paper has N = 9,648 minus the answers without a verdict: 3 runs of 3,216 prompts."""
    respondent = SimulatedRespondent("a", accuracy=0.8, unparsable=0.1)
    runs = [simulated(respondent, ("en_formal_paper",), seed) for seed in range(3)]
    answers = concat_answers(
        [
            frame.assign(run=pd.array([number] * len(frame), "Int32"), repeat=frame["repeat"] + number)
            for number, frame in enumerate(runs)
        ]
    )
    (row,) = table(partisan_report(m=answers), "tests_paper").rows
    n_discarded = int((answers["outcome"] != "answered").sum())
    assert (row["n"], row["discarded"]) == (3 * len(runs[0]) - n_discarded, n_discarded)
    z = float(str(row["mean"])) / (float(str(row["sd"])) / float(str(row["n"])) ** 0.5)
    assert row["z_statistic"] == pytest.approx(z)
