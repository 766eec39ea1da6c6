"""What the instrument calls things, from ``templates/report/partisan.yaml``."""

from __future__ import annotations

from polbias.eval.report.words import words

NAME = "partisan"


def say(key: str, **values: object) -> str:
    """Return a sentence or a label.

    Args:
        key: id in the notices of the words.
        values: for the names in braces.
    """
    return words(NAME).notices[key].format(**values)


def examples(shots: int) -> str:
    """Return a number of few-shot examples in words."""
    return say("examples", count=shots) if shots else say("examples_none")


def called(kind: str, name: object) -> str:
    """Return what something is called; what the words do not know, such as a new country, keeps its name.

    Args:
        kind: what it is, such as ``"config"``.
        name: its name in the data.
    """
    return words(NAME).notices.get(f"{kind}_{name}", str(name))
