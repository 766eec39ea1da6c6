"""`polbias author pairs`: minimal pairs from any claims."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.aliases import Json
from polbias.cli.options import Encoding, Yes, assigned
from polbias.cli.outputs import csv_text
from polbias.files import InputError, write_text

if TYPE_CHECKING:
    from polbias.generators.xphemism.minimal_pairs import MinimalPair


def pairs(
    claims: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT.csv", help="Where pairs go.")],
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Which column is which, e.g. claim=text; may be repeated."),
    ] = None,
    encoding: Encoding = "utf-8",
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A lexicon of your own, laid out like templates/xphemism."),
    ] = None,
    check: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Let a chat model check the grammar of made pairs.")
    ] = None,
    record: Annotated[Path | None, typer.Option(help="File of recorded answers of --check.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Any OpenAI-compatible server for --check.")] = None,
    yes: Yes = False,
) -> None:
    """Exchange loaded words of German claims for their counterparts, and nothing else.

    FILE has the columns claim_id, claim and gold, and may ask for a pair with base_word and exchange_word;
    without them every word of the lexicon in a claim is exchanged for each of its partners. OUT.csv has the
    columns of FILE and shifted_claim, hit (exact, inflected, compound), status (made, review, none), reason
    and edits. Every row of FILE is answered.
    """
    from polbias.generators.authoring.pairs import answer, read_requests
    from polbias.generators.xphemism.minimal_pairs import PairMaker
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    if check and not record:
        raise InputError("--check needs --record FILE, which keeps the answers; name a file")
    maker = PairMaker(load_lexicon(lexicon))
    rows: list[Json] = []
    made: list[MinimalPair] = []
    columns = assigned("--column", column, "ROLE=NAME, such as claim=text")
    for request in read_requests(claims, columns, encoding):
        for pair in answer(request, maker):
            words = {"base_word": pair.base_word, "exchange_word": pair.exchange_word}
            rows.append({"claim_id": request.claim_id} | dict(request.values) | words | _result(pair))
            made.append(pair)
    if check and record:
        _checked(rows, made, check, base_url, record, yes)
    write_text(output, csv_text(rows))
    counts = Counter(row["status"] for row in rows)
    told = ", ".join(f"{counts[status]} {status}" for status in ("made", "review", "none"))
    typer.echo(f"{len(rows)} rows in {output}: {told}")


def _result(pair: MinimalPair) -> Json:
    edits = [
        {"kind": edit.kind, "old": edit.old, "new": edit.new, "start": edit.start} for edit in pair.edits
    ]
    return {
        "shifted_claim": pair.shifted_claim,
        "hit": pair.hit or "",
        "status": pair.status,
        "reason": pair.reason,
        "edits": json.dumps(edits, ensure_ascii=False),
    }


def _checked(
    rows: list[Json],
    made: list[MinimalPair],
    model: str,
    base_url: str | None,
    record: Path,
    yes: bool,
) -> None:
    """Add the column ``check``, and use the corrections that stay within the exchanged noun phrase."""
    from polbias.generators.authoring.grammar_check import ShiftedClaim, allowed_spans, check_grammar
    from polbias.models import Chat, Recorder

    asked = {
        place: ShiftedClaim(str(place), pair.shifted_claim, allowed_spans(pair.shifted_claim, pair.edits))
        for place, pair in enumerate(made)
        if pair.status == "made"
    }
    with Recorder(record, "record") as recorder:
        found = check_grammar([*asked.values()], Chat(model, base_url), recorder, yes=yes)
    for row in rows:
        row["check"] = ""
    for place, each in zip(asked, found, strict=True):
        rows[place]["shifted_claim"] = each.text
        rows[place]["check"] = f"{each.status}: {each.reason}" if each.reason else each.status
