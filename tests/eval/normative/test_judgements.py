"""Reading answers to entailment problems."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from polbias.eval.accuracy import accuracy
from polbias.eval.answer_frames import AnswerTableError, codes_of
from polbias.eval.normative.answers import LABELS, entailment_answers, non_answers
from polbias.eval.normative.effects import compare_contents
from tests.eval.normative.normative_rows import answered, entailment_rows

ROWS = answered(
    entailment_rows("deontic_logic", contents=1),
    lambda row: {"FC-Or-Intro": None, "Mi-Mu": "refusal", "Ross-Or-Intro": "truncated"}.get(
        row["pattern"], "entailment"
    ),
)


@pytest.mark.parametrize(
    "rows",
    [ROWS, pa.Table.from_pylist(ROWS), pd.DataFrame(ROWS, index=range(5, 25))],
    ids=["records", "arrow", "frame"],
)
def test_every_kind_of_table_reads_the_same(rows: object) -> None:
    answers = entailment_answers(rows)
    assert len(answers) == len(ROWS) == 20
    assert answers["label"][:4].tolist() == ["entailment", "entailment", "refusal", "entailment"]
    assert answers["label"].cat.categories.tolist() == [*LABELS]
    assert (answers["gold"] != answers["gold_sdl"]).sum() == 8
    assert answers["cluster_id"].cat.categories[0] == "deontic_logic/congruent-0"
    assert answers["pattern"].cat.categories[0] == "FC-Or-Elim"
    assert answers["consistency_ids"][0] == "duality:deontic_logic/congruent-0/NotMu-MiNot+MiNot-NotMu"
    assert (non_answers(answers) < 0).sum() == 20 - 3 - 3 - 2
    assert entailment_answers(answers).equals(answers)


def test_tuples_and_null_lists() -> None:
    rows = [
        ("entailment", "entailment", "Mu-Mi", "congruent", "duty", "a", None),
        (None, "entailment", "Mu-Mi", "x", None, "b", []),
        ("refusal", "entailment", "Mu-Mi", "x", "", "b", ["form:b", "duality:b"]),
    ]
    answers = entailment_answers(rows)
    assert answers["consistency_ids"].tolist() == ["", "", "form:b;duality:b"]
    assert "consistency_ids" not in entailment_answers([row[:-1] for row in rows])
    assert non_answers(answers).tolist() == [-1, 1, 0]
    assert answers["status"].isna().tolist() == [False, True, True]
    assert len(entailment_answers([])) == 0


def test_accuracy_of_this_table() -> None:
    answers = entailment_answers(ROWS)
    labels = codes_of(answers["label"]), codes_of(answers["gold"])
    cells = accuracy(*labels, {name: answers[name] for name in ("gold", "pattern")})
    (cell,) = [cell for cell in cells if cell.cell["pattern"] == "Mi-Mu"]
    assert (cell.n, cell.correct, cell.refusals) == (3, 0, 3)
    assert dict(cell.cell) == {"gold": "non-entailment", "pattern": "Mi-Mu"}
    (whole,) = accuracy(*labels)
    assert whole.correct == 9  # two square patterns and FC-Or-Elim, three contents each
    assert (whole.n, whole.refusals, whole.unparsable, whole.truncated) == (len(answers), 3, 3, 2)


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
        entailment_answers([ROWS[0] | change])


def test_missing_columns_are_named() -> None:
    with pytest.raises(AnswerTableError, match="column 'label': missing, found only gold"):
        entailment_answers([{"gold": "entailment"}])
    labels = {"gold": "entailment", "label": "entailment", "content_type": "congruent"}
    for others, name in (({"cluster_id": "a"}, "pattern"), ({"pattern": "Mu-Mi"}, "cluster_id")):
        with pytest.raises(AnswerTableError, match=f"column '{name}': missing, found only"):
            compare_contents(entailment_answers([labels | others])).effect()
