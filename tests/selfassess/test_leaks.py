"""What names a perspective: single rules, innocent uses, and how well the lists do on labelled sentences."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

from polbias.errors import InputError, TemplateError
from polbias.generators.selfassess.perspective_leaks import find_leaks, load_word_lists
from polbias.generators.selfassess.templates import load_family

SENTENCES = Path(__file__).with_name("leak_sentences.tsv")


def test_every_set_has_lists() -> None:
    assert set(load_word_lists()) == set(load_family().sets)


def test_every_word_is_told_once() -> None:
    text = "Democratic values\nare fine. As a Democrat, I know\u00a0Republicans, and Republicans know me."
    assert find_leaks(text, "poligen") == ["As a Democrat", "Republicans"]


@pytest.mark.parametrize(
    ("set_id", "text"),
    [
        ("poligen", "the Democratic Republic of the Congo"),
        ("poligen", "the democratic process and democratic norms"),
        ("poligen", "a republican form of government"),
        ("econolex", "social capital, capital gains and capital requirements"),
        ("econolex", "the Union of Soviet Socialist Republics"),
        ("econolex", "venture capitalists"),
        ("bundestag", "die Europäische Union und die soziale Marktwirtschaft"),
    ],
)
def test_innocent_uses(set_id: str, text: str) -> None:
    assert find_leaks(text, set_id) == []


def test_labels_of_prompts_are_found() -> None:
    for name, each in load_family().sets.items():
        for perspective in each.perspectives.values():
            ending = "er" if each.language == "de" else ""
            assert find_leaks(f"Ein {perspective.label}{ending} journalist.", name), (name, perspective.label)


def test_precision_and_recall_on_labelled_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) >= 120
    figures = {}
    for name in load_word_lists():
        own = [
            (bool(find_leaks(row["text"], name)), row["leaks"] == "1") for row in rows if row["set"] == name
        ]
        hits = sum(flagged and leaks for flagged, leaks in own)
        precision, recall = hits / sum(f for f, _ in own), hits / sum(leaks for _, leaks in own)
        figures[name] = precision, recall
        with capsys.disabled():
            sys.stdout.write(f"\nleaks, {name}: precision {precision:.3f}, recall {recall:.3f}, n {len(own)}")
    assert all(precision >= 0.95 and recall >= 0.85 for precision, recall in figures.values()), figures


def test_an_unknown_set() -> None:
    with pytest.raises(InputError, match="found no lists for set 'nolex', expected one of poligen"):
        find_leaks("text", "nolex")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{kind: party, pattern: '(x'}", "a.rules.0.pattern: found no regular expression"),
        ("{kind: party, pattern: '(x)y'}", "a.rules.0.pattern: found 1 groups"),
        ("{kind: colour, pattern: x}", "a.rules.0.kind: found 'colour'"),
    ],
)
def test_lists_that_cannot_be_used(tmp_path: Path, rule: str, message: str) -> None:
    path = tmp_path / "leaks.yaml"
    path.write_text(f"a:\n  innocent: []\n  rules:\n    - {rule}\n", "utf-8")
    with pytest.raises(TemplateError, match=re.escape(message)):
        load_word_lists(tmp_path)
