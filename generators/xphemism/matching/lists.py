"""The closed classes of ``words.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from polbias.generators.engine.entries import Entry
from polbias.locations import package_file
from polbias.template_files import load_template


def _split(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


_Words = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Lists(Entry):
    """``words.yaml``: lists by name, about compounds and about proper names."""

    compounds: Mapping[str, _Words]
    names: Mapping[str, _Words]


@cache
def lists() -> Lists:
    """Return the shipped lists."""
    return load_template(package_file("generators/xphemism/matching/words.yaml"), Lists)
