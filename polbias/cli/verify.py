"""`polbias verify` and `polbias lock`: check builds against hashes, lock and proofs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from polbias import registry
from polbias.cli.options import DatasetTemplates, Names, Out
from polbias.cli.push import find_changed_files, find_damage, refuse_damaged
from polbias.errors import BuildError
from polbias.paths import build_root

if TYPE_CHECKING:
    from polbias.generators.logic.prover import ProofReport
    from polbias.terminal import Console

_Task = tuple[str, Path, Path | None]
_CheckResults = list[tuple[str, list[str]]]
_VERIFIED = "verified"


def verify(names: Names = None, out: Out = None, templates: DatasetTemplates = None) -> None:
    """Check builds: file hashes, content against datasets.lock, the proof of every formal gold label, lints.

    Parses every formal sentence into its formula, compares the verdict with the gold label, and prints the
    counts. Lints are rules from earlier reviews of the items: no layout column predicts the gold label;
    statements name their country, negate without forbidding, and have the codes and topic of similar
    statements elsewhere, or review.tsv gives a reason; the placebo is similar to the loaded words.
    """
    from polbias.terminal import Console

    console = Console()
    datasets = [registry.require_dataset(name) for name in names or registry.dataset_names()]
    all_problems: list[str] = []
    tasks = [(name, (out or build_root()) / name, templates) for name in datasets]
    with console.status("hashing files, proving gold labels from the sentences") as status:
        for name, results in _check_builds(tasks):
            status.update(f"{name}: done")
            for success, problems in results:
                _print_results(console, name, success, problems)
                all_problems += problems
    if all_problems:
        raise BuildError(f"{len(all_problems)} problem(s) found, the first one: {all_problems[0]}")


def _check_builds(tasks: Sequence[_Task]) -> Iterator[tuple[str, _CheckResults]]:
    """Yield the check results of every build, in order; unverified builds are checked in processes."""
    from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
    from multiprocessing import get_context

    from polbias.generators.engine.build import add_build_note

    hash_by_name = {task[0]: _verification_hash(*task) for task in tasks}
    # Large builds first, so that no core waits for the last one.
    unverified = sorted(
        (task for task in tasks if not _is_verified(*task, hash_by_name[task[0]])), key=_size, reverse=True
    )
    workers = min(len(unverified), os.cpu_count() or 1)
    pool: Executor = ThreadPoolExecutor(1)
    if workers > 1:
        pool = ProcessPoolExecutor(workers, get_context("spawn"))
    with pool:
        futures = {task[0]: pool.submit(_check_build, *task) for task in unverified}
        for name, folder, _ in tasks:
            if check := futures.get(name):
                results = check.result()
                if not any(problems for _, problems in results):
                    add_build_note(folder, _VERIFIED, hash_by_name[name])
                yield name, results
            else:
                yield name, [("already verified, nothing changed since", [])]


def _size(task: _Task) -> int:
    return sum(path.stat().st_size for path in task[1].rglob("*.parquet"))


def _verification_hash(name: str, folder: Path, templates: Path | None) -> str:
    """Hash the inputs of a verification: templates, code, lock and, by the manifest, files."""
    from polbias.lock import read_lock
    from polbias.manifest import MANIFEST, read_manifest
    from polbias.publishing.card import build_inputs_hash

    read_manifest(folder)
    digest = sha256(build_inputs_hash(registry.publication(name), templates).encode())
    digest.update(repr(read_lock().get(name)).encode())
    for path in (folder / MANIFEST, Path(__file__), Path(__file__).with_name("push.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_verified(name: str, folder: Path, templates: Path | None, verification_hash: str) -> bool:
    """Whether a build was verified and is unchanged since."""
    from polbias.generators.engine.build import read_build_notes
    from polbias.manifest import read_manifest

    return read_build_notes(folder).get(_VERIFIED) == verification_hash and not find_changed_files(
        read_manifest(folder), folder
    )


def _check_build(name: str, folder: Path, templates: Path | None) -> _CheckResults:
    """Return the checks of a build, each with its problems."""
    from polbias.generators.authoring.lints import LINTS, layout_leaks
    from polbias.lock import lock_differences, lock_path, read_lock
    from polbias.manifest import read_manifest

    publication, manifest = registry.publication(name), read_manifest(folder)
    damaged = find_damage(manifest, folder)
    results = [("files and content match manifest.json", damaged)]
    changed = lock_differences(manifest, read_lock().get(name))
    results.append((f"matches {lock_path().name}, version {manifest.version}", changed))
    if publication.verify_gold and not damaged:
        proofs = publication.verify_gold(folder, templates)
        if proofs.rows:
            results.append((_describe_proofs(proofs), [*proofs.failed]))
    lint_problems = [] if damaged else [*layout_leaks(manifest, folder)]
    if lint := LINTS.get(name):
        lint_problems += lint(templates)
    if publication.verify_gold or lint:
        results.append(("items pass the lints", lint_problems))
    return results


def _describe_proofs(proofs: ProofReport) -> str:
    errata_note = (
        f", {proofs.excused:,} printed labels contradicted, as in their errata" if proofs.excused else ""
    )
    return (
        f"{proofs.n_proved:,} of {proofs.rows:,} formal gold labels proved from their sentences{errata_note}"
    )


def _print_results(console: Console, name: str, success: str, problems: Sequence[str]) -> None:
    if not problems:
        console.print(f"[green]ok[/]      {name}: {success}", highlight=False, soft_wrap=True)
    for problem in problems[:20]:
        console.print(f"[red]problem[/] {problem}", highlight=False, soft_wrap=True)
    if len(problems) > 20:
        console.print(f"        and {len(problems) - 20:,} more")


def lock(names: Names = None, out: Out = None) -> None:
    """Write the builds' versions, rows and content hashes to datasets.lock.

    Refuses content that differs from the lock under the same version: raise the version first.
    """
    from polbias.lock import LockedDataset, lock_differences, lock_path, read_lock, write_lock
    from polbias.manifest import read_manifest
    from polbias.terminal import Console

    locked = read_lock()
    path = lock_path().resolve()  # in a checkout the package's lock is a link to the root's lock
    for name in names or registry.dataset_names():
        folder = (out or build_root()) / name
        manifest = read_manifest(folder)
        refuse_damaged(manifest, folder)
        before, now = locked.get(name), LockedDataset.of(manifest)
        if before and before.version == now.version and (changed := lock_differences(manifest, before)):
            raise BuildError(
                f"{changed[0]}: the content changed under version {now.version}; "
                "raise the version in the dataset's template file, rebuild, and lock again"
            )
        locked[name] = now
    write_lock(locked, path)
    Console().print(f"wrote {path}", soft_wrap=True, highlight=False)
