"""What annotators get: golden files of Label Studio, spreadsheets, orders."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from polbias.errors import InputError, TemplateError
from polbias.generators.authoring.annotation.tasks import (
    FIELDS,
    Guideline,
    Kind,
    TaskSet,
    export,
    label_studio_tasks,
    make_tasks,
    read_tasks,
    shuffle_tasks,
    source_rows,
)
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
from polbias.paths import package_file
from polbias.yaml_models import load_template
from tests.authoring.annotation.conftest import claim_set, word_set

GOLDEN = Path(__file__).parent / "golden"
KINDS: tuple[Kind, ...] = ("words", "claims")


def test_labeling_configs_are_the_golden_files() -> None:
    own = load_template(GOLDEN / "guideline.yaml", Guideline)
    for kind in KINDS:
        assert own.render("label-studio.xml.jinja", kind) == (GOLDEN / f"label-studio.{kind}.xml").read_text(
            "utf-8"
        )
    assert own.render("guideline.md.jinja", "words") == (GOLDEN / "guideline.words.md").read_text("utf-8")


@pytest.mark.parametrize("folder", [package_file("templates/xphemism"), GOLDEN])
@pytest.mark.parametrize("kind", KINDS)
def test_labeling_config_asks_what_the_guideline_says(kind: Kind, folder: Path) -> None:
    guideline = load_template(folder / "guideline.yaml", Guideline)
    text = guideline.render("label-studio.xml.jinja", kind)
    root = ElementTree.fromstring(text)
    shown = {node.get("name"): node.get("value") for node in root.iter("Text")}
    assert shown == {name: f"${name}" for name in FIELDS[kind]}
    choices = {
        node.get("name"): [each.get("value") for each in node.findall("Choice")]
        for node in root.iter("Choices")
    }
    assert choices == {each.id: list(each.values) for each in guideline.variables(kind)}
    assert {node.get("toName") for node in root.iter("Choices")} <= shown.keys()
    told = " ".join(node.get("value", "") for node in root.iter("Header"))
    for lines in guideline.sections(kind).values():
        for line in lines:
            assert line in told


@pytest.mark.parametrize("kind", ["words", "claims"])
def test_tasks_are_the_golden_file(kind: Kind) -> None:
    tasks = word_set(reverse=True) if kind == "words" else claim_set(count=2)
    text = label_studio_tasks(tasks.tasks, "anna")
    assert text == (GOLDEN / f"tasks.{kind}.json").read_text("utf-8")
    for number, task in enumerate(json.loads(text), 1):
        assert task.keys() == {"id", "data"}
        assert task["id"] == number


def test_the_corrected_example_is_shown(guideline: Guideline) -> None:
    printed = next(each for each in guideline.examples if each.erratum)
    # Table 5 has the second word in the plural.
    pair = next(
        p
        for p in load_lexicon().pairs
        if (p.first, p.second.removesuffix("e")) == (printed.first, printed.second)
    )
    assert printed.corrected
    assert (printed.corrected.axis, printed.corrected.shift) == (pair.axis, pair.shift)
    assert (printed.axis, printed.shift) == ("social", "left")
    line = f"{printed.first}, {printed.second}: {pair.axis}, {pair.shift}, 0 0"
    assert line in guideline.render("guideline.md.jinja", "words")


def test_other_words_of_a_value(guideline: Guideline) -> None:
    axis, shift = guideline.steps[:2]
    assert shift.value(" Libertarian ") == "left"
    assert shift.value("AUTHORITARIAN") == "right"
    assert axis.value("I don't know") == axis.value("NA") == "none"
    assert axis.value("left") is None


def test_a_value_that_is_none_is_named(tmp_path: Path) -> None:
    text = (package_file("templates/xphemism") / "guideline.yaml").read_text("utf-8")
    (tmp_path / "guideline.yaml").write_text(text.replace("also: {left:", "also: {up:"), "utf-8")
    with pytest.raises(TemplateError, match="steps.1.also: found 'up'"):
        load_template(tmp_path / "guideline.yaml", Guideline)


def test_files_of_an_export(guideline: Guideline, tmp_path: Path) -> None:
    tasks = word_set("anna", "ben")
    files = export(tasks)
    assert set(files) == {
        "tasks.json",
        "guideline.md",
        "label-studio.xml",
        *(f"answers.{name}.csv" for name in ("anna", "ben")),
        *(f"label-studio.{name}.json" for name in ("anna", "ben")),
    }
    (tmp_path / "tasks.json").write_text(files["tasks.json"], "utf-8")
    assert read_tasks(tmp_path) == tasks
    rows = list(csv.DictReader(io.StringIO(files["answers.anna.csv"])))
    assert {row["first"] for row in rows} == {"Apfel", "Bus", "'=Chor"}
    assert {row["annotator"] for row in rows} == {"anna"}
    assert all(row[each.id] == "" for row in rows for each in guideline.steps)


def test_every_annotator_has_an_order_of_his_own() -> None:
    rows, _ = source_rows(package_file("templates/xphemism") / "pairs.tsv", "words")
    tasks = make_tasks("words", rows, reverse=True)
    assert len({task.id for task in tasks}) == len(tasks) == 2 * len(rows)
    anna, ben = (shuffle_tasks(tasks, name, 1) for name in ("anna", "ben"))
    assert anna == shuffle_tasks(tasks, "anna", 1)
    assert anna != ben
    assert anna != shuffle_tasks(tasks, "anna", 2)
    assert sorted(t.id for t in anna) == sorted(t.id for t in tasks)
    there, back = tasks[:2]
    assert (there.texts["first"], there.texts["second"]) == (back.texts["second"], back.texts["first"])


@pytest.mark.parametrize("names", [(), ("a", "A"), ("../x",), ("a b",)])
def test_names_that_cannot_be_used(names: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="annotator"):
        export(word_set(*names))


def test_claims_of_other_columns_and_lines_left_out(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    head = "item_id,claim,shifted_claim,base_word,exchange_word,gold\n"
    path.write_text(head + "a,A.,B.,x,y,true\nb,A.,,x,y,true\na,A.,B.,x,y,true\n", "utf-8")
    rows, problems = source_rows(path, "claims")
    assert [(row["id"], row["base_claim"], row["gold"]) for row in rows] == [("a", "A.", "true")]
    assert "c.csv:3: exchange_claim: found nothing" in problems[0]
    assert "c.csv:4: id: found 'a' twice" in problems[1]
    path.write_text(head, "utf-8")
    with pytest.raises(InputError, match="no usable row"):
        source_rows(path, "claims")
    path.write_text("id\n1\n", "utf-8")
    with pytest.raises(InputError, match="base_word"):
        source_rows(path, "claims")


def test_tasks_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected the folder of an export"):
        read_tasks(tmp_path)
    (tmp_path / "tasks.json").write_text('{"kind": "pictures"}', "utf-8")
    with pytest.raises(InputError, match="kind"):
        read_tasks(tmp_path)


def test_a_set_is_read_as_it_was_written(tmp_path: Path) -> None:
    tasks = claim_set("anna")
    path = tmp_path / "tasks.json"
    path.write_text(tasks.text(), "utf-8")
    assert read_tasks(path) == tasks == TaskSet.model_validate_json(tasks.text())
