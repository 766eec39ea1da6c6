"""Build a dataset in shards: what is there and whole is kept, the rest is made, all is merged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polbias.files import BuildError
from polbias.generators.engine.build import alone
from polbias.generators.engine.files import write_failure
from polbias.generators.engine.publication import Publication
from polbias.manifest import Manifest
from polbias.scaling.executors import Executor, Resources
from polbias.scaling.merging import merge
from polbias.scaling.places import LocalPlace
from polbias.scaling.run import Run, open_run
from polbias.scaling.shards import faults, forget_faults, forget_marker, intact


class Watcher(Protocol):
    """Shows how a build gets on."""

    def checking(self) -> None:
        """Say that what is there is being hashed."""

    def making(self, run: Run, kept: int) -> AbstractContextManager[object]:
        """Return a context within which shards are made; `kept` of them are there already."""

    def merging(self) -> None:
        """Say that all shards are there."""


@dataclass(frozen=True)
class Finished:
    """What a build did.

    Attributes:
        url: where the dataset is.
        manifest: what it holds.
        kept: number of shards that were there and whole.
        made: number of shards that were made.
    """

    url: str
    manifest: Manifest
    kept: int
    made: int


def build_at_scale(
    run: Run,
    publication: Publication,
    executor: Executor,
    resources: Resources,
    watcher: Watcher,
    templates: Path | None = None,
) -> Finished:
    """Build a dataset, or what is missing of it.

    Args:
        run: what is built and where.
        publication: of the dataset.
        executor: makes the shards.
        resources: what it may use.
        watcher: shows how it gets on.
        templates: the template folder that the specification was read from; None for the shipped one.

    Returns:
        What was done.

    Raises:
        BuildError: if something cannot be written, another build is under way here, another run is in
            the place, or shards are still missing when the executor has ended.
    """
    where = run.where
    with _alone(run):
        open_run(run)
        forget_faults(where)
        watcher.checking()
        kept = intact(where, run.slices)
        missing = [number for number, each in enumerate(run.slices) if each.path not in kept]
        if missing:
            for number in missing:
                forget_marker(where, run.slices[number])
            with watcher.making(run, len(kept)):
                executor(run, missing, resources)
        watcher.merging()
        made = intact(where, [run.slices[number] for number in missing], hashed=False)
        if len(made) < len(missing):
            raise BuildError(_missing(run, len(missing) - len(made), resources))
        manifest = merge(run, kept | made, publication, templates)
    return Finished(where.url, manifest, len(kept), len(made))


def _missing(run: Run, count: int, resources: Resources) -> str:
    said = faults(run.where)
    reason = f"the first problem: {said[0]}" if said else f"what became of them is in {resources.logs}"
    return (
        f"{run.where.url}: {count} of {len(run.slices)} shards are missing ({reason}); "
        "run the same command again: what is complete is kept"
    )


@contextmanager
def _alone(run: Run) -> Iterator[None]:
    """Keep a second build out of a folder; behind an address two builds would write the same bytes."""
    where = run.where
    if not isinstance(where, LocalPlace):
        yield
        return
    try:
        with alone(where.folder.parent, run.spec.name):
            yield
    except OSError as error:
        raise write_failure(where.folder, error) from error
