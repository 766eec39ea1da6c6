"""What ``generation.yaml`` says: the prompts for further pairs and for the grammar check."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from polbias.generators.engine.entries import Entry, Text
from polbias.locations import package_file
from polbias.template_files import Texts, load_template

Column = Literal["kind", "neutral", "xphemism", "camp"]
PairKind = Literal["dysphemism", "euphemism"]
_Prose = Annotated[str, StringConstraints(min_length=1)]
_PATH = "templates/xphemism/generation.yaml"
_SLOT = "{{ sentence }}"


class FurtherPairs(Entry):
    """How further pairs are asked for.

    Attributes:
        source: of the prompt.
        prompt: the user turn.
        parameters: sent with it.
        answer_characters: length of an answer, for the estimate.
        columns: beginnings of words in the head of an answer's table, in lower case.
        kinds: the same for the two kinds of pairs.
    """

    source: Text
    prompt: _Prose
    parameters: Mapping[str, Any]
    answer_characters: int = Field(gt=0)
    columns: Mapping[Column, tuple[Text, ...]]
    kinds: Mapping[PairKind, Text]


class GrammarPrompt(Entry):
    """How a grammar check is asked for; ``user`` is Jinja text with ``sentence``."""

    source: Text
    system: _Prose
    user: _Prose
    parameters: Mapping[str, Any]

    @model_validator(mode="after")
    def _slot(self) -> GrammarPrompt:
        if self.user.count(_SLOT) != 1:
            raise ValueError(f"user: expected {_SLOT!r} once, found {self.user!r}")
        return self

    def turns(self, sentence: str) -> list[dict[str, str]]:
        """Return the messages about a sentence."""
        texts = Texts(package_file(_PATH), {})
        user = texts.render("grammar_check.user", self.user, {"sentence": sentence})
        return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]


class GenerationFile(Entry):
    """The whole file."""

    further_pairs: FurtherPairs
    grammar_check: GrammarPrompt


@cache
def generation() -> GenerationFile:
    """Return what ships with the package."""
    return load_template(package_file(_PATH), GenerationFile)
