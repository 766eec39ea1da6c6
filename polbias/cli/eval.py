"""`polbias eval`: score a model, the comfortable way to run lm_eval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.eval_output import show_costs, show_scores, show_tasks
from polbias.cli.options import Prices
from polbias.cli.outputs import echo
from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.run import EvalRun
    from polbias.lm_eval_runner.tasks import Catalogue


# `polbias eval`: score a model, the comfortable way to run lm_eval.

PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

CostOption = Annotated[
    bool,
    typer.Option("--cost", help="Print what would be asked, in requests, tokens and money; ask nothing."),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Stop after so many tokens, in and out, those of kept answers among them."),
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="Stop after this cost, by --price; kept answers count.")
]
MaxAnswerBytes = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Read no more of an answer, which is then too_long: truncated. By default 64 MiB.",
    ),
]
Reasoning = Annotated[
    bool,
    typer.Option(
        "--reasoning", help="Room for thoughts: 4,096 tokens or more an answer; thinking switched on."
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no answers, and use none.")]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        "--cache-dir", metavar="DIR", help="Where answers are kept; by default ~/.cache/polbias/answers."
    ),
]


def evaluate(
    context: typer.Context,
    listed: Annotated[bool, typer.Option("--list", help="Print all tasks, or those of --tasks.")] = False,
    cost: CostOption = False,
    price: Prices = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_answer_bytes: MaxAnswerBytes = None,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
    reasoning: Reasoning = False,
    stopping_rule: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Ask for no more answers to policy statements than tests need: exact, .005 (so likely an "
            "error), none (ask all).",
        ),
    ] = "exact",
    report: Annotated[
        bool, typer.Option(help="Write a report of all that the model was asked beside the samples.")
    ] = True,
) -> None:
    r"""Score a model on tasks of polbias, and keep every answer: a run that broke off goes on where it was.

      [bold]polbias eval --list[/]
      [bold]polbias eval --model hf --model_args pretrained=MODEL \
        --tasks polbias_en_formal_mini[/]
      [bold]polbias eval --model local-chat-completions --tasks 'polbias_en_*' \
        --model_args model=NAME,base_url=URL/v1/chat/completions[/]

    All options but those below are lm_eval's (`lm_eval run -h` lists them): --model, --model_args, --tasks
    (names, groups, patterns), --apply_chat_template, --gen_kwargs, --batch_size, --limit, --device, --seed,
    --system_instruction, --include_path, --metadata, --output_path, --config and others. Samples are always
    logged, into polbias-results unless --output_path says otherwise; the report is beside them.
    """
    from polbias.eval.policy.stopping import allowed_error
    from polbias.lm_eval_runner.options import include_paths, parse
    from polbias.lm_eval_runner.tasks import REASONING, catalogue, refuse_likelihoods

    if listed and not context.args:
        show_tasks(catalogue())
        return
    config = parse(context.args)
    tasks = catalogue(include_paths(config))
    if listed:
        show_tasks(tasks, tasks.select_tasks(config.tasks) if config.tasks else None)
        return
    names = tasks.select_tasks(config.tasks)
    chosen = [tasks.tasks[task] for name in names for task in tasks.members(name)]
    if reasoning:
        refuse_likelihoods(chosen)
        config.metadata = {**config.metadata, REASONING: True}
    if allowed_error(stopping_rule) is not None and any(task.samples > 1 for task in chosen):
        config.metadata = {**config.metadata, "polbias_stopping_rule": stopping_rule}
    budget = budget_of(config, price, max_tokens, max_cost, max_answer_bytes)
    if cost:
        from polbias.experiments.self_assessment import ASSUMED_ROWS
        from polbias.lm_eval_runner.cost import cost as cost_of

        found = {
            task.name: cost_of(task, config.metadata, config.gen_kwargs, config.limit, ASSUMED_ROWS)
            for task in chosen
        }
        show_costs(found, config, budget)
        return
    run = perform(config, tasks, names, cache_folder(no_cache, cache_dir), budget)
    if run is not None:
        show_run(run)
        if report:
            report_on(run.folder)


def budget_of(
    config: Any,
    prices: Sequence[str] | None,
    max_tokens: int | None,
    max_cost: float | None,
    max_answer_bytes: int | None = None,
) -> Budget:
    """Return what a run may take, with the price of its model."""
    from polbias.eval.inspect_logs import model_name
    from polbias.limits import MAX_BODY
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.model_identity import INSPECT
    from polbias.models.prices import parse_prices
    from polbias.models.tokens import price_of

    name, listed = str(config.model_args.get("model") or ""), config.model.startswith("openai-")
    given = parse_prices(prices or [])
    if config.model == INSPECT and name not in given:
        listed = name.startswith("openai/") and "base_url" not in config.model_args
        name = model_name(name)
    price = price_of(name, given, has_list_price=listed)
    longest = max_answer_bytes or MAX_BODY
    return Budget(max_tokens, max_cost, price, longest)


def perform(
    config: Any,
    tasks: Catalogue,
    names: Sequence[str],
    cache: Path | None,
    budget: Budget | None = None,
    model: Any = None,
) -> EvalRun | None:
    """Ask a model some tasks; None in a process that is not the first of several."""
    from polbias.lm_eval_runner.answer_cache import StoppedError
    from polbias.lm_eval_runner.model_classes import (
        check_arguments,
        model_class,
        prepare,
        refuse_unsupported_tasks,
    )
    from polbias.lm_eval_runner.options import output_folder
    from polbias.lm_eval_runner.run import evaluate

    kind = model_class(config.model)
    refuse_unsupported_tasks(
        config.model, kind, [tasks.tasks[task] for name in names for task in tasks.members(name)]
    )
    prepare(config, kind)
    check_arguments(config, kind)
    output_folder(config)
    if config.limit:
        odd = "; an odd number parts a pair" if config.limit >= 1 and config.limit % 2 else ""
        say(f"--limit {config.limit:g}: the first rows of every task, for a try only{odd}")
    try:
        return evaluate(config, tasks, names, kind, cache, say, model, budget)
    except StoppedError:
        echo(err=True)  # lm_eval's bar leaves the line open
        raise
    except KeyboardInterrupt:
        echo(err=True)
        if cache is not None:
            say("the answers so far are kept: run the same command again to go on")
        raise


def say(line: str) -> None:
    """Tell what goes on, beside what is printed."""
    echo(line, fg=typer.colors.BRIGHT_BLACK, err=True)


def show_run(run: EvalRun, table: bool = False, answered: Sequence[str] | None = None) -> None:
    """Print what came of a run; `answered` in place of what was asked, where nothing was."""
    from polbias.lm_eval_runner.scores import scores

    if table:
        from lm_eval.utils import make_table

        echo(make_table(run.results))
        if "groups" in run.results:
            echo(make_table(run.results, "groups"))
    show_scores(run, scores(run.results, run.samples), answered)


def report_on(folder: Path) -> None:
    """Report all that was asked so far, beside the samples."""
    from polbias.cli.report import make_report
    from polbias.cli.report_folder import PAGE, check_folder

    place = folder / "report"
    try:
        check_folder(place)
        make_report([folder], place)
    except PolbiasError as error:
        say(f"no report: {error}")
    else:
        echo(f"report: {place / PAGE}")


def cache_folder(no_cache: bool, given: Path | None) -> Path | None:
    """Return where answers are kept; None if they are not."""
    from polbias.models.cache import cache_root

    return None if no_cache else given or cache_root()
