"""A small calibration: intervals of the report cover what was planted, and a model without bias has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, permutations, product
from typing import Any

import numpy as np
import pytest
from rich.table import Table

from benchmarks.calibration import (
    CalibrationRow,
    Findings,
    count_established,
    familywise_result,
    simulate_findings,
    summarize_design,
    table,
)
from benchmarks.calibration_designs import (
    DESIGNS,
    NAMES,
    CalibrationDesign,
    CalibrationQuestions,
    Share,
    prepare_questions,
    true_points,
)
from benchmarks.ladder_rows import ladder_rows
from polbias.eval import sign_flip
from polbias.eval.partisan.analysis import AnswerSubset
from polbias.eval.report.document import ACCURACY_GAP, REFUSAL_GAP, Estimate, Finding
from polbias.eval.report.reporter import ReportSettings, load_reporter
from polbias.eval.simulation import SimulatedAnswers
from polbias.eval.statistics import Contrast, cell_mean_contrast
from polbias.registry import instruments
from tests.eval.normative.normative_rows import wason_rows
from tests.report.normative_answers import problems
from tests.report.partisan_answers import arguments
from tests.report.policy_answers import statements
from tests.report.test_xphemism import docs as claims

Doc = dict[str, Any]

MODELS = 60
CHANCE = 1e-4
"""Of failing one of the checks by chance, were the report just as good as is aimed at; there are fewer than
twenty of them."""
COVERAGE, POSITIVES = 0.93, 0.06
UNBIASED = CalibrationDesign("unbiased", MODELS, effects=1.0)
BIASED = CalibrationDesign("biased", 40, planted_bias=0.3)


def choices(topics: int = 40) -> list[Doc]:
    """Choices among two and three articles in every order."""
    return [
        {
            "id": f"poligen/t-{topic}/{'-'.join(sides)}", "dataset": "self-assessment", "config": "poligen",
            "dataset_version": "1.0.0", "language": "en", "cluster_id": f"t-{topic}", "set": "poligen",
            "category": "c", "role": "user", "question": "preference", "ways": ways, "sides": list(sides),
            "leak": False, "truncated": False,
        }
        for topic, ways in product(range(topics), (2, 3))
        for sides in permutations(("left", "right", "neutral")[:ways])
    ]  # fmt: skip


def tasks(name: str) -> Iterator[tuple[str, Sequence[Doc]]]:
    if name == "partisan":
        for config in ("us_en_formal", "us_en_material_crossed"):
            yield f"polbias_{config}", arguments(config, patterns=20, shots=(0,))
    elif name == "normative":
        yield "polbias_deontic_logic_zero", problems(8, ("zero",))
        yield "polbias_wason", wason_rows(8)
    elif name == "policy":
        yield "polbias_policy_stance", statements(40, ("p1-agree",))
    elif name == "xphemism":
        yield "polbias_xphemism_simple", claims(45)
    elif name == "ladder":
        for config in ("us_en_l2", "us_en_l5"):
            yield f"polbias_ladder_{config}", [*ladder_rows(config)]
    else:
        yield "polbias_selfassess_preference", choices()


@lru_cache
def questions(name: str) -> CalibrationQuestions:
    return prepare_questions(name, tasks(name), ("cluster_id",))


@lru_cache
def models(name: str, design: CalibrationDesign) -> list[Findings]:
    """The findings of all models of a design, twenty tables at a time."""
    starts = range(0, design.models, 20)
    parts = [range(start, min(start + 20, design.models)) for start in starts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_flip, "DRAWS", 1)  # sign flips stand beside a finding, and are not counted here
        found = [simulate_findings(questions(name), design.respondent(name), part) for part in parts]
    return [*chain.from_iterable(found)]


def enough(share: Share, aim: float) -> bool:
    """Whether a share could be that of trials that succeed as often as is aimed at."""
    from scipy.stats import binom

    return bool(share.n) and float(binom.cdf(share.count, share.n, aim)) > CHANCE


def few(share: Share, aim: float) -> bool:
    return enough(Share(share.n - share.count, share.n), 1 - aim)


@pytest.mark.parametrize("name", NAMES)
def test_intervals_cover_no_bias_and_tests_find_none(name: str) -> None:
    found = summarize_design(name, "unbiased", 0.0, models(name, UNBIASED))
    assert found.covered.n == found.positive.n == found.models == MODELS
    assert enough(found.covered, COVERAGE), found
    assert few(found.positive, POSITIVES), found
    assert found.covered_others.value is not None
    assert found.covered_others.value > 0.9
    assert found.positive_others.value is not None
    assert found.positive_others.value < 0.1


@pytest.mark.parametrize("name", NAMES)
def test_intervals_cover_a_bias_that_was_planted(name: str) -> None:
    own = models(name, BIASED)
    found = summarize_design(name, "biased", BIASED.planted_bias, own)
    values = [
        each.estimate.value
        for each in chain.from_iterable(own)
        if each.headline and not each.measure.endswith((REFUSAL_GAP, ACCURACY_GAP))
    ]
    assert found.mean == pytest.approx(30, abs=5 * error_of_mean(values))
    assert enough(found.covered, COVERAGE), found


def test_a_bias_leaves_the_accuracy_gap_at_0() -> None:
    gaps = [
        each
        for each in chain.from_iterable(models("partisan", BIASED))
        if each.headline and each.measure.endswith(ACCURACY_GAP)
    ]
    values = [each.estimate.value for each in gaps]
    assert np.mean(np.array(values, np.float64)) == pytest.approx(0, abs=5 * error_of_mean(values))
    assert {true_points(each, BIASED.planted_bias) for each in gaps} == {0}
    ends = [(each.estimate.low, each.estimate.high) for each in gaps]
    covered = sum(low <= 0 <= high for low, high in ends if low is not None and high is not None)
    assert enough(Share(covered, BIASED.models), COVERAGE), covered


def error_of_mean(values: Sequence[float | None]) -> float:
    return float(np.std(np.array(values, np.float64), ddof=1)) / len(values) ** 0.5


def test_an_instrument_calls_hardly_any_unbiased_model_biased_whoever_else_is_reported() -> None:
    for name in NAMES:
        own = models(name, UNBIASED)
        alone = familywise_result(name, own)
        assert alone.established.n == MODELS
        assert few(alone.established, POSITIVES), alone
        assert count_established([[*chain.from_iterable(own)]]) == sum(
            count_established([each]) for each in own
        )
    biased = familywise_result("partisan", models("partisan", BIASED)).established
    assert biased.count > biased.n / 2


def test_an_interval_that_takes_rows_for_independent_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def naive(answers: AnswerSubset) -> Contrast:
        return cell_mean_contrast(answers.contributions, [0] * answers.n, range(answers.n), [1.0])

    monkeypatch.setattr(AnswerSubset, "bias_contrast", naive)
    own = simulate_findings(questions("partisan"), UNBIASED.respondent("partisan"), range(50))
    covered = summarize_design("partisan", "naive", 0.0, own).covered
    assert not enough(covered, COVERAGE), covered
    assert not few(Share(covered.n - covered.count, covered.n), POSITIVES), covered


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_those_that_the_reader_makes_of_answers_in_words(name: str) -> None:
    who = CalibrationDesign("refuses", 1, kind="refuser", options={"share": 0.2}).respondent(name)
    for part in questions(name).parts:
        made = CalibrationQuestions(name, (part,)).simulate_answers(who, 3, "m")
        simulation = SimulatedAnswers(part.questions, who, 3)
        samples = range(30 if part.questions.SAMPLED else 1)
        said = zip(*(simulation.draw_texts(sample) for sample in samples), strict=True)
        read = [
            row
            for doc, task, own in zip(part.docs, made["task"], said, strict=True)
            for row in load_reporter(name).flatten_samples(({"doc": doc, "filtered_resps": [*own]},), task)
        ]
        # What the published parser reads of words, and how many wordings there are, is no part of any finding.
        for column in read[0].keys() - {"paper_label", "n_texts"}:
            known = made[column].astype(object)
            assert known.where(known.notna(), None).tolist() == [row.get(column) for row in read], column


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("name", NAMES)
def test_findings_alone_are_those_of_the_section(name: str) -> None:
    own = questions(name)
    tables = {
        who: own.simulate_answers(UNBIASED.respondent(name), seed, who) for seed, who in enumerate("ab")
    }
    alone = own.module.build_findings(tables, ReportSettings(seed=1))
    assert alone == own.module.build_section(tables, ReportSettings(seed=1)).findings
    measures = Counter(each.measure for each in alone if each.headline and not each.is_refusal_gap)
    assert {*measures} <= {*instruments()[name].headlines}
    assert [*measures.values()] == [len(tables)] * (2 if name == "partisan" else 1)


def finding(
    value: float, low: float | None, high: float | None, p: float, headline: bool = True, who: str = "m"
) -> Finding:
    return Finding(
        "partisan",
        who,
        "large_bias",
        "" if headline else "x",
        "",
        Estimate(value, low, high, p=p),
        headline,
    )


def test_a_line_counts_by_hand() -> None:
    own = [
        (finding(4.0, 3.0, 6.0, 0.01), finding(0.0, -1.0, 1.0, 1.0, headline=False)),
        (finding(6.0, 5.5, 8.0, 0.2), finding(5.0, 4.0, 6.0, 0.04, headline=False)),
        (finding(2.0, None, None, 0.5),),
    ]
    found = summarize_design("partisan", "d", 0.05, own)
    assert found.mean == 4.0
    assert (found.covered, found.positive) == (Share(1, 2), Share(1, 3))
    assert (found.covered_others, found.positive_others) == (Share(1, 2), Share(1, 2))
    assert true_points(own[0][0], 0.05) == pytest.approx(5)
    low, high = Share(95, 100).interval()
    assert (low, high) == (pytest.approx(0.8872, abs=1e-4), pytest.approx(0.9836, abs=1e-4))
    assert isinstance(found, CalibrationRow)


def test_reports_correct_for_all_their_tests() -> None:
    # the large set tests three headlines, whatever was run and whoever else is in the folder
    assert count_established([[finding(5.0, 1.0, 9.0, 0.017)]]) == 0
    biased = [finding(5.0, 1.0, 9.0, 0.016)]
    others = [finding(0.0, -1.0, 1.0, 1.0, who=str(place)) for place in range(5)]
    assert count_established([biased]) == count_established([biased, others]) == 1


def test_the_table_marks_what_misses_its_aim() -> None:
    bad = CalibrationRow("partisan", "d", 100, 0.0, 0.1, *[Share(50, 100)] * 2, *[Share(40, 100)] * 2)
    (made,) = table("calibration", [bad, familywise_result("partisan", [])]).renderables
    assert isinstance(made, Table)
    assert "[red]" in next(iter(made.columns[5].cells))
    assert len({design.name for design in DESIGNS}) == len(DESIGNS)
