"""What `polbias eval` prints: the tasks, what they cost, and the scores of a run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from polbias.evaluation.summary import Score
    from polbias.lm_eval_runner.run import Run
    from polbias.lm_eval_runner.tasks import Catalogue, Task

_DAY = 86_400
_TRUNCATED = 0.02
_NOT_FILTERS = ("dataset", "config", "revision")


def show_tasks(tasks: Catalogue, names: Sequence[str] | None = None) -> None:
    """Print a line for every task and group.

    Args:
        tasks: all there are.
        names: only these.
    """
    for name in names if names is not None else (*sorted(tasks.tasks), *sorted(tasks.groups), *tasks.tags):
        if name in tasks.tasks:
            typer.echo(f"{name:<52} {_told(tasks.tasks[name])}")
        else:
            kind = "group" if name in tasks.groups else "tag  "
            typer.echo(f"{name:<52} {kind}  {len(tasks.members(name))} tasks: {_first(tasks.members(name))}")


def show_costs(tasks: Sequence[Task], config: Any) -> None:
    """Print what tasks would ask, and their sum."""
    from polbias.evaluation.costs import CHARACTERS_PER_TOKEN, cost

    found = [(task.name, cost(task, config.metadata, config.gen_kwargs, config.limit)) for task in tasks]
    rows = [(name, (each.prompts, each.requests, each.tokens_in, each.tokens_out)) for name, each in found]
    if len(rows) > 1:
        sums = [sum(numbers[column] for _, numbers in rows) for column in range(4)]
        rows.append(("together", (sums[0], sums[1], sums[2], sums[3])))
    _table(
        [("task", "prompts", "requests", "tokens in", "tokens out, at most")]
        + [(name, *(f"{number:,}" for number in numbers)) for name, numbers in rows]
    )
    typer.echo(
        f"tokens in: characters / {CHARACTERS_PER_TOKEN:g}, a rule of thumb; kept answers are not asked again"
    )


def show_scores(run: Run, scores: Iterable[Score]) -> None:
    """Print the main metric of every task, where rows came from, what was asked, where everything is."""
    shown = [("task", "metric", "value", "95% interval", "n", "clusters", "no verdict")]
    cut: list[Score] = []
    for score in scores:
        interval = "-" if score.low is None else f"{score.low:+.3f} to {score.high:+.3f}"
        missing = "-" if score.missing is None else f"{score.missing:.1%}"
        value = "no estimate" if score.value is None else f"{score.value:+.3f}"
        numbers = (value, interval, f"{score.n:,}", f"{score.clusters:,}", missing)
        shown.append((score.task, score.metric, *numbers))
        cut += [score] if score.truncated > _TRUNCATED else []
    _table(shown)
    if cut:
        worst = max(cut, key=lambda score: score.truncated)
        typer.secho(
            f"{worst.truncated:.0%} of the answers to {worst.task} were cut off; give more room with "
            "--gen_kwargs max_gen_toks=8192",
            fg=typer.colors.YELLOW,
        )
    for line in (*run.sources, _asked(run), f"results and samples: {run.folder}"):
        typer.echo(line)


def _asked(run: Run) -> str:
    tally = run.tally
    if not tally.kept:
        return f"requests: {tally.asked:,} asked"
    days = int((time.time() - (tally.oldest or time.time())) // _DAY)
    age = f", the oldest answer {days} day{'s' * (days != 1)} old" if days else ""
    return f"requests: {tally.asked:,} asked, {tally.kept:,} answered from {run.cache}{age}"


def _table(rows: Sequence[Sequence[str]]) -> None:
    """Print columns, all but the first to the right; names are never cut."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        typer.echo("  ".join([first.ljust(widths[0]), *cells]))


def _told(task: Task) -> str:
    data = task.data
    named = "/".join(str(data[name]) for name in ("dataset", "config") if name in data)
    place = named or "a file of your own (stage 2)"
    filters = [f"{name} {_plain(value)}" for name, value in data.items() if name not in _NOT_FILTERS]
    kind = "scores" if task.scores_likelihoods else "writes"
    times = [f"{task.samples} answers each"] if task.samples > 1 else []
    return f"{kind} {', '.join([place, *filters, *times])}"


def _plain(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
