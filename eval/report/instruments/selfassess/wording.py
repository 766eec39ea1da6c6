"""What the instrument calls things, from ``templates/report/selfassess.yaml``."""

from __future__ import annotations

from polbias.eval.report.words import words

NAME = "selfassess"


def say(key: str, **values: object) -> str:
    """Return a sentence or a label.

    Args:
        key: id in the notices of the words.
        values: for the names in braces.
    """
    return words(NAME).notices[key].format(**values)


def called(kind: str, name: object) -> str:
    """Return what something is called; what the words do not know, such as a set of the user, keeps its name.

    Args:
        kind: what it is, such as ``"question"``.
        name: its name in the data.
    """
    return words(NAME).notices.get(f"{kind}_{name}", str(name))
