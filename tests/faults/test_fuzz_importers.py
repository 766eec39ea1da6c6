"""Published data of others, made up and damaged: read, or refused by file and place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.faults.support.campaign import ends_cleanly, fuzz, sizes
from tests.faults.support.damage import damages
from tests.faults.support.structures import rewritings
from tests.support import polbix_files as polbix
from tests.support import probvaa_folder, released_normative

Act = Callable[[Path], Any]


def _fuzz_folder(folder: Path, act: Act, examples: int) -> None:
    """Damage one file of a folder at a time."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    originals = [path.read_bytes() for path in paths]
    names = {folder.name, *(path.name for path in paths)}
    act(folder)  # the sound folder is read

    def check(each: Any) -> bool:
        path = paths[each.which]
        path.write_bytes(each.of(originals))
        try:
            return ends_cleanly(lambda: act(folder), *names)
        finally:
            path.write_bytes(originals[each.which])

    fuzz(damages(len(paths)), check, examples)


@sizes
def test_probvaa(examples: int, tmp_path: Path) -> None:
    from polbias.generators.policy.published import load

    _fuzz_folder(probvaa_folder.make(tmp_path / "probvaa", only=("es",)), load, examples)


@sizes
def test_released_normative(examples: int, tmp_path: Path) -> None:
    from polbias.generators.auditing.published_normative import load

    folder = tmp_path / "released"
    paths = released_normative.make(folder)
    # Every input loads the templates and proves the items.
    _fuzz_folder(folder, lambda _: load(paths), max(3, examples // 10))


@sizes
def test_published_answers_of_other_kinds(examples: int, tmp_path: Path) -> None:
    from polbias.eval.xphemism.published import read_published

    polbix.write_claims(tmp_path, polbix.row(), polbix.row(id="b"))
    rows = [polbix.answer(), polbix.answer(id="b")]
    path = polbix.write_answers(tmp_path, *rows)
    read_published(tmp_path / "dataset.csv", path)  # sound answers are read

    def check(each: Any) -> bool:
        path.write_text(json.dumps(each.of([rows])), "utf-8")
        names = (path.name, tmp_path.name, "dataset.csv")
        return ends_cleanly(lambda: read_published(tmp_path / "dataset.csv", path), *names)

    fuzz(rewritings(1), check, examples)


@sizes
def test_published_answers(examples: int, tmp_path: Path) -> None:
    from polbias.eval.xphemism.published import read_published

    polbix.write_claims(tmp_path, polbix.row(), polbix.row(id="b"))
    polbix.write_answers(tmp_path, polbix.answer(), polbix.answer(id="b"))
    _fuzz_folder(
        tmp_path,
        lambda folder: read_published(folder / "dataset.csv", folder / "sample_output.json"),
        examples,
    )


_ROWS = [
    {"premise": "You must go.", "hypothesis": "You may go.", "label": "entailment"},
    {"premise": 'Say "no", he must.', "hypothesis": "He may; say\nno.", "label": "non-entailment"},
    {"premise": "Müssen Sie?", "hypothesis": "You must not go.", "label": None},
]


def _delimited(delimiter: str) -> bytes:
    def cell(value: str | None) -> str:
        return '"' + (value or "").replace('"', '""') + '"'

    lines = [["premise", "hypothesis", "label"], *([*row.values()] for row in _ROWS)]
    return "".join(delimiter.join(map(cell, line)) + "\n" for line in lines).encode()


def _table(kind: str, path: Path) -> None:
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(_ROWS), path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in _ROWS), "utf-8")
    else:
        path.write_bytes(_delimited("\t" if kind == "tsv" else ","))


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl", "parquet"])
@sizes
def test_tables_to_audit(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.generators.table_files import read_table

    def read(folder: Path) -> None:
        table = read_table(folder / f"items.{kind}")
        assert table.frame.index.is_monotonic_increasing
        assert table.problems.keys() <= {*table.frame.index}
        assert set(table.columns) == {*table.frame}

    _table(kind, tmp_path / f"items.{kind}")
    _fuzz_folder(tmp_path, read, examples)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@sizes
def test_any_table(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.eval.multiple_testing import holm_adjust
    from polbias.generators.auditing.general import audit_table, maintainer_report, sound_rows

    path = tmp_path / f"items.{kind}"
    columns = {"text": "premise", "gold": "label", "choices": "hypothesis"}

    def read(_: Path) -> None:
        report = audit_table(path, columns, holm_adjust, (), {}, {})
        maintainer_report(report)
        sound_rows(path, columns, report)

    _table(kind, path)
    _fuzz_folder(tmp_path, read, examples)


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl", "parquet"])
@sizes
def test_claims(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.generators.authoring.claims import read_claims

    rows = [{"id": n, "claim": f"Die Miete steigt {n}.", "label": "wahr"} for n in range(4)]
    path = tmp_path / f"claims.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    else:
        mark = "\t" if kind == "tsv" else ","
        lines = [[*rows[0]], *([*map(str, row.values())] for row in rows)]
        path.write_text("".join(mark.join(line) + "\n" for line in lines), "utf-8")
    _fuzz_folder(tmp_path, lambda folder: read_claims(folder / path.name, {}, {}), examples)


@sizes
def test_titles(examples: int, tmp_path: Path) -> None:
    from polbias.generators.authoring.set_similarity import read_items

    (tmp_path / "titles.csv").write_text('Date,Title\n2020,"Markets, up"\n2021,Tax cut\n', "utf-8")
    _fuzz_folder(tmp_path, lambda folder: read_items(folder / "titles.csv"), examples)


@sizes
def test_articles(examples: int, tmp_path: Path) -> None:
    from polbias.generators.selfassess.article_records import group_by_item, read_articles
    from polbias.generators.selfassess.templates import load_family

    family = load_family()
    records = [
        {
            "id": f"pg-hea-001/user/{perspective}",
            "set": "poligen",
            "item": "pg-hea-001",
            "category": "hea",
            "topic": "A topic",
            "role": "user",
            "perspective": perspective,
            "side": family.sets["poligen"].side_of(perspective),
            "outcome": "ok",
            "text": "An article.",
            "model": "m",
            "leak": [],
        }
        for perspective in family.sets["poligen"].perspectives
    ]
    path = tmp_path / "articles.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    _fuzz_folder(tmp_path, lambda folder: group_by_item(family, read_articles(folder / path.name)), examples)
