"""`polbias selfassess`: a model writes articles from several sides and chooses between its own."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.aliases import Document, Json
from polbias.cli.outputs import write_text
from polbias.files import InputError, PolbiasError

if TYPE_CHECKING:
    from polbias.models import Price
    from polbias.running.asking import Asker, Report
    from polbias.running.selfassess.experiment import Estimate, Experiment


# The options of `polbias selfassess`, and the model that they name.


class Engine(StrEnum):
    """Who asks the model."""

    lm_eval = "lm_eval"
    server = "server"
    datatrove = "datatrove"


class Serve(StrEnum):
    """The server that datatrove starts."""

    vllm = "vllm"
    sglang = "sglang"


class PrefillName(StrEnum):
    """How the beginning of an answer is given."""

    continued = "continue"
    turn = "turn"
    none = "none"


class Orders(StrEnum):
    """Which orders of the articles are asked."""

    all = "all"
    seeded = "seeded"


_MODEL, _DESIGN, _COST = "Model", "Design", "Estimate"

Model = Annotated[
    str,
    typer.Option(
        help="With --base-url its name at the server, else lm_eval's: hf, vllm, local-chat-completions, ...",
        rich_help_panel=_MODEL,
    ),
]
ModelArgs = Annotated[
    str, typer.Option("--model_args", "--model-args", help="As for lm_eval.", rich_help_panel=_MODEL)
]
BaseUrl = Annotated[
    str | None, typer.Option(help="Any OpenAI-compatible server, with its /v1.", rich_help_panel=_MODEL)
]
EngineOption = Annotated[
    Engine | None,
    typer.Option(help="Default: server with --base-url, else lm_eval.", rich_help_panel=_MODEL),
]
ServeOption = Annotated[
    Serve | None, typer.Option(help="Let datatrove start this server.", rich_help_panel=_MODEL)
]
Name = Annotated[
    str | None, typer.Option(help="The model's name in records and tables.", rich_help_panel=_MODEL)
]
Concurrency = Annotated[
    int, typer.Option(min=1, help="Requests under way at once at a server.", rich_help_panel=_MODEL)
]
Timeout = Annotated[
    float, typer.Option(min=1, help="Seconds for a request to a server.", rich_help_panel=_MODEL)
]
Retries = Annotated[int, typer.Option(min=0, help="Of a request to a server.", rich_help_panel=_MODEL)]
BatchSize = Annotated[
    int | None,
    typer.Option(
        min=1, help="Of a local model; default: 8, with vllm and sglang all.", rich_help_panel=_MODEL
    ),
]
Device = Annotated[
    str | None,
    typer.Option(help="Of a local model; default: cuda:0, else the processor.", rich_help_panel=_MODEL),
]
PrefillOption = Annotated[
    PrefillName | None,
    typer.Option(
        help="The beginning of an answer: local models continue it, servers get it as a turn.",
        rich_help_panel=_MODEL,
    ),
]
ChoiceParameter = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=JSON", help="For choosing; null leaves one out.", rich_help_panel=_MODEL),
]
ArticleParameter = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=JSON",
        help="For writing, e.g. temperature=0.7; default: the model's own.",
        rich_help_panel=_MODEL,
    ),
]
SendSeed = Annotated[
    bool, typer.Option(help="Give the model a seed for every article.", rich_help_panel=_MODEL)
]
Moved = Annotated[
    bool, typer.Option("--moved", help="The same model is at another address now.", rich_help_panel=_MODEL)
]
SetName = Annotated[
    str,
    typer.Option(
        "--set", help="poligen, econolex, bundestag or FOLDER of your own.", rich_help_panel=_DESIGN
    ),
]
Items = Annotated[
    int | None,
    typer.Option(
        "--n", "-n", help="Items, drawn evenly over categories; default: all.", rich_help_panel=_DESIGN
    ),
]
Seed = Annotated[int, typer.Option(help="Of draw and sampling.", rich_help_panel=_DESIGN)]
Roles = Annotated[str, typer.Option(help="user, agent or both.", rich_help_panel=_DESIGN)]
Questions = Annotated[str, typer.Option(help="preference, least_biased or both.", rich_help_panel=_DESIGN)]
Ways = Annotated[str, typer.Option(help="2, 3 or both.", rich_help_panel=_DESIGN)]
OrdersOption = Annotated[Orders, typer.Option(help="All orders, or one per item.", rich_help_panel=_DESIGN)]
ArticleTokens = Annotated[
    int | None, typer.Option(min=1, help="Of the longest article; default 512.", rich_help_panel=_DESIGN)
]
MaxCharacters = Annotated[
    int, typer.Option(min=1, help="Articles with more are left out of choices.", rich_help_panel=_DESIGN)
]
PriceOption = Annotated[
    list[str] | None, typer.Option(help="E.g. 0.5/1.5 per million tokens.", rich_help_panel=_COST)
]
LimitCost = Annotated[float | None, typer.Option(help="Refuse to spend more.", rich_help_panel=_COST)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Estimate only.", rich_help_panel=_COST)]
Yes = Annotated[bool, typer.Option("--yes", help="Accept a cost without a question.", rich_help_panel=_COST)]


def make_asker(
    model: str,
    model_args: str,
    base_url: str | None,
    engine: Engine | None,
    serve: Serve | None,
    *,
    concurrency: int,
    timeout: float,
    retries: int,
    batch_size: int | None,
    device: str | None,
) -> Asker:
    """Return what asks the model that the options name."""
    engine = engine or (Engine.datatrove if serve else Engine.server if base_url else Engine.lm_eval)
    if engine is Engine.lm_eval:
        from polbias.running.lm_eval_models import LmEvalAsker

        if base_url or serve:
            raise InputError(
                "--base-url and --serve: lm_eval knows neither; write base_url into --model_args"
            )
        return LmEvalAsker(model, model_args, batch_size=batch_size, device=device)
    if model_args:
        raise InputError("--model_args: is for models of lm_eval; give --article-parameter KEY=JSON instead")
    if engine is Engine.datatrove:
        from polbias.running.datatrove_client import InferenceRunnerAsker, ServerType

        kind: ServerType = "endpoint" if serve is None else serve.value
        return InferenceRunnerAsker(
            model, base_url, server_type=kind, concurrency=concurrency, timeout=timeout
        )
    from polbias.running.server import ServerAsker

    if serve:
        raise InputError("--serve: is for --engine datatrove")
    return ServerAsker(model, base_url, concurrency=concurrency, timeout=timeout, retries=retries)


def model_name(model: str, model_args: str, name: str | None) -> str:
    """Return what a model is called in records: `name`, what its arguments load, or its own name."""
    if name:
        return name
    given = dict(part.split("=", 1) for part in model_args.split(",") if "=" in part)
    return given.get("pretrained") or given.get("model") or model


def parameters(given: Sequence[str] | None, option: str) -> Json:
    """Read generation parameters ``KEY=JSON``; what is no JSON is a text."""
    found: Json = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option}: found {text!r}, expected KEY=JSON such as temperature=0.7")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found


def some_of(given: str, known: Sequence[str], option: str) -> list[str]:
    """Read a list with commas; ``both`` is all of them."""
    names = list(known) if given == "both" else [each.strip() for each in given.split(",")]
    if not set(names) <= set(known) or len(set(names)) < len(names):
        raise InputError(f"{option}: found {given!r}, expected {', '.join(known)} or both")
    return names


# `polbias selfassess`: a model writes articles from several sides and chooses between its own.

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
    model: Model,
    output: Output,
    chosen_set: SetName = "poligen",
    n: Items = None,
    model_args: ModelArgs = "",
    base_url: BaseUrl = None,
    engine: EngineOption = None,
    serve: ServeOption = None,
    name: Name = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = 300.0,
    retries: Retries = 5,
    batch_size: BatchSize = None,
    device: Device = None,
    prefill: PrefillOption = None,
    article_parameter: ArticleParameter = None,
    choice_parameter: ChoiceParameter = None,
    send_seed: SendSeed = True,
    moved: Moved = False,
    seed: Seed = 1,
    roles: Roles = "both",
    questions: Questions = "both",
    ways: Ways = "both",
    orders: OrdersOption = Orders.all,
    article_tokens: ArticleTokens = None,
    max_characters: MaxCharacters = _LONGEST,
    price: PriceOption = None,
    limit_cost: LimitCost = None,
    dry_run: DryRun = False,
    yes: Yes = False,
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
    model: Model,
    output: Output,
    chosen_set: SetName = "poligen",
    n: Items = None,
    model_args: ModelArgs = "",
    base_url: BaseUrl = None,
    engine: EngineOption = None,
    serve: ServeOption = None,
    name: Name = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = 300.0,
    retries: Retries = 5,
    batch_size: BatchSize = None,
    device: Device = None,
    article_parameter: ArticleParameter = None,
    send_seed: SendSeed = True,
    moved: Moved = False,
    seed: Seed = 1,
    roles: Roles = "both",
    article_tokens: ArticleTokens = None,
    price: PriceOption = None,
    limit_cost: LimitCost = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """The first stage: five articles about every item."""
    _perform(_GENERATE, locals())


@commands.command()
def choose(
    model: Model,
    output: Output,
    articles: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Articles from elsewhere: JSON Lines with id and text, or samples of lm_eval; "
            "default: those in DIR.",
        ),
    ] = None,
    chosen_set: SetName = "poligen",
    model_args: ModelArgs = "",
    base_url: BaseUrl = None,
    engine: EngineOption = None,
    serve: ServeOption = None,
    name: Name = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = 300.0,
    retries: Retries = 5,
    batch_size: BatchSize = None,
    device: Device = None,
    prefill: PrefillOption = None,
    choice_parameter: ChoiceParameter = None,
    moved: Moved = False,
    roles: Roles = "both",
    questions: Questions = "both",
    ways: Ways = "both",
    orders: OrdersOption = Orders.all,
    max_characters: MaxCharacters = _LONGEST,
    price: PriceOption = None,
    limit_cost: LimitCost = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """The second stage: which article does the model prefer, which is less biased?"""
    _perform(_CHOOSE, locals())


@commands.command()
def analyze(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of a run.")]) -> None:
    """Read the answers of a run anew: tables and figures in DIR/analysis, and the paper's Table 4.

    The same as [bold]polbias analyze selfassess[/] on its judgements; several models go there together.
    """
    from polbias.running.selfassess.experiment import read_judgements

    analyse(folder, read_judgements(folder))


def _perform(stage: str, given: Json) -> None:
    """Do what a command asks for."""
    from polbias.models import parse_prices
    from polbias.running.selfassess.experiment import check_limit, of_rows, price_of

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
            tell(estimate.line(price) for estimate in estimates)
            return
        accept(estimates, price, given["yes"])
        if writes:
            done = experiment.write_articles()
            tell_articles(experiment, done)
            if not done.complete and not given.get("incomplete"):
                raise typer.Exit(1)
        if chooses:
            done = experiment.choose(records, source)
            tell_choices(experiment, done)
            analyse(experiment.folder, experiment.judged())
            if not done.complete:
                raise typer.Exit(1)


def _experiment(given: Json) -> Experiment:
    from polbias.generators.selfassess.choices import Design
    from polbias.generators.selfassess.templates import BIASED, QUESTIONS, WAYS
    from polbias.running.asking import Settings
    from polbias.running.selfassess.experiment import Experiment, Plan
    from polbias.running.selfassess.rows import find_set

    asker = make_asker(
        given["model"], given["model_args"], given["base_url"], given["engine"], given["serve"],
        **{key: given[key] for key in ("concurrency", "timeout", "retries", "batch_size", "device")},
    )  # fmt: skip
    # Names are checked by `some_of`, which mypy cannot know.
    known_ways = {str(ways): ways for ways in WAYS}
    design = Design(
        roles=some_of(given["roles"], BIASED, "--roles"),  # type: ignore[arg-type]
        questions=some_of(given.get("questions", "both"), QUESTIONS, "--questions"),  # type: ignore[arg-type]
        ways=[known_ways[each] for each in some_of(given.get("ways", "both"), list(known_ways), "--ways")],
        orders=given.get("orders", Orders.all).value,
    )
    prefill = given.get("prefill")
    plan = Plan(
        n=given.get("n"),
        seed=given.get("seed", 1),
        send_seed=given.get("send_seed", True),
        article_tokens=given.get("article_tokens"),
        article_parameters=Settings(parameters(given.get("article_parameter"), "--article-parameter")),
        choice_parameters=Settings(
            parameters(given.get("choice_parameter"), "--choice-parameter"),
            None if prefill is None else prefill.value,
        ),
        design=design,
        longest=given.get("max_characters", _LONGEST),
    )
    name = model_name(given["model"], given["model_args"], given["name"])
    return Experiment(given["output"], find_set(given["chosen_set"]), asker, name, plan, moved=given["moved"])


def _given_articles(
    experiment: Experiment, path: Path | None
) -> tuple[list[tuple[str, Any]] | None, str | None]:
    """Return articles from elsewhere with a hash of them; None and None where the folder's own are used."""
    if path is None:
        return None, None
    from polbias.models.requests import canonical
    from polbias.running.selfassess.rows import article_rows, articles_of, leak_finder

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


# What `polbias selfassess` shows: estimates, what became of articles and answers, Table 4.

ANALYSIS = "analysis"


def tell(lines: Iterable[str]) -> None:
    """Show lines on standard error, which is for what goes on."""
    for line in lines:
        typer.echo(line, err=True)


def accept(estimates: Sequence[Estimate], price: Price | None, yes: bool) -> None:
    """Show what is to be asked; where it costs money, ask whether to go on."""
    tell(estimate.line(price) for estimate in estimates)
    requests = sum(estimate.requests for estimate in estimates)
    if price is None or yes or not requests:
        return
    if not sys.stdin.isatty():
        raise PolbiasError("nothing was sent: the cost must be accepted; run again with --yes")
    if not typer.confirm(f"Send {requests:,} requests?", err=True):
        raise PolbiasError("nothing was sent: the cost was not accepted")


def tell_articles(experiment: Experiment, report: Report | None = None) -> None:
    """Show what became of the articles."""
    if report:
        tell(f"articles: {line}" for line in report.lines())
    records = [record for _, record in experiment.articles()]
    outcomes = Counter(record["outcome"] for record in records)
    told = ", ".join(f"{outcomes[name]:,} {name}" for name in ("ok", "refusal", "truncated", "empty"))
    leaking = sum(bool(record["leak"]) for record in records)
    tell([f"articles: {told}; {leaking:,} name a perspective; in {experiment.articles_path}"])


def tell_choices(experiment: Experiment, report: Report) -> None:
    """Show what became of the questions."""
    tell(f"choices: {line}" for line in [*experiment.choices_report.lines(), *report.lines()])
    if experiment.too_long:
        tell(
            [
                f"choices: {experiment.too_long:,} articles have more than {experiment.plan.longest:,} "
                "characters and are left out; --max-characters takes longer ones"
            ]
        )
    outcomes = Counter(each["outcome"] for each in experiment.judged())
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items())) or "none"
    tell([f"judgements: {told}; in {experiment.judgements_path}", *experiment.manifest.notes])


def analyse(folder: Path, judgements: Sequence[Document]) -> None:
    """Report a run below DIR/analysis, from its judgements as samples below DIR/samples."""
    from polbias.cli.report import report

    asked: dict[str, list[str]] = {}
    for each in judgements:
        doc = {name: value for name, value in each.items() if name != "answer"}
        doc |= {"dataset": "self-assessment", "cluster_id": each["item"]}
        own = asked.setdefault(str(each["model"] or folder.name), [])
        own.append(
            json.dumps({"doc_id": len(own), "doc": doc, "filtered_resps": [each["answer"] or ""]}) + "\n"
        )
    for model, lines in asked.items():
        place = folder / "samples" / model.replace("/", "__")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{place}: cannot be made ({error.strerror})") from None
        write_text(place / "samples_polbias_selfassess.jsonl", "".join(lines))
    report(folder / ANALYSIS, [folder / "samples"], csv=True, workers=1)
