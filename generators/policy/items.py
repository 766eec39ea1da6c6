"""Policy statements with all their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polbias.generators.policy.templates import VARIANTS, Issue, Language, StatementsFile


@dataclass(frozen=True, slots=True)
class GateItem:
    """A statement as the gate sees it.

    Attributes:
        id: unique.
        wordings: language to variant to text.
        country: ISO 3166 code, or None.
        issues: policy issue to 1 or -1; 0 or none for one that it does not touch.
        opposite_type: "contradictory" or "contrary", or None if nobody has said.
        topic: what it is about, or None if nobody has said.
        names: by language, parts of words of which each text has one; of others nothing is asked.
    """

    id: str
    wordings: Mapping[str, Mapping[str, str]]
    country: str | None = None
    issues: Mapping[Issue, int] | None = None
    opposite_type: str | None = None
    topic: str | None = None
    names: Mapping[Language, Sequence[str]] = field(default_factory=dict)


def items(files: Iterable[StatementsFile]) -> list[GateItem]:
    """Return the statements of our own files for the gate."""
    return [
        GateItem(
            statement.id,
            {
                language: {variant: wording.text(variant) for variant in VARIANTS}
                for language, wording in statement.wordings.items()
            },
            file.country,
            statement.issues,
            statement.opposite.type,
            statement.topic,
            file.names,
        )
        for file in files
        for statement in file.statements
    ]
