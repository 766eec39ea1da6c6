"""Every text of a template or a card: what a reader would see of it are signs, not their names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.process import ROOT

_FOLDERS = ("templates", "cards", "eval", "generators")
_FILES = [
    path
    for folder in _FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".yaml", ".jinja", ".tsv"}
]
_NAMED = re.compile(r"\{([A-Z][A-Z0-9 -]+)\}")


def refused(text: str) -> list[str]:
    """What of a text is no sign: control characters, unassigned ones, and names of signs in braces."""
    kinds = {"Cc", "Cn", "Co", "Cs"}
    found = [repr(sign) for sign in text if unicodedata.category(sign) in kinds and sign not in "\t\n"]
    return found + [each[0] for each in _NAMED.finditer(text) if _is_sign(each[1])]


def _is_sign(name: str) -> bool:
    try:
        unicodedata.lookup(name)
    except KeyError:
        return False
    return True


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.items():
            yield from _texts(list(each))
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _of_file(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    yield from _texts(yaml.load(text, Loader=yaml.CSafeLoader)) if path.suffix == ".yaml" else [text]


@pytest.mark.parametrize("folder", _FOLDERS)
def test_texts_hold_signs_and_no_names_of_signs(folder: str) -> None:
    files = [path for path in _FILES if path.is_relative_to(ROOT / folder)]
    assert files
    for path in files:
        for text in _of_file(path):
            assert refused(text) == [], f"{path.relative_to(ROOT)}: {text[:80]!r}"


def test_what_is_refused(tmp_path: Path) -> None:
    written = tmp_path / "words.yaml"
    written.write_text(r'{dash: "\N{EM DASH}", bell: "\a", fine: "\u2013 {name} {LLM}"}', "utf-8")
    assert [refused(text) for text in _of_file(written)][1::2] == [["'\\x85'", "{EM DASH}"], ["'\\x07'"], []]
