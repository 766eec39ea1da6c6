"""What the instrument calls things, from ``templates/report/selfassess.yaml``."""

from __future__ import annotations

from polbias.eval.report.words import Wording

NAME = "selfassess"
_WORDING = Wording(NAME)
say, called = _WORDING.say, _WORDING.called
