"""`polbias author negate`: negate statements by rule, one a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.outputs import echo
from polbias.errors import InputError
from polbias.lines import text_lines


class LanguageName(StrEnum):
    """The languages that can be negated."""

    en = "en"
    de = "de"
    es = "es"
    it = "it"


def negate(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Statements, one a line; - for standard input.")
    ],
    language: Annotated[LanguageName, typer.Option(help="Of the statements.")],
    pipeline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FOLDER", help="Trained pipeline of spaCy, for tokens and parts of speech."
        ),
    ] = None,
) -> None:
    """Negate policy statements by rule, and say which rule.

    Prints the statement, its negation and the rule, separated by tabs. The negation is empty where the rule
    is unsure, or where a trained pipeline says that the verb it turned on is none. Empty lines are left out.
    """
    from polbias.generators.authoring.negation import load
    from polbias.generators.authoring.negation import negate as by_rule

    spacy_pipeline = load(pipeline, language.value) if pipeline else None
    for statement in read_statements(file):
        negation = by_rule(statement, language.value, spacy_pipeline)
        echo("\t".join((statement, negation.text or "", negation.rule)))


def read_statements(file: str) -> Iterator[str]:
    """Yield the lines of a file or of standard input, without spaces at their ends."""
    for number, line in text_lines(Path(file), stream=sys.stdin.buffer if file == "-" else None, strict=True):
        if "\t" in line:
            raise InputError(f"{file}:{number}: found a tab, expected one statement a line; remove it")
        if line.strip():
            yield line.strip()
