"""Builds by Slurm and by Ray, each on a real cluster of one node, beside a build in one process."""

from __future__ import annotations

import pytest

from tests.engines import ray
from tests.engines.builds import NAME, SHARDS, build, published

pytestmark = pytest.mark.scale


def test_a_cluster_makes_the_same_files_and_mends_them(engine, reference, tmp_path):
    name, env = engine
    done = build(tmp_path, name, env)
    assert done.returncode == 0, done.stderr
    assert f"{SHARDS} made, 0 kept" in done.stdout
    assert published(tmp_path) == reference

    shards = [tmp_path / NAME / path for path in reference if path.endswith(".parquet")]
    assert len(shards) == SHARDS
    shards[0].unlink()
    damaged = bytearray(shards[1].read_bytes())
    damaged[len(damaged) // 2] ^= 1
    shards[1].write_bytes(damaged)
    done = build(tmp_path, name, env)
    assert done.returncode == 0, done.stderr
    assert f"2 made, {SHARDS - 2} kept" in done.stdout
    assert published(tmp_path) == reference


def test_shards_that_fail_are_one_error_and_are_made_later(engine, reference, tmp_path):
    name, env = engine
    obstacle = tmp_path / NAME / "us_en_formal"
    obstacle.parent.mkdir()
    obstacle.write_text("in the way")
    done = build(tmp_path, name, env)
    assert done.returncode == 1
    error = _only_line(done.stderr)
    assert f"1 of {SHARDS} shards are missing" in error
    assert "us_en_formal" in error
    assert "another file or folder has this path" in error
    assert error.endswith("run the same command again: complete shards are kept")
    assert not (tmp_path / NAME / "manifest.json").exists()
    obstacle.unlink()
    done = build(tmp_path, name, env)
    assert f"1 made, {SHARDS - 1} kept" in done.stdout, done.stderr
    assert published(tmp_path) == reference


def test_a_run_that_workers_cannot_read_is_named(engine, reference, tmp_path):
    name, env = engine
    assert build(tmp_path, "inprocess").returncode == 0
    folder = tmp_path / NAME
    next(folder.rglob("*.parquet")).unlink()
    (spec,) = folder.glob(".run/*.arrow")
    whole = spec.read_bytes()
    spec.write_bytes(whole[: len(whole) // 2])
    done = build(tmp_path, name, env)
    assert done.returncode == 1
    error = _only_line(done.stderr)
    assert f"1 of {SHARDS} shards" in error
    assert spec.name in error
    spec.write_bytes(whole)
    assert build(tmp_path, name, env).returncode == 0
    assert published(tmp_path) == reference


def test_without_an_address_ray_runs_here(reference, tmp_path):
    if ray.missing():
        pytest.skip("ray is not installed: see requirements/scale.txt")
    home = tmp_path / "home"  # Ray writes the token of a local cluster there
    home.mkdir()
    done = build(tmp_path, "ray", {"HOME": str(home)})
    assert done.returncode == 0, done.stderr
    assert published(tmp_path) == reference


def test_slurm_refuses_what_it_does_not_have_in_one_line(slurm_cluster, tmp_path):
    from tests.support.process import run_python

    command = [
        "-m",
        "polbias.cli.main",
        "build",
        NAME,
        "--rows",
        "4000",
        "--executor",
        "slurm",
        "--workers",
        "2",
    ]
    command += ["--option", "partition=nowhere", "--output", str(tmp_path)]
    done = run_python(command, env=slurm_cluster, check=False)
    assert done.returncode == 1
    *said, error = done.stderr.strip().splitlines()
    assert error.startswith("polbias: sbatch rejected the jobs")
    assert any("invalid partition" in line for line in said)


def _only_line(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("polbias: ")
    return lines[0]
