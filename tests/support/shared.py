"""Published data and papers that lie beside the checkout on some machines; tests that need them skip elsewhere."""

from pathlib import Path

_SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def shared(relative: str) -> Path | None:
    """Return a path below ``../shared``, or None where it is not there."""
    path = _SHARED / relative
    return path if path.exists() else None
