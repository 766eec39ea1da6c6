"""Size limit of response bodies, and validation of token counts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from polbias.limits import MAX_BODY, MAX_ERROR_BODY

TOO_LONG = "too_long"
"""Finish reason of a response that is longer than the limit."""
LIMIT_CODE = "polbias_too_long"
_MAX_TOKENS = 10**9
_SAFE_ENCODINGS = (
    "",
    "identity",
    "gzip",
    "deflate",
)  # other encodings, and several at once, may unpack to gigabytes in one step
_ENCODING_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


async def read_up_to(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """Return a body up to a limit in bytes, and whether it is longer."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def limit_bodies(client: Any, limit: int = MAX_BODY) -> None:
    """Limit the bytes that a client reads of a response; a longer one becomes an error 400 with `LIMIT_CODE`.

    A body that starts with ``{`` gets the content type of JSON, since clients of services return text for any
    other content type. Streams are not limited.

    Args:
        client: asynchronous client of httpx, or of its successor httpx2.
        limit: limit of the decoded body in bytes.
    """
    send = client.send

    async def send_limited(request: Any, *, stream: bool = False, **options: Any) -> Any:
        response = await send(request, stream=True, **options)
        if stream:
            return response
        body, is_longer = b"", response.headers.get("content-encoding", "") not in _SAFE_ENCODINGS
        try:
            if not is_longer:
                max_bytes = MAX_ERROR_BODY if response.is_error else limit
                body, is_longer = await read_up_to(response.aiter_bytes(), max_bytes)
        finally:
            await response.aclose()
        if is_longer and not response.is_error:
            error = {"code": LIMIT_CODE, "message": f"the answer has more than {limit:,} bytes"}
            return type(response)(400, json={"error": error}, request=request)
        headers = {name: value for name, value in response.headers.items() if name not in _ENCODING_HEADERS}
        if body.lstrip().startswith(b"{"):
            headers["content-type"] = "application/json"
        return type(response)(response.status_code, headers=headers, content=body, request=request)

    client.headers["accept-encoding"] = "gzip, deflate"
    vars(client)["send"] = send_limited


def is_token_count(value: Any) -> bool:
    """Whether a value from a server can be a number of tokens; it may be fractional."""
    return type(value) in (int, float) and 0 <= value <= _MAX_TOKENS
