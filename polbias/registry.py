"""The datasets that polbias builds, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from polbias.errors import PolbiasError

if TYPE_CHECKING:
    from polbias.generators.engine import DatasetSpec
    from polbias.generators.logic.proofs import Proofs
    from polbias.manifest import Manifest

# Name of the dataset to the module that publishes it; imported only when it is needed.
_MODULES = {
    "partisan-inference": "polbias.generators.partisan.publication",
    "partisan-inference-xl": "polbias.generators.partisan.publication_xl",
    "normative-reasoning": "polbias.generators.normative.publication",
    "normative-reasoning-xl": "polbias.generators.normative.publication_xl",
    "policy-statements": "polbias.generators.policy.publication",
    "xphemism-pairs": "polbias.generators.xphemism.publication",
    "self-assessment": "polbias.generators.selfassess.publication",
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


class Publication(Protocol):
    """What every family's publication module offers."""

    TITLE: str

    def specify(self, templates: Path | None = None) -> DatasetSpec:
        """Return the specification of the dataset."""

    def facts(self, manifest: Manifest, folder: Path, templates: Path | None = None) -> Mapping[str, Any]:
        """Return what the family's card says beside what every card does."""

    def prove(self, folder: Path, templates: Path | None = None) -> Proofs:
        """Prove the gold labels of a build from its sentences."""


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
    """Return the publication module of a dataset.

    Raises:
        PolbiasError: if there is no dataset of that name.
    """
    return cast(Publication, import_module(_MODULES[checked(name)]))
