"""`polbias author pairs`: make minimal pairs from claims."""

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
    claims: Annotated[Path, typer.Argument(metavar="FILE", help="Claims: CSV, TSV, JSON Lines or Parquet.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT.csv", help="Write the pairs to this file.")
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map a role to a column, e.g. claim=text; repeatable."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Use this lexicon folder, laid out like templates/xphemism."),
    ] = None,
) -> None:
    """Replace loaded words of German claims by their counterparts, and change nothing else.

    FILE has the columns claim_id, claim and gold, and may request a pair by base_word and exchange_word;
    without them, each lexicon word in a claim is replaced by each of its counterparts. OUT.csv has the
    columns of FILE and shifted_claim, hit (exact, inflected, compound), status (made, review, none), reason
    and edits. Every row of FILE is in OUT.csv, which `author annotate export claims` reads.
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
