"""What a user's own contents and frames lack is told by file and place, before anything is built."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.errors import TemplateError
from polbias.generators.normative.tables import dataset
from polbias.paths import package_file
from tests.support.process import run_polbias


def few(data: dict[str, Any]) -> None:
    data["square"] = [each for each in data["square"] if each["status"] != "prohibition"]


def unlike(data: dict[str, Any]) -> None:
    del data["exemplars"]["Mu-Mi"]["act"]


def untyped(data: dict[str, Any]) -> None:
    del data["exemplars"]["Ross-Or-Intro"]["type"]


def optional(data: dict[str, Any]) -> None:
    data["exemplars"]["Mi-Mu"]["status"] = "meaningless"


def open_content(data: dict[str, Any]) -> None:
    data["square"][0]["status"] = "open"


def narrow(data: dict[str, Any]) -> None:
    for frame in data["frames"]:
        frame["forms"].pop("NotMu", None)


def nameless(data: dict[str, Any]) -> None:
    data["styles"]["few"]["text"] = "think"


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "contents/deontic_logic.yaml",
            few,
            "square: found 20 congruent, 0 incongruent, 20 nonsense for pattern Mu-Mi, expected",
        ),
        ("contents/deontic_logic.yaml", unlike, "exemplars.Mu-Mi.act: found nothing, expected a value"),
        ("contents/deontic_logic.yaml", untyped, "exemplars.Ross-Or-Intro.type: found nothing, expected"),
        ("contents/deontic_logic.yaml", optional, "exemplars.Mi-Mu.status: found 'meaningless'; expected"),
        ("contents/epistemic_logic.yaml", open_content, "square: found "),
        ("frames.deontic.yaml", narrow, "frames: found none for"),
        (
            "instructions.yaml",
            nameless,
            "styles.few.text: found 'think', expected one of texts: answer, reason",
        ),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, file: str, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    folder = tmp_path / "normative"
    shutil.copytree(package_file("templates/normative"), folder)
    path = folder / file
    data = yaml.safe_load(path.read_text("utf-8"))
    change(data)
    path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), "utf-8")
    with pytest.raises(TemplateError) as refused:
        dataset(folder)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{path}:")


def test_contents_that_no_row_has_are_named_by_every_build(tmp_path: Path) -> None:
    folder = tmp_path / "normative"
    shutil.copytree(package_file("templates/normative"), folder)
    path = folder / "contents" / "deontic_logic.yaml"
    data = yaml.safe_load(path.read_text("utf-8"))
    duties = [content["id"] for content in data["square"] if content["status"] == "duty"]
    acts = ["label the flasks", "rinse the pipettes"]
    added = [
        {"id": f"lab-{number}", "status": "duty", "act": act, "why": "rules of the lab"}
        for number, act in enumerate(acts)
    ]
    path.write_text(yaml.safe_dump(data | {"square": added + data["square"]}, sort_keys=False), "utf-8")
    for _ in range(2):  # made, then unchanged
        built = run_polbias("build", "normative-reasoning", "--templates", folder, "-o", tmp_path / "out")
        (notice,) = [line for line in built.stdout.splitlines() if str(path) in line]
        assert "square" in notice
        assert "per_cell" in notice
        # The first 20 of a status are asked, so that the last shipped ones are not.
        assert [name for name in duties if name in notice] == duties[-2:]
    assert dataset().notices == ()
