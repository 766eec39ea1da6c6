"""`polbias author negate`: negate statements by rule, one per line."""

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
    """Language with negation rules."""

    en = "en"
    de = "de"
    es = "es"
    it = "it"


def negate(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Statements, one per line; - for standard input.")
    ],
    language: Annotated[LanguageName, typer.Option(help="Set the language of the statements.")],
    pipeline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FOLDER", help="Use this spaCy pipeline for tokens, parts of speech and heads."
        ),
    ] = None,
) -> None:
    """Negate policy statements by rule, and print the rule.

    Prints statement, negation and rule, separated by tabs. The negation is empty if the rule abstains, or if
    the spaCy pipeline does not tag the negated verb as a verb. Empty lines are dropped.
    """
    from polbias.generators.authoring.negation import load
    from polbias.generators.authoring.negation import negate as by_rule

    spacy_pipeline = load(pipeline, language.value) if pipeline else None
    for statement in read_statements(file):
        negation = by_rule(statement, language.value, spacy_pipeline)
        echo("\t".join((statement, negation.text or "", negation.rule)))


def read_statements(file: str) -> Iterator[str]:
    """Yield the lines of a file or of standard input, stripped, without empty lines."""
    for number, line in text_lines(Path(file), stream=sys.stdin.buffer if file == "-" else None, strict=True):
        if "\t" in line:
            raise InputError(f"{file}:{number}: found a tab, expected one statement per line; remove it")
        if line.strip():
            yield line.strip()
