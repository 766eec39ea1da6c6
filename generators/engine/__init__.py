"""Declarative specifications to Parquet: products, shards, builds."""

from polbias.generators.engine.build import Built, build_dataset, current_build
from polbias.generators.engine.files import Shard, run_shard
from polbias.generators.engine.rows import Rows
from polbias.generators.engine.sampled import named_rng
from polbias.generators.engine.spec import (
    Constant,
    Copy,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    Filled,
    Join,
    Listing,
    Lookup,
    Sample,
    Struct,
    TableSpec,
)

__all__ = [
    "Built",
    "Constant",
    "Copy",
    "DatasetSpec",
    "Exclusion",
    "Expression",
    "Factor",
    "Filled",
    "Join",
    "Listing",
    "Lookup",
    "Rows",
    "Sample",
    "Shard",
    "Struct",
    "TableSpec",
    "build_dataset",
    "current_build",
    "named_rng",
    "run_shard",
]
