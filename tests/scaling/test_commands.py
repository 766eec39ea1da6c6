"""`polbias build` with the options of scale."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from polbias.cli.build_scaled import parse_executor_options
from polbias.cli.main import app
from polbias.errors import InputError, PolbiasError
from polbias.generators.partisan import publication
from tests.scaling.conftest import ROWS, SHARDS, published

NAME = "partisan-inference-xl"


def _call(*arguments: str):
    return CliRunner().invoke(app, ["build", *arguments])


@pytest.fixture
def specified(spec, monkeypatch):
    """The specification without the time that it takes."""
    given = replace(
        publication.XL_PUBLICATION,
        build_spec=lambda templates=None, rows=None, unpublished=False: spec,
        template_folder=None,
    )
    monkeypatch.setattr(publication, "XL_PUBLICATION", given)


@pytest.mark.usefixtures("specified")
def test_a_build_in_shards_and_what_it_says(tmp_path, finished):
    options = ("--rows", str(ROWS), "--shards", str(SHARDS), "--output", str(tmp_path))
    first, again = _call(NAME, *options), _call(NAME, *options)
    assert first.exit_code == again.exit_code == 0, first.output
    assert f"{ROWS:,} rows in {SHARDS} shards, {SHARDS} made, 0 kept" in first.output
    assert f"0 made, {SHARDS} kept" in again.output
    assert published(tmp_path / NAME) == published(finished)


@pytest.mark.usefixtures("specified")
def test_a_plan_says_rows_shards_and_bytes_and_builds_nothing(tmp_path):
    done = _call(NAME, "--rows", str(ROWS), "--shards", str(SHARDS), "--plan", "--output", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert f"{ROWS:,} rows in {SHARDS} shards, about" in done.output
    assert re.search(r"about [\d.]+ [kM]B", done.output)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rows", "10"), "found 0 dataset names"),
        ((NAME, "policy-statements", "--workers", "2"), "found 2 dataset names"),
        ((NAME, "--executor", "cloud"), "expected one of inprocess, local, slurm, ray"),
        (("policy-statements", "--rows", "10"), "has a fixed size"),
        (("no-such-set", "--shards", "2"), "no dataset is called 'no-such-set'"),
        ((NAME, "--rows", "3"), "configs allow"),
    ],
)
def test_options_that_make_no_sense_are_one_error(arguments, message):
    done = _call(*arguments)
    assert isinstance(done.exception, PolbiasError)
    assert message in str(done.exception)


def test_options_of_the_executor_are_read_as_what_they_are():
    given = ["partition=cpu", "time=01:30:00", "cpus_per_task=2", "requeue=false", "env_command=a=b c"]
    assert parse_executor_options(given) == {
        "partition": "cpu",
        "time": "01:30:00",
        "cpus_per_task": 2,
        "requeue": False,
        "env_command": "a=b c",
    }
    with pytest.raises(InputError, match="found 'partition', expected KEY=VALUE"):
        parse_executor_options(["partition"])
