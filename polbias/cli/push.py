"""`polbias push`: publish builds; print the plan or the result, one line per dataset and file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polbias import registry
from polbias.cli.options import Names, Out
from polbias.errors import BuildError
from polbias.paths import build_root

if TYPE_CHECKING:
    from polbias.manifest import Manifest


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


def refuse_damaged(manifest: Manifest, folder: Path) -> None:
    """Raise if files of a build differ from its manifest."""
    damaged = find_damage(manifest, folder)
    if damaged:
        raise BuildError(damaged[0])


def find_damage(manifest: Manifest, folder: Path) -> list[str]:
    """Return the problems of files and content of a build that differ from its manifest."""
    from polbias.content_hash import has_content

    problems = find_changed_files(manifest, folder)
    for config, splits in () if problems else manifest.configs.items():
        for split, entry in splits.items():
            if not has_content([folder / file.path for file in entry.files], entry):
                problems.append(f"{config}/{split}: content differs from manifest.json; rebuild it")
    return problems


def find_changed_files(manifest: Manifest, folder: Path) -> list[str]:
    """Return the problems of files that are missing or whose bytes differ from the manifest."""
    from polbias.files import file_sha256

    problems: list[str] = []
    for file in (f for splits in manifest.configs.values() for entry in splits.values() for f in entry.files):
        path = folder / file.path
        if not path.is_file():
            problems.append(f"{path}: missing; run `polbias build {manifest.dataset}`")
        elif file_sha256(path) != file.sha256:
            problems.append(f"{path}: was changed after the build; run `polbias build {manifest.dataset}`")
    return problems
