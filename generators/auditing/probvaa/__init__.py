"""The published folder of ProbVAA (Ceron et al., 2024): reading a user's own copy, and auditing it."""

from polbias.generators.auditing.probvaa.folder import CODES, Probvaa, audit, defects, load

__all__ = ["CODES", "Probvaa", "audit", "defects", "load"]
