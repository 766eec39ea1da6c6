"""The `polbias` command: one line per error, lazy imports of heavy packages."""

from __future__ import annotations

import gc
import inspect
import io
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

import polbias
from polbias.cli import (
    annotate,
    audit,
    build,
    check_items,
    claims,
    compare,
    demo,
    eval,
    imports,
    morphology,
    negate,
    pairs,
    power,
    prompts,
    push,
    report,
    review,
    score,
    selfassess,
    show,
    simulate,
    topics,
    variants,
    verify,
)
from polbias.cli.outputs import echo
from polbias.errors import PolbiasError
from polbias.optional import missing_package_error
from polbias.safe_text import SafeRecords, register_environment, safe_traceback

_INTERRUPTED = 130  # exit status of shells and of typer after Ctrl-C

_HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="polbias",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=_HELP,
    help="""Measure whether a language model reasons with a political or normative bias.

    First steps:

      [bold]polbias eval --list[/]                 the tasks
      [bold]polbias eval --model hf --model_args pretrained=MODEL \\
        --tasks polbias_en_formal_mini[/]  scores, and a report
      [bold]polbias report RUN... -o DIR[/]        one page from logged samples
      [bold]polbias build[/]                       all datasets, into build/datasets
      [bold]polbias show en_formal -n 2[/]         print rows in readable form
    """,
)
author = typer.Typer(
    name="author",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Write and check items: statements, claims, words and topics.",
)

Command = typer.Typer | Callable[..., object]
_PANELS: Mapping[str, Mapping[str, Command]] = {
    "Use": {
        "eval": eval.evaluate,
        "prompts": prompts.prompts,
        "score": score.score,
        "report": report.report,
        "compare": compare.compare,
        "selfassess": selfassess.commands,
        "demo": demo.demo,
        "simulate": simulate.simulations,
        "power": power.power,
    },
    "Build data": {"build": build.build, "list": show.list_, "show": show.show},
    "Write and check items": {"author": author},
    "Audit other benchmarks": {"audit": audit.audit},
    "Maintain": {"verify": verify.verify, "lock": verify.lock, "push": push.push},
}
_AUTHORING: Mapping[str, Command] = {
    "negate": negate.negate,
    "variants": variants.variants,
    "review": review.review,
    "claims": claims.claims,
    "pairs": pairs.pairs,
    "morphology": morphology.morphology,
    "annotate": annotate.app,
    "topics": topics.app,
    "check-items": check_items.check_items,
    "import": imports.app,
}


def _unwrap_paragraphs(text: str) -> str:
    """Return a help text with unwrapped paragraphs; indented lines (examples) are unchanged."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", inspect.cleandoc(text))


def _unwrap_help(commands: typer.Typer) -> typer.Typer:
    for command in commands.registered_commands:
        command.help = _unwrap_paragraphs(command.help or getattr(command.callback, "__doc__", None) or "")
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _unwrap_help(group.typer_instance)
    commands.info.help = _unwrap_paragraphs(str(commands.info.help))
    return commands


def _add(parent: typer.Typer, commands: Mapping[str, Command], panel: str | None = None) -> None:
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            parent.add_typer(command, name=name, rich_help_panel=panel)
        else:
            settings = eval.PASS_UNKNOWN_OPTIONS if command is eval.evaluate else None
            parent.command(name, rich_help_panel=panel, context_settings=settings)(command)


_add(author, _AUTHORING)
for _panel, _commands in _PANELS.items():
    _add(app, _commands, _panel)
_unwrap_help(app)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        echo(f"polbias {polbias.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Options of all commands."""
    register_environment(os.environ)


def run() -> None:
    """Run the command line; print a PolbiasError in one line and exit with its status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every terminal can encode all characters
    gc.set_threshold(50_000, 20, 20)  # rows are many objects without reference cycles
    logging.setLogRecordFactory(SafeRecords(logging.getLogRecordFactory()))
    try:
        app()
    except (KeyboardInterrupt, SystemExit) as exit_signal:
        if isinstance(exit_signal, SystemExit) and exit_signal.code != _INTERRUPTED:
            raise
        echo("polbias: interrupted; existing files are unchanged", fg=typer.colors.RED, err=True)
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except MemoryError:
        echo("polbias: not enough memory for the input; split it", fg=typer.colors.RED, err=True)
        sys.exit(1)
    except Exception as error:
        problem = missing_package_error(error) if isinstance(error, ModuleNotFoundError) else error
        if isinstance(problem, PolbiasError):
            echo(f"polbias: {problem}", fg=typer.colors.RED, err=True)
            sys.exit(problem.status)
        echo(safe_traceback(error), err=True)
        sys.exit(1)


if __name__ == "__main__":
    run()
