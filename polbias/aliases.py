"""Aliases of types: arrays of NumPy, and objects of JSON."""

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
else:  # commands that need no array do not wait for NumPy
    Floats = Booleans = Codes = Indices = Any

Json: TypeAlias = dict[str, Any]
Document: TypeAlias = Mapping[str, Any]
"""An object of JSON that is only read: a row, a sample, a result."""
