"""Names that are paths, and files that are more than they seem."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest

from polbias.errors import InputError, PolbiasError, TemplateError
from polbias.eval.report.hub_results import file_name
from polbias.eval.simulation.lm_eval import folder_name
from polbias.generators.table_files import refuse_foreign
from polbias.paths import package_file

PATHS = ["../outside", "/etc/passwd", "a/b", "..", ".hidden"]


@pytest.mark.parametrize("name", PATHS)
def test_a_model_is_no_path(name: str) -> None:
    with pytest.raises(InputError, match="expected a name without slashes"):
        folder_name(name)
    assert Path(file_name(name)).name == file_name(name)
    assert not file_name(name).startswith(".")


@pytest.mark.parametrize("field", ["id", "config"])
@pytest.mark.parametrize("name", ["../outside", "a/b", ".."])
def test_a_country_is_no_path(tmp_path: Path, field: str, name: str) -> None:
    from polbias.generators.partisan.templates import load_family

    folder = tmp_path / "partisan"
    shutil.copytree(package_file("templates/partisan"), folder)
    path = folder / "countries" / "us-en.yaml"
    text, changed = re.subn(rf"(?m)^{field}: \S+", f"{field}: {name!r}", path.read_text("utf-8"), count=1)
    assert changed == 1
    path.write_text(text, "utf-8")
    with pytest.raises(TemplateError, match=r"us-en\.yaml"):
        load_family(folder)


def test_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "items.tsv"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * 50_000_000)
    with pytest.raises(PolbiasError, match="compressed, zip"):
        refuse_foreign(bomb, bomb.read_bytes()[:64])
