"""Word fields that no irrelevant comparison is of: body, means, health and the like; a reminder only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints

from polbias.generators.engine.entries import Entry, Name, Text, every
from polbias.template_files import fault, load_template

_Tag = Literal["en", "de"]
_Pattern = Annotated[str, StringConstraints(pattern=r"^-?[a-zäöü]+-?$")]
_Fields = Mapping[Name, tuple[_Pattern, ...]]
_WORD = re.compile(r"[^\W\d_]+")


class WordFields(Entry):
    """Patterns of words by language and field, and the comparisons that the paper prints nonetheless."""

    printed: Annotated[Mapping[_Tag, tuple[Text, ...]], every(_Tag)]
    en: _Fields
    de: _Fields

    def found(self, tag: _Tag, text: str) -> Iterator[tuple[str, str]]:
        """Yield the words of a text that are of a field, each with the field."""
        fields: _Fields = getattr(self, tag)
        for word in _WORD.findall(unicodedata.normalize("NFC", text).casefold()):
            for field, patterns in fields.items():
                if any(re.fullmatch(pattern.replace("-", ".*"), word) for pattern in patterns):
                    yield word, field


def load_word_fields(folder: Path) -> WordFields:
    """Read the word fields of a folder of partisan templates."""
    return load_template(folder / "word_fields.yaml", WordFields)


def check_words(
    fields: WordFields, path: Path, tag: _Tag, texts: Mapping[str, str], printed: bool = False
) -> None:
    """Refuse a country file whose irrelevant comparisons are of a word field.

    Args:
        fields: the word fields.
        path: of the country file.
        tag: its language.
        texts: place in the file to what is said there.
        printed: whether what the paper prints may be said.

    Raises:
        TemplateError: naming file, line, field, what was found and what was expected.
    """
    for place, text in texts.items():
        if printed and text in fields.printed[tag]:
            continue
        for word, field in fields.found(tag, text):
            problem = (
                f"found {text!r}, of which {word!r} is about {field}, expected what is about nobody's person"
            )
            raise fault(path, place, f"{problem} (word_fields.yaml); compare in something else")
