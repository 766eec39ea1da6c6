"""The report: from logged samples to estimates, tests, verdicts and a page."""

MARGIN = 5.0
"""Default equivalence margin, in percentage points."""
