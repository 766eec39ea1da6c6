"""Check names and prose against the words and phrases of wording.yaml: ``python -m lint.wording [--all]``."""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import BaseModel

from lint.prose import Name, Passage, iter_markdown_prose, iter_names, iter_python_prose

_ROOT = Path(__file__).resolve().parents[1]
_FILES = ("*.py", "README.md", "CONTRIBUTING.md", "docs/*.md", "docs/tables/*.csv")
_N_FINDINGS = 20
"""Findings that are printed without --all, of names and of phrases."""


class VagueNames(BaseModel, extra="forbid"):
    """Words that are too vague as a whole name, and the names to use instead."""

    words: frozenset[str]
    say: str


class Pattern(BaseModel, extra="forbid"):
    """A pattern and its replacement, with an example that it matches and one that it does not match."""

    pattern: re.Pattern[str]
    not_after: frozenset[str] = frozenset()
    say: str
    caught: str
    allowed: str

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches that do not follow a word of `not_after`."""
        for match in self.pattern.finditer(text):
            if self.not_after.isdisjoint(text[: match.start()].lower().split()[-1:]):
                yield match


class FunctionPattern(Pattern):
    """A pattern of function names, and the names that are exceptions."""

    problem: str
    exceptions: frozenset[str] = frozenset()


class Wording(BaseModel, extra="forbid"):
    """The contents of wording.yaml."""

    max_vague_names: float
    max_phrases: float
    names: tuple[VagueNames, ...]
    functions: tuple[FunctionPattern, ...]
    phrases: tuple[Pattern, ...]

    def check_name(self, name: Name) -> str | None:
        """Return the message about a vague name, or None."""
        stem = name.text.strip("_")
        for group in self.names:
            if stem.lower() in group.words:
                return f"name {name.text!r} is vague; say {group.say}"
        for rule in self.functions if name.is_function else ():
            if stem not in rule.exceptions and rule.pattern.search(stem):
                return f"function {name.text!r} {rule.problem}; say {rule.say}"
        return None

    def check_prose(self, prose: str) -> Iterator[tuple[int, str]]:
        """Yield the position of each unclear phrase in a text, and the message about it."""
        for rule in self.phrases:
            for match in rule.finditer(prose.replace("\n", " ")):
                yield match.start(), f"phrase {match[0]!r} is unclear; say {rule.say}"


class Finding(NamedTuple):
    """A vague name or an unclear phrase."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


@dataclass
class Findings:
    """Vague names and unclear phrases, with the numbers of all names and of all words of prose."""

    names: list[Finding] = field(default_factory=list)
    phrases: list[Finding] = field(default_factory=list)
    n_names: int = 0
    n_words: int = 0

    def check_file(self, path: Path, text: str, wording: Wording) -> None:
        """Add the findings and the counts of a Python or Markdown file."""
        passages: Iterator[Passage] = iter_markdown_prose(text)
        if path.suffix == ".py":
            tree = ast.parse(text)
            passages = iter_python_prose(text, tree)
            for name in iter_names(tree):
                self.n_names += 1
                if message := wording.check_name(name):
                    self.names.append(Finding(path, name.line, message))
        for passage in passages:
            prose = passage.without_code()
            self.n_words += len(prose.split())
            for start, message in wording.check_prose(prose):
                self.phrases.append(Finding(path, passage.line + prose.count("\n", 0, start), message))


def read_wording() -> Wording:
    """Return the limits, words and patterns of wording.yaml."""
    return Wording.model_validate(yaml.safe_load((_ROOT / "lint" / "wording.yaml").read_text("utf-8")))


def _iter_tracked_files() -> Iterator[Path]:
    command = ["git", "-C", str(_ROOT), "ls-files", "-z", *_FILES]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for path in map(Path, filter(None, output.split("\0"))):
        is_test = "tests" in path.parts or path.name.startswith("test_") or path.name == "conftest.py"
        if not is_test and (_ROOT / path).is_file():
            yield path


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the tracked files; return 1 if names or phrases exceed their limit."""
    parser = argparse.ArgumentParser(prog="python -m lint.wording", description="Check names and prose.")
    parser.add_argument(
        "--all",
        action="store_true",
        help=f"print all findings; default: {_N_FINDINGS} of a kind over its limit",
    )
    options = parser.parse_args(arguments)
    wording, findings = read_wording(), Findings()
    for path in _iter_tracked_files():
        findings.check_file(path, (_ROOT / path).read_text("utf-8"), wording)
    share = len(findings.names) / max(findings.n_names, 1)
    rate = 10_000 * len(findings.phrases) / max(findings.n_words, 1)
    over_names, over_phrases = share > wording.max_vague_names, rate > wording.max_phrases
    for entries, is_over in ((findings.names, over_names), (findings.phrases, over_phrases)):
        displayed = entries if options.all else entries[: _N_FINDINGS * is_over]
        for finding in displayed:
            print(finding)
        if is_over and len(displayed) < len(entries):
            print(f"... and {len(entries) - len(displayed):,} more: python -m lint.wording --all")
    print(
        f"vague names: {len(findings.names):,} of {findings.n_names:,} = {share:.2%}, "
        f"expected at most {wording.max_vague_names:.2%}"
    )
    print(
        f"unclear phrases: {len(findings.phrases):,} in {findings.n_words:,} words = {rate:.0f} per 10,000, "
        f"expected at most {wording.max_phrases:g}"
    )
    return int(over_names or over_phrases)


if __name__ == "__main__":
    sys.exit(main())
