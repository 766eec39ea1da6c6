"""`polbias eval`: evaluate a model with lm_eval on polbias tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.eval_output import print_costs, print_scores, print_tasks
from polbias.cli.options import Prices
from polbias.cli.outputs import echo
from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.run import EvalRun
    from polbias.lm_eval_runner.tasks import Catalogue


PASS_UNKNOWN_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}

CostOption = Annotated[
    bool,
    typer.Option("--cost", help="Estimate requests, tokens and cost, and exit; sends no request."),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Stop after this many input and output tokens, cached responses included."),
]
MaxCost = Annotated[
    float | None, typer.Option(min=0, help="Stop after this cost by --price, cached responses included.")
]
MaxAnswerBytes = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES",
        help="Cut longer responses (too_long, counted as truncated); default: 64 MiB.",
    ),
]
Reasoning = Annotated[
    bool,
    typer.Option("--reasoning", help="Enable reasoning; at least 4,096 tokens per response."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the response cache.")]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        "--cache-dir",
        metavar="DIR",
        help="Cache responses in this folder; default: ~/.cache/polbias/answers.",
    ),
]


def evaluate(
    context: typer.Context,
    list_tasks: Annotated[
        bool, typer.Option("--list", help="Print all tasks, or the tasks of --tasks, and exit.")
    ] = False,
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
            help="Stop sampling once policy tests are decided: exact, .005 (error probability), none.",
        ),
    ] = "exact",
    report: Annotated[bool, typer.Option(help="Write a report on all samples in the model's folder.")] = True,
) -> None:
    r"""Evaluate a model on polbias tasks. Responses are cached: an interrupted run resumes.

      [bold]polbias eval --list[/]
      [bold]polbias eval --model hf --model_args pretrained=MODEL \
        --tasks polbias_en_formal_mini[/]
      [bold]polbias eval --model local-chat-completions --tasks 'polbias_en_*' \
        --model_args model=NAME,base_url=URL/v1/chat/completions[/]

    All options except the ones below are lm_eval's (`lm_eval run -h` lists them): --model, --model_args,
    --tasks (names, groups, patterns), --apply_chat_template, --gen_kwargs, --batch_size, --limit, --device,
    --seed, --system_instruction, --include_path, --metadata, --output_path, --config and others. Samples are
    always logged, to --output_path or polbias-results; the report is next to them.
    """
    from polbias.eval.policy.stopping import allowed_error
    from polbias.eval.task_settings import REASONING
    from polbias.lm_eval_runner.options import include_paths, parse
    from polbias.lm_eval_runner.tasks import catalogue, refuse_likelihoods, refuse_unread

    if list_tasks and not context.args:
        print_tasks(catalogue())
        return
    config = parse(context.args)
    tasks = catalogue(include_paths(config))
    if list_tasks:
        print_tasks(tasks, tasks.select_tasks(config.tasks) if config.tasks else None)
        return
    names = tasks.select_tasks(config.tasks)
    selected_tasks = [tasks.tasks[task] for name in names for task in tasks.members(name)]
    refuse_unread(selected_tasks, config.metadata)
    if reasoning:
        refuse_likelihoods(selected_tasks)
        config.metadata = {**config.metadata, REASONING: True}
    if allowed_error(stopping_rule) is not None and any(task.samples > 1 for task in selected_tasks):
        config.metadata = {**config.metadata, "polbias_stopping_rule": stopping_rule}
    budget = make_budget(config, price, max_tokens, max_cost, max_answer_bytes)
    if cost:
        from polbias.experiments.self_assessment import ASSUMED_ROWS
        from polbias.lm_eval_runner.cost import cost as cost_of

        costs = {
            task.name: cost_of(task, config.metadata, config.gen_kwargs, config.limit, ASSUMED_ROWS)
            for task in selected_tasks
        }
        print_costs(costs, config, budget)
        return
    run = run_tasks(config, tasks, names, answer_cache_folder(no_cache, cache_dir), budget)
    if run is not None:
        print_run(run)
        if report:
            write_run_report(run.folder)


def make_budget(
    config: Any,
    prices: Sequence[str] | None,
    max_tokens: int | None,
    max_cost: float | None,
    max_answer_bytes: int | None = None,
) -> Budget:
    """Return the limits of a run, with the price of its model."""
    from polbias.eval.inspect_logs import model_name
    from polbias.limits import MAX_BODY
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.model_identity import INSPECT
    from polbias.models.prices import parse_prices
    from polbias.models.tokens import price_of

    name, is_listed = str(config.model_args.get("model") or ""), config.model.startswith("openai-")
    prices_by_name = parse_prices(prices or [])
    if config.model == INSPECT and name not in prices_by_name:
        is_listed = name.startswith("openai/") and "base_url" not in config.model_args
        name = model_name(name)
    price = price_of(name, prices_by_name, has_list_price=is_listed)
    answer_bytes = max_answer_bytes or MAX_BODY
    return Budget(max_tokens, max_cost, price, answer_bytes)


def run_tasks(
    config: Any,
    tasks: Catalogue,
    names: Sequence[str],
    cache: Path | None,
    budget: Budget | None = None,
    model: Any = None,
) -> EvalRun | None:
    """Evaluate a model on tasks; return None in every process but the first."""
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
        odd_limit_note = "; an odd number splits a pair" if config.limit >= 1 and config.limit % 2 else ""
        print_progress(
            f"--limit {config.limit:g}: only the first rows of every task, for a trial run{odd_limit_note}"
        )
    try:
        return evaluate(config, tasks, names, kind, cache, print_progress, model, budget)
    except StoppedError:
        echo(err=True)  # end the line of lm_eval's progress bar
        raise
    except KeyboardInterrupt:
        echo(err=True)
        if cache is not None:
            print_progress("the responses so far are cached: run the same command again to resume")
        raise


def print_progress(line: str) -> None:
    """Print a progress line to standard error."""
    echo(line, fg=typer.colors.BRIGHT_BLACK, err=True)


def print_run(run: EvalRun, table: bool = False, answered: Sequence[str] | None = None) -> None:
    """Print the scores of a run; `answered` replaces the request counts if nothing was sent."""
    from polbias.lm_eval_runner.scores import scores

    if table:
        from lm_eval.utils import make_table

        echo(make_table(run.results))
        if "groups" in run.results:
            echo(make_table(run.results, "groups"))
    print_scores(run, scores(run.results, run.samples), answered)


def write_run_report(folder: Path) -> None:
    """Write a report on all samples in a folder, next to them; print its sentence on each model."""
    from polbias.cli.report import make_report
    from polbias.cli.report_folder import PAGE, check_folder
    from polbias.eval.report.sentences import paragraphs
    from polbias.eval.report.wording import report_words

    report_folder = folder / "report"
    try:
        check_folder(report_folder)
        report = make_report([folder], report_folder)
    except PolbiasError as error:
        print_progress(f"no report: {error}")
    else:
        times = sorted(path.stem.removeprefix("results_") for path in folder.glob("results_*.json"))
        left_out = {report_words().notices[key] for key in ("left_out", "files_left_out")}
        for notice in report.notices:  # of this run only: earlier ones are on the page
            if notice.action in left_out and times and times[-1] in notice.where:
                print_progress(f"{notice.where}: {notice.problem}; {notice.action}")
        for sentence in paragraphs(report).respondents:
            echo(sentence)
        echo(f"report: {report_folder / PAGE}")


def answer_cache_folder(no_cache: bool, cache_dir: Path | None) -> Path | None:
    """Return the folder of the response cache; None without a cache."""
    from polbias.models.cache import cache_root

    return None if no_cache else cache_dir or cache_root()
