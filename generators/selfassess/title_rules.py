"""Tell news titles about financial metrics alone from those about policies and decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from polbias.generators.engine.entries import Entry, Name, Text
from polbias.generators.selfassess.patterns import Pattern
from polbias.locations import package_file
from polbias.template_files import load_template


class Reason(Entry):
    """Why a title is left out.

    Attributes:
        says: in words.
        always: whether words of policy do not rescue the title.
        patterns: that it may have.
    """

    says: Text
    always: bool = False
    patterns: tuple[Pattern, ...] = Field(min_length=1)


class _Patterns(Entry):
    patterns: tuple[Pattern, ...] = Field(min_length=1)


class _Columns(Entry):
    title: tuple[Text, ...] = Field(min_length=1)


class TitlesFile(Entry):
    """``titles.yaml``: names of the column, reasons in order, and what rescues a title."""

    columns: _Columns
    reasons: Mapping[Name, Reason]
    unless: _Patterns


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about a title.

    Attributes:
        reason: why it is left out, or None if it is kept.
        words: what the reason was found in; empty if there is none.
        policy: words of policy in it.
    """

    reason: str | None
    words: str
    policy: str


class TitleRules:
    """The paper's exclusion of purely financial titles.

    Args:
        file: the word lists.

    Source:
        Kennedy et al. 2025, section 3.
    """

    def __init__(self, file: TitlesFile) -> None:
        self.columns = file.columns.title
        self.reasons = {name: each.says for name, each in file.reasons.items()}
        self._reasons = [(name, each.always, _union(each.patterns)) for name, each in file.reasons.items()]
        self._unless = _union(file.unless.patterns)

    def judge(self, title: str) -> Verdict:
        """Return whether a title is left out, and why."""
        plain = title.replace("’", "'")
        rescued = self._unless.search(plain)
        policy = rescued[0] if rescued else ""
        for name, always, pattern in self._reasons:
            if (always or not rescued) and (found := pattern.search(plain)):
                return Verdict(name, found[0], policy)
        return Verdict(None, "", policy)


def load_title_rules(path: Path | None = None) -> TitleRules:
    """Read and check the word lists.

    Args:
        path: a file like ``titles.yaml``; by default that one.

    Raises:
        TemplateError: naming file, line and field.
    """
    return TitleRules(load_template(path or package_file("templates/selfassess/titles.yaml"), TitlesFile))


@cache
def title_rules() -> TitleRules:
    """Return the shipped rules."""
    return load_title_rules()


def _union(patterns: Sequence[Pattern]) -> re.Pattern[str]:
    each = (one.inline for one in patterns)
    return re.compile(rf"(?<![\w&])(?:{'|'.join(each)})(?![\w&])")
