"""`polbias build`: build datasets; print progress, counts, hashes and time."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polbias import registry
from polbias.cli.options import DatasetTemplates, Names
from polbias.errors import BuildError, InputError, PolbiasError
from polbias.paths import build_root

if TYPE_CHECKING:
    from polbias.generators.engine import BuildResult, TableSpec
    from polbias.manifest import SplitEntry
    from polbias.terminal import Console


def build(
    names: Names = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="Write to this folder, s3:// or hf://; default: $POLBIAS_DATA_DIR or build/datasets.",
        ),
    ] = None,
    templates: DatasetTemplates = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="Draw this many rows, evenly.")] = None,
    shards: Annotated[
        int | None, typer.Option("--shards", min=1, help="Split the rows into this many shards.")
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            "--executor",
            help="Use inprocess, local, slurm or ray; default: inprocess, with --workers local.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Build this many shards at a time.")
    ] = None,
    unpublished: Annotated[
        bool, typer.Option("--unpublished", help="Draw rows that are not in the published dataset.")
    ] = False,
    fresh: Annotated[
        str | None,
        typer.Option(
            "--fresh",
            metavar="SEED",
            help="Draw other items by this seed into -o (partisan-inference-ladder; about half an hour).",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="Pass an option to the executor, e.g. partition=cpu; repeatable.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print rows, shards and bytes, and exit; builds nothing.")
    ] = False,
) -> None:
    """Build datasets from the templates: Parquet, card and manifest, ready to load or to push.

    Unchanged builds are skipped. An interrupted build leaves the previous one unchanged.

    --rows and the options after it build one large dataset in any size, in shards, here or on a cluster.
    The same command again builds missing and damaged shards.
    """
    scaled = (rows, shards, executor, workers, option, unpublished or None, plan or None)
    if fresh is not None:
        _build_fresh(names or [], out, templates, fresh, scaled)
        return
    if all(value is None for value in scaled) and "://" not in (out or ""):
        build_with_progress(names or [], Path(out) if out else None, templates)
        return
    from rich.filesize import decimal

    from polbias.cli.build_scaled import builds_address, log_folder, parse_executor_options, track_progress
    from polbias.scaling.build import build_at_scale
    from polbias.scaling.executors import EXECUTORS, Resources
    from polbias.scaling.run import plan_run, require_scalable
    from polbias.terminal import Console

    console = Console()
    started = time.perf_counter()
    if not names or len(names) != 1:
        raise InputError(
            f"found {len(names or ())} dataset names, expected one for a build at scale, such as "
            "partisan-inference-xl"
        )
    executor = executor or ("local" if workers else "inprocess")
    if executor not in EXECUTORS:
        raise InputError(f"--executor: found {executor!r}, expected one of {', '.join(EXECUTORS)}")
    name, options, publication = names[0], parse_executor_options(option or ()), require_scalable(names[0])
    with console.status(f"{name}: reading templates and proving gold labels"):
        spec = publication.specify(templates, rows=rows, unpublished=unpublished)
        run = plan_run(builds_address(out), spec, rows, unpublished, shards)
    title = f"[bold]{name} {spec.version}[/]: {run.rows:,} rows in {len(run.slices):,} shards"
    if plan:
        console.print(f"{title}, about {decimal(run.size())}")
        console.print(f"into {run.url}", soft_wrap=True, highlight=False)
        return
    resources = Resources(workers or 1, log_folder(run), options)
    progress = partial(track_progress, console, run)
    result = build_at_scale(
        run, publication, EXECUTORS[executor], resources, templates, console.status, progress
    )
    seconds = time.perf_counter() - started
    console.print(f"{title}, {result.n_built:,} made, {result.n_existing:,} kept, {seconds:.1f} s")
    console.print(f"in {result.url}", soft_wrap=True, highlight=False)


def _build_fresh(
    names: Sequence[str], out: str | None, templates: Path | None, seed: str, scaled: Sequence[object]
) -> None:
    """Draw items that are not published and build their dataset into a folder of its own."""
    from polbias.terminal import Console

    drawable = [name for name in registry.dataset_names() if registry.publication(name).draw_fresh]
    if len(names) != 1 or names[0] not in drawable:
        raise InputError(
            f"--fresh: found {', '.join(names) or 'no dataset'}, expected {' or '.join(drawable)}"
        )
    if out is None or "://" in out or any(value is not None for value in scaled):
        raise InputError("--fresh: expected a folder, -o FOLDER, and no option of a build at scale; add -o")
    if not re.fullmatch(r"[a-z0-9.]{1,20}", seed):
        raise InputError(f"--fresh: found {seed!r}, expected up to 20 small letters and digits, such as 7")
    console = Console(highlight=False)
    name = names[0]
    draw_fresh = registry.publication(name).draw_fresh
    assert draw_fresh is not None
    options = draw_fresh(templates, seed, Path(out) / f".{name}-{seed}", console.print)
    _build(console, name, Path(out), templates, options)


def build_with_progress(names: Sequence[str], out: Path | None, templates: Path | None) -> None:
    """Build datasets and print the results; a failure does not stop the other builds.

    Without names, datasets whose builds need packages that are not installed are skipped.
    """
    from polbias.builds import build_advice, missing_packages
    from polbias.terminal import Console

    console = Console()
    datasets = [registry.require_dataset(name) for name in names or registry.dataset_names()]
    if templates and len(datasets) != 1:
        raise PolbiasError(f"--templates needs the name of one dataset, found {list(datasets)}; name it")
    failed: dict[str, Exception] = {}
    skipped: list[str] = []
    for name in datasets:
        if packages := missing_packages(name):
            lack = f"it needs {' and '.join(packages)}; {build_advice([name])}"
            if names:
                failed[name] = BuildError(f"{name} cannot be built: {lack}")
            else:
                skipped.append(f"{name} skipped: {lack}")
            continue
        try:
            _build(console, name, out or build_root(), templates)
        except Exception as error:
            failed[name] = error
    if skipped:
        n_built = len(datasets) - len(failed) - len(skipped)
        console.print(
            "; ".join([f"{n_built} datasets built", *skipped]), soft_wrap=True, highlight=False, markup=False
        )
    unforeseen = [error for error in failed.values() if not isinstance(error, PolbiasError)]
    if unforeseen or (failed and len(datasets) == 1):
        raise [*unforeseen, *failed.values()][0]
    if failed:
        reasons = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise PolbiasError(f"{len(failed)} of {len(datasets)} datasets could not be built: {reasons}")


def _build(
    console: Console, name: str, out: Path, templates: Path | None, options: Mapping[str, Any] | None = None
) -> None:
    from polbias.cli.outputs import progress_bars
    from polbias.publishing import card

    started = time.perf_counter()
    with progress_bars(console) as progress:
        task = progress.add_task(f"{name}: reading templates and proving gold labels", total=None)

        def step(table: TableSpec, entry: SplitEntry, fresh: bool) -> None:
            progress.update(task, advance=1, description=f"{table.config}/{table.split}")

        built = card.build(name, out, templates, step, options)
    _report(console, built, time.perf_counter() - started)


def _report(console: Console, built: BuildResult, seconds: float) -> None:
    from rich.markup import escape
    from rich.table import Table

    from polbias.lock import lock_differences, read_lock

    manifest = built.manifest
    table = Table("config", "rows", "few-shot", "content", box=None, header_style="bold", pad_edge=False)
    for column in (1, 2):
        table.columns[column].justify = "right"
    for config, splits in manifest.configs.items():
        shots = splits.get("fewshot")
        test = splits["test"]
        table.add_row(
            config,
            f"{test.rows:,}",
            f"{shots.rows:,}" if shots else "",
            (test.content or test.tree or "")[:12],
        )
    console.print(table)
    outcome = "unchanged, nothing to do"
    if built.changed:
        outcome = (
            f"{built.n_written} of {sum(map(len, manifest.configs.values()))} tables written"
            if built.n_written
            else "card written"
        )
    console.print(
        f"[bold]{manifest.dataset} {manifest.version}[/]: {manifest.rows:,} rows, {outcome}, {seconds:.1f} s"
    )
    console.print(f"in {built.folder}", soft_wrap=True, highlight=False)
    for notice in built.notices:
        console.print(f"[yellow]notice:[/] {escape(notice)}", soft_wrap=True, highlight=False)
    differences = lock_differences(manifest, read_lock().get(manifest.dataset))
    if differences:
        more = f" (and {len(differences) - 1} more, see `polbias verify`)" if len(differences) > 1 else ""
        console.print(
            f"[yellow]not the published data:[/] {differences[0]}{more}", soft_wrap=True, highlight=False
        )
    else:
        console.print("matches datasets.lock")
