"""What a run builds, written down where it is built, so that it can be resumed and workers can read it."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from polbias.files import BuildError
from polbias.generators.engine import DatasetSpec
from polbias.generators.engine.fingerprint import fingerprint
from polbias.manifest import MANIFEST
from polbias.scaling.contract import Size
from polbias.scaling.places import Place, place
from polbias.scaling.slices import Slice, cut

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
    """Cut a dataset into shards; nothing is written.

    Raises:
        BuildError: if the number of shards or rows is impossible.
    """
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
    """Write a run's files down, or find that they are there.

    Raises:
        BuildError: if something else is in the place, or it cannot be written.
    """
    where = run.where
    found = where.read(_RUN)
    if found is None and where.read(MANIFEST) is not None:
        raise BuildError(f"{where.url}: holds another build; remove it or use another --out")
    if found is None:
        where.write(_RUN, run.file.to_json().encode())
    elif found.decode("utf-8", "replace") != run.file.to_json():
        raise BuildError(
            f"{where.url}: holds another run ({_difference(found, run.file)}); give the same options to "
            "continue it, or remove it, or use another --out"
        )
    if where.read(_pickle(run.mark)) is None:
        where.write(_pickle(run.mark), pickle.dumps((run.spec, run.slices), protocol=5))


@lru_cache(maxsize=2)
def load_run(out: str, name: str, mark: str) -> tuple[DatasetSpec, tuple[Slice, ...]]:
    """Read a run as a worker does; once in a process.

    Args:
        out: as in `Run`.
        name: the dataset.
        mark: the run's.

    Raises:
        BuildError: if it is not there, or this machine would not make the same files.
    """
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
