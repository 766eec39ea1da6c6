"""`polbias analyze xphemism`: the statistics of answered X-phemism pairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.cli.outputs import csv_text, write_text
from polbias.files import InputError, PolbiasError

if TYPE_CHECKING:
    from polbias.eval.xphemism.reading import Problem
    from polbias.eval.xphemism.runs import Runs

_SHOWN = 20  # problems that are printed; all are in the table `problems`
_LIKELIHOOD = "likelihood"
_PRINTED = (
    "model", "prompt", "axis", "term", "effect", "claims", "coef", "estimate", "se", "p", "n", "clusters",
)  # fmt: skip

Table = list[dict[str, Any]]


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
    coefficients, figure5 and figure6, and only if --tables is given. With --tables the figures are drawn as
    SVG.

    Samples of log-likelihood tasks become the table likelihood: penalty, leaning and judgment by the share of
    "true" in the probability of both labels, never pooled with answers. Where there are no others, OUT.csv is
    that table.
    """
    runs = _read(data, answers, samples or [])
    for path in (data, answers):
        if path is not None and path.resolve() == output.resolve():
            raise InputError(f"--output {output}: found one of the inputs, expected another file")
    found = _analysed(runs, mode, defects, data)
    main = found[_LIKELIHOOD] if runs.answers is None else _main(found["coefficients"])
    if runs.problems:
        found["problems"] = [
            {name: getattr(each, name) for name in ("file", "row", "found", "expected", "done")}
            for each in runs.problems
        ]
    if tables is not None or mode is ModeName.corrected:
        _write_tables(found, output, tables)
    if tables is not None:
        _write_figures(found, tables)
    write_text(output, _csv(main))
    _report(main, found.get("coefficients", ()), runs.problems)
    typer.echo(f"wrote {output}")


def _analysed(runs: Runs, mode: ModeName, defects: str, data: Path | None) -> dict[str, Table]:
    """All tables of generated answers and of log-likelihoods, whichever there are."""
    found: dict[str, Table] = {}
    if runs.answers is not None:
        from polbias.eval.xphemism.summary import xphemism_tables

        defective = _defective(defects, data) if mode is ModeName.corrected else frozenset()
        found = xphemism_tables(runs.answers.records, mode.value, defective)
    if runs.likelihoods:
        from polbias.eval.xphemism.likelihoods import likelihood_table

        found[_LIKELIHOOD] = likelihood_table(runs.likelihoods)
    return found


def _main(coefficients: Sequence[Mapping[str, Any]]) -> Table:
    from polbias.eval.xphemism.coefficients import COLUMNS

    return [{name: row[name] for name in COLUMNS} for row in coefficients]


def _read(data: Path | None, answers: Path | None, samples: Sequence[Path]) -> Runs:
    from polbias.eval.xphemism.runs import Runs

    if samples and data is None and answers is None:
        found = _runs(samples)
    elif data is not None and answers is not None and not samples:
        from polbias.eval.xphemism.published import read_published

        reading = read_published(data, answers)
        found = Runs(reading, [], reading.problems)
    else:
        raise InputError("expected either --data with --answers, or --samples")
    if found.answers is not None and not found.answers.records.n and not found.likelihoods:
        first = f"; first problem: {found.problems[0]}" if found.problems else ""
        raise InputError(f"{answers or samples[0]}: found no answered pair that can be used{first}")
    return found


def _runs(paths: Sequence[Path]) -> Runs:
    """Read the runs of all models: generated answers and log-likelihoods."""
    from polbias.eval.runs import find_samples
    from polbias.eval.xphemism.runs import read_runs

    found = read_runs(find_samples(paths))
    if found.answers is None and not found.likelihoods:
        first = f"; first problem: {found.problems[0]}" if found.problems else ""
        raise InputError(f"{paths[0]}: found no samples of X-phemism pairs that can be used{first}")
    return found


def _defective(choice: str, data: Path | None) -> Collection[str]:
    """The ids to leave out in the sensitivity rows."""
    if choice == "none" or (choice == "auto" and data is None):
        return frozenset()
    if choice == "auto" and data is not None:
        try:
            from polbias.generators.auditing.polbix import defective_ids

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


def _write_figures(found: Mapping[str, Table], folder: Path) -> None:
    from polbias.eval.xphemism.svg import axes_figures, truth_figures

    drawn = truth_figures(found.get("figure5", ())) | axes_figures(found.get("figure6", ()))
    for name, svg in drawn.items():
        write_text(folder / f"{name}.svg", svg)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    return csv_text({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """Give numbers twelve digits, which is as far as machines agree."""
    if isinstance(value, float):
        return "NaN" if value != value else f"{value:.12g}"
    return value


def _report(
    main: Sequence[Mapping[str, Any]], notes: Sequence[Mapping[str, Any]], problems: Sequence[Problem]
) -> None:
    """Print the main table, what is missing among the coefficients, and what could not be read."""
    from rich.console import Console
    from rich.table import Table as Shown

    shown = Shown(box=None, pad_edge=False)
    names = [name for name in _PRINTED if main and name in main[0]]
    for name in names:
        shown.add_column(name, justify="left" if isinstance(main[0][name], str) else "right", overflow="fold")
    for row in main:
        shown.add_row(*(_printed(row[name]) for name in names))
    Console(highlight=False).print(shown)
    for row in notes:
        if row["note"]:
            where = ", ".join(str(row[name]) for name in ("model", "prompt", "axis", "term"))
            typer.secho(f"{where}: {row['note']}", fg=typer.colors.YELLOW, err=True)
    for problem in problems[:_SHOWN]:
        typer.secho(str(problem), fg=typer.colors.YELLOW, err=True)
    if len(problems) > _SHOWN:
        typer.secho(f"and {len(problems) - _SHOWN:,} more problems", err=True)


def _printed(value: Any) -> str:
    if isinstance(value, float):
        return "-" if value != value else f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
