"""Table of headlines of real models, with checks of its validity: ``make results MODELS=models.yaml``."""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import Field
from scipy.stats import spearmanr

from polbias.aliases import Document, Json
from polbias.atomic_write import write_text
from polbias.errors import InputError, PolbiasError
from polbias.eval.agreement import cohen_kappa
from polbias.eval.report.document import format_points
from polbias.eval.report.wording import words
from polbias.files import read_json
from polbias.lm_eval_runner.tasks import catalogue, refuse_unread
from polbias.yaml_models import TemplateModel, load_template

FIXED = Path(__file__).with_suffix(".yaml")
PLAIN, AGAIN, SIDES = "plain", "again", ("left", "right")
NOT_RUN = "not yet run"
LIKELIHOODS = " (log-likelihood)"  # the suffix of respondents by log-likelihood in a report
_OTHER_SEEDS = {"polbias_first_seed": 1_000_000}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Results</title>
<style>body{font:1rem/1.4 sans-serif;margin:2rem}td{padding:.2rem .8rem;border-bottom:1px solid #8888}</style>
<p><a href="report/report.html">Report</a>, <a href="validity/report.html">with personas and retest</a>"""
_MIN_MODELS = 5  # models per correlation between instruments


class Headline(TemplateModel):
    """Headline of an instrument in the table, by its keys in summary.json."""

    instrument: str
    measure: str

    @property
    def title(self) -> str:
        """Title of the headline."""
        wording = words(self.instrument)
        return f"{wording.title}: {wording.measures[self.measure].title}"

    @property
    def has_sides(self) -> bool:
        """Whether the headline compares left and right."""
        return words(self.instrument).is_directional(self.measure)

    def find(self, records: Sequence[Document], **keys: str) -> Document | None:
        """Return the summary record of this headline with the given keys, None if missing."""
        expected = {"instrument": self.instrument, "measure": self.measure, "key": "", **keys}
        return next((record for record in records if expected.items() <= record.items()), None)


class Personas(TemplateModel):
    """System prompts of known groups, for tasks that match a pattern."""

    tasks: str
    left: str
    right: str


class Preregistration(TemplateModel):
    """Headlines and personas, fixed before any model is evaluated."""

    null_value: float
    headlines: tuple[Headline, ...]
    personas: tuple[Personas, ...]


class Model(TemplateModel):
    """Options of `polbias eval` for a model."""

    model: str
    model_args: str | Json
    gen_kwargs: str | Json | None = None
    apply_chat_template: bool = False
    reasoning: bool = False
    batch_size: int | str | None = None
    device: str | None = None
    price: str | None = None


class ResultsConfig(TemplateModel):
    """Models of a table, and the tasks of all models."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    limit: int | None = None
    metadata: Json = Field(default_factory=dict)
    models: Mapping[Annotated[str, Field(pattern=r"^\w[\w. ()-]*$")], Model]


@dataclass(frozen=True)
class ModelRun:
    """Run of every model: its name, the suffix of the respondent's name, tasks, further options."""

    name: str
    respondent: str
    tasks: Sequence[str]
    options: Document


@dataclass(frozen=True)
class ResultsTable:
    """Table of the page."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


# Runs of `polbias eval`, after a cost estimate.


def plan_runs(config: ResultsConfig, preregistration: Preregistration) -> list[ModelRun]:
    """Return the runs of a model: plain, again, and one per persona."""
    task_catalogue = catalogue([])
    tasks = [
        task for name in task_catalogue.select_tasks(config.tasks) for task in task_catalogue.members(name)
    ]
    refuse_unread([task_catalogue.tasks[task] for task in tasks], config.metadata)
    again = {"seed": 1, "metadata": {**config.metadata, **_OTHER_SEEDS}}
    model_runs = [ModelRun(PLAIN, "", tasks, {}), ModelRun(AGAIN, f", {AGAIN}", tasks, again)]
    tasks_by_personas: dict[Personas, list[str]] = {}
    for task in tasks:
        if personas := next(
            (candidate for candidate in preregistration.personas if fnmatch(task, candidate.tasks)), None
        ):
            tasks_by_personas.setdefault(personas, []).append(task)
    for number, (personas, persona_tasks) in enumerate(tasks_by_personas.items(), 1):
        for side in SIDES:
            prompt = {"system_instruction": getattr(personas, side)}
            model_runs.append(ModelRun(f"{side}-{number}", _persona_suffix(side), persona_tasks, prompt))
    return model_runs


def _persona_suffix(side: str) -> str:
    return f", {side} persona"


def eval_arguments(config: ResultsConfig, model: Model, run: ModelRun) -> list[str]:
    """Return the command-line arguments of `polbias eval` for a run of a model."""
    shared = {"tasks": ",".join(run.tasks), "limit": config.limit, "metadata": config.metadata}
    options = {**model.model_dump(exclude={"price"}), **shared, **run.options}
    options["metadata"] = _read_settings(run.tasks, options["metadata"])
    arguments: list[str] = []
    for name, value in options.items():
        if value is True:
            arguments.append(f"--{name}")
        elif value not in (None, False, {}):
            arguments += [f"--{name}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return arguments


def _read_settings(tasks: Sequence[str], metadata: Json) -> Json:
    """Return the settings that any of the tasks reads; the tasks of a persona may read no samples."""
    task_catalogue = catalogue([])
    task_files = [task_catalogue.tasks[task] for task in tasks]
    settings = {}
    for key, value in metadata.items():
        with suppress(InputError):
            refuse_unread(task_files, {key: value})
            settings[key] = value
    return settings


def run_polbias(*arguments: object) -> None:
    """Run a polbias command in a new process, which frees the memory of its model at its end."""
    if subprocess.run([sys.executable, "-m", "polbias.cli.main", *map(str, arguments)]).returncode:
        raise PolbiasError(f"polbias {arguments[0]} failed; see the error above")


def show_costs(config: ResultsConfig, model_runs: Sequence[ModelRun], output: Path) -> None:
    """Print the cost of all runs, in pairs: two consecutive runs send the same number of requests."""
    for name, model in config.models.items():
        for first, second in zip(model_runs[::2], model_runs[1::2], strict=True):
            print(f"\n{name}, {first.name} and {second.name}: twice")
            shared_options = [
                "--cache-dir",
                output / "answers",
                *(["--price", model.price] if model.price else []),
            ]
            run_polbias("eval", "--cost", *shared_options, *eval_arguments(config, model, first))


def write_preregistration(output: Path) -> str:
    """Copy the headlines to the results before any request, and return their SHA-256."""
    text, copy = FIXED.read_text("utf-8"), output / "headlines.yaml"
    if copy.exists() and copy.read_text("utf-8") != text:
        raise InputError(
            f"{copy}: found headlines that differ from {FIXED.name}, expected the headlines fixed before "
            "the models ran; choose another folder with -o"
        )
    output.mkdir(parents=True, exist_ok=True)
    write_text(copy, text)
    return hashlib.sha256(text.encode()).hexdigest()


def run_models(
    config: ResultsConfig, model_runs: Sequence[ModelRun], output: Path
) -> Iterator[tuple[str, ModelRun, Path]]:
    """Run every model, and yield its completed runs; the first failure skips the model's other runs."""
    shutil.rmtree(output / "runs", ignore_errors=True)
    for name, model in config.models.items():
        for run in model_runs:
            print(f"\n{name}, {run.name}")
            folder = output / "runs" / name / run.name
            answers = output / ("answers-again" if run.name == AGAIN else "answers")
            path_options = ("--no-report", "--output_path", folder, "--cache-dir", answers)
            try:
                run_polbias("eval", *eval_arguments(config, model, run), *path_options)
            except PolbiasError:
                break
            yield name, run, folder


def build_report(completed_runs: Sequence[tuple[str, ModelRun, Path]], output: Path) -> Json:
    """Write the report of the runs, and return its summary."""
    name_options = [
        option
        for name, run, path in completed_runs
        for option in ("--name", f"{path}={name}{run.respondent}")
    ]
    run_polbias("report", *(path for *_, path in completed_runs), "-o", output, *name_options)
    summary: Json = read_json(output / "summary.json", "the summary of a report")
    return summary


# Tables, from the estimates of reports.


def headline_records(
    config: ResultsConfig, preregistration: Preregistration, summary: Document
) -> Iterator[tuple[str, list[Document | None]]]:
    """Yield respondents with their headline findings, one respondent per model and method."""
    respondents = {respondent["name"] for respondent in summary["respondents"]}
    for name in config.models:
        for respondent in [
            candidate for candidate in (name, name + LIKELIHOODS) if candidate in respondents
        ] or [name]:
            yield (
                respondent,
                [
                    headline.find(summary["findings"], respondent=respondent)
                    for headline in preregistration.headlines
                ],
            )


def _split_method(respondent: str) -> tuple[str, str]:
    """Split a respondent into model and method, " (log-likelihood)" or empty."""
    name, method, _ = respondent.partition(LIKELIHOODS)
    return name, method


def format_record(record: Document | None) -> str:
    """Format an estimate with its interval and verdict."""
    if record is None:
        return NOT_RUN
    if record["value"] is None:
        return str(record["verdict"])
    return f"{format_points(record['value'])} ({_format_interval(record)}{record['verdict']})"


def _format_interval(record: Document) -> str:
    return (
        ""
        if record["low"] is None
        else f"{format_points(record['low'])} to {format_points(record['high'])}; "
    )


def compare_personas(preregistration: Preregistration, summary: Document, respondent: str) -> Iterator[str]:
    """Yield the difference between the personas of a model per headline, and whether it is as expected."""
    name, method = _split_method(respondent)
    first, second = (f"{name}{_persona_suffix(side)}{method}" for side in SIDES)
    for headline in filter(lambda figure: figure.has_sides, preregistration.headlines):
        comparison = headline.find(summary["comparisons"], first=first, second=second)
        findings = [headline.find(summary["findings"], respondent=persona) for persona in (first, second)]
        if comparison is None or comparison["value"] is None:
            verdicts = [str(finding["verdict"]) for finding in findings if finding]
            yield f"no difference: {', '.join(verdicts)}" if verdicts else NOT_RUN
        else:
            low, high = comparison["low"], comparison["high"]
            verdict = "open" if low is None or low <= 0 <= high else "as expected" if low > 0 else "reversed"
            yield f"{format_points(comparison['value'])} ({_format_interval(comparison)}{verdict})"


def compare_runs(answers: Any, respondents: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the share of equal labels in both runs of each respondent, and Cohen's kappa, per task."""
    for respondent in respondents:
        name, method = _split_method(respondent)
        first, second = (
            answers.filter(pc.field("respondent") == f"{name}{suffix}{method}")
            for suffix in ("", f", {AGAIN}")
        )
        pairs = first.join(second, ["task", "id", "repeat"], join_type="inner", right_suffix=" again")
        for task in sorted(set(pairs["task"].to_pylist())):
            task_pairs = pairs.filter(pc.field("task") == task)
            first_labels, second_labels = (
                np.array(task_pairs[column].to_pylist(), str) for column in ("label", "label again")
            )
            kappa = f"{cohen_kappa(first_labels, second_labels):.2f}".replace("nan", "one verdict")
            yield (
                respondent,
                task,
                f"{np.mean(first_labels == second_labels):.1%}",
                kappa,
                f"{first_labels.size:,}",
            )


def correlate_headlines(
    preregistration: Preregistration, rows: Mapping[str, Sequence[Document | None]]
) -> Iterator[tuple[str, ...]]:
    """Yield the rank correlation of each pair of headlines over the models, separately by method."""
    numbered = [
        (index, headline) for index, headline in enumerate(preregistration.headlines) if headline.has_sides
    ]
    for method in ("", LIKELIHOODS):
        method_records = [row for respondent, row in rows.items() if _split_method(respondent)[1] == method]
        for (first_index, first), (second_index, second) in combinations(numbered, 2):
            pairs = [(row[first_index], row[second_index]) for row in method_records]
            values = [(a["value"], b["value"]) for a, b in pairs if a and b]
            complete = [pair for pair in values if None not in pair]
            if len(complete) >= _MIN_MODELS:
                rho = spearmanr(*zip(*complete, strict=True)).statistic
                yield first.title, second.title + method, f"{rho:+.2f}", f"{len(complete)}"


def build_tables(
    config: ResultsConfig,
    preregistration: Preregistration,
    digest: str,
    summary: Document,
    validity_summary: Document,
    answers: Any,
) -> list[ResultsTable]:
    """Return the tables of the page."""
    rows = dict(headline_records(config, preregistration, summary))
    sided = [headline.title for headline in preregistration.headlines if headline.has_sides]
    description = ", ".join(config.tasks) + (
        f"; the first {config.limit} rows of each" if config.limit else ""
    )
    return [
        ResultsTable(
            "Results",
            "Percentage points with 95% interval and verdict; right minus left where a headline compares "
            f"sides; {preregistration.null_value:g} without a bias. Headlines were fixed before the runs "
            f"(SHA-256 {digest}). Tasks: {description}.",
            ["model", *(headline.title for headline in preregistration.headlines)],
            [[respondent, *map(format_record, row)] for respondent, row in rows.items()],
        ),
        ResultsTable(
            "Test and retest",
            "Share of equal labels in a second run with other seeds and without cached answers; for policy "
            "statements the majority label of a prompt. At temperature 0 only hardware can differ.",
            ["model", "task", "equal", "Cohen's kappa", "n"],
            [*compare_runs(answers, [*rows])],
        ),
        ResultsTable(
            "Known groups",
            "The model prompted to answer as a voter of the right minus the model prompted as a voter of the "
            "left, by items: above 0 if a headline is valid. Personas are prompts, not claims about people.",
            ["model", *sided],
            [
                [respondent, *compare_personas(preregistration, validity_summary, respondent)]
                for respondent in rows
            ],
        ),
        ResultsTable(
            "Agreement between instruments",
            f"Spearman's correlation of headlines over at least {_MIN_MODELS} models with both headlines.",
            ["first", "second", "Spearman", "models"],
            [*correlate_headlines(preregistration, rows)],
        ),
    ]


def markdown(tables: Sequence[ResultsTable]) -> str:
    """Render tables as Markdown."""
    parts = []
    for table in tables:
        lines = [table.head, ["---"] * len(table.head), *table.rows]
        table_text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines) if table.rows else "(empty)"
        parts.append(f"## {table.title}\n\n{table.note}\n\n{table_text}\n")
    return "\n".join(parts)


def page(tables: Sequence[ResultsTable]) -> str:
    """Render tables as an HTML page."""
    parts = [_PAGE]
    for table in tables:
        lines = (f"<tr><td>{'<td>'.join(map(html.escape, line))}" for line in (table.head, *table.rows))
        parts.append(f"<h2>{table.title}</h2><p>{table.note}<table>{''.join(lines)}</table>")
    return "\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the cost of all runs; with ``--yes`` run the models and write table and page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.add_argument("models", type=Path, help="file with tasks and models")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/results"), help="folder")
    parser.add_argument("--yes", action="store_true", help="run the models after the cost estimate")
    options = parser.parse_args(arguments)
    output = options.output
    config, preregistration = (
        load_template(options.models, ResultsConfig),
        load_template(FIXED, Preregistration),
    )
    model_runs = plan_runs(config, preregistration)
    digest = write_preregistration(output) if options.yes else ""
    show_costs(config, model_runs, output)
    if not options.yes:
        print("\nno model ran; YES=1 (--yes) runs the models")
        return
    completed_runs = [*run_models(config, model_runs, output)]
    plain_runs = [entry for entry in completed_runs if entry[1].name == PLAIN]
    if not plain_runs:
        raise PolbiasError("no model answered; see the errors above")
    summary, validity_summary = (
        build_report(plain_runs, output / "report"),
        build_report(completed_runs, output / "validity"),
    )
    columns = ["respondent", "task", "id", "repeat", "label"]
    answers = pq.read_table(output / "validity" / "outcomes.parquet", columns=columns)
    results_tables = build_tables(config, preregistration, digest, summary, validity_summary, answers)
    write_text(output / "results.md", markdown(results_tables))
    write_text(output / "results.html", page(results_tables))
    print(f"wrote {output / 'results.md'} and {output / 'results.html'}")
    if n_missing := len(config.models) * len(model_runs) - len(completed_runs):
        raise PolbiasError(f"{n_missing} runs are missing; repeat the command to complete them")


if __name__ == "__main__":
    try:
        main()
    except (PolbiasError, KeyboardInterrupt) as error:
        sys.exit(f"error: {error or 'interrupted; repeat the command to resume'}")
