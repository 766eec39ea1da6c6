"""Files that stand in for what a command would make itself: articles, exemplars, ids, positions of parties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faults.support.campaign import sizes
from tests.faults.support.desk import Desk, content, json_lines
from tests.selfassess.small import small_folder
from tests.support import probvaa_folder

_SAMPLES = "samples_polbias_selfassess_generate_2026-01-01T00-00-00.000000.jsonl"


def _article_files(kind: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Return articles as somebody gives them: records, no more than id and text, or samples of lm_eval."""
    from polbias.experiments.self_assessment import article_record

    texts = [f"An article, number {number}." for number in range(len(rows))]
    given = [*zip(rows, texts, strict=True)]
    if kind == "samples":
        samples = [
            {"doc_id": number, "doc": dict(row), "resps": [[text]], "filtered_resps": [text]}
            for number, (row, text) in enumerate(given)
        ]
        return {_SAMPLES: json_lines(samples)}
    if kind == "texts":
        return {"given.jsonl": json_lines([{"id": row["id"], "text": text} for row, text in given])}
    records = [article_record(row, text, "m", lambda _: []) for row, text in given]
    return {"given.jsonl": json_lines(records)}


def _articles(folder: Path, kind: str) -> Desk:
    from polbias.experiments.self_assessment import (
        ChosenSet,
        article_rows,
        find_set,
        read_user_articles,
        write_questions,
    )
    from polbias.generators.selfassess.choices import ChoiceDesign

    own = find_set(str(small_folder(folder / "templates") / "poligen"))
    chosen, rows = ChosenSet(own.family, own.name, is_custom=False), article_rows(own)
    item = [row for row in rows if row["cluster_id"] == rows[0]["cluster_id"]]
    files = _article_files(kind, item)

    def choose(given: Path, made: Path) -> None:
        records = read_user_articles(given / next(iter(files)), chosen)
        write_questions(made / "choices.jsonl", chosen, records, ChoiceDesign())

    return Desk(folder, files, choose)


@pytest.mark.parametrize("kind", ["records", "texts", "samples"])
@sizes
def test_articles_damaged(kind: str, examples: int, tmp_path: Path) -> None:
    _articles(tmp_path, kind).damage(examples)


@pytest.mark.parametrize("kind", ["records", "texts", "samples"])
@sizes
def test_articles_rewritten(kind: str, examples: int, tmp_path: Path) -> None:
    _articles(tmp_path, kind).rewrite(examples)


@sizes
def test_exemplars(examples: int, tmp_path: Path) -> None:
    from polbias.cli.audit import _audit_formal

    def audit(given: Path, made: Path) -> None:
        exemplars = [given / "shots.tsv", given / "shots.jsonl"]
        _audit_formal(given / "items.tsv", "normative", [made / "items.csv"], False, {}, exemplars, None)

    row = {"premise": "Ann must go.", "hypothesis": "Ann may go.", "gold": "entailment"}
    table = "".join("\t".join(line) + "\n" for line in (row.keys(), row.values()))
    files = {"items.tsv": table.encode(), "shots.tsv": table.encode(), "shots.jsonl": json_lines([row, row])}
    Desk(tmp_path, files, audit, (), ("items.csv",)).damage(examples)


@sizes
def test_excluded_pairs(examples: int, tmp_path: Path) -> None:
    from polbias.cli.report import read_pair_ids

    def read(given: Path, _: Path) -> None:
        assert all(each.strip() == each != "" for each in read_pair_ids(given / "pairs.txt"))

    Desk(tmp_path, {"pairs.txt": b"claim-1\n\nclaim-2\n"}, read).damage(examples)


@sizes
def test_positions_of_parties(examples: int, tmp_path: Path) -> None:
    from polbias.cli.report import read_party_positions

    source = probvaa_folder.make(tmp_path / "source", only=("es", "it"))
    Desk(tmp_path, content(source), lambda given, _: read_party_positions(given), ("given",)).damage(examples)
