"""`polbias simulate`: respondents whose bias is known, as logged samples or as a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from polbias.aliases import Document, Json
from polbias.cli.outputs import echo
from polbias.errors import InputError
from polbias.paths import build_root

simulations = typer.Typer(
    name="simulate",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="""Simulated respondents, with a bias that was planted: for demonstrations, and to try an analysis.

    Respondents: planted (--effect, --side, --worldview, --content, --accuracy), perfect, coin,
    refuser (--share, --side, --accuracy), acquiescent and position (--share, --accuracy), affirmative, first,
    echo.
    """,
)

Name = Annotated[str, typer.Option("--respondent", metavar="NAME", help="Who answers.")]
Effect = Annotated[
    float | None, typer.Option(metavar="0..1", help="How much the side is favoured: .1 is ten points.")
]
Side = Annotated[
    str | None, typer.Option(metavar="left|right", help="The side that is favoured, or alone refused.")
]
Worldview = Annotated[
    list[str] | None,
    typer.Option(metavar="ISSUE=-1..1", help="Stance on a policy issue, not a side's; may be repeated."),
]
Content = Annotated[
    float | None, typer.Option(metavar="-1..1", help="Accuracy with congruent minus incongruent contents.")
]
Accuracy = Annotated[
    float | None, typer.Option(metavar="0..1", help="Probability of the right answer, bias apart.")
]
Share = Annotated[
    float | None, typer.Option(metavar="0..1", help="Share of refusals, of yes, or of the first option.")
]
InterceptSd = Annotated[
    list[str] | None,
    typer.Option(
        "--intercept-sd",
        metavar="COLUMN=SD",
        help="Random effects with mean zero by the values of a column (pattern_id, statement_id, cluster_id, "
        "prompt), in units of an answer's noise; may be repeated.",
    ),
]
SlopeSd = Annotated[
    list[str] | None,
    typer.Option("--slope-sd", metavar="COLUMN=SD", help="The same, on the difference of the sides."),
]
Seed = Annotated[int, typer.Option(help="Another seed is another respondent of the same kind.")]


@simulations.command()
def samples(
    context: typer.Context,
    task: Annotated[list[str], typer.Option("--task", help="A task or a group of ours; may be repeated.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT", help="As lm_eval's --output_path.")
    ],
    respondent: Name = "planted",
    effect: Effect = None,
    side: Side = None,
    worldview: Worldview = None,
    content: Content = None,
    accuracy: Accuracy = None,
    share: Share = None,
    intercept_sd: InterceptSd = None,
    slope_sd: SlopeSd = None,
    seed: Seed = 0,
    model: Annotated[
        str | None, typer.Option(help="Name of the model's folder; by default simulated-NAME-SEED.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many rows of every task.")] = None,
    metadata: Annotated[
        str | None, typer.Option(metavar="JSON", help="Settings of the tasks, as lm_eval's --metadata.")
    ] = None,
) -> None:
    """Write what `lm_eval --log_samples` would: OUT/MODEL/samples_TASK_TIME.jsonl and results_TIME.json.

    `polbias report` reads them like those of a model. The same command writes the same bytes.
    """
    from polbias.eval.simulation.lm_eval import folder_name, run_tasks

    simulated = _make_respondent(context.params)
    name = folder_name(model or f"simulated-{respondent}-{seed}")
    logged = run_tasks(task, simulated, seed, model=name, limit=limit, settings=_parse_settings(metadata))
    folder = output / name
    paths = logged.write(folder)
    count = sum(map(len, logged.samples.values()))
    echo(f"wrote {count:,} samples of {len(paths) - 1} tasks to {folder}")


@simulations.command()
def serve(
    context: typer.Context,
    respondent: Name = "planted",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 0,
    effect: Effect = None,
    side: Side = None,
    worldview: Worldview = None,
    content: Content = None,
    accuracy: Accuracy = None,
    share: Share = None,
    intercept_sd: InterceptSd = None,
    slope_sd: SlopeSd = None,
    seed: Seed = 0,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Know the prompts of this dataset only; may be repeated.")
    ] = None,
    rows: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Know these rows as well: .parquet or .jsonl; may be repeated."),
    ] = None,
) -> None:
    r"""An OpenAI-compatible server on this machine that answers the prompts of the datasets built here.

    Reads the builds in POLBIAS_DATA_DIR, or build/datasets. Ctrl-C ends it.

      polbias eval --model local-chat-completions \
        --model_args model=simulated,base_url=URL/v1/chat/completions \
        --tasks polbias_en_formal_mini
      polbias eval --model local-completions \
        --model_args model=simulated,base_url=URL/v1/completions,\
      tokenizer_backend=remote,max_length=100000 \
        --tasks polbias_en_formal_mini_loglikelihood
    """
    from polbias.eval.simulation.prompt_index import build_prompt_index
    from polbias.eval.simulation.server import OpenAIProtocol, SimulationServer

    simulated = _make_respondent(context.params)
    prompt_index = build_prompt_index(build_root(), simulated, seed, datasets=dataset or (), files=rows or ())
    protocol = OpenAIProtocol(prompt_index, f"simulated-{respondent}-{seed}")

    def print_url(url: str) -> None:
        echo(f"{respondent} answers {len(prompt_index):,} prompts at {url}/v1")

    SimulationServer(protocol, port).run(print_url)
    echo(f"stopped after {protocol.answered:,} answers; {protocol.unknown:,} prompts were unknown")


_RESPONDENT_OPTIONS = ("effect", "side", "content", "accuracy", "share")


def _make_respondent(params: Document) -> Any:
    """The respondent that the options of a command describe."""
    from polbias.eval.simulation.respondents import make_respondent

    options = {name: params[name] for name in _RESPONDENT_OPTIONS if params[name] is not None}
    if params["worldview"]:
        options["worldview"] = _parse_numbers("--worldview", params["worldview"])
    return make_respondent(
        params["respondent"],
        intercept_sd=_parse_numbers("--intercept-sd", params["intercept_sd"] or ()),
        slope_sd=_parse_numbers("--slope-sd", params["slope_sd"] or ()),
        **options,
    )


def _parse_numbers(option: str, texts: Sequence[str]) -> dict[str, float]:
    numbers = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            numbers[name] = float(value)
        except ValueError:
            raise InputError(
                f"{option} {text}: expected a name and a number, such as cluster_id=0.5"
            ) from None
    return numbers


def _parse_settings(text: str | None) -> Json:
    import json

    try:
        settings = json.loads(text or "{}")
    except ValueError as error:
        raise InputError(f"--metadata: no JSON ({error}); expected an object") from None
    if not isinstance(settings, dict):
        raise InputError(f"--metadata: found {type(settings).__name__}, expected a JSON object")
    return settings
