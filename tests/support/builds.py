"""Small builds for tests: tables as a dataset in a folder of builds, with its manifest and its lock."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.content_hash import ContentHash, parquet_content_hash
from polbias.lock import LockedDataset, read_lock, write_lock
from polbias.manifest import FileEntry, Manifest, SplitEntry


def write_build(
    folder: Path,
    dataset: str,
    configs: Mapping[str, Sequence[Mapping[str, Any]] | pa.Table],
    version: str = "1.0.0",
) -> None:
    """Write rows as a build, each config's in its test split, and ``datasets.lock`` beside it."""
    entries = {}
    for config, rows in configs.items():
        path = folder / dataset / config / "test-00000.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows)), path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        file = FileEntry(
            path=f"{config}/{path.name}", rows=len(rows), size=path.stat().st_size, sha256=digest
        )
        content = parquet_content_hash([path])
        entries[config] = {"test": SplitEntry(rows=len(rows), content=content, files=(file,))}
    manifest = Manifest(dataset=dataset, version=version, canary="test", writer="test", configs=entries)
    (folder / dataset / "manifest.json").write_text(manifest.to_json(), "utf-8")
    lock = folder / "datasets.lock"
    write_lock({**read_lock(lock), dataset: LockedDataset.of(manifest)}, lock)


def content_hash(batches: Iterable[Any], schema: Any) -> str:
    """Hash the logical content of a table."""
    found = ContentHash(schema)
    for batch in batches:
        found.update(batch)
    return found.digests()[0]
