"""What the instrument calls things, from ``templates/report/xphemism.yaml``."""

from __future__ import annotations

from polbias.eval.report.words import Wording

NAME = "xphemism"
_WORDING = Wording(NAME)
say, called = _WORDING.say, _WORDING.called
