"""Template files: every problem is said with file, line, field and expectation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, model_validator

from polbias.errors import TemplateError
from polbias.yaml_models import display_path, load_template
from tests.support.process import ROOT, run_python


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Person(_Entry):
    name: str
    gender: Literal["f", "m"]


class Side(_Entry):
    label: str
    people: tuple[Person, ...] = ()


class Country(_Entry):
    id: str
    number: int = 0
    sides: Mapping[str, Side] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Country:
        for name, side in self.sides.items():
            for i, person in enumerate(side.people):
                if person.name == "Nobody":
                    raise ValueError(f"sides.{name}.people.{i}.name: found 'Nobody', expected a person")
        if self.number < 0:
            raise ValueError("number is negative")
        return self


GOOD = """\
# A comment.
id: xx
number: 7
sides:
  left:
    label: Left
    people:
      - {name: Ada, gender: f}
      - name: Bob
        gender: m
"""


def loaded(tmp_path: Path, text: str | bytes) -> Country:
    path = tmp_path / "country.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_template(path, Country)


def refusal(tmp_path: Path, text: str | bytes) -> str:
    """The message, without the folder of the file; one line."""
    with pytest.raises(TemplateError) as refused:
        loaded(tmp_path, text)
    message = str(refused.value)
    assert "\n" not in message
    return message.removeprefix(f"{tmp_path}/")


def test_a_good_file_is_read(tmp_path: Path) -> None:
    country = loaded(tmp_path, GOOD)
    assert [person.name for person in country.sides["left"].people] == ["Ada", "Bob"]


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    assert loaded(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()).id == "xx"


# The file.


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    with pytest.raises(TemplateError) as refused:
        load_template(path, Country)
    assert str(refused.value) == (
        f"{path}: cannot be read (No such file or directory); expected a template file"
    )


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"cannot be read \(Is a directory\); expected a template file"):
        load_template(tmp_path, Country)


def test_not_utf8(tmp_path: Path) -> None:
    text = GOOD.replace("Bob", "Zoë").encode("latin-1")
    assert refusal(tmp_path, text) == "country.yaml:9: not UTF-8; save the file as UTF-8"


def test_too_big(tmp_path: Path) -> None:
    text = GOOD + "#" * (4 << 20)
    assert refusal(tmp_path, text).startswith("country.yaml: found more than 4,194,304 bytes, ")


def test_files_of_the_checkout_are_named_from_its_root() -> None:
    assert display_path(ROOT / "templates" / "partisan" / "dataset.yaml") == "templates/partisan/dataset.yaml"
    assert display_path(ROOT / "polbias" / "templates" / "x.yaml") == "templates/x.yaml"
    assert display_path(Path("/elsewhere/x.yaml")) == "/elsewhere/x.yaml"


# YAML.


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("id: xx\nnumber: [1, 2\n", 3, "did not find expected"),
        ("id: xx\n number: 1\n", 2, "mapping values are not allowed"),
        ("id: xx\n\tnumber: 1\n", 2, "tab character"),
        ("id: 'xx\n", 2, "unexpected end of stream"),
        ('id: "\\q"\n', 1, "unknown escape character"),
        ("id: xx\n---\nid: yy\n", 2, "another document"),
        ("id: xx\nnumber: *gone\n", 2, "undefined alias"),
        ("id: xx\nnumber: !!python/object:os.system {}\n", 2, "could not determine a constructor"),
        ("id: xx\nnumber: !mine 1\n", 2, "could not determine a constructor"),
        ("id: xx\nnumber: !!int seven\n", 2, "seven"),
        ("id: 2024-13-45\n", 1, "month"),
        ("id: xx\nnumber: 0b__\n", 2, ""),
        ("? [id]\n: xx\n", 1, ""),
        ("? {id: xx}\n: xx\n", 1, ""),
        ("id: xx\nnumber: \0\n", 2, "(special|control) characters are not allowed"),
    ],
)
def test_bad_yaml_is_said_with_its_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    message = refusal(tmp_path, text)
    assert re.match(rf"country\.yaml:{line}: (not valid YAML \(.*{problem}|.*found.*expected)", message)


@pytest.mark.parametrize("depth", [900, 3_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_deeply_nested_yaml(tmp_path: Path, opening: str, closing: str, depth: int) -> None:
    # In a process of its own, as a parser that overflows its stack takes the process with it.
    path = tmp_path / "country.yaml"
    path.write_text(opening * depth + closing * depth)
    code = """
        import sys
        from pathlib import Path
        from polbias.errors import TemplateError
        from polbias.yaml_models import load_template
        from tests.engine.test_templates import Country
        try:
            load_template(Path(sys.argv[1]), Country)
        except TemplateError as error:
            print(error)
    """
    done = run_python(["-c", dedent(code), str(path)], check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert re.fullmatch(rf"{path}:\d+: .*\n", done.stdout)


def test_duplicate_keys(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD + "number: 8\n") == (
        "country.yaml:11: key 'number' is here and in line 3; keep one"
    )


def test_duplicate_keys_within_a_list(tmp_path: Path) -> None:
    text = GOOD.replace("{name: Ada, gender: f}", "{name: Ada, gender: f, name: Eve}")
    assert refusal(tmp_path, text) == "country.yaml:8: key 'name' is here and in line 8; keep one"


def test_aliases(tmp_path: Path) -> None:
    text = GOOD.replace("label: Left", "label: &name Left").replace("name: Bob", "name: *name")
    assert refusal(tmp_path, text) == (
        "country.yaml:6: a YAML alias refers to this; write the value out instead"
    )


def test_an_alias_of_its_own_list(tmp_path: Path) -> None:
    assert "a YAML alias refers to this" in refusal(tmp_path, "id: &own [*own]\n")


@pytest.mark.parametrize(
    ("old", "new"), [("label: Left", "label: {}"), ("number: 7", "number: 7\n? {}\n: 1")]
)
def test_an_endless_text(tmp_path: Path, old: str, new: str) -> None:
    text = GOOD.replace(old, new.format("x" * 10_001))
    assert re.match(
        r"country.yaml:[46]: found a text of 10,001 characters, expected", refusal(tmp_path, text)
    )


def test_a_small_file_that_would_become_large(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "a YAML alias refers to this" in refusal(tmp_path, "\n".join(lines))


# Fields.


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file(tmp_path: Path, text: str) -> None:
    assert re.match(r"country\.yaml:\d: the file: found None; expected: ", refusal(tmp_path, text))


@pytest.mark.parametrize("text", ["just text\n", "- a\n- list\n", "7\n"])
def test_not_a_mapping(tmp_path: Path, text: str) -> None:
    assert re.match(r"country\.yaml:1: the file: found .*; expected: ", refusal(tmp_path, text))


def test_a_missing_field(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD.replace("id: xx\n", "")) == (
        "country.yaml:2: id: found nothing, expected a value; add the field"
    )


def test_a_missing_field_within_a_list(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD.replace("        gender: m\n", "")) == (
        "country.yaml:9: sides.left.people.1.gender: found nothing, expected a value; add the field"
    )


def test_an_unknown_field(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD + "colour: green\n") == (
        "country.yaml:11: colour: unknown field with value 'green'; remove it or correct its name"
    )


def test_an_unknown_field_within_a_list(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD + "        age: 50\n") == (
        "country.yaml:11: sides.left.people.1.age: unknown field with value 50; remove it or correct its name"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("number: 7", "number: seven", "country.yaml:3: number: found 'seven'; expected: input should be a"),
        (
            "gender: m",
            "gender: x",
            "country.yaml:10: sides.left.people.1.gender: found 'x'; expected: input should be 'f' or 'm'",
        ),
        ("id: xx", "id: [xx]", "country.yaml:2: id: found ['xx']; expected: input should be a valid string"),
        (
            "label: Left",
            "label: null",
            "country.yaml:6: sides.left.label: found None; expected: input should be a valid string",
        ),
    ],
)
def test_wrong_values(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert refusal(tmp_path, GOOD.replace(old, new)).startswith(message)


def test_long_values_are_shortened(tmp_path: Path) -> None:
    message = refusal(tmp_path, GOOD.replace("number: 7", f"number: {'x' * 500}"))
    assert len(message) < 200
    assert "xxx..." in message


def test_a_check_that_names_a_field_is_said_at_that_field(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD.replace("Bob", "Nobody")) == (
        "country.yaml:9: sides.left.people.1.name: found 'Nobody', expected a person"
    )


def test_a_check_that_names_no_field_is_said_of_the_file(tmp_path: Path) -> None:
    assert refusal(tmp_path, GOOD.replace("number: 7", "number: -7")) == (
        "country.yaml:2: the file: number is negative"
    )


def test_a_misspelt_field_is_named_with_the_right_name(tmp_path: Path) -> None:
    path = tmp_path / "country.yaml"
    for old, new, field in (
        ("people:", "poeple:", "sides.left.poeple"),  # optional
        ("label:", "lable:", "sides.left.lable"),  # required, and so missing as well
        ("gender: f", "gendre: f", "sides.left.people.0.gendre"),
        ("id: xx", "ids: xx", "ids"),
    ):
        path.write_text(GOOD.replace(old, new), "utf-8")
        with pytest.raises(TemplateError) as caught:
            load_template(path, Country)
        line = 1 + GOOD[: GOOD.index(old)].count("\n")
        assert f"{path}:{line}: {field}: " in str(caught.value)
        assert f"mean {old.split(':')[0]}" in str(caught.value)
