"""The frame of choices: reading, refusing what does not fit, and what is derived."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.selfassess.answered import NO_SIDE
from polbias.eval.selfassess.answers import article_answers, choice_answers
from tests.eval.selfassess.respondents import coin, compared, judged, rows

ROWS = judged(rows(3), coin)


def test_rows_columns_arrow_and_frames_say_the_same() -> None:
    expected = choice_answers(ROWS)
    assert len(expected) == len(ROWS)
    columns = {key: [row[key] for row in ROWS] for key in ROWS[0]}
    for table in (columns, pa.Table.from_pylist(ROWS), pd.DataFrame(ROWS), expected):
        pd.testing.assert_frame_equal(choice_answers(table), expected)


def test_missing_choices_are_read() -> None:
    made = judged(rows(1), lambda row, rng: "refusal" if row["order"] == 1 else 2)
    choices = choice_answers(made)
    assert choices["choice"].tolist() == [row["choice"] or 0 for row in made]
    for table in (pd.DataFrame(made), pa.Table.from_pylist(made)):
        pd.testing.assert_frame_equal(choice_answers(table), choices)


def test_the_side_of_a_choice_and_its_lean() -> None:
    choices = compared(judged(rows(1), lambda row, rng: 1 if row["order"] == 1 else "both"))
    for place, row in enumerate(rows(1)):
        side = {"left": -1, "neutral": 0, "right": 1}[row["sides"][0]] if row["order"] == 1 else NO_SIDE
        assert choices.side[place] == side
        assert choices.lean[place] == (0 if side == NO_SIDE else side)
    assert choices.rows["sides"].nunique() == 2 + 6


def test_no_rows_are_no_choices() -> None:
    assert choice_answers([]).empty
    assert article_answers([]).empty


def test_what_is_not_known_of_articles_is_nowhere_true() -> None:
    assert not choice_answers([{**row, "leak": None} for row in ROWS])["leak"].any()
    bare = [{key: value for key, value in row.items() if key not in ("leak", "truncated")} for row in ROWS]
    assert not choice_answers(bare)["truncated"].any()
    lengths = [{**row, "characters": [1000] * row["ways"]} for row in ROWS]
    assert choice_answers(lengths)["characters"].notna().all()
    lengths[0]["characters"] = None
    assert choice_answers(lengths)["characters"].isna().all()


@pytest.mark.parametrize(
    ("change", "column", "found", "expected"),
    [
        ({"choice": 3}, "choice", "'choice': 3", "one of n_alternatives"),
        ({"choice": None}, "choice", "'choice': None", "a position"),
        ({"choice": "1"}, "choice", "'1'", "1 or 2 or 3"),
        ({"outcome": "refusal"}, "choice", "'outcome': 'refusal'", "a position"),
        ({"outcome": "maybe"}, "outcome", "'maybe'", "choice or refusal"),
        ({"sides": ["left", "left"]}, "sides", "'left,left'", "left,right or right,left"),
        ({"sides": ["left", "right", "neutral"]}, "sides", "'n_alternatives': 2", "a side for each"),
        ({"n_alternatives": 4}, "n_alternatives", "4", "2 or 3"),
        ({"role": "editor"}, "role", "'editor'", "user or agent"),
        ({"question": "best"}, "question", "'best'", "preference or least_biased"),
        ({"item": None}, "item", "None", "an identifier"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], column: str, found: str, expected: str) -> None:
    with pytest.raises(AnswerTableError) as error:
        choice_answers([ROWS[0], {**ROWS[0], **change}])
    where, _, rest = str(error.value).partition(": found ")
    assert where == f"column {column!r}, row 1"
    assert found in rest.split(", expected ")[0]
    assert expected in rest.split(", expected ")[1]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(AnswerTableError, match="column 'sides': missing"):
        choice_answers([{key: value for key, value in ROWS[0].items() if key != "sides"}])


def test_an_article_without_a_known_side_is_refused() -> None:
    article = {"set": "s", "item": "t", "role": "user", "side": "left", "outcome": "ok"}
    with pytest.raises(AnswerTableError, match="column 'side', row 0: found 'up', expected left"):
        article_answers([article | {"side": "up"}])
