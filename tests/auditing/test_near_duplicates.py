"""Near-duplicates repeat what is asked; a passage, an instruction or a stem that items share is none."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from polbias.errors import InputError
from polbias.eval.multiple_testing import holm_adjust
from polbias.generators.auditing import general
from tests.auditing.test_any import Rows, codes, labelled, sentences, write
from tests.support.process import run_polbias

audit = partial(general.audit_table, adjust=holm_adjust, exemplars=(), correct_by_id={}, response_counts={})

PASSAGES = {
    "en": "The ferry to Hallow Island stopped in May. Its owners say that the harbour is too shallow, and the "
    "islanders ask for a dredger. A replacement will sail from the southern pier until the autumn.",
    "de": "Der Stadtrat von Rodenau hat das Freibad geschlossen. Die Heizung ist defekt, und für eine neue fehlt "
    "das Geld. Ein Verein sammelt Spenden und hofft auf eine Eröffnung im nächsten Sommer.",
    "zh": "山城的图书馆从十月起关闭三个月。馆长说屋顶需要修理,读者可以在学校借书。修理费用由省政府承担。",
}
QUESTIONS = {
    "en": (
        "Why did the ferry stop?",
        "What do the islanders ask for?",
        "Where does the replacement sail from?",
    ),
    "de": ("Warum ist das Freibad zu?", "Wer sammelt Spenden?", "Worauf hofft der Verein?"),
    "zh": ("图书馆关闭多久?", "读者可以在哪里借书?", "谁承担修理费用?"),
}
AGAIN = {
    "en": "Why did the ferry stop running?",
    "de": "Warum ist das Freibad nun zu?",
    "zh": "图书馆关闭了多久?",
}
LAYOUTS = (
    "{passage} Question: {question}",
    "{question}\n\n{passage}",
    "Read the text and answer.\n<text>{passage}</text>\n{question}\nAnswer:",
    '[{{"role": "user", "content": "{passage}\\n{question}"}}]',
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("language", PASSAGES)
def test_questions_about_one_passage_repeat_each_other_only_if_they_do(
    language: str, layout: str, tmp_path: Path
) -> None:
    questions = *QUESTIONS[language], AGAIN[language]
    rows: Rows = [
        {"id": f"q{number}", "text": layout.format(passage=PASSAGES[language], question=question)}
        | {"answer": ("one", "two", "three", "one")[number]}
        for number, question in enumerate(questions)
    ]
    assert codes(audit(write(tmp_path / "set.jsonl", rows), {})) == {"q3": ["near-duplicate"]}


def test_questions_with_other_answers_differ_however_close_they_are(tmp_path: Path) -> None:
    rows = [
        {"id": question, "text": f"{PASSAGES['en']} {question}", "answer": answer}
        for question, answer in (
            ("When did the ferry stop?", "in May"),
            ("Why did the ferry stop?", "it is too shallow"),
        )
    ]
    assert audit(write(tmp_path / "set.jsonl", rows), {})["items"] == []


@pytest.mark.parametrize("shared", ["passage", "examples"])
def test_many_items_with_one_beginning(shared: str, tmp_path: Path) -> None:
    beginning = (
        PASSAGES["en"] if shared == "passage" else "\n".join(f"Q: {each} A: yes" for each in sentences(9, 8))
    )
    rows = labelled(600)
    for row in rows:
        row["question"] = f"{beginning}\nQ: {row['question']}"
    rows[30]["question"] = rows[6]["question"].removesuffix(".") + "!"
    assert codes(audit(write(tmp_path / "set.jsonl", rows), {})) == {"q30": ["near-duplicate"]}


@pytest.mark.parametrize(
    ("edit", "is_repeat"),
    [
        (lambda story: story.replace("a dredger", "one dredger"), True),
        (lambda story: f"{story} It is small.", True),
        (lambda story: story.replace("shallow, and the", "shallow. And the"), True),
        (lambda story: story.replace("until the autumn", "untill the autumn"), True),
        (lambda story: story.replace("The ferry to Hallow Island stopped in May.", "Bread was rare."), False),
    ],
)
def test_an_edit_is_no_other_item_but_another_sentence_is(edit: Any, is_repeat: bool, tmp_path: Path) -> None:
    story = f"{PASSAGES['en']} {PASSAGES['en'].replace('ferry', 'boat').replace('May', 'June')}"
    rows = [{"id": "a", "text": story}, {"id": "b", "text": edit(story)}]
    expected = {"b": ["near-duplicate"]} if is_repeat else {}
    assert codes(audit(write(tmp_path / "set.jsonl", rows), {})) == expected


def test_one_stem_with_other_choices_is_another_item(tmp_path: Path) -> None:
    texts = iter(sentences(12, 3))
    stem = f"{PASSAGES['en']} Which of these is true?"
    rows = [
        {"id": f"c{number}", "text": stem, "options": [next(texts) for _ in range(4)], "label": 0}
        for number in range(2)
    ]
    rows.append({**rows[0], "id": "c2", "options": [*rows[0]["options"][:3], next(texts)]})
    assert codes(audit(write(tmp_path / "set.jsonl", rows), {})) == {"c2": ["near-duplicate"]}


# Premises with hypotheses.


def pairs() -> Rows:
    stories, facts = sentences(4, 5), sentences(4, 6)
    return [
        {
            "id": f"p{i}h{j}",
            "premise": f"{stories[i]} {PASSAGES['en']}",
            "hypothesis": facts[j],
            "label": "no",
        }
        for i in range(4)
        for j in range(4)
    ]


@pytest.mark.parametrize(
    "guess", [("premise", "hypothesis"), ("sentence1", "sentence2"), ("context", "question")]
)
def test_pairs_repeat_each_other_only_as_pairs(guess: tuple[str, str], tmp_path: Path) -> None:
    rows = pairs()
    rows.append({**rows[1], "id": "same", "label": "yes"})
    rows.append({**rows[6], "id": "near", "hypothesis": rows[6]["hypothesis"].replace(".", "!")})
    rows.append({**rows[11], "id": "other"} | {"hypothesis": "Nobody has ever seen a dredger there."})
    named = [{guess[0] if key == "premise" else guess[1] if key == "hypothesis" else key: row[key] for key in row}
             for row in rows]  # fmt: skip
    found = codes(audit(write(tmp_path / "set.jsonl", named), {}))
    assert found == {
        "p0h1": ["conflicting-labels"],
        "same": ["duplicate-item", "conflicting-labels"],
        "near": ["near-duplicate"],
    }


def test_a_pair_is_among_examples_if_both_parts_stand_together(tmp_path: Path) -> None:
    rows = pairs()
    apart = "\n\n".join(sentences(40, 9))
    examples = f"{rows[0]['premise']} {rows[1]['hypothesis']}\n\n{apart}\n\n{rows[2]['hypothesis']}"
    rows = [row | {"few_shot": examples} for row in rows]
    path = write(tmp_path / "set.jsonl", rows)
    assert codes(audit(path, {})) == {"p0h1": ["exemplar-leakage"]}
    shots = write(tmp_path / "shots.jsonl", [rows[9]])
    assert codes(audit(path, {}, exemplars=[shots])).keys() == {"p0h1", rows[9]["id"]}


def test_a_hypothesis_that_gives_its_label_away(tmp_path: Path) -> None:
    rows = labelled(200)
    for row in rows:
        row["context"] = PASSAGES["en"]
        row["question"] += " And so much more of it." * (row["answer"] == "yes")
    told = audit(write(tmp_path / "set.jsonl", rows), {})["summary"]["differences"]
    assert [line for line in told if "the hypothesis" in line]
    assert not [line for line in told if "the premise" in line]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"text": "a", "premise": "b"}, "remove one"),
        ({"premise": "a"}, "hypothesis"),
        ({"hypothesis": "b", "premise": "c"}, "no such column"),
    ],
)
def test_columns_that_make_no_pair_are_one_error(columns: dict[str, str], named: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=named):
        audit(write(tmp_path / "set.jsonl", [{"a": "x", "b": "y"}]), columns)


def test_a_text_that_is_chosen_is_no_pair(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "context": "One.", "question": "Who?"},
        {"id": "b", "context": "Two.", "question": "Who?"},
    ]
    path = write(tmp_path / "set.jsonl", rows)
    assert codes(audit(path, {"text": "question"})) == {"b": ["duplicate-item"]}
    assert codes(audit(path, {})) == {}


def test_a_role_that_is_named_twice_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "set.csv", [{"a": "x", "b": "y"}])
    columns = ["--column", "text=a", "--column", "text=b"]
    done = run_polbias("audit", path, "--format", "any", *columns, check=False)
    assert done.returncode == 2
    assert "text=b" in done.stderr
