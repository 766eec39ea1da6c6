"""From logged samples to a report that one can trust."""

MARGIN = 5.0
"""Percentage points within which an effect counts as none, unless another margin is given."""
