"""Options of several commands."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.errors import InputError
from polbias.registry import instrument_names

if TYPE_CHECKING:
    InstrumentName = str
else:
    InstrumentName = StrEnum("InstrumentName", [(name, name) for name in instrument_names()])

Templates = Annotated[
    Path | None, typer.Option(help="Use this template folder.", file_okay=False, exists=True)
]
Yes = Annotated[bool, typer.Option("--yes", help="Accept the estimated cost without confirmation.")]
Prices = Annotated[
    list[str] | None, typer.Option(help="Set a price, e.g. gpt-4o=2.5/10 per million tokens; repeatable.")
]
BaseUrl = Annotated[str | None, typer.Option(help="Send requests to this OpenAI-compatible server.")]
Replay = Annotated[
    bool, typer.Option("--replay", help="Use recorded answers only; needs no key and no network.")
]
FilledReview = Annotated[Path, typer.Argument(metavar="REVIEW", help="Review file, filled in.", exists=True)]
Record = Annotated[
    Path, typer.Option(help="Record answers in this file; an interrupted run resumes from it.")
]
NewReview = Annotated[Path, typer.Argument(metavar="REVIEW", help="Review file to write (TSV).")]
Model = Annotated[str, typer.Option(help="Send the prompts to this model.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Datasets, such as partisan-inference; default: all."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="Use this folder of builds; default: $POLBIAS_DATA_DIR or build/datasets.",
        file_okay=False,
    ),
]
DatasetTemplates = Annotated[
    Path | None,
    typer.Option(
        "--templates",
        help="Use this template folder for one dataset, e.g. a copy of templates/partisan.",
        file_okay=False,
    ),
]


def _points(margin: float | None) -> float | None:
    """Return the margin; raise if it is probably a fraction."""
    if margin is not None and 0 < margin < _LEAST_MARGIN:
        raise InputError(
            f"--margin: found {margin:g} percentage points, expected 0, or {_LEAST_MARGIN:g} and more; "
            f"did you mean {100 * margin:g}?"
        )
    return margin


_LEAST_MARGIN = 0.1  # percentage points
MARGIN_OPTION = typer.Option(
    "--margin",
    metavar="POINTS",
    min=0,
    callback=_points,
    help="Test equivalence: whether effects are within ± this many percentage points.",
)


def parse_assignments(option: str, texts: Sequence[str] | None, expected: str) -> dict[str, str]:
    """Return the values by name of an option such as --column ROLE=NAME."""
    values: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{option} {text}: expected {expected}")
        if name in values:
            raise InputError(
                f"{option} {text}: found {name} twice, also as {values[name]}, expected once; remove one"
            )
        values[name] = value
    return values
