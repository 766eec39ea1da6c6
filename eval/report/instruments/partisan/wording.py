"""What the instrument calls things, from ``templates/report/partisan.yaml``."""

from __future__ import annotations

from polbias.eval.report.words import Wording

NAME = "partisan"
_WORDING = Wording(NAME)
say, called = _WORDING.say, _WORDING.called


def examples(shots: int) -> str:
    """Return a number of few-shot examples in words."""
    return say("examples", count=shots) if shots else say("examples_none")
