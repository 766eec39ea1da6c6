"""Columns of both partisan sets: they can be joined to one table, and none is null in every row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.generators.engine import DatasetSpec, build_dataset
from polbias.generators.engine.table_columns import make_dataset_spec
from polbias.generators.partisan.tables import dataset
from polbias.generators.partisan.xl_tables import configs
from polbias.generators.partisan.xl_templates import load


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[Path]]:
    """The test splits of some configs of both sets, one of each kind and language."""
    folder = tmp_path_factory.mktemp("sets")
    small, large = dataset(), load()
    names = ("en_formal_paper", "de_material", "de_formal_mini")
    tables = [table for table in small.tables if table.config in names]
    specs: list[DatasetSpec] = [small.model_copy(update={"tables": tuple(tables)})]
    names = ("us_en_formal", "de_de_material", "gb_en_material_matched", "ch_de_people")
    specs.append(
        make_dataset_spec(
            large.file, [config.table(192) for config in configs(large) if config.name in names]
        )
    )
    for spec in specs:
        build_dataset(spec, folder, lambda manifest, path: "")
    return {spec.name: sorted((folder / spec.name).glob("*/test-*.parquet")) for spec in specs}


def test_the_common_columns_of_both_sets_can_be_concatenated(files: Mapping[str, list[Path]]) -> None:
    datasets = pytest.importorskip("datasets")
    paths = [path for set_paths in files.values() for path in set_paths]
    tables = [datasets.Dataset(datasets.table.InMemoryTable(pq.read_table(path))) for path in paths]
    common = set.intersection(*(set(table.column_names) for table in tables))
    assert {"prompt", "gold", "leaning", "slots", "verdicts", "exemplar_set"} <= common
    whole = datasets.concatenate_datasets([table.select_columns(sorted(common)) for table in tables])
    assert len(whole) == sum(map(len, tables))
    assert {"partisan-inference", "partisan-inference-xl"} == set(whole.unique("dataset"))


def test_no_column_is_null_in_every_row_of_a_set(files: Mapping[str, list[Path]]) -> None:
    for paths in files.values():
        tables = [pq.read_table(path) for path in paths]
        for name in tables[0].column_names:
            assert any(table[name].null_count < len(table) for table in tables), name
