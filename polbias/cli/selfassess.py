"""`polbias selfassess`: a model writes articles from several perspectives and chooses among them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.eval import (
    PASS_UNKNOWN_OPTIONS,
    CacheDir,
    CostOption,
    MaxCost,
    MaxTokens,
    NoCache,
    Reasoning,
    answer_cache_folder,
    make_budget,
    print_run,
    run_tasks,
    write_run_report,
)
from polbias.cli.eval_output import print_costs
from polbias.cli.options import Prices
from polbias.cli.outputs import echo
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.aliases import Document
    from polbias.experiments.self_assessment import ChosenSet, LocatedRecord
    from polbias.generators.selfassess.choices import ChoiceDesign
    from polbias.lm_eval_runner.budget import Budget
    from polbias.lm_eval_runner.run import EvalRun


class Orders(StrEnum):
    """Order of the articles in a choice."""

    balanced = "balanced"
    seeded = "seeded"


_ARTICLES, _QUESTIONS = "Articles", "Questions"
_CHOICES = "choices.parquet"
Output = Annotated[
    Path,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Write samples, choices and the report to this folder."
    ),
]
SetName = Annotated[
    str,
    typer.Option(
        "--set", help="Use poligen, econolex, bundestag or a custom FOLDER.", rich_help_panel=_ARTICLES
    ),
]
Items = Annotated[
    int | None,
    typer.Option(
        "--n",
        "-n",
        help="Draw this many items, evenly over categories; default: all.",
        rich_help_panel=_ARTICLES,
    ),
]
Roles = Annotated[str, typer.Option(help="Ask as user, agent or both.", rich_help_panel=_QUESTIONS)]
Questions = Annotated[
    str, typer.Option(help="Ask for preference, least_biased or both.", rich_help_panel=_QUESTIONS)
]
Alternatives = Annotated[
    str, typer.Option(help="Offer 2 articles, 3 articles or both.", rich_help_panel=_QUESTIONS)
]
OrdersOption = Annotated[
    Orders,
    typer.Option(
        help="Put every article in every position, or draw one order per item.", rich_help_panel=_QUESTIONS
    ),
]
Prefill = Annotated[
    bool, typer.Option(help="Prefill the beginning of the answer.", rich_help_panel=_QUESTIONS)
]
Wordings = Annotated[
    str,
    typer.Option(
        "--wording", help="Ask as corrected, as in paper (English sets) or both.", rich_help_panel=_QUESTIONS
    ),
]
Articles = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Read JSON Lines (id, text) or lm_eval samples; default: newest in DIR.",
    ),
]

commands = typer.Typer(
    name="selfassess",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="""Let a model write articles from several perspectives and choose among them (PoliGen, EconoLex).

    Unlisted options are lm_eval's, as for [bold]polbias eval[/]: --model, --model_args, --gen_kwargs,
    --batch_size, --seed and others. Responses are cached: an interrupted run resumes.
    """,
)


@commands.command(context_settings=PASS_UNKNOWN_OPTIONS)
def run(
    context: typer.Context,
    output: Output,
    set_name: SetName = "poligen",
    n: Items = None,
    roles: Roles = "both",
    questions: Questions = "both",
    alternatives: Alternatives = "both",
    orders: OrdersOption = Orders.balanced,
    prefill: Prefill = True,
    wording: Wordings = "corrected",
    reasoning: Reasoning = False,
    cost: CostOption = False,
    price: Prices = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
) -> None:
    """Run both stages and write the report.

    --gen_kwargs applies to the articles; choices are greedy and short. For other settings of the choices
    run [bold]generate[/] and [bold]choose[/].
    """
    from polbias.experiments.self_assessment import find_set, written_articles

    item_set = find_set(set_name)
    design = _design(roles, questions, alternatives, orders, prefill and not reasoning, wording)
    args, cache = context.args, answer_cache_folder(no_cache, cache_dir)
    config = _config(args, output, "articles", reasoning)
    budget = make_budget(config, price, max_tokens, max_cost)
    if cost:
        _print_stage_costs(config, item_set, n, design, budget)
        return
    articles_run = _generate(config, item_set, n, cache, budget)
    article_records, path = (
        written_articles(articles_run.samples, articles_run.folder, item_set),
        articles_run.folder / _CHOICES,
    )
    config = _config(args, output, "choices", reasoning)
    config.gen_kwargs = {}
    _choose(config, path, item_set, article_records, design, cache, articles_run)
    write_run_report(output)


@commands.command(context_settings=PASS_UNKNOWN_OPTIONS)
def generate(
    context: typer.Context,
    output: Output,
    set_name: SetName = "poligen",
    n: Items = None,
    reasoning: Reasoning = False,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
) -> None:
    """Run the first stage: write five articles per item."""
    from polbias.experiments.self_assessment import find_set

    config = _config(context.args, output, "articles", reasoning)
    _generate(config, find_set(set_name), n, answer_cache_folder(no_cache, cache_dir))


@commands.command(context_settings=PASS_UNKNOWN_OPTIONS)
def choose(
    context: typer.Context,
    output: Output,
    articles: Articles = None,
    set_name: SetName = "poligen",
    roles: Roles = "both",
    questions: Questions = "both",
    alternatives: Alternatives = "both",
    orders: OrdersOption = Orders.balanced,
    prefill: Prefill = True,
    wording: Wordings = "corrected",
    reasoning: Reasoning = False,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
) -> None:
    """Run the second stage and report which article the model prefers, and which it finds least biased."""
    from polbias.experiments.self_assessment import find_article_samples, find_set, read_user_articles

    item_set = find_set(set_name)
    design = _design(roles, questions, alternatives, orders, prefill and not reasoning, wording)
    config = _config(context.args, output, "choices", reasoning)
    samples = articles or find_article_samples(output, item_set)
    path = (output if articles else samples.parent) / _CHOICES
    cache = answer_cache_folder(no_cache, cache_dir)
    _choose(config, path, item_set, read_user_articles(samples, item_set), design, cache)
    write_run_report(output)


def _design(
    roles: str, questions: str, alternatives: str, orders: Orders, prefill: bool, wordings: str
) -> ChoiceDesign:
    from polbias.generators.selfassess.choices import ChoiceDesign
    from polbias.generators.selfassess.templates import BIASED, OPTION_COUNTS, QUESTIONS, WORDINGS

    # `parse_choices` checks the names, which mypy cannot infer.
    n_by_text = {str(n): n for n in OPTION_COUNTS}
    return ChoiceDesign(
        roles=parse_choices(roles, BIASED, "--roles"),  # type: ignore[arg-type]
        questions=parse_choices(questions, QUESTIONS, "--questions"),  # type: ignore[arg-type]
        option_counts=[
            n_by_text[text] for text in parse_choices(alternatives, list(n_by_text), "--alternatives")
        ],
        orders=orders.value,
        prefill=prefill,
        wordings=parse_choices(wordings, WORDINGS, "--wording"),  # type: ignore[arg-type]
    )


def parse_choices(text: str, choices: Sequence[str], option: str) -> list[str]:
    """Parse a comma-separated list of choices; ``both`` selects all."""
    names = list(choices) if text == "both" else [name.strip() for name in text.split(",")]
    if not set(names) <= set(choices) or len(set(names)) < len(names):
        raise InputError(f"{option}: found {text!r}, expected {', '.join(choices)} or both")
    return names


def _config(args: Sequence[str], output: Path, stage: str, reasoning: bool) -> Any:
    """Parse the lm_eval options of a stage."""
    from polbias.eval.task_settings import REASONING
    from polbias.lm_eval_runner.options import parse

    for name in ("--tasks", "--output_path", "--output-path"):
        if any(argument.split("=")[0] == name for argument in args):
            raise InputError(f"{name}: found with selfassess, which sets it; use --set and -o DIR")
    if int(os.environ.get("WORLD_SIZE") or 1) > 1:
        raise InputError(
            "WORLD_SIZE: found several processes, expected one, as the second stage needs the first; "
            "run `polbias eval` with the tasks of docs/selfassess.md, one after the other"
        )
    config = parse([*args, "--tasks", stage, "--output_path", str(output)])
    if reasoning:
        config.metadata = {**config.metadata, REASONING: True}
    return config


def _draw_rows(item_set: ChosenSet, n: int | None, config: Any) -> list[Document]:
    from polbias.experiments.self_assessment import article_rows, draw

    return draw(article_rows(item_set), n, (config.seed or [0])[0] or 0, item_set.family.dataset.draws)


def _generate(
    config: Any,
    item_set: ChosenSet,
    n: int | None,
    cache: Path | None,
    budget: Budget | None = None,
) -> EvalRun:
    """Run the first stage: a model writes the articles of a set."""
    from polbias.experiments.self_assessment import write_topics, writing_task
    from polbias.lm_eval_runner.options import output_folder
    from polbias.lm_eval_runner.tasks import catalogue

    rows = _draw_rows(item_set, n, config)
    folder = output_folder(config)
    task = writing_task(item_set, folder / "tasks")
    tasks = catalogue([folder / "tasks"] if item_set.is_custom else [])
    config.metadata["polbias_stage1"] = str(write_topics(folder, item_set, rows))
    eval_run = run_tasks(config, tasks, [task], cache, budget)
    assert eval_run is not None  # there is one process
    print_run(eval_run)
    return eval_run


def _choose(
    config: Any,
    path: Path,
    item_set: ChosenSet,
    records: Sequence[LocatedRecord],
    design: ChoiceDesign,
    cache: Path | None,
    articles_run: EvalRun | None = None,
) -> None:
    """Run the second stage: a model chooses among articles."""
    from polbias.experiments.self_assessment import choice_tasks, write_questions
    from polbias.lm_eval_runner.options import output_folder
    from polbias.lm_eval_runner.tasks import catalogue

    output_folder(config)
    for line in write_questions(path, item_set, records, design):
        echo(line, err=True)
    config.metadata["polbias_stage2"] = str(path)
    budget, model = (articles_run.budget, articles_run.model) if articles_run else (None, None)
    eval_run = run_tasks(config, catalogue(), choice_tasks(design), cache, budget, model)
    assert eval_run is not None  # there is one process
    print_run(eval_run)


def _print_stage_costs(
    config: Any, item_set: ChosenSet, n: int | None, design: ChoiceDesign, budget: Budget
) -> None:
    """Print the estimated cost of both stages; articles are assumed to have the maximum length."""
    from polbias.experiments.self_assessment import assumed_questions, assumption
    from polbias.lm_eval_runner.cost import Cost
    from polbias.lm_eval_runner.tasks import generation_settings

    def output_tokens(default: int, gen_kwargs: Document | None) -> int:
        return int(
            generation_settings({"max_gen_toks": default}, gen_kwargs, config.metadata)["max_gen_toks"]
        )

    dataset, rows = item_set.family.dataset, _draw_rows(item_set, n, config)
    article_tokens = int((config.gen_kwargs or {}).get("max_gen_toks", dataset.article_tokens))
    choice_prompts = [row["prompt"] for row in assumed_questions(item_set, rows, design, article_tokens)]
    items, assumption_text = len({row["cluster_id"] for row in rows}), assumption(item_set, article_tokens)
    costs = {
        "articles": Cost.of(
            [row["prompt"] for row in rows],
            output_tokens(dataset.article_tokens, config.gen_kwargs),
        ),
        "choices": Cost.of(
            choice_prompts,
            output_tokens(dataset.answer_tokens, None),
            items=items,
            assumption=assumption_text,
        ),
    }
    print_costs(costs, config, budget)
