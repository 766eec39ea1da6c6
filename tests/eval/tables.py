"""Hand-made and random tables of answers for the tests of the metrics."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

Row = tuple[str, str, str]

OPPOSITE = {"left": "right", "right": "left"}
SIDES = st.sampled_from(["left", "right"])
JUDGEMENTS = st.sampled_from(["valid", "invalid"])
LABELS = st.sampled_from(["valid", "invalid", "refusal", "unparsable", "truncated"])

answers = st.lists(st.tuples(SIDES, JUDGEMENTS, LABELS), max_size=40)
"""Tables of any shape, empty ones and ones of a single side included."""
judged_pairs = st.lists(st.tuples(JUDGEMENTS, JUDGEMENTS, JUDGEMENTS), min_size=1, max_size=30).map(
    lambda pairs: [
        row for gold, left, right in pairs for row in (("left", gold, left), ("right", gold, right))
    ]
)
"""Tables with sides of equal number, all answered."""


def expand(counts: Mapping[Row, int]) -> list[Row]:
    """The rows of a table that is given by how often each row occurs."""
    return [row for row, count in counts.items() for _ in range(count)]


WORKED_EXAMPLE = expand(
    {
        ("right", "invalid", "valid"): 100,
        ("right", "valid", "invalid"): 30,
        ("right", "valid", "valid"): 470,
        ("right", "invalid", "invalid"): 400,
        ("left", "invalid", "valid"): 150,
        ("left", "valid", "invalid"): 45,
        ("left", "valid", "valid"): 455,
        ("left", "invalid", "invalid"): 350,
    }
)
"""Gubelmann and Karray, section 4 "Bias Metrics"."""
