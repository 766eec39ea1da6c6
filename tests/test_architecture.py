"""docs/architecture.md and its table say what the sources say: rooms, imports, files and functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.support.process import ROOT

_PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
_WHERE = (ROOT / "docs" / "tables" / "where.csv").read_text("utf-8")
_FLOORS, _ARROWS = re.search(r"```text\n(.*?)\n\n(.*?)```", _PAGE, re.DOTALL).groups()  # type: ignore[union-attr]
_SOURCES = ("polbias", "generators", "eval", "harness_tasks")
_FAMILIES = {
    folder.name
    for folder in (ROOT / "eval").iterdir()
    if folder.is_dir() and any(path.is_dir() for path in (ROOT / "generators").rglob(folder.name))
} - {"__pycache__"}


_PACKAGE = ROOT / "polbias" / "__init__.py"
"""What the package offers by its name imports upwards, when it is called."""


def _room(folder: Path) -> str:
    top, *below = folder.relative_to(ROOT).parts[:2]
    if top == "harness_tasks" or not below:
        return top
    return f"{top}/{'<family>' if below[0] in _FAMILIES else below[0]}"


def _sources() -> Iterator[Path]:
    for top in _SOURCES:
        for path in (ROOT / top).rglob("*.py"):
            is_link = any((ROOT / parent).is_symlink() for parent in path.relative_to(ROOT).parents)
            if not is_link and path != _PACKAGE:
                yield path


def _modules(node: ast.AST) -> Iterator[str]:
    """Yield what is imported anywhere below, for type checkers only apart."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        yield from (name for child in node.orelse for name in _modules(child))
        return
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _modules(child)


def _folder(module: str) -> Path:
    top, *parts = module.split(".")
    path = ROOT.joinpath(*parts) if parts and (ROOT / parts[0]).is_dir() else ROOT.joinpath(top, *parts)
    while not path.is_dir():
        path = path.parent
    return path


@cache
def _imports() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in _sources():
        room = _room(path.parent)
        modules = [*_modules(ast.parse(path.read_text("utf-8")))]
        assert not any(module.startswith(".") for module in modules), path
        rooms = {_room(_folder(module)) for module in modules if module.split(".")[0] == "polbias"}
        found.setdefault(room, set()).update(rooms - {room})
    return found


def _arrows() -> dict[str, set[str]]:
    lines = re.sub(r"\n +", " ", _ARROWS).splitlines()
    return {room: {*rooms.split()} for room, rooms in (re.split(r" +-> +", line) for line in lines)}


def _floor_of() -> dict[str, int]:
    found: dict[str, int] = {}
    floor = -1
    for line in _FLOORS.splitlines():
        if shown := re.match(r"(\d?) +│(.*)│$", line):
            floor = int(shown[1] or floor)
            found |= dict.fromkeys(shown[2].split(), floor)
    return found


def test_the_arrows_are_the_imports() -> None:
    drawn = {(room, other) for room, rooms in _arrows().items() for other in rooms}
    real = {(room, other) for room, rooms in _imports().items() for other in rooms}
    assert sorted(real - drawn) == [], "imports that the page does not show"
    assert sorted(drawn - real) == [], "arrows that no import backs"


def test_every_room_is_drawn_once_and_imports_lower_floors_only() -> None:
    floors = _floor_of()
    assert floors.keys() == _imports().keys()
    assert len(floors) == len(re.findall(r"[a-z][\w/<>]+", " ".join(re.findall("│(.*)│", _FLOORS))))
    for room, rooms in _arrows().items():
        assert all(floors[other] < floors[room] for other in rooms), room


def _defined(path: Path) -> set[str]:
    """The functions, classes and methods of a module."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
    return found


def test_every_path_and_function_on_the_page_exists() -> None:
    named = re.findall(r"`([\w.<>-]+/[\w./<>-]*)`((?:,\s+`[\w.]+`)*)", _PAGE + _WHERE)
    assert len(named) > 60
    for place, names in named:
        paths = [*ROOT.glob(place.replace("<family>", "*"))]
        assert paths, place
        if place.endswith(".py"):
            defined = {name for path in paths for name in _defined(path)}
            assert {*re.findall(r"`([\w.]+)`", names)} <= defined, place


def test_no_two_classes_share_a_name() -> None:
    paths = [*_sources(), *(ROOT / "benchmarks").rglob("*.py")]
    modules: dict[str, list[str]] = {}
    for path in paths:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) or (isinstance(node, ast.AnnAssign) and _is_alias(node)):
                name = node.name if isinstance(node, ast.ClassDef) else ast.unparse(node.target)
                modules.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def _is_alias(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).endswith("TypeAlias")
