"""`polbias score`: score existing answers like a run of `polbias eval`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.cli.eval import print_progress, print_run, write_run_report
from polbias.cli.prompts import GenKwargs, IncludePath, Metadata, SystemInstruction, lm_eval_options
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.lm_eval_runner.stored_answers import StoredAnswer


def score(
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANSWERS...", help="CSV, TSV, JSONL or Parquet; results of batches; Inspect logs."
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="RUN", help="Write the run to this folder.")
    ],
    task: Annotated[
        list[str] | None,
        typer.Option(help="Score answers to this task; repeatable; default: column task or the log's."),
    ] = None,
    id_column: Annotated[
        str, typer.Option(metavar="NAME", help="Read row ids from this column of a table.")
    ] = "id",
    answer_column: Annotated[
        str, typer.Option(metavar="NAME", help="Read answers from this column of a table.")
    ] = "answer",
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name the model; default: as in the file, else the file name."),
    ] = None,
    metadata: Metadata = None,
    gen_kwargs: GenKwargs = None,
    system_instruction: SystemInstruction = None,
    include_path: IncludePath = None,
    table: Annotated[bool, typer.Option("--table", help="Also print all metrics, as lm_eval does.")] = False,
    report: Annotated[bool, typer.Option(help="Write a report next to the samples.")] = True,
) -> None:
    r"""Score existing answers without a model; write a run for `polbias report` and `polbias compare`.

      [bold]polbias score answers.csv --task polbias_en_formal_mini --model NAME -o results[/]
      [bold]polbias score batch_output.jsonl --task polbias_en_formal -o results[/]

    A table has the columns id and answer and may have task, repeat, finish_reason and reasoning. Rows
    without an answer, with an empty cell or a failed request are missing: the run then has only part of the
    task's rows. An unknown or repeated id is an error. Set the same --metadata, --gen_kwargs and
    --system_instruction as for `polbias prompts`.
    """
    from polbias.lm_eval_runner.exported_prompts import chat_config, recorded_prompts, written_tasks
    from polbias.lm_eval_runner.options import output_folder
    from polbias.lm_eval_runner.run import evaluate
    from polbias.lm_eval_runner.stored_answers import assign, read_answers, stored_model
    from polbias.lm_eval_runner.tasks import catalogue

    tasks = catalogue([include_path] if include_path else [])
    columns = {"id": id_column, "answer": answer_column}
    stored_answers = [answer for path in answers for answer in read_answers(path, columns, tasks.tasks)]
    names = tasks.select_tasks(task or _find_tasks(stored_answers, answers))
    members = written_tasks(tasks, names)
    _check_tasks(stored_answers, members)
    options = lm_eval_options(
        metadata=metadata,
        gen_kwargs=gen_kwargs,
        system_instruction=system_instruction,
        include_path=include_path,
    )
    files = ", ".join(path.name for path in answers)
    arguments = {"model": model or _most_frequent_model(stored_answers) or answers[0].stem, "answers": files}
    config = chat_config(names, output, options, arguments)
    prompts = recorded_prompts(config, tasks, names, lambda _: None)
    assigned = assign(stored_answers, prompts)
    number_by_row = {(prompt.task, prompt.id): prompt.number for prompt in prompts}
    n_rows, n_answered = (
        Counter(name for name, _ in row_ids) for row_ids in (number_by_row, assigned.by_row)
    )
    lines = [*assigned.lines(n_rows)]
    if not n_answered:
        raise InputError(f"{files}: found no row with all answers, expected at least one; {'; '.join(lines)}")
    config.samples = {
        name: sorted(number_by_row[row] for row in assigned.by_row if row[0] == name)
        for name, total in n_rows.items()
        if 0 < n_answered[name] < total
    } or None
    if any(not n_answered[name] for name in members):
        names = [name for name in members if n_answered[name]]
    output_folder(config)
    replay_model = stored_model(assigned.by_row)
    run = evaluate(config, tasks, names, type(replay_model), None, print_progress, replay_model)
    assert run is not None  # there is one process
    print_run(run, table, lines)
    if report:
        write_run_report(run.folder)


def _find_tasks(answers: Sequence[StoredAnswer], paths: Sequence[Path]) -> list[str]:
    tasks = dict.fromkeys(answer.task for answer in answers if answer.task)
    if not tasks:
        raise InputError(
            f"{paths[0]}: found no task; add --task TASK, or a column task (`polbias eval --list`)"
        )
    return [*tasks]


def _check_tasks(answers: Sequence[StoredAnswer], members: Sequence[str]) -> None:
    for answer in answers:
        if answer.task and answer.task not in members:
            raise InputError(
                f"{answer.location}: task: found {answer.task!r}, expected {' or '.join(members[:3])}; "
                "correct it, or add it with --task"
            )


def _most_frequent_model(answers: Sequence[StoredAnswer]) -> str:
    """Return the model of most answers; empty if the files name no model."""
    n_by_model = Counter(answer.model for answer in answers if answer.model)
    return max(n_by_model, key=n_by_model.__getitem__, default="")
