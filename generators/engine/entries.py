"""What every model of a template file is based on."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True, pattern=r"^[^\n{}]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]


class Entry(BaseModel):
    """Base of everything read from a file: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


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
