"""Checks that the models of template files share: each says at the field what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import pytest

from polbias.errors import InputError, TemplateError
from polbias.yaml_models import (
    Levels,
    TemplateModel,
    load_template,
    require_all_names,
    require_placeholders,
    validate_model,
)

Side = Literal["left", "right"]


class Sheet(TemplateModel):
    shots: Levels[Literal[0, 8]] = (0,)
    sides: Annotated[Mapping[Side, str], require_all_names(Side)] = {"left": "a", "right": "b"}
    source: Annotated[str, require_placeholders("paper", "table")] = "{paper}, {table}"


def read(tmp_path: Path, text: str) -> Sheet:
    path = tmp_path / "sheet.yaml"
    path.write_text(text, "utf-8")
    return load_template(path, Sheet)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("shots: []", "shots: found []; expected: tuple should have at least 1 item"),
        ("shots: [0, 0]", "shots: found 0 twice, expected each once"),
        ("shots: [4]", "shots.0: found 4; expected: input should be 0 or 8"),
        ("sides: {left: a}", "sides: found no entry for right; add one"),
        (
            "source: '{papers}'",
            "source: found '{papers}', expected no braces except {paper} and {table}",
        ),
        ("source: 'a } b'", "source: found 'a } b'"),
        ("source: '{paper:>999999999}'", "source: found '{paper:>999999999}'"),
        ("source: '{paper.format}'", "source: found '{paper.format}'"),
        ("source: '{paper!r}'", "source: found '{paper!r}'"),
        ("source: '{}'", "source: found '{}'"),
    ],
)
def test_a_field_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TemplateError) as refused:
        read(tmp_path, text)
    assert f"sheet.yaml:1: {message}" in str(refused.value)


def test_sound_fields_are_read(tmp_path: Path) -> None:
    sheet = read(tmp_path, "shots: [0, 8]\nsource: 'Table {{x}} of {paper}'")
    assert sheet.shots == (0, 8)
    assert sheet.source.format(paper="P") == "Table {x} of P"


def test_a_part_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text("parts:\n  one:\n    shots: [0]\n  two:\n    shots: [7]\n", "utf-8")
    with pytest.raises(TemplateError, match=r"sheet\.yaml:5: parts\.two\.shots\.0: found 7"):
        validate_model(path, "parts.two", {"shots": [7]}, Sheet)


def test_a_message_is_never_endless() -> None:
    message = str(InputError(f"file.tsv:3: topic: found {'x' * 200_000!r}; correct it"))
    assert len(message) < 5_000
    assert message.startswith("file.tsv:3: topic: found 'xxx")
    assert message.endswith("xxx'; correct it")


def test_many_problems_are_all_told() -> None:
    lines = [f"file.tsv:{number}: found nothing, expected a text" for number in range(1_000)]
    assert str(InputError("\n".join(lines))).split("\n") == lines


def test_half_a_character_can_be_printed() -> None:
    assert str(InputError("en_forma\ud800l: found no rows")).encode() == b"en_forma\\ud800l: found no rows"
