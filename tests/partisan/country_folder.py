"""Folders with one country file, whole or changed somewhere."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from polbias.errors import TemplateError
from polbias.generators.partisan.templates import load_family
from polbias.paths import package_file

SHIPPED = package_file("templates/partisan")
SHIPPED_COUNTRIES = sorted(path.stem for path in (SHIPPED / "countries").glob("*.yaml"))

NEW = {
    path.stem: path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "countries").glob("*.yaml"))
}
Place = tuple[str | int, ...]


def parsed(country: str) -> dict[str, Any]:
    text = NEW.get(country) or (SHIPPED / "countries" / f"{country}.yaml").read_text("utf-8")
    return yaml.load(text, Loader=yaml.CSafeLoader)


def changed(value: Any, path: Place, new: Any) -> Any:
    value = copy.deepcopy(value)
    inner = value
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = new
    return value


def line_of(text: str, path: Place) -> int:
    """The line of a field; where it is missing, of the innermost part that is there."""
    node = yaml.compose(text, Loader=yaml.CSafeLoader)
    line = node.start_mark.line
    for part in path:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[part]
            line = node.start_mark.line
            continue
        found = [(key, value) for key, value in node.value if key.value == part]
        if not found:
            break
        line, node = found[0][0].start_mark.line, found[0][1]
    return line + 1


class _NoAliases(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dumped(content: Any) -> str:
    return yaml.dump(content, Dumper=_NoAliases, allow_unicode=True, sort_keys=False)


class Folder:
    """A copy of the shipped templates with one country file only."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "countries").mkdir(parents=True)
        for path in SHIPPED.glob("*.yaml"):
            text = path.read_text("utf-8")
            (root / path.name).write_text(re.sub(r"^crossed:.*", "crossed: []", text, flags=re.M), "utf-8")

    def write(self, country: str, content: Any) -> str:
        text = content if isinstance(content, str) else _dumped(content)
        (self.root / "countries" / f"{country}.yaml").write_text(text, "utf-8")
        return text

    def refusal(self) -> str:
        with pytest.raises(TemplateError) as refused:
            load_family(self.root)
        message = str(refused.value)
        assert "\n" not in message
        return message.removeprefix(f"{self.root}/")


def refused_for(folder: Folder, country: str, content: Any, path: Place, expectation: str) -> None:
    """Check that the message names file, line and field, and says what is expected."""
    text = folder.write(country, content)
    field = ".".join(map(str, path))
    start = f"countries/{country}.yaml:{line_of(text, path)}: {field}: "
    message = folder.refusal()
    assert message.startswith(start), f"expected {start!r}"
    assert re.search(expectation, message.removeprefix(start))
