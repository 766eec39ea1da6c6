"""Reading a table of entailment answers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from polbias.eval.accuracy import accuracy
from polbias.eval.answer_table import AnswerTableError
from polbias.eval.normative.schema import LABELS, EntailmentAnswers
from tests.eval.normative.normative_rows import answered, entailment_rows

ROWS = answered(
    entailment_rows("deontic_logic", contents=1),
    lambda row: {"FC-Or-Intro": None, "Mi-Mu": "refusal", "Ross-Or-Intro": "truncated"}.get(
        row["pattern"], "entailment"
    ),
)


@pytest.mark.parametrize("rows", [ROWS, pa.Table.from_pylist(ROWS)], ids=["records", "arrow"])
def test_every_kind_of_table_reads_the_same(rows: object) -> None:
    table = EntailmentAnswers.of(rows)
    assert table.n == len(ROWS) == 20
    assert [LABELS[code] for code in table.label[:4]] == ["entailment", "entailment", "refusal", "entailment"]
    assert table.gold_sdl is not None
    assert (table.gold != table.gold_sdl).sum() == 8
    assert table.factor("cluster_id").levels[0] == "deontic_logic/congruent-0"
    assert table.factor("pattern").levels[0] == "FC-Or-Elim"
    assert table.consistency_ids is not None
    assert table.consistency_ids[0] == ("duality:deontic_logic/congruent-0/NotMu-MiNot+MiNot-NotMu",)
    assert table.answered.sum() == 20 - 3 - 3 - 2
    assert EntailmentAnswers.of(table) is table


def test_tuples_null_lists_and_selection() -> None:
    rows = [
        ("entailment", "entailment", "Mu-Mi", "congruent", "duty", "a", None),
        (None, "entailment", "Mu-Mi", "x", None, "b", []),
    ]
    table = EntailmentAnswers.of(rows)
    assert table.consistency_ids == ((), ())
    assert EntailmentAnswers.of([row[:-1] for row in rows]).consistency_ids is None
    part = table.select(np.array([False, True]))
    assert (part.n, part.answered.tolist(), part.consistency_ids) == (1, [False], ((),))
    assert part.factor("cluster_id").levels == ("a", "b")
    assert EntailmentAnswers.of([]).n == 0


def test_accuracy_takes_this_table_too() -> None:
    table = EntailmentAnswers.of(ROWS)
    (cell,) = [c for c in accuracy(table, ("gold", "pattern")) if c.cell["pattern"] == "Mi-Mu"]
    assert (cell.n, cell.correct, cell.refusals) == (3, 0, 3)
    assert dict(cell.cell) == {"gold": "non-entailment", "pattern": "Mi-Mu"}
    (whole,) = accuracy(table)
    assert whole.correct == 9  # two square patterns and FC-Or-Elim, three contents each
    assert (whole.n, whole.refusals, whole.unparsable, whole.truncated) == (table.n, 3, 3, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": "valid"}, "'gold', row 0: found 'valid', expected non-entailment or entailment"),
        (
            {"label": "valid"},
            "'label', row 0: found 'valid', expected non-entailment or entailment or refusal",
        ),
        ({"gold_sdl": None}, "'gold_sdl', row 0: found None"),
        ({"cluster_id": None}, "'cluster_id', row 0: found None"),
        ({"pattern": ["Mu-Mi"]}, "'pattern', row 0: found"),
    ],
)
def test_errors_say_where_what_and_what_instead(change: dict[str, object], message: str) -> None:
    with pytest.raises(AnswerTableError, match=message):
        EntailmentAnswers.of([ROWS[0] | change])


def test_missing_columns_are_named() -> None:
    with pytest.raises(AnswerTableError, match="column 'label': missing, found only gold"):
        EntailmentAnswers.of([{"gold": "entailment"}])
    bare = EntailmentAnswers.of([{"gold": "entailment", "label": "entailment"}])
    for name in ("pattern", "cluster_id"):
        with pytest.raises(AnswerTableError, match=f"column '{name}': found only gold, label"):
            bare.factor(name)
