"""Lean builds: as the full ones, without the columns that follow from others."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias.files import BuildError, InputError
from polbias.generators.partisan.checking import prove_large
from polbias.generators.partisan.publication import LARGE
from polbias.manifest import holds, read_manifest
from polbias.publishing.card import render_card
from polbias.scaling import run as runs
from polbias.scaling.run import Run, plan_run
from tests.scaling.conftest import ROWS, SHARDS, build, published


@pytest.fixture(scope="module")
def lean(spec, tmp_path_factory) -> Run:
    """A run that was built; the test that spoils it comes last."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "LEAN_ROWS", ROWS - 1)
        run = plan_run(
            str(tmp_path_factory.mktemp("lean")), spec, ROWS, shards=SHARDS, left_out=LARGE.derived
        )
    build(run)
    return run


def test_a_lean_build_is_the_full_one_without_columns(lean, finished):
    folder = Path(lean.url)
    for path in folder.rglob("*.parquet"):
        full = pq.read_table(finished / path.relative_to(folder))
        assert pq.read_table(path).equals(full.drop_columns([*LARGE.derived]))
    manifest = read_manifest(folder)
    assert manifest.left_out == LARGE.derived
    for splits in manifest.configs.values():
        assert holds([folder / file.path for file in splits["test"].files], splits["test"])
    card = (folder / "README.md").read_text("utf-8")
    assert "countermodel are left out" in card
    assert card == render_card(manifest, folder, LARGE)


def test_it_is_continued_with_the_same_files(lean):
    folder = Path(lean.url)
    before = published(folder)
    for path in [*folder.rglob("*.parquet")][::2]:
        path.unlink()
    assert build(lean).made == SHARDS // 2
    assert published(folder) == before


def test_a_full_build_does_not_continue_it(lean, spec):
    with pytest.raises(BuildError, match=r"holds another run \(left_out: "):
        build(plan_run(str(Path(lean.url).parent), spec, ROWS, shards=SHARDS))


def test_a_small_build_is_not_lean(spec, tmp_path):
    with pytest.raises(InputError, match=rf"--lean: found {ROWS:,} rows, expected more than 1,000,000; "):
        plan_run(str(tmp_path), spec, ROWS, left_out=LARGE.derived)


def test_every_row_of_it_is_proved_and_a_wrong_gold_is_found(lean):
    folder = Path(lean.url)
    whole = prove_large(folder)
    assert whole.failed == ()
    assert whole.proved == whole.rows > 0
    path = folder / lean.slices[0].path
    table = pq.read_table(path)
    index, last = table.column_names.index("gold"), len(table) - 1
    golds = table["gold"].to_pylist()
    golds[last] = {"valid": "invalid", "invalid": "valid"}[golds[last]]
    pq.write_table(table.set_column(index, table.schema.field("gold"), [golds]), path)
    (found,) = prove_large(folder).failed
    assert found.startswith(f"{table['id'][last]}: gold {golds[last]}, but ")
