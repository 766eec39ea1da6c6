"""`polbias author annotate`: from export to rows of the lexicon, as a person would do it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.process import run_polbias

HEAD = ["pair_id", "first", "second"]
PAIRS = [["apfel_obst", "Apfel", "Obst"], ["bus_wagen", "Bus", "Wagen"], ["chor_gesang", "Chor", "Gesang"]]


def polbias(*arguments: object, check: bool = True) -> tuple[str, str, int]:
    done = run_polbias(*arguments, check=check)
    return done.stdout, done.stderr, done.returncode


def fill(path: Path, answer: Callable[[dict[str, str]], dict[str, str]]) -> Path:
    """Fill in a table as a person with a German spreadsheet would."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row | answer(row) for row in csv.DictReader(file)]
    filled = path.with_name(f"filled.{path.name}")
    with filled.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return filled


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in [HEAD, *PAIRS]), "utf-8")
    return path


def test_words_from_export_to_labelled_rows(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    people = ["--annotator", "anna", "--annotator", "ben", "--annotator", "cem"]
    told, _, _ = polbias(
        "author", "annotate", "export", "words", "-o", folder, *people, "--source", source, "--reverse"
    )
    assert "6 tasks for anna, ben, cem" in told

    def answer(name: str) -> Callable[[dict[str, str]], dict[str, str]]:
        def given(row: dict[str, str]) -> dict[str, str]:
            forward = row["task_id"].endswith("forward")
            shift = "left" if forward else "right"
            if row["first"] == "Bus":  # a tie of three in one direction
                shift = {"anna": "left", "ben": "right", "cem": "none"}[name]
            odd = name == "cem" and row["first"] == "Apfel"
            judged = ("0", "1") if forward else ("1", "0")
            values = {"axis": "economic" if odd else "social", "shift": shift}
            return values | {"judgmental_first": judged[0], "judgmental_second": judged[1]}

        return given

    files = [fill(folder / f"answers.{name}.csv", answer(name)) for name in ("anna", "ben", "cem")]
    table = tmp_path / "people.csv"
    table.write_text("annotator,accounts,economic,social\nanna,1,-4.5,-3\nben,2,2,-1\n", "utf-8")
    report = tmp_path / "agreement.json"
    shown, _, _ = polbias(
        "author", "annotate", "agreement", folder, *files, "--annotators", table, "-o", report
    )
    data = json.loads(report.read_text("utf-8"))
    by_name = {each["variable"]: each for each in data["variables"]}
    # 18 answers, 17 social and 1 economic; one item of six is 2:1. Observed 2/18, expected 2*17*1/(18*17).
    assert by_name["axis"]["alpha"] == pytest.approx(1 - (2 / 18) / (34 / (18 * 17)))
    assert by_name["judgmental_first"]["alpha"] == 1
    assert (by_name["axis"]["items"], by_name["axis"]["annotators"]) == (6, 3)
    assert data["annotators"][0] == {"annotator": "anna", "economic": -4.5, "social": -3, "answers": 6}
    assert data["annotators"][2]["economic"] is None
    assert "-4.50" in shown

    merged = tmp_path / "merged.csv"
    polbias("author", "annotate", "import", folder, *files, "-o", merged)
    rows, undecided = tmp_path / "rows.tsv", tmp_path / "undecided.tsv"
    command = ["author", "annotate", "decide", folder, merged, "-o", rows, "--undecided", undecided]
    told, _, _ = polbias(*command)
    assert "2 pairs labelled, 1 not; 1 labels" in told
    line = undecided.read_text("utf-8").splitlines()[1].split("\t")
    assert line[:7] == ["bus_wagen", "Bus", "Wagen", "shift", "tie", "left 1, right 1, none 1", "left 3"]
    line[7] = "none"
    head = undecided.read_text("utf-8").splitlines()[0]
    undecided.write_text(f"{head}\n" + "\t".join(line) + "\n", "utf-8")
    told, _, _ = polbias(*command)
    assert "3 pairs labelled, 0 not" in told
    assert (
        rows.read_text("utf-8").splitlines()[2] == "bus_wagen\tBus\tWagen\tnone\tsocial\t0\t1\tgenerated\t-"
    )


def test_answers_are_never_overwritten(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    command = [
        "author",
        "annotate",
        "export",
        "words",
        "-o",
        folder,
        "--annotator",
        "anna",
        "--source",
        source,
    ]
    polbias(*command)
    polbias(*command)  # the same again is no loss
    path = folder / "answers.anna.csv"
    path.write_text(path.read_text("utf-8").replace(",,,,,", ",social,left,0,1,"), "utf-8")
    before = path.read_bytes()
    _, said, code = polbias(*command, check=False)
    assert code == 2
    assert "perhaps answers; choose another folder" in said
    assert path.read_bytes() == before


def test_claims_judged_in_a_table_and_in_label_studio(tmp_path: Path) -> None:
    source = tmp_path / "claims.jsonl"
    claims = [
        {
            "id": f"c{n}",
            "claim": f"Der Apfel {n} ist reif.",
            "shifted_claim": f"Das Obst {n} ist reif.",
            "base_word": "Apfel",
            "exchange_word": "Obst",
            "gold": "true",
        }
        for n in range(4)
    ]
    claims.append({**claims[0], "id": "c4", "shifted_claim": ""})
    source.write_text("".join(json.dumps(each) + "\n" for each in claims), "utf-8")
    folder = tmp_path / "export"
    both = ("--annotator", "anna", "--annotator", "ben")
    _, said, _ = polbias("author", "annotate", "export", "claims", "-o", folder, *both, "--source", source)
    assert "claims.jsonl:5: exchange_claim: found nothing" in said
    first = fill(
        folder / "answers.anna.csv",
        lambda row: {"similarity": "different" if row["task_id"] == "c3" else "similar"},
    )
    tasks = json.loads((folder / "label-studio.ben.json").read_text("utf-8"))
    assert {task["data"]["task_id"] for task in tasks} == {"c0", "c1", "c2", "c3"}
    for task in tasks:
        value = "different" if task["data"]["task_id"] in {"c0", "c3"} else "similar"
        result = [{"from_name": "similarity", "type": "choices", "value": {"choices": [value]}}]
        task["annotations"] = [{"completed_by": 1, "result": result}]
    second, report = tmp_path / "second.json", tmp_path / "agreement.json"
    second.write_text(json.dumps(tasks), "utf-8")
    polbias("author", "annotate", "agreement", folder, first, second, "-o", report)
    (similarity,) = json.loads(report.read_text("utf-8"))["variables"]
    # 8 answers, 5 similar and 3 different; one item of four is 1:1. Observed 2/8, expected 2*5*3/(8*7).
    assert similarity["alpha"] == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_the_output_of_pairs_is_annotated_as_it_is(tmp_path: Path) -> None:
    claims = tmp_path / "claims.csv"
    rows = [
        "f,Die Sozialabgaben stiegen im Jahr 1990.,true",
        "g,Ein Endlager fehlt.,true",
        "h,Der Regen fiel.,false",
    ]
    claims.write_text("\n".join(["claim_id,claim,gold", *rows]), "utf-8")
    polbias("author", "pairs", claims, "-o", tmp_path / "pairs.csv")
    export = ("author", "annotate", "export", "claims", "--annotator", "anna")
    _, said, _ = polbias(*export, "-o", tmp_path / "export", "--source", tmp_path / "pairs.csv")
    assert "pairs.csv:5" in said  # the claim without a pair
    answers = fill(tmp_path / "export" / "answers.anna.csv", lambda row: {"similarity": "similar"})
    polbias("author", "annotate", "import", tmp_path / "export", answers, "-o", tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        imported = {row["task_id"]: row["exchange_claim"] for row in csv.DictReader(file)}
    # Two pairs of the claim f, told apart by their words.
    assert {id.split("/")[0] for id in imported} == {"f", "g"}
    assert sorted(imported.values()) == [
        "Die Beitragspflichten stiegen im Jahr 1990.",
        "Die Zwangsabgaben stiegen im Jahr 1990.",
        "Ein Entsorgungspark fehlt.",
    ]


def test_columns_of_claims_are_named_by_an_option(tmp_path: Path) -> None:
    source = tmp_path / "claims.csv"
    names = ("nr", "text", "base_word", "exchange_word", "shifted_claim")
    values = ("7", "Der Apfel ist reif.", "Apfel", "Obst", "Das Obst ist reif.")
    source.write_text("\n".join(map(",".join, (names, values))), "utf-8")
    export = ("author", "annotate", "export", "claims", "--annotator", "a", "-o", tmp_path / "export")
    _, said, code = polbias(*export, "--source", source, check=False)
    assert code == 2
    assert "--column" in said
    polbias(*export, "--source", source, "--column", "id=nr", "--column", "base_claim=text")
    (task,) = json.loads((tmp_path / "export" / "tasks.json").read_text("utf-8"))["tasks"]
    assert (task["id"], task["texts"]["base_claim"]) == ("7", "Der Apfel ist reif.")


def test_claims_need_a_table(tmp_path: Path) -> None:
    _, said, code = polbias(
        "author", "annotate", "export", "claims", "-o", tmp_path, "--annotator", "a", check=False
    )
    assert code == 2
    assert "--source: found nothing" in said
