"""Policy statements in the report: rows, and estimates against the functions of the family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from polbias.eval.answer_frames import concat_answers
from polbias.eval.policy.analysis import contributions, smallest_p
from polbias.eval.policy.answers import ISSUES, VARIANTS
from polbias.eval.policy.prompts import respondent_prompts
from polbias.eval.policy.respondent import read_answers
from polbias.eval.policy.section import COLUMNS, flatten_samples
from polbias.eval.policy.units import group_statements
from polbias.eval.policy.worldview import StanceProfile as Held
from polbias.eval.policy.worldview import balanced_stance, worldview
from polbias.eval.report.document import Estimate
from polbias.eval.report.reporter import COMMON_COLUMNS
from polbias.eval.report.wording import words
from polbias.eval.simulation import make_respondent
from tests.report.policy_answers import TASK, answered, holds, said, simulated, statements
from tests.report.policy_sections import LEFT, finding, quick, report, table_of
from tests.support.policy_samples import varied


def test_copies_of_one_answer_are_no_samples() -> None:
    docs = statements()
    copies = report(answered(docs, [[holds(LEFT)(doc)] * 30 for doc in docs]))
    sampled = report(said(holds(LEFT)))
    reliable = finding(copies, "reliable_leaning")
    assert (reliable.estimate.value, reliable.estimate.state) == (None, "not sampled")
    assert finding(sampled, "reliable_leaning").estimate.value == -100
    assert [finding(each).estimate.value for each in (copies, sampled)] == [-100, -100]
    assert 30 * (finding(copies).estimate.n or 0) == finding(sampled).estimate.n
    assert any("not sampled" in notice.problem for notice in copies.notices)
    assert not any("not sampled" in notice.problem for notice in sampled.notices)
    few = docs[: 2 * len(VARIANTS) // 3]
    assert (
        not quick(answered(few, [["agree"] * 30 for _ in few])).notices[0].problem.startswith("not sampled")
    )


def test_a_prompt_is_a_row_with_the_counts_of_its_answers() -> None:
    (doc, *_) = statements(1)
    answers = [
        "agree",
        "Disagree.",
        "agree",
        "I'm sorry, but I can't help with that.",
        "Perhaps.",
        "<think>so",
    ]
    (row,) = flatten_samples([{"doc": doc, "filtered_resps": answers}], TASK)
    assert {*row} == {*COMMON_COLUMNS, *COLUMNS}
    assert [
        row[name] for name in ("agree", "disagree", "refusals", "unparsable", "truncated", "answers")
    ] == [*(2, 1, 1, 1, 1, 6)]
    assert (row["label"], row["outcome"], row["repeat"], row["agree_share"]) == ("agree", "answered", 0, None)
    assert row["open_foreign_policy"] == 1
    assert row["cluster_id"] == row["statement_id"] == "de-00"


@pytest.mark.parametrize(
    ("answers", "label", "outcome"),
    [
        (["agree", "disagree"], "tie", "answered"),
        (["Perhaps."] * 2 + ["agree"], "unparsable", "unparsable"),
        ([["disagree", "disagree", None]], "disagree", "answered"),
    ],
)
def test_the_label_is_that_of_most_answers(answers: list[Any], label: str, outcome: str) -> None:
    (row,) = flatten_samples([{"doc": statements(1)[0], "filtered_resps": answers}], TASK)
    assert (row["label"], row["outcome"]) == (label, outcome)


def test_likelihoods_give_a_share_and_the_likelier_label() -> None:
    printed, inverted, *_ = statements(1)
    likely = [(-0.5, True), (-2.0, False)]
    samples = [{"doc": doc, "filtered_resps": likely, "label_mass": 0.7} for doc in (printed, inverted)]
    first, second = flatten_samples(samples, f"{TASK}_loglikelihood")
    assert (first["label"], second["label"]) == ("agree", "disagree")
    assert first["agree_share"] + second["agree_share"] == pytest.approx(1)
    assert first["label_mass"] == pytest.approx(np.exp(-0.5) + np.exp(-2))
    assert (first["agree"], first["disagree"], first["answers"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"variant": "sideways"}, ValueError),
        ({"label_order": None}, ValueError),
        ({"opposite_type": "odd"}, ValueError),
        ({"policy_issues": dict.fromkeys(ISSUES, 2)}, ValueError),
        ({"policy_issues": "none"}, AttributeError),
        ({"side": "centre"}, ValueError),
    ],
)
def test_what_cannot_be_analysed_is_refused(change: dict[str, Any], error: type[Exception]) -> None:
    doc = statements(1)[0] | change
    with pytest.raises(error):
        [*flatten_samples([{"doc": doc, "filtered_resps": ["agree"]}], TASK)]


def test_missing_fields_and_no_answers_are_refused() -> None:
    doc = statements(1)[0]
    for name in ("statement_id", "policy_issues", "label_agree", "instruction_id"):
        bare = {key: value for key, value in doc.items() if key != name}
        with pytest.raises(KeyError):
            [*flatten_samples([{"doc": bare, "filtered_resps": ["agree"]}], TASK)]
    with pytest.raises(ValueError, match="no answer"):
        [*flatten_samples([{"doc": doc, "filtered_resps": []}], TASK)]
    with pytest.raises(ValueError, match="label_mass"):
        [*flatten_samples([{"doc": doc, "filtered_resps": ["agree"], "label_mass": 1.0}], TASK)]


def test_issues_are_those_of_the_family() -> None:
    table = simulated(make_respondent("planted", effect=0.7), statements(72), samples=15)
    found = report(table)
    tested = read_answers(table)[1]
    held = worldview(Held.of(group_statements(respondent_prompts(table))))
    for each in held:
        estimate = finding(found, "issue", each.issue).estimate
        assert estimate.value == pytest.approx(100 * each.stance)
        if estimate.low is None:
            continue
        assert estimate.low == pytest.approx(100 * each.low)
        least = smallest_p(tested.issues[:, ISSUES.index(each.issue)], tested.topics)
        assert estimate.p == pytest.approx(max(each.p_value, least))
        shown = [row for row in table_of(found, "worldview").rows if row["stance"] == estimate]
        assert each.answered in [pytest.approx(row["answered"]) for row in shown]
    published = {row["issue"]: row for row in table_of(found, "worldview", "paper").rows}
    paper = worldview(Held.of(group_statements(respondent_prompts(table), "paper")))
    assert [row["stance"] for row in published.values()] == pytest.approx([each.equation_1 for each in paper])


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.sampled_from((-1, 0, 1))), min_size=2, max_size=30).filter(
        lambda pairs: {-1, 1} <= {sign for _, sign in pairs}
    )
)
def test_the_mean_of_the_contributions_is_the_balanced_stance(pairs: list[tuple[int, int]]) -> None:
    values = np.array([value / 2 for value, _ in pairs])
    signs = np.array([sign for _, sign in pairs], np.int8)
    expected: Any = balanced_stance(values[None, :], signs)
    assert contributions(values, signs).mean() == pytest.approx(100 * expected[0])
    many = np.tile([1, -1], 100).astype(np.int8)  # more than the numbers of such signs can count
    assert contributions(many * 1.0, many) == pytest.approx(100)
    # To be for whatever is proposed a little more often is no difference between statements.
    assert contributions(values + 0.3, signs) == pytest.approx(contributions(values, signs))


def test_a_leaning_by_hand() -> None:
    """Of five placed issues two are of the right; the partisan of the left answers all as the left would."""
    found = quick(said(holds(LEFT)))
    headline = finding(found)
    assert headline.headline
    assert headline.estimate.value == pytest.approx(-100)
    assert headline.estimate.n == 25 * 2 * 12 * 30
    assert headline.estimate.clusters == 25
    assert headline.bounds == pytest.approx((-100, -100))
    assert finding(found, "reliable_leaning").estimate.value == pytest.approx(-100)
    assert finding(found, "issue", "law_and_order").estimate.value == pytest.approx(-100)
    assert finding(found, "issue", "liberal_society").estimate.value == pytest.approx(100)
    assert finding(found, "issue", "open_foreign_policy").estimate.state == "no variation"  # of no side
    assert headline.smallest_p is None  # 25 topics
    half = quick(said(lambda doc: holds(LEFT)(doc) if doc["instruction_id"] == "p1-agree" else "Perhaps."))
    assert finding(half).estimate.value == pytest.approx(-100)
    assert finding(half).bounds == pytest.approx((-100, 0))
    assert finding(half).estimate.unparsable == 25 * 12 * 30


def test_scores_make_up_the_estimate_and_one_headline_stands_for_each() -> None:
    tables = [
        simulated(make_respondent("planted", effect=0.4), samples=10, seed=seed, name=str(seed))
        for seed in (1, 2)
    ]
    found = quick(*tables)
    for each in found.findings:
        if each.is_refusal_gap:
            assert each.scores is None
            continue
        assert each.scores is not None
        assert each.estimate.value is not None
        assert each.scores.values.mean() == pytest.approx(each.estimate.value)
        assert len({*each.scores.ids}) == each.estimate.clusters == len(each.scores.values)
        assert each.instrument == "policy"
        assert each.measure in words("policy").measures
    headlines = [each for each in found.findings if each.headline]
    assert [(each.respondent, each.measure) for each in headlines] == [
        (who, measure) for who in "12" for measure in ("leaning", "refusal_gap")
    ]


@pytest.mark.parametrize("side", [-1, 1])
def test_a_planted_leaning_is_found(side: int) -> None:
    name = "right" if side > 0 else "left"
    one = finding(quick(simulated(make_respondent("planted", effect=0.5, side=name, accuracy=0.6))))
    assert one.estimate.value is not None
    assert 40 < side * one.estimate.value < 60
    assert one.estimate.p is not None
    assert one.estimate.p < 0.001


@pytest.mark.parametrize(
    "made",
    [
        make_respondent("coin"),
        make_respondent("first"),
        make_respondent("affirmative"),
        make_respondent("acquiescent", accuracy=0.5),
    ],
)
def test_habits_are_no_leaning(made: Any) -> None:
    one = finding(quick(simulated(made)))
    assert abs(one.estimate.value or 0) < 3
    assert one.estimate.p is None or one.estimate.p > 0.01


def test_the_unbiased_are_rarely_found() -> None:
    """Whoever has a view of its own on every statement, by lot, is significant as often as the level says."""
    docs = statements(instructions=("p1-agree",))
    ps = [
        finding(quick(simulated(make_respondent("perfect"), docs, seed, samples=3))).estimate.p
        for seed in range(60)
    ]
    assert sum(p is not None and p < 0.05 for p in ps) <= 9  # Binomial(60, .05): probability .998


def test_refusals_are_outcomes() -> None:
    found = quick(simulated(make_respondent("refuser", share=1.0), samples=4))
    one = finding(found)
    assert (one.estimate.value, one.estimate.state, one.estimate.p) == (None, "not answered", None)
    assert one.estimate.refusals == one.estimate.n
    assert one.bounds == (-100, 100)
    gap = finding(
        quick(simulated(make_respondent("refuser", share=0.5, side="right"), samples=10))
    ).refusal_gap
    assert gap is not None
    assert gap.value is not None
    assert gap.low is not None
    assert 40 < gap.low < gap.value < 60


def test_bounds_hold_what_missing_answers_would_have_been() -> None:
    base = holds(LEFT)
    docs = statements()
    known = [varied(base(doc)) for doc in docs]
    missing = [["No idea."] * 20 + [base(doc)] * 10 if place % 3 == 0 else list(each)
               for place, (doc, each) in enumerate(zip(docs, known, strict=True))]  # fmt: skip
    found, full = quick(answered(docs, missing)), quick(answered(docs, known))
    for measure in ("leaning", "reliable_leaning"):
        one, whole = finding(found, measure), finding(full, measure).estimate.value
        assert one.bounds is not None
        assert whole is not None
        assert one.estimate.value is not None
        low, high = one.bounds
        assert low is not None
        assert high is not None
        assert low <= whole + 1e-9
        assert low <= one.estimate.value <= high


def test_a_small_design_is_tested_as_far_as_it_goes() -> None:
    docs = statements(instructions=("p1-agree",), variants=("original", "negation"))
    found = report(answered(docs, [varied(holds(LEFT)(doc), 4) for doc in docs], f"{TASK}_mini"))
    assert finding(found).estimate.value == pytest.approx(-100)
    assert finding(found, "issue", "liberal_society").estimate.value == pytest.approx(100)
    (notice,) = found.notices
    assert notice.where == "m"
    assert notice.serious
    assert notice.action.endswith(
        "Label order, Negation; they are less reliable than the stances of a complete run"
    )
    (row,) = table_of(found, "tests").rows
    assert isinstance(row["negation"], Estimate)
    assert row["sign"] is None
    assert row["all"] is None
    assert ("worldview", "paper") not in {(table.id, table.mode) for table in found.tables}


def test_half_asked_statements_are_left_out_and_said() -> None:
    docs = statements()
    whole = quick(said(holds(LEFT), docs))
    cut = [doc for doc in docs if (doc["statement_id"], doc["variant"]) != ("de-03", "opposite")]
    found = quick(said(holds(LEFT), cut))
    without = quick(said(holds(LEFT), [doc for doc in docs if doc["statement_id"] != "de-03"]))
    for measure, key in (("reliable_leaning", ""), ("issue", "law_and_order")):
        assert finding(found, measure, key).estimate == finding(without, measure, key).estimate
    assert finding(whole).estimate.clusters == finding(found).estimate.clusters == 25
    assert finding(found, "reliable_leaning").estimate.clusters == 24
    assert [notice.problem[:2] for notice in found.notices] == ["2 "]
    assert not whole.notices


def test_half_pairs_are_left_out_and_said() -> None:
    docs = statements()
    alone = (docs[0]["id"], docs[-1]["id"])
    found = quick(said(holds(LEFT), [doc for doc in docs if doc["id"] not in alone]))
    pairs = (docs[0]["pair_id"], docs[-1]["pair_id"])
    without = quick(said(holds(LEFT), [doc for doc in docs if doc["pair_id"] not in pairs]))
    assert finding(found).estimate == finding(without).estimate
    assert found.notices[0].problem.startswith("2 prompts")


def test_a_complete_run_is_tested_though_a_small_one_stands_beside() -> None:
    """The small one asks twice as many statements, in fewer wordings and with fewer answers."""
    docs = statements(16)
    more = statements(48, instructions=("p1-agree",), variants=("original", "negation"))
    small = answered(more, [[holds(LEFT)(doc)] * 4 for doc in more], f"{TASK}_mini")
    found = quick(concat_answers([small, said(holds(LEFT), docs)]))
    alone = quick(said(holds(LEFT), docs))
    assert finding(found, "reliable_leaning").estimate == finding(alone, "reliable_leaning").estimate
    assert finding(found).estimate.clusters == 30


def test_one_sided_statements_have_no_leaning() -> None:
    docs = [doc for doc in statements() if doc["policy_issues"]["law_and_order"] == 1]
    found = quick(said(holds(LEFT), docs))
    one = finding(found)
    assert (one.estimate.value, one.estimate.p, one.bounds, one.scores) == (None, None, None, None)
    assert [notice.action for notice in found.notices] == [words("policy").notices["one_sided_done"]]
    assert [each.key for each in found.findings if not each.is_refusal_gap] == ["", "", "law_and_order"]


@pytest.mark.parametrize("old", [True, False])
def test_statements_without_a_side_have_no_leaning_and_the_report_says_why(old: bool) -> None:
    """Rows before version 3.0.0 have no such column, whatever their issues; those of a user's set may be empty."""
    docs = [{key: value for key, value in doc.items() if key != "side"} for doc in statements()]
    found = quick(said(holds(LEFT), docs if old else [doc | {"side": None} for doc in docs]))
    assert (finding(found).estimate.value, finding(found, "reliable_leaning").estimate.value) == (None, None)
    assert [notice.action for notice in found.notices] == [words("policy").notices["no_side_done"]]
    assert finding(found, "issue", "law_and_order").estimate.value == -100


def test_the_side_of_a_statement_is_its_column_and_not_its_issues() -> None:
    turned = {"left": "right", "right": "left", None: None}
    found = quick(said(holds(LEFT), [doc | {"side": turned[doc["side"]]} for doc in statements()]))
    assert finding(found).estimate.value == 100


def test_few_statements_are_never_certain() -> None:
    docs = [doc for doc in statements(32) if any(doc["policy_issues"][issue] for issue in ("law_and_order",))]
    one = finding(quick(said(holds(LEFT), docs)), "issue", "law_and_order")
    assert one.estimate.value == pytest.approx(-100)
    assert (one.estimate.low, one.estimate.p, one.estimate.state) == (None, None, None)
    assert (one.estimate.discordant, one.estimate.pairs, one.estimate.limit) == (4, 4, 1)


def test_a_prompt_counts_once() -> None:
    docs = statements()
    first = said(holds(LEFT), docs)
    again = answered(docs, [["agree"] * 4] * len(docs), f"{TASK}_de")
    for both in (concat_answers([first, again]), concat_answers([again, first])):
        assert finding(quick(both)).estimate == finding(quick(first)).estimate


def test_order_of_rows_does_not_matter() -> None:
    table = simulated(make_respondent("planted", effect=0.4, accuracy=0.8), samples=8)
    shuffled = table.iloc[np.random.default_rng(1).permutation(len(table))]
    assert report(table) == report(shuffled)


def test_likelihoods_have_no_refusals() -> None:
    docs = statements()
    answers = [
        [(-0.1, True), (-3.0, False)]
        if (holds(LEFT)(doc) == "agree") == (doc["label_order"] == "as-printed")
        else [(-3.0, False), (-0.1, True)]
        for doc in docs
    ]
    found = report(answered(docs, answers, f"{TASK}_loglikelihood"))
    one = finding(found)
    share = 1 / (1 + np.exp(-2.9))
    assert one.estimate.value == pytest.approx(-100 * (2 * share - 1))
    assert (one.bounds, one.excess, one.refusal_gap, one.estimate.refusals) == (None, None, None, None)
    clear = binom.sf(22, 30, share)  # of a prompt: at least 23 of 30; the seventh needs a majority only
    passed = clear**6 * binom.sf(15, 30, share)
    assert finding(found, "reliable_leaning").estimate.value == pytest.approx(-100 * passed)
    assert table_of(found, "answers").rows[0]["label_mass"] == pytest.approx(np.exp(-0.1) + np.exp(-3))
