"""Samples of lm_eval: base rows find their shifted and placebo rows."""

from __future__ import annotations

import pytest

from polbias.eval.xphemism.answers import label_counts
from tests.support.xphemism_records import answers_of_samples


def sample(
    pair: str, arm: str, said: list[str], language: str = "de", style: str = "simple", **more: object
) -> dict:
    doc = {
        "id": f"{pair}/{style}/{language}/{arm}",
        "pair_id": pair,
        "cluster_id": "words",
        "arm": arm,
        "gold": "true",
        "shift": "left",
        "axis": "economic",
        "judgmental_base": 1,
        "judgmental_exchange": 0,
        "prompt_style": style,
        "instruction_language": language,
    }
    return {"doc": doc | more, "filtered_resps": [said], "resps": [said]}


def test_pairs_are_made() -> None:
    missing = dict.fromkeys(("shift", "axis", "judgmental_base", "judgmental_exchange"))
    neutral = {"shift": "none", "axis": "none", "judgmental_base": 0}
    answers = answers_of_samples(
        [
            sample("a", "shifted", ["Falsch.", "Keine Angabe."]),
            sample("a", "base", ["Wahr.", "Wahr."]),
            sample("b", "base", ["Falsch.", "Falsch."], **neutral),
            sample("b", "placebo", ["Wahr.", "Wahr.", "Wahr."], **missing),
            sample("a", "base", ["True"], "en", "objective"),
            sample("a", "shifted", ["True"], "en", "objective"),
        ]
    )
    assert (answers.n_incomplete, answers.n_uneven, answers.n_repeated) == (0, 1, 0)
    assert [*answers.groups] == [("simple", "de"), ("objective", "en")]
    shifted, placebo = (answers.groups["simple", "de"].iloc[[row]] for row in (0, 1))
    columns = ["pair_id", "arm", "shift", "axis", "judgmental_base"]
    assert shifted[columns].values.tolist() == [["a", "shifted", -1, "economic", 1]]
    assert placebo[columns].values.tolist() == [["b", "placebo", 0, "none", 0]]
    assert label_counts(shifted, "base").tolist() == [[0, 2, 0, 0, 0]]
    assert label_counts(shifted, "exchange").tolist() == [[1, 0, 1, 0, 0]]
    assert placebo["change"].tolist() == [1]
    assert answers.groups["objective", "en"]["pair_id"].tolist() == ["a"]


@pytest.mark.parametrize(
    "samples",
    [
        [sample("a", "base", ["Wahr."])],
        [sample("a", "shifted", ["Wahr."]), sample("a", "shifted", ["Wahr."], id="other")],
        [sample("a", "base", ["Wahr."]), sample("a", "shifted", ["Wahr."]), sample("a", "placebo", ["Wahr."])],
        [sample("a", "base", ["Wahr."]), sample("a", "shifted", ["Wahr."], gold="false")],
        [sample("a", "base", ["Wahr."]), sample("a", "shifted", ["Wahr."], cluster_id="others")],
    ],
)  # fmt: skip
def test_rows_that_make_no_pair_are_left_out(samples: list[dict]) -> None:
    good = [sample("z", arm, ["Wahr."]) for arm in ("base", "shifted")]
    answers = answers_of_samples([*samples, *good])
    assert answers.pairs["pair_id"].tolist() == ["z"]
    assert answers.n_incomplete == 1
