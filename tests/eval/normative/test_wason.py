"""Choices in the selection task: by hand, for respondents whose choices are known, and the algebra."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.aliases import Json
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.normative import tables
from polbias.eval.normative.answers import is_correct, non_answers, selection_answers
from polbias.eval.normative.wason import ROLES, logical_roles, score_selections
from tests.eval.normative.normative_rows import answered, selection_effect, wason_rows

ORDER = ["q", "notp", "p", "notq"]  # A: q, B: notp, C: p, D: notq


def choice(label: str | None, polarity: str = "p-q", gold: str = "C,D") -> dict[str, Any]:
    return {"label": label, "gold": gold, "polarity": polarity, "card_roles": ORDER}


def wason_summary(rows: Any) -> Json:
    return tables.summarize_selections(selection_answers(rows))


def test_scores_by_hand() -> None:
    labels = ("C,D", "A,C", "C", "none", "D,C,A,B", "refusal", None)
    answers = selection_answers([choice(label) for label in labels])
    assert {name: values.tolist() for name, values in score_selections(answers).items()} == {
        "accuracy": [1, 0, 0, 0, 0, 0, 0],
        "card_accuracy": [1, 0.5, 0.75, 0.5, 0.5, 0, 0],
        "matching": [0, 1, 0, 0, 0, 0, 0],
        "matching_index": [0, 1, 0.5, 0, 0, 0, 0],
        "logic_index": [1, 0, 0.5, 0, 0, 0, 0],
    }
    assert is_correct(answers).tolist() == [True, *[False] * 6]
    assert non_answers(answers).tolist() == [-1, -1, -1, -1, -1, 0, 1]


@pytest.mark.parametrize(
    ("polarity", "gold", "roles"),
    [
        ("p-q", "C,D", [2, 1, 0, 3]),
        ("p-notq", "A,C", [3, 1, 0, 2]),
        ("notp-q", "B,D", [2, 0, 1, 3]),
        ("notp-notq", "A,B", [3, 0, 1, 2]),
    ],
)
def test_roles_follow_the_polarity_and_names_do_not(polarity: str, gold: str, roles: list[int]) -> None:
    answers = selection_answers([choice("A,C", polarity, gold)])
    assert logical_roles(answers).tolist() == [roles]
    needed = {ROLES.index("true antecedent"), ROLES.index("false consequent")}
    assert gold == ",".join(card for card, role in zip("ABCD", roles, strict=True) if role in needed)
    assert score_selections(answers)["matching"].tolist() == [1]


def test_who_is_right_and_who_matches() -> None:
    rows = wason_rows()
    right = wason_summary(answered(rows, lambda row: row["gold"]))
    assert [right[name]["estimate"] for name in ("accuracy", "card_accuracy", "logic_index")] == [1, 1, 1]
    # only in p-notq are the named cards the right ones
    assert right["matching"]["estimate"] == 0.25
    assert right["matching_index"]["estimate"] == 0
    assert right["choices"] == {"true antecedent + false consequent": 1}
    named = answered(
        rows,
        lambda row: ",".join(
            c for c, role in zip("ABCD", row["card_roles"], strict=True) if role in {"p", "q"}
        ),
    )
    matching = wason_summary(named)
    assert [matching[name]["estimate"] for name in ("matching", "matching_index")] == [1, 1]
    assert [matching[name]["estimate"] for name in ("accuracy", "logic_index")] == [0.25, 0]
    assert matching["selected"] == dict.fromkeys(ROLES, 0.5)
    assert set(matching["choices"].values()) == {0.25}


def test_effects_hold_the_rest_of_the_design_fixed() -> None:
    def right(row: Any) -> bool:
        return row["content_type"] == "congruent" or (row["domain"], row["polarity"]) == ("deontic", "p-notq")

    wrong = answered(wason_rows(), lambda row: str(row["gold"]) if right(row) else "none")
    content, domain = wason_summary(wrong)["effects"]
    # congruent rules are so in the affirmative form alone, where arbitrary ones are never right
    assert (content["compared"], content["cells"], content["estimate"]) == ("content_type", 4, 1)
    # one polarity in four, of the types that have it; affirmative congruent ones are right in both domains
    strata = {(row["content_type"], row["polarity"]) for row in wason_rows()}
    assert len(strata) == 12
    assert selection_effect(wrong, "domain", "deontic", "epistemic").estimate == pytest.approx(3 / 12)
    assert domain["estimate"] == pytest.approx(3 / 12)


def test_who_names_no_cards_is_not_wrong() -> None:
    def label(row: Any) -> str:
        spoken = row["content_type"] == "congruent" or row["polarity"] == "p-q" or row["domain"] == "deontic"
        return str(row["gold"]) if spoken else "refusal"

    rows = answered(wason_rows(), label)
    summary = wason_summary(rows)
    content, domain = summary["effects"]
    assert (content["estimate"], domain["estimate"], domain["state"]) == (0, None, "not answered")
    # the three denying forms of the epistemic rules are refused, and leave with those that they are compared to
    found = selection_effect(rows, "domain", "deontic", "epistemic")
    assert (found.estimate, found.cells) == (0, 2 * 3)
    assert summary["refusal"] == pytest.approx(18 / 48)
    silent = wason_summary(answered(wason_rows(), lambda row: "refusal"))["effects"][0]
    assert (silent["state"], silent["estimate"], silent["p_holm"]) == ("not answered", None, None)


def test_a_summary_can_be_json_and_needs_rows() -> None:
    import json

    summary = wason_summary(answered(wason_rows(1), lambda row: None))
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert (summary["n"], summary["unparsable"], summary["accuracy"]["estimate"]) == (24, 1, 0)
    assert summary["effects"][0]["standard_error"] is None  # one content on each side
    with pytest.raises(AnswerTableError, match="found none"):
        wason_summary([])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (choice("E"), "'label', row 0: found 'E', expected none or A or B or A,B or"),
        (choice("A,C", gold="none"), "'gold', row 0: found 'none', expected A or B or A,B or"),
        (choice("A", polarity="q-p"), "'polarity', row 0: found 'q-p', expected notp-notq or"),
        (
            choice("A") | {"card_roles": ["p", "p", "q", "notq"]},
            "'card_roles', row 0: found .* expected p, notp",
        ),
        ({"label": "A", "gold": "A"}, "column 'card_roles': missing"),
    ],
)
def test_errors_say_where_what_and_what_instead(row: dict[str, Any], message: str) -> None:
    with pytest.raises(AnswerTableError, match=message):
        selection_answers([row])


CHOICES = [",".join(c) for size in (1, 2, 3, 4) for c in combinations("ABCD", size)]
LABELS = st.sampled_from([*CHOICES, "none", "refusal", "unparsable", "truncated", None])


@given(st.lists(LABELS, min_size=48, max_size=48))
def test_algebra(labels: list[str | None]) -> None:
    rows = [row | {"label": label} for row, label in zip(wason_rows(), labels, strict=True)]
    answers = selection_answers(rows)
    scores = score_selections(answers)
    accuracy, matching, card_accuracy = (scores[name] for name in ("accuracy", "matching", "card_accuracy"))
    assert (accuracy == is_correct(answers)).all()
    assert (accuracy <= card_accuracy).all()
    # only in p-notq are the named cards the right ones
    assert ((accuracy + matching <= 1) | (answers["polarity"] == "p-notq")).all()
    is_answered = non_answers(answers) < 0
    # four cards, two to be turned: right ones are 2 + chosen right - chosen wrong
    assert np.allclose(card_accuracy[is_answered], 0.5 + scores["logic_index"][is_answered] / 2)
    found = selection_effect(answers, "domain", "deontic", "epistemic")
    back = selection_effect(answers, "domain", "epistemic", "deontic")
    assert found.estimate == pytest.approx(-back.estimate)
    assert sum(wason_summary(answers)["choices"].values()) == pytest.approx(1)
