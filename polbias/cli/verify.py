"""`polbias verify` and `polbias lock`: builds against their hashes, the lock and their proofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from polbias import registry
from polbias.cli.options import DatasetTemplates, Names, Out
from polbias.cli.push import damaged_files, refuse_damaged
from polbias.files import BuildError, build_root

if TYPE_CHECKING:
    from rich.console import Console

    from polbias.generators.logic.prover import Proofs


def verify(names: Names = None, out: Out = None, templates: DatasetTemplates = None) -> None:
    """Check builds: file hashes, content against datasets.lock, the proof of every formal gold label, lints.

    Every formal sentence is read back to its formula, and the verdict on that is compared with the gold; how
    many of how many is printed. All that are published are; in a build of your own with more than 20,000
    formal rows in a config of partisan-inference-xl, the forms of all rows are proved, and 20,000 sentences
    drawn from a seed are read. Lints are what readers of the items taught: no column of layout tells the gold
    label; statements name their country, negate without forbidding, and have the codes and topic of like ones
    elsewhere, or review.tsv says why not; the placebo is like the loaded words.
    """
    from rich.console import Console

    from polbias.generators.authoring.lints import given_away
    from polbias.manifest import differences, lock_path, read_lock, read_manifest

    console = Console()
    found: list[str] = []
    for name in names or registry.names():
        publication = registry.publication(name)
        folder = (out or build_root()) / name
        manifest = read_manifest(folder)
        with console.status(f"{name}: hashing files"):
            damaged = damaged_files(manifest, folder)
        _say(console, name, "files and content match manifest.json", damaged)
        changed = differences(manifest, read_lock().get(name))
        _say(console, name, f"matches {lock_path().name}, version {manifest.version}", changed)
        proofs = None
        if publication.prove and not damaged:
            with console.status(f"{name}: proving gold labels from the sentences"):
                proofs = registry.resolve(publication.prove)(folder, templates)
            if proofs.rows:
                _say(console, name, _told(proofs), proofs.failed)
        linted = [] if damaged else [*given_away(manifest, folder)]
        if publication.lint:
            linted += registry.resolve(publication.lint)(templates)
        if publication.prove or publication.lint:
            _say(console, name, "items pass the lints", linted)
        found += [*damaged, *changed, *(proofs.failed if proofs else ()), *linted]
    if found:
        raise BuildError(f"{len(found)} problem(s) found, the first one: {found[0]}")


def _told(proofs: Proofs) -> str:
    printed = f", {proofs.excused:,} printed ones contradicted as their errata say" if proofs.excused else ""
    some = proofs.proved + proofs.excused < proofs.rows
    rest = "; of the others the forms are proved, the sentences not read" if some else ""
    return (
        f"{proofs.proved:,} of {proofs.rows:,} formal gold labels proved from their sentences{printed}{rest}"
    )


def _say(console: Console, name: str, success: str, problems: Sequence[str]) -> None:
    if not problems:
        console.print(f"[green]ok[/]      {name}: {success}", highlight=False, soft_wrap=True)
    for problem in problems[:20]:
        console.print(f"[red]problem[/] {problem}", highlight=False, soft_wrap=True)
    if len(problems) > 20:
        console.print(f"        and {len(problems) - 20:,} more")


def lock(names: Names = None, out: Out = None) -> None:
    """Write the builds' versions, rows and content hashes to datasets.lock.

    Content that differs from what is locked under the same version is refused: raise the version first.
    """
    from rich.console import Console

    from polbias.manifest import LockedDataset, differences, lock_path, read_lock, read_manifest, write_lock

    locked = read_lock()
    path = lock_path().resolve()  # in a checkout the package's lock is a link to the one in the root
    for name in names or registry.names():
        folder = (out or build_root()) / name
        manifest = read_manifest(folder)
        refuse_damaged(manifest, folder)
        before, now = locked.get(name), LockedDataset.of(manifest)
        if before and before.version == now.version and before != now:
            raise BuildError(
                f"{differences(manifest, before)[0]}: the content changed under version {now.version}; "
                "raise the version in the dataset's template file, rebuild, and lock again"
            )
        locked[name] = now
    write_lock(locked, path)
    Console().print(f"wrote {path}", soft_wrap=True, highlight=False)
