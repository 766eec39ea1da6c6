"""Cells of tables that a person may open in a spreadsheet."""

from __future__ import annotations

import re

# Neither a lone "-" nor a number is a formula; an apostrophe would turn a number into a text.
_FORMULA = re.compile(r"(?!-\Z|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?%?\Z)'*[=+\-@\t\r]", re.IGNORECASE)


def escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet evaluates as a formula; `unescape_formula` reverses it.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return gets an apostrophe, and so
    does a text that looks like an escaped cell; a number is unchanged.

    Source:
        OWASP, "CSV Injection".
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Return the text of a cell that `escape_formula` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
