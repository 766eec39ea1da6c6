"""Reading a table of answers, whatever it comes in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from polbias.errors import PolbiasError
from polbias.eval.answer_frames import AnswerTableError
from polbias.eval.partisan.answers import DESIGN, LABELS, argument_answers
from polbias.eval.partisan.bias import unweighted_bias, weighted_bias

COLUMNS: dict[str, list[Any]] = {
    "leaning": ["left", "right", "left", "right"],
    "gold": ["valid", "valid", "invalid", "invalid"],
    "label": ["valid", "refusal", None, "truncated"],
    "cluster_id": ["b", "b", "a", "a"],
    "pair_id": [7, 7, 3, 3],
    "negated": [True, True, False, False],
    "prompt": ["…"] * 4,
}
RECORDS = [dict(zip(COLUMNS, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)]


@pytest.mark.parametrize(
    "rows",
    [
        lambda: RECORDS,
        lambda: iter(RECORDS),
        lambda: COLUMNS,
        lambda: {name: np.array(values) for name, values in COLUMNS.items()},
        lambda: pa.table(COLUMNS),
        lambda: pa.table(COLUMNS).to_batches()[0],
        lambda: pd.DataFrame(COLUMNS),
        lambda: pd.DataFrame(COLUMNS).astype({"label": "category", "gold": "string"}),
        lambda: argument_answers(COLUMNS),
    ],
)
def test_every_kind_of_table_reads_the_same(rows: Callable[[], Any]) -> None:
    answers = argument_answers(rows())
    assert answers["leaning"].cat.codes.tolist() == [0, 1, 0, 1]
    assert answers["gold"].cat.codes.tolist() == [1, 1, 0, 0]
    assert answers["label"].tolist() == ["valid", "refusal", "unparsable", "truncated"]
    assert tuple(answers["label"].cat.categories) == LABELS
    assert answers["cluster_id"].tolist() == ["b", "b", "a", "a"]
    assert answers["cluster_id"].cat.categories.tolist() == ["a", "b"]
    assert answers["pair_id"].tolist() == [7, 7, 3, 3]
    assert answers["negated"].tolist() == [True, True, False, False]
    assert [*answers.columns] == ["leaning", "gold", "label", "cluster_id", "pair_id", *DESIGN]


def test_a_design_column_that_is_not_there_has_one_level() -> None:
    assert {name: argument_answers(RECORDS)[name].nunique() for name in DESIGN} == {
        name: 2 if name == "negated" else 1 for name in DESIGN
    }


def test_tuples_with_and_without_a_cluster() -> None:
    answers = argument_answers([("left", "valid", None), ("right", "invalid", "valid")])
    assert answers["label"].tolist() == ["unparsable", "valid"]
    assert answers["cluster_id"].nunique() == 2
    clustered = argument_answers([["left", "valid", None, "a"], ["right", "invalid", "valid", "a"]])
    assert clustered["cluster_id"].tolist() == clustered["pair_id"].tolist() == ["a", "a"]


@pytest.mark.parametrize("alias", ["prediction", "pred"])
def test_aliases_of_the_label(alias: str) -> None:
    rows = [{"leaning": "left", "gold": "valid", alias: "valid"}]
    assert argument_answers(rows)["label"].tolist() == ["valid"]


def test_the_control_has_sides_too() -> None:
    answers = argument_answers([("chess", "valid", "valid"), ("poker", "valid", "valid")])
    assert answers["leaning"].tolist() == ["left", "right"]


def test_a_table_without_rows_is_a_table() -> None:
    for rows in ([], {"leaning": [], "gold": [], "label": []}, argument_answers(RECORDS)[:0]):
        assert len(argument_answers(rows)) == 0


def test_a_mode_that_there_is_not_is_refused() -> None:
    for score in (weighted_bias, unweighted_bias):
        with pytest.raises(AnswerTableError, match=r"mode.*'papre'.*'corrected'.*'paper'"):
            score(RECORDS, "papre")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (3, "rows.*int"),
        ("rows", "rows.*str"),
        ([3], "row 0.* 3.*leaning, gold, label"),
        ([("left", "valid")], r"row 0.*\('left', 'valid'\).*leaning, gold"),
        ([("left", "valid", None), ("left", "valid")], r"row 1.*\('left', 'valid'\)"),
        ([RECORDS[0], ("left", "valid", None)], r"row 1.*\('left', 'valid', None\).*mapping"),
        ([RECORDS[0], {"gold": "valid"}], "row 1.*{'gold': 'valid'}.*columns of the first row"),
        ([{"leaning": "left", "gold": "valid"}], "'label'.*'prediction'.*'pred'.*only leaning, gold"),
        ({"gold": [], "label": []}, "'leaning'.*missing.*only gold, label"),
        ({**COLUMNS, "gold": ["valid"]}, "'gold'.* 1 rows.* 4 "),
        ({**COLUMNS, "gold": "valid"}, "'valid'.*one value per row"),
        ([("left", "valid", "Valid")], "'label', row 0.*'Valid'.*invalid or valid or refusal"),
        ([("left", "valid", ["valid"])], r"'label', row 0.*\['valid'\]"),
        ([("centre", "valid", None)], "'leaning', row 0.*'centre'.*left or right"),
        ([("left", None, None)], "'gold', row 0.*None.*invalid or valid"),
        ({**COLUMNS, "cluster_id": ["a", None, "a", "a"]}, "'cluster_id', row 1.*None.*identifier"),
        ({**COLUMNS, "pair_id": ["a", "a", "a", None]}, "'pair_id', row 3.*None.*identifier"),
        ({**COLUMNS, "config": [[1]] * 4}, r"'config', row 0.*\[1\].*single value"),
    ],
)
def test_errors_name_column_and_row_and_what_is_expected(rows: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        weighted_bias(rows)
    assert isinstance(caught.value, PolbiasError)
    assert "\n" not in str(caught.value)


def test_missing_values_of_a_data_frame_are_unparsable() -> None:
    labels = pd.Series(["valid", pd.NA, float("nan"), None], dtype="object")
    answers = argument_answers(pd.DataFrame({**COLUMNS, "label": labels}))
    assert answers["label"].tolist() == ["valid", "unparsable", "unparsable", "unparsable"]


def test_the_scores_load_nothing_heavy() -> None:
    script = (
        "import sys, polbias.eval.partisan.analysis\n"
        "from polbias.eval.partisan.bias import weighted_bias\n"
        "weighted_bias([('left', 'valid', 'valid'), ('right', 'valid', 'valid')])\n"
        "print({'lm_eval', 'matplotlib', 'scipy', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
