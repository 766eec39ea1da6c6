"""`polbias analyze policy`: reliability, worldview and party match from logged samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from polbias.cli.outputs import write_analysis
from polbias.files import InputError


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
    from polbias.eval.policy.runs import LISTS, respondents, summaries
    from polbias.eval.runs import Problem, find_samples, table

    problems: list[Problem] = []
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


def _figures(found: Mapping[str, Mapping[str, Any]], with_parties: bool) -> dict[str, str]:
    from polbias.eval.policy.figures import leaning_figure, spider_figure, tests_figure

    languages = dict.fromkeys(each["language"] for summary in found.values() for each in summary["tests"])
    figures: dict[str, str] = {}
    for language in languages:
        figures[f"worldview-{language}"] = spider_figure(found, language)
        figures[f"tests-{language}"] = tests_figure(found, language)
        if with_parties:
            figures[f"leanings-{language}"] = leaning_figure(found, language)
            figures[f"leanings-published-{language}"] = leaning_figure(found, language, published=True)
    return figures


def _show(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the share of statements that pass every test, and the worldview."""
    from rich.console import Console
    from rich.table import Table

    from polbias.eval.policy.figures import NOT_TESTED

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


def _missing(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was not asked, in the words of the report."""
    from polbias.eval.policy.figures import NOT_TESTED
    from polbias.eval.report.words import words

    texts, titles = words("policy").notices, words("policy").tables["tests"].columns
    if summary["left_out"]:
        yield f"{texts['left_out'].format(units=summary['left_out'])}; {texts['left_out_done']}"
    if summary["not_tested"]:
        yield f"{texts['tests']}; {NOT_TESTED}: {', '.join(titles[name] for name in summary['not_tested'])}"
