"""Clusters for tests: Slurm and Ray, each of one node on the loopback interface with two cores."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.engines import ray, slurm
from tests.engines.builds import build, published

CORES = 2


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The SHA-256 of every file that a build in one process leaves."""
    out = tmp_path_factory.mktemp("inprocess")
    done = build(out, "inprocess")
    assert done.returncode == 0, done.stderr
    return published(out)


@pytest.fixture(scope="session")
def slurm_cluster() -> Iterator[Mapping[str, str]]:
    """The variables of a Slurm cluster."""
    if missing := slurm.missing():
        pytest.skip(f"Slurm is not installed: no {', '.join(missing)}; see tests/engines/install_slurm.sh")
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, slurm.cluster(Path(folder), CORES) as env:
        yield env


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Mapping[str, str]]:
    """The variables of a Ray cluster that is there before a build and after it."""
    if ray.missing():
        pytest.skip("ray is not installed: see requirements/scale.txt")
    with tempfile.TemporaryDirectory(prefix="ray-") as folder, ray.cluster(Path(folder), CORES) as env:
        yield env


@pytest.fixture(params=["slurm", "ray"])
def engine(request: pytest.FixtureRequest) -> tuple[str, Mapping[str, str]]:
    """The name of an executor, and the variables under which it finds its cluster."""
    return request.param, request.getfixturevalue(f"{request.param}_cluster")
