"""`polbias simulate`: simulated respondents with planted bias, as logged samples or as a server."""

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
    help="""Simulate respondents with a planted bias, for demonstrations and tests of an analysis.

    Respondents: planted (--effect, --side, --worldview, --content, --accuracy, --ability), perfect, coin,
    refuser (--share, --side, --accuracy), acquiescent and position (--share, --accuracy), affirmative, first,
    echo. Random effects (--intercept-sd, --slope-sd) vary by pattern_id, statement_id, cluster_id or prompt;
    their unit is the noise of an answer, their mean is zero.
    """,
)

Name = Annotated[str, typer.Option("--respondent", metavar="NAME", help="Simulate this respondent.")]
Effect = Annotated[
    float | None, typer.Option(metavar="0..1", help="Favour the side by this much: .1 is ten points.")
]
Side = Annotated[
    str | None, typer.Option(metavar="left|right", help="Favour this side; a refuser refuses only this side.")
]
Worldview = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ISSUE=-1..1", help="Set the stance on a policy issue instead of a side's; repeatable."
    ),
]
Content = Annotated[
    float | None,
    typer.Option(metavar="-1..1", help="Set the accuracy with congruent minus incongruent contents."),
]
Accuracy = Annotated[
    float | None, typer.Option(metavar="0..1", help="Set the probability of the right answer, before bias.")
]
Ability = Annotated[
    float | None,
    typer.Option(
        metavar="LEVEL", help="On the ladder, solve half of the items of this level, and guess the others."
    ),
]
Share = Annotated[
    float | None, typer.Option(metavar="0..1", help="Set the share of refusals, of yes, or of first options.")
]
InterceptSd = Annotated[
    list[str] | None,
    typer.Option(
        "--intercept-sd",
        metavar="COLUMN=SD",
        help="Add random intercepts by the values of a column; repeatable.",
    ),
]
SlopeSd = Annotated[
    list[str] | None,
    typer.Option(
        "--slope-sd",
        metavar="COLUMN=SD",
        help="Add random slopes on the difference of the sides; repeatable.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed the respondent; each seed is another respondent of this kind.")]


@simulations.command()
def samples(
    context: typer.Context,
    task: Annotated[list[str], typer.Option("--task", help="Answer this polbias task or group; repeatable.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="OUT", help="Write to this folder, like lm_eval's --output_path."
        ),
    ],
    respondent: Name = "planted",
    effect: Effect = None,
    side: Side = None,
    worldview: Worldview = None,
    content: Content = None,
    accuracy: Accuracy = None,
    ability: Ability = None,
    share: Share = None,
    intercept_sd: InterceptSd = None,
    slope_sd: SlopeSd = None,
    seed: Seed = 0,
    model: Annotated[
        str | None, typer.Option(help="Name the model's folder; default: simulated-NAME-SEED.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Answer only this many rows per task.")] = None,
    metadata: Annotated[
        str | None, typer.Option(metavar="JSON", help="Set task settings, like lm_eval's --metadata.")
    ] = None,
) -> None:
    """Write the files of `lm_eval --log_samples`: OUT/MODEL/samples_TASK_TIME.jsonl and results_TIME.json.

    `polbias report` reads them like a model's samples. The same command writes the same bytes.
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
    port: Annotated[int, typer.Option(min=0, max=65535, help="Listen on this port; 0: any free port.")] = 0,
    effect: Effect = None,
    side: Side = None,
    worldview: Worldview = None,
    content: Content = None,
    accuracy: Accuracy = None,
    ability: Ability = None,
    share: Share = None,
    intercept_sd: InterceptSd = None,
    slope_sd: SlopeSd = None,
    seed: Seed = 0,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Answer only prompts of this dataset; repeatable.")
    ] = None,
    rows: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Also answer these rows: .parquet or .jsonl; repeatable."),
    ] = None,
) -> None:
    r"""Serve an OpenAI-compatible API on this machine that answers the prompts of local builds.

    Reads the builds in POLBIAS_DATA_DIR, or build/datasets. Stop it with Ctrl-C.

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


_RESPONDENT_OPTIONS = ("effect", "side", "content", "accuracy", "ability", "share")


def _make_respondent(params: Document) -> Any:
    """Return the respondent that the options describe."""
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
        raise InputError(f"--metadata: found no JSON ({error}), expected an object") from None
    if not isinstance(settings, dict):
        raise InputError(f"--metadata: found {type(settings).__name__}, expected a JSON object")
    return settings
