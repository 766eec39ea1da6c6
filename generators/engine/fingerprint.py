"""What a table was made from, as one hash: the reason to build it again, or not."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import polbias.content
from polbias.generators.engine.spec import TableSpec


@cache
def _machinery() -> bytes:
    """Hash the code between specification and bytes: the engine, the content hash and the Parquet writer."""
    sources = [*sorted(Path(__file__).parent.glob("*.py")), Path(polbias.content.__file__)]
    whole = hashlib.sha256(pa.__version__.encode())
    for source in sources:
        whole.update(source.read_bytes())
    return whole.digest()


def fingerprint(spec: TableSpec) -> str:
    """Hash a specification with the code that turns it into files.

    Args:
        spec: the table.

    Returns:
        A SHA-256 in hexadecimal; equal fingerprints mean equal files.
    """
    whole = hashlib.sha256(_machinery())
    whole.update(repr(_canonical(spec)).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _canonical(value: Any) -> Any:
    """Return a value of plain tuples, strings and numbers that identifies a part of a specification."""
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
