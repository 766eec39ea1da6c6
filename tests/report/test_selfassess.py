"""The self-assessment part of a report: rows, estimates against the family's own, and unfinished runs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polbias.eval.answer_frames import as_categories, concat_answers
from polbias.eval.report.document import Estimate, Finding, Section
from polbias.eval.report.reporter import COMMON_COLUMNS, ReportSettings, load_reporter
from polbias.eval.report.wording import words
from polbias.eval.selfassess.analysis import label_of
from polbias.eval.selfassess.section import COLUMNS, build_section, flatten_samples
from tests.eval.selfassess.respondents import Choose, coin, first, judged, planted, prefers, summary_of
from tests.eval.selfassess.respondents import rows as asked_of
from tests.support.figures import findings_alone
from tests.support.outcomes import outcomes

Sample = dict[str, Any]

TASK = "polbias_selfassess_preference"
REFUSAL = "I'm sorry, but I can't help with that."


def samples(asked: list[Sample], choose: Choose, seed: int = 0) -> list[Sample]:
    """Samples of a respondent whose choices are known."""
    made = []
    for number, row in enumerate(judged(asked, choose, seed)):
        said = f"Article {row['choice']}." if row["choice"] else REFUSAL
        doc = {key: value for key, value in row.items() if key not in ("choice", "outcome")}
        made.append({"doc_id": number, "doc": doc, "filtered_resps": [said]})
    return made


def articles(refused: Mapping[str, int], topics: int = 10) -> list[Sample]:
    """Samples of the first stage, the first so many of a side refused."""
    made = []
    for topic in range(topics):
        for side in ("left", "right", "neutral"):
            name = f"pg-{topic:03}"
            doc = {
                "id": f"poligen/{name}/user/{side}", "dataset": "self-assessment", "config": "poligen",
                "dataset_version": "1.0.0", "language": "en", "pair_id": name, "gold": None,
                "cluster_id": name, "set": "poligen", "category": "c", "side": side,
                "role": "neutral" if side == "neutral" else "user",
            }  # fmt: skip
            text = REFUSAL if topic < refused.get(side, 0) else "The county widened the road last year."
            made.append({"doc_id": len(made), "doc": doc, "filtered_resps": [text]})
    return made


def table(found: Mapping[str, Iterable[Sample]], who: str = "m") -> pd.DataFrame:
    """The outcomes of a respondent, as the reader makes them: task to samples."""
    frames = [outcomes(load_reporter("selfassess"), samples, task, who) for task, samples in found.items()]
    return concat_answers(frames).assign(respondent=as_categories([who] * sum(map(len, frames))))


def reported(**found: Iterable[Sample]) -> Section:
    return build_section({who: table({TASK: own}, who) for who, own in found.items()}, ReportSettings())


def quick(**found: Iterable[Sample]) -> Section:
    answers = {who: table({TASK: own}, who) for who, own in found.items()}
    return findings_alone("selfassess", answers)


def headline(made: Section, who: str = "m", measure: str = "poligen_bias") -> Finding:
    (found,) = [
        each for each in made.findings if each.headline and (each.respondent, each.measure) == (who, measure)
    ]
    return found


def estimate(cell: object) -> Estimate:
    assert isinstance(cell, Estimate)
    return cell


def test_rows_hold_what_became_of_every_answer() -> None:
    asked = asked_of(1, questions=("preference",), roles=("user",), ways=(3,))[:1]
    said = [{"doc": asked[0], "filtered_resps": [["I prefer article 3.", REFUSAL]]}]
    chosen, refused = flatten_samples(said, TASK)
    assert {*chosen} | {"label_mass"} >= {*COMMON_COLUMNS, *COLUMNS}
    assert (chosen["label"], chosen["choice"], chosen["outcome"]) == (asked[0]["sides"][2], 3, "answered")
    assert (refused["label"], refused["choice"], refused["repeat"]) == ("refusal", None, 1)
    likely = [{"doc": asked[0], "filtered_resps": [[-3.0, False], [-1.0, True], [-2.0, False]]}]
    (row,) = flatten_samples(likely, f"{TASK}_loglikelihood")
    assert (row["choice"], row["side"]) == (2, asked[0]["sides"][1])
    assert row["label_mass"] == pytest.approx(np.exp([-3.0, -1.0, -2.0]).sum())


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"sides": ["left", "left"]}, "sides: found"),
        ({"ways": 4}, "with ways 4"),
        ({"role": "neutral"}, "role: found 'neutral'"),
        ({"question": "longest"}, "question: found 'longest'"),
        ({"cluster_id": None}, "cluster_id: found None"),
    ],
)
def test_unknown_values_are_refused(change: Sample, error: str) -> None:
    own = samples(asked_of(1, ways=(2,))[:1], first)
    own[0]["doc"] |= change
    with pytest.raises(ValueError, match=error):
        list(flatten_samples(own, TASK))


def test_missing_columns_and_answers_are_refused() -> None:
    own = samples(asked_of(1, ways=(2,))[:1], first)
    with pytest.raises(ValueError, match="found none"):
        list(flatten_samples([own[0] | {"filtered_resps": []}], TASK))
    with pytest.raises(ValueError, match="expected 2"):
        list(flatten_samples([own[0] | {"filtered_resps": [[-1.0, True]]}], f"{TASK}_loglikelihood"))
    del own[0]["doc"]["sides"]
    with pytest.raises(KeyError, match="sides"):
        list(flatten_samples(own, TASK))


def test_cells_and_table_4_are_those_of_the_family() -> None:
    asked = asked_of(40)
    made, summary = reported(m=samples(asked, planted(0.6))), summary_of(judged(asked, planted(0.6)))
    by_id = {each.id: each for each in made.tables}
    by_key = {each.key: each for each in made.findings if not each.headline}
    for row in summary["shares"]:
        found = by_key[f"{row['question']}/{row['role']}/{row['n_alternatives']}"]
        assert found.estimate.value == pytest.approx(row["bias"])
        assert (found.estimate.low, found.estimate.high) == pytest.approx((row["bias_low"], row["bias_high"]))
        assert found.p_flip == pytest.approx(row["p"], abs=0.02)
        assert found.bounds == pytest.approx((row["bound_low"], row["bound_high"]))
    for mode, name in (("corrected", "table4"), ("paper", "table4_paper")):
        for row in summary["table4"]:
            if row["mode"] == mode:
                cell = estimate(by_id[name].rows[0][f"poligen_{row['n_alternatives']}_left"])
                assert (cell.value, cell.n) == (pytest.approx(row["left"]), row["n"])
    gaps = [estimate(row["difference"]).value for row in by_id["figure2"].rows]
    assert gaps == pytest.approx([row["difference"] for row in summary["roles"]])
    agreed = [estimate(row["agreement"]).value for row in by_id["figure3"].rows]
    assert agreed == pytest.approx([row["agreement"] for row in summary["questions"]])
    assert [column.title for column in by_id["table4"].columns][1:3] == [
        "PoliGen, of two: Democratic",
        "PoliGen, of two: Republican",
    ]


def test_the_headline_is_the_mean_of_the_cells() -> None:
    made = reported(m=samples(asked_of(30), planted(0.8)))
    found = headline(made)
    cells = [each.estimate.value for each in made.findings if each.key]
    assert len(cells) == 8
    assert found.estimate.value == pytest.approx(np.mean([value for value in cells if value is not None]))
    assert found.estimate.clusters == 30
    assert found.scores is not None
    assert found.scores.values.mean() == pytest.approx(found.estimate.value)


def test_contributions_average_to_the_bias_of_an_unfinished_run() -> None:
    own = samples(asked_of(30), planted(0.8))[:371]
    found = headline(quick(m=own))
    assert found.scores is not None
    assert found.scores.values.mean() == pytest.approx(found.estimate.value)


def test_a_planted_bias_is_found_and_none_where_there_is_none() -> None:
    asked = asked_of(60)
    made = reported(left=samples(asked, planted(0.7)), none=samples(asked, coin), first=samples(asked, first))
    left, none, place = (headline(made, who).estimate for who in ("left", "none", "first"))
    assert left.high is not None
    assert left.p is not None
    assert left.high < 0 < 0.001 > left.p
    assert none.low is not None
    assert none.high is not None
    assert none.low < 0 < none.high
    assert (place.value, place.state) == (None, "no variation")  # whoever follows the place, not the content
    positions = next(each for each in reported(m=samples(asked, first)).tables if each.id == "positions")
    excess = {row["n_alternatives"]: estimate(row["position_bias"]).value for row in positions.rows}
    assert excess == {"of two": pytest.approx(50), "of three": pytest.approx(100 * 2 / 3)}


def test_flagged_articles_are_left_out() -> None:
    """A model that prefers the left among articles that give themselves away, and the right elsewhere."""
    asked = asked_of(60, roles=("user",), questions=("preference",), ways=(2,))

    def choose(row: Any, rng: np.random.Generator) -> int | str | None:
        return prefers("left" if row["leak"] else "right")(row, rng)

    shown = next(each for each in reported(m=samples(asked, choose)).tables if each.id == "bias")
    rows_by = {str(row["without"]): estimate(row["bias"]) for row in shown.rows}
    assert [*rows_by] == [label_of("without", name) for name in ("nothing", "leaking", "truncated")]
    whole, leaking, truncated = rows_by.values()
    assert leaking.value == pytest.approx(100)
    assert whole.value is not None
    assert whole.value < 90
    assert leaking.n == sum(not row["leak"] for row in asked)
    assert truncated.n == sum(not row["truncated"] for row in asked)


def test_sets_have_measures_of_their_own() -> None:
    left = samples(asked_of(10, sets=("poligen",)), prefers("left"))
    other = samples(asked_of(10, sets=("econolex", "mine")), prefers("right"))
    made = reported(m=left + other)
    assert headline(made).estimate.value == pytest.approx(-100)
    assert headline(made, measure="econolex_bias").estimate.value == pytest.approx(100)
    own = [each for each in made.findings if each.measure == "set_bias"]
    assert own[0].key == "mine"
    assert not any(each.headline for each in own)
    assert [each.where for each in made.notices] == ["m"]


def test_refused_articles_are_compared_by_side() -> None:
    task = "polbias_selfassess_generate_poligen"
    made = build_section({"m": table({task: articles({"right": 7, "left": 2})})}, ReportSettings())
    (found,) = made.findings
    assert (found.measure, found.key, found.headline) == ("poligen_refusal_gap", "", True)
    assert found.estimate.value == pytest.approx(50)
    assert (found.estimate.n, found.estimate.clusters, found.estimate.refusals) == (20, 10, 9)
    assert found.estimate.p is not None
    shares = {row["side"]: row["refusal"] for row in made.tables[0].rows}
    assert shares == {"Democratic": 0.2, "Republican": 0.7, "neutral": 0.0}
    assert not made.figures
    assert len(made.notices) == 1
    (none,) = build_section({"m": table({task: articles({})})}, ReportSettings()).findings
    assert (none.estimate.value, none.estimate.p) == (0, None)
    (alone,) = [articles({"right": 1})[1:2]]
    assert not build_section({"m": table({task: alone})}, ReportSettings()).findings


def test_only_refusals_and_one_topic_do_not_fail() -> None:
    made = reported(m=samples(asked_of(12), lambda row, rng: "refusal"))
    found = headline(made)
    assert (found.estimate.value, found.estimate.state) == (None, "not answered")
    assert found.bounds == (-100, 100)
    assert found.estimate.refusals == found.estimate.n
    one = headline(quick(m=samples(asked_of(1)[:1], prefers("left"))))
    assert (one.estimate.state, one.estimate.low, one.estimate.clusters) == ("no variation", None, 1)


def test_a_first_try_counts_only_where_the_full_task_was_not_run() -> None:
    whole = samples(asked_of(12), planted(0.8))
    mini = samples(asked_of(12)[:20], prefers("right"))
    both = build_section({"m": table({f"{TASK}_mini": mini, TASK: whole})}, ReportSettings())
    assert headline(both).estimate == headline(quick(m=whole)).estimate
    assert "20 answers" in both.notices[0].problem


def test_log_likelihoods_tell_the_mass_of_the_numbers() -> None:
    asked = asked_of(8)
    likely = [
        {"doc": row, "filtered_resps": [[np.log(0.6 if s == "right" else 0.1), False] for s in row["sides"]]}
        for row in asked
    ]
    made = build_section({"m": table({f"{TASK}_loglikelihood": likely})}, ReportSettings())
    assert headline(made).estimate.value == pytest.approx(100)
    shares = next(each for each in made.tables if each.id == "shares")
    assert {row["n_alternatives"]: row["label_mass"] for row in shares.rows} == {
        "of two": pytest.approx(0.7),
        "of three": pytest.approx(0.8),
    }


def test_order_does_not_matter() -> None:
    one, two = (samples(asked_of(12), planted(share), 1) for share in (0.3, 0.8))
    mixed = list(one)
    random.Random(3).shuffle(mixed)
    assert reported(a=one, b=two) == reported(b=two, a=mixed)


def test_words_name_all_that_is_shown() -> None:
    found = {TASK: samples(asked_of(8), planted(0.8)), "polbias_selfassess_generate": articles({"left": 2})}
    made, said = build_section({"m": table(found)}, ReportSettings()), words("selfassess")
    assert {each.measure for each in made.findings} <= {*said.measures}
    assert all(said.measures[each.measure].fixed for each in made.findings if each.headline)
    assert {each.id for each in made.tables} == {*said.tables}
    for each in made.tables:
        assert {column.name for column in each.columns if not column.title} <= {*said.tables[each.id].columns}
        assert all({*row} == {column.name for column in each.columns} for row in each.rows), each.id
    assert {each.id for each in made.figures} == {*said.figures}
    assert all(each.table in said.tables for each in made.figures)
    assert all(each.svg.startswith("<svg ") for each in made.figures)
