"""Build a dataset in shards, and merge them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet as pq
from pydantic import ValidationError

from polbias.files import BuildError
from polbias.generators.engine import Rows
from polbias.generators.engine.build import CARD, alone
from polbias.generators.engine.files import one_ahead, write_failure
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry, content_hash
from polbias.publishing.card import describe, fill_card
from polbias.scaling.executors import Executor, Resources
from polbias.scaling.run import Run, open_run
from polbias.scaling.shards import Marker, faults, forget_faults, forget_marker, intact
from polbias.scaling.storage import LocalPlace, Place

# From complete shards to a dataset: hash lists, card and manifest.

SHARDS, SUMS = "shards.json", "SHA256SUMS"
_ROWS = 1 << 14


def merge(
    run: Run, markers: Mapping[str, Marker], publication: Publication, templates: Path | None
) -> Manifest:
    """Write what a dataset says of itself: hash lists, card and, last, the manifest."""
    where = run.where
    ordered = [markers[each.path] for each in run.slices]
    known = _contents(run.where)
    entries: dict[str, dict[str, SplitEntry]] = {}
    for index, table in enumerate(run.spec.tables):
        own = [m for m, each in zip(ordered, run.slices, strict=True) if each.table == index]
        files = tuple(FileEntry(path=m.path, rows=m.rows, size=m.size, sha256=m.sha256) for m in own)
        entries.setdefault(table.config, {})[table.split] = SplitEntry(
            rows=sum(marker.rows for marker in own),
            content=known.get(files) or (own[0].content if len(own) == 1 else _content(run.where, own)),
            files=files,
        )
    manifest = Manifest(
        dataset=run.spec.name,
        version=run.spec.version,
        canary=run.spec.canary,
        writer=run.file.writer,
        configs=entries,
    )
    where.write(SUMS, "".join(f"{m.sha256}  {m.path}\n" for m in ordered).encode())
    shards = [marker.model_dump(mode="json") for marker in ordered]
    head = {"dataset": run.spec.name, "version": run.spec.version, "rows": run.rows}
    where.write(SHARDS, (json.dumps(head | {"shards": shards}, indent=1) + "\n").encode())
    seen = _seen(run, ordered, manifest, publication.cards)
    card = fill_card(manifest, seen, Path(where.url), publication, templates)
    where.write(CARD, card.encode())
    where.write(MANIFEST, manifest.to_json().encode())
    for path in where.sizes():
        if path.endswith(".partial"):  # of workers that were killed
            where.remove(path)
    return manifest


def _contents(where: Place) -> dict[tuple[FileEntry, ...], str]:
    """Return the content of tables that were merged before, by their files."""
    try:
        manifest = Manifest.model_validate_json(where.read(MANIFEST) or b"")
    except ValidationError:
        return {}
    return {entry.files: entry.content for splits in manifest.configs.values() for entry in splits.values()}


def _content(where: Place, markers: Sequence[Marker]) -> str:
    """Hash the rows of several shards as one table; the hash of a table does not depend on its shards."""
    return content_hash(one_ahead(_batches(where, markers)), _schema(where, markers[0].path))


def _batches(where: Place, markers: Sequence[Marker]) -> Iterator[Any]:
    for marker in markers:
        with where.open(marker.path) as stream:
            yield from pq.ParquetFile(stream, pre_buffer=True).iter_batches(
                batch_size=_ROWS, use_threads=False
            )


def _seen(run: Run, markers: Sequence[Marker], manifest: Manifest, cards: Path | None) -> dict[str, Any]:
    """Return what every card says about the data, from its first shards and all markers."""
    tests = {index: Counter[str]() for index, table in enumerate(run.spec.tables) if table.split == "test"}
    for marker, each in zip(markers, run.slices, strict=True):
        if each.table in tests:
            tests[each.table].update(marker.proofs)
    schemas = [
        _schema(run.where, manifest.configs[run.spec.tables[index].config]["test"].files[0].path)
        for index in tests
    ]
    example = Rows(run.spec.tables[next(iter(tests))]).batch(0, 1).to_pylist()[0]
    return describe(manifest, schemas, example, list(tests.values()), cards)


def _schema(where: Place, path: str) -> Any:
    with where.open(path) as stream:
        return pq.read_schema(stream)


# Build a dataset in shards: what is there and whole is kept, the rest is made, all is merged.


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
    """Build a dataset, or what is missing of it."""
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
