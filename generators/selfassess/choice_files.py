"""Write the rows of the second stage: as Parquet or JSON Lines, a batch at a time, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.drafts import draft_of
from polbias.files import InputError

_BATCH = 1024  # rows: some 16 MB of prompts
_PROMPT = "\0prompt\0"  # stands in for a prompt
_STRING = pa.string()
_TURN = pa.struct([("role", _STRING), ("content", _STRING)])
SCHEMA = pa.schema(
    [
        *((name, _STRING) for name in ("id", "dataset", "config", "dataset_version", "language", "prompt")),
        ("messages", pa.list_(_TURN)),
        *((name, _STRING) for name in ("prefill", "cluster_id", "set", "category", "item", "topic", "role")),
        ("question", _STRING),
        ("ways", pa.int8()),
        ("options", pa.list_(_STRING)),
        ("sides", pa.list_(_STRING)),
        ("order", pa.int8()),
        ("model", _STRING),
        ("leak", pa.bool_()),
        ("truncated", pa.bool_()),
    ]
)


def batches(rows: Iterable[Mapping[str, Any]], size: int = _BATCH) -> Iterator[Any]:
    """Yield rows as Arrow record batches of at most `size` rows."""
    pending = iter(rows)
    while block := list(islice(pending, size)):
        columns = [pa.array([row[field.name] for row in block], field.type) for field in SCHEMA]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def write_choices(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as Parquet (``.parquet``) or JSON Lines (``.jsonl``).

    Args:
        path: the file; what was there before stays until the new one is complete.
        rows: as `choices` yields them.

    Returns:
        How many rows were written.

    Raises:
        InputError: if the name ends otherwise, or the file cannot be written.
    """
    writers = {".parquet": _parquet, ".jsonl": _json_lines}
    if path.suffix not in writers:
        raise InputError(
            f"{path}: found a name that ends in {path.suffix or 'nothing'}, expected .parquet or .jsonl"
        )
    draft = draft_of(path)
    try:
        count = writers[path.suffix](draft, rows)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        draft.unlink(missing_ok=True)
    return count


def _parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    with pq.ParquetWriter(
        path, SCHEMA, compression="zstd", compression_level=1, use_dictionary=False
    ) as writer:
        for batch in batches(rows):
            writer.write_batch(batch)
            count += batch.num_rows
    return count


def _json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    place, count = encode(_PROMPT), 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            # The prompt stands in the row twice and is most of it: it is encoded once.
            user, *rest = row["messages"]
            if user["content"] == row["prompt"]:
                row = {**row, "prompt": _PROMPT, "messages": [{**user, "content": _PROMPT}, *rest]}
                line = encode(row).replace(place, encode(user["content"]))
            else:
                line = encode(row)
            file.write(line + "\n")
            count += 1
    return count
