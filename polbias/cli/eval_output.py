"""Output of `polbias eval`: tasks, estimated cost, and scores of a run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from polbias.cli.outputs import echo

if TYPE_CHECKING:
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.cost import Cost
    from polbias.lm_eval_runner.run import EvalRun
    from polbias.lm_eval_runner.scores import Score
    from polbias.lm_eval_runner.tasks import Catalogue, TaskFile


_SECONDS_PER_DAY = 86_400
_MAX_TRUNCATED = 0.02
_NOT_FILTERS = ("dataset", "config", "revision")


def print_tasks(tasks: Catalogue, names: Sequence[str] | None = None) -> None:
    """Print a line per group and task; of named groups all members."""
    if names is not None:
        names = list(dict.fromkeys(name for group in names for name in (group, *tasks.members(group))))
    for name in names if names is not None else (*sorted(tasks.groups), *tasks.tags, *sorted(tasks.tasks)):
        if name in tasks.tasks:
            echo(f"{name:<52} {_describe_task(tasks.tasks[name])}")
        else:
            kind = "group" if name in tasks.groups else "tag  "
            echo(f"{name:<52} {kind}  {len(tasks.members(name))} tasks: {_first_names(tasks.members(name))}")


def print_costs(costs: Mapping[str, Cost], config: Any, budget: Budget) -> None:
    """Print requests and tokens per task and in total, and the cost if the price is known."""
    from polbias.eval.task_settings import REASONING
    from polbias.models.tokens import COUNTING_RULE

    price = budget.price
    table: list[tuple[str, ...]] = [("task", "prompts", "requests", "tokens in", "tokens out, at most")]
    rows = [[c.prompts, c.requests, c.tokens_in, c.tokens_out, c.shared] for c in costs.values()]
    names = [*costs]
    if len(rows) > 1:
        rows.append([sum(column) for column in zip(*rows, strict=True)])
        names.append("together")
    table += [(task, *(f"{number:,}" for number in row[:4])) for task, row in zip(names, rows, strict=True)]
    if price is not None:
        money = [f"{price.currency}, at most", *(f"{price.of(row[2], row[3]):,.2f}" for row in rows)]
        table = [(*line, amount) for line, amount in zip(table, money, strict=True)]
    _print_columns(table)
    echo(
        f"tokens in: {COUNTING_RULE}; cached responses are not requested again"
        + (f"; prices: {price.source}" if price is not None else "")
    )
    for assumption in dict.fromkeys(cost.assumption for cost in costs.values() if cost.assumption):
        echo(f"assumed: {assumption}")
    share = rows[-1][4] / max(rows[-1][2], 1)
    echo(f"prefix cache: {share:.0%} of the tokens in, if the server caches the prefixes of all prompts")
    if config.metadata.get(REASONING):
        echo("tokens out: an assumption, that reasoning and answer always reach their token limits")


_NO_INTERVAL = "none: hardly any variation"
_FEW_CLUSTERS = "none: {clusters} clusters"


def print_scores(run: EvalRun, scores: Iterable[Score], answered: Sequence[str] | None = None) -> None:
    """Print the main metric per task in percentage points, the requests, and the folder of the run."""
    from polbias.eval.estimability import MIN_DISCORDANT_CLUSTERS
    from polbias.models.bodies import TOO_LONG

    table = [("task", "metric", "points", "95% interval", "n", "clusters", "no verdict")]
    truncated: list[Score] = []
    for score in scores:
        has_few_clusters = score.clusters < MIN_DISCORDANT_CLUSTERS
        reason = _FEW_CLUSTERS.format(clusters=score.clusters) if has_few_clusters else _NO_INTERVAL
        interval = reason if score.low is None else f"{_points(score.low)} to {_points(score.high)}"
        interval = "-" if score.value is None else interval
        missing = "-" if score.missing is None else f"{score.missing:.1%}"
        value = "no estimate" if score.value is None else _points(score.value)
        numbers = (value, interval, f"{score.n:,}", f"{score.clusters:,}", missing)
        table.append((score.task, score.metric, *numbers))
        truncated += [score] if score.truncated > _MAX_TRUNCATED else []
    _print_columns(table)
    too_long = run.results.get("polbias", {}).get(TOO_LONG)
    if truncated and not too_long:
        worst = max(truncated, key=lambda score: score.truncated)
        echo(
            f"{worst.truncated:.0%} of the answers to {worst.task} were truncated; raise the limit with "
            "--gen_kwargs max_gen_toks=8192",
            fg=typer.colors.YELLOW,
        )
    run_lines = (_describe_requests(run), *run.budget.lines()) if answered is None else answered
    for line in (*run_lines, *_limit_notices(run), f"results and samples: {run.folder}"):
        echo(line)


def _points(share: float | None) -> str:
    """Return a share or a difference of shares as percentage points with a sign."""
    return "-" if share is None else f"{100 * share:+.1f}"


def _limit_notices(run: EvalRun) -> Iterator[str]:
    """Yield notices on filtered answers, too long answers, and settings that the server refused."""
    from polbias.models.bodies import TOO_LONG

    run_facts = run.results.get("polbias", {})
    if n_filtered := run_facts.get("filtered"):
        yield f"filtered by the provider, counted as refused: {n_filtered:,} answers"
    if n_too_long := run_facts.get(TOO_LONG):
        yield f"longer than --max-answer-bytes, counted as truncated: {n_too_long:,} answers"
    if dropped := run_facts.get("dropped"):
        settings = ", ".join(f"{name}={value}" for name, value in dropped.items())
        yield f"not sent, as the server or its client refuses them: {settings}"


def _describe_requests(run: EvalRun) -> str:
    tally = run.tally
    repeats = f" for {tally.n_answers:,} answers" if tally.n_requests != tally.n_answers else ""
    not_requested = f", {tally.not_requested:,} answers not requested" if tally.not_requested else ""
    description = f"requests: {tally.n_requests:,} sent{repeats}{not_requested}"
    if not tally.n_cached:
        return description
    days = int((time.time() - (tally.oldest or time.time())) // _SECONDS_PER_DAY)
    age = f", the oldest answer {days} day{'s' * (days != 1)} old" if days else ""
    again = "" if tally.n_requests else " (--no-cache asks anew)"
    return f"{description}, {tally.n_cached:,} answered from {run.cache}{age}{again}"


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print columns, right-aligned except the first; names are never cut."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        echo("  ".join([first.ljust(widths[0]), *cells]))


def _describe_task(task: TaskFile) -> str:
    data = task.data
    config_name = "/".join(str(data[name]) for name in ("dataset", "config") if name in data)
    source = config_name or "a local file (stage 2)"
    filters = [f"{name} {_join_values(value)}" for name, value in data.items() if name not in _NOT_FILTERS]
    kind = "scores" if task.is_loglikelihood else "writes"
    repeats = [f"{task.samples} answers each"] if task.samples > 1 else []
    return f"{kind} {', '.join([source, *filters, *repeats])}"


def _join_values(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
