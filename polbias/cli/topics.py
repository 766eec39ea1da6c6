"""`polbias author topics`: topics or titles from a chat model, their review, and item files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.atomic_write import write_text
from polbias.cli.options import (
    BaseUrl,
    FilledReview,
    Model,
    NewReview,
    Prices,
    Record,
    Replay,
    Templates,
    Yes,
)
from polbias.cli.outputs import echo
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.generators.selfassess.items import Item
    from polbias.generators.selfassess.templates import SelfAssessTemplates

app = typer.Typer(
    no_args_is_help=True, help="Add topics or titles that a model suggests and a reviewer accepts."
)
_SetName = Annotated[str, typer.Option("--set", help="Add to this set, such as poligen.")]


@app.command()
def suggest(
    review: NewReview,
    set_id: _SetName,
    record: Record,
    model: Model,
    base_url: BaseUrl = None,
    categories: Annotated[
        int | None,
        typer.Option(help="Request this many new categories first; default: the set's categories.", min=1),
    ] = None,
    templates: Templates = None,
    replay: Replay = False,
    price: Prices = None,
    yes: Yes = False,
) -> None:
    """Request items from a model, category by category, and write them to a review file.

    Marks near-duplicates of the set's items and of each other, and items that are too long, are a question,
    or name a perspective. A reviewer fills the column `decision` with accept or reject, and may correct text
    and tilt. Decisions are kept if the file is written again.
    """
    from polbias.generators.authoring import topics as topicgen
    from polbias.generators.authoring.topics import REVIEW
    from polbias.generators.selfassess.templates import load_family
    from polbias.models.chat import Chat
    from polbias.models.run import answer_requests

    family = load_family(templates)
    item_set = family.sets[_require_set(family, set_id)]
    existing_rows = REVIEW.rows(review) if review.exists() else []
    chat = Chat(model, base_url)
    names = [category.title for category in item_set.categories.values()]
    if categories:
        request = topicgen.category_request(chat, item_set, categories)
        first = answer_requests([request], [chat], record, replay, price, yes)
        if not first.complete:
            raise typer.Exit(1)
        names = topicgen.read_categories(first.answers[0])
    requests = topicgen.item_requests(chat, item_set, names)
    outcome = answer_requests([request for _, request in requests], [chat], record, replay, price, yes)
    existing_texts = [item.text for item in _read_set_items(family, set_id)]
    suggestions, problems = topicgen.suggestions(set_id, item_set, requests, outcome.answers, existing_texts)
    for problem in problems:
        echo(problem, err=True)
    write_text(review, REVIEW.text(suggestions, existing_rows))
    counts = Counter(row.status for row in suggestions)
    counts_by_status = ", ".join(f"{number} {status}" for status, number in counts.items()) or "none"
    echo(f"{len(suggestions)} items in {review}: {counts_by_status}")
    if not outcome.complete:
        raise typer.Exit(1)


@app.command()
def accept(
    review: FilledReview,
    set_id: _SetName,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the item files to this folder.")],
    templates: Templates = None,
) -> None:
    """Write the accepted items of a review file to item files, one per category, with new numbers."""
    from polbias.generators.authoring.topics import read_review
    from polbias.generators.selfassess.templates import load_family

    family = load_family(templates)
    item_set = family.sets[_require_set(family, set_id)]
    reviewed = read_review(review, item_set, _read_set_items(family, set_id))
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{output}: cannot be created ({error.strerror})") from None
    for code in reviewed.files:
        write_text(output / f"{code}-accepted.tsv", reviewed.tsv(code, item_set.field))
    count = sum(len(rows) for rows in reviewed.files.values())
    echo(f"accepted: {count}; {reviewed.rejected} rejected, {reviewed.open} open")
    for line in reviewed.lines():
        echo(line)


def _require_set(family: SelfAssessTemplates, set_id: str) -> str:
    if set_id not in family.sets:
        raise InputError(f"--set: found {set_id!r}, expected one of {', '.join(family.sets)}")
    return set_id


def _read_set_items(family: SelfAssessTemplates, set_id: str) -> list[Item]:
    """Return the current items of a set, complete or not."""
    from polbias.generators.selfassess.items import read_items

    paths = sorted((family.folder / set_id).glob("*.tsv"))
    return [item for path in paths for item in read_items(path, family.sets[set_id])]
