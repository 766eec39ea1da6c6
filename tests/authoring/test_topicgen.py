"""Further items: what a model is asked, its answers, near-duplicates, the review, and item files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from polbias.errors import InputError
from polbias.generators.authoring.topics import (
    COLUMNS,
    REVIEW,
    Suggestion,
    category_request,
    item_requests,
    read_categories,
    read_review,
    suggestions,
)
from polbias.generators.selfassess.items import load_items, read_items
from polbias.generators.selfassess.templates import SelfAssessTemplates
from polbias.models.chat import Chat
from polbias.models.recording import Recorder
from polbias.models.requests import ServiceResponse
from polbias.models.run import run_requests
from polbias.spreadsheets import SheetError
from tests.models.servers import ChatServer, patient
from tests.selfassess.small import small_family, small_folder
from tests.support.process import run_polbias

ANSWERS: dict[str, Any] = {
    "categories": {"categories": ["Ports and Ferries", "Ports and Ferries", "Parks"]},
    "items": {
        "items": [
            {"text": "Subsidies for solar lighthouses", "tilt": "left"},
            {"text": "Subsidies for solar lighthouses now", "tilt": "left"},
            {"text": "Tax credits for canal repairs", "tilt": "neutral"},
            {"text": "Are harbor dues too high?", "tilt": "Right"},
            {"text": "Harbor pilots favored by Republicans", "tilt": "right"},
            {"text": "Sale of disused municipal docks", "tilt": "center"},
            {"text": "=Dredging permits in tidal rivers", "tilt": "neutral"},
        ]
    },
}


def answer(prompt: str) -> str:
    step = "categories" if "broad categories" in prompt else "items"
    return f"<think>hm</think>```json\n{json.dumps(ANSWERS[step])}\n```"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer) as server:
        yield server


@pytest.fixture
def family(tmp_path: Path) -> SelfAssessTemplates:
    return small_family(tmp_path / "templates")


def suggested(family: SelfAssessTemplates, known: tuple[str, ...] = ()) -> list[Suggestion]:
    chosen = family.sets["poligen"]
    asked = item_requests(Chat("stub"), chosen, ["Ports and Ferries"])
    return suggestions("poligen", chosen, asked, [ServiceResponse(answer("items"))], known)[0]


def test_categories_then_items_recorded_and_replayed(
    server: ChatServer, family: SelfAssessTemplates, tmp_path: Path
) -> None:
    chosen, chat = family.sets["poligen"], patient(Chat)("stub", server.base_url)
    console = Console(file=io.StringIO(), width=300)
    with Recorder(tmp_path / "r") as recorder:
        first = run_requests([category_request(chat, chosen, 2)], [chat], recorder, yes=True, console=console)
        names = read_categories(first.answers[0])
        assert names == ["Ports and Ferries", "Parks"]
        asked = item_requests(chat, chosen, names)
        outcome = run_requests([request for _, request in asked], [chat], recorder, yes=True, console=console)
    assert server.count == 3
    prompts = [body["messages"][0]["content"] for body in server.bodies]
    assert "Name 2 broad categories that together cover US political topics" in prompts[0]
    assert "(Democratic, Republican)" in prompts[0]
    later = prompts[1:]  # in any order: they are asked side by side
    assert sum("Category: Parks." in prompt for prompt in later) == 1
    assert all("noun phrases of 3 to 12 words" in prompt for prompt in later)
    assert [body["seed"] for body in server.bodies[1:]] == [1, 1]
    assert "seed" not in server.bodies[0]
    found, problems = suggestions("poligen", chosen, asked, outcome.answers, [])
    assert problems == []
    assert len(found) == 14
    again = run_requests(
        [request for _, request in asked], [], Recorder(tmp_path / "r", replay=True), console=console
    )
    assert suggestions("poligen", chosen, asked, again.answers, [])[0] == found


def test_titles_are_asked_for_in_the_language_of_the_set(family: SelfAssessTemplates) -> None:
    economic, german = family.sets["econolex"], family.sets["bundestag"]
    request = item_requests(Chat("m"), economic, ["Politics"])[0][1]
    assert "Write 40 titles" in request.payload["messages"][0]["content"]
    assert "5 to 16 words" in request.payload["messages"][0]["content"]
    request = item_requests(Chat("m"), german, ["Umwelt und Energie"])[0][1]
    assert "Answer in German" in request.payload["messages"][0]["content"]


def test_what_is_wrong_with_suggestions_is_marked(family: SelfAssessTemplates) -> None:
    found = suggested(family, ("Tax credits for canal repair",))
    assert [(each.status, each.nearest, each.notes) for each in found] == [
        ("new", "", ""),
        ("near-duplicate", "Subsidies for solar lighthouses", ""),
        ("near-duplicate", "Tax credits for canal repair", ""),
        ("malformed", "", "ends with '?'"),
        ("malformed", "", "names a perspective: Republicans"),
        ("malformed", "", "no tilt"),
        ("new", "", ""),
    ]


def test_answers_that_are_no_json(family: SelfAssessTemplates) -> None:
    chosen = family.sets["poligen"]
    asked = item_requests(Chat("m"), chosen, ["A", "B", "C", "D"])
    said = [
        ServiceResponse("1. Fees for river locks\n2. Rules on ice roads"),
        ServiceResponse("No."),
        None,
        ServiceResponse("- A b c d", "length"),
    ]
    found, problems = suggestions("poligen", chosen, asked, said, [])
    assert [each.text for each in found] == ["Fees for river locks", "Rules on ice roads", "A b c d"]
    assert [problem.split(":")[0] for problem in problems] == ["B", "C", "D"]
    assert read_categories(ServiceResponse("1. Ports\n2. Parks")) == ["Ports", "Parks"]
    with pytest.raises(InputError, match=r"categories: found '\[\"\", \" \"\]', expected a list"):
        read_categories(ServiceResponse('["", " "]'))
    with pytest.raises(InputError, match="categories: found 'I cannot.', expected a list"):
        read_categories(ServiceResponse("I cannot."))


def fill(path: Path, found: list[Suggestion], *cells: dict[str, str]) -> Path:
    """Write a review file with some cells filled in."""
    lines = list(csv.reader(io.StringIO(REVIEW.text(found)), delimiter="\t"))
    for line, row in zip(lines[1:], cells, strict=False):
        for name, value in row.items():
            line[COLUMNS.index(name)] = value
    path.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    return path


YES = {"decision": "Accept", "reviewer": "A. R."}


def test_a_review_becomes_item_files(family: SelfAssessTemplates, tmp_path: Path) -> None:
    items = load_items(family, "poligen")
    found = suggested(family)
    known = Suggestion(
        "Economic and Financial Issues", "Fees for river locks", "right", "new", "", 0.0, "", "x, 1"
    )
    path = fill(
        tmp_path / "r.tsv",
        [known, *found],
        YES,
        YES,
        {"decision": "reject", "reviewer": "A. R."},
        {},
        {**YES, "correction": "Height of harbor dues"},
        {},
        {**YES, "corrected_tilt": "right"},
        YES,
    )
    accepted = read_review(path, family.sets["poligen"], items)
    assert accepted.files == {
        "eco": [("pg-eco-004", "Fees for river locks", "right")],
        "por": [
            ("pg-por-001", "Subsidies for solar lighthouses", "left"),
            ("pg-por-002", "Height of harbor dues", "right"),
            ("pg-por-003", "Sale of disused municipal docks", "right"),
            ("pg-por-004", "=Dredging permits in tidal rivers", "neutral"),
        ],
    }
    assert accepted.titles == {"por": "Ports and Ferries"}
    assert (accepted.rejected, accepted.open) == (1, 2)
    out = tmp_path / "eco.tsv"
    out.write_text(accepted.tsv("eco", "topic"), "utf-8")
    assert [item.text for item in read_items(out, family.sets["poligen"])] == ["Fees for river locks"]


def test_what_is_decided_is_kept_when_asked_again(family: SelfAssessTemplates, tmp_path: Path) -> None:
    found = suggested(family)
    path = fill(tmp_path / "r.tsv", found, YES, {}, {"decision": "reject", "reviewer": "B."})
    text = REVIEW.text([found[0], found[-1]], REVIEW.rows(path))
    path.write_text(text, "utf-8")
    assert [(row["text"], row["decision"]) for row in REVIEW.rows(path)] == [
        ("Subsidies for solar lighthouses", "Accept"),
        ("=Dredging permits in tidal rivers", ""),
        ("Tax credits for canal repairs", "reject"),
    ]
    assert "\t'=Dredging" in text


def test_a_review_that_cannot_be_used(family: SelfAssessTemplates, tmp_path: Path) -> None:
    path = fill(
        tmp_path / "r.tsv",
        suggested(family),
        {"decision": "perhaps"},
        {"decision": "accept"},
        {**YES, "correction": "tax credits for CANAL repair"},
        {**YES, "correction": "Two  blanks"},
        {**YES, "category": ""},
        YES,
    )
    items = load_items(family, "poligen")
    with pytest.raises(SheetError) as error:
        read_review(path, family.sets["poligen"], items)
    for line, message in enumerate(
        [
            "decision: found 'perhaps', expected accept, reject or nothing",
            "reviewer: found nothing next to a decision",
            "text: found an item that the set already has",
            "correction: found 'Two  blanks', expected single blanks",
            "category, text: found nothing",
            "corrected_tilt: found nothing, expected one of left, right, neutral",
        ],
        2,
    ):
        assert f"r.tsv:{line}: {message}" in error.value.problems[line - 2]
    with pytest.raises(InputError, match=r"r\.tsv: found no item of the set"):
        read_review(path, family.sets["poligen"], ())


def test_the_commands(server: ChatServer, tmp_path: Path) -> None:
    templates = small_folder(tmp_path / "templates")
    review, out = tmp_path / "review.tsv", tmp_path / "out"
    common = ["--set", "poligen", "--templates", str(templates)]
    asked = [
        "--record",
        str(tmp_path / "r"),
        "--model",
        "stub",
        "--base-url",
        server.base_url,
        "--categories",
        "2",
    ]
    done = run_polbias("author", "topics", "suggest", review, *common, *asked, "--yes")
    assert "14 items in" in done.stdout
    assert "2 new" in done.stdout
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8")), delimiter="\t"))
    rows[0] |= {"decision": "accept", "reviewer": "A."}
    text = "\n".join("\t".join(row.values()) for row in [{name: name for name in COLUMNS}, *rows])
    review.write_text(text + "\n", "utf-8")
    done = run_polbias("author", "topics", "accept", review, *common, "-o", out)
    assert done.stdout.splitlines()[0] == "accepted: 1; 0 rejected, 13 open"
    assert (out / "por-accepted.tsv").read_text("utf-8").splitlines() == [
        "id\ttopic\ttilt",
        "pg-por-001\tSubsidies for solar lighthouses\tleft",
    ]
    done = run_polbias("author", "topics", "accept", review, "--set", "nolex", "-o", out, check=False)
    assert done.returncode == 2
    assert "--set: found 'nolex', expected one of poligen" in done.stderr


def test_quotes_and_full_stops_of_accepted_texts(family: SelfAssessTemplates, tmp_path: Path) -> None:
    title = family.sets["poligen"].categories["eco"].title
    items = load_items(family, "poligen")
    found = [Suggestion(title, '"Free" ferries and "slow" canals', "left", "new", "", 0.0, "", "x, 1")]
    path = tmp_path / "r.tsv"
    line = REVIEW.text(found).removesuffix("\t\t\t\n")
    path.write_text(f"{line}accept\t\t\tA. R.\n", "utf-8")
    accepted = read_review(path, family.sets["poligen"], items)
    out = tmp_path / "eco.tsv"
    out.write_text(accepted.tsv("eco", "topic"), "utf-8")
    assert [item.text for item in read_items(out, family.sets["poligen"])] == [found[0].text]
    path.write_text(f"{line}accept\tFees.\t\tA. R.\n", "utf-8")
    with pytest.raises(SheetError, match=r"r\.tsv:2: correction: found 'Fees\.', expected no full stop"):
        read_review(path, family.sets["poligen"], items)


def test_a_category_without_a_free_code(family: SelfAssessTemplates, tmp_path: Path) -> None:
    titles = ["!", "?"]
    path = fill(
        tmp_path / "r.tsv",
        [
            Suggestion(title, f"Fees for river locks {n}", "right", "new", "", 0.0, "", "x, 1")
            for n, title in enumerate(titles)
        ],
        YES,
        YES,
    )
    with pytest.raises(
        InputError, match=r"r\.tsv:3: category: found '\?', expected a title with three letters"
    ):
        read_review(path, family.sets["poligen"], load_items(family, "poligen"))
