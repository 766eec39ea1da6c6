"""Reading a table of answers, whatever it comes in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from polbias.errors import PolbiasError
from polbias.eval.answer_table import AnswerTableError, CodedColumn
from polbias.eval.partisan.schema import LABELS, ArgumentAnswers

COLUMNS: dict[str, list[Any]] = {
    "leaning": ["left", "right", "left", "right"],
    "gold": ["valid", "valid", "invalid", "invalid"],
    "label": ["valid", "refusal", None, "truncated"],
    "cluster_id": ["b", "b", "a", "a"],
    "pair_id": [7, 7, 3, 3],
    "shots": [0, 8, 32, 8],
    "prompt": ["…"] * 4,
}
RECORDS = [dict(zip(COLUMNS, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)]


def pandas_frame() -> object:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def pandas_categories() -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(COLUMNS).astype({"label": "category", "gold": "string"})


@pytest.mark.parametrize(
    "rows",
    [
        lambda: RECORDS,
        lambda: iter(RECORDS),
        lambda: COLUMNS,
        lambda: {name: np.array(values) for name, values in COLUMNS.items()},
        lambda: pa.table(COLUMNS),
        lambda: pa.table(COLUMNS).to_batches()[0],
        pandas_frame,
        pandas_categories,
    ],
)
def test_every_kind_of_table_reads_the_same(rows: Callable[[], Any]) -> None:
    outcomes = ArgumentAnswers.of(rows())
    assert outcomes.n == 4
    assert outcomes.leaning.tolist() == [-1, 1, -1, 1]
    assert outcomes.gold.tolist() == [1, 1, 0, 0]
    assert [LABELS[code] for code in outcomes.label] == ["valid", "refusal", "unparsable", "truncated"]
    assert outcomes.answered.tolist() == [True, False, False, False]
    assert outcomes.clusters is not None
    assert outcomes.clusters.levels == ("a", "b")
    assert outcomes.clusters.codes.tolist() == [1, 1, 0, 0]
    assert outcomes.pairs is not None
    assert outcomes.pairs.levels == (3, 7)
    assert outcomes.factor("shots").levels == (0, 8, 32)
    assert "prompt" not in outcomes.factors


def test_tuples_with_and_without_a_cluster() -> None:
    outcomes = ArgumentAnswers.of([("left", "valid", None), ("right", "invalid", "valid")])
    assert outcomes.errors.tolist() == [0, 1]
    assert outcomes.clusters is None
    clustered = ArgumentAnswers.of([["left", "valid", None, "a"], ["right", "invalid", "valid", "a"]])
    assert clustered.factor("cluster_id").levels == ("a",)


@pytest.mark.parametrize("alias", ["prediction", "pred"])
def test_aliases_of_the_label(alias: str) -> None:
    rows = [{"leaning": "left", "gold": "valid", alias: "valid"}]
    assert ArgumentAnswers.of(rows).label.tolist() == [LABELS.index("valid")]


def test_the_control_has_sides_too() -> None:
    outcomes = ArgumentAnswers.of([("chess", "valid", "valid"), ("poker", "valid", "valid")])
    assert outcomes.leaning.tolist() == [-1, 1]


def test_a_table_is_returned_as_it_is_and_an_empty_one_is_a_table() -> None:
    outcomes = ArgumentAnswers.of(RECORDS)
    assert ArgumentAnswers.of(outcomes) is outcomes
    assert ArgumentAnswers.of([]).n == ArgumentAnswers.of({"leaning": [], "gold": [], "label": []}).n == 0


def test_factors_are_kept_on_request_only() -> None:
    assert dict(ArgumentAnswers.of(RECORDS, factors=()).factors) == {}
    assert ArgumentAnswers.of(RECORDS, factors=["prompt"]).factor("prompt").levels == ("…",)
    with pytest.raises(AnswerTableError, match=r"'shots': found only leaning, gold, label; read .*factors="):
        ArgumentAnswers.of(RECORDS, factors=()).factor("shots")


def test_modes_and_selection() -> None:
    outcomes = ArgumentAnswers.of(RECORDS)
    assert outcomes.in_mode("corrected") is outcomes
    answered = outcomes.in_mode("paper")
    assert answered.n == 1
    assert answered.factor("shots").codes.tolist() == [0]
    with pytest.raises(AnswerTableError, match="mode: found 'papre', expected 'corrected' or 'paper'"):
        outcomes.in_mode("papre")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (3, "rows: found int, expected a table"),
        ("rows", "rows: found str, expected a table"),
        ([3], r"row 0: found 3, expected \(leaning, gold, label"),
        ([("left", "valid")], r"row 0: found \('left', 'valid'\), expected \(leaning, gold"),
        ([("left", "valid", None), ("left", "valid")], r"row 1: found \('left', 'valid'\), expected"),
        (
            [RECORDS[0], ("left", "valid", None)],
            r"row 1: found \('left', 'valid', None\), expected a mapping",
        ),
        ([RECORDS[0], {"gold": "valid"}], "row 1: found {'gold': 'valid'}, expected a mapping with the col"),
        (
            [{"leaning": "left", "gold": "valid"}],
            r"'label' \(or 'prediction' or 'pred'\): missing, found only",
        ),
        ({"gold": [], "label": []}, "column 'leaning': missing, found only gold, label"),
        ({**COLUMNS, "gold": ["valid"]}, "column 'gold': found 1 rows, expected 4 as in leaning"),
        ({**COLUMNS, "gold": "valid"}, "found 'valid' for a column, expected one value per row"),
        ([("left", "valid", "Valid")], "'label', row 0: found 'Valid', expected invalid or valid or refusal"),
        ([("left", "valid", ["valid"])], r"'label', row 0: found \['valid'\], expected"),
        ([("centre", "valid", None)], "'leaning', row 0: found 'centre', expected left or right"),
        ([("left", None, None)], "'gold', row 0: found None, expected invalid or valid"),
        ({**COLUMNS, "cluster_id": ["a", None, "a", "a"]}, "'cluster_id', row 1: found None, expected an id"),
        ({**COLUMNS, "kind": [[1]] * 4}, r"'kind', row 0: found \[1\], expected a single value"),
    ],
)
def test_errors_say_where_what_and_what_instead(rows: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ArgumentAnswers.of(rows)
    assert isinstance(caught.value, PolbiasError)
    assert "\n" not in str(caught.value)


def test_a_missing_factor_is_named() -> None:
    with pytest.raises(AnswerTableError, match="column 'colour': missing, found only leaning, gold"):
        ArgumentAnswers.of(RECORDS, factors=["colour"])


def test_levels_are_sorted_whatever_their_order_and_type() -> None:
    factor = CodedColumn.of(["b", 10, None, 2, float("nan"), "a", float("nan")])
    assert factor.levels == (2, 10, "a", "b", None)
    assert [factor.levels[code] for code in factor.codes] == ["b", 10, None, 2, None, "a", None]


def test_missing_values_of_a_data_frame_are_unparsable() -> None:
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series(["valid", pandas.NA, float("nan"), None], dtype="object")
    outcomes = ArgumentAnswers.of(pandas.DataFrame({**COLUMNS, "label": labels}))
    assert outcomes.label.tolist() == [1, 3, 3, 3]


def test_the_metrics_load_nothing_heavy() -> None:
    script = (
        "import sys, polbias.eval.partisan.analysis\n"
        "from polbias.eval.partisan.bias import bias_estimability, weighted_bias\n"
        "rows = [('left', 'valid', 'valid'), ('right', 'valid', 'valid')]\n"
        "weighted_bias(rows), bias_estimability(rows)\n"
        "print({'lm_eval', 'pandas', 'pyarrow', 'scipy', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
