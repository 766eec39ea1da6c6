"""Where the text of a row comes from: the paper's table, or polbias."""

from __future__ import annotations

from polbias.generators.partisan.arguments import Cell
from polbias.generators.partisan.country import AnyCountry
from polbias.generators.partisan.family import Family, Origin


def source(family: Family, country: AnyCountry, cell: Cell) -> str:
    """Return the provenance of an argument.

    Args:
        family: the templates, with the wordings.
        country: whose people and issues.
        cell: what the argument is made from.

    Returns:
        Paper and table for a printed argument; otherwise that polbias completed or crossed it, and from what.
    """
    patterns = family.language(country).patterns
    issue = country.issues[cell.pattern.issues[cell.leaning]] if cell.pattern.issues else None
    table = patterns.formal.patterns[cell.pattern.key].source if issue is None else patterns.material.source
    origin: Origin = "analogy"
    where = table
    if issue is not None and issue.side != cell.leaning:
        origin, where = "crossed", issue.source
    elif country.printed == "all":
        origin, where = "printed", f"{table}; {issue.source}" if issue else table
    elif country.printed:
        for entry in country.printed:
            concerned = (
                entry.pattern == cell.pattern.key
                if issue is None
                else issue == country.issues.get(entry.issue or "")
            )
            same = (entry.kind, entry.leaning, entry.gender) == (cell.pattern.kind, cell.leaning, cell.gender)
            if concerned and same and not cell.pattern.negated:
                origin, where = "printed", entry.source
    else:
        origin = "other"
    wording = family.dataset.provenance[origin]
    return wording.format(paper=family.dataset.paper, source=where, country=country.source)
