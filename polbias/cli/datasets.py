"""Commands on datasets: build, list, show, verify, lock, push."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Datasets, such as partisan-inference; all if none."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Folder of builds; $POLBIAS_DATA_DIR or build/datasets if not given.", file_okay=False
    ),
]
Templates = Annotated[
    Path | None,
    typer.Option(
        "--templates",
        help="Template folder of your own for one dataset, e.g. a copy of templates/partisan.",
        file_okay=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for command in (build, list_, show, verify, lock, push):
        app.command(command.__name__.rstrip("_"))(command)


def build(
    names: Names = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            help="Folder of builds; $POLBIAS_DATA_DIR or build/datasets if not given. Or s3://, hf://",
        ),
    ] = None,
    templates: Templates = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="How many rows, drawn evenly.")] = None,
    shards: Annotated[int | None, typer.Option("--shards", min=1, help="Cut the rows into so many.")] = None,
    executor: Annotated[
        str | None, typer.Option("--executor", help="inprocess, local, slurm or ray.", show_default=False)
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Shards made at a time.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Draw rows that the published dataset does not hold.")
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="For the executor, such as partition=cpu."),
    ] = None,
    logs: Annotated[
        Path | None, typer.Option("--logs", help="Folder of the executor's logs.", file_okay=False)
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say rows, shards, bytes, time and cost; build nothing.")
    ] = False,
    price: Annotated[
        float | None, typer.Option("--price", min=0, help="Of a worker for an hour, for --plan.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="For --plan: measure here, which takes some seconds.")
    ] = False,
) -> None:
    """Build datasets from the templates: Parquet, card and manifest, ready to load or to push.

    What is already built and unchanged is skipped. A build that is interrupted leaves the previous one as
    it was.

    A large dataset can be built in any size, in shards, here or on a cluster: the options from --rows on
    are for one such dataset. The same command again makes the shards that are missing or damaged.
    """
    from polbias.cli.build import build_with_progress

    scaled = (rows, shards, executor, workers, option, logs, price, fresh or None, plan or None)
    if all(given is None for given in scaled) and "://" not in (out or ""):
        build_with_progress(names or [], Path(out) if out else None, templates)
        return
    from polbias.cli.build_scaled import Scale, build_scaled, one_name, print_plan

    scale = Scale(
        rows,
        fresh,
        shards,
        executor or ("local" if workers else "inprocess"),
        workers or 1,
        option or (),
        logs,
    )
    if plan:
        print_plan(one_name(names), scale, out, templates, price, measure)
    else:
        build_scaled(one_name(names), scale, out, templates)


def list_(out: Out = None) -> None:
    """List datasets, configs and rows: what is published (datasets.lock) and what is built here."""
    from polbias.cli.show import print_list

    print_list(out)


def show(
    config: Annotated[str, typer.Argument(help="A config, such as en_formal, or DATASET/CONFIG.")],
    rows: Annotated[int, typer.Option("-n", "--rows", min=1, help="How many rows.")] = 2,
    start: Annotated[int, typer.Option("--start", min=0, help="First row, from 0.")] = 0,
    split: Annotated[str, typer.Option("--split", help="test or fewshot.")] = "test",
    out: Out = None,
) -> None:
    """Show rows of a config as a person reads them: argument, gold and how it is known, pair, errata."""
    from polbias.cli.show import print_rows

    print_rows(config, rows, start, split, out)


def verify(names: Names = None, out: Out = None, templates: Templates = None) -> None:
    """Check builds: file hashes, content against datasets.lock, and the proof of every formal gold label.

    Every formal sentence is read back to its formula, and the verdict on that is compared with the gold; how
    many of how many is printed. All that are published are; in a build of your own with more than 20,000
    formal rows in a config of partisan-inference-xl, the forms of all rows are proved, and 20,000 sentences
    drawn from a seed are read.
    """
    from polbias.cli.verify import verify_builds

    verify_builds(names or [], out, templates)


def lock(names: Names = None, out: Out = None) -> None:
    """Write the builds' versions, rows and content hashes to datasets.lock.

    Content that differs from what is locked under the same version is refused: raise the version first.
    """
    from polbias.cli.verify import lock_builds

    lock_builds(names or [], out)


def push(
    names: Names = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would happen; change nothing.")
    ] = False,
    out: Out = None,
) -> None:
    """Publish builds on the Hugging Face Hub: one commit and a version tag each, nothing if nothing changed.

    The namespace is $POLBIAS_NAMESPACE, else the user whose token is used (`hf auth login` or HF_TOKEN).
    """
    from polbias.cli.push import push_builds

    push_builds(names or [], out, dry_run)
