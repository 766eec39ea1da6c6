"""`polbias author check-items`: how alike the items of a set are, and how they are balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.cli.options import Templates
from polbias.cli.outputs import echo

if TYPE_CHECKING:
    from polbias.generators.authoring.set_similarity import SetSimilarity
    from polbias.generators.selfassess.items import Item
    from polbias.generators.selfassess.templates import SelfAssessTemplates

_SHOWN = 5


def check_items(
    source: Annotated[
        str, typer.Argument(metavar="SET|FILE", help="A set such as poligen, or a file with one item a line.")
    ],
    language: Annotated[str, typer.Option(help="Of the items of a file: en or de.")] = "en",
    most: Annotated[int, typer.Option("-n", help="Pairs to show.", min=1)] = 10,
    templates: Templates = None,
) -> None:
    """Show near-duplicates, repeated openings and frames, and the balance of a set; exit 1 beyond a limit.

    Two items are near-duplicates if half of their character 5-grams are shared. An opening is the first two
    words, a frame the first word with the function words; none should be in more than 2% of the items.
    """
    from polbias.generators.authoring.set_similarity import measure_similarity
    from polbias.generators.selfassess.items import load_items
    from polbias.generators.selfassess.templates import load_family

    family = load_family(templates)
    read = load_items(family, source) if source in family.sets else None
    texts = [item.text for item in read] if read else _of_file(source, family)
    found = measure_similarity(texts, family.sets[source].language if read else language, most)
    problems = [f"too much alike: {problem}" for problem in found.problems()]
    balance = _balance(family, source, read) if read else []
    for line in [f"{len(texts):,} items", *balance, *_pairs(found), *_patterns(found), *problems]:
        echo(line)
    if problems:
        raise typer.Exit(1)


def _of_file(source: str, family: SelfAssessTemplates) -> list[str]:
    """Return the items of a file: lines of text, or the column of a table."""
    from polbias.cli.negate import read_statements
    from polbias.errors import InputError
    from polbias.generators.authoring.set_similarity import read_column

    path = Path(source)
    if not path.is_file():
        known = ", ".join(family.sets)
        raise InputError(f"{source}: no such set or file; expected one of {known}, or a file")
    tabular = path.suffix.lower() in (".tsv", ".csv")
    texts = read_column(path) if tabular else list(read_statements(source))
    if not texts:
        raise InputError(f"{source}: found no item, expected one a line")
    return texts


def _balance(family: SelfAssessTemplates, name: str, read: Sequence[Item]) -> list[str]:
    from polbias.generators.selfassess.items import TILTS, group_by_category

    def tilts(own: Sequence[Item]) -> str:
        counts = Counter(item.tilt for item in own)
        return ", ".join(f"{tilt} {counts[tilt]}" for tilt in TILTS)

    lines = [f"tilt: {tilts(read)}"]
    for code, own in group_by_category(read).items():
        lines.append(f"  {family.sets[name].categories[code].title}: {len(own)} ({tilts(own)})")
    return lines


def _pairs(found: SetSimilarity) -> list[str]:
    lines = []
    for title, closest in (("character 5-grams", found.grams), ("word bigrams", found.bigrams)):
        lines.append(f"closest by {title}:")
        lines += [
            f"  {pair.score:.2f}  {found.texts[pair.first]} | {found.texts[pair.second]}"
            for pair in closest.pairs
        ]
    return lines


def _patterns(found: SetSimilarity) -> list[str]:
    lines = []
    for kind in ("opening", "frame", "skeleton"):
        own = [each for each in found.patterns if each.kind == kind][:_SHOWN]
        told = ", ".join(f"{each.pattern} ({each.count}, {each.share:.1%})" for each in own)
        lines.append(f"commonest {kind}s: {told or 'none in more than one item'}")
    return lines
