"""Specification as an Arrow file: arrays as columns, everything else as JSON; reading one runs no code."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from polbias.generators.engine import spec as engine
from polbias.generators.engine.spec import DatasetSpec

_MODELS: dict[str, type[BaseModel]] = {
    model.__name__: model
    for model in (
        *(
            engine.Factor,
            engine.Constant,
            engine.Lookup,
            engine.ColumnReference,
            engine.FilledTemplate,
            engine.Concatenation,
        ),
        *(
            engine.ListColumn,
            engine.StructColumn,
            engine.Exclusion,
            engine.Sample,
            engine.TableSpec,
            DatasetSpec,
        ),
    )
}
_KEY = b"polbias"
_READ_ERRORS = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, StopIteration)


class _Writer:
    """Encoder that numbers models, arrays and types; an object that columns share is written once."""

    def __init__(self) -> None:
        self.models: list[Any] = []
        self.arrays: list[Any] = []
        self._numbers: dict[
            int, tuple[Any, dict[str, int]]
        ] = {}  # by id; the reference keeps the object alive

    def encode(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return {"list": [self.encode(item) for item in value]}
        if isinstance(value, dict):
            return {"map": {key: self.encode(item) for key, item in value.items()}}
        if not isinstance(value, BaseModel | pa.Array | pa.DataType):
            return value
        if id(value) not in self._numbers:
            self._numbers[id(value)] = value, self._number(value)
        return self._numbers[id(value)][1]

    def _number(self, value: Any) -> dict[str, int]:
        if isinstance(value, BaseModel):
            fields = {name: self.encode(getattr(value, name)) for name in type(value).model_fields}
            self.models.append([type(value).__name__, fields])
            return {"model": len(self.models) - 1}
        is_type = isinstance(value, pa.DataType)
        array = pa.array([], value) if is_type else value
        self.arrays.append(pa.ListArray.from_arrays([0, len(array)], array))
        return {"type" if is_type else "array": len(self.arrays) - 1}


def write_spec(spec: DatasetSpec, metadata: Any) -> bytes:
    """Return a specification and JSON metadata as an Arrow stream of one row."""
    writer = _Writer()
    writer.encode(spec)
    head = json.dumps({"about": metadata, "models": writer.models})
    names = [str(number) for number in range(len(writer.arrays))]
    batch = pa.RecordBatch.from_arrays(writer.arrays, names).replace_schema_metadata({_KEY: head})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return sink.getvalue()


def read_spec(content: bytes) -> tuple[DatasetSpec, Any]:
    """Return the specification that `write_spec` wrote, and its metadata.

    Raises:
        ValueError: if the content is not a specification.
    """
    try:
        with pa.ipc.open_stream(content) as stream:
            batch = stream.read_next_batch()
        batch.validate(full=True)
        head = json.loads(batch.schema.metadata[_KEY])
        arrays = [column[0].values for column in batch.columns]
        models: list[BaseModel] = []

        def decode(value: Any) -> Any:
            if not isinstance(value, dict):
                return value
            ((kind, content),) = value.items()
            match kind:
                case "list":
                    return tuple(map(decode, content))
                case "map":
                    return {key: decode(item) for key, item in content.items()}
                case "model":
                    return models[content]
                case "type":
                    return arrays[content].type
                case _:
                    return arrays[content]

        for name, fields in head["models"]:
            models.append(_MODELS[name](**{field: decode(value) for field, value in fields.items()}))
        spec = models[-1]
    except (pa.ArrowException, *_READ_ERRORS) as error:
        raise ValueError(f"{type(error).__name__}: {error}".splitlines()[0]) from None
    if not isinstance(spec, DatasetSpec):
        raise ValueError(f"found {type(spec).__name__}, expected DatasetSpec")
    return spec, head["about"]
