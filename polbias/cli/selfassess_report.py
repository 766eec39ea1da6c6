"""What `polbias selfassess` shows: estimates, what became of articles and answers, Table 4."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from polbias.cli.outputs import write_text
from polbias.files import InputError, PolbiasError

if TYPE_CHECKING:
    from polbias.models import Price
    from polbias.running.selfassess.estimate import Estimate
    from polbias.running.selfassess.experiment import Experiment
    from polbias.running.stage import Report

ANALYSIS = "analysis"


def tell(lines: Iterable[str]) -> None:
    """Show lines on standard error, which is for what goes on."""
    for line in lines:
        typer.echo(line, err=True)


def accept(estimates: Sequence[Estimate], price: Price | None, yes: bool) -> None:
    """Show what is to be asked; where it costs money, ask whether to go on.

    Raises:
        PolbiasError: if it is not accepted.
    """
    tell(estimate.line(price) for estimate in estimates)
    requests = sum(estimate.requests for estimate in estimates)
    if price is None or yes or not requests:
        return
    if not sys.stdin.isatty():
        raise PolbiasError("nothing was sent: the cost must be accepted; run again with --yes")
    if not typer.confirm(f"Send {requests:,} requests?", err=True):
        raise PolbiasError("nothing was sent: the cost was not accepted")


def tell_articles(experiment: Experiment, report: Report | None = None) -> None:
    """Show what became of the articles."""
    if report:
        tell(f"articles: {line}" for line in report.lines())
    records = [record for _, record in experiment.articles()]
    outcomes = Counter(record["outcome"] for record in records)
    told = ", ".join(f"{outcomes[name]:,} {name}" for name in ("ok", "refusal", "truncated", "empty"))
    leaking = sum(bool(record["leak"]) for record in records)
    tell([f"articles: {told}; {leaking:,} name a perspective; in {experiment.articles_path}"])


def tell_choices(experiment: Experiment, report: Report) -> None:
    """Show what became of the questions."""
    tell(f"choices: {line}" for line in [*experiment.choices_report.lines(), *report.lines()])
    if experiment.too_long:
        tell(
            [
                f"choices: {experiment.too_long:,} articles have more than {experiment.plan.longest:,} "
                "characters and are left out; --max-characters takes longer ones"
            ]
        )
    outcomes = Counter(each["outcome"] for each in experiment.judged())
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items())) or "none"
    tell([f"judgements: {told}; in {experiment.judgements_path}", *experiment.manifest.notes])


def analyse(folder: Path, judgements: Sequence[Mapping[str, Any]]) -> None:
    """Write the tables and figures of a run below DIR/analysis and show the paper's Table 4.

    Args:
        folder: of the run.
        judgements: with their answers read anew; they are written there, too.
    """
    from polbias.cli.analyzing_selfassess import selfassess

    out = folder / ANALYSIS
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be made ({error.strerror})") from None
    lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in judgements)
    write_text(out / "judgements.jsonl", lines)
    selfassess([out / "judgements.jsonl"], out)
