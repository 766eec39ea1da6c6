"""`polbias analyze xphemism`: the statistics of answered X-phemism pairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.outputs import csv_text, write_text
from polbias.errors import InputError, PolbiasError

if TYPE_CHECKING:
    from polbias.eval.xphemism.reading import Reading

_SHOWN = 20  # problems that are printed; all are in the table `problems`
_TASK = "polbias_xphemism"


class ModeName(StrEnum):
    """The analyses of Eq. 1; see docs/xphemism.md."""

    paper = "paper"
    code = "code"
    clustered = "clustered"
    corrected = "corrected"


def xphemism(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT.csv", help="The coefficients.")],
    data: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Labels of the pairs: dataset.csv of PolBiX.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(metavar="JSON", help="Answers to them, laid out as sample_output.json.")
    ] = None,
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN",
            help="Instead of these: what lm_eval wrote with --log_samples for our tasks; may be repeated.",
        ),
    ] = None,
    mode: Annotated[ModeName, typer.Option(help="What is analysed, and how.")] = ModeName.corrected,
    defects: Annotated[
        str,
        typer.Option(
            metavar="auto|none|FILE",
            help="Defective pairs, left out in the sensitivity rows: those that the auditor finds in --data, "
            "none, or a file with an id a line.",
        ),
    ] = "auto",
    tables: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the other tables go; by default beside OUT.csv."),
    ] = None,
) -> None:
    """X-phemism pairs: do judgement and leaning of a word change what a model holds true?

    OUT.csv has the coefficients of the paper's Table 3, in the mode asked for: [bold]paper[/] as printed,
    [bold]code[/] as the published script, [bold]clustered[/] with errors over word pairs, [bold]corrected[/]
    one row per claim.

    In the mode corrected the other tables are written as OUT.NAME.csv (or DIR/NAME.csv): coefficients (with
    intervals, Firth's estimates and notes), leaning, penalty, outcomes, refusal_gaps, sensitivity, tests
    (adjusted for their number), figure5, figure6; problems if there are any. The other modes write
    coefficients, figure5 and figure6, and only if --tables is given.
    """
    from polbias.eval.xphemism.coefficients import COLUMNS
    from polbias.eval.xphemism.summary import xphemism_tables

    reading = _read(data, answers, samples or [])
    for path in (data, answers):
        if path is not None and path.resolve() == output.resolve():
            raise InputError(f"--output {output}: found one of the inputs, expected another file")
    defective = _defective(defects, data) if mode is ModeName.corrected else frozenset()
    found = xphemism_tables(reading.records, mode.value, defective)
    main = [{name: row[name] for name in COLUMNS} for row in found["coefficients"]]
    if reading.problems:
        found["problems"] = [
            {name: getattr(each, name) for name in ("file", "row", "found", "expected", "done")}
            for each in reading.problems
        ]
    if tables is not None or mode is ModeName.corrected:
        _write_tables(found, output, tables)
    write_text(output, _csv(main))
    _report(reading, found["coefficients"])
    typer.echo(f"wrote {output}")


def _read(data: Path | None, answers: Path | None, samples: Sequence[Path]) -> Reading:
    if samples and data is None and answers is None:
        reading = _read_samples(samples)
    elif data is not None and answers is not None and not samples:
        from polbias.eval.xphemism.published import read_published

        reading = read_published(data, answers)
    else:
        raise InputError("expected either --data with --answers, or --samples")
    if not reading.records.n:
        first = f"; first problem: {reading.problems[0]}" if reading.problems else ""
        raise InputError(f"{answers or samples[0]}: found no answered pair that can be used{first}")
    return reading


def _read_samples(paths: Sequence[Path]) -> Reading:
    """Read the runs of all models; the tasks of a model are taken together."""
    from polbias.eval.runs import Problem as Line
    from polbias.eval.runs import find_samples, read_samples
    from polbias.eval.xphemism.reading import Problem, Reading
    from polbias.eval.xphemism.records import Records
    from polbias.eval.xphemism.samples import paired, read_truth

    files = [file for file in find_samples(paths) if file.task.startswith(_TASK)]
    generated = [file for file in files if not file.task.endswith("_loglikelihood")]
    if not generated:
        raise InputError(
            f"{paths[0]}: found no samples of a task {_TASK}_... that generates; expected a run of one"
        )
    lines: list[Line] = []
    problems: list[Problem] = []
    rows: list[dict[str, Any]] = []
    for model in dict.fromkeys(file.model for file in generated):
        own = [read_samples(file.path, lines) for file in generated if file.model == model]
        rows += paired(chain.from_iterable(own), model, problems, read_truth)
    read = [
        Problem(str(each.path), f"line {each.line}", each.found, "a sample", "left out") for each in lines
    ]
    return Reading(Records.of(rows), (*read, *problems))


def _defective(choice: str, data: Path | None) -> Collection[str]:
    """The ids to leave out in the sensitivity rows."""
    if choice == "none" or (choice == "auto" and data is None):
        return frozenset()
    if choice == "auto" and data is not None:
        try:
            from polbias.generators.sources.polbix import defective_ids

            return defective_ids(data)
        except (ImportError, PolbiasError) as error:  # the analysis itself needs no auditor
            typer.secho(f"no sensitivity rows: the auditor gave up ({error})", err=True)
            return frozenset()
    try:
        lines = Path(choice).read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(
            f"--defects {choice}: cannot be read ({error.strerror}); expected auto, none or a file"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"--defects {choice}: not UTF-8; expected a text file with an id a line") from None
    return frozenset(line.strip() for line in lines if line.strip())


def _write_tables(
    found: Mapping[str, Sequence[Mapping[str, Any]]], output: Path, folder: Path | None
) -> None:
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--tables {folder}: cannot be made ({error.strerror})") from None
    for name, rows in found.items():
        path = output.with_name(f"{output.stem}.{name}.csv") if folder is None else folder / f"{name}.csv"
        if rows:
            write_text(path, _csv(rows))


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    return csv_text({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """Give numbers twelve digits, which is as far as machines agree."""
    if isinstance(value, float):
        return "NaN" if value != value else f"{value:.12g}"
    return value


def _report(reading: Reading, coefficients: Sequence[Mapping[str, Any]]) -> None:
    """Print the coefficients, what is missing among them, and what could not be read."""
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    for name in ("model", "prompt", "axis", "term", "coef", "se", "p", "n", "clusters"):
        shown.add_column(name, justify="right" if name in ("coef", "se", "p", "n", "clusters") else "left")
    for row in coefficients:
        numbers = ["-" if row[name] != row[name] else f"{row[name]:.4f}" for name in ("coef", "se", "p")]
        names = [str(row[name]) for name in ("model", "prompt", "axis", "term")]
        shown.add_row(*names, *numbers, f"{row['n']:,}", f"{row['clusters']:,}")
    Console(highlight=False).print(shown)
    for row in coefficients:
        if row["note"]:
            where = ", ".join(str(row[name]) for name in ("model", "prompt", "axis", "term"))
            typer.secho(f"{where}: {row['note']}", fg=typer.colors.YELLOW, err=True)
    for problem in reading.problems[:_SHOWN]:
        typer.secho(str(problem), fg=typer.colors.YELLOW, err=True)
    if len(reading.problems) > _SHOWN:
        typer.secho(f"and {len(reading.problems) - _SHOWN:,} more problems", err=True)
