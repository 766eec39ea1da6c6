"""`polbias push`: publish builds; print the plan or the result, one line per dataset and file."""

from __future__ import annotations

from typing import Annotated

import typer

from polbias import registry
from polbias.cli.build_checks import refuse_damaged
from polbias.cli.options import Names, Out
from polbias.paths import build_root


def push(
    names: Names = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; change nothing.")] = False,
    out: Out = None,
) -> None:
    """Publish builds on the Hugging Face Hub: one commit and a version tag each; skip unchanged builds.

    The namespace is $POLBIAS_NAMESPACE, else the user of the token (`hf auth login` or HF_TOKEN).
    """
    from polbias.lock import lock_differences, read_lock
    from polbias.manifest import read_manifest
    from polbias.publishing import hub
    from polbias.publishing.client import resolve_namespace
    from polbias.publishing.plan import plan_push
    from polbias.terminal import Console

    console = Console()
    folders = [
        (out or build_root()) / registry.require_dataset(name) for name in names or registry.dataset_names()
    ]
    manifests = [read_manifest(folder) for folder in folders]
    namespace = resolve_namespace()
    for folder, manifest in zip(folders, manifests, strict=True):
        refuse_damaged(manifest, folder)
        differences = lock_differences(manifest, read_lock().get(manifest.dataset))
        if differences:
            console.print(f"[yellow]note:[/] {differences[0]}", soft_wrap=True, highlight=False)
        plan = plan_push(folder, f"{namespace}/{manifest.dataset}", manifest.version)
        message = plan.describe() if dry_run or plan.nothing_to_do else hub.push(plan)
        console.print(message, soft_wrap=True, highlight=False, markup=False)
