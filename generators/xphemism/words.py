"""What is known of a German word of the lexicon: its part of speech and how it is inflected."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, model_validator

from polbias.generators.engine.entries import Entry

PartOfSpeech = Literal["noun", "adjective", "verb", "adverb", "fixed"]
Citation = Literal["sg", "pl"]
Declension = Literal["strong", "weak", "adjectival", "fixed"]
LexicalGender = Literal["m", "f", "n", "m/f"]
EMPTY = "-"


def _absent(value: object) -> object:
    return None if value == EMPTY else value


def _split(separator: str) -> BeforeValidator:
    def parts(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value == EMPTY:
            return ()
        found = tuple(part.strip() for part in value.split(separator))
        if not all(found):
            raise ValueError(f"found {value!r}, expected something on both sides of every {separator!r}")
        return found

    return BeforeValidator(parts)


Optional = Annotated[str | None, BeforeValidator(_absent)]


class Word(Entry):
    """A word or phrase with its hand-written morphology, one row of ``morphology.*.tsv``.

    Attributes:
        word: as it stands in a pair.
        pos: part of speech; ``fixed`` is never inflected.
        modifiers: stems of adjectives and participles left of the head (``("still",)``).
        head: head noun, adjective or verb as it stands in ``word``.
        tail: what stays unchanged beside the head (``"für alle"``), or None.
        gender: of the head noun; ``m/f`` of a nominalised adjective that can be either.
        citation: number of the form that stands in ``word``.
        singular: nominative singular of the head, None if it has none; of an adjective the stem before
            endings (``"teur"``); of a verb the infinitive.
        genitive: genitive singular, usual form first; of a verb the third person singular present.
        plural: nominative plural, None if it has none; of a verb the third person plural present.
        declension: of the head noun.
        linking: forms as first member of a compound, usual one first; of a verb the past participle.
        note: what is debatable, or None.
    """

    word: str
    pos: PartOfSpeech
    modifiers: Annotated[tuple[str, ...], _split(",")]
    head: Optional
    tail: Optional
    gender: Annotated[LexicalGender | None, BeforeValidator(_absent)]
    citation: Annotated[Citation | None, BeforeValidator(_absent)]
    singular: Optional
    genitive: Annotated[tuple[str, ...], _split("|")]
    plural: Optional
    declension: Annotated[Declension | None, BeforeValidator(_absent)]
    linking: Annotated[tuple[str, ...], _split("|")]
    note: Optional

    @model_validator(mode="after")
    def _complete(self) -> Word:
        if self.pos == "noun":
            needed = {"head": self.head, "gender": self.gender, "citation": self.citation}
            needed |= {"declension": self.declension}
            missing = [name for name, value in needed.items() if value is None]
            if self.singular is None and self.plural is None:
                missing.append("singular or plural")
            if missing:
                raise ValueError(f"a noun needs {', '.join(missing)}, found {EMPTY!r}; fill the column in")
        if self.pos in ("adjective", "verb") and not (self.head and self.singular):
            raise ValueError(f"a {self.pos} needs head and singular, found {EMPTY!r}; fill the columns in")
        return self
