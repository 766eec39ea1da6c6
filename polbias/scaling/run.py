"""What a run builds, cut into shards, and written down where it is built."""

from __future__ import annotations

import hashlib
import heapq
import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from polbias import registry
from polbias.files import BuildError, PolbiasError
from polbias.generators.engine import DatasetSpec, Rows, TableSpec
from polbias.generators.engine.build import fingerprint
from polbias.generators.engine.files import MAX_SHARD_ROWS, shard_path, shard_range
from polbias.generators.engine.publication import Publication
from polbias.manifest import MANIFEST
from polbias.scaling.storage import Place, place

# A dataset cut into shards: which tables have how many, and their order.


@dataclass(frozen=True)
class Slice:
    """One shard to be made.

    Attributes:
        table: index of the table in the dataset.
        rank: of the shard in its table.
        world_size: shards of the table.
        path: of the shard below the dataset's folder.
        rows: number of rows.
    """

    table: int
    rank: int
    world_size: int
    path: str
    rows: int


def cut(spec: DatasetSpec, shards: int | None = None) -> tuple[Slice, ...]:
    """Cut a dataset into shards.

    Every table gets as many as its rows need, then those with the largest shards get one more in turn.
    """
    return cut_tables([TableRows.of(table) for table in spec.tables], shards)


@dataclass(frozen=True)
class TableRows:
    """How many rows a table has.

    Attributes:
        config: its config.
        split: its split.
        rows: their number.
    """

    config: str
    split: str
    rows: int

    @classmethod
    def of(cls, table: TableSpec) -> TableRows:
        """Count the rows of a table."""
        return cls(table.config, table.split, len(Rows(table)))


def cut_tables(tables: Sequence[TableRows], shards: int | None = None) -> tuple[Slice, ...]:
    """Cut tables of which only the number of rows is known; as :func:`cut`."""
    rows = [table.rows for table in tables]
    counts = [max(1, -(-count // MAX_SHARD_ROWS)) for count in rows]
    if shards is not None:
        least, most = sum(counts), sum(max(1, count) for count in rows)
        if not least <= shards <= most:
            raise BuildError(
                f"--shards: found {shards:,}; {sum(rows):,} rows in {len(rows)} tables make {least:,} to "
                f"{most:,} shards of at most {MAX_SHARD_ROWS:,} rows"
            )
        _share_out(shards - least, rows, counts)
    return tuple(
        Slice(index, rank, world, shard_path(tables[index], rank, world), _rows_of(total, rank, world))
        for index, (total, world) in enumerate(zip(rows, counts, strict=True))
        for rank in range(world)
    )


def _share_out(more: int, rows: Sequence[int], counts: list[int]) -> None:
    queue = [(-total / count, index) for index, (total, count) in enumerate(zip(rows, counts, strict=True))]
    heapq.heapify(queue)
    for _ in range(more):
        _, index = heapq.heappop(queue)
        counts[index] += 1
        heapq.heappush(queue, (-rows[index] / counts[index], index))


def _rows_of(rows: int, rank: int, world_size: int) -> int:
    start, stop = shard_range(rows, rank, world_size)
    return stop - start


# Datasets that can be built in any size.


@dataclass(frozen=True)
class Size:
    """How much of a dataset is built.

    Attributes:
        rows: of the whole dataset, spread evenly over its configs; None for what is published.
        fresh: whether the rows are to be ones that the published dataset does not hold.
    """

    rows: int | None = None
    fresh: bool = False


def scalable(name: str) -> Publication:
    """Return the publication of a dataset that comes in any size."""
    found = registry.publication(name)
    if found.most is None:
        able = [other for other in registry.names() if registry.publication(other).most]
        raise PolbiasError(
            f"{name} comes in one size; build it with `polbias build {name}` and no options of scale "
            f"(datasets of any size: {', '.join(able)})"
        )
    return found


# What a run builds, written down where it is built, so that it can be resumed and workers can read it.

FOLDER = ".run"
_RUN = f"{FOLDER}/run.json"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    rows: int
    shards: int
    fingerprint: str


class RunFile(BaseModel):
    """The run's spec file, ``.run/run.json``.

    Attributes:
        dataset: its name.
        version: of the data.
        rows: how many were asked for; None for what is published.
        fresh: whether they are rows that the published dataset does not hold.
        writer: version of pyarrow, which the bytes of a file depend on.
        tables: config/split to rows, shards and the hash of what the table is made from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    dataset: str
    version: str
    rows: int | None
    fresh: bool
    writer: str
    tables: Mapping[str, _Table]

    def to_json(self) -> str:
        """Return the file's text; the same run gives the same text."""
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"


@dataclass(frozen=True)
class Run:
    """A dataset being built in a place.

    Attributes:
        out: the folder or address that holds one folder per dataset.
        spec: the dataset.
        slices: its shards.
        file: the run's spec file.
    """

    out: str
    spec: DatasetSpec
    slices: tuple[Slice, ...]
    file: RunFile

    @property
    def where(self) -> Place:
        """The place of the dataset."""
        return place(self.out, self.spec.name)

    @property
    def mark(self) -> str:
        """A hash of the run's spec file."""
        return hashlib.sha256(self.file.to_json().encode()).hexdigest()

    @property
    def rows(self) -> int:
        """Number of rows of all shards."""
        return sum(each.rows for each in self.slices)


def plan_run(out: str, spec: DatasetSpec, size: Size, shards: int | None) -> Run:
    """Cut a dataset into shards; nothing is written."""
    slices = cut(spec, shards)
    tables = {}
    for index, table in enumerate(spec.tables):
        own = [each for each in slices if each.table == index]
        tables[f"{table.config}/{table.split}"] = _Table(
            rows=sum(each.rows for each in own), shards=len(own), fingerprint=fingerprint(table)
        )
    file = RunFile(
        dataset=spec.name,
        version=spec.version,
        rows=size.rows,
        fresh=size.fresh,
        writer=f"pyarrow {pa.__version__}",
        tables=tables,
    )
    return Run(out, spec, slices, file)


def open_run(run: Run) -> None:
    """Write a run's files down, or find that they are there."""
    where = run.where
    found = where.read(_RUN)
    if found is None and where.read(MANIFEST) is not None:
        raise BuildError(f"{where.url}: holds another build; remove it or use another --output")
    if found is None:
        where.write(_RUN, run.file.to_json().encode())
    elif found.decode("utf-8", "replace") != run.file.to_json():
        raise BuildError(
            f"{where.url}: holds another run ({_difference(found, run.file)}); give the same options to "
            "continue it, or remove it, or use another --output"
        )
    if where.read(_pickle(run.mark)) is None:
        where.write(_pickle(run.mark), pickle.dumps((run.spec, run.slices), protocol=5))


@lru_cache(maxsize=2)
def load_run(out: str, name: str, mark: str) -> tuple[DatasetSpec, tuple[Slice, ...]]:
    """Read a run as a worker does; once in a process."""
    where = place(out, name)
    said, pickled = where.read(_RUN), where.read(_pickle(mark))
    if said is None or pickled is None:
        raise BuildError(f"{where.url}: no run found (no {_RUN}); all workers must reach the same place")
    file = RunFile.model_validate_json(said)
    spec, slices = pickle.loads(pickled)
    for table in spec.tables:
        if file.tables[f"{table.config}/{table.split}"].fingerprint != fingerprint(table):
            raise BuildError(
                f"{where.url}: was begun with {file.writer} and another version of polbias than this "
                f"machine's (pyarrow {pa.__version__}); use one environment on all machines"
            )
    return spec, slices


def _pickle(mark: str) -> str:
    return f"{FOLDER}/spec-{mark[:16]}.pickle"


def _difference(found: bytes, wanted: RunFile) -> str:
    try:
        other = RunFile.model_validate_json(found)
    except ValidationError:
        return f"{_RUN} is not readable"
    for field in ("version", "rows", "fresh", "writer"):
        before, now = getattr(other, field), getattr(wanted, field)
        if before != now:
            return f"{field}: {before} there, {now} here"
    for name in dict.fromkeys([*other.tables, *wanted.tables]):
        there, here = other.tables.get(name), wanted.tables.get(name)
        if there is None or here is None:
            return f"{name}: only {'here' if there is None else 'there'}"
        if there.shards != here.shards or there.rows != here.rows:
            return (
                f"{name}: {there.rows:,} rows in {there.shards} shards there, {here.rows:,} in {here.shards} "
                "here"
            )
    return "the templates or polbias itself have changed since"
