"""Requests in a role of ``services.yaml``: to a chat model by its prompt, to DeepL by its protocol."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from polbias.files import InputError
from polbias.models.chat import Chat
from polbias.models.prompts import Role, settings
from polbias.models.requests import Request
from polbias.models.translate import Translate


def base_language(language: str) -> str:
    """Return a language without its region: ``de`` of ``de-CH``."""
    return language.split("-")[0].lower()


def role_request(
    role: Role,
    service: Chat | Translate,
    id: str,
    text: str,
    *,
    language: str,
    target: str,
    country: str = "",
    count: int = 1,
    parameters: Mapping[str, Any] | None = None,
) -> Request:
    """Make the request that a role makes of a text.

    Args:
        role: what is to be done.
        service: who does it; DeepL can only translate.
        id: what the caller knows the request by.
        text: the text.
        language: of the text.
        target: of the answer.
        country: code or name of the country that the text is about.
        count: how many answers the prompt asks for.
        parameters: set for a chat request, before those of the prompt; None leaves one out.

    Raises:
        InputError: if a language has no name in ``services.yaml``, or DeepL is to do more than translate.
    """
    if isinstance(service, Translate):
        if role != "translation":
            raise InputError(f"request {id}: deepl can only translate; give a chat model for {role}")
        return service.request(id, text, language, target)
    known = settings()
    for code in (language, target):
        if base_language(code) not in known.languages:
            expected = ", ".join(sorted(known.languages))
            raise InputError(f"request {id}: language {code!r} is unknown; expected one of: {expected}")
    name = known.roles[role].prompt
    prompt = known.prompts[name]
    slots = {
        "statement": text,
        "language": known.languages[base_language(language)],
        "country": known.countries.get(country.upper(), country),
        "count": count,
        "target": known.languages[base_language(target)],
    }
    system, user = known.render(name, slots)
    characters = prompt.answer_characters.per_statement * len(text) + prompt.answer_characters.fixed
    return service.request(
        id,
        [{"role": "system", "content": system}, {"role": "user", "content": user}],
        expected_tokens=math.ceil(characters / known.tokens.characters_per_token),
        **(prompt.parameters | dict(parameters or {})),
    )
