"""Further pairs: the table of an answer, the review file, and rows for the lexicon."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from polbias.generators.authoring.annotation.tasks import load_guideline, source_rows
from polbias.generators.authoring.word_pairs import (
    COLUMNS,
    REVIEW,
    Suggestion,
    generation,
    read_review,
    read_table,
    requests,
    suggestions,
    unlabelled_tsv,
)
from polbias.generators.engine.spreadsheets import SheetError
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.models import Answer, Chat, Recorder, parse_prices, plan, run
from tests.models.servers import ChatServer

MARKDOWN = """\
<think>Eine Tabelle | mit Spalten</think>Gerne, hier ist die Tabelle:

| Nr. | Neutraler Begriff | **X-Phemismus** | Euphemismus/Dysphemismus | Politisches Lager |
|----:|:------------------|:----------------|--------------------------|-------------------|
| 1 | Steuer | **Abgabe** | Euphemismus | links |
| 2. | "Rodung" | Kahlschlag | Dysphemismus | Grüne, linkes Lager |
| 3 | Gebühr | =Maut |  |  |
| 4 | Beamter | | Dysphemismus | rechts |
| 5 | Amt | amt | Dysphemismus | rechts |

Weitere Begriffe auf Anfrage.
"""
LEXICON = load_lexicon()
GUIDELINE = load_guideline()


def test_a_markdown_table_with_a_head() -> None:
    found, unread = read_table(MARKDOWN, "answer 1")
    assert found == [
        Suggestion("Steuer", "Abgabe", "euphemism", "links", "answer 1, line 5"),
        Suggestion("Rodung", "Kahlschlag", "dysphemism", "Grüne, linkes Lager", "answer 1, line 6"),
        Suggestion("Gebühr", "=Maut", "", "", "answer 1, line 7"),
    ]
    assert [(each.place, each.code) for each in unread] == [
        ("answer 1, line 1", "no line of a table"),
        ("answer 1, line 8", "a word is missing"),
        ("answer 1, line 9", "both words are the same"),
        ("answer 1, line 11", "no line of a table"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "| Rodung | Kahlschlag | Dysphemismus | links |",
        "Rodung | Kahlschlag | Dysphemismus | links",
        "| 1 | Rodung | Kahlschlag | Dysphemismus | links |",
        "```\n|Begriff A|Begriff B|Was|Wer|\n|-|-|-|-|\n|Rodung|*Kahlschlag*|Dysphemismus|links|\n```",
        "Rodung\tKahlschlag\tDysphemismus\tlinks",
        "Rodung; Kahlschlag; Dysphemismus; links",
        "| X-Phemismus | Lager | Typ | Neutrales Wort |\n|---|---|---|---|\n| Kahlschlag | links | Dysphemismus | Rodung |",
    ],
)
def test_other_tables(table: str) -> None:
    found, unread = read_table(table, "a")
    assert unread == []
    assert [(s.neutral, s.xphemism, s.kind, s.camp) for s in found] == [
        ("Rodung", "Kahlschlag", "dysphemism", "links")
    ]


def test_columns_in_an_unknown_order_are_not_guessed() -> None:
    found, unread = read_table("| Kahlschlag | Dysphemismus | Rodung | links |", "a")
    assert found == []
    assert str(unread[0]) == (
        "a, line 1: the kind stands in column 2, expected 3: '| Kahlschlag | Dysphemismus | Rodung | links |'"
    )


def test_what_is_known_is_marked() -> None:
    pair = LEXICON.pairs[0]
    lines = [(pair.second.upper(), pair.first), ("Rodung", "Kahlschlag"), ("Kahlschlag", "Rodung")]
    text = "\n".join(f"| {one} | {other} | Euphemismus | Mitte |" for one, other in lines)
    found, unread = suggestions([Answer(text), None, Answer("", "content_filter")], LEXICON)
    assert [each.status for each in found] == ["in-lexicon", "new", "repeated"]
    assert [(each.place, each.code.split(":")[0].split(";")[0]) for each in unread] == [
        ("answer 2", "not answered"),
        ("answer 3", "finish_reason content_filter"),
    ]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda prompt: MARKDOWN) as server:
        yield server


def test_asking_is_estimated_recorded_and_replayed(server: ChatServer, tmp_path: Path) -> None:
    chat = Chat("stub", server.base_url, retries=0)
    asked = requests(chat, 3)
    console = Console(file=io.StringIO(), width=300)
    with Recorder(tmp_path / "r") as recorder:
        planned = plan(asked, [chat], recorder, parse_prices(["stub=1/2"]))
        assert planned.estimates[0].received > 3 * 1000
        assert planned.estimates[0].cost
        outcome = run(asked, [chat], recorder, yes=True, console=console)
    assert server.count == 3
    assert {body["seed"] for body in server.bodies} == {1, 2, 3}
    prompt = generation().further_pairs.prompt
    assert prompt.startswith("Ich möchte X-phemismen")
    assert all(body["messages"] == [{"role": "user", "content": prompt}] for body in server.bodies)
    found, _ = suggestions(outcome.answers, LEXICON)
    assert Counter(each.status for each in found) == {"in-lexicon": 3, "new": 2, "repeated": 4}
    again = run(asked, [], Recorder(tmp_path / "r", "replay"), console=console)
    assert suggestions(again.answers, LEXICON)[0] == found


def write(path: Path, *rows: dict[str, str]) -> Path:
    """Write a review file of three suggestions with some cells filled in."""
    text = REVIEW.text(suggestions([Answer(MARKDOWN)], LEXICON)[0])
    lines = list(csv.reader(io.StringIO(text), delimiter="\t"))
    for line, row in zip(lines[1:], rows, strict=False):
        for name, value in row.items():
            line[COLUMNS.index(name)] = value
    path.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    return path


LABELS = {"axis": "economic", "shift": "right", "judgmental_first": "0", "judgmental_second": "1"}
ACCEPTED = {"decision": "Accept", "reviewer": "A. R."}


def test_a_review_becomes_rows_and_tasks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.tsv",
        {"decision": "reject", "reviewer": "A. R."},
        {**ACCEPTED, **LABELS},
        {**ACCEPTED, "second": "Straßenmaut"},
    )
    found = read_review(path, LEXICON, GUIDELINE)
    (pair,) = found.pairs
    assert (pair.pair_id, pair.first, pair.second) == ("rodung_kahlschlag", "Rodung", "Kahlschlag")
    assert (pair.shift, pair.axis, pair.judgmental_second) == ("right", "economic", True)
    assert (pair.collected, pair.printed) == ("generated", None)
    assert [row["pair_id"] for row in found.unlabelled] == ["gebuehr_strassenmaut"]
    assert {"Rodung", "Straßenmaut"} <= {*found.words}
    assert {*found.words}.isdisjoint(LEXICON.words)
    assert (found.rejected, found.open) == (1, 0)
    table = tmp_path / "pairs.tsv"
    table.write_text(unlabelled_tsv(found), "utf-8")
    rows, problems = source_rows(table, "words")
    assert (rows, problems) == ([dict(found.unlabelled[0])], [])


def test_what_is_decided_is_kept_when_asked_again(tmp_path: Path) -> None:
    path = write(tmp_path / "r.tsv", {}, {**ACCEPTED, **LABELS}, {"decision": "reject", "reviewer": "B."})
    new = "| Neu | Modern | Euphemismus | Mitte |\n| Gebühr | =Maut | | |"
    text = REVIEW.text(suggestions([Answer(new)], LEXICON)[0], REVIEW.rows(path))
    path.write_text(text, "utf-8")
    assert [(row["xphemism"], row["decision"]) for row in REVIEW.rows(path)] == [
        ("Modern", ""),
        ("=Maut", "reject"),
        ("Kahlschlag", "Accept"),
    ]
    assert "\t'=Maut\t" in text


def test_a_review_that_cannot_be_used(tmp_path: Path) -> None:
    known = LEXICON.pairs[0]
    path = write(
        tmp_path / "r.tsv",
        {"decision": "perhaps"},
        {**ACCEPTED, "shift": "left"},
        {**ACCEPTED, **LABELS, "shift": "up"},
    )
    with pytest.raises(SheetError) as error:
        read_review(path, LEXICON, GUIDELINE)
    decision, labels, value = error.value.problems
    assert "r.tsv:2: decision: found 'perhaps', expected accept, reject or nothing" in decision
    assert "r.tsv:3: axis: found nothing beside other labels" in labels
    assert "r.tsv:4: shift: found 'up', expected one of left, right, none" in value
    path = write(
        tmp_path / "r.tsv",
        {**ACCEPTED, "first": known.second, "second": known.first},
        {**ACCEPTED, "reviewer": ""},
        {"neutral": ""},
    )
    with pytest.raises(SheetError) as error:
        read_review(path, LEXICON, GUIDELINE)
    there, nobody, gone = error.value.problems
    assert "r.tsv:2: decision: found a pair that is there already" in there
    assert "r.tsv:3: reviewer: found nothing" in nobody
    assert "r.tsv:4: neutral, xphemism: found nothing" in gone


@pytest.mark.parametrize("word", ["🙂", "A\0b", "A\u200bb", "--", "x" * 200, "-" * 400 + "x"])
def test_a_word_that_no_row_can_hold(tmp_path: Path, word: str) -> None:
    path = write(tmp_path / "r.tsv", {**ACCEPTED, **LABELS, "first": word})
    with pytest.raises(SheetError, match="r.tsv:2: first, second: found .*, expected a word in letters"):
        read_review(path, LEXICON, GUIDELINE)
