"""`polbias author pairs`: minimal pairs of claims; word pairs and grammar checks from a model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.aliases import Json
from polbias.atomic_write import write_text
from polbias.cli.options import BaseUrl, Prices, Replay, Yes, parse_assignments
from polbias.cli.outputs import csv_text, echo
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.generators.authoring.pairs import PairRequest
    from polbias.generators.xphemism.items import MinimalPair, PairMaker
    from polbias.generators.xphemism.vocabulary.lexicon import Lexicon
    from polbias.models.chat import Chat
    from polbias.models.requests import Request, RequestsOutcome

    Ask = Callable[[list[Request]], RequestsOutcome]


def pairs(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT.csv", help="Write the pairs to this file.")
    ],
    claims: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Claims: CSV, TSV, JSON Lines or Parquet.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map a role to a column, e.g. claim=text; repeatable."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Use this lexicon folder, laid out like templates/xphemism."),
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Request word pairs from a model; takes no FILE.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Request the grammar of exchanged claims from a model.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(help="Send the prompts of --propose or --check to this.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Record answers in this file; an interrupted run resumes from it.")
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Request word pairs this many times, with different seeds.")
    ] = 1,
    base_url: BaseUrl = None,
    replay: Replay = False,
    price: Prices = None,
    yes: Yes = False,
) -> None:
    """Replace loaded words of German claims by their counterparts, and change nothing else.

    FILE has the columns claim_id, claim and gold, and may request a pair by base_word and exchange_word;
    without them, each lexicon word in a claim is replaced by each of its counterparts. OUT.csv has the
    columns of FILE and shifted_claim, hit (exact, inflected, compound), status (made, review, none), reason
    and edits. Every row of FILE is in OUT.csv, which `author annotate export claims` reads.

    With --check the word is also replaced as it stands (replaced_claim), and a model corrects the grammar
    (checked_claim), as in the paper. With --propose a model lists 100 word pairs with kind and camp; `author
    annotate export words` reads them. The column rules says whether the rules make the same (agrees, differs,
    cannot say).
    """
    from polbias.generators.xphemism.items import PairMaker
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
    from polbias.models.chat import Chat
    from polbias.models.run import answer_requests

    _require_options(claims, propose, check, model, record)
    columns = parse_assignments("--column", column, "ROLE=NAME, such as claim=text")
    vocabulary = load_lexicon(lexicon)
    maker = PairMaker(vocabulary)
    if claims is not None and not check:
        _write(output, [_pair_row(row, pair) for row, pair in _exchange(claims, columns, maker)])
        return
    chat = Chat(model or "", base_url)
    ask = partial(
        answer_requests, services=[chat], record=record or Path(), replay=replay, price=price, yes=yes
    )
    is_complete = (
        _propose(output, repeats, chat, ask, vocabulary, maker)
        if claims is None
        else _check(output, _exchange(claims, columns, maker), chat, ask, maker)
    )
    if not is_complete:
        raise typer.Exit(1)


def _require_options(
    claims: Path | None, propose: bool, check: bool, model: str | None, record: Path | None
) -> None:
    """Raise an error unless the options are those of one use."""
    if propose and check:
        raise InputError("--propose: found with --check, expected one of them; propose pairs first")
    if propose and claims:
        raise InputError(f"FILE: found {claims} with --propose, which reads no claims; leave it out")
    if not propose and claims is None:
        raise InputError("FILE: found nothing, expected a file of claims; name one, or use --propose")
    option = "--propose" if propose else "--check"
    values = {"--model": model, "--record": record}
    for name, value in values.items():
        if (propose or check) and value is None:
            raise InputError(f"{option}: found no {name}, expected one; add {name}")
        if not (propose or check) and value is not None:
            raise InputError(f"{name}: found without --propose or --check; add one of them, or leave it out")


def _exchange(
    claims: Path, columns: Mapping[str, str], maker: PairMaker
) -> list[tuple[PairRequest, MinimalPair]]:
    """Return the rows of a file of claims, each with its pairs."""
    from polbias.generators.authoring.pairs import make_pairs, read_requests

    return [(row, pair) for row in read_requests(claims, columns) for pair in make_pairs(row, maker)]


def _check(
    output: Path, results: Sequence[tuple[PairRequest, MinimalPair]], chat: Chat, ask: Ask, maker: PairMaker
) -> bool:
    """Write the pairs with a model's grammar check; return whether every request has an answer."""
    from polbias.generators.authoring.pair_proposals import grammar_checks, judge_grammar

    checks = grammar_checks(results, maker, chat)
    outcome = ask([check.request for check in checks if check.request])
    answers = iter(outcome.answers)
    rows = [
        _pair_row(check.row, check.pair) | judge_grammar(check, next(answers) if check.request else None)
        for check in checks
    ]
    _write(output, rows)
    _print_verdicts(rows)
    return outcome.complete


def _propose(output: Path, repeats: int, chat: Chat, ask: Ask, lexicon: Lexicon, maker: PairMaker) -> bool:
    """Write the word pairs that a model proposes; return whether every request has an answer."""
    from polbias.generators.authoring.pair_proposals import (
        judge_proposal,
        parse_proposals,
        proposal_requests,
    )

    requests = proposal_requests(chat, repeats)
    outcome = ask(requests)
    proposals, problems = parse_proposals(requests, outcome.answers)
    for problem in problems:
        echo(problem, err=True)
    if not any(outcome.answers):
        return False
    rows = [judge_proposal(pair, lexicon, maker) for pair in proposals]
    write_text(output, csv_text(rows))
    n_in_lexicon = sum(row["in_lexicon"] == "yes" for row in rows)
    echo(f"{len(rows)} word pairs in {output}: {n_in_lexicon} in the lexicon")
    _print_verdicts(rows)
    return outcome.complete


def _write(output: Path, rows: Sequence[Json]) -> None:
    """Write the pairs, and print how many there are by status."""
    write_text(output, csv_text(rows))
    counts = Counter(row["status"] for row in rows)
    counts_by_status = f"{counts['made']} made, {counts['review']} review, {counts['none']} none"
    echo(f"{len(rows)} rows in {output}: {counts_by_status}")


def _print_verdicts(rows: Sequence[Json]) -> None:
    counts = Counter(row["rules"] for row in rows)
    echo(
        "rules: "
        + ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("agrees", "differs", "cannot say"))
    )


def _pair_row(row: PairRequest, pair: MinimalPair) -> Json:
    edits = [
        {"kind": edit.kind, "old": edit.old, "new": edit.new, "start": edit.start} for edit in pair.edits
    ]
    return (
        {"claim_id": row.claim_id}
        | dict(row.values)
        | {
            "base_word": pair.base_word,
            "exchange_word": pair.exchange_word,
            "shifted_claim": pair.shifted_claim,
            "hit": pair.hit or "",
            "status": pair.status,
            "reason": pair.reason,
            "edits": json.dumps(edits, ensure_ascii=False),
        }
    )
