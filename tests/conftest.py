"""What all tests share: hypothesis without deadlines (first calls import heavy modules), the built tables."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from filelock import FileLock
from hypothesis import settings

from polbias import safe_text
from polbias.errors import PolbiasError
from polbias.generators.engine import DatasetSpec, TableRows
from tests.support.figures import draw_once, without_figures

settings.register_profile("polbias", deadline=None, derandomize=True)
settings.load_profile("polbias")
gc.set_threshold(50_000, 20, 20)  # as the command line does

_LONGEST = (
    "golden/test_report.py", "golden/test_tasks.py", "cli/test_commands.py", "report/test_demo.py", "faults/test_campaign.py",
    "test_uses.py", "report/test_calibration.py", "report/test_states.py",
    "report/test_country.py",
)  # fmt: skip


draw_once()  # tests make many reports of the same answers


@pytest.fixture
def no_figures() -> Iterator[None]:
    """For tests that look at no figure."""
    with without_figures():
        yield


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


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test gave as a key is a word like others in the next one."""
    monkeypatch.setattr(safe_text, "_secrets", safe_text.Secrets())


def pytest_runtest_setup() -> None:
    """Once they are imported: our task files are indexed once, and nobody looks through the whole machine."""
    index, torch, log = (
        sys.modules.get(name)
        for name in ("lm_eval.tasks._index", "torch.utils.collect_env", "inspect_ai._eval.task.log")
    )
    if torch:
        torch.get_pretty_env_info = lambda: "a machine"
    if log:  # reads the metadata of all that is installed, for every task
        log.get_distribution_for_object = lambda task: None
    if index and index.TaskIndex.build.__module__ != __name__:
        made = index.TaskIndex.build
        ours, indexed = Path(__file__).parents[1] / "harness_tasks", cache(lambda path: made([path]))

        def build(paths: Iterable[Path], **how: bool) -> dict[str, Any]:
            paths = [*paths]
            alone = [path.resolve() for path in paths] == [ours]
            return {**indexed(*paths)} if alone else made(paths, **how)

        index.TaskIndex.build = staticmethod(build)


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
        rows = TableRows(spec)
        tables[spec.config, spec.split] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)
    return tables


@pytest.fixture(scope="session")
def partisan_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with the partisan dataset in it."""
    return _builds(tmp_path_factory, "partisan-inference")


@pytest.fixture(scope="session")
def normative() -> DatasetSpec:
    """The specification of the normative dataset."""
    from polbias.generators.normative.tables import dataset

    return dataset()


@pytest.fixture(scope="session")
def normative_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with the normative dataset in it."""
    return _builds(tmp_path_factory, "normative-reasoning")


@pytest.fixture(scope="session")
def ladder_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with the ladder in it."""
    return _builds(tmp_path_factory, "partisan-inference-ladder")


@pytest.fixture(scope="session")
def all_builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of builds with all datasets."""
    from polbias import registry

    return _builds(tmp_path_factory, *registry.dataset_names())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout."""
    from tests.support.wheel import build_wheel

    with shared(tmp_path_factory, "wheel") as folder:
        return next(folder.glob("*.whl"), None) or build_wheel(folder)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny local model; a test that changes it saves one of its own."""
    from tests.support.tiny_model import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def _builds(factory: pytest.TempPathFactory, *names: str) -> Path:
    """A folder of builds: those of the checkout where they are the published data, else made once a run."""
    from polbias.lock import lock_differences, read_lock
    from polbias.manifest import read_manifest
    from polbias.paths import checkout_root
    from polbias.publishing.card import build

    with shared(factory, f"builds-{len(names)}-{names[0]}") as place:
        for name in names:
            if (place / name / "manifest.json").is_file():
                continue
            made = (checkout_root() or Path()) / "build" / "datasets" / name
            try:
                published = not lock_differences(read_manifest(made), read_lock()[name])
            except (KeyError, PolbiasError):
                published = False
            if published:
                shutil.copytree(made, place / name)
            else:
                build(name, place)
    return place
