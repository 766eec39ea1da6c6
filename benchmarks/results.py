"""A table of real models, with evidence that its figures are valid: ``make results MODELS=models.yaml``."""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
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
from polbias.lm_eval_runner.tasks import catalogue
from polbias.yaml_models import TemplateModel, load_template

FIXED = Path(__file__).with_suffix(".yaml")
PLAIN, AGAIN, SIDES = "plain", "again", ("left", "right")
NOT_RUN = "not yet run"
LIKELIHOODS = " (log-likelihood)"  # as a report ends the names of such respondents
_OTHER_SEEDS = {"polbias_first_seed": 1_000_000}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Results</title>
<style>body{font:1rem/1.4 sans-serif;margin:2rem}td{padding:.2rem .8rem;border-bottom:1px solid #8888}</style>
<p><a href="report/report.html">Report</a>, <a href="validity/report.html">with personas and retest</a>"""
_FEW = 5  # models, below which there is no agreement between instruments


class Headline(TemplateModel):
    """The figure of an instrument that stands in the table, as summary.json names it."""

    instrument: str
    measure: str

    @property
    def title(self) -> str:
        """What it is called."""
        own = words(self.instrument)
        return f"{own.title}: {own.measures[self.measure].title}"

    @property
    def has_sides(self) -> bool:
        """Whether it tells left from right."""
        return words(self.instrument).tells_sides(self.measure)

    def of(self, records: Sequence[Document], **who: str) -> Document | None:
        """Return the record of a summary that is this figure of some respondents."""
        wanted = {"instrument": self.instrument, "measure": self.measure, "key": "", **who}
        return next((each for each in records if wanted.items() <= each.items()), None)


class Personas(TemplateModel):
    """System prompts of known groups, for the tasks that fit a pattern."""

    tasks: str
    left: str
    right: str


class Preregistration(TemplateModel):
    """What was fixed before any model was asked."""

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
    """The models of a table, and what all of them are asked."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1)]
    limit: int | None = None
    metadata: Json = Field(default_factory=dict)
    models: Mapping[Annotated[str, Field(pattern=r"^\w[\w. ()-]*$")], Model]


@dataclass(frozen=True)
class ModelRun:
    """A run that every model makes: its name, the ending of the respondent's name, tasks, own options."""

    name: str
    respondent: str
    tasks: Sequence[str]
    options: Document


@dataclass(frozen=True)
class ResultsTable:
    """A table of the page."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


# What is asked, after what it costs was shown.


def runs(kit: ResultsConfig, fixed: Preregistration) -> list[ModelRun]:
    """Return the runs of a model: plain, again, and one for each persona."""
    known = catalogue([])
    tasks = [task for name in known.select_tasks(kit.tasks) for task in known.members(name)]
    again = {"seed": 1, "metadata": {**kit.metadata, **_OTHER_SEEDS}}
    made = [ModelRun(PLAIN, "", tasks, {}), ModelRun(AGAIN, f", {AGAIN}", tasks, again)]
    groups: dict[Personas, list[str]] = {}
    for task in tasks:
        if own := next((each for each in fixed.personas if fnmatch(task, each.tasks)), None):
            groups.setdefault(own, []).append(task)
    for number, (own, asked) in enumerate(groups.items(), 1):
        for side in SIDES:
            prompt = {"system_instruction": getattr(own, side)}
            made.append(ModelRun(f"{side}-{number}", _persona(side), asked, prompt))
    return made


def _persona(side: str) -> str:
    return f", {side} persona"


def arguments(kit: ResultsConfig, model: Model, run: ModelRun) -> list[str]:
    """Return the options of `polbias eval` for a run of a model."""
    shared = {"tasks": ",".join(run.tasks), "limit": kit.limit, "metadata": kit.metadata}
    given = {**model.model_dump(exclude={"price"}), **shared, **run.options}
    told: list[str] = []
    for name, value in given.items():
        if value is True:
            told.append(f"--{name}")
        elif value not in (None, False, {}):
            told += [f"--{name}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return told


def polbias(*told: object) -> None:
    """Run a command of polbias, in a process of its own that frees the memory of its model."""
    if subprocess.run([sys.executable, "-m", "polbias.cli.main", *map(str, told)]).returncode:
        raise PolbiasError(f"polbias {told[0]} failed; see the error above")


def show_costs(kit: ResultsConfig, planned: Sequence[ModelRun], output: Path) -> None:
    """Print what all runs would ask; two runs each ask the same."""
    for name, model in kit.models.items():
        for first, second in zip(planned[::2], planned[1::2], strict=True):
            print(f"\n{name}, {first.name} and {second.name}: twice")
            known = ["--cache-dir", output / "answers", *(["--price", model.price] if model.price else [])]
            polbias("eval", "--cost", *known, *arguments(kit, model, first))


def write_preregistration(output: Path) -> str:
    """Put the headlines beside the results before anything is asked, and return their hash."""
    text, copied = FIXED.read_text("utf-8"), output / "headlines.yaml"
    if copied.exists() and copied.read_text("utf-8") != text:
        raise InputError(
            f"{copied}: found other headlines than in {FIXED.name}, expected those from before models were "
            "asked; choose another folder with -o"
        )
    output.mkdir(parents=True, exist_ok=True)
    write_text(copied, text)
    return hashlib.sha256(text.encode()).hexdigest()


def run_models(
    kit: ResultsConfig, planned: Sequence[ModelRun], output: Path
) -> Iterator[tuple[str, ModelRun, Path]]:
    """Let every model make its runs, and yield those that came to an end."""
    shutil.rmtree(output / "runs", ignore_errors=True)
    for name, model in kit.models.items():
        for run in planned:
            print(f"\n{name}, {run.name}")
            folder = output / "runs" / name / run.name
            answers = output / ("answers-again" if run.name == AGAIN else "answers")
            places = ("--no-report", "--output_path", folder, "--cache-dir", answers)
            try:
                polbias("eval", *arguments(kit, model, run), *places)
            except PolbiasError:
                break
            yield name, run, folder


def build_report(done: Sequence[tuple[str, ModelRun, Path]], output: Path) -> Json:
    """Report some runs, and return the summary."""
    named = [part for name, run, path in done for part in ("--name", f"{path}={name}{run.respondent}")]
    polbias("report", *(path for *_, path in done), "-o", output, *named)
    summary: Json = read_json(output / "summary.json", "the summary of a report")
    return summary


# The tables: nothing is estimated here that a report estimates.


def results(
    kit: ResultsConfig, fixed: Preregistration, found: Document
) -> Iterator[tuple[str, list[Document | None]]]:
    """Yield the headline findings of every model, a row for each way of answering."""
    known = {each["name"] for each in found["respondents"]}
    for name in kit.models:
        for who in [each for each in (name, name + LIKELIHOODS) if each in known] or [name]:
            yield who, [each.of(found["findings"], respondent=who) for each in fixed.headlines]


def _parted(who: str) -> tuple[str, str]:
    """A model and its way of answering."""
    name, likelihoods, _ = who.partition(LIKELIHOODS)
    return name, likelihoods


def value(record: Document | None) -> str:
    """Return a figure with its interval and verdict."""
    if record is None:
        return NOT_RUN
    if record["value"] is None:
        return str(record["verdict"])
    return f"{format_points(record['value'])} ({_ends(record)}{record['verdict']})"


def _ends(record: Document) -> str:
    return (
        ""
        if record["low"] is None
        else f"{format_points(record['low'])} to {format_points(record['high'])}; "
    )


def groups(fixed: Preregistration, found: Document, who: str) -> Iterator[str]:
    """Yield how far the personas of a model differ in each headline, and whether as expected."""
    name, method = _parted(who)
    first, second = (f"{name}{_persona(side)}{method}" for side in SIDES)
    for headline in filter(lambda each: each.has_sides, fixed.headlines):
        compared = headline.of(found["comparisons"], first=first, second=second)
        alone = [headline.of(found["findings"], respondent=each) for each in (first, second)]
        if compared is None or compared["value"] is None:
            told = [str(each["verdict"]) for each in alone if each]
            yield f"no difference: {', '.join(told)}" if told else NOT_RUN
        else:
            low, high = compared["low"], compared["high"]
            verdict = "open" if low is None or low <= 0 <= high else "as expected" if low > 0 else "reversed"
            yield f"{format_points(compared['value'])} ({_ends(compared)}{verdict})"


def retest(answers: Any, who: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield how many verdicts of a respondent are the same in both runs, task by task."""
    for each in who:
        name, method = _parted(each)
        first, second = (
            answers.filter(pc.field("respondent") == f"{name}{end}{method}") for end in ("", f", {AGAIN}")
        )
        both = first.join(second, ["task", "id", "repeat"], join_type="inner", right_suffix=" again")
        for task in sorted(set(both["task"].to_pylist())):
            own = both.filter(pc.field("task") == task)
            one, two = (np.array(own[column].to_pylist(), str) for column in ("label", "label again"))
            kappa = f"{cohen_kappa(one, two):.2f}".replace("nan", "one verdict")
            yield each, task, f"{np.mean(one == two):.1%}", kappa, f"{one.size:,}"


def agreement(
    fixed: Preregistration, rows: Mapping[str, Sequence[Document | None]]
) -> Iterator[tuple[str, ...]]:
    """Yield the rank correlation of headlines over models that answered in the same way."""
    numbered = [(place, each) for place, each in enumerate(fixed.headlines) if each.has_sides]
    for method in ("", LIKELIHOODS):
        own = [row for who, row in rows.items() if _parted(who)[1] == method]
        for (one, first), (two, second) in combinations(numbered, 2):
            pairs = [(row[one], row[two]) for row in own]
            values = [(a["value"], b["value"]) for a, b in pairs if a and b]
            known = [pair for pair in values if None not in pair]
            if len(known) >= _FEW:
                rho = spearmanr(*zip(*known, strict=True)).statistic
                yield first.title, second.title + method, f"{rho:+.2f}", f"{len(known)}"


def tables(
    kit: ResultsConfig, fixed: Preregistration, digest: str, plain: Document, checks: Document, answers: Any
) -> list[ResultsTable]:
    """Return the tables of the page."""
    rows = dict(results(kit, fixed, plain))
    sided = [each.title for each in fixed.headlines if each.has_sides]
    told = ", ".join(kit.tasks) + (f"; the first {kit.limit} rows of each" if kit.limit else "")
    return [
        ResultsTable(
            "Results",
            "Percentage points with 95% interval and verdict; right minus left where these are told apart; "
            f"without a bias {fixed.null_value:g}. Fixed before (SHA-256 {digest}). Tasks: {told}.",
            ["model", *(each.title for each in fixed.headlines)],
            [[who, *map(value, row)] for who, row in rows.items()],
        ),
        ResultsTable(
            "Test and retest",
            "Share of equal verdicts in a second run with other seeds and no kept answers; of policy "
            "statements what most answers to a prompt say. At temperature 0 only machines can differ.",
            ["model", "task", "equal", "Cohen's kappa", "n"],
            [*retest(answers, [*rows])],
        ),
        ResultsTable(
            "Known groups",
            "The model told to answer as a voter of the right minus the same as one of the left, by items: "
            "above 0 if a headline measures what it says. Personas are fixed prompts, not claims on people.",
            ["model", *sided],
            [[who, *groups(fixed, checks, who)] for who in rows],
        ),
        ResultsTable(
            "Agreement between instruments",
            f"Spearman's correlation of headlines over models; empty below {_FEW} models that have both.",
            ["first", "second", "Spearman", "models"],
            [*agreement(fixed, rows)],
        ),
    ]


def markdown(made: Sequence[ResultsTable]) -> str:
    """Return tables as Markdown."""
    parts = []
    for table in made:
        lines = [table.head, ["---"] * len(table.head), *table.rows]
        shown = "\n".join(f"| {' | '.join(line)} |" for line in lines) if table.rows else "(empty)"
        parts.append(f"## {table.title}\n\n{table.note}\n\n{shown}\n")
    return "\n".join(parts)


def page(made: Sequence[ResultsTable]) -> str:
    """Return tables as a page."""
    parts = [_PAGE]
    for table in made:
        lines = (f"<tr><td>{'<td>'.join(map(html.escape, line))}" for line in (table.head, *table.rows))
        parts.append(f"<h2>{table.title}</h2><p>{table.note}<table>{''.join(lines)}</table>")
    return "\n".join(parts) + "\n"


def main(given: Sequence[str] | None = None) -> None:
    """Show what it costs; with ``--yes`` ask the models and write table and page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.results", description=__doc__)
    parser.add_argument("models", type=Path, help="file with tasks and models")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/results"), help="folder")
    parser.add_argument("--yes", action="store_true", help="ask, after what it costs was shown")
    options = parser.parse_args(given)
    output = options.output
    kit, fixed = load_template(options.models, ResultsConfig), load_template(FIXED, Preregistration)
    planned = runs(kit, fixed)
    digest = write_preregistration(output) if options.yes else ""
    show_costs(kit, planned, output)
    if not options.yes:
        print("\nnothing was asked; YES=1 (--yes) asks")
        return
    done = [*run_models(kit, planned, output)]
    plain = [each for each in done if each[1].name == PLAIN]
    if not plain:
        raise PolbiasError("no model answered; see the errors above")
    found, checks = build_report(plain, output / "report"), build_report(done, output / "validity")
    columns = ["respondent", "task", "id", "repeat", "label"]
    answers = pq.read_table(output / "validity" / "outcomes.parquet", columns=columns)
    made = tables(kit, fixed, digest, found, checks, answers)
    write_text(output / "results.md", markdown(made))
    write_text(output / "results.html", page(made))
    print(f"wrote {output / 'results.md'} and {output / 'results.html'}")
    if missing := len(kit.models) * len(planned) - len(done):
        raise PolbiasError(f"{missing} runs are missing; the same command asks for what is missing")


if __name__ == "__main__":
    try:
        main()
    except (PolbiasError, KeyboardInterrupt) as error:
        sys.exit(f"error: {error or 'interrupted; the same command goes on'}")
