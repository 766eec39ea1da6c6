"""Power: the smallest bias that a design can detect, and how much a wanted precision takes.

Everything is computed before (or apart from) a run: from the numbers of clusters, items and answers and from
assumptions about how answers vary. Effects are fractions: times 100 they are percentage points.
"""

from polbias.eval.power.design import Shipped, instruments
from polbias.eval.power.designs import Assumptions, Design
from polbias.eval.power.detection import detectable, half_width, power
from polbias.eval.power.flips import flip_detectable, flip_power
from polbias.eval.power.needs import needed, needed_flip_clusters

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
