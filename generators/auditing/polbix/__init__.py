"""The published files of PolBiX (Jakob et al., 2025): reading a user's own copy, and auditing it."""

from polbias.generators.auditing.polbix.audit import (
    CODES,
    INFORMATION,
    NOT_MINIMAL,
    audit,
    defective_ids,
    defects,
)
from polbias.generators.auditing.polbix.files import Polbix, load

__all__ = ["CODES", "INFORMATION", "NOT_MINIMAL", "Polbix", "audit", "defective_ids", "defects", "load"]
