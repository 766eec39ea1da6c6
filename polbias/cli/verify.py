"""`polbias verify` and `polbias lock`: check builds against hashes, lock and proofs."""

from __future__ import annotations

from polbias import registry
from polbias.builds import require_builds
from polbias.cli.build_checks import CheckTask, check_builds, print_results, refuse_damaged, select_builds
from polbias.cli.options import DatasetTemplates, Names, Out
from polbias.errors import BuildError
from polbias.paths import build_root


def verify(names: Names = None, out: Out = None, templates: DatasetTemplates = None) -> None:
    """Check builds: file hashes, content against datasets.lock, the proof of every formal gold label, lints.

    Parses every formal sentence into its formula, compares the verdict with the gold label, and prints the
    counts. Lints are rules from earlier reviews of the items: no layout column predicts the gold label;
    statements name their country, negate without forbidding, and have the codes and topic of similar
    statements elsewhere, or review.tsv gives a reason; the placebo is similar to the loaded words.
    Labels must not be guessed without the task, but by the shortcuts in the templates' shortcuts.yaml.
    """
    from polbias.manifest import read_manifest
    from polbias.terminal import Console

    console = Console()
    tasks: list[CheckTask] = []
    all_problems: list[str] = []
    root = out or build_root()
    for name in select_builds(console, names, root):
        folder = root / name
        try:
            read_manifest(folder)
        except BuildError as error:  # the other builds are still checked
            all_problems.append(str(error))
        else:
            tasks.append((name, folder, templates))
    if all_problems:
        print_results(console, "", "", all_problems)
    with console.status("hashing files, proving gold labels from the sentences") as status:
        for name, results in check_builds(tasks):
            status.update(f"{name}: done")
            for success, problems in results:
                print_results(console, name, success, problems)
                all_problems += problems
    if all_problems:
        raise BuildError(f"{len(all_problems)} problem(s) found, the first one: {all_problems[0]}")


def lock(names: Names = None, out: Out = None) -> None:
    """Write the builds' versions, rows and content hashes to datasets.lock.

    Refuses content that differs from the lock under the same version: raise the version first.
    """
    from polbias.lock import LockedDataset, lock_differences, lock_path, read_lock, write_lock
    from polbias.manifest import read_manifest
    from polbias.terminal import Console

    locked = read_lock()
    path = lock_path().resolve()  # in a checkout the package's lock is a link to the root's lock
    datasets, root = names or registry.dataset_names(), out or build_root()
    require_builds(datasets, root)
    for name in datasets:
        folder = root / name
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
