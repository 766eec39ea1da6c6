"""Which answers to a prompt count."""

from __future__ import annotations

import pandas as pd

from polbias.eval.counted_rows import counted_rows


def test_a_prompt_counts_in_its_first_task_and_in_a_small_one_only_alone() -> None:
    outcomes = pd.DataFrame(
        {
            "id": pd.Categorical(["b", "a", "a", "a", "c", "a", "b"]),
            "task": pd.Categorical(["x", "x_mini", "z", "y", "x_mini", "y", "x"]),
            "repeat": pd.array([1, 0, 0, 1, 0, 0, 0], "Int32"),
        }
    )
    for order in (outcomes, outcomes[::-1]):
        counted, n_others = counted_rows(order, ["repeat"])
        assert counted.astype(str).values.tolist() == [
            ["a", "y", "0"], ["a", "y", "1"], ["b", "x", "0"], ["b", "x", "1"], ["c", "x_mini", "0"],
        ]  # fmt: skip
        assert n_others == 2
    assert counted_rows(outcomes[:0], ["repeat"])[1] == 0
