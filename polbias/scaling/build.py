"""Build a dataset in shards, and merge them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.atomic_write import write_failure
from polbias.content_hash import tree_hash
from polbias.errors import BuildError
from polbias.generators.engine import TableRows
from polbias.generators.engine.build import CARD_FILE, dataset_lock
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry
from polbias.publishing.card import describe, fill_card
from polbias.scaling.executors import Executor, Resources
from polbias.scaling.run import ScaledRun, open_run
from polbias.scaling.shards import ShardRecord, forget, intact, problem
from polbias.scaling.storage import Storage

# From complete shards to a dataset: hash lists, card and manifest.

SHARDS, SUMS = "shards.json", "SHA256SUMS"


def merge(
    run: ScaledRun, records: Mapping[int, ShardRecord], publication: Publication, templates: Path | None
) -> None:
    """Write what a dataset says of itself: hash lists, card and, last, the manifest."""
    where, spec = run.where, run.spec
    ordered = [record for _, record in sorted(records.items())]
    entries: dict[str, dict[str, SplitEntry]] = {}
    proofs = []
    for index, table in enumerate(spec.tables):
        own = [m for m, each in zip(ordered, run.slices, strict=True) if each.table == index]
        files = tuple(FileEntry(path=m.path, rows=m.rows, size=m.size, sha256=m.sha256) for m in own)
        leaves = (leaf for record in own for leaf in record.leaves)
        entries.setdefault(table.config, {})[table.split] = SplitEntry(
            rows=sum(record.rows for record in own),
            tree=tree_hash(table.arrow_schema(), leaves),
            files=files,
        )
        if table.split == "test":
            proofs.append(sum((Counter(record.proofs) for record in own), Counter[str]()))
    manifest = Manifest(
        dataset=spec.name,
        version=spec.version,
        canary=spec.canary,
        writer=run.identity["writer"],
        configs=entries,
    )
    where.write(SUMS, "".join(f"{m.sha256}  {m.path}\n" for m in ordered).encode())
    shards = [record.model_dump(mode="json") for record in ordered]
    head = {"dataset": spec.name, "version": spec.version, "rows": run.rows}
    where.write(SHARDS, (json.dumps(head | {"shards": shards}, indent=1) + "\n").encode())
    schemas = [_schema(where, splits["test"].files[0].path) for splits in entries.values()]
    first = next(table for table in spec.tables if table.split == "test")
    example = TableRows(first).batch(0, 1).to_pylist()[0]
    seen = describe(manifest, schemas, example, proofs, publication.cards)
    card = fill_card(manifest, seen, Path(where.url), publication, templates)
    where.write(CARD_FILE, card.encode())
    where.write(MANIFEST, manifest.to_json().encode())
    for path in where.sizes():
        if path.endswith(".partial"):  # of workers that were killed
            where.remove(path)


def _schema(where: Storage, path: str) -> Any:
    with where.open(path) as stream:
        return pq.read_schema(stream)


# Build a dataset in shards: what is there and whole is kept, the rest is made, all is merged.


@dataclass(frozen=True)
class Finished:
    """What a build did.

    Attributes:
        url: where the dataset is.
        kept: number of shards that were there and whole.
        made: number of shards that were made.
    """

    url: str
    n_existing: int
    n_built: int


def build_at_scale(
    run: ScaledRun,
    publication: Publication,
    executor: Executor,
    resources: Resources,
    templates: Path | None = None,
    status: Callable[[str], AbstractContextManager[object]] = nullcontext,
    progress: Callable[[int], AbstractContextManager[object]] = nullcontext,
) -> Finished:
    """Build a dataset, or what is missing of it; `progress` is told how many shards are there already."""
    url, every = run.where.url, range(len(run.slices))
    with _alone(run):
        open_run(run)
        with status("hashing what is there"):
            kept = intact(run, every)
        missing = [number for number in every if number not in kept]
        if missing:
            forget(run, missing)
            with progress(len(kept)):
                executor(run, missing, resources)
        with status("merging: hashes, card and manifest"):
            made = intact(run, missing, hashed=False)
            if lacking := [number for number in missing if number not in made]:
                said = problem(run, lacking)
                reason = (
                    f"the first problem: {said}" if said else f"what became of them is in {resources.logs}"
                )
                raise BuildError(
                    f"{url}: {len(lacking)} of {len(every)} shards are missing ({reason}); "
                    "run the same command again: what is complete is kept"
                )
            merge(run, kept | made, publication, templates)
    return Finished(url, len(kept), len(made))


@contextmanager
def _alone(run: ScaledRun) -> Iterator[None]:
    """Keep a second build out of a folder; behind an address two builds would write the same bytes."""
    folder = run.where.folder
    if not folder:
        yield
        return
    try:
        with dataset_lock(folder.parent, folder.name):
            yield
    except OSError as error:
        raise write_failure(folder, error) from error
