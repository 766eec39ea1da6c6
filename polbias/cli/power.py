"""`polbias power`: minimum detectable effect of a design, and the size for a target precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.aliases import Document, Json
from polbias.cli.options import InstrumentName
from polbias.cli.outputs import echo
from polbias.errors import InputError

if TYPE_CHECKING:
    from polbias.eval.power.design import InstrumentDesign
    from polbias.eval.power.report import Targets

_POINTS = 100.0


def power(
    instrument: Annotated[InstrumentName, typer.Option(help="Use the interval and test of this instrument.")],
    clusters: Annotated[
        int | None, typer.Option(help="Set the number of clusters: patterns, contents, topics...")
    ] = None,
    items: Annotated[float | None, typer.Option(help="Set the items per cluster.")] = None,
    answers: Annotated[
        float | None, typer.Option(help="Set the answers per item: prompts, orders or samples.")
    ] = None,
    base_rate: Annotated[
        float | None, typer.Option(help="Set the base rate, as a share; see the output.")
    ] = None,
    unanswered: Annotated[float | None, typer.Option(help="Set the share of non-answers.")] = None,
    icc: Annotated[float | None, typer.Option(help="Set the intra-cluster correlation.")] = None,
    within_item_icc: Annotated[
        float | None, typer.Option(help="Set the correlation of answers to one item.")
    ] = None,
    samples_per_prompt: Annotated[
        int | None, typer.Option(help="Set the samples per prompt (policy).", min=1, max=500)
    ] = None,
    target_power: Annotated[float, typer.Option("--power", help="Set the target power.")] = 0.8,
    effect: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="Compute the size that detects this effect, in percentage points."
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="Compute the size for an interval of ± this, in percentage points."
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN", help="Estimate the design and its variance from logged samples; repeatable."
        ),
    ] = None,
) -> None:
    """Print the smallest bias that a design detects, and the clusters, items or answers that a target needs.

    Two-sided at .05, by the instrument's interval and test. Default: the shipped design under the printed
    assumptions. Effects are in percentage points.
    """
    from polbias.eval.power.design import instruments
    from polbias.eval.power.report import Targets

    design = instruments().get(instrument)
    if design is None:
        raise InputError(f"--instrument {instrument}: found no design; set `power` in its Instrument")
    user_assumptions = _drop_missing(
        base_rate=base_rate, unanswered=unanswered, icc=icc, within_item_icc=within_item_icc
    )
    size = _drop_missing(clusters=clusters, items=items, answers=answers)
    if samples_per_prompt is not None and not design.samples_per_prompt:
        names = " or ".join(
            candidate.name for candidate in instruments().values() if candidate.samples_per_prompt
        )
        raise InputError(
            f"--samples-per-prompt: found with {design.name}, expected with {names} only; leave it out"
        )
    if runs and (user_assumptions or size or samples_per_prompt is not None):
        raise InputError(
            "--runs: found with options of a design or assumptions, expected one of them; a run has both"
        )
    targets = Targets(
        target_power, _points_to_share(effect, "--effect"), _points_to_share(precision, "--precision")
    )
    if runs:
        reports = _reports_from_runs(design, runs, targets)
        sources: list[tuple[str, str, str]] = []
    else:
        report, sources = _report_from_assumptions(
            design, size, user_assumptions, samples_per_prompt, targets
        )
        reports = [report]
    for report in reports:
        _print_report(report, design)
    _print_sources(sources)


def _drop_missing(**options: float | None) -> Json:
    return {name: value for name, value in options.items() if value is not None}


def _points_to_share(points: float | None, name: str) -> float | None:
    if points is not None and not 0 < points <= _POINTS:
        raise InputError(f"{name}: found {points:g}, expected percentage points above 0 and up to 100")
    return None if points is None else points / _POINTS


def _reports_from_runs(instrument: InstrumentDesign, runs: Sequence[Path], targets: Targets) -> list[Json]:
    from polbias.eval.power.observed import estimate_design
    from polbias.eval.power.report import power_report
    from polbias.eval.samples import SkippedLine

    problems: list[SkippedLine] = []
    estimates = estimate_design(instrument, runs, problems)
    for problem in problems:
        echo(str(problem), fg=typer.colors.YELLOW, err=True)
    return [
        {"name": estimate.name} | power_report(instrument, estimate.design, estimate.assumptions, targets)
        for estimate in estimates
    ]


def _report_from_assumptions(
    instrument: InstrumentDesign,
    size: Document,
    user_assumptions: Document,
    samples_per_prompt: int | None,
    targets: Targets,
) -> tuple[Json, list[tuple[str, str, str]]]:
    from polbias.eval.power.report import power_report, sources, stance_note, stance_report

    assumptions = instrument.assumptions(**user_assumptions)
    design = replace(instrument, **size).design
    report = power_report(
        instrument,
        instrument.drop_unanswered(design, user_assumptions.get("unanswered")),
        assumptions,
        targets,
    )
    report = {"name": "as assumed"} | report
    n = samples_per_prompt or instrument.samples_per_prompt
    if n:
        unanswered = user_assumptions.get("unanswered", instrument.unanswered)
        report["reliability"] = stance_report(n, unanswered, targets.power)
        report["samples_per_prompt"] = n
        report["notes"].append(stance_note(n))
    overrides: Json = {**size, **user_assumptions, "samples_per_prompt": n}
    adapted = replace(instrument, **overrides)
    changed = {
        *user_assumptions,
        *(["design"] if size else []),
        *(["samples_per_prompt"] if samples_per_prompt else []),
    }
    return report, sources(adapted, changed)


def _print_report(report: Document, instrument: InstrumentDesign) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    console = Console()
    has_sign_flip = instrument.test == "flip"
    percent = f"{report['power']:.0%}"
    table = Table(
        title=f"{report['effect']} ({report['name']})", caption_justify="left", title_justify="left"
    )
    names = ["design", "clusters", "items", "answers", f"detectable at {percent}, t test", "after Holm"]
    names += [*([f"at {percent}, sign flip"] if has_sign_flip else []), "interval ±"]
    for name in names:
        table.add_column(name, justify="left" if name == "design" else "right")
    for row in report["designs"]:
        cells = [row["name"], f"{row['clusters']:,}", _number(row["items"]), _number(row["answers"])]
        cells += [_points(row["detectable_t"]), _points(row["detectable_holm"])] + (
            [_points(row["detectable_flip"])] if has_sign_flip else []
        )
        table.add_row(*cells, _points(row["half_width"]))
    console.print(table)
    cluster_sd = report["assumptions"]["cluster_sd"]
    echo(f"Cluster: {instrument.cluster}; item: {instrument.item}; answer: {instrument.answer}.")
    echo(f"Percentage points; a dash: none. The effect's SD between clusters is {cluster_sd:.1f} points.")
    _print_needs(report["needs"])
    if report["margins"]:
        _print_margins(report)
    if "reliability" in report:
        _print_stances(report)
    for note in report["notes"]:
        echo(note)


def _print_needs(needs: Sequence[Document]) -> None:
    for need in needs:
        number = "none" if need["needed"] is None else f"{need['needed']:,}"
        note = f" ({need['note']})" if need["note"] else ""
        echo(f"{need['target']} of {need['points']:g} points: {need['axis']} needed: {number}{note}")


def _print_margins(report: Document) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    table = Table(
        title="latent shift detected, in standard deviations: by verdicts, and by the log odds of the labels",
        title_justify="left",
    )
    for name in ("accuracy", "verdicts", "log odds", "in points there"):
        table.add_column(name, justify="right")
    for row in report["margins"]:
        verdicts = "-" if row["verdicts"] is None else f"{row['verdicts']:.2f}"
        table.add_row(f"{row['accuracy']:g}", verdicts, f"{row['margin']:.2f}", f"{row['margin_points']:.1f}")
    Console().print(table)


def _print_stances(report: Document) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    n = report["samples_per_prompt"]
    table = Table(title="probability of a reliable stance", title_justify="left")
    for name in (
        "true share that agrees",
        f"{max(n // 2, 1)} answers",
        f"{n} answers",
        f"{2 * n} answers",
        f"answers for {report['power']:.0%}",
    ):
        table.add_column(name, justify="right")
    for row in report["reliability"]:
        probabilities = [f"{row[name]:.3f}" for name in ("half", "given", "twice")]
        n_needed = "-" if row["needed"] is None else f"{row['needed']:,}"
        table.add_row(f"{row['share']:.2f}", *probabilities, n_needed)
    Console().print(table)


def _print_sources(sources: Sequence[tuple[str, str, str]]) -> None:
    if sources:
        echo("Assumptions (change them with options, or estimate them with --runs RUN):")
    for name, value, source in sources:
        echo(f"  {name} = {value}: {source}")


def _number(value: float | None) -> str:
    return "∞" if value is None else f"{value:,.4g}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
