"""Tables of `polbias annotate`: agreement with the annotators beside it, shares of the similarity check."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polbias.cells import guarded

if TYPE_CHECKING:
    from polbias.generators.xphemism.annotation.collecting import Collected
    from polbias.generators.xphemism.annotation.people import Person
    from polbias.generators.xphemism.annotation.similarity import Similarity
    from polbias.generators.xphemism.annotation.tasks import Task, TaskSet


def agreement_data(
    tasks: TaskSet, found: Collected, people: Sequence[Person], draws: int, seed: int
) -> dict[str, Any]:
    """Return agreement by variable as in Table 6, and the annotators with their political compass.

    Args:
        tasks: of the export.
        found: answers that count.
        people: where annotators stand.
        draws: bootstrap samples over items.
        seed: of the samples.

    Returns:
        JSON; what cannot be computed is None.

    Source:
        Jakob et al. 2025, Appendix D.3 (Table 6) and D.4.
    """
    from polbias.eval.agreement import alpha_interval
    from polbias.generators.authoring.annotation.tasks import load_guideline
    from polbias.generators.xphemism.annotation.votes import ratings

    variables = []
    for variable in load_guideline().variables(tasks.kind):
        table = ratings(found.answers, tasks.tasks, variable)
        interval = asdict(alpha_interval(table, draws=draws, seed=seed))
        numbers = {
            name: None if isinstance(v, float) and math.isnan(v) else v for name, v in interval.items()
        }
        variables.append(
            {"variable": variable.id, "title": variable.title, "annotators": len(table), **numbers}
        )
    stands = {person.name: person for person in people}
    answers = Counter(answer.annotator for answer in found.answers)
    annotators = [
        {
            "annotator": name,
            "economic": stands[name].economic if name in stands else None,
            "social": stands[name].social if name in stands else None,
            "answers": answers[name],
        }
        for name in found.annotators
    ]
    return {"variables": variables, "annotators": annotators, "draws": draws, "seed": seed}


def print_agreement(data: dict[str, Any]) -> None:
    """Print what `agreement_data` returns."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(
        "variable", "alpha", "95% interval", "items", "annotators", title="Krippendorff's alpha (nominal)"
    )
    for row in data["variables"]:
        ends = f"{_number(row['low'])} to {_number(row['high'])}"
        counts = str(row["items"]), str(row["annotators"])
        table.add_row(row["variable"], _number(row["alpha"]), ends, *counts)
    console.print(table)
    table = Table("annotator", "economic", "social", "answers", title="Political compass (-10 to 10)")
    for row in data["annotators"]:
        place = _number(row["economic"], 2), _number(row["social"], 2)
        table.add_row(row["annotator"], *place, str(row["answers"]))
    console.print(table)


def kept_csv(kept: Sequence[Task]) -> str:
    """Return claim pairs with the columns that they came with."""
    from polbias.generators.engine.spreadsheets import sheet

    columns = list(dict.fromkeys(name for task in kept for name in task.row))
    return sheet(columns, ([guarded(task.row.get(name, "")) for name in columns] for task in kept), ",")


def print_shares(found: Similarity) -> None:
    """Print how many claim pairs were kept at either step."""
    from rich.console import Console

    first, second, both = (_number(share) for share in found.shares)
    console = Console(highlight=False)
    for line in (
        f"first step: {found.first} of {found.judged} similar ({first})",
        f"second step: {len(found.kept)} of {found.seen} similar ({second})",
        f"kept: {len(found.kept)} of {found.judged} ({both}); {len(found.pending)} still to judge",
    ):
        console.print(line, soft_wrap=True)


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
