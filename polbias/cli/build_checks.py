"""Checks of builds: hashes, lock, proofs and lints; a verified build is not checked again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from polbias import registry
from polbias.builds import build_advice, find_unbuilt, require_builds
from polbias.errors import BuildError

if TYPE_CHECKING:
    from polbias.generators.auditing.shortcut_designs import ShortcutDesign
    from polbias.generators.logic.prover import ProofReport
    from polbias.manifest import Manifest
    from polbias.terminal import Console

CheckTask = tuple[str, Path, Path | None]
"""Name, folder and templates of a build to check."""
CheckResults = list[tuple[str, list[str]]]
_VERIFIED = "verified"
# Permutations of labels that are guessed better than by chance; `polbias audit --shortcuts` takes more.
_N_PERMUTATIONS = 49


def select_builds(console: Console, names: Sequence[str] | None, root: Path) -> Sequence[str]:
    """Return the named datasets; without names, the built ones, and print which are not built.

    Raises:
        BuildError: if a named dataset is not built, or none is.
    """
    if names:
        require_builds(map(registry.require_dataset, names), root)
        return names
    unbuilt = find_unbuilt(registry.dataset_names(), root)
    built = [name for name in registry.dataset_names() if name not in unbuilt]
    if not built:
        raise BuildError(f"nothing built in {root}; {build_advice()}")
    if unbuilt:
        line = f"not built in {root}: {', '.join(unbuilt)}; {build_advice(unbuilt)}"
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    return built


def check_builds(tasks: Sequence[CheckTask]) -> Iterator[tuple[str, CheckResults]]:
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
        futures = {task[0]: pool.submit(check_build, *task) for task in unverified}
        for name, folder, _ in tasks:
            if check := futures.get(name):
                results = check.result()
                if not any(problems for _, problems in results):
                    add_build_note(folder, _VERIFIED, hash_by_name[name])
                yield name, results
            else:
                yield name, [("already verified, nothing changed since", [])]


def _size(task: CheckTask) -> int:
    return sum(path.stat().st_size for path in task[1].rglob("*.parquet"))


def _verification_hash(name: str, folder: Path, templates: Path | None) -> str:
    """Hash the inputs of a verification: templates, code, lock and, by the manifest, files."""
    from polbias.lock import read_lock
    from polbias.manifest import MANIFEST, read_manifest
    from polbias.publishing.card import build_inputs_hash

    read_manifest(folder)
    digest = sha256(build_inputs_hash(registry.publication(name), templates).encode())
    digest.update(repr(read_lock().get(name)).encode())
    for path in (folder / MANIFEST, Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_verified(name: str, folder: Path, templates: Path | None, verification_hash: str) -> bool:
    """Whether a build was verified and is unchanged since."""
    from polbias.generators.engine.build import read_build_notes
    from polbias.manifest import read_manifest

    return read_build_notes(folder).get(_VERIFIED) == verification_hash and not find_changed_files(
        read_manifest(folder), folder
    )


def check_build(name: str, folder: Path, templates: Path | None) -> CheckResults:
    """Return the checks of a build, each with its problems."""
    from polbias.generators.auditing.shortcut_designs import read_design
    from polbias.generators.authoring.lints import LINTS, argument_slips, layout_leaks
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
    lint_problems = [] if damaged else [*layout_leaks(manifest, folder), *argument_slips(manifest, folder)]
    if lint := LINTS.get(name):
        lint_problems += lint(templates)
    if publication.verify_gold or lint:
        results.append(("items pass the lints", lint_problems))
    if not damaged and (design := read_design(name, publication, templates)):
        results.append(_check_shortcuts(manifest, folder, design))
    return results


def _check_shortcuts(manifest: Manifest, folder: Path, design: ShortcutDesign) -> tuple[str, list[str]]:
    """Return the check that labels are not guessed in other ways than the design knows."""
    from polbias.eval.multiple_testing import holm_adjust
    from polbias.generators.auditing.shortcut_designs import build_shortcuts, unknown_shortcuts

    tests = build_shortcuts(manifest, folder, design, holm_adjust, None, _N_PERMUTATIONS, skip_at_chance=True)
    problems = [
        f"{test.config}: {test}; change the items, or give the reason in shortcuts.yaml"
        for test in unknown_shortcuts(tests, design)
    ]
    n_known = sum(test.is_leak for test in tests) - len(problems)
    known_note = f", {n_known} known ones" if n_known else ""
    return f"no unknown shortcut in {len(tests):,} tests{known_note}", problems


def _describe_proofs(proofs: ProofReport) -> str:
    errata_note = (
        f", {proofs.excused:,} printed labels contradicted, as in their errata" if proofs.excused else ""
    )
    return (
        f"{proofs.n_proved:,} of {proofs.rows:,} formal gold labels proved from their sentences{errata_note}"
    )


def print_results(console: Console, name: str, success: str, problems: Sequence[str]) -> None:
    """Print the success of a check, or its first twenty problems."""
    if not problems:
        console.print(f"[green]ok[/]      {name}: {success}", highlight=False, soft_wrap=True)
    for problem in problems[:20]:
        console.print(f"[red]problem[/] {problem}", highlight=False, soft_wrap=True)
    if len(problems) > 20:
        console.print(f"        and {len(problems) - 20:,} more")


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
    advice = build_advice([manifest.dataset])
    for file in (f for splits in manifest.configs.values() for entry in splits.values() for f in entry.files):
        path = folder / file.path
        if not path.is_file():
            problems.append(f"{path}: missing; {advice}")
        elif file_sha256(path) != file.sha256:
            problems.append(f"{path}: was changed after the build; {advice}")
    return problems
