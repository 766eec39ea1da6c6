"""`polbias selfassess`: a model writes articles from several sides and chooses between its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli import selfassess_options as options
from polbias.cli.selfassess_options import Orders

if TYPE_CHECKING:
    from polbias.running.selfassess.experiment import Experiment

_RUN, _GENERATE, _CHOOSE = "run", "generate", "choose"
_LONGEST = 20_000  # characters, as `experiment.LONGEST_ARTICLE`, which is imported when it is needed

commands = typer.Typer(
    name="selfassess",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Let a model write articles from several sides and choose between its own (PoliGen, EconoLex).",
)
Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="Everything of the run; resumable.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands)


@commands.command()
def run(
    model: options.Model,
    output: Output,
    chosen_set: options.SetName = "poligen",
    n: options.Items = None,
    model_args: options.ModelArgs = "",
    base_url: options.BaseUrl = None,
    engine: options.EngineOption = None,
    serve: options.ServeOption = None,
    name: options.Name = None,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
    retries: options.Retries = 5,
    batch_size: options.BatchSize = None,
    device: options.Device = None,
    prefill: options.PrefillOption = None,
    article_parameter: options.ArticleParameter = None,
    choice_parameter: options.ChoiceParameter = None,
    send_seed: options.SendSeed = True,
    moved: options.Moved = False,
    seed: options.Seed = 1,
    roles: options.Roles = "both",
    questions: options.Questions = "both",
    ways: options.Ways = "both",
    orders: options.OrdersOption = Orders.all,
    article_tokens: options.ArticleTokens = None,
    max_characters: options.MaxCharacters = _LONGEST,
    price: options.PriceOption = None,
    limit_cost: options.LimitCost = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    incomplete: Annotated[
        bool, typer.Option("--incomplete", help="Go on although some articles failed.")
    ] = False,
) -> None:
    """Both stages and the analysis.

    Run the same again after an interruption or an error: what was answered is on file and is not asked again.
    """
    _perform(_RUN, locals())


@commands.command()
def generate(
    model: options.Model,
    output: Output,
    chosen_set: options.SetName = "poligen",
    n: options.Items = None,
    model_args: options.ModelArgs = "",
    base_url: options.BaseUrl = None,
    engine: options.EngineOption = None,
    serve: options.ServeOption = None,
    name: options.Name = None,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
    retries: options.Retries = 5,
    batch_size: options.BatchSize = None,
    device: options.Device = None,
    article_parameter: options.ArticleParameter = None,
    send_seed: options.SendSeed = True,
    moved: options.Moved = False,
    seed: options.Seed = 1,
    roles: options.Roles = "both",
    article_tokens: options.ArticleTokens = None,
    price: options.PriceOption = None,
    limit_cost: options.LimitCost = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
) -> None:
    """The first stage: five articles about every item."""
    _perform(_GENERATE, locals())


@commands.command()
def choose(
    model: options.Model,
    output: Output,
    articles: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Articles from elsewhere: JSON Lines with id and text, or samples of lm_eval; "
            "default: those in DIR.",
        ),
    ] = None,
    chosen_set: options.SetName = "poligen",
    model_args: options.ModelArgs = "",
    base_url: options.BaseUrl = None,
    engine: options.EngineOption = None,
    serve: options.ServeOption = None,
    name: options.Name = None,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
    retries: options.Retries = 5,
    batch_size: options.BatchSize = None,
    device: options.Device = None,
    prefill: options.PrefillOption = None,
    choice_parameter: options.ChoiceParameter = None,
    moved: options.Moved = False,
    roles: options.Roles = "both",
    questions: options.Questions = "both",
    ways: options.Ways = "both",
    orders: options.OrdersOption = Orders.all,
    max_characters: options.MaxCharacters = _LONGEST,
    price: options.PriceOption = None,
    limit_cost: options.LimitCost = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
) -> None:
    """The second stage: which article does the model prefer, which is less biased?"""
    _perform(_CHOOSE, locals())


@commands.command()
def analyze(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of a run.")]) -> None:
    """Read the answers of a run anew: tables and figures in DIR/analysis, and the paper's Table 4.

    The same as [bold]polbias analyze selfassess[/] on its judgements; several models go there together.
    """
    from polbias.cli.selfassess_report import analyse
    from polbias.running.selfassess.experiment import read_judgements

    analyse(folder, read_judgements(folder))


def _perform(stage: str, given: dict[str, Any]) -> None:
    """Do what a command asks for.

    Args:
        stage: the command.
        given: its options by name.
    """
    from polbias.cli import selfassess_report as report
    from polbias.models import parse_prices
    from polbias.running.selfassess.estimate import check_limit, of_rows, price_of

    with _experiment(given) as experiment, _resumable():
        writes, chooses = stage != _CHOOSE, stage != _GENERATE
        records, source = _given_articles(experiment, given.get("articles"))
        experiment.check(write=writes, choose=chooses, source=source)
        if writes:
            estimates = experiment.estimates(choose=chooses)
        else:
            estimates = [of_rows("choices", experiment.choice_rows(records or experiment.articles()))]
        listed = bool(getattr(getattr(experiment.asker, "chat", None), "list_priced", False))
        price = price_of(given["model"], parse_prices(given["price"] or []), listed)
        check_limit(estimates, price, given["limit_cost"])
        if given["dry_run"]:
            report.tell(estimate.line(price) for estimate in estimates)
            return
        report.accept(estimates, price, given["yes"])
        if writes:
            done = experiment.write_articles()
            report.tell_articles(experiment, done)
            if not done.complete and not given.get("incomplete"):
                raise typer.Exit(1)
        if chooses:
            done = experiment.choose(records, source)
            report.tell_choices(experiment, done)
            report.analyse(experiment.folder, experiment.judged())
            if not done.complete:
                raise typer.Exit(1)


def _experiment(given: dict[str, Any]) -> Experiment:
    from polbias.generators.selfassess.choices import Design
    from polbias.generators.selfassess.templates import BIASED, QUESTIONS, WAYS
    from polbias.running.asking import Settings
    from polbias.running.selfassess.experiment import Experiment, Plan
    from polbias.running.selfassess.rows import find_set

    asker = options.make_asker(
        given["model"], given["model_args"], given["base_url"], given["engine"], given["serve"],
        **{key: given[key] for key in ("concurrency", "timeout", "retries", "batch_size", "device")},
    )  # fmt: skip
    # Names are checked by `some_of`, which mypy cannot know.
    known_ways = {str(ways): ways for ways in WAYS}
    design = Design(
        roles=options.some_of(given["roles"], BIASED, "--roles"),  # type: ignore[arg-type]
        questions=options.some_of(given.get("questions", "both"), QUESTIONS, "--questions"),  # type: ignore[arg-type]
        ways=[
            known_ways[each]
            for each in options.some_of(given.get("ways", "both"), list(known_ways), "--ways")
        ],
        orders=given.get("orders", Orders.all).value,
    )
    prefill = given.get("prefill")
    plan = Plan(
        n=given.get("n"),
        seed=given.get("seed", 1),
        send_seed=given.get("send_seed", True),
        article_tokens=given.get("article_tokens"),
        article_parameters=Settings(
            options.parameters(given.get("article_parameter"), "--article-parameter")
        ),
        choice_parameters=Settings(
            options.parameters(given.get("choice_parameter"), "--choice-parameter"),
            None if prefill is None else prefill.value,
        ),
        design=design,
        longest=given.get("max_characters", _LONGEST),
    )
    name = options.model_name(given["model"], given["model_args"], given["name"])
    return Experiment(given["output"], find_set(given["chosen_set"]), asker, name, plan, moved=given["moved"])


def _given_articles(
    experiment: Experiment, path: Path | None
) -> tuple[list[tuple[str, Any]] | None, str | None]:
    """Return articles from elsewhere with a hash of them; None and None where the folder's own are used."""
    if path is None:
        return None, None
    from polbias.models.requests import canonical
    from polbias.running.selfassess.articles import leak_finder
    from polbias.running.selfassess.reading import articles_of
    from polbias.running.selfassess.rows import article_rows

    chosen = experiment.chosen
    records = articles_of(path, lambda: article_rows(chosen), leak_finder(chosen))
    content = canonical([record for _, record in records])
    return records, hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


@contextmanager
def _resumable() -> Iterator[None]:
    """Say after Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("every answer that came is on file; run the same again to go on", err=True)
        raise
