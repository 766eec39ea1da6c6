"""What the published files of PolBiX hold: counts and hashes.

Source: Jakob et al., "PolBiX" (2025), section 3, Table 1 and Figure 4; the figures by label are counted in
the published ``dataset.csv``.
"""

from __future__ import annotations

from collections.abc import Mapping

ROWS = 930
"""Claims (section 3.3, Table 1)."""
COUNTS: Mapping[str, Mapping[str, int]] = {
    "gold": {"true": 577, "false": 353},
    "shift": {"right": 390, "left": 322, "none": 218},
    "axis": {"social": 472, "economic": 452, "none": 6},
    "judgmental_base": {"no": 914, "yes": 16},
    "judgmental_exchange": {"no": 764, "yes": 166},
    "origin": {"DefaktS": 191, "Medienkompass": 567, "NewsPolyML": 172},
}
"""Claims by label."""
DIRECTED, UNORDERED, BOTH_WAYS = 357, 285, 72
"""Word pairs with direction, without, and used both ways (section 3.4)."""
PAIR_TABLE_ROWS = 285
"""Word pairs of Table 5."""

HASHES: Mapping[str, str] = {
    "dataset.csv": "0a9beed45485ff845626376b43133e70219dc4e3ce26e76f6a4223cf0e82ab63",
    "sample_output.json": "e7e075f24cf7cc712f26832ad72d6e4b9f8da37bf2087ac6fb2b1f8194d85243",
}
"""SHA-256 of the copies that ``docs/audit-polbix.md`` counts; about half of the exchange claims of that
``dataset.csv`` are emptied. A file that differs is read all the same, and said."""
