"""Bodies of responses: read no further than to a limit; what they say of tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

MAX_BYTES = 64 << 20
"""Of an answer, decoded; one that is longer is none that anybody reads."""
MAX_ERROR_BYTES = 1 << 20
TOO_LONG = "too_long"
"""Why an answer ended, where it was longer than the limit."""
_MAX_TOKENS = 10**9


async def read_to(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """Return a body up to a limit in bytes, and whether it is longer."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def is_token_count(value: Any) -> bool:
    """Return whether a value that a server tells can be a number of tokens, or a share of one."""
    return type(value) in (int, float) and 0 <= value <= _MAX_TOKENS
