"""`polbias author variants`: negations, opposites, paraphrases and translations of statements."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.atomic_write import write_text
from polbias.cli.options import BaseUrl, Prices, Record, Replay, Yes

if TYPE_CHECKING:
    from polbias.generators.authoring.variants import SourceStatement, Variant


def variants(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Statements, one per line.")],
    language: Annotated[str, typer.Option(help="Set the language of the statements: en, de, fr, it or es.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write to this JSONL file.")],
    record: Record,
    model: Annotated[str, typer.Option(help="Request paraphrases and opposites from this model.")],
    base_url: BaseUrl = None,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Send this many requests to the model at once.")
    ] = 8,
    country: Annotated[str, typer.Option(help="Name the country of the statements to the model.")] = "",
    translate: Annotated[
        str | None, typer.Option(metavar="LANGUAGE", help="Also translate the statements into this language.")
    ] = None,
    deepl: Annotated[
        bool, typer.Option("--deepl", help="Translate with DeepL instead of the model.")
    ] = False,
    replay: Replay = False,
    price: Prices = None,
    yes: Yes = False,
) -> None:
    """Write the variants of policy statements: the negation by rule, the other variants from a model.

    Prints the estimated cost before the first request. Each variant has the findings of the quality gate; a
    native speaker reviews doubtful variants. An interrupted run resumes: answers in the file of --record are
    not requested again.
    """
    from polbias.generators.authoring import variants as authoring
    from polbias.models.chat import Chat, Service
    from polbias.models.run import answer_requests
    from polbias.models.service_settings import Role
    from polbias.models.translate import DeepLTranslator

    statements = list(_statements(file, language, country))
    chat = Chat(model, base_url, concurrency=concurrency)
    translator = DeepLTranslator() if deepl else None
    roles: list[Role] = ["paraphrases", "opposite"]
    if translate:
        roles.append("translation")
    jobs = authoring.variant_requests(
        statements, chat, roles, translator=translator, target=translate or language
    )
    services: list[Service] = [chat, *([translator] if translator else [])]
    outcome = answer_requests([job.request for job in jobs], services, record, replay, price, yes)
    lines = _lines(statements, authoring.variants(jobs, outcome.answers))
    write_text(output, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    if not outcome.complete:
        raise typer.Exit(1)


def _statements(file: Path, language: str, country: str) -> Iterator[SourceStatement]:
    from polbias.cli.negate import read_statements
    from polbias.generators.authoring.variants import SourceStatement

    for number, text in enumerate(read_statements(str(file)), 1):
        yield SourceStatement(f"{file.stem}-{number:02}", language, text, country)


def _lines(statements: list[SourceStatement], model_variants: list[Variant]) -> Iterator[dict[str, Any]]:
    """Yield a record per statement with all its texts, their problems and findings."""
    from polbias.generators.authoring.negation import negate
    from polbias.generators.authoring.quality_gate import defects

    by_statement: defaultdict[str, list[Variant]] = defaultdict(list)
    for variant in model_variants:
        by_statement[variant.statement_id].append(variant)
    for statement in statements:
        statement_variants = by_statement[statement.id]
        texts = {"original": statement.text}
        try:
            negation = negate(statement.text, statement.language)
        except ValueError:
            negation = None  # no rule for this language
        if negation and negation.text:
            texts["negation"] = negation.text
        texts |= {
            v.variant: v.text for v in statement_variants if v.text and v.language == statement.language
        }
        opposite = next((v for v in statement_variants if v.variant == "opposite"), None)
        yield {
            "id": statement.id,
            "language": statement.language,
            "texts": texts,
            "translations": {
                v.language: v.text for v in statement_variants if v.language != statement.language
            },
            "opposite": {"kind": opposite.opposite_kind, "type": opposite.opposite_type}
            if opposite
            else None,
            "negation_rule": negation.rule if negation else None,
            "problems": [
                {"variant": v.variant, "language": v.language, **asdict(p)}
                for v in statement_variants
                for p in v.problems
            ],
            "findings": [
                {**asdict(f), "sure": f.sure}
                for f in defects(texts, statement.language, statement.country or None)
            ],
        }
