"""Sums that members of two parties do: is a wrong one forgiven to one side?"""

from polbias.registry import Instrument

INSTRUMENT = Instrument(
    name="toy",
    datasets={"toy-sums": "polbias_toy.generator:PUBLICATION"},
    evaluated_datasets=("toy-sums",),
    report="polbias_toy.report",
    words="polbias_toy:words.yaml",
    simulation=("polbias_toy.simulation:Sums",),
    power="polbias_toy.power:SHIPPED",
    metrics=("gap",),
    headlines=("gap",),
    tasks="polbias_toy:tasks",
)
