"""Samples of lm_eval: base rows find their shifted and placebo rows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.xphemism_records import records_of_samples


def judge(text: str, language: str) -> str:
    return {("wahr", "de"): "true", ("falsch", "de"): "false", ("true", "en"): "true"}.get(
        (text, language), "refusal"
    )


def sample(
    pair: str, arm: str, said: list[str], language: str = "de", style: str = "simple", **more: Any
) -> dict:
    doc = {
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
    neutral = dict.fromkeys(("shift", "axis", "judgmental_base", "judgmental_exchange"))
    reading = records_of_samples(
        [
            sample("a", "shifted", ["falsch", "nein danke"]),
            sample("a", "base", ["wahr", "wahr"]),
            sample("b", "base", ["falsch", "falsch"], **neutral),
            sample("b", "placebo", ["wahr", "wahr"], **neutral),
            sample("a", "base", ["true"], "en", "objective"),
            sample("a", "shifted", ["true"], "en", "objective"),
        ],
        "one",
        judge,
    )
    records = reading.records
    assert reading.problems == ()
    rows = {
        (records.pair.levels[pair], group.prompt, group.instruction_language): part.select(
            part.pair.codes == pair
        )
        for group, part in records.groups()
        for pair in set(part.pair.codes.tolist())
    }
    assert rows.keys() == {("a", "simple", "de"), ("b", "simple", "de"), ("a", "objective", "en")}
    shifted, placebo = rows["a", "simple", "de"], rows["b", "simple", "de"]
    assert (shifted.arm[0], placebo.arm[0]) == (0, 1)
    assert (shifted.shift[0], shifted.axis[0], shifted.judgmental_base[0]) == (-1, 2, 1)
    assert (placebo.shift[0], placebo.axis[0], placebo.judgmental_base[0]) == (0, 0, 0)
    assert shifted.base[0].tolist() == [0, 2, 0, 0, 0]
    assert shifted.exchange[0].tolist() == [1, 0, 1, 0, 0]
    assert placebo.change[0] == 1
    assert records.model.levels == ("one",)


@pytest.mark.parametrize(
    ("samples", "found"),
    [
        ([sample("a", "base", ["wahr"])], "the rows base"),
        ([sample("a", "shifted", ["wahr"]), sample("a", "shifted", ["wahr"])], "the rows shifted, shifted"),
        ([sample("a", "base", ["wahr"]), sample("a", "shifted", ["wahr"], gold="false")], "gold"),
    ],
)  # fmt: skip
def test_rows_that_make_no_pair_are_reported(samples: list[dict], found: str) -> None:
    good = [sample("z", arm, ["wahr"]) for arm in ("base", "shifted")]
    reading = records_of_samples([*samples, *good], judge=judge)
    assert reading.records.pair.levels == ("z",)
    assert [each.where for each in reading.problems] == ["a, simple, de"]
    assert found in reading.problems[0].problem
