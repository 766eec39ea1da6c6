"""What the report makes of normative reasoning."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.eval.normative.analysis import iter_findings
from polbias.eval.normative.answers import entailment_answers, extract_label, read_answers
from polbias.eval.normative.effects import compare_contents
from polbias.eval.normative.section import build_section, flatten_samples
from polbias.eval.report.document import Estimate, Finding, ReportTable, Section, none_if_nan
from polbias.eval.report.reporter import ReportSettings
from polbias.eval.report.sentences import finding_sentence
from polbias.eval.report.wording import words
from polbias.eval.simulation import make_respondent
from tests.eval.normative.normative_rows import (
    CONFIGS,
    answered,
    content_effect,
    domain_effect,
    entailment_rows,
    selection_effect,
    wason_rows,
)
from tests.report.normative_answers import STYLES, Row, problems, samples, simulated, table
from tests.support.figures import findings_alone
from tests.support.respondents import follows_content, matches, perfect, says_entailment

YES, NO, REFUSAL = "entailment", "non-entailment", "I'm sorry, but I can't help with that."
ASKED = problems(2)


def report(**answers: pd.DataFrame) -> Section:
    return build_section(answers, ReportSettings())


def quick(**answers: pd.DataFrame) -> Section:
    return findings_alone("normative", answers)


def finding(found: Section, measure: str, key: str = "", name: str = "m") -> Finding:
    (only,) = [
        each for each in found.findings if (each.measure, each.key, each.respondent) == (measure, key, name)
    ]
    return only


def shown(found: Section, id: str) -> ReportTable:
    (only,) = [each for each in found.tables if each.id == id]
    return only


def values(found: Section, id: str, **labels: str) -> dict[str, Any]:
    """The one row with these labels, estimates as their values."""
    (row,) = [each for each in shown(found, id).rows if labels.items() <= each.items()]
    return {name: cell.value if isinstance(cell, Estimate) else cell for name, cell in row.items()}


def plain(row: Row) -> str:
    return str(row["gold"])


def hesitant(row: Row) -> str:
    """Right and wrong in turns that hang together with nothing, now and then a refusal."""
    number = sum(row["id"].encode())
    return REFUSAL if number % 7 == 0 else NO if number % 3 == 0 else YES


# --- effects --------------------------------------------------------------------------------------------------
def test_effects_are_those_of_the_family() -> None:
    selections = wason_rows(3)
    found = report(m=table([*ASKED, *selections], hesitant))
    labelled = [row | {"label": extract_label(hesitant(row))} for row in ASKED]
    for low, measure in (("incongruent", "content_effect"), ("nonsense", "content_effect_nonsense")):
        own = []
        for config in CONFIGS:
            for style in STYLES:
                part = [row for row in labelled if (row["config"], row["prompt_style"]) == (config, style)]
                expected = content_effect(part, low=low)
                each = finding(found, measure, f"{config}/{style}").estimate
                assert each.value == pytest.approx(none_if_nan(100 * expected.estimate))
                if each.low is not None:
                    assert (each.low, each.high) == pytest.approx((100 * expected.low, 100 * expected.high))
                    assert each.p == pytest.approx(none_if_nan(expected.p_value))
                assert (
                    each.n == compare_contents(entailment_answers(part), low).is_compared.sum()
                )  # of all answers
                own.append(expected.estimate)
        assert finding(found, measure).estimate.value == pytest.approx(100 * np.nanmean(own))
    for style in STYLES:
        part = [row for row in labelled if (row["task"], row["prompt_style"]) == ("logic", style)]
        expected = domain_effect(part)
        each = finding(found, "domain_effect", f"logic/{style}").estimate
        assert each.value == pytest.approx(100 * expected.estimate)
        if each.low is not None:
            assert each.p == pytest.approx(none_if_nan(expected.p_value))
    matched = report(m=table(selections, matches))
    chosen = [
        row | {"label": answer["label"]} for row, answer in zip(selections, cards(selections), strict=True)
    ]
    for key, part in (("", chosen), ("deontic", [row for row in chosen if row["domain"] == "deontic"])):
        expected = selection_effect(part)
        each = finding(matched, "wason_content_effect", key).estimate
        assert (each.value, each.n) == (pytest.approx(100 * expected.estimate), expected.n)
    expected = selection_effect(chosen, "domain", "deontic", "epistemic")
    assert finding(matched, "wason_domain_effect").estimate.value == pytest.approx(100 * expected.estimate)


def cards(selections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(flatten_samples(samples(selections, matches), "polbias_wason"))


def test_settings_count_alike_however_many_patterns_they_have() -> None:
    # led by content in the normative logic tasks alone, which are 2 of 8 settings and have most of the patterns
    found = quick(
        m=table(ASKED, lambda row: (follows_content if row["config"] == CONFIGS[0] else plain)(row))
    )
    assert finding(found, "content_effect").estimate.value == pytest.approx(100 * 2 / 8)
    assert finding(found, "content_effect", "deontic_logic/zero").estimate.value == pytest.approx(100)
    assert finding(found, "domain_effect", "syllogism/few").estimate.value == 0
    # right in a third of the cells, those with congruent contents
    assert finding(found, "domain_effect", "logic/few").estimate.value == pytest.approx(-100 * 2 / 3)


def test_one_headline_per_respondent() -> None:
    found = quick(a=table(ASKED, plain), b=table(ASKED, hesitant))
    assert [(each.respondent, each.measure, each.key) for each in found.findings if each.headline] == [
        (name, measure, "") for name in "ab" for measure in ("content_effect", "refusal_gap")
    ]


@pytest.mark.parametrize("answer", [hesitant, lambda row: [YES, NO, YES], lambda row: row["gold"]])
def test_scores_are_what_the_estimate_is_the_mean_of(answer: Any) -> None:
    for each in quick(m=table([*ASKED, *wason_rows()], answer)).findings:
        if each.is_refusal_gap or each.estimate.value is None:
            assert each.scores is None
            continue
        assert each.scores is not None
        assert each.estimate.value == pytest.approx(np.nanmean(each.scores.values), abs=1e-9)
        assert each.scores.latent is not None
        assert (np.isnan(each.scores.latent) == np.isnan(each.scores.values)).all()
        if each.latent is not None:
            assert each.latent.value == pytest.approx(np.nanmean(each.scores.latent), abs=1e-9)
        assert len(each.scores.ids) == len(set(each.scores.ids)) == len(each.scores.values)
        assert len(each.scores.clusters) == len(each.scores.ids)


@pytest.mark.parametrize("refused", ["congruent", "incongruent"])
def test_a_yes_prone_respondent_that_refuses_one_type_has_no_content_effect(refused: str) -> None:
    """It says that the hypothesis follows four times in five, whatever the content, and answers half of a type."""

    def answer(row: Row) -> str:
        number = sum(row["id"].encode())
        if row["content_type"] == refused and int(row["content_id"].split("-")[-1]) % 2:
            return REFUSAL
        return NO if number % 5 == 0 else YES

    found = quick(m=table(problems(30), answer))
    each, gap = finding(found, "content_effect"), finding(found, "refusal_gap")
    assert each.estimate.value == pytest.approx(0, abs=6)
    assert each.estimate.low is not None
    assert each.estimate.high is not None
    assert each.estimate.low < 0 < each.estimate.high
    assert each.estimate.missing == pytest.approx(0.5)
    assert gap.estimate.value == pytest.approx(50 if refused == "congruent" else -50)
    assert each.excess is not None
    assert each.bounds is not None
    # all that is missing is of one type, so that all of it is surplus
    assert (each.excess.low, each.excess.high) == pytest.approx(each.bounds)
    assert each.scores is not None
    assert np.isnan(each.scores.values).sum() == each.estimate.refusals


def test_accuracy_of_a_headline_is_of_the_answers_compared() -> None:
    found = quick(
        m=table(
            problems(8),
            lambda row: (
                REFUSAL if row["content_id"].endswith("-0") else YES if "MP" in row["pattern"] else NO
            ),
        )
    )
    each = finding(found, "content_effect")
    assert each.accuracy is not None
    assert each.accuracy.value is not None
    assert each.attainable == pytest.approx(200 * (1 - each.accuracy.value))
    # No is right in two of the four patterns of either task, and in three of seven of the normative logic tasks
    assert 0.5 < each.accuracy.value < 0.8
    assert finding(found, "content_effect", "deontic_syllogism/zero").accuracy.value == pytest.approx(0.75)  # type: ignore[union-attr]
    selections = quick(m=table(wason_rows(10), matches))
    assert finding(selections, "wason_content_effect").accuracy is None  # chance is not one half


def test_near_the_ceiling_the_latent_interval_is_that_of_the_wrong_answers() -> None:
    """Three wrong answers, all to incongruent problems: the jackknife alone would see hardly any variation."""
    asked = [row for row in problems(20) if row["content_type"] != "nonsense"]
    wrong = [row["id"] for row in asked if row["content_type"] == "incongruent"][:: len(asked) // 6][:3]
    found = quick(
        m=table(asked, lambda row: (NO if row["gold"] == YES else YES) if row["id"] in wrong else plain(row))
    )
    each = finding(found, "content_effect")
    assert each.latent is not None
    assert each.latent.value is not None
    assert each.latent.value > 0
    assert each.latent.low is not None
    assert each.latent.low < 0  # three of three: the share of one type may be as low as .29
    assert each.latent.high is None
    assert each.estimate.low is None
    matched = sum(row["content_type"] == "congruent" for row in asked)  # Ross-Or-Intro has none
    assert (each.estimate.discordant, each.estimate.pairs) == (3, matched)
    said = f"3 of {matched:,} answers to either type of content differ from most of their pattern"
    assert said in finding_sentence(each)


def test_who_is_right_more_often_whatever_the_content_has_the_same_scores() -> None:
    found = quick(a=table(ASKED, plain), b=table(ASKED, lambda row: NO if row["gold"] == YES else YES))
    for name in "ab":
        scores = finding(found, "content_effect", name=name).scores
        assert scores is not None
        assert not scores.values.any()


def test_refusals_of_one_type() -> None:
    found = quick(
        m=table(ASKED, lambda row: REFUSAL if row["content_type"] == "incongruent" else row["gold"])
    )
    each = finding(found, "content_effect")
    assert (each.estimate.value, each.estimate.state) == (None, "not answered")  # all of one side are refused
    assert each.bounds == pytest.approx((0, 100))
    assert each.refusal_gap is not None
    assert each.refusal_gap.value == pytest.approx(-100)
    assert each.estimate.refusals == (each.estimate.n or 0) / 2
    against_nonsense = finding(found, "content_effect_nonsense")
    assert against_nonsense.bounds == (0, 0)
    gap = against_nonsense.refusal_gap
    assert gap is not None
    assert (gap.value, gap.low, gap.state, gap.discordant) == (0, None, None, 0)
    # none of the answers of a side: bounded by them, not by the contents
    answers = (gap.n or 0) // 2
    assert (gap.pairs, gap.limit) == (answers, pytest.approx(1 - 0.025 ** (1 / answers)))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([YES, NO, REFUSAL, ""]), min_size=64, max_size=64), st.randoms())
def test_bounds_hold_what_missing_answers_may_be_and_order_does_not_matter(
    labels: list[str], rng: Any
) -> None:
    asked = entailment_rows("epistemic_logic", contents=2) + entailment_rows("deontic_logic", contents=2)
    said = {row["id"]: label for row, label in zip(asked, labels, strict=True)}
    found = effects_of(asked, lambda row: said[row["id"]])
    whole = effects_of(asked, lambda row: said[row["id"]] if said[row["id"]] in (YES, NO) else YES)
    for each, complete in zip(found, whole, strict=True):
        if each.is_refusal_gap:
            continue
        low, high = each.bounds or (None, None)
        assert low is not None
        assert high is not None
        if complete.estimate.value is None:
            assert complete.estimate.state == "no variation"
        else:
            assert low - 1e-9 <= complete.estimate.value <= high + 1e-9
    rng.shuffle(asked)
    assert effects_of(asked, lambda row: said[row["id"]]) == found


def effects_of(asked: list[dict[str, Any]], answer: Callable[[Row], str]) -> list[Finding]:
    (one,) = read_answers({"m": table(asked, answer)})
    return list(iter_findings(one))


@pytest.mark.parametrize("content", [0.0, 0.4])
def test_a_planted_effect_is_found_and_none_where_there_is_none(content: float) -> None:
    found = quick(m=simulated(make_respondent("planted", content=content, accuracy=0.75)))
    each = finding(found, "content_effect").estimate
    assert None not in (each.low, each.high, each.p)
    assert each.low <= 100 * content <= each.high  # type: ignore[operator]
    assert (each.p < 0.001) == (content > 0)  # type: ignore[operator]


# --- tables ---------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_figures")
def test_table_5() -> None:
    found = report(m=table(ASKED, says_entailment))
    row = values(found, "table5")
    assert row["epistemic_logic_zero"] == 0.5
    gold = [each["gold"] == YES for each in entailment_rows("deontic_logic", contents=2)]
    assert row["deontic_logic_few"] == np.mean(gold)
    assert row["deontic_logic_cot"] is None
    assert list(row) == ["respondent", *(column.name for column in shown(found, "table5").columns[1:])]


@pytest.mark.usefixtures("no_figures")
def test_table_6_compares_the_same_patterns_unless_as_printed() -> None:
    found = report(m=table(ASKED, lambda row: YES if row["pattern"] == "Ross-Or-Intro" else plain(row)))
    kinds = ("incongruent", "congruent", "nonsense")
    for style in ("Zero-shot", "Few-shot"):
        row = values(found, "table6a", domain="Normative", style=style)
        assert [row[kind] for kind in kinds] == [1, 1, 1]
    printed = values(found, "table6a_paper")
    assert [printed[kind] for kind in kinds] == [pytest.approx(6 / 7), 1, pytest.approx(6 / 7)]
    assert len(shown(found, "table6b_paper").rows) == 1
    assert len(shown(found, "table6b").rows) == 4


@pytest.mark.usefixtures("no_figures")
def test_tables_of_patterns() -> None:
    found = report(m=table(ASKED, follows_content))
    row = values(found, "table12b", style="Zero-shot")
    cells = [row[f"Mi-Mu_{kind}"] for kind in ("congruent", "incongruent", "nonsense", "average")]
    assert cells == [1, 0, 0, pytest.approx(1 / 3)]
    ross = [row[f"Ross-Or-Intro_{kind}"] for kind in ("congruent", "incongruent", "nonsense", "average")]
    assert ross == [None, 0, 0, 0]
    assert row["MiNot-MuNot_average"] is None  # was not asked
    titles = [column.title for column in shown(found, "table14a").columns[2:6]]
    assert titles == ["Cat-MP C", "Cat-MP I", "Cat-MP N", "Cat-MP Avg."]
    cell = next(iter(shown(found, "table14a").rows))["Cat-MP_congruent"]
    assert isinstance(cell, Estimate)
    assert (cell.n, cell.clusters, cell.low) == (2, 2, pytest.approx(0.342, abs=5e-4))  # Wilson, 2 of 2


@pytest.mark.usefixtures("no_figures")
def test_paper_mode_reads_as_the_published_parser() -> None:
    found = report(
        m=table(ASKED, lambda row: f"**{row['gold']}**" if row["task"] == "logic" else row["gold"])
    )
    own, printed = values(found, "table5"), values(found, "table5_paper")
    assert (own["deontic_logic_zero"], printed["deontic_logic_zero"]) == (1, 0)
    assert (own["deontic_syllogism_zero"], printed["deontic_syllogism_zero"]) == (1, 1)
    logic = sum(row["task"] == "logic" for row in ASKED)
    assert (values(found, "answers")["unread"], shown(found, "table5_paper").mode) == (logic, "paper")
    modes = [each.mode for each in found.tables]
    assert modes == sorted(modes)  # corrected ones first


@pytest.mark.usefixtures("no_figures")
def test_log_likelihoods_have_a_mass_and_no_paper_mode() -> None:
    def prefers_gold(row: Row) -> list[list[Any]]:
        right, wrong = [math.log(0.6), True], [math.log(0.2), False]
        return [right, wrong] if row["gold"] == YES else [wrong, right]

    found = report(m=table(ASKED, prefers_gold, "_loglikelihood"))
    assert not [each for each in found.tables if each.mode == "paper"]
    row = values(found, "answers")
    assert (row["accuracy"], row["unread"], row["label_mass"]) == (1, None, pytest.approx(0.8))


@pytest.mark.usefixtures("no_figures")
def test_consistency_and_disjunctions_are_those_of_the_family() -> None:
    found = report(m=table(ASKED, hesitant))
    summary = found.summary["m"]["entailment"]
    assert json.loads(json.dumps(found.summary, allow_nan=False)) == found.summary
    expected = next(
        each
        for each in summary["consistency"]
        if (each["domain"], each["task"], each["prompt_style"], each["kind"])
        == ("epistemic", "logic", "few", "duality")
    )
    row = values(found, "consistency", domain="Epistemic", reasoning="Logic", style="Few-shot")
    assert row["duality"] == expected["share"]["estimate"]
    assert row["form"] is None
    for row in map(dict, shown(found, "disjunctions").rows):
        parts = [row[name].value for name in ("paper", "sdl", "mixed", "unanswered")]
        assert sum(parts) == pytest.approx(1)


@pytest.mark.usefixtures("no_figures")
def test_selections() -> None:
    found = report(m=table(wason_rows(), matches))
    row = values(found, "wason")
    assert (row["exact"], row["matching"], row["matching_index"]) == (0.25, 1, 1)  # right where q is denied
    rules = [values(found, "wason_cells", domain="Normative", rule=f"if p, then {q}") for q in ("q", "not q")]
    assert [each["arbitrary"] for each in rules] == [0, 1]
    assert values(found, "wason_cards")["true_antecedent"] == 0.5
    shares = [each["m"] for each in shown(found, "wason_choices").rows]
    assert sum(map(float, shares)) == pytest.approx(1)  # type: ignore[arg-type]
    assert "table5" not in {each.id for each in found.tables}


# --- the section as a whole -----------------------------------------------------------------------------------
def test_all_that_is_shown_has_words() -> None:
    said = words("normative")
    orders = {"Mi-Mu": ("duty", "prohibition"), "NotMu-NotMi": ("prohibition", "duty")}
    status = {
        (pattern, kind): status
        for pattern, order in orders.items()
        for kind, status in zip(("congruent", "incongruent"), order, strict=True)
    }
    asked = [row | {"status": status.get((row["pattern"], row["content_type"]))} for row in ASKED]
    found = report(a=table([*asked, *wason_rows()], hesitant), b=table(asked, plain))
    assert not said.directional
    assert {each.measure for each in found.findings} == {*said.measures}
    assert {each.id for each in found.tables} == {*said.tables}
    assert {each.id for each in found.figures} == {*said.figures}
    ids = {each.id for each in found.tables}
    for each in found.tables:
        unnamed = {column.name for column in each.columns if not column.title} - {
            *said.tables[each.id].columns
        }
        assert not unnamed, each.id
        for row in each.rows:
            assert {*row} == {column.name for column in each.columns}
    assert len(ids) == len(found.tables)
    assert {each.table for each in found.figures} <= ids
    assert all(each.part_label or not each.key for each in found.findings)


def test_figures_of_patterns_are_of_who_reasons_best() -> None:
    found = report(a=table(ASKED, hesitant), b=table(ASKED, plain), c=table(ASKED[:40], plain))
    assert {each.subject for each in found.figures if each.id in ("figure2", "figure3")} == {"b"}


@pytest.mark.usefixtures("no_figures")
def test_partners_that_are_missing_and_settings_that_only_some_were_asked() -> None:
    half = [row for row in ASKED if row["config"] != CONFIGS[1] or row["content_type"] != "congruent"]
    found = report(a=table(half, plain), b=table(ASKED, plain))
    *unbalanced, lacking, fewer = found.notices
    assert unbalanced[0].problem.startswith(f"{len(half)} answers of a are to the paper's configs")
    assert [notice.where for notice in unbalanced] == ["a", "b"]
    # 4 patterns, 2 styles, 2 contents; nonsense and incongruent ones lack the congruent ones
    assert lacking.serious
    assert lacking.problem.startswith("32 answers of a")
    assert "6 of the 8 settings" in fewer.problem
    assert len(report(a=table([*ASKED, *wason_rows()], plain)).notices) == 1
    # the four affirmative rules about nothing familiar of one domain have no partner, the nonsense is not compared
    rules = [row for row in wason_rows() if (row["domain"], row["content_type"]) != ("deontic", "congruent")]
    (notice,) = report(a=table(rules, matches)).notices  # selection tasks have no balanced config
    assert notice.problem.startswith("2 answers of a")


def balanced(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows as those of a balanced config."""
    return [
        row | {"id": row["id"].replace("/", "_balanced/", 1), "config": f"{row['config']}_balanced"}
        for row in rows
    ]


def test_balanced_rows_are_the_headline_and_paper_rows_the_paper_tables() -> None:
    paper_rows = [row for row in ASKED if row["config"] == "deontic_syllogism"]
    balanced_rows = balanced(paper_rows)

    def answer(row: Row) -> str:
        return follows_content(row) if row["config"].endswith("_balanced") else str(row["gold"])

    both = report(m=table([*paper_rows, *balanced_rows], answer))
    alone = report(m=table(balanced_rows, answer))
    paper = report(m=table(paper_rows, answer))
    effects = [finding(section, "content_effect").estimate.value for section in (both, alone, paper)]
    assert effects[0] == effects[1] > effects[2] == 0
    assert values(both, "table5_paper")["deontic_syllogism_zero"] == 1
    assert "table5_paper" not in {each.id for each in alone.tables}
    assert not both.notices
    assert [notice.where for notice in paper.notices] == ["m"]
    # Without the balanced config of a setting, the paper's config counts there.
    part = [row for row in balanced_rows if row["prompt_style"] == "zero"]
    mixed = report(m=table([*paper_rows, *part], answer))
    assert finding(mixed, "content_effect", "deontic_syllogism/few").estimate.value == 0
    assert finding(mixed, "content_effect", "deontic_syllogism/zero").estimate.value > 0
    assert mixed.notices[0].problem.startswith(f"{len(paper_rows) // 2} answers of m")


@pytest.mark.usefixtures("no_figures")
def test_nothing_that_is_missing_stops_it() -> None:
    nobody = table([], plain)
    one = entailment_rows("deontic_syllogism", contents=1)
    alone = [row for row in one if row["content_type"] == "congruent"][:1]
    found = report(
        empty=nobody,
        refuser=table([*ASKED, *wason_rows()], lambda _: REFUSAL),
        single=table(alone, perfect),
        small=table(one, plain),
        cards=table(wason_rows(1)[:1], lambda _: "none of them"),
    )
    assert found.respondents == ("cards", "empty", "refuser", "single", "small")
    assert finding(found, "content_effect", name="refuser").estimate.state == "not answered"
    assert values(found, "table5", respondent="refuser")["deontic_logic_zero"] == 0
    small = finding(found, "content_effect", name="small").estimate
    assert (small.value, small.low, small.p) == (0, None, None)  # one content of each type
    assert not [each for each in found.findings if each.respondent == "single"]
    assert values(found, "table5", respondent="single")["deontic_syllogism_zero"] == 1
    assert json.dumps(found.summary, allow_nan=False)
    assert report().tables == ()


def test_the_order_of_answers_and_of_respondents_does_not_matter() -> None:
    first, second = table([*ASKED, *wason_rows()], hesitant), table(ASKED, follows_content)
    found = report(a=first, b=second)
    turned = report(b=second[::-1], a=first[::-1])
    assert turned == found
    assert [each.svg for each in turned.figures] == [each.svg for each in found.figures]


def test_rows_of_the_family_are_labelled_alike() -> None:
    read = table(ASKED, hesitant).sort_values("id")
    family = sorted(answered(ASKED, lambda row: extract_label(hesitant(row))), key=lambda row: str(row["id"]))
    assert read["label"].tolist() == [row["label"] for row in family]
