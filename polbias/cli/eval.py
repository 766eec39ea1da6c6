"""`polbias eval`: score a model, the comfortable way to run lm_eval."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.options import Prices
from polbias.cli.outputs import echo
from polbias.files import PolbiasError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.results import Score
    from polbias.lm_eval_runner.run import EvalRun
    from polbias.lm_eval_runner.tasks import Catalogue, Cost, TaskFile


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
    stop: Annotated[
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
    from polbias.lm_eval_runner.run import include_paths, parse
    from polbias.lm_eval_runner.tasks import REASONING, catalogue, refuse_likelihoods
    from polbias.lm_eval_runner.tasks import cost as cost_of

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
    if reasoning:
        refuse_likelihoods(chosen)
        config.metadata = {**config.metadata, REASONING: True}
    if allowed_error(stop) is not None and any(task.samples > 1 for task in chosen):
        config.metadata = {**config.metadata, "polbias_stop": stop}
    budget = budget_of(config, price, max_tokens, max_cost, max_answer_bytes)
    if cost:
        found = {
            task.name: cost_of(task, config.metadata, config.gen_kwargs, config.limit) for task in chosen
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
    from polbias.models.requests import parse_prices
    from polbias.models.tokens import price_of

    name, listed = str(config.model_args.get("model") or ""), config.model.startswith("openai-")
    given = parse_prices(prices or [])
    if config.model == INSPECT and name not in given:
        listed = name.startswith("openai/") and "base_url" not in config.model_args
        name = model_name(name)
    price = price_of(name, given, listed=listed)
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
    from polbias.lm_eval_runner.run import (
        check_arguments,
        check_kinds,
        evaluate,
        model_class,
        output_folder,
        prepare,
    )

    kind = model_class(config.model)
    check_kinds(config.model, kind, [tasks.tasks[task] for name in names for task in tasks.members(name)])
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
    from polbias.lm_eval_runner.results import scores

    if table:
        from lm_eval.utils import make_table

        echo(make_table(run.results))
        if "groups" in run.results:
            echo(make_table(run.results, "groups"))
    show_scores(run, scores(run.results, run.samples), answered)


def report_on(folder: Path) -> None:
    """Report all that was asked so far, beside the samples."""
    from polbias.cli.report import PAGE, check_folder, make_report

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


# What `polbias eval` prints: the tasks, what they cost, and the scores of a run.

_DAY = 86_400
_TRUNCATED = 0.02
_NOT_FILTERS = ("dataset", "config", "revision")


def show_tasks(tasks: Catalogue, names: Sequence[str] | None = None) -> None:
    """Print a line for every task and group."""
    for name in names if names is not None else (*sorted(tasks.tasks), *sorted(tasks.groups), *tasks.tags):
        if name in tasks.tasks:
            echo(f"{name:<52} {_told(tasks.tasks[name])}")
        else:
            kind = "group" if name in tasks.groups else "tag  "
            echo(f"{name:<52} {kind}  {len(tasks.members(name))} tasks: {_first(tasks.members(name))}")


def show_costs(costs: Mapping[str, Cost], config: Any, budget: Budget) -> None:
    """Print what tasks would ask, and their sum; what it costs too, where a price is known."""
    from polbias.lm_eval_runner.tasks import REASONING
    from polbias.models.tokens import COUNTED

    price = budget.price
    shown: list[tuple[str, ...]] = [("task", "prompts", "requests", "tokens in", "tokens out, at most")]
    rows = [[c.prompts, c.requests, c.tokens_in, c.tokens_out, c.shared] for c in costs.values()]
    names = [*costs]
    if len(rows) > 1:
        rows.append([sum(column) for column in zip(*rows, strict=True)])
        names.append("together")
    shown += [(task, *(f"{number:,}" for number in row[:4])) for task, row in zip(names, rows, strict=True)]
    if price is not None:
        money = [f"{price.currency}, at most", *(f"{price.of(row[2], row[3]):,.2f}" for row in rows)]
        shown = [(*line, each) for line, each in zip(shown, money, strict=True)]
    _table(shown)
    echo(
        f"tokens in: {COUNTED}; kept answers are not asked again"
        + (f"; prices: {price.source}" if price is not None else "")
    )
    for assumed in dict.fromkeys(each.assumed for each in costs.values() if each.assumed):
        echo(f"assumed: {assumed}")
    share = rows[-1][4] / max(rows[-1][2], 1)
    echo(f"prefix cache: {share:.0%} of the tokens in, if it keeps the beginnings of all prompts")
    if config.metadata.get(REASONING):
        echo("tokens out: an assumption, that thoughts and answer fill their room each time")


_NO_INTERVAL = "none: hardly any variation"


def show_scores(run: EvalRun, scores: Iterable[Score], answered: Sequence[str] | None = None) -> None:
    """Print the main metric of every task, where rows came from, what was asked, where everything is."""
    from polbias.models.bodies import TOO_LONG

    shown = [("task", "metric", "value", "95% interval", "n", "clusters", "no verdict")]
    cut: list[Score] = []
    for score in scores:
        interval = _NO_INTERVAL if score.low is None else f"{score.low:+.3f} to {score.high:+.3f}"
        interval = "-" if score.value is None else interval
        missing = "-" if score.missing is None else f"{score.missing:.1%}"
        value = "no estimate" if score.value is None else f"{score.value:+.3f}"
        numbers = (value, interval, f"{score.n:,}", f"{score.clusters:,}", missing)
        shown.append((score.task, score.metric, *numbers))
        cut += [score] if score.truncated > _TRUNCATED else []
    _table(shown)
    too_long = run.results.get("polbias", {}).get(TOO_LONG)
    if cut and not too_long:
        worst = max(cut, key=lambda score: score.truncated)
        echo(
            f"{worst.truncated:.0%} of the answers to {worst.task} were cut off; give more room with "
            "--gen_kwargs max_gen_toks=8192",
            fg=typer.colors.YELLOW,
        )
    asked = (_asked(run), *run.budget.lines()) if answered is None else answered
    for line in (*run.sources, *asked, *_limits_told(run), f"results and samples: {run.folder}"):
        echo(line)


def _limits_told(run: EvalRun) -> Iterator[str]:
    """Say what the provider withheld, what was too long, and which settings the server refused."""
    from polbias.models.bodies import TOO_LONG

    about = run.results.get("polbias", {})
    if n_filtered := about.get("filtered"):
        yield f"filtered by the provider, which counts as refused: {n_filtered:,} answers"
    if n_too_long := about.get(TOO_LONG):
        yield f"longer than --max-answer-bytes, which counts as truncated: {n_too_long:,} answers"
    if dropped := about.get("dropped"):
        settings = ", ".join(f"{name}={value}" for name, value in dropped.items())
        yield f"not sent, as the server or its client takes none: {settings}"


def _asked(run: EvalRun) -> str:
    tally = run.tally
    many = f" for {tally.asked:,} answers" if tally.sent != tally.asked else ""
    spared = f", {tally.not_asked:,} answers not needed" if tally.not_asked else ""
    said = f"requests: {tally.sent:,} asked{many}{spared}"
    if not tally.kept:
        return said
    days = int((time.time() - (tally.oldest or time.time())) // _DAY)
    age = f", the oldest answer {days} day{'s' * (days != 1)} old" if days else ""
    return f"{said}, {tally.kept:,} answered from {run.cache}{age}"


def _table(rows: Sequence[Sequence[str]]) -> None:
    """Print columns, all but the first to the right; names are never cut."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        echo("  ".join([first.ljust(widths[0]), *cells]))


def _told(task: TaskFile) -> str:
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
