"""Cue words of the extractors, from ``cues/*.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml

from polbias.aliases import Document, Json
from polbias.eval.extraction.tokens import AnswerToken

# A cue file is a mapping of blocks. The alternatives of a block are on separate lines, or separated by two
# spaces; a line that begins with ``#`` is a comment. ``<name>`` in an alternative is replaced by the block of
# that name under ``groups``. A block becomes one pattern that matches any of its alternatives as whole words.

LANGUAGES = ("de", "en")
Patterns = Mapping[str, re.Pattern[str]]
_GROUP = re.compile(r"<(\w+)>")
_WORD, _WORD_WITH_APOSTROPHES = r"\w+", r"[\w']+"
_CUES = Path(__file__).parent / "cues"


class Cues(dict[str, re.Pattern[str]]):
    """Patterns of a cue file by name, compiled at first use.

    "idioms.valid" is the block "valid" of the block "idioms"; the name of a group is a key too.

    Args:
        file: Name of the file; ``cues/validity.en.yaml`` documents the format.
        question: Name of a file that amends it for another question.
    """

    def __init__(self, file: str, question: str | None = None) -> None:
        super().__init__()
        self._file, self._question = file, question

    @cached_property
    def blocks(self) -> Json:
        """Blocks of the file, as amended."""
        blocks = read_cues(self._file)
        if not self._question:
            return blocks
        changes = read_cues(self._question)
        return _amend_blocks({**blocks, **changes.get("instead", {})}, changes["more"], changes["without"])

    @cached_property
    def words(self) -> frozenset[str]:
        """Function words that identify the language."""
        return frozenset(self.blocks["function_words"].split())

    def part(self, name: str) -> Patterns:
        """Return the patterns of a nested block by name."""
        return {part: self[f"{name}.{part}"] for part in self.blocks[name]}

    def __missing__(self, name: str) -> re.Pattern[str]:
        block: Any = self.blocks
        for step in name.split("."):
            block = block.get(step, f"<{step}>")
        body = "|".join(_items(block))
        while _GROUP.search(body):  # groups may refer to groups
            body = _GROUP.sub(lambda match: f"(?:{'|'.join(_items(self.blocks['groups'][match[1]]))})", body)
        body = body.replace(_WORD, _WORD_WITH_APOSTROPHES)
        return self.setdefault(name, re.compile(rf"(?<![\w'])(?:{body})(?![\w'])"))


@cache
def load_verdict_patterns(language: str, question: str = "validity") -> Cues:
    """Load the cues for verdicts in a language."""
    return Cues(f"validity.{language}", None if question == "validity" else f"{question}.{language}")


@cache
def shared(name: str) -> re.Pattern[str]:
    """Return a pattern shared by all languages."""
    return re.compile(read_cues("shared")[name])


def primary_language(language: str) -> str:
    """Return the primary language of a tag, or raise ValueError if it is not supported."""
    primary = language.replace("_", "-").split("-")[0].lower()
    if primary not in LANGUAGES:
        raise ValueError(f"language {language!r} is not supported; choose one of {', '.join(LANGUAGES)}")
    return primary


def detect_language(tokens: Iterable[AnswerToken], default: str, question: str = "validity") -> Cues:
    """Return the cues of the language of a sentence, detected from its function words."""
    words = [token.text for token in tokens]
    grammars = {name: load_verdict_patterns(name, question) for name in LANGUAGES}
    counts = {name: sum(word in grammar.words for word in words) for name, grammar in grammars.items()}
    return grammars[max(LANGUAGES, key=lambda name: (counts[name], name == default))]


@cache
def read_cues(name: str) -> Json:
    """Read a cue file."""
    text = (_CUES / f"{name}.yaml").read_text(encoding="utf-8")
    data: Json = yaml.load(text, Loader=yaml.BaseLoader)
    return data


def _amend_blocks(data: Document, additions: Document, exclusions: Document) -> Json:
    """Return the blocks with alternatives added and removed."""
    amended = dict(data)
    for name in {**additions, **exclusions}:
        block, added, excluded = data.get(name, ""), additions.get(name), exclusions.get(name)
        if isinstance(block, Mapping):
            amended[name] = _amend_blocks(block, added or {}, excluded or {})
        else:
            retained = [item for item in _items(block) if item not in _items(excluded or "")]
            amended[name] = "\n".join([*retained, added or ""])
    return amended


def _items(block: str) -> list[str]:
    """Split a block into its alternatives."""
    lines = (line for line in block.splitlines() if not line.lstrip().startswith("#"))
    return [item for line in lines for item in re.split(r"  +", line.strip()) if item]
