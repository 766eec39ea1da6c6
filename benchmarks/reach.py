"""The source that a user's three commands need: lines in the import reach of build, push and all tasks."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import ROOT

_FOLDERS = ("generators", "eval", "harness_tasks")
"""Folders of the repository that are packages of `polbias`."""
_COMMANDS = ("polbias.cli.build", "polbias.cli.push")
_REGISTERING = "polbias.cli.main"
"""Registers every command; of what it imports from the CLI, only `_COMMANDS` count."""
_SCALED = "polbias.cli.build_scaled"
"""What `polbias build` hands its options of scale to; a plain build does without, and it is not counted."""
_REGISTRY = "polbias.registry"
_FUNCTION = re.compile(r"!function +(polbias[\w.]+)\.\w+")


def main() -> None:
    """Print the lines of the reach, by package and by root."""
    roots = _roots()
    reached = {name: reach(modules) for name, modules in roots.items()}
    whole = frozenset().union(*reached.values())
    packages: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for module in whole:
        package = "/".join(_file(module).relative_to(ROOT).parts[:-1][:2])
        packages[package] += _lines([module])
        modules[package] += 1
    console = Console(highlight=False)
    console.print(f"{_lines(whole):,} lines in {len(whole)} modules")
    table = Table("package", "lines", "modules")
    for package, lines in packages.most_common():
        table.add_row(package, f"{lines:,}", str(modules[package]))
    console.print(table)
    table = Table("root", "lines", "no other root reaches")
    for name, its in reached.items():
        others = frozenset().union(*(each for other, each in reached.items() if other != name))
        table.add_row(name, f"{_lines(its):,}", f"{_lines(its - others):,}")
    console.print(table)


def reach(roots: Iterable[str]) -> frozenset[str]:
    """Return the modules that some modules import, at the top or in a function, and those themselves."""
    found: set[str] = set()
    todo = [*roots]
    while todo:
        module = todo.pop()
        if module not in found:
            found.add(module)
            todo += imports(module)
    return frozenset(found)


@cache
def imports(module: str) -> Set[str]:
    """Return the modules of polbias that a module imports, with the packages that they and it lie in."""
    named = set(_parents(module))
    for node in _statements(ast.parse(_file(module).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named.add(node.module)
            named.update(f"{node.module}.{alias.name}" for alias in node.names)
    if module == _REGISTERING:
        named = {name for name in named if not name.startswith("polbias.cli.") or name in _COMMANDS}
    found = {name for name in named if _is_module(name) and name != _SCALED}
    return found.union(*map(_parents, found))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only a type checker sees."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from _statements(child)


def _roots() -> Mapping[str, Set[str]]:
    roots: dict[str, Set[str]] = {"commands build and push": {_REGISTERING, *_COMMANDS}}
    tree = ast.parse(_file(_REGISTRY).read_text("utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for text in texts:
        if isinstance(text, str) and text.startswith("polbias.generators.") and not text.endswith(":prove"):
            module = text.partition(":")[0]
            roots[module.removeprefix("polbias.")] = {module}
    families: dict[str, set[str]] = {}
    for path in sorted((ROOT / "harness_tasks").rglob("*.yaml")):
        family = path.relative_to(ROOT / "harness_tasks").parts[0]
        families.setdefault(family, set()).update(_FUNCTION.findall(path.read_text("utf-8")))
    roots |= {f"tasks of {family}": modules for family, modules in families.items() if modules}
    own = (ROOT / "harness_tasks").rglob("*.py")
    roots["harness_tasks"] = {_module(path) for path in own}
    return roots


def _lines(modules: Iterable[str]) -> int:
    return sum(_file(module).read_text("utf-8").count("\n") for module in modules)


def _parents(module: str) -> Iterator[str]:
    while module := module.rpartition(".")[0]:
        yield module


@cache
def _is_module(name: str) -> bool:
    return name.split(".")[0] == "polbias" and _file(name).is_file()


def _file(module: str) -> Path:
    parts = module.split(".")[1:]
    place = ROOT.joinpath(*parts) if parts and parts[0] in _FOLDERS else ROOT.joinpath("polbias", *parts)
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("polbias", *(part for part in parts if part != "__init__")))


if __name__ == "__main__":
    main()
