"""Cells of tables that a person may open in a spreadsheet."""

from __future__ import annotations

import re

# A mere "-" is no formula, and neither is a number, which would be none after an apostrophe.
_FORMULA = re.compile(r"(?!-\Z|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?%?\Z)'*[=+\-@\t\r]", re.IGNORECASE)


def escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; `unguarded` gives the text back.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an apostrophe, and so
    does one that would be taken for such a cell; a number stays a number.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Return the text of a cell that `guarded` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
