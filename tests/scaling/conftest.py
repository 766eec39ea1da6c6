"""A small run of a real dataset, and what a test makes of it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from polbias.content_hash import BLOCK_ROWS
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.table_columns import make_dataset_spec
from polbias.generators.partisan.publication import XL_PUBLICATION
from polbias.generators.partisan.xl_tables import configs
from polbias.generators.partisan.xl_templates import load
from polbias.scaling.build import ShardedBuildResult, build_at_scale
from polbias.scaling.executors import EXECUTORS, Resources
from polbias.scaling.run import ScaledRun, plan_run

TABLES = 2
ROWS, SHARDS = TABLES * (BLOCK_ROWS + 16), 2 * TABLES


@pytest.fixture(scope="session")
def spec() -> DatasetSpec:
    large = load()
    tables = [config.table(ROWS // TABLES) for config in islice(configs(large), TABLES)]
    return make_dataset_spec(large.file, tables)


@pytest.fixture
def run(spec: DatasetSpec, tmp_path: Path) -> ScaledRun:
    """A run that has not begun."""
    return begin(spec, tmp_path / "out")


def begin(spec: DatasetSpec, out: Path | str, shards: int = SHARDS) -> ScaledRun:
    return plan_run(str(out), spec, ROWS, shards=shards)


def build(
    run: ScaledRun, executor: str = "inprocess", workers: int = 1, **options: object
) -> ShardedBuildResult:
    resources = Resources(workers, Path(run.storage.url) / ".run/logs", options)
    return build_at_scale(run, XL_PUBLICATION, EXECUTORS[executor], resources)


@pytest.fixture(scope="session")
def finished(spec: DatasetSpec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was built in this process."""
    run = begin(spec, tmp_path_factory.mktemp("finished"))
    build(run)
    return Path(run.storage.url)


def published(folder: Path) -> dict[str, bytes]:
    """The files of a dataset, without those of its run."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".run" not in path.relative_to(folder).parts
    }
