"""The cue words of the extractors, read from ``cues/*.yaml``.

A cue file is a mapping of blocks. The alternatives of a block stand on lines of their own, or are
separated by two spaces; a line that begins with ``#`` is a comment. ``<name>`` inside an
alternative stands for a block of that name under ``groups``. A block becomes one compiled pattern
that matches any of its alternatives as whole words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from polbias.aliases import Document, Json
from polbias.eval.answers.tokens import Token

LANGUAGES = ("de", "en")
_GROUP = re.compile(r"<(\w+)>")
_WORD, _WORD_WITH_APOSTROPHES = r"\w+", r"[\w']+"
_CUES = Path(__file__).parent / "cues"


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the verdicts of one language look like; ``cues/validity.en.yaml`` explains the lists.

    Attributes:
        reach: "left" if a negator reverses what follows it, "clause" if it reverses its clause.
        function_words: Words that tell the language of a sentence.
        lists: The compiled lists and groups by name.
        idioms: Patterns that assert a label, as pairs of label and pattern.
        hints: The same for patterns that only hint at a label.
    """

    reach: str
    function_words: frozenset[str]
    lists: Mapping[str, re.Pattern[str]]
    idioms: Sequence[tuple[str, re.Pattern[str]]]
    hints: Sequence[tuple[str, re.Pattern[str]]]


@dataclass(frozen=True, slots=True)
class Shared:
    """What holds of all languages; ``cues/shared.yaml`` explains the patterns.

    Attributes:
        reply: A yes or no right after a question.
        options: What stands between two options.
        excluding: What makes the second of them the one that is not meant: "valid and not invalid".
        insertion: An insertion in a predicate.
        dangling: The end of a text that breaks off.
    """

    reply: re.Pattern[str]
    options: re.Pattern[str]
    excluding: re.Pattern[str]
    insertion: re.Pattern[str]
    dangling: re.Pattern[str]


@cache
def load_shared() -> Shared:
    """Load the patterns that hold of all languages.

    Returns:
        The patterns, loaded once.
    """
    return Shared(**{name: re.compile(pattern) for name, pattern in read_cues("shared").items()})


@cache
def load_grammar(language: str, question: str = "validity") -> Grammar:
    """Load the grammar of a language.

    Args:
        language: "de" or "en".
        question: "validity", or another question that is answered in similar words: its cue file says
            in what they differ (the blocks under "more" and "without").

    Returns:
        The grammar, loaded once.
    """
    data = read_cues(f"validity.{language}")
    if question != "validity":
        amendments = read_cues(f"{question}.{language}")
        data = _amended(data, amendments.get("more", {}), amendments.get("without", {}))
    groups = data["groups"]
    idioms, hints = (compile_lists({"groups": groups, **data.pop(name)}) for name in ("idioms", "hints"))
    return Grammar(
        reach=data.pop("reach"),
        function_words=frozenset(_items(data.pop("function_words"))),
        lists=compile_lists({**data, **{name: f"<{name}>" for name in groups}}),
        idioms=tuple(idioms.items()),
        hints=tuple(hints.items()),
    )


def primary_language(language: str) -> str:
    """Return the language that an extractor reads.

    Args:
        language: "en" or "de", or a tag such as "de-CH".

    Raises:
        ValueError: If the language is not supported.
    """
    primary = language.replace("_", "-").split("-")[0].lower()
    if primary not in LANGUAGES:
        raise ValueError(f"language {language!r} is not supported; choose one of {', '.join(LANGUAGES)}")
    return primary


def tongue(tokens: Iterable[Token], default: str, question: str = "validity") -> Grammar:
    """Tell the language of a sentence by its function words.

    Args:
        tokens: Those of the sentence.
        default: The language of a sentence that tells none.
        question: As for :func:`load_grammar`.

    Returns:
        The grammar of the language.
    """
    words = [token.text for token in tokens]
    grammars = {name: load_grammar(name, question) for name in LANGUAGES}
    counts = {name: sum(word in each.function_words for word in words) for name, each in grammars.items()}
    return grammars[max(LANGUAGES, key=lambda name: (counts[name], name == default))]


def read_cues(name: str) -> Json:
    """Read a cue file.

    Args:
        name: Its name without the suffix.

    Returns:
        Its blocks by name, all of them strings.
    """
    text = (_CUES / f"{name}.yaml").read_text(encoding="utf-8")
    data: Json = yaml.load(text, Loader=yaml.BaseLoader)
    return data


def compile_lists(data: Document) -> dict[str, re.Pattern[str]]:
    """Compile the blocks of a cue file.

    Args:
        data: Blocks by name; those under "groups" stand for ``<name>`` in the others.

    Returns:
        One pattern of whole words for each block outside the groups.
    """
    groups = {name: f"(?:{'|'.join(_items(block))})" for name, block in data["groups"].items()}
    return {name: _compile(block, groups) for name, block in data.items() if name != "groups"}


def _amended(data: Document, more: Document, without: Document) -> Json:
    """Add alternatives to blocks and take others away, which must be there."""
    amended = dict(data)
    for name in {**more, **without}:
        if isinstance(data[name], Mapping):
            amended[name] = _amended(data[name], more.get(name, {}), without.get(name, {}))
            continue
        items, excluded = _items(data[name]), _items(without.get(name, ""))
        missing = [item for item in excluded if item not in items]
        if missing:
            raise ValueError(f"cue block {name!r}: has no {missing[0]!r} to leave out")
        kept = [item for item in items if item not in excluded]
        amended[name] = "\n".join([*kept, *_items(more.get(name, ""))])
    return amended


def _items(block: str) -> list[str]:
    """Split a block into its alternatives."""
    lines = (line for line in block.splitlines() if not line.lstrip().startswith("#"))
    return [item for line in lines for item in re.split(r"  +", line.strip()) if item]


def _compile(block: str, groups: Mapping[str, str]) -> re.Pattern[str]:
    """Compile the alternatives of a block; groups may refer to groups."""
    body = "|".join(_items(block))
    while _GROUP.search(body):
        body = _GROUP.sub(lambda match: groups[match[1]], body)
    return re.compile(rf"(?<![\w'])(?:{body.replace(_WORD, _WORD_WITH_APOSTROPHES)})(?![\w'])")
