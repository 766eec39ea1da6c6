"""`polbias author annotate`: export pairs to annotators; import, check and decide their answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.aliases import Json
from polbias.atomic_write import write_text
from polbias.cli.options import parse_assignments
from polbias.cli.outputs import echo
from polbias.errors import InputError, did_you_mean
from polbias.paths import build_root, package_file

if TYPE_CHECKING:
    from polbias.generators.authoring.annotation.answers import Annotator, CollectedAnswers
    from polbias.generators.authoring.annotation.tasks import TaskSet


_MAX_DISPLAYED = 10  # problems on the terminal
_ANNOTATOR_COLUMNS = ("annotator", "economic", "social", "answers")


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of the export.", exists=True)]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Answers: CSV or Label Studio JSON.")]
Annotators = Annotated[list[str], typer.Option("--annotator", help="Name an annotator; repeatable.")]
Seed = Annotated[int, typer.Option(help="Shuffle the tasks of each annotator with this seed.")]
AnnotatorTable = Annotated[
    Path | None,
    typer.Option("--annotators", help="Read a table: annotator, accounts, economic, social (-10 to 10)."),
]
ProblemFile = Annotated[
    Path | None, typer.Option("--problems", help="Write all problems to this file, one per line.")
]

app = typer.Typer(no_args_is_help=True, help="Have word pairs, claim pairs and dataset rows annotated.")


@app.command()
def export(
    kind: Annotated[
        str,
        typer.Argument(help="words, claims (one word exchanged), or a dataset to sample."),
    ],
    out: Annotated[Path, typer.Option("-o", "--output", help="Write the files to this folder.")],
    annotator: Annotators,
    source: Annotated[
        Path | None,
        typer.Option(help="Annotate the rows of this table; default: the lexicon's word pairs."),
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="Add the reverse of each word pair.")] = False,
    n: Annotated[
        int, typer.Option(help="Sample this many dataset rows, in turn from every design cell.")
    ] = 150,
    seed: Seed = 1,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Map a role to a column, e.g. id=claim_id; repeatable."),
    ] = None,
) -> None:
    """Write a spreadsheet and a Label Studio project per annotator, each in a different order.

    Claims need the columns id, base_word, exchange_word, base_claim and exchange_claim, or are the output of
    `author pairs`; word pairs need pair_id, first and second, as in pairs.tsv. A dataset must be built here.
    Its form is blind: no labels, uninformative ids. Do not give tasks.json to annotators: it has labels and
    ids.
    """
    from polbias.generators.authoring.annotation.panel import sample
    from polbias.generators.authoring.annotation.tasks import (
        FIELDS,
        TaskSet,
        annotation_kinds,
        make_tasks,
        source_rows,
    )

    if kind not in annotation_kinds():
        expected = f"{did_you_mean(kind, annotation_kinds())}expected one of {', '.join(annotation_kinds())}"
        raise InputError(f"KIND: found {kind!r}; {expected}")
    if source is None and kind == "claims":
        raise InputError("--source: found nothing, expected a table of claims; name one")
    if kind in FIELDS:
        path = source or package_file("templates/xphemism/pairs.tsv")
        columns = parse_assignments("--column", column, "ROLE=NAME, such as id=claim_id")
        rows, problems = source_rows(path, kind, columns)
        _print_problems([f"dropped: {problem}" for problem in problems])
        tasks, content = make_tasks(kind, rows, reverse=reverse), None
    elif source or column:
        option = "--source" if source else "--column"
        raise InputError(f"{option}: found with the dataset {kind}, expected words or claims; leave it out")
    else:
        from polbias.manifest import read_manifest

        tasks, content = sample(kind, n, seed), read_manifest(build_root() / kind).content_hash
    _write(out, TaskSet(kind=kind, seed=seed, annotators=tuple(annotator), content=content, tasks=tasks))


@app.command("import")
def import_answers(
    folder: Folder,
    files: Files,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Write the table of all valid answers (CSV).")
    ],
    annotators: AnnotatorTable = None,
    problems: ProblemFile = None,
) -> None:
    """Check answers against the tasks of an export and merge them into one table that FILE accepts."""
    from polbias.generators.authoring.annotation.tasks import COMMENT, answers_csv, read_tasks

    tasks = read_tasks(folder)
    collected = _collect(tasks, files, _people(annotators), problems)
    task_by_id = tasks.by_id()
    rows = [(task_by_id[a.task_id], a.annotator, {**a.values, COMMENT: a.comment}) for a in collected.answers]
    write_text(output, answers_csv(tasks.kind, rows))
    echo(f"{len(collected.answers)} answers of {len(collected.annotators)} annotators in {output}")


@app.command()
def agreement(
    folder: Folder,
    files: Files,
    annotators: AnnotatorTable = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the results as JSON.")] = None,
    problems: ProblemFile = None,
) -> None:
    """Print Krippendorff's alpha per variable, and the annotators' positions on the political compass.

    For a dataset, also print alpha of each answer against all others, and the majority against the gold
    label. Save the JSON as templates/panels/DATASET.json to print "Rated by n people" on the card of a build
    with the content that was exported.
    """
    from polbias.generators.authoring.annotation.tasks import read_tasks

    tasks, people = read_tasks(folder), _people(annotators)
    data = agreement_data(tasks, _collect(tasks, files, people, problems), people)
    print_agreement(data)
    if output:
        import json

        write_text(output, json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


@app.command()
def decide(
    folder: Folder,
    files: Files,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write rows in the format of pairs.tsv.")],
    undecided: Annotated[
        Path,
        typer.Option("--undecided", help="Read decisions from this table and write undecided labels to it."),
    ],
    annotators: AnnotatorTable = None,
    problems: ProblemFile = None,
) -> None:
    """Label word pairs by majority; write undecided labels to a table for discussion.

    Undecided are ties, missing votes, and pairs whose reverse got another label. Fill the column `resolved`
    and run this again; nothing is written if a decision in it does not fit the votes.
    """
    from polbias.generators.authoring.annotation import decisions as annotation_decisions
    from polbias.generators.authoring.annotation.tasks import read_tasks
    from polbias.generators.authoring.pairs import pairs_tsv
    from polbias.spreadsheets import SheetError

    tasks = read_tasks(folder)
    answers = _collect(tasks, files, _people(annotators), problems).answers
    resolved = annotation_decisions.read_resolved(undecided) if undecided.exists() else []
    decisions = annotation_decisions.label_by_majority(tasks, answers, resolved)
    if decisions.problems:  # keep agreed decisions, for instance if a file is missing
        raise SheetError([f"{undecided}: {problem}" for problem in decisions.problems])
    write_text(undecided, annotation_decisions.undecided_tsv(decisions.contested))
    write_text(output, pairs_tsv(decisions.pairs))
    agreed = sum(bool(label.resolved) for label in decisions.contested)
    echo(
        f"{len(decisions.pairs)} pairs labelled, {len(decisions.pending)} not; "
        f"{len(decisions.contested)} labels"
    )
    echo(f"undecided by the votes, {agreed} of them resolved in {undecided}")


def _people(path: Path | None) -> list[Annotator]:
    from polbias.generators.authoring.annotation.answers import read_annotators

    return read_annotators(path) if path else []


def _collect(
    tasks: TaskSet, files: Sequence[Path], people: Sequence[Annotator], report: Path | None
) -> CollectedAnswers:
    from polbias.generators.authoring.annotation.answers import collect_answers, read_answers

    raw, unread = read_answers(files, tasks.kind)
    collected = collect_answers(tasks, raw, people)
    problems = [*unread, *collected.problems]
    if report:
        write_text(report, "".join(f"{problem}\n" for problem in problems))
    _print_problems([*map(str, problems)])
    if problems:
        counts = Counter(problem.code for problem in problems)
        echo(", ".join(f"{count} {code}" for code, count in counts.items()), err=True)
    return collected


def _print_problems(lines: Sequence[str]) -> None:
    for line in lines[:_MAX_DISPLAYED]:
        echo(line, err=True)
    if len(lines) > _MAX_DISPLAYED:
        echo(f"and {len(lines) - _MAX_DISPLAYED} more", err=True)


def _write(out: Path, tasks: TaskSet) -> None:
    """Write an export; raise if it would overwrite other content, such as answers."""
    from polbias.generators.authoring.annotation.tasks import export as export_files

    files = export_files(tasks)
    for name, text in files.items():
        path = out / name
        if path.exists() and path.read_bytes() != text.encode():
            raise InputError(
                f"{path}: found a file with other content, perhaps answers; choose another folder"
            )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be created ({error.strerror}); choose another folder") from None
    for name, text in files.items():
        write_text(out / name, text)
    echo(f"{len(tasks.tasks)} tasks for {', '.join(tasks.annotators)} in {out}: {', '.join(files)}")


# Tables of agreement and annotators.


def agreement_data(tasks: TaskSet, collected: CollectedAnswers, people: Sequence[Annotator]) -> Json:
    """Return agreement per variable (Table 6) and the annotators' political compass.

    Source:
        Jakob et al. 2025, Appendix D.3 (Table 6) and D.4.
    """
    from polbias.eval.agreement import BOOTSTRAP_DRAWS, alpha_interval
    from polbias.generators.authoring.annotation.decisions import ratings
    from polbias.generators.authoring.annotation.panel import against_gold
    from polbias.generators.authoring.annotation.tasks import load_guideline, panel_forms

    rating_tables = []
    for variable in load_guideline().variables(tasks.kind):
        table = ratings(collected.answers, tasks.tasks, variable)
        rating_tables.append((variable.id, variable.title, table))
        for code, value in enumerate(variable.values if tasks.kind in panel_forms() else (), 1):
            is_class = [[rating and 1 + (rating == code) for rating in row] for row in table]
            rating_tables.append((f"{variable.id}: {value}", value, is_class))
    variables = []
    for name, title, table in rating_tables:
        interval = asdict(alpha_interval(table))
        numbers = {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in interval.items()}
        variables.append({"variable": name, "title": title, "annotators": len(table), **numbers})
    positions = {person.name: (person.economic, person.social) for person in people}
    answers = Counter(answer.annotator for answer in collected.answers)
    annotators = [
        dict(zip(_ANNOTATOR_COLUMNS, (name, *positions.get(name, (None, None)), answers[name]), strict=True))
        for name in collected.annotators
    ]
    agreement = {"variables": variables, "annotators": annotators, "draws": BOOTSTRAP_DRAWS, "seed": 0}
    if tasks.kind in panel_forms():
        gold = against_gold(tasks, collected.answers)
        agreement |= {"dataset": tasks.kind, "content": tasks.content, "gold": gold}
    return agreement


def print_agreement(data: Json) -> None:
    """Print the result of `agreement_data`."""
    from rich.table import Table

    from polbias.terminal import Console

    console = Console(highlight=False)
    table = Table(
        "variable", "alpha", "95% interval", "items", "annotators", title="Krippendorff's alpha (nominal)"
    )
    for row in data["variables"]:
        interval = f"{_number(row['low'])} to {_number(row['high'])}"
        counts = str(row["items"]), str(row["annotators"])
        table.add_row(row["variable"], _number(row["alpha"]), interval, *counts)
    console.print(table)
    if gold := data.get("gold"):
        title = f"Majority equal to the gold label; {gold['undecided']} of {gold['rated']} undecided"
        table = Table("class", "as gold", "of", "share", "95% interval", title=title)
        for row in gold["classes"]:
            interval = f"{_number(row['low'])} to {_number(row['high'])}"
            table.add_row(row["class"], str(row["as_gold"]), str(row["n"]), _number(row["share"]), interval)
        console.print(table)
        for item in gold["differs"]:
            console.print(f"{item['id']}: {item['gold']}, but {item['votes']}", soft_wrap=True)
    table = Table(*_ANNOTATOR_COLUMNS, title="Political compass (-10 to 10)")
    for row in data["annotators"]:
        position = _number(row["economic"], 2), _number(row["social"], 2)
        table.add_row(row["annotator"], *position, str(row["answers"]))
    console.print(table)


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
