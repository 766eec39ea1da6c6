"""Titles of a user: rules on labelled titles, tables of several kinds, reasons and counts."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from polbias.files import InputError, TemplateError
from polbias.generators.authoring.titles import read_column, sift, title_rules, write_sifted
from tests.support.process import run_polbias

LABELLED = Path(__file__).with_name("titles_labelled.tsv")
FNSPID = """\
,Date,Article_title,Stock_symbol,Url,Publisher,Author,Article,Lsa_summary
0,2023-12-16 23:00:00 UTC,"Halden, Foods Stock Falls 3%",HAL,https://example.org/1,,,"A text
over ""two"" lines",
1,2023-12-12 00:00:00 UTC,Lawmakers weigh tax on sugar,HAL,https://example.org/2,,,,
2,2023-12-12 00:00:00 UTC,lawmakers  weigh tax on Sugar,TAR,https://example.org/2,,,,
3,2023-12-11 00:00:00 UTC,,TAR,https://example.org/3,,,,
4,2023-12-11 00:00:00 UTC,Shares fall after ministers announce price caps,TAR,https://example.org/4,,,,
5,2023-12-10 00:00:00 UTC,Tarn Energy Declares Dividend,TAR,https://example.org/5,,,,
"""


def test_precision_and_recall_on_labelled_titles(capsys: pytest.CaptureFixture[str]) -> None:
    with LABELLED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) >= 150
    judged = [(title_rules().judge(row["title"]).reason is not None, row["financial"] == "1") for row in rows]
    hits = sum(out and financial for out, financial in judged)
    precision, recall = hits / sum(out for out, _ in judged), hits / sum(f for _, f in judged)
    with capsys.disabled():
        sys.stdout.write(f"\nexcluded titles: precision {precision:.3f}, recall {recall:.3f}, n {len(rows)}")
    assert precision >= 0.97
    assert recall >= 0.9


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("Marlow Slips After Mixed Quarter; ETF Flows Strong", "etf"),
        ("Corvale Price Target Raised", "analyst-rating"),
        ("Tarn Q3 Earnings Beat Estimates", "earnings"),
        ("Tarn Declares Quarterly Dividend", "dividend"),
        ("Lyme Crosses Above 200-Day Moving Average", "technical"),
        ("Why Halden Stock Is Down Today", "stock-move"),
        ("S&P 500 Ends at Record", "index"),
        ("Congress debates dividend tax change", None),
        ("S&P 500 Ends Lower as Senate Rejects Budget Deal", None),
        ("Lawmakers seek curbs on share buybacks rules", None),
    ],
)
def test_reasons(title: str, reason: str | None) -> None:
    assert title_rules().judge(title).reason == reason


def test_a_file_of_fnspid(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text(FNSPID, "utf-8")
    found = [(title.row, title.reason, title.words or title.policy) for title in sift(path, title_rules())]
    assert found == [
        (1, "stock-move", "Stock Falls"),
        (2, None, "Lawmakers"),
        (3, "repeated", "lawmakers weigh tax on Sugar"),
        (4, "empty", ""),
        (5, None, "ministers"),
        (6, "dividend", "Dividend"),
    ]


def test_the_command_writes_both_files_and_counts(tmp_path: Path) -> None:
    path, kept, out = tmp_path / "news.csv", tmp_path / "kept.tsv", tmp_path / "out.tsv"
    path.write_text(FNSPID, "utf-8")
    done = run_polbias("titles", path, "-o", kept, "--excluded", out)
    assert done.stdout.splitlines()[0] == "6 titles: 2 kept, 4 left out"
    assert "  1 dividend: dividends, buybacks and splits" in done.stdout
    assert kept.read_text("utf-8").splitlines() == [
        "row\ttitle\tpolicy",
        "2\tLawmakers weigh tax on sugar\tLawmakers",
        "5\tShares fall after ministers announce price caps\tministers",
    ]
    assert len(out.read_text("utf-8").splitlines()) == 5
    assert {text for _, text in read_column(kept)} == {
        "Lawmakers weigh tax on sugar",
        "Shares fall after ministers announce price caps",
    }


def test_formulas_do_not_reach_a_spreadsheet(tmp_path: Path) -> None:
    path, kept = tmp_path / "news.csv", tmp_path / "kept.tsv"
    path.write_text("headline\n=SUM(A1) tax\n", "utf-8")
    assert write_sifted(path, title_rules(), kept)[None] == 1
    assert kept.read_text("utf-8").splitlines()[1].split("\t")[1] == "'=SUM(A1) tax"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (
            "a,b\n1,2\n",
            None,
            "news.csv:1: head: found a, b; expected a column such as 'title' or 'article_title'",
        ),
        ("a,b\n1,2\n", "c", "news.csv:1: head: found a, b; expected a column 'c'"),
        ("", None, "news.csv:1: head: found nothing"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, column: str | None, message: str) -> None:
    path = tmp_path / "news.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        list(read_column(path, column))
    assert message in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(read_column(tmp_path / "none.csv"))
    path = tmp_path / "latin.csv"
    path.write_bytes("title\nPreise für Öl\n".encode("latin-1"))
    kept = tmp_path / "kept.tsv"
    kept.write_text("before", "utf-8")
    with pytest.raises(InputError, match="not UTF-8"):
        write_sifted(path, title_rules(), kept)
    assert kept.read_text("utf-8") == "before"
    with pytest.raises(InputError, match="same file twice"):
        write_sifted(path, title_rules(), path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.tsv", "latin.csv"]


def test_a_column_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("id\tOverskrift\n1\tA tax\n2\n", "utf-8")
    assert list(read_column(path, "overskrift")) == [(1, "A tax"), (2, "")]


@pytest.mark.parametrize("pattern", ["(?i)stocks?", "a{9999999999999}", "(?:" * 2000 + ")" * 2000, "["])
def test_a_pattern_that_cannot_be_joined_to_others(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "titles.yaml"
    rules = {"columns": {"title": ["title"]}, "unless": {"patterns": [{"pattern": "tax"}]}}
    rules |= {"reasons": {"own": {"says": "x", "patterns": [{"pattern": pattern}]}}}
    path.write_text(json.dumps(rules), "utf-8")
    with pytest.raises(TemplateError, match=r"titles\.yaml:1: reasons\.own.*no regular expression"):
        title_rules(path)
