"""`polbias analyze selfassess`: which of its own articles a model prefers, from samples or judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from polbias.cli.outputs import write_analysis
from polbias.files import InputError

_SHOWN = 20  # problems that are printed


def selfassess(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|RUN...",
            help="Journals of judgements (JSON Lines), or what lm_eval wrote with --log_samples.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="For tables and figures.")],
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the one order per topic that the mode [bold]paper[/] takes.")
    ] = None,
) -> None:
    """Preferences, bias by role and question, position and choice models of every model, with intervals.

    Writes DIR/summary.json, a CSV per table, and figures as SVG. Shares and biases stand beside each other as
    the paper has them (one order, answers that choose) and corrected (all orders, all answers). Generated
    answers and log-likelihoods are never pooled, nor are sets.
    """
    from polbias.eval.columns import OutcomesError
    from polbias.eval.runs import Problem, table
    from polbias.eval.selfassess.figures import figures
    from polbias.eval.selfassess.runs import respondents, summaries
    from polbias.eval.selfassess.shares import SEED
    from polbias.eval.selfassess.summary import TABLES

    problems: list[Problem] = []
    judged = {model: rows for model, rows in respondents(runs, problems).items() if rows}
    places = ", ".join(str(run) for run in runs)
    if not judged:
        raise InputError(
            f"{places}: found no judgements; expected samples of polbias_selfassess_preference or "
            "polbias_selfassess_least_biased, or a journal of judgements"
        )
    try:
        found = summaries(judged, SEED if seed is None else seed)
    except OutcomesError as error:
        raise InputError(f"{places}: {error}") from None
    names = _names(judged)
    write_analysis(output, found, {name: table(found, name) for name in TABLES}, figures(found, names))
    for problem in problems[:_SHOWN]:
        typer.secho(str(problem), fg=typer.colors.YELLOW, err=True)
    if len(problems) > _SHOWN:
        typer.secho(f"and {len(problems) - _SHOWN:,} more lines", fg=typer.colors.YELLOW, err=True)
    _show(found, names)
    typer.echo(f"wrote {output}")


def _names(judged: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, str]]:
    """What each side is called in each set, from the rows: their perspectives."""
    found: dict[str, dict[str, str]] = {}
    for rows in judged.values():
        for row in rows:
            names = found.setdefault(str(row["set"]), {})
            if len(names) < len(row["sides"]) and row.get("options"):
                names.update(zip(row["sides"], map(str.capitalize, row["options"]), strict=True))
    return found


def _show(found: Mapping[str, Mapping[str, Any]], names: Mapping[str, Mapping[str, str]]) -> None:
    """Print Table 4 for every set, in both modes."""
    from rich.console import Console
    from rich.table import Table

    rows = [(model, row) for model, summary in found.items() for row in summary["table4"]]
    for set_name, ways in sorted({(row["set"], row["ways"]) for _, row in rows}):
        sides = ("left", "right", "neutral")[:ways]
        number = "two" if ways == 2 else "three"
        shown = Table(
            title=f"{set_name}: preferred of {number} articles (Table 4)",
            title_justify="left",
            box=None,
            pad_edge=False,
        )
        for name in (
            "model",
            "mode",
            *(names.get(set_name, {}).get(side, side) for side in sides),
            "bias [95%]",
            "n",
        ):
            words = name in ("model", "mode")
            shown.add_column(name, justify="left" if words else "right", no_wrap=not words)
        for model, row in rows:
            if (row["set"], row["ways"]) == (set_name, ways):
                shown.add_row(model, row["mode"], *_cells(row, sides), f"{row['n']:,}")
        Console().print(shown)
    for model, summary in found.items():
        none = summary["n"] - summary["outcomes"]["choice"]
        typer.echo(
            f"{model}: {summary['n']:,} judgements, {none:,} without a choice; bias is right minus left"
        )


def _cells(row: Mapping[str, Any], sides: Sequence[str]) -> Iterator[str]:
    """Yield the shares and the bias, dashes where there is none."""
    for side in sides:
        yield "-" if row[side] is None else f"{row[side]:.2f}"
    if row["bias"] is None:
        yield row["state"] or "-"
        return
    low, high = row["bias_low"], row["bias_high"]
    yield f"{row['bias']:+.1f}" + ("" if low is None else f" [{low:+.1f}, {high:+.1f}]")
