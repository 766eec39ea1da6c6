"""The shipped calibration is that of the templates as they are."""

from __future__ import annotations

import pytest
from rich.console import Console

from polbias.cli import build_scaled
from polbias.cli.build_scaled import Scale
from polbias.files import BuildError
from polbias.manifest import read_lock
from polbias.scaling import Size
from polbias.scaling.plan import calibrate, load_stored, tables
from polbias.scaling.run import scalable

STORED = load_stored().datasets


@pytest.mark.parametrize("name", STORED)
def test_rows_are_those_of_the_lock_and_of_the_templates(name):
    stored, locked, publication = STORED[name], read_lock()[name], scalable(name)
    assert stored.version == locked.version, "run `python -m polbias.scaling.plan`"
    assert stored.pair == publication.pair
    assert {config: each.default for config, each in stored.tables.items()} == {
        config: splits["test"].rows for config, splits in locked.configs.items()
    }
    for fresh, measured in ((False, stored.tables), (True, stored.fresh)):
        assert {config: each.most for config, each in measured.items()} == dict(publication.most(fresh=fresh))


def test_bytes_of_a_row_are_still_about_those_measured():
    stored = STORED["partisan-inference-xl"]
    spec = scalable("partisan-inference-xl").specify()
    for table in spec.tables[:2]:
        assert stored.tables[table.config].row_bytes == pytest.approx(calibrate(table).row_bytes, rel=0.1)


def test_a_plan_needs_no_specification(monkeypatch, capsys):
    monkeypatch.setattr(build_scaled, "prepared", None)
    monkeypatch.setattr(build_scaled, "Console", lambda: Console(width=200))
    build_scaled.print_plan("partisan-inference-xl", Scale(20_000_000, shards=25), None, None, price=0.5)
    said = capsys.readouterr().out
    assert "20,000,000" in said
    assert "at 0.5 an hour" in said


def test_rows_that_are_not_there_are_refused():
    stored = STORED["normative-reasoning-xl"]
    with pytest.raises(BuildError, match="can be drawn from 4 configs"):
        tables(stored, Size(10**9))
    with pytest.raises(BuildError, match="can be drawn from 0 configs"):
        tables(stored, Size(100, fresh=True))
