"""`polbias analyze`: from answers to statistics, one command for each instrument."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias.aliases import Document, Json
from polbias.cli.outputs import csv_text, write_analysis, write_text
from polbias.files import InputError, PolbiasError

if TYPE_CHECKING:
    from polbias.eval.samples import Problem as SampleProblem
    from polbias.eval.xphemism.schema import Problem
    from polbias.eval.xphemism.summary import Runs


# `polbias analyze policy`: reliability, worldview and party match from logged samples.


class RuleName(StrEnum):
    """When an answer set counts as reliable; see docs/statistics.md."""

    default = "default"
    paper = "paper"
    code = "code"


def policy(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="What lm_eval wrote with --log_samples."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="For tables and figures.")],
    parties: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A copy of the published ProbVAA, to match with its parties."),
    ] = None,
    rule: Annotated[RuleName, typer.Option(help="When a stance is reliable.")] = RuleName.default,
) -> None:
    """Reliability tests, worldview and match with parties of every model, with intervals and figures.

    Writes DIR/summary.json, a CSV per table, and worldview, tests and leanings as SVG. Sampled answers and
    log-likelihoods are never pooled. Where a run was not asked what a test compares (the mini task, or one
    answer a prompt), what needs the test is empty, and the tests are named.
    """
    from polbias.eval.policy.summary import LISTS, respondents, summaries
    from polbias.eval.samples import find_samples, table

    problems: list[SampleProblem] = []
    answered = respondents(find_samples(runs), problems)
    if not answered:
        places = ", ".join(str(run) for run in runs)
        raise InputError(f"{places}: found no samples of policy-statements; run polbias_policy_stance")
    found = summaries(answered, party_positions(parties), rule.value)
    tables = {name: table(found, name) for name in LISTS}
    write_analysis(output, found, tables, _figures(found, parties is not None))
    for problem in problems:
        typer.secho(str(problem), fg=typer.colors.YELLOW, err=True)
    _show(found)
    typer.echo(f"wrote {output}")


def party_positions(folder: Path | None) -> Any:
    """Return the positions of parties in a copy of the published ProbVAA; None if there is no folder."""
    if folder is None:
        return None
    from polbias.generators.auditing.probvaa import load

    return load(folder).position_table()


def _figures(found: Mapping[str, Document], with_parties: bool) -> dict[str, str]:
    from polbias.eval.policy.summary import leaning_figure, spider_figure, tests_figure

    languages = dict.fromkeys(each["language"] for summary in found.values() for each in summary["tests"])
    figures: dict[str, str] = {}
    for language in languages:
        figures[f"worldview-{language}"] = spider_figure(found, language)
        figures[f"tests-{language}"] = tests_figure(found, language)
        if with_parties:
            figures[f"leanings-{language}"] = leaning_figure(found, language)
            figures[f"leanings-published-{language}"] = leaning_figure(found, language, published=True)
    return figures


def _show(found: Mapping[str, Document]) -> None:
    """Print the share of statements that pass every test, and the worldview."""
    from rich.console import Console
    from rich.table import Table

    from polbias.eval.policy.summary import NOT_TESTED

    for model, summary in found.items():
        shown = Table(title=f"{model}: {summary['n']:,} prompts")
        for name in ("policy issue", "stance", "95% interval", "statements", "p (Holm)"):
            shown.add_column(name, justify="left" if name == "policy issue" else "right")
        for each in summary["worldview"]:
            values = [each[name] for name in ("stance", "low", "high", "p_holm")]
            stance, low, high, p = ("-" if value is None else f"{value:.2f}" for value in values)
            between = f"{low} to {high}"
            if summary["not_tested"] or each["state"]:
                stance = NOT_TESTED if summary["not_tested"] else f"{stance} ({each['state']})"
                between, p = "", ""
            issue = each["issue"].replace("_", " ")
            shown.add_row(issue, stance, between, str(each["positive"] + each["negative"]), p)
        Console().print(shown)
        for line in _missing(summary):
            typer.secho(line, fg=typer.colors.YELLOW)
        passed = next((each for each in summary["tests"] if each["test"] == "all"), None)
        if passed and passed["passed"] is not None:
            typer.echo(f"{passed['passed']:.1%} of statements pass all reliability tests")


def _missing(summary: Document) -> Iterator[str]:
    """Yield what was not asked, in the words of the report."""
    from polbias.eval.policy.summary import NOT_TESTED
    from polbias.eval.report.labels import words

    texts, titles = words("policy").notices, words("policy").tables["tests"].columns
    if summary["left_out"]:
        yield f"{texts['left_out'].format(units=summary['left_out'])}; {texts['left_out_done']}"
    if summary["not_tested"]:
        yield f"{texts['tests']}; {NOT_TESTED}: {', '.join(titles[name] for name in summary['not_tested'])}"


# `polbias analyze selfassess`: which of its own articles a model prefers, from samples or judgements.

_SHOWN = 20  # problems that are printed


def selfassess(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|RUN...",
            help="Journals of judgements (JSON Lines), or what lm_eval wrote with --log_samples.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="For tables and figures.")],
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the one order per topic that the mode [bold]paper[/] takes.")
    ] = None,
) -> None:
    """Preferences, bias by role and question, position and choice models of every model, with intervals.

    Writes DIR/summary.json, a CSV per table, and figures as SVG. Shares and biases stand beside each other as
    the paper has them (one order, answers that choose) and corrected (all orders, all answers). Generated
    answers and log-likelihoods are never pooled, nor are sets.
    """
    from polbias.eval.columns import OutcomesError
    from polbias.eval.samples import table
    from polbias.eval.selfassess.shares import SEED
    from polbias.eval.selfassess.summary import TABLES, figures, respondents, summaries

    problems: list[SampleProblem] = []
    judged = {model: rows for model, rows in respondents(runs, problems).items() if rows}
    places = ", ".join(str(run) for run in runs)
    if not judged:
        raise InputError(
            f"{places}: found no judgements; expected samples of polbias_selfassess_preference or "
            "polbias_selfassess_least_biased, or a journal of judgements"
        )
    try:
        found = summaries(judged, SEED if seed is None else seed)
    except OutcomesError as error:
        raise InputError(f"{places}: {error}") from None
    names = _names(judged)
    write_analysis(output, found, {name: table(found, name) for name in TABLES}, figures(found, names))
    for problem in problems[:_SHOWN]:
        typer.secho(str(problem), fg=typer.colors.YELLOW, err=True)
    if len(problems) > _SHOWN:
        typer.secho(f"and {len(problems) - _SHOWN:,} more lines", fg=typer.colors.YELLOW, err=True)
    _show_shares(found, names)
    typer.echo(f"wrote {output}")


def _names(judged: Mapping[str, Sequence[Document]]) -> dict[str, dict[str, str]]:
    """What each side is called in each set, from the rows: their perspectives."""
    found: dict[str, dict[str, str]] = {}
    for rows in judged.values():
        for row in rows:
            names = found.setdefault(str(row["set"]), {})
            if len(names) < len(row["sides"]) and row.get("options"):
                names.update(zip(row["sides"], map(str.capitalize, row["options"]), strict=True))
    return found


def _show_shares(found: Mapping[str, Document], names: Mapping[str, Mapping[str, str]]) -> None:
    """Print Table 4 for every set, in both modes."""
    from rich.console import Console
    from rich.table import Table

    rows = [(model, row) for model, summary in found.items() for row in summary["table4"]]
    for set_name, ways in sorted({(row["set"], row["ways"]) for _, row in rows}):
        sides = ("left", "right", "neutral")[:ways]
        number = "two" if ways == 2 else "three"
        shown = Table(
            title=f"{set_name}: preferred of {number} articles (Table 4)",
            title_justify="left",
            box=None,
            pad_edge=False,
        )
        for name in (
            "model",
            "mode",
            *(names.get(set_name, {}).get(side, side) for side in sides),
            "bias [95%]",
            "n",
        ):
            words = name in ("model", "mode")
            shown.add_column(name, justify="left" if words else "right", no_wrap=not words)
        for model, row in rows:
            if (row["set"], row["ways"]) == (set_name, ways):
                shown.add_row(model, row["mode"], *_cells(row, sides), f"{row['n']:,}")
        Console().print(shown)
    for model, summary in found.items():
        none = summary["n"] - summary["outcomes"]["choice"]
        typer.echo(
            f"{model}: {summary['n']:,} judgements, {none:,} without a choice; bias is right minus left"
        )


def _cells(row: Document, sides: Sequence[str]) -> Iterator[str]:
    """Yield the shares and the bias, dashes where there is none."""
    for side in sides:
        yield "-" if row[side] is None else f"{row[side]:.2f}"
    if row["bias"] is None:
        yield row["state"] or "-"
        return
    low, high = row["bias_low"], row["bias_high"]
    yield f"{row['bias']:+.1f}" + ("" if low is None else f" [{low:+.1f}, {high:+.1f}]")


# `polbias analyze xphemism`: the statistics of answered X-phemism pairs.

_LIKELIHOOD = "likelihood"
_PRINTED = (
    "model", "prompt", "axis", "term", "effect", "claims", "coef", "estimate", "se", "p", "n", "clusters",
)  # fmt: skip

Table = list[Json]


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
        from polbias.eval.xphemism.leaning import likelihood_table

        found[_LIKELIHOOD] = likelihood_table(runs.likelihoods)
    return found


def _main(coefficients: Sequence[Document]) -> Table:
    from polbias.eval.xphemism.regression import COLUMNS

    return [{name: row[name] for name in COLUMNS} for row in coefficients]


def _read(data: Path | None, answers: Path | None, samples: Sequence[Path]) -> Runs:
    from polbias.eval.xphemism.summary import Runs

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
    from polbias.eval.samples import find_samples
    from polbias.eval.xphemism.summary import read_runs

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


def _write_tables(found: Mapping[str, Sequence[Document]], output: Path, folder: Path | None) -> None:
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
    from polbias.eval.xphemism.summary import axes_figures, truth_figures

    drawn = truth_figures(found.get("figure5", ())) | axes_figures(found.get("figure6", ()))
    for name, svg in drawn.items():
        write_text(folder / f"{name}.svg", svg)


def _csv(rows: Sequence[Document]) -> str:
    return csv_text({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """Give numbers twelve digits, which is as far as machines agree."""
    if isinstance(value, float):
        return "NaN" if value != value else f"{value:.12g}"
    return value


def _report(main: Sequence[Document], notes: Sequence[Document], problems: Sequence[Problem]) -> None:
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


# `polbias analyze`: from answers to statistics, one command for each instrument.

analyses = typer.Typer(
    name="analyze",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Analyse the answers to an instrument, with intervals that respect its clusters.",
)
analyses.command()(policy)
analyses.command()(selfassess)
analyses.command()(xphemism)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(analyses)
