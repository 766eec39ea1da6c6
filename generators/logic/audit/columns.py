"""Which column of a file plays which role: the roles of a format, and their names in published files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.files import InputError


@dataclass(frozen=True)
class Role:
    """What a column is for.

    Attributes:
        name: as in `--column NAME=…` and in reports.
        aliases: other names that published files use, the likeliest first.
        required: whether there is no auditing without it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    required: bool = False


def resolve(
    columns: Sequence[str], roles: Sequence[Role], chosen: Mapping[str, str], path: Path
) -> Mapping[str, str]:
    """Find the column of each role.

    Args:
        columns: of the file; capitals do not matter, nor whether words are joined by ``_``, ``-`` or a space.
        roles: of the format.
        chosen: columns that the user named, by role.
        path: the file, for messages.

    Returns:
        Role name to column name; roles without a column are left out.

    Raises:
        InputError: if a role is unknown, a chosen column is missing, a needed role has no column, or one
            column's name stands twice.
    """
    known = [role.name for role in roles]
    found = f"{', '.join(map(repr, columns)) or 'none':.500}"
    result: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for column in columns:
        by_name.setdefault(_plain(column), []).append(column)
    for name, column in chosen.items():
        if name not in known:
            raise InputError(f"--column {name}={column}: no role {name!r}; there are: {', '.join(known)}")
        if column not in columns:
            raise InputError(f"{path}: --column {name}={column}: no such column; found the columns {found}")
    for role in roles:
        names = [chosen[role.name]] if role.name in chosen else [role.name, *role.aliases]
        same: Sequence[str] = next((by_name[_plain(name)] for name in names if _plain(name) in by_name), ())
        if role.name in chosen:
            same = [column for column in columns if column == chosen[role.name]]
        if len(same) > 1:
            raise InputError(f"{path}: found the columns {same[0]!r} and {same[1]!r}, expected one of them")
        if same:
            result[role.name] = same[0]
    missing = [role for role in roles if role.required and role.name not in result]
    if missing:
        wanted = "; ".join(f"{role.name} ({', '.join((role.name, *role.aliases))})" for role in missing)
        raise InputError(
            f"{path}: found the columns {found}, expected also {wanted}; "
            f"say which it is with --column {missing[0].name}=NAME"
        )
    return result


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())
