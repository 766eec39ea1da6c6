"""A build names the files of a template folder that nothing reads, and the folder that it expects."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.spec import DatasetSpec
from polbias.generators.engine.template_folder import TemplateFolder
from polbias.paths import package_file
from polbias.registry import dataset_names, publication
from polbias.yaml_models import template_text
from tests.support.process import run_polbias

Copy = Callable[[str], Path]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return lambda name: Path(shutil.copytree(package_file(f"templates/{name}"), tmp_path / name))


def _refusal(dataset: str, folder: Path) -> str:
    with pytest.raises(TemplateError) as caught:
        publication(dataset).specify(folder)
    return str(caught.value)


def test_a_statement_file_that_the_dataset_does_not_list_is_named_with_the_line_to_add(copy: Copy) -> None:
    folder = copy("policy")
    text = (folder / "statements" / "at.yaml").read_text("utf-8")
    (folder / "statements" / "uk.yaml").write_text(text.replace("id: at-", "id: uk-"), "utf-8")
    out = folder.parent / "out"
    done = run_polbias("build", "policy-statements", "--templates", folder, "-o", out, check=False)
    assert done.returncode == 1
    assert str(folder / "statements" / "uk.yaml") in done.stderr
    assert "  uk: " in done.stderr
    assert "dataset.yaml" in done.stderr
    assert not (out / "policy-statements").exists()
    dataset = folder / "dataset.yaml"
    dataset.write_text(dataset.read_text("utf-8").rstrip() + "\n  uk: the United Kingdom\n", "utf-8")
    assert "uk" in publication("policy-statements").specify(folder).configs


def test_every_unread_file_is_named_at_once(copy: Copy) -> None:
    folder = copy("policy")
    for name in ("statements/uk.yaml", "statements/ie.YAML", "statements/hu.yml", "statement/be.yaml"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(folder / "statements" / "at.yaml", folder / name)
    message = _refusal("policy-statements", folder)
    assert all(name in message for name in ("uk.yaml", "ie.YAML", "hu.yml", "statement/be.yaml"))


@pytest.mark.parametrize(
    ("dataset", "family", "original", "extra", "named"),
    [
        ("self-assessment", "selfassess", "bundestag/wir.tsv", "landtag/wir.tsv", "landtag:"),
        ("self-assessment", "selfassess", "leaks.yaml", "leak.yaml", "leaks.yaml"),
        ("normative-reasoning", "normative", "contents/deontic_logic.yaml", "contents/labs.yaml", "deontic_"),
        ("partisan-inference", "partisan", "countries/us-en.yaml", "countries/gb-en.yml", "gb-en.yaml"),
        ("partisan-inference", "partisan", "countries/us-en.yaml", "gb-en.yaml", "dataset.yaml"),
    ],
)
def test_an_unread_file_of_any_family_is_an_error_that_says_what_is_read(
    copy: Copy, dataset: str, family: str, original: str, extra: str, named: str
) -> None:
    folder = copy(family)
    (folder / extra).parent.mkdir(exist_ok=True)
    shutil.copy(folder / original, folder / extra)
    message = _refusal(dataset, folder)
    assert str(folder / extra) in message
    assert named in message.partition(extra)[2]


def test_files_of_other_readers_and_hidden_files_are_no_error(copy: Copy) -> None:
    folder = copy("policy")
    (folder / "review_uk.tsv").write_text("key\n", "utf-8")
    for name in (".uk.yaml", "notes.txt", ".git/config.yaml", "uk.yaml~"):
        (folder / "statements" / name).parent.mkdir(exist_ok=True)
        (folder / "statements" / name).write_text("x", "utf-8")
    assert publication("policy-statements").specify(folder).configs


@pytest.mark.parametrize("name", [name for name in dataset_names() if name.split("-")[0] != "partisan"])
def test_the_shipped_folder_of_a_dataset_has_no_unread_file(name: str) -> None:
    assert publication(name).template_folder
    assert publication(name).specify().configs


def test_the_check_runs_whether_or_not_an_earlier_build_read_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1", "utf-8")

    def build_spec(templates: Path | None) -> DatasetSpec:
        template_text(templates / "a.yaml")
        return DatasetSpec.model_construct(name="toy")

    toy = Publication("Toy", build_spec, template_folder=TemplateFolder("templates", marker="a.yaml"))
    assert toy.specify(tmp_path).name == toy.specify(tmp_path).name == "toy"
    (tmp_path / "b.tsv").write_text("", "utf-8")
    with pytest.raises(TemplateError, match=r"b\.tsv.*a\.yaml"):
        toy.specify(tmp_path)


@pytest.mark.parametrize("level", ["", "policy/statements"])
def test_a_folder_of_another_level_is_refused_with_the_folder_that_was_meant(copy: Copy, level: str) -> None:
    folder = copy("policy")
    given = folder.parent / level
    message = _refusal("policy-statements", given)
    assert f"{given}:" in message
    assert message.endswith(str(folder))


def test_a_folder_of_another_dataset_or_none_is_refused_with_the_shipped_one(
    copy: Copy, tmp_path: Path
) -> None:
    for folder in (copy("policy"), tmp_path / "none"):
        message = _refusal("self-assessment", folder)
        assert str(folder) in message
        copied = re.search(r"copy of (\S+)$", message)
        assert copied
        assert Path(copied[1]).is_absolute()
        assert (Path(copied[1]) / "dataset.yaml").is_file()


def test_an_unread_file_is_an_error_that_lists_each_file_that_is_read_once(copy: Copy) -> None:
    folder = copy("partisan")
    shutil.copy(folder / "dataset.yaml", folder / "more.yaml")
    names = re.findall(r"\S+\.yaml(?=[,;])", _refusal("partisan-inference", folder))
    assert "clauses.de.yaml" in names
    assert len(names) == len({*names})
