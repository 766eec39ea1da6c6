"""Reports of which no figure is looked at: most of their time goes into figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from polbias.eval import plots

KINDS = ("arrows", "bars", "intervals", "plane", "stacked", "webs")
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


@contextmanager
def without_figures() -> Iterator[None]:
    """Draw none, for tests that look at none."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in KINDS:
            patch.setattr(plots, kind, lambda *what, **how: _EMPTY)
        yield
