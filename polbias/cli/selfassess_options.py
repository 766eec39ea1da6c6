"""The options of `polbias selfassess`, and the model that they name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.files import InputError

if TYPE_CHECKING:
    from polbias.running.asking import Asker


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
    """Return what asks the model that the options name.

    Raises:
        InputError: if options contradict each other.
    """
    engine = engine or (Engine.datatrove if serve else Engine.server if base_url else Engine.lm_eval)
    if engine is Engine.lm_eval:
        from polbias.running.harness import LmEvalAsker

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


def parameters(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Read generation parameters ``KEY=JSON``; what is no JSON is a text.

    Raises:
        InputError: if one is not of this form.
    """
    found: dict[str, Any] = {}
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
    """Read a list with commas; ``both`` is all of them.

    Raises:
        InputError: if something in it is unknown.
    """
    names = list(known) if given == "both" else [each.strip() for each in given.split(",")]
    if not set(names) <= set(known) or len(set(names)) < len(names):
        raise InputError(f"{option}: found {given!r}, expected {', '.join(known)} or both")
    return names
