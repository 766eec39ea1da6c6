"""Specify tables with the columns of ``columns.yaml``, in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from polbias.aliases import Document
from polbias.errors import TemplateError
from polbias.generators.engine.spec import (
    ColumnReference,
    Constant,
    DatasetSpec,
    Expression,
    Factor,
    Lookup,
    TableSpec,
)
from polbias.paths import package_file
from polbias.yaml_models import Identity

STRING = pa.string()
STRINGS = pa.list_(STRING)
MESSAGES = pa.list_(pa.struct([("role", STRING), ("content", STRING)]))
_LAST_COLUMN = "canary"  # the last column, after a dataset's specific columns
Columns = Mapping[str, Expression]


@cache
def _columns_file(cards: Path) -> Document:
    sections: Document = yaml.safe_load((cards / "columns.yaml").read_text("utf-8"))
    return sections


def column_meanings(dataset: str, names: Iterable[str], cards: Path | None = None) -> Mapping[str, str]:
    """Map the columns of a dataset, in published order, to their meanings."""
    default_sections, sections = (
        _columns_file(package_file("cards")),
        _columns_file(cards or package_file("cards")),
    )
    section = sections.get(dataset, {})
    # "like" names another dataset with the same columns.
    meanings: dict[str, str] = default_sections["shared"] | sections.get(section.get("like"), {}) | section
    meanings.pop("like", None)
    # A shared column that the dataset has not got is null in its section.
    meanings = {name: meaning for name, meaning in meanings.items() if meaning is not None}
    meanings[_LAST_COLUMN] = meanings.pop(_LAST_COLUMN)
    if unknown := [name for name in names if name not in meanings]:
        path = (cards or package_file("cards")) / "columns.yaml"
        raise TemplateError(
            f"{path}: found no meaning for the columns {unknown} of {dataset}, expected one each; add them"
        )
    return meanings


class Factors:
    """Levels of a table's factors.

    Args:
        levels: factor to its levels, slowest first.
    """

    def __init__(self, levels: Mapping[str, Sequence[Any]]) -> None:
        self.levels = levels

    def lookup(self, factors: str | Sequence[str], make: Callable[..., Any], kind: Any = STRING) -> Lookup:
        """Return the lookup of ``make(*levels)`` over some factors."""
        names = tuple(factors.split() if isinstance(factors, str) else factors)
        values = [make(*combination) for combination in product(*(self.levels[name] for name in names))]
        return Lookup(factors=names, values=pa.array(values, kind))

    @property
    def spec_factors(self) -> tuple[Factor, ...]:
        """The factors for a `TableSpec`."""
        return tuple(Factor(name=name, levels=tuple(values)) for name, values in self.levels.items())


def lookup_over(factor: str, entries: Iterable[Any]) -> Callable[..., Lookup]:
    """Return ``lookup(make, kind)``: the lookup of ``make(entry)`` over a factor with one level per entry."""
    all_entries = tuple(entries)

    def lookup(make: Callable[[Any], Any], kind: Any = STRING) -> Lookup:
        return Lookup(factors=(factor,), values=pa.array([make(entry) for entry in all_entries], kind))

    return lookup


def attribute_columns(lookup: Callable[..., Lookup], paths: Mapping[str, str]) -> dict[str, Lookup]:
    """Map columns to lookups of an attribute of each entry, by dotted path."""
    return {column: lookup(attrgetter(path)) for column, path in paths.items()}


def table(
    identity: Identity,
    config: str,
    levels: Mapping[str, Sequence[Any]],
    columns: Columns,
    *,
    sparse: bool = False,
    cards: Path | None = None,
    **more: Any,
) -> TableSpec:
    """Return a table with the columns of its dataset, in published order."""
    meanings = column_meanings(identity.name, columns, cards)
    nulls = _columns_file(package_file("cards"))["shared"] if sparse else meanings
    expressions: dict[str, Expression] = {
        **{name: Constant(value=None, type=MESSAGES if name == "messages" else STRING) for name in nulls},
        "dataset": Constant(value=identity.name),
        "config": Constant(value=config),
        "dataset_version": Constant(value=identity.version),
        "canary": Constant(value=identity.canary),
        **columns,
    }
    # A reference follows the column that it refers to.
    order = sorted(
        (name for name in meanings if name in expressions),
        key=lambda name: isinstance(expressions[name], ColumnReference),
    )
    return TableSpec(
        dataset=identity.name,
        config=config,
        version=identity.version,
        factors=Factors(levels).spec_factors,
        columns={name: expressions[name] for name in order},
        **more,
    )


def make_dataset_spec(
    identity: Identity, tables: Iterable[TableSpec], notices: Iterable[str] = ()
) -> DatasetSpec:
    """Return the specification of a dataset."""
    identity_fields = {name: getattr(identity, name) for name in Identity.model_fields}
    return DatasetSpec(**identity_fields, tables=tuple(tables), notices=tuple(notices))
