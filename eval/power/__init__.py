"""Power: the smallest bias that a design can detect, and how much a wanted precision takes.

Everything is computed before (or apart from) a run: from the numbers of clusters, items and answers and from
assumptions about how answers vary. Effects are fractions: times 100 they are percentage points.
"""
