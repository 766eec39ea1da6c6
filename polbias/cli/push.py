"""`polbias push`: verify builds and publish them; print the plan or the result of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from polbias.cli.build_checks import CheckTask, check_builds, print_results, refuse_damaged, select_builds
from polbias.cli.options import DatasetTemplates, Names, Out
from polbias.errors import BuildError
from polbias.paths import build_root

if TYPE_CHECKING:
    from pathlib import Path

    from polbias.manifest import Manifest
    from polbias.terminal import Console


@dataclass(frozen=True)
class _CheckedBuild:
    folder: Path
    manifest: Manifest
    problems: Sequence[str]


def push(
    names: Names = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan; change nothing. Needs no token and no network.")
    ] = False,
    unverified: Annotated[
        bool,
        typer.Option("--unverified", help="Publish what `verify` fails; the cards tell the problems."),
    ] = False,
    out: Out = None,
    templates: DatasetTemplates = None,
) -> None:
    """Publish builds on the Hugging Face Hub: one commit and a version tag each; skip unchanged builds.

    First checks all builds as `polbias verify` does; nothing is uploaded if one has a problem.
    The namespace is $POLBIAS_NAMESPACE, else the user of the token (`hf auth login` or HF_TOKEN).
    """
    from polbias.manifest import read_manifest
    from polbias.publishing import hub
    from polbias.publishing.client import resolve_namespace
    from polbias.publishing.plan import plan_push
    from polbias.terminal import Console

    console = Console()
    root = out or build_root()
    tasks = [(name, root / name, templates) for name in select_builds(console, names, root)]
    manifests = [read_manifest(folder) for _, folder, _ in tasks]
    namespace = "" if dry_run else resolve_namespace()  # a missing token is told before the long checks
    builds = _check(console, tasks, manifests, unverified)
    if dry_run:
        for message in _preview(builds):
            console.print(message, soft_wrap=True, highlight=False, markup=False)
        return
    plans = [
        plan_push(
            build.folder, f"{namespace}/{build.manifest.dataset}", build.manifest.version, build.problems
        )
        for build in builds
    ]
    for plan in plans:
        message = plan.describe() if plan.nothing_to_do else hub.push(plan)
        console.print(message, soft_wrap=True, highlight=False, markup=False)


def _check(
    console: Console, tasks: Sequence[CheckTask], manifests: Sequence[Manifest], unverified: bool
) -> list[_CheckedBuild]:
    """Return the builds with their problems; raise if there are any, unless `unverified`."""
    with console.status("verifying the builds"):
        problems = [
            [problem for _, texts in results for problem in texts] for _, results in check_builds(tasks)
        ]
    builds = [
        _CheckedBuild(folder, manifest, texts)
        for (_, folder, _), manifest, texts in zip(tasks, manifests, problems, strict=True)
    ]
    failed = [build for build in builds if build.problems]
    for build in failed:
        refuse_damaged(build.manifest, build.folder)  # its files have no true manifest
    for build in failed:
        print_results(console, build.manifest.dataset, "", build.problems)
    if failed and not unverified:
        count = sum(len(build.problems) for build in failed)
        raise BuildError(
            f"{count} problem(s) found, the first one: {failed[0].problems[0]}; nothing was uploaded. "
            "Correct them (own content: set POLBIAS_LOCK=FILE, run `polbias lock NAME`, push with its "
            "--templates), or use --unverified, which writes the problems on the card"
        )
    return builds


def _preview(builds: Sequence[_CheckedBuild]) -> Iterator[str]:
    """Yield the plan of every build, compared with the Hub as long as the Hub answers."""
    from polbias.publishing.client import PUSH_AGAIN, HubError, resolve_namespace
    from polbias.publishing.plan import collect_files, plan_push

    namespace = reason = ""
    failure: HubError | None = None
    for build in builds:
        dataset, version = build.manifest.dataset, build.manifest.version
        if failure is None or failure.answered:
            try:
                namespace = namespace or resolve_namespace()
                plan = plan_push(
                    build.folder, f"{namespace}/{dataset}", version, build.problems, dry_run=True
                )
            except HubError as error:
                failure = error
                reason = (
                    str(error).removeprefix(f"{namespace}/{dataset}: ").removesuffix(f", then {PUSH_AGAIN}")
                )
            else:
                yield plan.describe()
                continue
        repository = f"{namespace or 'USER_OF_THE_TOKEN'}/{dataset}"
        yield (
            f"{repository}: would upload all {len(collect_files(build.folder))} files and set the tag "
            f"v{version}; could not compare with the Hub: {reason}"
        )
