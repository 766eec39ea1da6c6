"""The files and Hub datasets that claims are read from, as tables."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.generators.logic.audit.tables import Row, Table, open_tables
from polbias.optional import advice

_CHUNK = 1 << 20
_PARQUET = b"PAR1"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@contextmanager
def open_claims(path: Path, encoding: str) -> Iterator[tuple[Table, ...]]:
    """Open the tables of a file or folder; a text in another encoding than UTF-8 is read from a copy.

    Args:
        path: a file, or a folder of Parquet files.
        encoding: of a text file; UTF-16 is known by its first bytes.

    Raises:
        InputError: if there is no such file, it is no table or the encoding is unknown.
    """
    try:
        codec = codecs.lookup(encoding).name
        with suppress(UnicodeError):
            b"ab".decode(encoding)  # refuses codecs that are no encodings of text
    except LookupError:
        raise InputError(
            f"encoding: found {encoding!r}, expected a name such as 'utf-8', 'cp1252' or 'utf-16'"
        ) from None
    source = _needed(path, codec)
    if source is None:
        yield open_tables(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        try:
            _convert(path, copy, source)
            yield open_tables(copy)
        except InputError as error:
            raise InputError(str(error).replace(str(copy), str(path))) from None


def _needed(path: Path, codec: str) -> str | None:
    """Return the encoding from which a file has to be converted, None if it can be read as it is."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            start = file.read(4)
            if start.startswith(_PARQUET):
                return None
            if codec == "utf-8" and start.startswith(_WIDE):
                return "utf-16"
            file.seek(0)
            if codec != "utf-8":
                return codec
            decoder = codecs.getincrementaldecoder("utf-8")()
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "utf-8"
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check path and permissions") from None
    return None


def _convert(path: Path, copy: Path, codec: str) -> None:
    """Write a text file anew in UTF-8, with U+FFFD for bytes that its encoding does not allow."""
    decoder = codecs.getincrementaldecoder(codec)("replace")
    with path.open("rb") as source, copy.open("w", encoding="utf-8", newline="") as target:
        while chunk := source.read(_CHUNK):
            target.write(decoder.decode(chunk))
        target.write(decoder.decode(b"", final=True))


class HubTable:
    """A split of a dataset as a table.

    Args:
        name: of the dataset.
        config: of the dataset, None for the only one.
        split: which rows.
        revision: commit, tag or branch.

    Raises:
        InputError: if it cannot be loaded.
    """

    def __init__(self, name: str, config: str | None, split: str, revision: str | None) -> None:
        self.path = Path(name)
        try:
            import datasets
        except ImportError:
            raise InputError(f"{name}: the package `datasets` is not installed; {advice('eval')}") from None
        try:
            self._data: Any = datasets.load_dataset(name, config, split=split, revision=revision)
        except (OSError, ValueError) as error:  # what datasets raises derives from one of them
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(f"{name}: cannot be loaded ({reason}); check name, config and split") from None
        self.columns: Sequence[str] = self._data.column_names

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """Yield all rows with the values of some columns; of labels their names."""
        names = [getattr(self._data.features[column], "names", None) for column in wanted]
        for number, row in enumerate(self._data.select_columns(list(wanted)), start=1):
            values = [row[column] for column in wanted]
            yield Row(
                number,
                [
                    known[value] if known and isinstance(value, int) and 0 <= value < len(known) else value
                    for value, known in zip(values, names, strict=True)
                ],
            )
