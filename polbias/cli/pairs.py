"""`polbias author pairs`: minimal pairs from any claims."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.aliases import Json
from polbias.atomic_write import write_text
from polbias.cli.options import parse_assignments
from polbias.cli.outputs import csv_text, echo

if TYPE_CHECKING:
    from polbias.generators.xphemism.items import MinimalPair


def pairs(
    claims: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT.csv", help="Where pairs go.")],
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Which column is which, e.g. claim=text; may be repeated."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A lexicon of your own, laid out like templates/xphemism."),
    ] = None,
) -> None:
    """Exchange loaded words of German claims for their counterparts, and nothing else.

    FILE has the columns claim_id, claim and gold, and may ask for a pair with base_word and exchange_word;
    without them every word of the lexicon in a claim is exchanged for each of its partners. OUT.csv has the
    columns of FILE and shifted_claim, hit (exact, inflected, compound), status (made, review, none), reason
    and edits. Every row of FILE is answered.
    """
    from polbias.generators.authoring.pairs import make_pairs, read_requests
    from polbias.generators.xphemism.items import PairMaker
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    maker = PairMaker(load_lexicon(lexicon))
    rows: list[Json] = []
    columns = parse_assignments("--column", column, "ROLE=NAME, such as claim=text")
    for request in read_requests(claims, columns):
        for pair in make_pairs(request, maker):
            words = {"base_word": pair.base_word, "exchange_word": pair.exchange_word}
            rows.append({"claim_id": request.claim_id} | dict(request.values) | words | _pair_record(pair))
    write_text(output, csv_text(rows))
    counts = Counter(row["status"] for row in rows)
    counts_by_status = f"{counts['made']} made, {counts['review']} review, {counts['none']} none"
    echo(f"{len(rows)} rows in {output}: {counts_by_status}")


def _pair_record(pair: MinimalPair) -> Json:
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
