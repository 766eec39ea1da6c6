"""The published folder of ProbVAA (Ceron et al., 2024): reading a user's own copy, and auditing it."""

from polbias.generators.auditing.probvaa.folder import audit, load

__all__ = ["audit", "load"]
