"""Type aliases: NumPy arrays and JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Booleans: TypeAlias = NDArray[np.bool_]
    Codes: TypeAlias = NDArray[np.int8]
    Indices: TypeAlias = NDArray[np.intp]
else:  # commands without arrays do not import NumPy
    Floats = Booleans = Codes = Indices = Any

Json: TypeAlias = dict[str, Any]
Document: TypeAlias = Mapping[str, Any]
"""A read-only JSON object: a row, a sample, a result."""
