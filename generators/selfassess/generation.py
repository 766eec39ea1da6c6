"""What ``generation.yaml`` says: the prompts for categories and for further items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from polbias.generators.engine.entries import Entry, Text
from polbias.locations import package_file
from polbias.template_files import Texts, load_template

_PATH = "templates/selfassess/generation.yaml"
_Prose = Annotated[str, StringConstraints(min_length=1)]
_Range = Annotated[tuple[int, ...], Field(min_length=2, max_length=2)]


class _Categories(Entry):
    prompt: _Prose
    parameters: Mapping[str, Any]
    answer_characters: int = Field(gt=0)


class _Words(Entry):
    topic: _Range
    title: _Range


class _Items(Entry):
    topic: _Prose
    title: _Prose
    parameters: Mapping[str, Any]
    answer_characters: int = Field(gt=0)
    words: _Words


class GenerationFile(Entry):
    """The whole file: one prompt for categories, one for topics, one for titles, and how long items are."""

    source: Text
    categories: _Categories
    items: _Items

    @model_validator(mode="after")
    def _ranges(self) -> GenerationFile:
        for field in ("topic", "title"):
            shortest, longest = self.words(field)
            if not 0 < shortest <= longest:
                raise ValueError(
                    f"items.words.{field}: found {shortest} to {longest}, expected the shorter first"
                )
        return self

    def words(self, field: str) -> tuple[int, int]:
        """Return the least and the greatest number of words of a topic or title."""
        shortest, longest = self.items.words.title if field == "title" else self.items.words.topic
        return shortest, longest

    def render(self, step: Literal["categories", "topic", "title"], slots: Mapping[str, Any]) -> str:
        """Return a prompt with its slots filled."""
        texts = Texts(package_file(_PATH), {})
        if step == "categories":
            return texts.render("categories.prompt", self.categories.prompt, slots)
        return texts.render(f"items.{step}", self.items.title if step == "title" else self.items.topic, slots)


@cache
def generation() -> GenerationFile:
    """Return what ships with the package."""
    return load_template(package_file(_PATH), GenerationFile)
