"""`polbias eval`: score a model, the comfortable way to run lm_eval."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.files import PolbiasError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.results import Score
    from polbias.lm_eval_runner.run import Run
    from polbias.lm_eval_runner.tasks import Catalogue, Task


# `polbias eval`: score a model, the comfortable way to run lm_eval.

_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="eval", context_settings=_PASSED_ON)(evaluate)


def evaluate(
    context: typer.Context,
    listed: Annotated[bool, typer.Option("--list", help="Print all tasks, or those of --tasks.")] = False,
    cost: Annotated[
        bool,
        typer.Option("--cost", help="Print what --tasks would ask, in requests and tokens; ask nothing."),
    ] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers, and use none.")] = False,
    cache_dir: Annotated[
        Path | None,
        typer.Option(
            "--cache-dir", metavar="DIR", help="Where answers are kept; by default ~/.cache/polbias/answers."
        ),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Print all metrics too, as lm_eval does.")] = False,
    report: Annotated[
        bool, typer.Option(help="Write a report of all that the model was asked beside the samples.")
    ] = True,
) -> None:
    """Score a model on tasks of polbias, and keep every answer: a run that broke off goes on where it was.

      [bold]polbias eval --list[/]
      [bold]polbias eval --model hf --model_args pretrained=MODEL --tasks polbias_en_formal_mini[/]
      [bold]polbias eval --model local-chat-completions --tasks 'polbias_en_*' --output_path results
        --model_args model=NAME,base_url=URL/v1/chat/completions[/]

    All options but those below are lm_eval's ([bold]polbias eval -h[/] lists them): --model, --model_args,
    --tasks (names, groups, patterns), --apply_chat_template, --gen_kwargs, --batch_size, --limit, --device,
    --seed, --system_instruction, --include_path, --metadata, --output_path, --config and others. Samples are
    always logged, into polbias-results unless --output_path says otherwise; the report is beside them.
    """
    from polbias.lm_eval_runner.cache import cache_root
    from polbias.lm_eval_runner.run import (
        check_kinds,
        include_paths,
        model_class,
        output_folder,
        parse,
        prepare,
    )
    from polbias.lm_eval_runner.tasks import catalogue

    if listed and not context.args:
        show_tasks(catalogue())
        return
    config = parse(context.args)
    tasks = catalogue(include_paths(config))
    if listed:
        show_tasks(tasks, tasks.choose(config.tasks) if config.tasks else None)
        return
    names = tasks.choose(config.tasks)
    chosen = [tasks.tasks[task] for name in names for task in tasks.members(name)]
    if cost:
        show_costs(chosen, config)
        return
    kind = model_class(config.model)
    check_kinds(config.model, kind, chosen)
    prepare(config, kind)
    output_folder(config)
    if config.limit:
        odd = "; an odd number parts a pair" if config.limit >= 1 and config.limit % 2 else ""
        _say(f"--limit {config.limit:g}: the first rows of every task, for a try only{odd}")

    from polbias.lm_eval_runner.cache import StoppedError
    from polbias.lm_eval_runner.run import evaluate as run_tasks

    cache = None if no_cache else cache_dir or cache_root()
    try:
        run = run_tasks(config, tasks, names, kind, cache, _say)
    except StoppedError:
        typer.echo(err=True)  # lm_eval's bar leaves the line open
        raise
    except KeyboardInterrupt:
        typer.echo(err=True)
        if cache is not None:
            _say("the answers so far are kept: run the same command again to go on")
        raise
    if run is not None:
        _close(run, table, report)


def _say(line: str) -> None:
    typer.secho(line, fg=typer.colors.BRIGHT_BLACK, err=True)


def _close(run: Run, table: bool, report: bool) -> None:
    """Print what came of a run."""
    from polbias.lm_eval_runner.results import next_steps, scores

    if table:
        from lm_eval.utils import make_table

        typer.echo(make_table(run.results))
        if "groups" in run.results:
            typer.echo(make_table(run.results, "groups"))
    show_scores(run, scores(run.results, run.samples))
    for line in next_steps(run.folder, run.samples):
        typer.echo(line)
    if report:
        # Report all that the model was asked so far.
        from polbias.cli.report import PAGE, check_folder, make_report

        place = run.folder / "report"
        try:
            check_folder(place)
            make_report([run.folder], place)
        except PolbiasError as error:
            _say(f"no report: {error}")
        else:
            typer.echo(f"report: {place / PAGE}")


# What `polbias eval` prints: the tasks, what they cost, and the scores of a run.

_DAY = 86_400
_TRUNCATED = 0.02
_NOT_FILTERS = ("dataset", "config", "revision")


def show_tasks(tasks: Catalogue, names: Sequence[str] | None = None) -> None:
    """Print a line for every task and group."""
    for name in names if names is not None else (*sorted(tasks.tasks), *sorted(tasks.groups), *tasks.tags):
        if name in tasks.tasks:
            typer.echo(f"{name:<52} {_told(tasks.tasks[name])}")
        else:
            kind = "group" if name in tasks.groups else "tag  "
            typer.echo(f"{name:<52} {kind}  {len(tasks.members(name))} tasks: {_first(tasks.members(name))}")


def show_costs(tasks: Sequence[Task], config: Any) -> None:
    """Print what tasks would ask, and their sum."""
    from polbias.lm_eval_runner.tasks import CHARACTERS_PER_TOKEN, cost

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
