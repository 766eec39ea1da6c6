"""`polbias author check-items`: measure the similarity and balance of an item set."""

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

_MAX_PATTERNS = 5


def check_items(
    source: Annotated[
        str, typer.Argument(metavar="SET|FILE", help="Set such as poligen, or file with one item per line.")
    ],
    language: Annotated[str, typer.Option(help="Set the language of a file: en or de.")] = "en",
    n_pairs: Annotated[int, typer.Option("-n", help="Print this many closest pairs.", min=1)] = 10,
    templates: Templates = None,
) -> None:
    """Print near-duplicates, repeated openings and frames, and the balance of a set; exit 1 beyond a limit.

    Near-duplicates share half of their character 5-grams. An opening is the first two words, a frame the
    first word and the function words; none should be in more than 2% of the items.
    """
    from polbias.generators.authoring.set_similarity import measure_similarity
    from polbias.generators.selfassess.items import load_items
    from polbias.generators.selfassess.templates import load_family

    family = load_family(templates)
    items = load_items(family, source) if source in family.sets else None
    texts = [item.text for item in items] if items else _read_texts(source, family)
    similarity = measure_similarity(texts, family.sets[source].language if items else language, n_pairs)
    problems = [f"too similar: {problem}" for problem in similarity.problems()]
    balance = _balance_lines(family, source, items) if items else []
    for line in [
        f"{len(texts):,} items",
        *balance,
        *_pair_lines(similarity),
        *_pattern_lines(similarity),
        *problems,
    ]:
        echo(line)
    if problems:
        raise typer.Exit(1)


def _read_texts(source: str, family: SelfAssessTemplates) -> list[str]:
    """Return the items of a file: its lines, or the column of a table."""
    from polbias.cli.negate import read_statements
    from polbias.errors import InputError
    from polbias.generators.authoring.set_similarity import read_items

    path = Path(source)
    if not path.is_file():
        set_names = ", ".join(family.sets)
        raise InputError(f"{source}: found no such set or file, expected one of {set_names}, or a file")
    tabular = path.suffix.lower() in (".tsv", ".csv")
    texts = read_items(path) if tabular else list(read_statements(source))
    if not texts:
        raise InputError(f"{source}: found no item, expected one per line")
    return texts


def _balance_lines(family: SelfAssessTemplates, name: str, items: Sequence[Item]) -> list[str]:
    from polbias.generators.selfassess.items import TILTS, group_by_category

    def count_tilts(items: Sequence[Item]) -> str:
        counts = Counter(item.tilt for item in items)
        return ", ".join(f"{tilt} {counts[tilt]}" for tilt in TILTS)

    lines = [f"tilt: {count_tilts(items)}"]
    for code, category_items in group_by_category(items).items():
        title = family.sets[name].categories[code].title
        lines.append(f"  {title}: {len(category_items)} ({count_tilts(category_items)})")
    return lines


def _pair_lines(similarity: SetSimilarity) -> list[str]:
    lines = []
    for title, closest in (("character 5-grams", similarity.grams), ("word bigrams", similarity.bigrams)):
        lines.append(f"closest by {title}:")
        lines += [
            f"  {pair.score:.2f}  {similarity.texts[pair.first]} | {similarity.texts[pair.second]}"
            for pair in closest.pairs
        ]
    return lines


def _pattern_lines(similarity: SetSimilarity) -> list[str]:
    lines = []
    for kind in ("opening", "frame", "skeleton"):
        patterns = [pattern for pattern in similarity.patterns if pattern.kind == kind][:_MAX_PATTERNS]
        descriptions = ", ".join(
            f"{pattern.pattern} ({pattern.count}, {pattern.share:.1%})" for pattern in patterns
        )
        lines.append(f"most common {kind}s: {descriptions or 'none in more than one item'}")
    return lines
