"""The published files of PolBiX (Jakob et al., 2025): reading a user's own copy, and auditing it."""

from polbias.generators.auditing.polbix.audit import audit, defective_ids

__all__ = ["audit", "defective_ids"]
