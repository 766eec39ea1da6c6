"""Prompts of the authoring tools, and reading what comes back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Annotated, Literal, Self

import simplemma
from jinja2.sandbox import safe_range
from pydantic import Field, StringConstraints, model_validator

from polbias.aliases import Json
from polbias.errors import whole_json
from polbias.jinja_texts import TemplateRenderer
from polbias.models.requests import Price
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template

# What ``templates/policy/services.yaml`` says: roles, prompts, prices.

Role = Literal["paraphrases", "opposite", "translation"]
ServiceName = Literal["openai", "deepl"]
_Prose = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class RoleService(TemplateModel):
    """Who plays a role: in the paper, and here by default."""

    service: ServiceName
    paper: _Prose
    source: _Prose
    prompt: _Prose


class Length(TemplateModel):
    """How long an answer is in characters: a share of the statement, and a fixed rest."""

    per_statement: float = Field(ge=0)
    fixed: float = Field(ge=0)


class ServicePrompt(TemplateModel):
    """A prompt for a chat model, in Jinja."""

    source: _Prose
    parameters: Json
    answer_characters: Length
    system: _Prose
    user: _Prose


class TokenEstimates(TemplateModel):
    """How tokens are estimated."""

    characters_per_token: float = Field(gt=0)
    per_message: float = Field(ge=0)


class ListPrice(TemplateModel):
    """A price of a provider, per million tokens or characters."""

    service: ServiceName
    model: str = ""
    input: float = Field(ge=0)
    output: float = Field(ge=0, default=0)
    currency: str
    date: str
    source: _Prose


class Settings(TemplateModel):
    """The whole file."""

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
        """Return the provider's price of a model or a dated snapshot of it, or None if it is not listed."""
        names = {model, _SNAPSHOT.sub("", model)}
        for entry in self.prices:
            if entry.service == service and (service == "deepl" or entry.model in names):
                origin = f"{entry.source}, {entry.date}"
                return Price(entry.input, entry.output, entry.currency, origin)
        return None

    def expected_tokens(self, characters: float) -> int:
        """Return how many tokens a text of so many characters may have."""
        return math.ceil(characters / self.tokens.characters_per_token)

    def render(self, name: str, slots: Json) -> tuple[str, str]:
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
def _texts() -> TemplateRenderer:
    return TemplateRenderer(package_file(_PATH), {"range": safe_range})


# Find the JSON in a model's answer, and what stands in for it.

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*+\s*+(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_NUMBERED = re.compile(r"^[^\S\n]*+(?:\(?\d{1,2}[.):]|[-*•–])\s++(\S[^\n]*)", re.MULTILINE)
_NUMBER = re.compile(r"^\s*\(?\d{1,2}[.)]\s+(?=\S)")
_MOST_TRIED = 1_000
"""Brackets from which JSON is tried; each failure takes as long as the text is."""
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"))


def spoken(answer: str) -> str:
    """Return an answer without the thoughts that some models write before it."""
    return _THOUGHT.sub("", answer)


def find_json(answer: str) -> dict[str, object] | list[object] | None:
    """Return the first JSON object or list in an answer, or None.

    Thoughts, code fences and words around it do not matter, nor does a comma too many.
    """
    text = spoken(answer)
    for candidate in (*_FENCE.findall(text), text):
        found = _whole(candidate) or _first(_TRAILING_COMMA.sub(r"\1", candidate))
        if found is not None:
            with suppress(RecursionError):  # as deep as it can be read: it holds no answer
                return whole_json(found)
    return None


def numbered_lines(answer: str) -> list[str]:
    """Return the texts of a list with numbers or bullets, without those of which nothing is left."""
    return [text for text in map(tidy, _NUMBERED.findall(spoken(answer))) if text]


def plain(answer: str) -> str:
    """Return an answer that is no JSON as one line."""
    return tidy(spoken(answer).replace("```", " "))


def tidy(text: str) -> str:
    """Return a sentence without a number before it, quotes around it and blanks too many."""
    text = _NUMBER.sub("", " ".join(text.split()))
    for left, right in _QUOTES:
        inner = text[1:-1]
        if (
            len(text) > 1
            and text[0] == left
            and text[-1] == right
            and left not in inner
            and right not in inner
        ):
            return inner.strip()
    return text


def _whole(text: str) -> dict[str, object] | list[object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _first(text: str) -> dict[str, object] | list[object] | None:
    """Return the first object in a text, or else its first list."""
    decoder = json.JSONDecoder()
    listed: list[object] | None = None
    start = 0
    for _ in range(_MOST_TRIED):
        found = _OPENING.search(text, start)
        if found is None:
            break
        try:
            value, start = decoder.raw_decode(text, found.start())
        except ValueError:
            start = found.end()
            continue
        except RecursionError:  # a thousand brackets deep: no answer, nor what stands in it
            return listed
        if isinstance(value, dict) and value:
            return value
        if isinstance(value, list) and value and listed is None:
            listed = value
    return listed


# Whether a sentence is in the language that was asked for, by the share of words that a lexicon knows.

# Measured on 150 sentences of each language of the published ProbVAA: none is below .67 in its own language,
# and all but one of 900 have their highest share there.
_KNOWN = 0.65
LANGUAGES = frozenset({"de", "en", "es", "fr", "hu", "it", "nl", "pl"})


def doubt(text: str, language: str, others: Iterable[str] = ()) -> tuple[str, str] | None:
    """Return why a sentence may not be in a language, or None if nothing speaks against it."""
    if language not in LANGUAGES:
        return None
    share = simplemma.in_target_language(text, lang=language)
    near = sorted({*others, "en"} & LANGUAGES - {language})
    rivals = {other: simplemma.in_target_language(text, lang=other) for other in near}
    best = max(rivals, key=lambda other: rivals[other], default=language)
    if rivals and rivals[best] > max(share, _KNOWN) and (share < _KNOWN or rivals[best] - share > 0.3):
        return (
            "wrong-language",
            f"expected {language}, reads like {best} ({share:.0%} against {rivals[best]:.0%})",
        )
    if share < _KNOWN:
        return "not-recognised", f"only {share:.0%} of the words are known in {language}"
    return None
