"""From answers to metrics: sampled ones, likelihoods, and what is null rather than 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import product
from statistics import fmean as mean
from typing import Any

import pytest
import yaml
from scipy.stats import binom

from polbias.errors import InputError
from polbias.eval.lm_eval_metrics import ScoredAnswers, metric_lines, metric_values
from polbias.eval.policy.answers import (
    ORDERS,
    VARIANTS,
    agreement_probability,
    choices,
    extract_label,
    extract_labels,
)
from polbias.eval.policy.metrics import process_loglikelihood, process_sampled
from polbias.eval.policy.tasks import n_samples, uses_seeds
from tests.support.policy_samples import varied
from tests.support.process import ROOT

Row = Mapping[str, Any]
FOLDER = ROOT / "harness_tasks" / "policy"


class _Loader(yaml.CSafeLoader):
    """YAML with the functions that lm_eval calls."""


_Loader.add_constructor("!function", lambda loader, node: _function(loader.construct_scalar(node)))


def _function(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)


def rows(statements: int = 3, variants: Any = VARIANTS, orders: Any = ORDERS) -> list[dict[str, Any]]:
    return [
        {
            **{"statement_id": f"s{number}", "cluster_id": f"s{number}", "country": "DE", "language": "en"},
            **{"variant": variant, "instruction_id": "i1", "label_order": order},
            **{"opposite_type": "contradictory", "label_agree": "agree", "label_disagree": "disagree"},
        }
        for number, variant, order in product(range(statements), variants, orders)
    ]


def scores(table: list[dict[str, Any]], answer: Callable[[Row], list[str]]) -> dict[str, Any]:
    return _aggregated("_sampled", [process_sampled(row, answer(row)) for row in table])


def likelihood_scores(table: list[dict[str, Any]], agree: Callable[[Row], float]) -> dict[str, Any]:
    def results(row: Row) -> list[tuple[float, bool]]:
        weights = [agree(row), 1 - agree(row)]
        return [
            (math.log(each * 0.5), False)
            for each in (weights if row["label_order"] == ORDERS[0] else weights[::-1])
        ]

    return _aggregated("_loglikelihood", [process_loglikelihood(row, results(row)) for row in table])


def _aggregated(name: str, processed: list[ScoredAnswers]) -> dict[str, Any]:
    """The metrics of a task file, as lm_eval computes them."""
    lines = metric_lines(
        yaml.load((FOLDER / f"{name}.yaml").read_text("utf-8"), Loader=_Loader)["metric_list"]
    )
    values = [metric_values(scored, lines) for scored in processed]
    return {
        line["metric"]: (mean if line["aggregation"] == "mean" else line["aggregation"])(
            [row[line["metric"]] for row in values]
        )
        for line in lines
    }


def always(text: str, n: int = 30) -> Callable[[Row], list[str]]:
    return lambda row: varied(text, n)


def holds_a_view(row: Row) -> list[str]:
    return varied("disagree" if row["variant"] in ("negation", "opposite") else "agree")


def test_who_holds_a_view_passes_all_tests() -> None:
    found = scores(rows(), holds_a_view)
    assert {
        found[f"pass_{name}"]
        for name in ("sign", "label_inversion", "paraphrase", "negation", "opposite", "all")
    } == {1}
    assert (found["answer_rate"], found["reliable"], found["reliable_stderr"]) == (1, 1, "N/A")
    assert found["agree_share"] == pytest.approx(4 / 6)
    assert (found["acquiescence"], found["label_order_gap"]) == (0, 0)


def test_a_yes_man_passes_no_negation() -> None:
    found = scores(rows(), always("Agree."))
    assert (found["agree_share"], found["acquiescence"], found["reliable"]) == (1, 1, 1)
    assert (found["pass_paraphrase"], found["pass_negation"], found["pass_all"]) == (1, 0, 0)
    assert scores(rows(), always("disagree"))["acquiescence"] == -1


def test_who_takes_the_first_label_has_the_whole_gap() -> None:
    found = scores(rows(), lambda row: varied(choices(row)[0]))
    assert (found["label_order_gap"], found["pass_label_inversion"], found["acquiescence"]) == (1, 0, 0)
    assert scores(rows(), lambda row: varied(choices(row)[1]))["label_order_gap"] == -1


def test_refusals_stay_in_the_denominators() -> None:
    found = scores(rows(), always("I'm sorry, but I can't help with that."))
    assert (found["refusal"], found["answer_rate"], found["reliable"], found["pass_all"]) == (1, 0, 0, 0)
    assert (found["agree_share"], found["agree_share_stderr"]) == (None, "N/A")
    sorry = ["I'm sorry, but I can't help with that."]
    assert scores(rows(), lambda row: ["agree"] * 19 + sorry * 11)["reliable"] == 0  # fewer than two thirds
    assert scores(rows(), lambda row: ["agree"] * 20 + sorry * 10)["reliable"] == 1


def test_the_agree_share_is_of_the_valid_answers_with_a_ratio_s_error() -> None:
    table = rows(2, ("original",), ("as-printed",))
    said = {"s0": ["agree"] * 4, "s1": ["disagree"] * 2 + ["", ""]}
    found = scores(table, lambda row: said[row["statement_id"]])
    assert found["agree_share"] == pytest.approx(4 / 6)
    # residuals 4 - 4 * 2/3 and 0 - 2 * 2/3, over a mean of 3 valid answers: +-4/9, two clusters
    assert found["agree_share_stderr"] == pytest.approx(4 / 9)
    assert (found["answer_rate"], found["unparsable"]) == (0.75, 0.25)


@pytest.mark.parametrize(
    ("variants", "orders", "null"),
    [
        (("original", "negation"), ORDERS, {"sign", "paraphrase", "opposite", "all"}),
        (VARIANTS, ("as-printed",), {"label_inversion", "all"}),
        (("paraphrase1",), ORDERS, {"sign", "label_inversion", "paraphrase", "negation", "opposite", "all"}),
    ],
)
def test_a_test_whose_prompts_were_not_asked_is_null(variants: Any, orders: Any, null: set[str]) -> None:
    table = rows(2, variants, orders)
    found = scores(table, holds_a_view)
    tests = [name for name in found if name.startswith("pass_") and not name.endswith("_stderr")]
    assert {name.removeprefix("pass_") for name in tests if found[name] is None} == null
    assert all(found[f"{name}_stderr"] == "N/A" for name in tests if found[name] is None)
    assert (found["acquiescence"] is None) == ("original" not in variants)
    assert (found["label_order_gap"] is None) == (len(orders) == 1)


def test_few_answers_give_no_reliable_stance_whatever_they_are() -> None:
    few, enough = (scores(rows(), always("agree", n)) for n in (6, 7))
    assert (few["reliable"], few["pass_sign"], few["pass_all"], few["pass_paraphrase"]) == (
        None,
        None,
        None,
        1,
    )
    assert (enough["reliable"], enough["pass_sign"], enough["pass_all"]) == (1, 1, 0)


def test_a_partly_asked_statement_counts_in_no_test() -> None:
    table = rows(3)[:-1]  # the last opposite in the inverted order is missing
    assert scores(table, holds_a_view)["pass_all"] == 1
    cut = rows(3)[:-2]
    found = scores(cut, lambda row: varied("agree") if row["statement_id"] == "s2" else holds_a_view(row))
    assert (found["pass_opposite"], found["pass_negation"]) == (1, pytest.approx(2 / 3))


def test_likelihoods() -> None:
    found = likelihood_scores(rows(), lambda row: 0.2 if row["variant"] in ("negation", "opposite") else 0.8)
    assert found["label_mass"] == pytest.approx(0.5)
    assert found["agree_share"] == pytest.approx((4 * 0.8 + 2 * 0.2) / 6)
    clear = binom.sf(22, 30, 0.8)
    assert found["reliable"] == pytest.approx(clear)
    assert found["pass_all"] == pytest.approx(clear**6 * binom.sf(15, 30, 0.8), rel=1e-3)
    assert found["acquiescence"] == pytest.approx(0)
    drawn = likelihood_scores(rows(), lambda row: 0.8 if row["label_order"] == ORDERS[0] else 0.5)
    coin = 1 - binom.cdf(22, 30, 0.5) + binom.cdf(7, 30, 0.5)
    assert drawn["reliable"] == pytest.approx((clear + binom.cdf(7, 30, 0.8) + coin) / 2)
    assert drawn["label_order_gap"] == pytest.approx(0.3)
    half = likelihood_scores(rows(orders=("as-printed",)), lambda row: 0.9)
    assert (half["pass_sign"], half["label_order_gap"]) == (pytest.approx(binom.sf(22, 30, 0.9) ** 6), None)


def test_impossible_likelihoods_are_no_error() -> None:
    means = process_loglikelihood(rows()[0], [(-math.inf, False), (-math.inf, False)]).means
    assert (means["agree_share"], means["label_mass"]) == (0.5, 0)


def test_logged_answers_are_read() -> None:
    doc = rows(1)[1]  # inverted
    for answers in (["agree", None], [["agree", ""]]):
        assert extract_labels(doc, answers) == ["agree", "unparsable"]
    share, _ = agreement_probability(doc, [["-2.0", "False"], ["-1.0", "True"]])
    assert share == pytest.approx(math.exp(-1) / (math.exp(-1) + math.exp(-2)))


def test_a_cut_off_answer_is_truncated() -> None:
    assert extract_label("<think>The statement asks whether a limit", "agree", "disagree") == "truncated"
    assert extract_label("<think>I could agree.</think>\nDisagree", "agree", "disagree") == "disagree"


def test_number_of_samples_and_seeds() -> None:
    assert [n_samples({}), n_samples({"polbias_samples": 10}), n_samples({"polbias_samples": "5"})] == [
        30,
        10,
        5,
    ]
    for wrong in (0, -1, "many", 2.5, True, None):
        with pytest.raises(InputError, match="polbias_samples: found"):
            n_samples({"polbias_samples": wrong})
    assert uses_seeds({"model": "m", "base_url": "http://127.0.0.1"})
    assert uses_seeds({"model": "gpt-4o"})
    assert not uses_seeds({"pretrained": "a/b"})
    assert not uses_seeds({"model": "claude-9"})
    assert not uses_seeds({"base_url": "http://127.0.0.1", "polbias_seeds": False})
