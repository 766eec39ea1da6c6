"""Build a dataset (tables, card, manifest), reusing unchanged tables."""

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
from polbias.atomic_write import make_write_error, recover_folder, remove, replace_folder, write_text
from polbias.content_hash import tree_hash
from polbias.errors import BuildError, PolbiasError
from polbias.files import file_sha256
from polbias.generators.engine.files import MAX_SHARD_ROWS, run_shard
from polbias.generators.engine.rows import TableRows
from polbias.generators.engine.spec import DatasetSpec, TableSpec
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry, read_manifest

# Hash of a table's specification and of the code: a changed hash rebuilds the table.


@cache
def _hash_code() -> bytes:
    """Hash the code that writes tables: engine, content hash and version of the Parquet writer."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(polbias.content_hash.__file__)]
    digest = hashlib.sha256(pa.__version__.encode())
    for source in sources:
        digest.update(source.read_bytes())
    return digest.digest()


def fingerprint(spec: TableSpec) -> str:
    """Return the hash of a specification and of the code that writes its files."""
    digest = hashlib.sha256(_hash_code())
    digest.update(repr(_canonical(spec)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _canonical(value: Any) -> Any:
    """Return plain tuples, strings and numbers that identify a part of a specification."""
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


# Build a dataset's folder atomically: tables, card and manifest.

CARD_FILE = "README.md"
BENCHMARK = "eval.yaml"  # benchmark definition for Inspect and the benchmark pages of the Hub
# Hashes of tables, inputs and card; local only, because equal data can come from different code.
_FINGERPRINTS = ".fingerprints.json"
_INPUTS = "inputs"
_NOTICES = "notices"  # lines


@dataclass(frozen=True)
class BuildResult:
    """Result of a build.

    Attributes:
        folder: folder of the dataset.
        manifest: manifest of the dataset.
        n_written: number of rebuilt tables.
        changed: whether any file changed, the card included.
        notices: lines about templates that the tables leave out.
    """

    folder: Path
    manifest: Manifest
    n_written: int
    changed: bool
    notices: tuple[str, ...] = ()


def build_dataset(
    spec: DatasetSpec,
    out: Path,
    card: Callable[[Manifest, Path], str],
    progress: Callable[[TableSpec, SplitEntry, bool], None] = lambda *_: None,
    inputs: str = "",
    benchmark: str | None = None,
) -> BuildResult:
    """Build or update a dataset's folder; `inputs` is the hash of its inputs.

    Tables with unchanged fingerprint and files are copied from the existing build. The new folder replaces
    the old folder in one step: a build that fails or is killed changes nothing.
    """
    target = out / spec.name
    try:
        with dataset_lock(out, spec.name):
            recover_folder(target)
            if target.exists() and not target.is_dir():
                raise BuildError(
                    f"{target}: found a file, expected a folder of a build; remove it or use --output DIR"
                )
            for leftover in out.glob(f".{spec.name}.staging*"):
                remove(leftover)
            staging = out / f".{spec.name}.staging"
            try:
                return _build(spec, target, staging, card, progress, inputs, benchmark)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except OSError as error:
        raise make_write_error(target, error) from error


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
    notes |= {_NOTICES: "\n".join(spec.notices)} if spec.notices else {}
    notes |= {_INPUTS: inputs} | {name: file_sha256(staging / name) for name in texts}
    (staging / _FINGERPRINTS).write_text(json.dumps(notes, indent=1), "utf-8")
    changed = bool(n_written) or not _is_same_build(staging, target)
    if changed:
        replace_folder(staging, target)
    elif (staging / _FINGERPRINTS).read_bytes() != (target / _FINGERPRINTS).read_bytes():
        (staging / _FINGERPRINTS).replace(target / _FINGERPRINTS)
    return BuildResult(target, manifest, n_written, changed, spec.notices)


def current_build(folder: Path, inputs: str) -> BuildResult | None:
    """Return the build in a folder if it is complete and its inputs have this hash, else None."""
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
            return BuildResult(folder, manifest, 0, False, tuple(notes.get(_NOTICES, "").splitlines()))
    except (BuildError, OSError, ValueError, TypeError, KeyError):
        pass
    return None


def read_build_notes(folder: Path) -> dict[str, str]:
    """Return the hashes of a build's tables, inputs and last verification; empty if none can be read."""
    try:
        return dict(json.loads((folder / _FINGERPRINTS).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def add_build_note(folder: Path, key: str, content_hash: str) -> None:
    """Add a hash to the notes of a build, if it has notes and its folder is writable."""
    if notes := read_build_notes(folder):
        with suppress(PolbiasError):  # read-only folder
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
    """Map (config, split, fingerprint) to the tables of the existing build whose files are intact."""
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
    """Whether two folders have the same file names, cards and manifests (tables by manifest)."""
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
    """Hold the lock of a dataset, so that one build at a time writes to it."""
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / f".{name}.lock", timeout=0):
            yield
    except Timeout:
        raise BuildError(f"{out / name}: another build is under way; wait until it ends") from None
