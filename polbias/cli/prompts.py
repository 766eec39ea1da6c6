"""`polbias prompts`: export the chat prompts of tasks, for a model outside polbias."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from polbias.atomic_write import write_text
from polbias.cli.eval import print_progress
from polbias.cli.outputs import echo
from polbias.errors import InputError


class PromptFormat(StrEnum):
    """File format."""

    csv = "csv"
    openai = "openai"
    anthropic = "anthropic"


_BY_SUFFIX = {".csv": PromptFormat.csv, ".jsonl": PromptFormat.openai}
_MAX_REQUESTS = {PromptFormat.openai: 50_000, PromptFormat.anthropic: 100_000}  # of one batch

Metadata = Annotated[
    str | None, typer.Option(metavar="JSON", help="Set task settings, e.g. '{\"polbias_samples\": 10}'.")
]
GenKwargs = Annotated[
    str | None,
    typer.Option(
        "--gen_kwargs", metavar="SETTINGS", help="Set generation settings; temperature=null is not sent."
    ),
]
SystemInstruction = Annotated[
    str | None, typer.Option("--system_instruction", metavar="TEXT", help="Use this system prompt.")
]
IncludePath = Annotated[
    Path | None, typer.Option("--include_path", metavar="DIR", help="Add the task files of this folder.")
]


def lm_eval_options(**options: object) -> list[str]:
    """Return options as command-line arguments of lm_eval, without missing values."""
    values = {f"--{name}": str(value) for name, value in options.items() if value is not None}
    return [word for option in values.items() for word in option]


def prompts(
    task: Annotated[list[str], typer.Argument(metavar="TASK...", help="Tasks, groups or quoted patterns.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Write to this .csv or .jsonl file.")
    ],
    form: Annotated[
        PromptFormat | None,
        typer.Option("--format", help="Set the format; default: csv for .csv, openai for .jsonl."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Set the model of batch requests.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Export only this many rows per task.")] = None,
    metadata: Metadata = None,
    gen_kwargs: GenKwargs = None,
    system_instruction: SystemInstruction = None,
    include_path: IncludePath = None,
) -> None:
    r"""Export the prompts of tasks for a model outside polbias; `polbias score` scores its answers.

      [bold]polbias prompts polbias_en_formal_mini -o prompts.csv[/]
      [bold]polbias prompts polbias_en_formal -o batch.jsonl --model NAME[/]
      [bold]polbias prompts polbias_en_formal -o batch.jsonl --format anthropic --model NAME[/]

    A table has id, task, prompt and, if any, repeat (number of the sample), system (system prompt) and
    messages (all turns, JSON). A batch file has one request per line, for POST /v1/chat/completions or
    Anthropic's Message Batches. `polbias eval` sends the same prompts and settings to a chat API.
    """
    from polbias.lm_eval_runner import batch_lines
    from polbias.lm_eval_runner import exported_prompts as recorded
    from polbias.lm_eval_runner.tasks import catalogue
    from polbias.spreadsheets import sheet

    file_format = form or _BY_SUFFIX.get(output.suffix.lower())
    if file_format is None:
        raise InputError(f"-o {output}: found no suffix .csv or .jsonl; add one, or use --format")
    if file_format is not PromptFormat.csv and not model:
        raise InputError("--model: found none, expected the model of the batch requests; add --model NAME")
    tasks = catalogue([include_path] if include_path else [])
    names = tasks.select_tasks(task)
    recorded.written_tasks(tasks, names)
    options = lm_eval_options(
        limit=limit,
        metadata=metadata,
        gen_kwargs=gen_kwargs,
        system_instruction=system_instruction,
        include_path=include_path,
    )
    config = recorded.chat_config(names, output, options, {"model": model or ""}, base_url="")
    chat_prompts = recorded.recorded_prompts(config, tasks, names, print_progress)
    if file_format is PromptFormat.csv:
        write_text(output, sheet(*recorded.prompt_table(chat_prompts), ","))
    else:
        line = batch_lines.openai_line if file_format is PromptFormat.openai else batch_lines.anthropic_line
        write_text(output, (line(prompt, str(model)) for prompt in chat_prompts))
    rows = len({(prompt.task, prompt.number) for prompt in chat_prompts})
    echo(f"wrote {output}: {len(chat_prompts):,} requests for {rows:,} rows")
    column = " (column `answer`)" if file_format is PromptFormat.csv else " (batch results)"
    print_progress(
        f"next, score the answers{column}: polbias score ANSWERS --task {' --task '.join(names)} -o RUN"
    )
    if len(chat_prompts) > _MAX_REQUESTS.get(file_format, len(chat_prompts)):
        max_requests = _MAX_REQUESTS[file_format]
        print_progress(
            f"a batch has at most {max_requests:,} requests: `split -l {max_requests} {output} part-`; "
            "`polbias score` takes several files"
        )
