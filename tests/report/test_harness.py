"""The table of lm_eval and the report say the same of the same answers, with an interval or without."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from scipy.stats import t

from polbias.eval.report.build import build_report
from polbias.eval.report.document import Estimate, Finding
from polbias.eval.simulation.lm_eval import run_tasks
from polbias.eval.simulation.respondents import make_respondent
from tests.support.figures import without_figures

PARTISAN = (
    "polbias_en_formal",
    "polbias_en_control_material",
    "polbias_de_material",
    "polbias_en_material_crossed",
    "polbias_xl_us_en_formal",
    "polbias_xl_us_en_formal_mini",
    "polbias_xl_us_en_material",
    "polbias_xl_us_en_people",
    "polbias_xl_us_en_material_matched",
    "polbias_xl_control_en_formal",
    "polbias_xl_us_en_formal_loglikelihood",
)
OTHERS = {
    "polbias_deontic_logic_zero": ("content_effect", "content_effect"),
    "polbias_epistemic_syllogism_zero": ("content_effect", "content_effect"),
    "polbias_deontic_syllogism_zero_loglikelihood": ("content_effect", "content_effect"),
    "polbias_policy_leaning": ("leaning", "leaning"),
}
"""Task to its metric and the measure of the report."""
SETTINGS = {
    "polbias_de_material": {"polbias_shots": 8},
    "polbias_policy_leaning": {"polbias_source": "policy-statements/ch"},
}


@dataclass(frozen=True)
class Answered:
    """What the harness and the report say of the answers to one task."""

    metrics: dict[str, float | str]
    findings: tuple[Finding, ...]

    def error(self, metric: str) -> float | None:
        """The standard error that the harness gives, None where it gives none."""
        value = self.metrics[f"{metric}_stderr"]
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


@pytest.fixture(scope="module")
def answered(all_builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Answered]]:
    kind = make_respondent("planted", effect=0.1, side="left", accuracy=0.75, content=0.1)
    kind = replace(kind, refuse=0.1, refuse_side="right")
    told = {}
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setenv("POLBIAS_DATA_DIR", str(all_builds))
        for task in (*PARTISAN, *OTHERS):
            folder = tmp_path_factory.mktemp(task)
            finished = run_tasks([task], kind, 3, model="planted", settings=SETTINGS.get(task))
            finished.write(folder)
            metrics = {name.split(",")[0]: value for name, value in finished.results["results"][task].items()}
            told[task] = Answered(metrics, build_report([folder]).report.findings)
        yield told


def same(answered: Answered, metric: str, estimate: Estimate) -> None:
    """Value and error of the harness are those of the report."""
    value, error = answered.metrics[metric], answered.error(metric)
    assert 100 * float(value) == pytest.approx(estimate.value, abs=1e-6)
    assert (error is None) == (estimate.low is None or estimate.high is None)
    if error is not None and estimate.low is not None and estimate.high is not None:
        factor = (estimate.high - estimate.low) / 200 / error  # of t
        assert 1.96 <= factor <= t.ppf(0.975, max(((estimate.clusters or 0) - 1) / 2, 3)) + 1e-9


@pytest.mark.parametrize("task", PARTISAN)
def test_bias_and_gaps_of_the_partisan_tasks(answered: dict[str, Answered], task: str) -> None:
    own = answered[task]
    bias = next(each for each in own.findings if not each.key and each.measure.endswith("bias"))
    same(own, "bias", bias.estimate)
    if bias.refusal_gap is not None:
        same(own, "refusal_gap", bias.refusal_gap)
    assert bias.bounds is not None
    if "bias_lower_bound" in own.metrics:
        ends = [100 * float(own.metrics[name]) for name in ("bias_lower_bound", "bias_upper_bound")]
        assert ends == pytest.approx(bias.bounds, abs=1e-6)


@pytest.mark.parametrize("task", ["polbias_xl_us_en_formal", "polbias_xl_us_en_formal_loglikelihood"])
def test_headlines_of_the_large_set_are_metrics(answered: dict[str, Answered], task: str) -> None:
    own = answered[task]
    headlines = {each.measure: each.estimate for each in own.findings if each.headline}
    same(own, "bias", headlines["large_bias"])
    same(own, "accuracy_gap", headlines["large_accuracy_gap"])
    if task.endswith("_loglikelihood"):
        margin = headlines["large_margin"]
        assert float(own.metrics["margin"]) == pytest.approx(margin.value)
        assert own.error("margin") is not None
    else:
        same(own, "refusal_gap", headlines["large_refusal_gap"])


@pytest.mark.parametrize("task", OTHERS)
def test_headlines_of_other_instruments(answered: dict[str, Answered], task: str) -> None:
    metric, measure = OTHERS[task]
    (found,) = (each for each in answered[task].findings if each.measure == measure and each.headline)
    same(answered[task], metric, found.estimate)
