"""The datasets that polbias builds, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.generators.engine.publication import Publication

# Name of the dataset to its publication, ``module:object``; imported only when it is needed.
_MODULES = {
    "partisan-inference": "polbias.generators.partisan.publication:PUBLICATION",
    "partisan-inference-xl": "polbias.generators.partisan.publication:LARGE",
    "normative-reasoning": "polbias.generators.normative.publication:PUBLICATION",
    "normative-reasoning-xl": "polbias.generators.normative.publication:LARGE",
    "policy-statements": "polbias.generators.policy.publication:PUBLICATION",
    "xphemism-pairs": "polbias.generators.xphemism.publication:PUBLICATION",
    "self-assessment": "polbias.generators.selfassess.publication:PUBLICATION",
}

# Name of the dataset to the instrument that its rows are of; those that no task asks have none.
# `polbias import` builds probvaa.
_INSTRUMENTS = {
    "partisan-inference": "partisan",
    "normative-reasoning": "normative",
    "policy-statements": "policy",
    "probvaa": "policy",
    "xphemism-pairs": "xphemism",
    "self-assessment": "selfassess",
}


def resolve(reference: str) -> Any:
    """Return the object that ``"module:object"`` names."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def names() -> Sequence[str]:
    """Return the names of all datasets."""
    return tuple(_MODULES)


def checked(name: str) -> str:
    """Return a dataset's name.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    if name not in _MODULES:
        known = ", ".join(_MODULES)
        raise PolbiasError(f"no dataset is called {name!r}; there are: {known} (see `polbias list`)")
    return name


def instrument_of(row: Mapping[str, Any]) -> str | None:
    """Return the instrument that a row is of, whatever task asked it; None if it is of none of ours.

    Args:
        row: with the column ``dataset``.
    """
    dataset = row.get("dataset")
    return _INSTRUMENTS.get(dataset) if isinstance(dataset, str) else None


def publication(name: str) -> Publication:
    """Return the publication of a dataset.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    return cast("Publication", resolve(_MODULES[checked(name)]))
