"""Limits: what is larger in a file or response of others is refused in one line, and fills no memory."""

from __future__ import annotations

MAX_FILE = 256 << 20
"""Bytes of a file that is read as a whole, such as JSON or a spreadsheet."""
MAX_LINE = 256 << 20
"""Bytes of a line of JSON Lines: a sample may hold a long prompt with all its answers."""
MAX_ROW = 1 << 20
"""Characters of a line of a table."""
MAX_ITEMS = 2_000_000
"""Rows that are held in memory, all at once."""
MAX_ROWS = 10_000_000
"""Rows of a Parquet file of others, whose size says nothing of them."""
MAX_VALUES = 1 << 25
"""Values of one column in a row group of Parquet, those in lists counted too."""
MAX_GROUP = 2 << 30
"""Bytes of a row group of Parquet, unpacked."""
MAX_BATCH = 256 << 20
"""Bytes of a batch of rows of Parquet, were each value as long as all that is stored of its column."""
MAX_ENTRY = 256 << 20
"""Bytes of an entry of an archive, unpacked."""
MAX_TOTAL = 4 << 30
"""Bytes of all entries of an archive, or of a table that is read as a whole."""
MAX_BODY = 64 << 20
"""Bytes of a response of a model, decoded; a longer one is no answer that anybody reads."""
MAX_ERROR_BODY = 1 << 20
"""Bytes of the response that tells an error."""

# Files by which a user says what to make; they are small, and what is in them stands in thousands of rows.

MAX_TEMPLATE = 4 << 20
"""Bytes of a template file."""
MAX_TEXT = 10_000
"""Characters of one value of a template file."""
MAX_LEVELS = 50
"""Levels of YAML in one another."""
