"""From complete shards to a dataset: hash lists, card and manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pydantic import ValidationError

from polbias.content import content_hash
from polbias.generators.engine import Rows
from polbias.generators.engine.build import CARD
from polbias.generators.engine.files import one_ahead
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry
from polbias.publishing.card import describe, fill_card
from polbias.scaling.places import Place
from polbias.scaling.run import Run
from polbias.scaling.shards import Marker

SHARDS, SUMS = "shards.json", "SHA256SUMS"
_ROWS = 1 << 14


def merge(
    run: Run, markers: Mapping[str, Marker], publication: Publication, templates: Path | None
) -> Manifest:
    """Write what a dataset says of itself: hash lists, card and, last, the manifest.

    Args:
        run: whose shards are all complete.
        markers: of all shards, by path.
        publication: of the dataset.
        templates: the template folder that the specification was read from; None for the shipped one.

    Returns:
        The manifest, the same for the same run whatever executor made the shards.
    """
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
