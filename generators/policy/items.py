"""Policy statements with all their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polbias.generators.policy.templates import VARIANTS, Issue, Language, Side, StatementsFile


@dataclass(frozen=True, slots=True)
class GateItem:
    """A statement for the quality gate and the tables.

    Attributes:
        id: unique.
        wordings: language to variant to text.
        country: ISO 3166 code, or None.
        issues: policy issue to 1 or -1; an unrelated issue is 0 or absent.
        opposite_type: "contradictory" or "contrary", or None if not annotated.
        topic: the topic, or None if not annotated.
        side: side of agreement with the original, or None.
        names: by language, parts of words; each text must contain one. Other languages are not checked.
    """

    id: str
    wordings: Mapping[str, Mapping[str, str]]
    country: str | None = None
    issues: Mapping[Issue, int] | None = None
    opposite_type: str | None = None
    topic: str | None = None
    side: Side | None = None
    names: Mapping[Language, Sequence[str]] = field(default_factory=dict)


def items(files: Iterable[StatementsFile]) -> list[GateItem]:
    """Return the statements of template files as gate items."""
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
            statement.side,
            file.names,
        )
        for file in files
        for statement in file.statements
    ]
