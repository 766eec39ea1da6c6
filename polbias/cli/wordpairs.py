"""`polbias author wordpairs`: further word pairs from a chat model, a review of them, lexicon rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from polbias.cli.options import BaseUrl, FilledReview, Model, NewReview, Prices, Record, Replay, Yes
from polbias.files import write_text

app = typer.Typer(
    no_args_is_help=True, help="Further word pairs: suggested by a model, accepted by a person."
)


@app.command()
def suggest(
    review: NewReview,
    record: Record,
    model: Model,
    base_url: BaseUrl = None,
    runs: Annotated[int, typer.Option(help="How often it is asked for a hundred pairs.", min=1)] = 1,
    replay: Replay = False,
    price: Prices = None,
    yes: Yes = False,
) -> None:
    """Ask a model for word pairs and write them into a review file, in which what is decided is kept.

    A person fills the column `decision` with accept or reject, corrects the words in `first` and `second`,
    and may label them.
    """
    from polbias.generators.authoring import word_pairs as wordgen
    from polbias.generators.authoring.word_pairs import REVIEW
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon
    from polbias.models import Chat, answered

    before = REVIEW.rows(review) if review.exists() else []
    chat = Chat(model, base_url)
    outcome = answered(wordgen.requests(chat, runs), [chat], record, replay, price, yes)
    found, unread = wordgen.suggestions(outcome.answers, load_lexicon())
    for each in unread:
        typer.echo(each, err=True)
    write_text(review, REVIEW.text(found, before))
    counts = Counter(each.status for each in found)
    told = ", ".join(f"{count} {status}" for status, count in counts.items()) or "none"
    typer.echo(f"{len(found)} pairs in {review}: {told}; {len(unread)} lines not read")
    if not outcome.complete:
        raise typer.Exit(1)


@app.command()
def accept(
    review: FilledReview,
    output: Annotated[Path, typer.Option("-o", "--output", help="Labelled rows for pairs.tsv.")],
    unlabelled: Annotated[Path, typer.Option(help="Pairs without labels, for `author annotate export`.")],
) -> None:
    """Turn the accepted pairs of a review file into rows for the lexicon, or into pairs to annotate."""
    from polbias.generators.authoring.annotation.tasks import load_guideline
    from polbias.generators.authoring.pairs import pairs_tsv
    from polbias.generators.authoring.word_pairs import read_review, unlabelled_tsv
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    found = read_review(review, load_lexicon(), load_guideline())
    write_text(output, pairs_tsv(found.pairs))
    write_text(unlabelled, unlabelled_tsv(found))
    counts = f"{len(found.pairs)} labelled, {len(found.unlabelled)} to annotate"
    typer.echo(f"accepted: {counts}; {found.rejected} rejected, {found.open} open")
    for word in found.words:
        typer.echo(f"needs a row in morphology.*.tsv: {word}")
