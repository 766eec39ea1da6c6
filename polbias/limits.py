"""Size limits: a larger file or response is rejected with one line, before it fills the memory."""

from __future__ import annotations

MAX_FILE = 256 << 20
"""Bytes of a file read into memory at once, such as JSON or a spreadsheet."""
MAX_LINE = 256 << 20
"""Bytes of a line of JSON Lines: a sample may have a long prompt with all its answers."""
MAX_ROW = 1 << 20
"""Characters of a line of a table."""
MAX_ITEMS = 2_000_000
"""Rows in memory at once."""
MAX_ROWS = 10_000_000
"""Rows of a user's Parquet file, whose bytes do not limit them."""
MAX_VALUES = 1 << 25
"""Values of one column in a Parquet row group, including values in lists."""
MAX_GROUP = 2 << 30
"""Uncompressed bytes of a Parquet row group."""
MAX_BATCH = 256 << 20
"""Bytes of a batch of Parquet rows if each value were as long as all stored data of its column."""
MAX_ENTRY = 256 << 20
"""Uncompressed bytes of an archive entry."""
MAX_TOTAL = 4 << 30
"""Bytes of all entries of an archive, or of a table read into memory at once."""
MAX_BODY = 64 << 20
"""Decoded bytes of a model's response; no useful response is longer."""
MAX_ERROR_BODY = 1 << 20
"""Bytes of an error response."""

# Template files are small, and each of their values occurs in thousands of rows.

MAX_TEMPLATE = 4 << 20
"""Bytes of a template file."""
MAX_TEXT = 10_000
"""Characters of one value of a template file."""
MAX_LEVELS = 50
"""Nesting levels of YAML."""
