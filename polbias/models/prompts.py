"""What ``templates/policy/services.yaml`` says: roles, prompts, prices."""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any, Literal, Self

from jinja2.sandbox import safe_range
from pydantic import Field, StringConstraints, model_validator

from polbias.generators.engine.entries import Entry
from polbias.generators.services.prices import Price
from polbias.locations import package_file
from polbias.template_files import Texts, load_template

Role = Literal["paraphrases", "opposite", "translation"]
ServiceName = Literal["openai", "deepl"]
_Prose = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Part(Entry):
    """Who plays a role: in the paper, and here by default."""

    service: ServiceName
    paper: _Prose
    source: _Prose
    prompt: _Prose


class Length(Entry):
    """How long an answer is in characters: a share of the statement, and a fixed rest."""

    per_statement: float = Field(ge=0)
    fixed: float = Field(ge=0)


class Prompt(Entry):
    """A prompt for a chat model, in Jinja."""

    source: _Prose
    parameters: dict[str, Any]
    answer_characters: Length
    system: _Prose
    user: _Prose


class Tokens(Entry):
    """How tokens are estimated."""

    characters_per_token: float = Field(gt=0)
    per_message: float = Field(ge=0)


class ListPrice(Entry):
    """A price of a provider, per million tokens or characters."""

    service: ServiceName
    model: str = ""
    input: float = Field(ge=0)
    output: float = Field(ge=0, default=0)
    currency: str
    date: str
    source: _Prose


class Settings(Entry):
    """The whole file."""

    roles: dict[Role, Part]
    prompts: dict[str, Prompt]
    languages: dict[str, _Prose]
    countries: dict[str, _Prose]
    deepl_targets: dict[str, str]
    tokens: Tokens
    prices: list[ListPrice]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for role, part in self.roles.items():
            if part.prompt not in self.prompts:
                raise ValueError(f"roles.{role}.prompt: found {part.prompt!r}, expected one of the prompts")
        return self

    def list_price(self, service: str, model: str) -> Price | None:
        """Return the provider's price of a model or a dated snapshot of it, or None if it is not listed."""
        names = {model, _SNAPSHOT.sub("", model)}
        for entry in self.prices:
            if entry.service == service and (service == "deepl" or entry.model in names):
                origin = f"{entry.source}, {entry.date}"
                return Price(entry.input, entry.output, entry.currency, origin)
        return None

    def render(self, name: str, slots: dict[str, Any]) -> tuple[str, str]:
        """Return the system and the user turn of a prompt."""
        prompt = self.prompts[name]
        texts = _texts()
        system, user = (
            texts.render(f"prompts.{name}.{turn}", text, slots)
            for turn, text in (("system", prompt.system), ("user", prompt.user))
        )
        return system, re.sub(r"\n{3,}", "\n\n", user)


_PATH = "templates/policy/services.yaml"


@cache
def settings() -> Settings:
    """Return the settings that ship with the package."""
    return load_template(package_file(_PATH), Settings)


@cache
def _texts() -> Texts:
    return Texts(package_file(_PATH), {"range": safe_range})
