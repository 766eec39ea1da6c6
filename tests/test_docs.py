"""The pages under docs/ read well wherever they are shown, and their tables are those of the data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from polbias import registry
from polbias.generators.auditing.items import VERDICTS
from polbias.generators.normative.publication import patterns
from polbias.lock import read_lock
from tests.support.process import ROOT

_DOCS = ROOT / "docs"
_PAGES = [ROOT / "README.md", *sorted(_DOCS.glob("*.md"))]
_ABOUT = {
    "partisan": "partisan-inference",
    "normative": "normative-reasoning",
    "policy": "policy-statements",
    "xphemism": "xphemism-pairs",
    "selfassess": "self-assessment",
}
"""Page to the dataset that it describes."""


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.stem)
def test_pages_need_no_sphinx(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "{{" not in text
    assert "[](" not in text
    for link in re.findall(r"\]\(([^)#:]+\.md)", text):
        assert (path.parent / link).is_file(), link


def _tables() -> Iterator[tuple[str, str]]:
    """Yield pages and the tables that they must have."""
    for page, dataset in _ABOUT.items():
        yield page, _configs(dataset)
    found = patterns()
    rows = ((p["id"], f"`{p['form']}`", p["gold"], *p["verdicts"].values()) for p in found)
    yield "normative", _table(("pattern", "form", "gold", *found[0]["verdicts"]), rows)
    verdicts = ((f"`{name}`", meaning) for name, meaning in VERDICTS.items())
    yield "audit", _table(("code", "meaning"), verdicts)


def _configs(dataset: str) -> str:
    rows = []
    for name, splits in read_lock()[dataset].configs.items():
        shots = f"{splits['fewshot'].rows:,}" if "fewshot" in splits else ""
        rows.append((f"`{name}`", f"{splits['test'].rows:,}", shots))
    return _table(("config", "`test`", "`fewshot`"), rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


@pytest.mark.parametrize(("page", "table"), [*_tables()])
def test_tables_are_those_of_the_data(page: str, table: str) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 puts a table in the place of the one that has most of its lines."""
    path = _DOCS / f"{page}.md"
    text, wanted = path.read_text("utf-8"), table.splitlines()
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        there = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        nearest = max(there, key=lambda own: len({*own.splitlines()} & {*wanted[2:]}))
        path.write_text(text := text.replace(nearest, table + "\n"), "utf-8")
    assert f"\n\n{table}\n" in text


@pytest.mark.parametrize(("page", "dataset"), _ABOUT.items())
def test_versions_are_those_of_the_lock(page: str, dataset: str) -> None:
    text = (_DOCS / f"{page}.md").read_text("utf-8")
    assert f"`{dataset}`, version {read_lock()[dataset].version}" in text


def test_the_first_page_names_every_instrument_and_page() -> None:
    index = (_DOCS / "index.md").read_text("utf-8")
    instruments = re.findall(r"^- \*([^*]+)\*", index, re.MULTILINE)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert instruments == re.findall(r"^- \*\*([^*]+)\*\* \(", readme, re.MULTILINE)
    assert len(instruments) == 5
    for path in _PAGES[1:]:
        assert path.stem == "index" or f"({path.name})" in index, path.name


def test_getting_started_names_every_dataset() -> None:
    text = (_DOCS / "getting-started.md").read_text("utf-8")
    for name in registry.dataset_names():
        assert f"`{name}`" in text
