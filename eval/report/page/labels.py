"""Names of respondents that fit beside a figure."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH = 34  # letters


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return labels of respondents for a figure.

    Of a name that is too long, what stands before the last slash is left out, then the middle; unless two
    respondents would become the same.

    Args:
        names: of all respondents of the figure, distinct.

    Returns:
        Name to label.
    """
    labels = list(names)
    for shorter in (_without_owner, _elided):
        tried = [label if len(label) <= _WIDTH else shorter(label) for label in labels]
        labels = tried if len(set(tried)) == len(set(names)) else labels
    return dict(zip(names, labels, strict=True))


def _without_owner(name: str) -> str:
    return name.rsplit("/", 1)[-1] or name


def _elided(name: str) -> str:
    half = (_WIDTH - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
