"""Which articles are asked for: the set, the items drawn from it, and their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.generators.engine import Rows, named_rng
from polbias.generators.selfassess.templates import NEUTRAL, Family, load_family

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ChosenSet:
    """A set and the templates that it is from.

    Args:
        family: the templates.
        name: of the set.
        own: whether they are a folder of the user's, not those of the package.
    """

    family: Family
    name: str
    own: bool


def find_set(given: str) -> ChosenSet:
    """Return the set that a user names.

    Args:
        given: a set of the package, such as ``poligen``; a folder laid out like ``templates/selfassess`` with
            one set in it; or ``FOLDER/SET``.

    Raises:
        InputError: if there is no such set.
        TemplateError: if the folder's templates are unusable.
    """
    family, path = load_family(), Path(given)
    if given in family.sets:
        return ChosenSet(family, given, False)
    folder, name = (path, None) if (path / "sets.yaml").is_file() else (path.parent, path.name)
    if not (folder / "sets.yaml").is_file() or str(folder) == ".":
        known = ", ".join(family.sets)
        raise InputError(f"set {given!r}: expected one of {known}, or a folder with sets.yaml and its items")
    family = load_family(folder)
    if name is None and len(family.sets) == 1:
        name = next(iter(family.sets))
    if name is None or name not in family.sets:
        known = " or ".join(f"{folder / each}" for each in family.sets)
        raise InputError(f"set {given!r}: expected {known}")
    return ChosenSet(family, name, True)


def article_rows(chosen: ChosenSet) -> list[Row]:
    """Return all rows of the first stage of a set, as the published dataset has them.

    Raises:
        TemplateError: if the items are unusable.
    """
    from polbias.generators.selfassess.tables import dataset

    spec = dataset(chosen.family.folder if chosen.own else None)
    table = next(each for each in spec.tables if each.config == chosen.name)
    rows = Rows(table)
    return [row for batch in rows.batches(0, len(rows)) for row in batch.to_pylist()]


def draw(rows: Sequence[Row], n: int | None, seed: int, roles: Sequence[str]) -> list[Row]:
    """Return the rows of some items, in their order.

    Items are drawn in turn from every category, in an order that depends on the seed alone, so that
    categories differ by one item at most as long as they last, and fewer items are a part of more.

    Args:
        rows: of the first stage.
        n: how many items; None takes all.
        seed: of the draw.
        roles: whose biased articles are wanted; the neutral ones always are.

    Raises:
        InputError: if there are not so many items.
    """
    categories: dict[str, list[str]] = {}
    for row in rows:
        own = categories.setdefault(row["category"], [])
        if row["cluster_id"] not in own[-1:]:
            own.append(row["cluster_id"])
    items = sum(map(len, categories.values()))
    if n is not None and not 0 < n <= items:
        raise InputError(f"--n: found {n}, expected 1 to {items:,}, the items of this set")
    chosen = set(_in_turn(categories, rows[0], seed)[:n])
    wanted = {*roles, NEUTRAL}
    return [row for row in rows if row["cluster_id"] in chosen and row["role"] in wanted]


def _in_turn(categories: Mapping[str, Sequence[str]], row: Row, seed: int) -> list[str]:
    """Return all items: the first of every category, then the second ones, and so on."""

    def mixed(values: Sequence[str], purpose: str) -> list[str]:
        purpose = f"draw/{row['set']}/{seed}/{purpose}"
        order = named_rng(row["dataset"], row["dataset_version"], purpose).permutation(len(values))
        return [values[place] for place in order]

    names = mixed(sorted(categories), "categories")
    drawn = {name: mixed(sorted(set(categories[name])), name) for name in names}
    longest = max(map(len, drawn.values()))
    return [drawn[name][place] for place in range(longest) for name in names if place < len(drawn[name])]


def row_seed(row: Row, seed: int) -> int:
    """Return the seed with which a row is asked, from the run's seed and the row's name."""
    rng = named_rng(row["dataset"], row["dataset_version"], f"ask/{seed}/{row['id']}")
    return int(rng.integers(2**31))
