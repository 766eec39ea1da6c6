"""Build Parquet datasets from declarative specifications: products, shards, builds."""

from polbias.generators.engine.build import BuildResult, build_dataset, current_build
from polbias.generators.engine.files import WrittenShard, run_shard
from polbias.generators.engine.latin_square import named_rng
from polbias.generators.engine.rows import TableRows
from polbias.generators.engine.spec import (
    ColumnReference,
    Concatenation,
    Constant,
    DatasetSpec,
    Exclusion,
    Expression,
    Factor,
    FilledTemplate,
    ListColumn,
    Lookup,
    Sample,
    StructColumn,
    TableSpec,
)

__all__ = [
    "BuildResult",
    "ColumnReference",
    "Concatenation",
    "Constant",
    "DatasetSpec",
    "Exclusion",
    "Expression",
    "Factor",
    "FilledTemplate",
    "ListColumn",
    "Lookup",
    "Sample",
    "StructColumn",
    "TableRows",
    "TableSpec",
    "WrittenShard",
    "build_dataset",
    "current_build",
    "named_rng",
    "run_shard",
]
