"""Types of NumPy arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Booleans: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.int8]
Indices: TypeAlias = NDArray[np.intp]
