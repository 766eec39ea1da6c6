"""What all tests share: hypothesis without deadlines (first calls import heavy modules), the built tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from filelock import FileLock
from hypothesis import settings

from polbias.files import PolbiasError
from polbias.generators.engine import DatasetSpec, Rows

settings.register_profile("polbias", deadline=None, derandomize=True)
settings.load_profile("polbias")

_LONGEST = (
    "cli/test_commands.py", "golden/test_tasks.py", "report/test_demo.py", "faults/test_campaign.py",
    "test_uses.py", "report/test_calibration.py", "report/test_states.py",
    "golden/test_report.py", "report/test_country.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: none is left to one worker at the end."""
    place = {Path(__file__).parent / name: number for number, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Answers on file are those of this run of the tests; what libraries keep stays where it is."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in (("MPLCONFIGDIR", "matplotlib"), ("HF_HOME", "huggingface")):
            if name not in os.environ:
                patch.setenv(name, str(kept / folder))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@contextmanager
def shared(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder of this run of the tests; one worker at a time looks whether it is filled, and fills it."""
    worker = "PYTEST_XDIST_WORKER" in os.environ
    folder = (factory.getbasetemp().parent if worker else factory.getbasetemp()) / name
    with FileLock(folder.with_suffix(".lock")):
        folder.mkdir(exist_ok=True)
        yield folder


@pytest.fixture(scope="session")
def partisan() -> DatasetSpec:
    """The specification of the partisan dataset."""
    from polbias.generators.partisan.tables import dataset

    return dataset()


@pytest.fixture(scope="session")
def partisan_tables(partisan: DatasetSpec) -> Mapping[tuple[str, str], pa.Table]:
    """All its tables in memory, by config and split."""
    tables = {}
    for spec in partisan.tables:
        rows = Rows(spec)
        tables[spec.config, spec.split] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)
    return tables


@pytest.fixture(scope="session")
def partisan_build(tmp_path_factory: pytest.TempPathFactory, partisan: DatasetSpec) -> Path:
    """A folder of builds with the partisan dataset in it."""
    from polbias.publishing.card import build

    out = tmp_path_factory.mktemp("builds")
    build("partisan-inference", out)
    return out


@pytest.fixture(scope="session")
def normative() -> DatasetSpec:
    """The specification of the normative dataset."""
    from polbias.generators.normative.tables import dataset

    return dataset()


@pytest.fixture(scope="session")
def normative_build(tmp_path_factory: pytest.TempPathFactory, normative: DatasetSpec) -> Path:
    """A folder of builds with the normative dataset in it."""
    from polbias.publishing.card import build

    out = tmp_path_factory.mktemp("normative")
    build("normative-reasoning", out)
    return out


@pytest.fixture(scope="session")
def all_builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with all datasets: that of the checkout where it is the published data."""
    from polbias import registry
    from polbias.files import checkout
    from polbias.manifest import differences, read_lock, read_manifest
    from polbias.publishing.card import build

    place = (checkout() or Path()) / "build" / "datasets"
    lock = read_lock()
    try:
        if not any(differences(read_manifest(place / name), lock[name]) for name in registry.names()):
            return place
    except (KeyError, PolbiasError):
        pass  # something is not built, or not as it is published
    with shared(tmp_path_factory, "all-builds") as place:
        for name in registry.names():
            if not (place / name / "manifest.json").is_file():
                build(name, registry.publication(name).specify(), place)
    return place
