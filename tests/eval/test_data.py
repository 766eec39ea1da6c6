"""Where a task's rows come from, and that they are refused if they are not the published ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.errors import BuildError, InputError, PolbiasError
from polbias.eval.data import load_task_rows
from polbias.lock import read_lock
from tests.support.process import run_polbias

VERSION = read_lock()["partisan-inference"].version
ARGUMENTS = {
    "polbias_dataset": "partisan-inference",
    "polbias_config": "en_formal_mini",
    "polbias_revision": "v1.0.0",
}


@pytest.fixture
def own_build(tmp_path: Path, partisan_build: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the build that a test may damage."""
    shutil.copytree(partisan_build, tmp_path / "data")
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("POLBIAS_ACCEPT_BUILD", raising=False)
    return tmp_path / "data" / "partisan-inference"


def test_local_build_is_used_and_said(own_build: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = load_task_rows(**ARGUMENTS, pretrained="model arguments are passed too")["test"]
    assert len(rows) == 48
    assert rows[0]["id"] == "en_formal_mini/0shot/1/1/valid/f/default/left"
    assert f"{VERSION}: 48 rows from the local build" in caplog.text


def test_shots_filter(own_build: Path) -> None:
    rows = load_task_rows(**ARGUMENTS | {"polbias_config": "de_material"}, polbias_shots=32)["test"]
    assert len(rows) == 480
    assert set(rows["shots"]) == {32}


def test_a_value_that_no_row_has_names_those_that_rows_have(own_build: Path) -> None:
    with pytest.raises(InputError, match=r"polbias_shots: found 7.*de_material.*0, 8, 32"):
        load_task_rows(**ARGUMENTS | {"polbias_config": "de_material"}, polbias_shots=7)
    for count in (0, -1, "eight", 1.5, True):
        with pytest.raises(InputError, match=f"polbias_pairs: found {count!r}"):
            load_task_rows(**ARGUMENTS, polbias_pairs=count)


def test_more_pairs_than_a_task_has_are_said(own_build: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert len(load_task_rows(**ARGUMENTS, polbias_pairs=24)["test"]) == 48
    assert "polbias_pairs" not in caplog.text
    assert len(load_task_rows(**ARGUMENTS, polbias_pairs=4000)["test"]) == 48
    (message,) = (line for line in caplog.messages if "polbias_pairs" in line)
    for text in ("4,000", "24", "en_formal_mini"):
        assert text in message


def test_a_setting_on_a_column_that_the_rows_lack_is_an_error(own_build: Path) -> None:
    with pytest.raises(InputError, match="polbias_style: found 'zero'.*en_formal_mini.*prompt_style"):
        load_task_rows(**ARGUMENTS, polbias_style="zero")


def _change_gold(folder: Path) -> None:
    path = next((folder / "en_formal_mini").glob("*.parquet"))
    table = pq.read_table(path)
    index = table.column_names.index("gold")
    flipped = [{"valid": "invalid", "invalid": "valid"}[gold] for gold in table["gold"].to_pylist()]
    pq.write_table(table.set_column(index, table.schema.field("gold"), [flipped]), path)


def test_other_rows_than_the_lock_has_are_refused(own_build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _change_gold(own_build)
    with pytest.raises(
        BuildError, match=rf"en_formal_mini: .*datasets\.lock has version {re.escape(VERSION)} with .*rebuild"
    ):
        load_task_rows(**ARGUMENTS)
    # Not even for a user who accepts a build of their own: the rows are not those of its manifest.
    monkeypatch.setenv("POLBIAS_ACCEPT_BUILD", "1")
    with pytest.raises(BuildError, match="rebuild"):
        load_task_rows(**ARGUMENTS)


def test_a_build_of_ones_own_can_be_accepted(
    own_build: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = tmp_path / "datasets.lock"
    other.write_text(
        "partisan-inference: {version: 1.0.0, configs: {en_formal_mini: {test: {rows: 48, content: aa}}}}"
    )
    monkeypatch.setenv("POLBIAS_LOCK", str(other))
    with pytest.raises(BuildError, match="POLBIAS_ACCEPT_BUILD=1"):
        load_task_rows(**ARGUMENTS)
    monkeypatch.setenv("POLBIAS_ACCEPT_BUILD", "1")
    assert len(load_task_rows(**ARGUMENTS)["test"]) == 48
    assert "not the published data" in caplog.text


def test_damaged_file_is_one_clear_error(own_build: Path) -> None:
    path = next((own_build / "en_formal_mini").glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(BuildError, match="damaged .*polbias build"):
        load_task_rows(**ARGUMENTS)


def test_missing_build_and_config(own_build: Path) -> None:
    with pytest.raises(BuildError, match="no config 'en_formel'; it has: en_formal"):
        load_task_rows(**ARGUMENTS | {"polbias_config": "en_formel"})
    shutil.rmtree(own_build)
    with pytest.raises(BuildError, match="no build found, though POLBIAS_DATA_DIR is set"):
        load_task_rows(**ARGUMENTS)


def test_the_advised_command_makes_the_missing_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(tmp_path))
    arguments = {
        "polbias_dataset": "self-assessment",
        "polbias_config": "poligen",
        "polbias_revision": "main",
    }
    with pytest.raises(BuildError) as caught:
        load_task_rows(**arguments)
    command = re.search(r"`polbias (.*?)`", str(caught.value))
    assert command
    run_polbias(*command[1].split(), env={"POLBIAS_DATA_DIR": str(tmp_path)})
    assert len(load_task_rows(**arguments)["test"])


def test_no_build_and_no_hub_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polbias.eval.data as data

    monkeypatch.delenv("POLBIAS_DATA_DIR", raising=False)
    monkeypatch.setattr(data, "build_root", lambda: tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with pytest.raises(PolbiasError) as caught:
        load_task_rows(**ARGUMENTS)
    hub = r"polbias/partisan-inference: cannot be read from the Hub at v1\.0\.0 "
    here = f"{re.escape(str(tmp_path))}; .*POLBIAS_DATA_DIR.* `polbias build partisan-inference`"
    assert re.match(f"{hub}.*{here}", str(caught.value))
