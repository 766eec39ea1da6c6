"""`polbias author claims`: read claims of a file or Hub dataset for `polbias author pairs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from polbias.atomic_write import write_text
from polbias.cli.options import parse_assignments
from polbias.cli.outputs import csv_text, echo

if TYPE_CHECKING:
    from polbias.generators.authoring.claims import Claims, Label

_COLUMNS = ("claim_id", "claim", "gold", "base_word", "source")
_MAX_DISPLAYED = 20  # problems on the terminal


def claims(
    source: Annotated[str, typer.Argument(metavar="FILE|NAME", help="File, or with --hub a dataset.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT.csv", help="Write the claims to this file.")
    ],
    hub: Annotated[bool, typer.Option("--hub", help="Read a dataset of the Hugging Face Hub.")] = False,
    config: Annotated[str | None, typer.Option(help="Read this config of a Hub dataset.")] = None,
    split: Annotated[str, typer.Option(help="Read this split of a Hub dataset.")] = "train",
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map claim, gold or claim_id to a column; repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL=MEANING", help="Map a label to true, false or skip; repeatable."),
    ] = None,
    per_word: Annotated[
        int, typer.Option(min=0, help="Limit the true and the false claims per word; 0: all.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Sample the claims per word with this seed.")] = 0,
    problems: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the problems of dropped rows to this file.")
    ] = None,
) -> None:
    """Read factual claims, and keep claims that contain a word of the lexicon.

    Reads CSV, TSV, JSON Lines, Parquet and Hub datasets. Unusable rows are reported and dropped. OUT.csv has
    claim_id, claim, gold, base_word and source, as `author pairs` reads them.
    """
    from polbias.generators.authoring.claims import limit_per_keyword, read_claims, read_hub_claims
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    columns = parse_assignments("--column", column, "NAME=VALUE")
    labels = cast("dict[str, Label]", parse_assignments("--label", label, "NAME=VALUE"))
    if hub:
        claim_set = read_hub_claims(source, config, split, columns, labels)
    else:
        claim_set = read_claims(Path(source), columns, labels)
    limit = per_word or len(claim_set.claims)
    selected = limit_per_keyword(claim_set.claims, Matcher(load_lexicon()), seed, limit)
    records = ((claim.claim_id, claim.text, claim.gold, word, claim.source) for word, claim in selected)
    rows = [dict(zip(_COLUMNS, values, strict=True)) for values in records]
    write_text(output, csv_text(rows, _COLUMNS))
    _report(claim_set, problems)
    n_claims = len({row["claim_id"] for row in rows})
    echo(f"{len(claim_set.claims):,} claims read, {n_claims:,} kept in {len(rows):,} rows of {output}")


def _report(claim_set: Claims, problems: Path | None) -> None:
    problem_lines = [str(problem) for problem in claim_set.problems]
    if problems:
        write_text(problems, "".join(f"{line}\n" for line in problem_lines))
    for line in problem_lines[: 0 if problems else _MAX_DISPLAYED]:
        echo(line, fg=typer.colors.YELLOW, err=True)
    hidden = len(problem_lines) - (0 if problems else min(len(problem_lines), _MAX_DISPLAYED))
    if hidden:
        location = f"in {problems}" if problems else "not printed; use --problems FILE"
        echo(f"{hidden:,} rows dropped, {location}", fg=typer.colors.YELLOW, err=True)
