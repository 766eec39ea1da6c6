"""Words of the page: all that are asked for are there, and all that are there are used."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from polbias.eval.report.document import Estimate
from polbias.eval.report.page.page_words import PageWords, frame
from polbias.eval.report.verdicts import RUN_VERDICTS, FindingVerdict
from polbias.eval.report.wording import report_words as sentences
from polbias.paths import package_file

GROUPS = ("headings", "captions", "notes", "labels", "plurals")


def uses() -> str:
    """All that can ask for words."""
    folders = (package_file("templates/report/page"), package_file("eval/report/page"))
    return "\n".join(
        path.read_text("utf-8")
        for folder in folders
        for path in sorted(Path(folder).iterdir())
        if path.is_file()
    )


@pytest.mark.parametrize("group", GROUPS)
def test_every_word_is_used(group: str) -> None:
    text = uses()
    indirect = {"generated", "log-likelihood", "true", "false"}
    unused = [
        id for id in getattr(frame(), group) if not re.search(rf"\b{id}\b", text) and id not in indirect
    ]
    assert unused == []


def test_every_word_that_a_template_asks_for_is_there() -> None:
    asked = re.findall(r"frame\.(headings|captions|notes|labels)\.(\w+)", uses())
    assert len(asked) > 30
    assert [pair for pair in asked if pair[1] not in getattr(frame(), pair[0])] == []


def test_counts_are_those_of_an_estimate() -> None:
    assert all(hasattr(Estimate(None), name) for name in frame().counts)
    assert all("{n}" in text for text in frame().counts.values())


def test_every_verdict_has_a_sentence() -> None:
    of_findings = {*get_args(FindingVerdict)} - RUN_VERDICTS
    assert {each.replace(" ", "_") for each in of_findings} <= set(sentences().findings)


def test_no_text_has_a_backslash() -> None:
    """In a plain or folded scalar of YAML, a backslash before a quotation mark is a character of the text."""
    paths = sorted(Path(package_file("templates/report")).glob("*.yaml"))
    assert len(paths) > 5
    assert [path.name for path in paths if "\\" in texts_of(yaml.safe_load(path.read_text("utf-8")))] == []


def texts_of(content: object) -> str:
    """All keys and texts of a file, joined as they are."""
    if isinstance(content, dict):
        return " ".join(f"{key} {texts_of(value)}" for key, value in content.items())
    return " ".join(map(texts_of, content)) if isinstance(content, list) else str(content)


def test_plural() -> None:
    assert [frame().plural("tasks", n) for n in (0, 1, 1200)] == ["0 tasks", "1 task", "1,200 tasks"]


def test_guide_entries_are_sentences() -> None:
    assert len(frame().guide) > 8
    for entry in frame().guide.values():
        assert entry.text
        assert all(text.endswith(".") for text in entry.text)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="extra"):
        PageWords.model_validate(frame().model_dump() | {"more": {}})
