"""Bodies of responses: read no further than to a limit; what they say of tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from polbias.limits import MAX_BODY, MAX_ERROR_BODY

TOO_LONG = "too_long"
"""Why an answer ended, where it was longer than the limit."""
LIMIT_CODE = "polbias_too_long"
_MAX_TOKENS = 10**9
_CODINGS = ("", "identity", "gzip", "deflate")  # others, and several, unpack to gigabytes in one step
_OF_ENCODING = ("content-encoding", "content-length", "transfer-encoding")


async def read_to(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """Return a body up to a limit in bytes, and whether it is longer."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def limit_bodies(client: Any, limit: int = MAX_BODY) -> None:
    """Let a client read no answer beyond a limit in bytes; a longer one is an error 400 with `LIMIT_CODE`.

    What is JSON is called so, as the clients of services hand out as a text what their server calls one.
    Streams are left as they are.

    Args:
        client: an asynchronous one of httpx, or of httpx2, its successor.
        limit: in bytes, decoded.
    """
    send = client.send

    async def bounded(request: Any, *, stream: bool = False, **options: Any) -> Any:
        response = await send(request, stream=True, **options)
        if stream:
            return response
        body, is_longer = b"", response.headers.get("content-encoding", "") not in _CODINGS
        try:
            if not is_longer:
                most = MAX_ERROR_BODY if response.is_error else limit
                body, is_longer = await read_to(response.aiter_bytes(), most)
        finally:
            await response.aclose()
        if is_longer and not response.is_error:
            error = {"code": LIMIT_CODE, "message": f"the answer has more than {limit:,} bytes"}
            return type(response)(400, json={"error": error}, request=request)
        headers = {name: value for name, value in response.headers.items() if name not in _OF_ENCODING}
        if body.lstrip().startswith(b"{"):
            headers["content-type"] = "application/json"
        return type(response)(response.status_code, headers=headers, content=body, request=request)

    client.headers["accept-encoding"] = "gzip, deflate"
    vars(client)["send"] = bounded


def is_token_count(value: Any) -> bool:
    """Return whether a value that a server tells can be a number of tokens, or a share of one."""
    return type(value) in (int, float) and 0 <= value <= _MAX_TOKENS
