"""Who annotated: names, accounts, and where they stand on the political compass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.engine.spreadsheets import SheetError, named_rows
from polbias.template_files import shown

COLUMNS = ("annotator", "accounts", "economic", "social")
_END = 10.0


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator.

    Attributes:
        name: used in files and tables.
        accounts: what Label Studio calls the person: addresses, numbers.
        economic: of the political compass test, -10 left to 10 right; None if not known.
        social: the same, -10 libertarian to 10 authoritarian.

    Source:
        Jakob et al. 2025, section 3.4 and Appendix D.4.
    """

    name: str
    accounts: tuple[str, ...] = ()
    economic: float | None = None
    social: float | None = None


def read_people(path: Path) -> list[Person]:
    """Read a table of annotators.

    Args:
        path: with the columns ``annotator``, ``accounts`` (separated by blanks), ``economic`` and ``social``;
            an empty position is not known.

    Raises:
        SheetError: with one line for every line that cannot be used.
    """
    found: dict[str, Person] = {}
    owners: dict[str, str] = {}
    problems = []
    for line, row in named_rows(path, COLUMNS, "a table of annotators", unguard=True):
        try:
            if isinstance(row, str):
                raise ValueError(row)
            name, accounts = row["annotator"], tuple(row["accounts"].split())
            if not name or name in found:
                raise ValueError(f"annotator: found {name!r}, expected a name, each once")
            for account in accounts:
                if owners.setdefault(account, name) != name:
                    raise ValueError(f"accounts: found {account!r}, which is {owners[account]}'s; keep one")
            found[name] = Person(name, accounts, _position("economic", row), _position("social", row))
        except ValueError as error:
            problems.append(f"{shown(path)}:{line}: {error}")
    if problems:
        raise SheetError(problems)
    return list(found.values())


def _position(field: str, row: Mapping[str, str]) -> float | None:
    text = row[field].replace(",", ".").replace("−", "-")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -_END <= value <= _END:
        raise ValueError(f"{field}: found {row[field]!r}, expected a number from -10 to 10, or nothing")
    return value
