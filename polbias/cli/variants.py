"""`polbias author variants`: negations, opposites, paraphrases and translations of statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.atomic_write import write_text
from polbias.cli.options import BaseUrl, Prices, Record, Replay, Yes
from polbias.cli.outputs import echo
from polbias.errors import InputError
from polbias.lines import reading_errors

if TYPE_CHECKING:
    from polbias.generators.authoring.variants import SourceStatement
    from polbias.models.requests import Request, RequestsOutcome

_YAML_SUFFIXES = (".yaml", ".yml")


class StatementLanguage(StrEnum):
    """Language of statements for a service."""

    de = "de"
    en = "en"
    es = "es"
    fr = "fr"
    hu = "hu"
    it = "it"
    nl = "nl"
    pl = "pl"


def variants(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, one per line.")],
    language: Annotated[StatementLanguage, typer.Option(help="Set the language of the statements.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Write a statement file (.yaml) or records (.jsonl).")
    ],
    record: Record,
    model: Annotated[str, typer.Option(help="Request paraphrases and opposites from this model.")],
    base_url: BaseUrl = None,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Send this many requests to the model at once.")
    ] = 8,
    country: Annotated[
        str, typer.Option(help="Name the country of the statements to the model, e.g. DE.")
    ] = "",
    translate: Annotated[
        StatementLanguage | None, typer.Option(help="Write all texts in this language, too.")
    ] = None,
    deepl: Annotated[
        bool, typer.Option("--deepl", help="Translate with DeepL instead of the model.")
    ] = False,
    deepl_url: Annotated[
        str | None, typer.Option(help="Translate with DeepL at this address; default: by the key.")
    ] = None,
    translate_paraphrases: Annotated[
        bool, typer.Option("--translate-paraphrases", help="Translate paraphrases; default: write new ones.")
    ] = False,
    replay: Replay = False,
    price: Prices = None,
    yes: Yes = False,
) -> None:
    """Write the variants of policy statements: the negation by rule, the other variants from a model.

    With --translate, original, negation and opposite are translated, and the paraphrases are written from the
    translated original, as in the paper. Translations of opposites and paraphrases are a second step, so that
    the estimated cost is printed twice, each time before the first request. All texts pass the quality gate;
    a native speaker reviews doubtful ones. An interrupted run resumes: answers in the file of --record are
    not requested again.
    """
    from polbias.generators.authoring.statement_texts import collect_texts, missing_rules, statement_file
    from polbias.models.chat import Chat, Service
    from polbias.models.run import answer_requests
    from polbias.models.translate import DeepLTranslator

    languages = [language.value, *([translate.value] if translate else [])]
    _check_languages(languages, bool(deepl or deepl_url or translate_paraphrases))
    _check_output(output, languages)
    statements = list(_statements(file, language.value, country))
    chat = Chat(model, base_url, concurrency=concurrency)
    translator = DeepLTranslator(base_url=deepl_url) if deepl or deepl_url else None
    services: list[Service] = [chat, *([translator] if translator else [])]

    def answer(requests: Sequence[Request]) -> RequestsOutcome:
        return answer_requests(requests, services, record, replay, price, yes)

    for message in missing_rules(languages[0], translate and translate.value):
        echo(message, err=True)
    entries, is_complete = collect_texts(
        statements,
        chat,
        answer,
        translator=translator,
        target=translate and translate.value,
        has_translated_paraphrases=translate_paraphrases,
    )
    if output.suffix in _YAML_SUFFIXES:
        for line in (line for entry in entries for line in entry.review_lines()):
            echo(line, err=True)
        write_text(output, statement_file(entries, languages, country))
    else:
        lines = (json.dumps(entry.record(), ensure_ascii=False) + "\n" for entry in entries)
        write_text(output, "".join(lines))
    if not is_complete:
        raise typer.Exit(1)


def _check_languages(languages: Sequence[str], is_translating: bool) -> None:
    if len(languages) == 1 and is_translating:
        raise InputError("--translate: found no language, expected the language to translate into; add it")
    if len(languages) != len(set(languages)):
        raise InputError(
            f"--translate: found {languages[0]}, the language of the statements, expected another; "
            "correct or remove it"
        )


def _check_output(output: Path, languages: Sequence[str]) -> None:
    """Raise if the output has no format, or is a statement file that a person has begun to fill in."""
    from polbias.generators.authoring.statement_texts import has_entries_by_hand

    if output.suffix not in (*_YAML_SUFFIXES, ".jsonl"):
        raise InputError(
            f"--output {output}: found {output.suffix or 'no suffix'}, expected .yaml or .jsonl; rename it"
        )
    if output.suffix == ".jsonl":
        return
    if "en" not in languages:
        raise InputError(
            f"--output {output}: found no English texts, which the build needs; add --translate en"
        )
    with reading_errors(output):
        is_edited = output.exists() and has_entries_by_hand(output.read_text("utf-8", "replace"))
    if is_edited:
        raise InputError(
            f"--output {output}: found entries by hand, which would be lost; choose another name"
        )


def _statements(file: Path, language: str, country: str) -> Iterator[SourceStatement]:
    """Yield the statements with ids that begin with the name of the file."""
    from polbias.cli.negate import read_statements
    from polbias.generators.authoring.variants import SourceStatement

    prefix = re.sub("[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "statement"
    for number, text in enumerate(read_statements(str(file)), 1):
        yield SourceStatement(f"{prefix}-{number:02}", language, text, country)
