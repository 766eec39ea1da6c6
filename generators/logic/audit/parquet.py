"""Parquet tables, read in small batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from polbias.files import InputError
from polbias.generators.logic.audit.tables import Row

_BATCH = 1024
_BUFFER = 1 << 20


class ParquetTable:
    """A Parquet file.

    Args:
        path: the file.

    Raises:
        InputError: if it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Without a buffer Arrow would read the whole of every column of a row group at once.
            self._file = pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
            self.columns: Sequence[str] = self._file.schema_arrow.names
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._damaged(error) from None

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """Yield all rows with the values of some columns."""
        number = 0
        try:
            for batch in self._file.iter_batches(_BATCH, columns=list(wanted), use_threads=False):
                columns = [batch.column(name).to_pylist() for name in wanted]
                for values in zip(*columns, strict=True):
                    number += 1
                    yield Row(number, values)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._damaged(error, number) from None

    def _damaged(self, error: Exception, after: int = 0) -> InputError:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        place = f", after row {after:,}" if after else ""
        return InputError(f"{self.path}: damaged or no Parquet file{place} ({reason}); get it again")
