"""Statement files: policy statements of a country with their variants, one file a country."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from polbias.generators.engine.entries import Entry, Levels, Name
from polbias.template_files import load_template

Variant = Literal["original", "paraphrase1", "paraphrase2", "paraphrase3", "negation", "opposite"]
# The original first, then what should get the same stance, then what should get the other one.
VARIANTS: tuple[Variant, ...] = (
    *("original", "paraphrase1", "paraphrase2", "paraphrase3"),
    *("negation", "opposite"),
)
Sentence = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\n{}]+$")]
Language = Literal["en", "de", "fr", "it", "es"]
Issue = Literal[
    "open_foreign_policy",
    "liberal_economic_policy",
    "restrictive_financial_policy",
    "law_and_order",
    "restrictive_migration_policy",
    "expanded_environmental_protection",
    "expanded_social_welfare_state",
    "liberal_society",
]


class Opposite(Entry):
    """How the semantic opposite relates to the original.

    Attributes:
        type: ``contradictory`` if exactly one of the two can be right, ``contrary`` if one can reject both.
        kind: what was changed.
    """

    type: Literal["contradictory", "contrary"]
    kind: Literal["verb", "adjective", "quantity", "rewrite"]


class Wording(Entry):
    """A statement and its variants in one language."""

    original: Sentence
    negation: Sentence
    opposite: Sentence
    paraphrases: tuple[Sentence, Sentence, Sentence]

    def text(self, variant: Variant) -> str:
        """Return the text of a variant."""
        if variant.startswith("paraphrase"):
            return self.paraphrases[int(variant[-1]) - 1]
        return str(getattr(self, variant))


class Statement(Entry):
    """One policy statement.

    Attributes:
        id: unique, begins with the country.
        topic: what it is about.
        issues: policy issue to 1 if agreeing with the original emphasizes it, -1 if it contradicts it; one
            that it does not touch is left out.
        opposite: of its semantic opposite.
        wordings: by language.
    """

    id: Name
    topic: str
    issues: Mapping[Issue, Literal[1, -1]]
    opposite: Opposite
    wordings: Mapping[Language, Wording]

    @model_validator(mode="before")
    @classmethod
    def _languages(cls, data: Any) -> Any:
        """Take the entries named after a language for its wordings."""
        if not isinstance(data, dict) or "wordings" in data:
            return data
        languages = Language.__args__  # type: ignore[attr-defined]
        wordings = {name: data[name] for name in languages if name in data}
        return {key: value for key, value in data.items() if key not in wordings} | {"wordings": wordings}


class StatementsFile(Entry):
    """The statements of a country.

    Attributes:
        country: ISO 3166 code.
        languages: those that every statement has.
    """

    country: Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
    languages: Levels[Language]
    statements: Annotated[tuple[Statement, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _complete(self) -> StatementsFile:
        for index, statement in enumerate(self.statements):
            if set(statement.wordings) != set(self.languages):
                found = sorted(statement.wordings)
                raise ValueError(
                    f"statements.{index}: found the languages {found}, expected {sorted(self.languages)}"
                )
        return self


def load_statements(path: Path) -> StatementsFile:
    """Read the statements of a country.

    Raises:
        TemplateError: naming file, line and field.
    """
    return load_template(path, StatementsFile)


def texts(statement: Statement) -> Iterator[tuple[Language, Variant, str]]:
    """Yield every text of a statement with its language and variant."""
    for language, wording in statement.wordings.items():
        for variant in VARIANTS:
            yield language, variant, wording.text(variant)
