"""`polbias eval`: score a model, the comfortable way to run lm_eval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.files import PolbiasError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.run import Run

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
    from polbias.cli import evaluating_lists
    from polbias.evaluation.models import check_kinds, model_class, prepare
    from polbias.evaluation.options import include_paths, output_folder, parse
    from polbias.evaluation.store import cache_root
    from polbias.lm_eval_runner.tasks import catalogue

    if listed and not context.args:
        evaluating_lists.show_tasks(catalogue())
        return
    config = parse(context.args)
    tasks = catalogue(include_paths(config))
    if listed:
        evaluating_lists.show_tasks(tasks, tasks.choose(config.tasks) if config.tasks else None)
        return
    names = tasks.choose(config.tasks)
    chosen = [tasks.tasks[task] for name in names for task in tasks.members(name)]
    if cost:
        evaluating_lists.show_costs(chosen, config)
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
    from polbias.cli.evaluating_lists import show_scores
    from polbias.evaluation.summary import next_steps, scores

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
        from polbias.cli.report import make_report
        from polbias.cli.report_folder import PAGE, check_folder

        place = run.folder / "report"
        try:
            check_folder(place)
            make_report([run.folder], place)
        except PolbiasError as error:
            _say(f"no report: {error}")
        else:
            typer.echo(f"report: {place / PAGE}")
