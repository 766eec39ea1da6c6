"""`polbias push`: what would happen, or what was done, one line per dataset and file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from polbias import registry
from polbias.files import BuildError, build_root
from polbias.manifest import (
    Manifest,
    differences,
    read_lock,
    read_manifest,
)


def push_builds(names: Sequence[str], out: Path | None, dry_run: bool) -> None:
    """Push builds to the Hub."""
    from polbias.publishing.client import resolve_namespace
    from polbias.publishing.hub import push
    from polbias.publishing.plan import plan_push

    console = Console()
    folders = [(out or build_root()) / registry.checked(name) for name in names or registry.names()]
    manifests = [read_manifest(folder) for folder in folders]
    namespace = resolve_namespace()
    for folder, manifest in zip(folders, manifests, strict=True):
        refuse_damaged(manifest, folder)
        found = differences(manifest, read_lock().get(manifest.dataset))
        if found:
            console.print(f"[yellow]note:[/] {found[0]}", soft_wrap=True, highlight=False)
        plan = plan_push(folder, f"{namespace}/{manifest.dataset}", manifest.version)
        told = plan.describe() if dry_run or plan.nothing_to_do else push(plan).describe()
        console.print(told, soft_wrap=True, highlight=False, markup=False)


def refuse_damaged(manifest: Manifest, folder: Path) -> None:
    """Refuse a build whose files are not those of its manifest."""
    damaged = _damaged(manifest, folder)
    if damaged:
        raise BuildError(damaged[0])


def _damaged(manifest: Manifest, folder: Path) -> list[str]:
    from polbias.manifest import file_sha256, parquet_content_hash

    problems: list[str] = []
    for config, splits in manifest.configs.items():
        for split, entry in splits.items():
            paths = [folder / file.path for file in entry.files]
            for path, file in zip(paths, entry.files, strict=True):
                if not path.is_file():
                    problems.append(f"{path}: missing; run `polbias build {manifest.dataset}`")
                elif file_sha256(path) != file.sha256:
                    problems.append(
                        f"{path}: was changed after the build; run `polbias build {manifest.dataset}`"
                    )
            if not problems and parquet_content_hash(paths) != entry.content:
                problems.append(f"{config}/{split}: content differs from manifest.json; rebuild it")
    return problems
