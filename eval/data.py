"""Loader of the rows of a task, from a local build or the Hub; it accepts only the published data."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from polbias.aliases import Json
from polbias.builds import build_advice, describe_unbuilt, is_built
from polbias.content_hash import has_content, parquet_content_hash
from polbias.errors import BuildError, InputError, PolbiasError
from polbias.eval.lm_eval_compat import silence_git, write_halves
from polbias.lock import lock_path, read_lock
from polbias.manifest import Manifest, SplitEntry, read_manifest
from polbias.paths import build_root, dataset_namespace

_log = logging.getLogger("lm-eval.polbias")
ACCEPT_BUILD_VARIABLE = "POLBIAS_ACCEPT_BUILD"
SPLIT = "test"
_BATCH = 1000


def load_task_rows(
    *,
    polbias_dataset: str,
    polbias_config: str,
    polbias_revision: str,
    polbias_shots: int | None = None,
    polbias_style: str | None = None,
    polbias_instruction: str | None = None,
    polbias_pairs: int | None = None,
    polbias_source: str | None = None,
    polbias_default_pairs: int | None = None,
    polbias_default_shots: int | None = None,
    **_: Any,
) -> Json:
    """Load the test split of a config, as an lm_eval task does (``custom_dataset``).

    A user's setting replaces a default of the task; what the task fixes has the name of the setting itself.
    ``polbias_source`` (``DATASET`` or ``DATASET/CONFIG``) replaces the dataset of the task by a local build,
    such as published data that a user imported; this needs ``POLBIAS_ACCEPT_BUILD=1``, as no lock has it.
    """
    import pyarrow.parquet as pq

    polbias_dataset, polbias_config = select_source(polbias_source, polbias_dataset, polbias_config)
    paths, version, origin = _checked_files(polbias_dataset, polbias_config, polbias_revision)
    table = pq.read_table(paths)
    location = f"{polbias_dataset}/{polbias_config}"
    for setting, column, value in (
        ("polbias_shots", "shots", polbias_default_shots if polbias_shots is None else polbias_shots),
        ("polbias_style", "prompt_style", polbias_style),
        ("polbias_instruction", "instruction_language", polbias_instruction),
    ):
        if value is not None:
            table = _select_value(table, column, value, setting, location)
    n_pairs = polbias_default_pairs if polbias_pairs is None else polbias_pairs
    table = keep_first_values(table, "pair_id", n_pairs, "polbias_pairs", location)
    _log.warning(f"{location} {version}: {table.num_rows:,} rows from {origin}")
    return to_dataset_dict(table)


def select_source(source: str | None, dataset: str, config: str) -> tuple[str, str]:
    """Return dataset and config of a source, ``DATASET`` or ``DATASET/CONFIG``; those given without one."""
    if not source:
        return dataset, config
    if not isinstance(source, str):
        raise InputError(
            f"polbias_source: found {source!r}, expected DATASET or DATASET/CONFIG, such as "
            "policy-statements/de; correct it"
        )
    dataset, _slash, source_config = source.partition("/")
    if not is_built(build_root() / dataset):
        raise BuildError(
            f"polbias_source: found no build {build_root() / dataset}; build it there from your "
            "copy, or set POLBIAS_DATA_DIR to the folder of your builds"
        )
    return dataset, source_config or config


def read_columns(dataset: str, config: str, columns: Sequence[str]) -> Any:
    """Return columns of the test split of a config, of the version in the lock, as an Arrow table."""
    import pyarrow.parquet as pq

    locked = read_lock().get(dataset)
    paths, _, _ = _checked_files(dataset, config, f"v{locked.version}" if locked else "main")
    return pq.read_table(paths, columns=list(columns))


def to_dataset_dict(table: Any) -> Json:
    """Convert an Arrow table to the dataset that lm_eval expects."""
    import datasets
    import pyarrow as pa
    from datasets.fingerprint import generate_random_fingerprint

    write_halves()
    silence_git()
    if "gold" not in table.column_names:  # lm_eval requires a target
        table = table.append_column("gold", pa.nulls(table.num_rows, pa.string()))

    class Rows(datasets.Dataset):  # type: ignore[misc]
        """A dataset that reads rows in batches: lm_eval iterates over all of them three times."""

        def __iter__(self) -> Iterator[Json]:
            for batch in self.data.table.to_batches(max_chunksize=_BATCH):
                yield from batch.to_pylist()

    splits: Json = datasets.DatasetDict({SPLIT: Rows(table, fingerprint=generate_random_fingerprint())})
    return splits


def require_columns(table: Any, names: Sequence[str], location: str, expected: str) -> None:
    """Raise an error if a table lacks a column."""
    if missing := [name for name in names if name not in table.column_names]:
        raise InputError(f"{location}: has no column {missing[0]!r}; expected {expected}")


def _select_value(table: Any, column: str, value: Any, setting: str, location: str) -> Any:
    """Select the rows with a value of a column; InputError if there are none."""
    if column not in table.column_names:
        raise InputError(
            f"{setting}: found {value!r}, but {location} has no column {column}; remove the setting"
        )
    values = table[column].unique().to_pylist()
    if value not in values:
        expected = ", ".join(map(str, sorted(known for known in values if known is not None)))
        raise InputError(
            f"{setting}: found {value!r}, but the {column} of {location} are {expected}; use one of these"
        )
    return filter_rows(table, column, [values[values.index(value)]])


def keep_first_values(table: Any, column: str, count: int | None, setting: str, location: str) -> Any:
    """Select the rows with the first `count` values of a column; all rows without a count.

    Args:
        table: rows.
        column: column of the values.
        count: number of values; a warning says if the table has fewer.
        setting: name of the count, for the error if it is not a number from 1, and for the warning.
        location: origin of the rows, for the warning.
    """
    if count is None:
        return table
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InputError(f"{setting}: found {count!r}, expected a number from 1, such as 8")
    values = list(dict.fromkeys(table[column].to_pylist()))
    if count > len(values):
        _log.warning(f"{location}: {setting}: found {count:,}, expected at most {len(values):,}; uses all")
    return filter_rows(table, column, values[:count])


def filter_rows(table: Any, column: str, values: Sequence[Any]) -> Any:
    """Select the rows of a table whose column has one of the values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return table.filter(pc.is_in(table[column], pa.array(list(values), table[column].type)))


def _checked_files(dataset: str, config: str, revision: str) -> tuple[list[Path], str, str]:
    """Return the files of the test split of a config, the version of the data, and its origin in words."""
    folder, origin = locate_dataset(dataset, config, revision)
    manifest = read_manifest(folder)
    entry = _entry(manifest, config, folder)
    paths = [folder / file.path for file in entry.files]
    _check(manifest, config, entry, paths, origin)
    return paths, manifest.version, origin


def locate_dataset(dataset: str, config: str, revision: str) -> tuple[Path, str]:
    """Return the folder of a dataset and its origin: ``$POLBIAS_DATA_DIR``, the local build, or the Hub."""
    folder = build_root() / dataset
    if is_built(folder):
        return folder, f"the local build {folder}"
    if os.environ.get("POLBIAS_DATA_DIR"):
        raise BuildError(
            f"{folder}: no build found, though POLBIAS_DATA_DIR is set; {build_advice([dataset])}, which "
            "builds there, or unset it to read from the Hub"
        )
    return _from_hub(dataset, config, revision)


def _from_hub(dataset: str, config: str, revision: str) -> tuple[Path, str]:
    repo = f"{dataset_namespace()}/{dataset}"
    patterns = ["README.md", "manifest.json", f"{config}/*"]
    advice = (
        f"{describe_unbuilt([dataset], build_root())}; for the Hub, set POLBIAS_NAMESPACE to where it was "
        "pushed, or log in with `hf auth login`"
    )
    folder = download_snapshot(repo, patterns, advice, revision)
    return folder, f"the Hub ({repo} at {revision})"


def download_snapshot(repo: str, patterns: Sequence[str], advice: str, revision: str = "main") -> Path:
    """Download the matching files of a dataset repository of the Hub; return their folder."""
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(repo, repo_type="dataset", revision=revision, allow_patterns=list(patterns))
        )
    except Exception as error:  # the client raises a class per kind of failure
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise PolbiasError(
            f"{repo}: cannot be read from the Hub at {revision} ({reason}); {advice}"
        ) from error


def _entry(manifest: Manifest, config: str, folder: Path) -> SplitEntry:
    try:
        return manifest.configs[config][SPLIT]
    except KeyError:
        names = ", ".join(manifest.configs)
        raise BuildError(f"{folder}: has no config {config!r}; it has: {names}") from None


def _check(manifest: Manifest, config: str, entry: SplitEntry, paths: list[Path], origin: str) -> None:
    """Raise an error if the rows differ from the locked ones, unless the user accepts a local build."""
    name = f"{manifest.dataset}/{config}"
    locked = read_lock().get(manifest.dataset)
    split = locked.configs.get(config, {}).get(SPLIT) if locked else None
    expected = (split and (split.content or split.tree)) or "nothing"
    try:
        is_published = split is not None and has_content(paths, split)
        content_hash = expected if is_published else parquet_content_hash(paths)
    except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors
        raise BuildError(
            f"{name}: {origin} is damaged ({str(error).splitlines()[0]}); {build_advice([manifest.dataset])}"
        ) from None
    if is_published and locked and locked.version == manifest.version:
        return
    version = locked.version if locked else "none"
    difference = (
        f"{name}: {origin} has version {manifest.version} with content {content_hash[:12]}, "
        f"{lock_path().name} has version {version} with {expected[:12]}"
    )
    if os.environ.get(ACCEPT_BUILD_VARIABLE) == "1" and has_content(paths, entry):
        _log.warning(
            f"{difference}; accepted because {ACCEPT_BUILD_VARIABLE}=1: these are not the published data"
        )
        return
    raise BuildError(
        f"{difference}; to rebuild it, {build_advice([manifest.dataset])}, "
        f"or set {ACCEPT_BUILD_VARIABLE}=1 to evaluate your build"
    )
