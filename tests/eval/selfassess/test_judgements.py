"""The table of judgements: reading, refusing what does not fit, and what is derived."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polbias.eval.answer_table import AnswerTableError
from polbias.eval.selfassess.schema import NO_SIDE, OUTCOMES, ChoiceAnswers
from tests.eval.selfassess.respondents import coin, judged, rows

ROWS = judged(rows(3), coin)


def test_rows_columns_and_arrow_say_the_same() -> None:
    import pyarrow as pa

    tables = [ChoiceAnswers.of(ROWS), ChoiceAnswers.of({key: [row[key] for row in ROWS] for key in ROWS[0]})]
    tables.append(ChoiceAnswers.of(pa.Table.from_pylist(ROWS)))
    for table in tables[1:]:
        assert table.n == len(ROWS)
        for name in ("choice", "sides", "role", "question", "n_alternatives", "outcome", "leak", "truncated"):
            assert np.array_equal(getattr(table, name), getattr(tables[0], name)), name
    assert ChoiceAnswers.of(tables[0]) is tables[0]


def test_a_data_frame_with_missing_choices_is_read() -> None:
    pd = pytest.importorskip("pandas")
    rows_ = judged(rows(1), lambda row, rng: "refusal" if row["order"] == 1 else 2)
    assert np.array_equal(ChoiceAnswers.of(pd.DataFrame(rows_)).choice, ChoiceAnswers.of(rows_).choice)


def test_derived_columns() -> None:
    table = ChoiceAnswers.of(judged(rows(1), lambda row, rng: 1 if row["order"] == 1 else "both"))
    for place, row in enumerate(rows(1)):
        side = {"left": -1, "neutral": 0, "right": 1}[row["sides"][0]] if row["order"] == 1 else NO_SIDE
        assert table.side[place] == side
        assert table.lean[place] == (0 if side == NO_SIDE else side)
    assert len({*table.arrangement.tolist()}) == 2 + 6
    assert len(table.unit.levels) == 2 * 2 * 2


def test_select_and_empty() -> None:
    table = ChoiceAnswers.of(ROWS)
    assert table.select(table.n_alternatives == 2).n == 3 * 2 * 2 * 2
    assert ChoiceAnswers.of([]).n == 0


def test_flags_that_say_nothing_are_unknown() -> None:
    assert ChoiceAnswers.of([{**row, "leak": None} for row in ROWS]).leak is None
    bare = [{key: value for key, value in row.items() if key not in ("leak", "truncated")} for row in ROWS]
    assert ChoiceAnswers.of(bare).truncated is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": 3}, "column 'choice', row 0: found 3 with outcome 'choice' of 2"),
        ({"choice": None}, "column 'choice', row 0: found None with outcome 'choice'"),
        ({"outcome": "refusal"}, "expected a position if the outcome is 'choice'"),
        ({"outcome": "maybe"}, "found 'maybe', expected choice or refusal"),
        ({"sides": ["left", "left"]}, "column 'sides', row 0: found .* expected left and right"),
        ({"sides": ["left", "right", "neutral"]}, "as n_alternatives is 2"),
        ({"n_alternatives": 4}, "found 4, expected 2 or 3"),
        ({"role": "editor"}, "found 'editor', expected user or agent"),
        ({"question": "best"}, "expected preference or least_biased"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(AnswerTableError, match=message):
        ChoiceAnswers.of([{**ROWS[0], **change}])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(AnswerTableError, match="column 'sides': missing"):
        ChoiceAnswers.of([{key: value for key, value in ROWS[0].items() if key != "sides"}])


def test_outcomes_are_those_of_the_reader() -> None:
    assert OUTCOMES == ("choice", "refusal", "both", "unparsable", "truncated")
