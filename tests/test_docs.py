"""The pages under docs/ read well wherever they are shown, and their tables are those of the data."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
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
_LONGEST = 12
"""Rows of the longest table on a page; longer ones are data files."""


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.stem)
def test_pages_need_no_sphinx(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "{{" not in text
    assert "[](" not in text
    shown = re.findall(r"^:file: (.*)$", text, re.MULTILINE)
    for source in (text, *((path.parent / name).read_text("utf-8") for name in shown)):
        for link, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", source):
            target = path.parent / link if link else path
            assert target.exists(), link
            assert not anchor or anchor in _anchors(target), f"{link}#{anchor}"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.stem)
def test_long_tables_are_data_files(path: Path) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", path.read_text("utf-8"), re.MULTILINE)
    assert [table.splitlines()[0] for table in tables if table.count("\n") - 2 > _LONGEST] == []


def test_every_data_file_is_shown_and_linked() -> None:
    """A reader of the built pages sees the table, a reader on GitHub its link."""
    texts = [path.read_text("utf-8") for path in _PAGES]
    for path in (_DOCS / "tables").iterdir():
        [shown] = [text for text in texts if f":file: tables/{path.name}\n" in text]
        assert f"[{path.name}](tables/{path.name})" in shown


Table = list[tuple[str, ...]]
"""Lines of cells; the first is the head."""


def _tables() -> Iterator[tuple[str, Table]]:
    """Yield tables, each after the page or the data file that must have it."""
    for page, dataset in _ABOUT.items():
        configs = _configs(dataset)
        yield (f"{page}.md" if len(configs) - 1 <= _LONGEST else f"tables/{page}-configs.csv"), configs
    forms = patterns()
    rows = [(p["id"], f"`{p['form']}`", p["gold"], *p["verdicts"].values()) for p in forms]
    yield "tables/normative-patterns.csv", [("pattern", "form", "gold", *forms[0]["verdicts"]), *rows]
    yield "audit.md", [("code", "meaning"), *((f"`{name}`", meaning) for name, meaning in VERDICTS.items())]


def _configs(dataset: str) -> Table:
    table = [("config", "`test`", "`fewshot`")]
    for name, splits in read_lock()[dataset].configs.items():
        shots = f"{splits['fewshot'].rows:,}" if "fewshot" in splits else ""
        table.append((f"`{name}`", f"{splits['test'].rows:,}", shots))
    return table


def _markdown(table: Table) -> str:
    head, *rows = table
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _csv(table: Table) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(table)
    return file.getvalue()


@pytest.mark.parametrize(("name", "table"), [*_tables()])
def test_tables_are_those_of_the_data(name: str, table: Table) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 writes a data file, and puts a table in the place of the page's most similar one."""
    path = _DOCS / name
    text = path.read_text("utf-8")
    if path.suffix == ".csv":
        if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
            path.write_text(text := _csv(table), "utf-8")
        assert text == _csv(table)
        return
    wanted = _markdown(table)
    if os.environ.get("POLBIAS_UPDATE_GOLDEN"):
        present = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        rows = {*wanted.splitlines()[2:]}
        nearest = max(present, key=lambda lines: len({*lines.splitlines()} & rows))
        path.write_text(text := text.replace(nearest, wanted + "\n"), "utf-8")
    assert f"\n\n{wanted}\n" in text


@pytest.mark.parametrize(("page", "dataset"), _ABOUT.items())
def test_versions_are_those_of_the_lock(page: str, dataset: str) -> None:
    text = (_DOCS / f"{page}.md").read_text("utf-8")
    assert f"`{dataset}`, version {read_lock()[dataset].version}" in text


def test_the_first_page_names_every_instrument_and_page() -> None:
    index = (_DOCS / "index.md").read_text("utf-8")
    instruments = re.findall(r"^- \*([^*]+)\*", index, re.MULTILINE)
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| ([^|,]+)(?:, large set)? \|.*\b20\d\d \|$", readme, re.MULTILINE)
    assert sorted(instruments) == sorted(listed)
    assert len(instruments) == 5
    for path in _PAGES[1:]:
        assert path.stem == "index" or f"({path.name})" in index, path.name


def test_getting_started_names_every_dataset() -> None:
    text = (_DOCS / "getting-started.md").read_text("utf-8")
    for name in registry.dataset_names():
        assert f"`{name}`" in text
