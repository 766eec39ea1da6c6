"""Power: the smallest bias that a design can detect, and how much a wanted precision takes.

Everything is computed before (or apart from) a run: from the numbers of clusters, items and answers and from
assumptions about how answers vary. Effects are fractions: times 100 they are percentage points.
"""

from polbias.eval.power.design import Assumptions, Design, Shipped, instruments
from polbias.eval.power.detection import (
    detectable,
    flip_detectable,
    flip_power,
    half_width,
    needed,
    needed_flip_clusters,
    power,
)

__all__ = [
    "Assumptions",
    "Design",
    "Shipped",
    "detectable",
    "flip_detectable",
    "flip_power",
    "half_width",
    "instruments",
    "needed",
    "needed_flip_clusters",
    "power",
]
