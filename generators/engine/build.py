"""Build a dataset: tables, card, manifest; skipped where a build is current."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import polbias.content_hash
from polbias.atomic_write import recover_folder, remove, replace_folder, write_failure, write_text
from polbias.content_hash import tree_hash
from polbias.errors import BuildError, PolbiasError
from polbias.files import file_sha256
from polbias.generators.engine.files import MAX_SHARD_ROWS, run_shard
from polbias.generators.engine.rows import TableRows
from polbias.generators.engine.spec import DatasetSpec, TableSpec
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry, read_manifest

# What a table was made from, as one hash: the reason to build it again, or not.


@cache
def _hash_code() -> bytes:
    """Hash the code between specification and bytes: the engine, the content hash and the Parquet writer."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(polbias.content_hash.__file__)]
    digest = hashlib.sha256(pa.__version__.encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.digest()


def fingerprint(spec: TableSpec) -> str:
    """Hash a specification with the code that turns it into files."""
    digest = hashlib.sha256(_hash_code())
    digest.update(repr(_canonical(spec)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _canonical(value: Any) -> Any:
    """Return a value of plain tuples, strings and numbers that identifies a part of a specification."""
    if isinstance(value, pa.DictionaryArray):
        return _canonical(value.indices), _canonical(value.dictionary)
    if isinstance(value, pa.Array):
        batch = pa.RecordBatch.from_arrays([value], names=["values"])
        return str(value.type), hashlib.sha256(batch.serialize()).hexdigest()
    if isinstance(value, pa.DataType):
        return str(value)
    if hasattr(type(value), "model_fields"):
        fields = type(value).model_fields
        return (type(value).__name__, *((name, _canonical(getattr(value, name))) for name in fields))
    if isinstance(value, dict):
        return tuple((key, _canonical(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_canonical(item) for item in value)
    return value


# Build a dataset's folder: all its tables, a card and a manifest, at once or not at all.

CARD_FILE = "README.md"
BENCHMARK = "eval.yaml"  # what Inspect and the benchmark pages of the Hub run
# What tables and card were made from; stays on this machine, as the data are the same whatever the code was.
_FINGERPRINTS = ".fingerprints.json"
_INPUTS = "inputs"


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    Attributes:
        folder: where the dataset is.
        manifest: what it holds.
        written: number of tables that were made anew.
        changed: False where everything was there and unchanged, the card included.
    """

    folder: Path
    manifest: Manifest
    n_written: int
    changed: bool


def build_dataset(
    spec: DatasetSpec,
    out: Path,
    card: Callable[[Manifest, Path], str],
    progress: Callable[[TableSpec, SplitEntry, bool], None] = lambda *_: None,
    inputs: str = "",
    benchmark: str | None = None,
) -> BuildResult:
    """Bring a dataset's folder up to date, which is made of inputs with this hash.

    Tables whose fingerprint and files are unchanged are taken over from the build that is there. The new
    folder takes the old one's place in one step, so that a build that is killed, or fails, changes nothing.
    """
    target = out / spec.name
    try:
        with dataset_lock(out, spec.name):
            recover_folder(target)
            if target.exists() and not target.is_dir():
                raise BuildError(
                    f"{target}: a file is in the place of the build; remove it or use --output DIR"
                )
            for leftover in out.glob(f".{spec.name}.staging*"):
                remove(leftover)
            staging = out / f".{spec.name}.staging"
            try:
                return _build(spec, target, staging, card, progress, inputs, benchmark)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise write_failure(target, error) from error


def _build(
    spec: DatasetSpec,
    target: Path,
    staging: Path,
    card: Callable[[Manifest, Path], str],
    progress: Callable[[TableSpec, SplitEntry, bool], None],
    inputs: str,
    benchmark: str | None,
) -> BuildResult:
    staging.mkdir()
    earlier_tables = _intact_tables(target)
    entries: dict[str, dict[str, SplitEntry]] = {}
    notes: dict[str, str] = {}
    n_written = 0
    for table in spec.tables:
        notes[f"{table.config}/{table.split}"] = table_hash = fingerprint(table)
        earlier_entry = earlier_tables.get((table.config, table.split, table_hash))
        entry = _copy_table(earlier_entry, target, staging) if earlier_entry else _build_table(table, staging)
        entries.setdefault(table.config, {})[table.split] = entry
        is_new = earlier_entry is None
        n_written += is_new
        progress(table, entry, is_new)
    manifest = Manifest(
        dataset=spec.name,
        version=spec.version,
        canary=spec.canary,
        writer=f"pyarrow {pa.__version__}",
        configs=entries,
    )
    texts = {CARD_FILE: card(manifest, staging)} | ({} if benchmark is None else {BENCHMARK: benchmark})
    for name, text in texts.items():
        (staging / name).write_text(text, "utf-8")
    (staging / MANIFEST).write_text(manifest.to_json(), "utf-8")
    notes |= {_INPUTS: inputs} | {name: file_sha256(staging / name) for name in texts}
    (staging / _FINGERPRINTS).write_text(json.dumps(notes, indent=1), "utf-8")
    changed = bool(n_written) or not _is_same_build(staging, target)
    if changed:
        replace_folder(staging, target)
    elif (staging / _FINGERPRINTS).read_bytes() != (target / _FINGERPRINTS).read_bytes():
        (staging / _FINGERPRINTS).replace(target / _FINGERPRINTS)
    return BuildResult(target, manifest, n_written, changed)


def current_build(folder: Path, inputs: str) -> BuildResult | None:
    """Return a build that is whole and was made of inputs with this hash; None if there is none."""
    try:
        notes, manifest = read_build_notes(folder), read_manifest(folder)
        entries = [entry for splits in manifest.configs.values() for entry in splits.values()]
        texts = {CARD_FILE} | ({BENCHMARK} & notes.keys())
        is_current = notes[_INPUTS] == inputs and all(
            notes[name] == file_sha256(folder / name) for name in texts
        )
        if is_current and all(
            _is_intact(folder / file.path, file) for entry in entries for file in entry.files
        ):
            return BuildResult(folder, manifest, 0, False)
    except (BuildError, OSError, ValueError, TypeError, KeyError):
        pass
    return None


def read_build_notes(folder: Path) -> dict[str, str]:
    """Return what is known of how a build was made, and what of it was verified."""
    try:
        return dict(json.loads((folder / _FINGERPRINTS).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def add_build_note(folder: Path, key: str, content_hash: str) -> None:
    """Add a mark to what is known of a build, where something is."""
    if notes := read_build_notes(folder):
        with suppress(PolbiasError):  # a folder that may only be read
            write_text(folder / _FINGERPRINTS, json.dumps(notes | {key: content_hash}, indent=1))


def _build_table(table: TableSpec, folder: Path) -> SplitEntry:
    rows = TableRows(table)
    n_shards = max(1, -(-len(rows) // MAX_SHARD_ROWS))
    written_shards = [
        run_shard(table, rank, n_shards, folder, content=n_shards == 1, leaves=True)
        for rank in range(n_shards)
    ]
    return SplitEntry(
        rows=len(rows),
        content=written_shards[0].content,
        tree=tree_hash(rows.schema, (leaf for shard in written_shards for leaf in shard.leaves)),
        files=tuple(
            FileEntry(path=s.path.relative_to(folder).as_posix(), rows=s.rows, size=s.size, sha256=s.sha256)
            for s in written_shards
        ),
    )


def _intact_tables(folder: Path) -> dict[tuple[str, str, str], SplitEntry]:
    """Return an earlier build's tables by config, split and fingerprint, if their files are still whole."""
    try:
        manifest, notes = read_manifest(folder), read_build_notes(folder)
    except BuildError:
        return {}
    return {
        (config, name, str(notes.get(f"{config}/{name}"))): split
        for config, splits in manifest.configs.items()
        for name, split in splits.items()
        if all(_is_intact(folder / file.path, file) for file in split.files)
    }


def _is_intact(path: Path, entry: FileEntry) -> bool:
    return path.is_file() and path.stat().st_size == entry.size and file_sha256(path) == entry.sha256


def _copy_table(entry: SplitEntry, source: Path, folder: Path) -> SplitEntry:
    for file in entry.files:
        (folder / file.path).parent.mkdir(exist_ok=True)
        shutil.copy2(source / file.path, folder / file.path)
    return entry


def _is_same_build(first: Path, second: Path) -> bool:
    """Tell whether two folders hold the same files with the same bytes (tables: by manifest)."""
    if not second.is_dir():
        return False
    names = [
        sorted(p.relative_to(f).as_posix() for p in f.rglob("*") if p.is_file()) for f in (first, second)
    ]
    return names[0] == names[1] and all(
        (first / name).read_bytes() == (second / name).read_bytes()
        for name in (CARD_FILE, MANIFEST, BENCHMARK)
        if name in names[0]
    )


@contextmanager
def dataset_lock(out: Path, name: str) -> Iterator[None]:
    """Hold the lock of one dataset, so that two builds do not get in each other's way."""
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / f".{name}.lock", timeout=0):
            yield
    except Timeout:
        raise BuildError(f"{out / name}: another build is under way; wait for it to end") from None
