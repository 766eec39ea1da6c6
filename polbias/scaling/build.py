"""Build a dataset in shards, and write its manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from polbias.atomic_write import make_write_error
from polbias.content_hash import tree_hash
from polbias.errors import BuildError
from polbias.generators.engine import TableRows
from polbias.generators.engine.build import CARD_FILE, dataset_lock
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry
from polbias.paths import dataset_namespace
from polbias.publishing.card import describe, fill_card
from polbias.scaling.executors import Executor, Resources
from polbias.scaling.run import ScaledRun, open_run
from polbias.scaling.shards import ShardRecord, read_first_error, read_intact, remove_records
from polbias.scaling.storage import Storage

# Hash lists, card and manifest of complete shards.

SHARDS, SUMS = "shards.json", "SHA256SUMS"


def write_dataset_files(
    run: ScaledRun, records: Mapping[int, ShardRecord], publication: Publication, templates: Path | None
) -> None:
    """Write the hash lists, the card and, last, the manifest of a dataset."""
    storage, spec = run.storage, run.spec
    ordered_records = [record for _, record in sorted(records.items())]
    entries: dict[str, dict[str, SplitEntry]] = {}
    proofs = []
    for index, table in enumerate(spec.tables):
        table_records = [
            record for record, shard in zip(ordered_records, run.slices, strict=True) if shard.table == index
        ]
        files = tuple(
            FileEntry(path=record.path, rows=record.rows, size=record.size, sha256=record.sha256)
            for record in table_records
        )
        leaves = (leaf for record in table_records for leaf in record.leaves)
        entries.setdefault(table.config, {})[table.split] = SplitEntry(
            rows=sum(record.rows for record in table_records),
            tree=tree_hash(table.arrow_schema(), leaves),
            files=files,
        )
        if table.split == "test":
            proofs.append(sum((Counter(record.proofs) for record in table_records), Counter[str]()))
    manifest = Manifest(
        dataset=spec.name,
        version=spec.version,
        canary=spec.canary,
        writer=run.identity["writer"],
        configs=entries,
    )
    storage.write(SUMS, "".join(f"{record.sha256}  {record.path}\n" for record in ordered_records).encode())
    shards = [record.model_dump(mode="json") for record in ordered_records]
    dataset = {"dataset": spec.name, "version": spec.version, "rows": run.rows}
    storage.write(SHARDS, (json.dumps(dataset | {"shards": shards}, indent=1) + "\n").encode())
    schemas = [_schema(storage, splits["test"].files[0].path) for splits in entries.values()]
    first_table = next(table for table in spec.tables if table.split == "test")
    rows = TableRows(first_table)
    first_rows = rows.batch(0, min(2, len(rows))).to_pylist()
    card_values = describe(manifest, schemas, first_rows, proofs, publication.cards)
    card = fill_card(manifest, card_values, Path(storage.url), publication, templates, dataset_namespace())
    storage.write(CARD_FILE, card.encode())
    storage.write(MANIFEST, manifest.to_json().encode())
    for path in storage.sizes():
        if path.endswith(".partial"):  # from killed workers
            storage.remove(path)


def _schema(storage: Storage, path: str) -> Any:
    with storage.open(path) as stream:
        return pq.read_schema(stream)


# Build the missing shards of a dataset, then the files of the dataset.


@dataclass(frozen=True)
class ShardedBuildResult:
    """Result of a build.

    Attributes:
        url: folder or address of the dataset.
        n_existing: number of complete shards before the build.
        n_built: number of shards that the build wrote.
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
) -> ShardedBuildResult:
    """Build the missing shards of a dataset; `progress` gets the number of complete shards."""
    url, numbers = run.storage.url, range(len(run.slices))
    with _lock_build(run):
        open_run(run)
        with status("hashing complete shards"):
            existing = read_intact(run, numbers)
        missing = [number for number in numbers if number not in existing]
        if missing:
            remove_records(run, missing)
            with progress(len(existing)):
                executor(run, missing, resources)
        with status("merging: hashes, card and manifest"):
            built = read_intact(run, missing, check_hashes=False)
            if failed := [number for number in missing if number not in built]:
                first_error = read_first_error(run, failed)
                reason = (
                    f"the first problem: {first_error}"
                    if first_error
                    else f"see the logs in {resources.logs}"
                )
                raise BuildError(
                    f"{url}: {len(failed)} of {len(numbers)} shards are missing ({reason}); "
                    "run the same command again: complete shards are kept"
                )
            write_dataset_files(run, existing | built, publication, templates)
    return ShardedBuildResult(url, len(existing), len(built))


@contextmanager
def _lock_build(run: ScaledRun) -> Iterator[None]:
    """Lock a local folder against other builds; concurrent builds at an address write the same bytes."""
    folder = run.storage.folder
    if not folder:
        yield
        return
    try:
        with dataset_lock(folder.parent, folder.name):
            yield
    except OSError as error:
        raise make_write_error(folder, error) from error
