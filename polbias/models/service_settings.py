"""Roles, prompts and prices of services, from ``templates/policy/services.yaml``."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Annotated, Literal, Self

from jinja2.sandbox import safe_range
from pydantic import Field, StringConstraints, model_validator

from polbias.aliases import Json
from polbias.jinja_texts import TemplateRenderer
from polbias.models.prices import Price
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template

Role = Literal["paraphrases", "opposite", "translation"]
ServiceName = Literal["openai", "deepl"]
_Prose = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class RoleService(TemplateModel):
    """Service of a role: in the paper, and the default."""

    service: ServiceName
    paper: _Prose
    source: _Prose
    prompt: _Prose


class Length(TemplateModel):
    """Length of a response in characters: a factor of the statement's length, plus a constant."""

    per_character: float = Field(ge=0)
    fixed: float = Field(ge=0)


class ServicePrompt(TemplateModel):
    """Jinja template of a prompt for a chat model."""

    source: _Prose
    parameters: Json
    answer_characters: Length
    system: _Prose
    user: _Prose


class TokenEstimates(TemplateModel):
    """Rule that estimates tokens from characters."""

    characters_per_token: float = Field(gt=0)
    per_message: float = Field(ge=0)


class ListPrice(TemplateModel):
    """List price of a provider, per million tokens or characters."""

    service: ServiceName
    model: str = ""
    input: float = Field(ge=0)
    output: float = Field(ge=0, default=0)
    currency: str
    date: str
    source: _Prose


class Settings(TemplateModel):
    """Contents of services.yaml."""

    roles: dict[Role, RoleService]
    prompts: dict[str, ServicePrompt]
    languages: dict[str, _Prose]
    countries: dict[str, _Prose]
    deepl_targets: dict[str, str]
    tokens: TokenEstimates
    prices: list[ListPrice]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for role, part in self.roles.items():
            if part.prompt not in self.prompts:
                raise ValueError(f"roles.{role}.prompt: found {part.prompt!r}, expected one of the prompts")
        return self

    def list_price(self, service: str, model: str) -> Price | None:
        """Return the list price of a model or of a dated snapshot, or None."""
        names = {model, _SNAPSHOT.sub("", model)}
        for entry in self.prices:
            if entry.service == service and (service == "deepl" or entry.model in names):
                origin = f"{entry.source}, {entry.date}"
                return Price(entry.input, entry.output, entry.currency, origin)
        return None

    def expected_tokens(self, characters: float) -> int:
        """Estimate the tokens of a text from its number of characters."""
        return math.ceil(characters / self.tokens.characters_per_token)

    def render(self, name: str, slots: Json) -> tuple[str, str]:
        """Render the system and the user turn of a prompt."""
        prompt = self.prompts[name]
        renderer = _renderer()
        system, user = (
            renderer.render(f"prompts.{name}.{turn}", template, slots)
            for turn, template in (("system", prompt.system), ("user", prompt.user))
        )
        return system, re.sub(r"\n{3,}", "\n\n", user)


_PATH = "templates/policy/services.yaml"


@cache
def settings() -> Settings:
    """Return the settings that ship with the package."""
    return load_template(package_file(_PATH), Settings)


@cache
def _renderer() -> TemplateRenderer:
    return TemplateRenderer(package_file(_PATH), {"range": safe_range})
