"""The published folder of ProbVAA (Ceron et al., 2024): reading a user's own copy, and auditing it."""

from polbias.generators.auditing.probvaa.folder import Probvaa, load
from polbias.generators.sources.probvaa.audit import audit
from polbias.generators.sources.probvaa.defects import CODES, defects

__all__ = ["CODES", "Probvaa", "audit", "defects", "load"]
