"""What every model of a template file is based on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from string import Formatter
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True, pattern=r"^[^\n{}]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
Each = TypeVar("Each", bound=Hashable)


def _once(values: tuple[Each, ...]) -> tuple[Each, ...]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"found {value!r} twice, expected each once; remove one")
    return values


Levels = Annotated[tuple[Each, ...], Field(min_length=1), AfterValidator(_once)]
"""What a factor runs over: at least one value, none of them twice."""


def distinct(field: str) -> AfterValidator:
    """Have a list of entries checked for a field that each has for itself, such as ``"id"``."""

    def check(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        values = [getattr(entry, field) for entry in entries]
        for number, value in enumerate(values):
            if value in values[:number]:
                raise ValueError(f"{number}.{field}: found {value!r} again, expected each once")
        return entries

    return AfterValidator(check)


class Entry(BaseModel):
    """Base of everything read from a file: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


def every(names: Any) -> AfterValidator:
    """Have a mapping checked for an entry of each name.

    Args:
        names: a ``Literal``; other names are refused by the type of the keys.
    """

    def check(entries: Mapping[str, Any]) -> Mapping[str, Any]:
        missing = [name for name in get_args(names) if name not in entries]
        if missing:
            raise ValueError(f"found no entry for {', '.join(missing)}; add one")
        return entries

    return AfterValidator(check)


def slots(*names: str) -> AfterValidator:
    """Have a text checked for places to fill in, such as ``{paper}``: these and no others may stand in it."""

    def check(text: str) -> str:
        known = " and ".join(f"{{{name}}}" for name in names)
        try:
            places = [place for _, *place in Formatter().parse(text) if place[0] is not None]
        except ValueError:  # a brace without its other half
            places = [["", "", None]]
        if any(name not in names or spec or conversion for name, spec, conversion in places):
            raise ValueError(f"found {text!r}, expected no braces but those of {known}")
        return text

    return AfterValidator(check)


class Identity(Entry):
    """What a dataset is called.

    Attributes:
        name: Hub repository name.
        version: semantic version of the data.
        canary: marks the dataset in card and rows.
    """

    name: Text
    version: Version
    canary: Text
