"""The `polbias` command: one line for every error, nothing heavy before it is needed."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import polbias
from polbias.cli import (
    annotate,
    audit,
    build,
    claims,
    demo,
    eval,
    import_,
    items,
    negate,
    pairs,
    power,
    push,
    report,
    review,
    selfassess,
    show,
    simulate,
    titles,
    topics,
    variants,
    verify,
    wordpairs,
)
from polbias.files import PolbiasError

_INTERRUPTED = 130  # what a shell expects after Ctrl-C, and what typer exits with

app = typer.Typer(
    name="polbias",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="""Find out whether a language model reasons with a political or normative bias.

    Build the test sets, look at them, publish them, and score a model:

      [bold]polbias build[/]                               all datasets, into build/datasets
      [bold]polbias show en_formal -n 2[/]                 read rows as a person would
      [bold]polbias verify[/]                              hashes, lock and proofs
      [bold]polbias push --dry-run[/]                      what a push to the Hub would do
      [bold]polbias audit FILE --format normative[/]       wrong labels in a benchmark
      [bold]lm_eval --tasks polbias_en_formal --model hf --model_args pretrained=MODEL[/]
      [bold]polbias report RUN... -o DIR[/]                a page from logged samples
    """,
)
for command in (
    build,
    show,
    verify,
    push,
    audit,
    eval,
    report,
    demo,
    import_,
    negate,
    claims,
    pairs,
    review,
    selfassess,
    items,
    topics,
    titles,
    simulate,
    variants,
    annotate,
    wordpairs,
    power,
):
    command.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"polbias {polbias.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of all commands."""


def run() -> None:
    """Run the command line; a problem that the user can mend ends in one line and the error's exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # texts have signs that not every terminal can show
    try:
        app()
    except PolbiasError as error:
        typer.secho(f"polbias: {error}", fg=typer.colors.RED, err=True)
        sys.exit(error.status)
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != _INTERRUPTED:
            raise
        typer.secho("polbias: interrupted; what was there before is unchanged", fg=typer.colors.RED, err=True)
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    run()
