"""Prompts about the published statements of ProbVAA, from a user's copy; built locally, never published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from polbias.files import InputError
from polbias.generators.auditing.probvaa import Probvaa
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.entries import Identity
from polbias.generators.policy.statements import VARIANTS
from polbias.generators.policy.tables import ALL, Item, prompts
from polbias.generators.policy.templates import load_family

_LANGUAGE = "en"
_SOURCE = "ProbVAA (Ceron et al. 2024), a user's copy"
_IDENTITY = Identity(name="probvaa", version="1.0.0", canary="none: published data of others")


def dataset(data: Probvaa, templates: Path | None = None) -> DatasetSpec:
    """Return the specification of the prompts about the published statements that have an English text.

    Args:
        data: the user's copy of the published folder, whole or in part.
        templates: a folder laid out like ``templates/policy``, for the prompt grid; by default that one.

    Raises:
        InputError: if a statement lacks a variant.
        TemplateError: if a template file is unusable.
    """
    family, items = load_family(templates), list(_items(data))
    countries = dict.fromkeys(item.country for item in items)
    tables = [prompts(family, _IDENTITY, ALL, items, _SOURCE)]
    for country in countries:
        own = [item for item in items if item.country == country]
        tables.append(prompts(family, _IDENTITY, country.lower(), own, _SOURCE))
    return DatasetSpec(**_IDENTITY.model_dump(), tables=tuple(tables))


def _items(data: Probvaa) -> Iterator[Item]:
    for (country, number, language), rows in data.texts().items():
        if language != _LANGUAGE:
            continue
        missing = [variant for variant in VARIANTS if variant not in rows]
        if missing:
            raise InputError(
                f"{data.folder}/probvaa.csv: {country}_{number} in {language!r} has no {', '.join(missing)}; "
                "expected all six variants; complete the file or leave the statement out"
            )
        name = f"{country}_{number}"
        annotation = data.annotations.get(name)
        yield Item(
            name,
            country.upper(),
            annotation.domain if annotation else None,
            {variant: rows[variant].text for variant in VARIANTS},
            None,
            annotation.signs if annotation else None,
        )
