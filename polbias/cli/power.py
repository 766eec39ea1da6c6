"""`polbias power`: what a design can detect, and what a wanted precision takes."""

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
    instrument: Annotated[InstrumentName, typer.Option(help="Whose interval and test.")],
    clusters: Annotated[int | None, typer.Option(help="Clusters: patterns, contents, topics...")] = None,
    items: Annotated[float | None, typer.Option(help="Items per cluster.")] = None,
    answers: Annotated[
        float | None, typer.Option(help="Answers per item: prompts, orders or samples.")
    ] = None,
    base_rate: Annotated[float | None, typer.Option(help="Base rate, as a share; see the output.")] = None,
    unanswered: Annotated[float | None, typer.Option(help="Share of refusals and the like.")] = None,
    icc: Annotated[float | None, typer.Option(help="Intra-cluster correlation.")] = None,
    within_item_icc: Annotated[float | None, typer.Option(help="Correlation of answers to one item.")] = None,
    samples_per_prompt: Annotated[
        int | None, typer.Option(help="Policy: answers sampled per prompt.", min=1, max=500)
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Wanted power.")] = 0.8,
    effect: Annotated[
        float | None, typer.Option(metavar="POINTS", help="How many does it take to detect this?")
    ] = None,
    precision: Annotated[
        float | None, typer.Option(metavar="POINTS", help="How many for an interval of ± this?")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN", help="Take the design and the spread from logged samples."),
    ] = None,
) -> None:
    """The smallest bias that a design detects, and how many clusters, items or answers a target takes.

    Two-sided at .05, as the instrument's own interval and test have it. Without further options: the shipped
    design under stated assumptions. Effects are in percentage points.
    """
    from polbias.eval.power.design import instruments
    from polbias.eval.power.report import Targets

    chosen = instruments().get(instrument)
    if chosen is None:
        raise InputError(f"--instrument {instrument}: found no design; give `power` in its Instrument")
    given = _given(base_rate=base_rate, unanswered=unanswered, icc=icc, within_item_icc=within_item_icc)
    size = _given(clusters=clusters, items=items, answers=answers)
    if samples_per_prompt is not None and not chosen.samples_per_prompt:
        able = " or ".join(each.name for each in instruments().values() if each.samples_per_prompt)
        raise InputError(
            f"--samples-per-prompt: found with {chosen.name}, expected with {able} only; leave it out"
        )
    if runs and (given or size or samples_per_prompt is not None):
        raise InputError(
            "--runs: found with a design or assumptions of your own, expected one of the two; a run has both"
        )
    targets = Targets(wanted, _share(effect, "--effect"), _share(precision, "--precision"))
    if runs:
        reports = _of_runs(chosen, runs, targets)
        told: list[tuple[str, str, str]] = []
    else:
        report, told = _of_assumptions(chosen, size, given, samples_per_prompt, targets)
        reports = [report]
    for report in reports:
        _show(report, chosen)
    _show_sources(told)


def _given(**options: float | None) -> Json:
    return {name: value for name, value in options.items() if value is not None}


def _share(points: float | None, name: str) -> float | None:
    if points is not None and not 0 < points <= _POINTS:
        raise InputError(f"{name}: found {points:g}, expected percentage points above 0 and up to 100")
    return None if points is None else points / _POINTS


def _of_runs(chosen: InstrumentDesign, runs: Sequence[Path], targets: Targets) -> list[Json]:
    from polbias.eval.power.observed import estimate_design
    from polbias.eval.power.report import power_report
    from polbias.eval.samples import SkippedLine

    problems: list[SkippedLine] = []
    found = estimate_design(chosen, runs, problems)
    for problem in problems:
        echo(str(problem), fg=typer.colors.YELLOW, err=True)
    return [
        {"name": each.name} | power_report(chosen, each.design, each.assumptions, targets) for each in found
    ]


def _of_assumptions(
    chosen: InstrumentDesign,
    size: Document,
    given: Document,
    samples_per_prompt: int | None,
    targets: Targets,
) -> tuple[Json, list[tuple[str, str, str]]]:
    from polbias.eval.power.report import power_report, sources, stance_note, stance_report

    assumed = chosen.assumptions(**given)
    asked = replace(chosen, **size).design
    report = power_report(chosen, chosen.drop_unanswered(asked, given.get("unanswered")), assumed, targets)
    report = {"name": "as assumed"} | report
    n = samples_per_prompt or chosen.samples_per_prompt
    if n:
        silent = given.get("unanswered", chosen.unanswered)
        report["reliability"] = stance_report(n, silent, targets.power)
        report["samples_per_prompt"] = n
        report["notes"].append(stance_note(n))
    new: Json = {**size, **given, "samples_per_prompt": n}
    told = replace(chosen, **new)
    changed = {*given, *(["design"] if size else []), *(["samples_per_prompt"] if samples_per_prompt else [])}
    return report, sources(told, changed)


def _show(report: Document, chosen: InstrumentDesign) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    console = Console()
    flips = chosen.test == "flip"
    percent = f"{report['power']:.0%}"
    shown = Table(
        title=f"{report['effect']} ({report['name']})", caption_justify="left", title_justify="left"
    )
    names = ["design", "clusters", "items", "answers", f"detectable at {percent}, t test", "after Holm"]
    names += [*([f"at {percent}, sign flip"] if flips else []), "interval ±"]
    for name in names:
        shown.add_column(name, justify="left" if name == "design" else "right")
    for row in report["designs"]:
        cells = [row["name"], f"{row['clusters']:,}", _number(row["items"]), _number(row["answers"])]
        cells += [_points(row["detectable_t"]), _points(row["detectable_holm"])] + (
            [_points(row["detectable_flip"])] if flips else []
        )
        shown.add_row(*cells, _points(row["half_width"]))
    console.print(shown)
    spread = report["assumptions"]["cluster_sd"]
    echo(f"Cluster: {chosen.cluster}; item: {chosen.item}; answer: {chosen.answer}.")
    echo(f"Percentage points; a dash: none. The effect varies by {spread:.1f} points between clusters.")
    _show_needs(report["needs"])
    if report["margins"]:
        _show_margins(report)
    if "reliability" in report:
        _show_stances(report)
    for note in report["notes"]:
        echo(note)


def _show_needs(needs: Sequence[Document]) -> None:
    for each in needs:
        number = "none" if each["needed"] is None else f"{each['needed']:,}"
        note = f" ({each['note']})" if each["note"] else ""
        echo(f"{each['target']} of {each['points']:g} points: {each['axis']} needed: {number}{note}")


def _show_margins(report: Document) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    shown = Table(
        title="latent shift detected, in standard deviations: by verdicts, and by the log odds of the labels",
        title_justify="left",
    )
    for name in ("accuracy", "verdicts", "log odds", "in points there"):
        shown.add_column(name, justify="right")
    for row in report["margins"]:
        verdicts = "-" if row["verdicts"] is None else f"{row['verdicts']:.2f}"
        shown.add_row(f"{row['accuracy']:g}", verdicts, f"{row['margin']:.2f}", f"{row['margin_points']:.1f}")
    Console().print(shown)


def _show_stances(report: Document) -> None:
    from rich.table import Table

    from polbias.terminal import Console

    n = report["samples_per_prompt"]
    shown = Table(title="probability of a reliable stance", title_justify="left")
    for name in (
        "true share that agrees",
        f"{max(n // 2, 1)} answers",
        f"{n} answers",
        f"{2 * n} answers",
        f"answers for {report['power']:.0%}",
    ):
        shown.add_column(name, justify="right")
    for row in report["reliability"]:
        chances = [f"{row[name]:.3f}" for name in ("half", "given", "twice")]
        needed = "-" if row["needed"] is None else f"{row['needed']:,}"
        shown.add_row(f"{row['share']:.2f}", *chances, needed)
    Console().print(shown)


def _show_sources(told: Sequence[tuple[str, str, str]]) -> None:
    if told:
        echo("Assumptions (change them with options, or estimate them with --runs RUN):")
    for what, value, source in told:
        echo(f"  {what} = {value}: {source}")


def _number(value: float | None) -> str:
    return "∞" if value is None else f"{value:,.4g}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
