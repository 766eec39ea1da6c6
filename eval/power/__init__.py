"""Power: the minimum detectable bias of a design, and the sizes that a target precision requires.

No run is needed: the inputs are the numbers of clusters, items and answers, and assumptions about the
variance of answers. Effects are fractions; multiply by 100 for percentage points.
"""
