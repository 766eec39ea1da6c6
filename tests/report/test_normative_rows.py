"""What the report on normative reasoning reads."""

from __future__ import annotations

import math
from typing import Any

import pytest

from polbias.eval.normative.section import COLUMNS, flatten_samples
from polbias.eval.report.reporter import COMMON_COLUMNS, load_reporter
from tests.eval.normative.normative_rows import wason_rows
from tests.report.normative_answers import Row, problems, samples, task_of

YES, NO, REFUSAL = "entailment", "non-entailment", "I'm sorry, but I can't help with that."
ASKED = problems(2)


# --- rows -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "label", "published"),
    [
        ("entailment", YES, YES),
        ("Because it is so.\nnon-entailment.", NO, NO),
        ('The answer is "entailment".', YES, "unparsable"),
        ("**non-entailment**", NO, "unparsable"),
        (REFUSAL, "refusal", "unparsable"),
        ("", "unparsable", "unparsable"),
    ],
)
def test_an_answer_is_read_here_and_as_by_the_published_parser(said: str, label: str, published: str) -> None:
    (row,) = flatten_samples(samples(ASKED[:1], lambda _: said), task_of(ASKED[0]))
    assert {*row} <= {*COMMON_COLUMNS, *COLUMNS}
    assert (row["label"], row["paper_label"]) == (label, published)
    assert row["outcome"] == (label if label in ("refusal", "unparsable") else "answered")
    assert (row["reasoning"], row["repeat"], row["id"]) == ("logic", 0, ASKED[0]["id"])


def test_every_answer_to_a_prompt_is_a_row() -> None:
    read = list(flatten_samples(samples(ASKED[:2], lambda _: [[YES, NO], [None]]), task_of(ASKED[0])))
    assert [(row["id"], row["repeat"], row["label"]) for row in read] == [
        (asked["id"], repeat, label)
        for asked in ASKED[:2]
        for repeat, label in enumerate((YES, NO, "unparsable"))
    ]


@pytest.mark.parametrize(
    ("likelihoods", "label"), [((-0.5, -2.0), YES), ((-2.0, -0.5), NO), ((-1.0, -1.0), "unparsable")]
)
def test_the_likelier_label(likelihoods: tuple[float, float], label: str) -> None:
    said = [[each, False] for each in likelihoods]
    (row,) = flatten_samples(samples(ASKED[:1], lambda _: said), task_of(ASKED[0], "_loglikelihood"))
    assert (row["label"], row["paper_label"]) == (label, None)
    assert row["label_mass"] == pytest.approx(min(1, sum(map(math.exp, likelihoods))))


def test_cards() -> None:
    asked = wason_rows(1)[:2]
    read = list(
        flatten_samples(
            samples(asked, lambda row: f"Cards {row['gold'].replace(',', ' and ')}"), "polbias_wason"
        )
    )
    assert [row["label"] for row in read] == [row["gold"] for row in asked]
    assert {(row["reasoning"], row["outcome"], row["pattern"]) for row in map(dict_of, read)} == {
        ("selection", "answered", None)
    }
    pairs = [[-float(number), False] for number in (3, 2, 1, 4, 5, 6)]
    (row,) = flatten_samples(samples(asked[:1], lambda _: pairs), "polbias_wason_loglikelihood")
    assert row["label"] == "A,D"


def dict_of(row: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS) | row


@pytest.mark.parametrize(
    ("task", "doc", "said"),
    [
        ("polbias_deontic_logic_zero", {"gold": "valid"}, YES),
        ("polbias_deontic_logic_zero", {"content_type": "odd"}, YES),
        ("polbias_deontic_logic_zero", {"cluster_id": None}, YES),
        ("polbias_deontic_logic_zero", {}, [[-1.0, True], [-2.0, False]]),
        ("polbias_deontic_logic_zero_loglikelihood", {}, YES),
        ("polbias_deontic_logic_zero_loglikelihood", {}, [[-1.0, True]]),
        ("polbias_wason", {"card_roles": ["p", "q"]}, "A, B"),
    ],
)
def test_what_does_not_fit_is_said(task: str, doc: Row, said: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        list(flatten_samples(samples([ASKED[0] | doc], lambda _: said), task))


@pytest.mark.parametrize("name", ["id", "gold", "pattern", "content_type", "prompt_style", "domain"])
def test_a_missing_column_is_said(name: str) -> None:
    doc = {key: value for key, value in ASKED[0].items() if key != name}
    with pytest.raises(KeyError, match=name):
        list(flatten_samples(samples([doc], lambda _: YES), task_of(ASKED[0])))


def test_the_instrument_is_known_by_its_name() -> None:
    assert load_reporter("normative").flatten_samples is flatten_samples
