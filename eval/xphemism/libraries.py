"""The libraries that the analysis leans on, loaded when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from polbias.files import PolbiasError
from polbias.optional import advice


def statsmodels() -> Any:
    """Return the module ``statsmodels.api``.

    Raises:
        PolbiasError: If it is not installed.
    """
    try:
        return import_module("statsmodels.api")
    except ImportError as error:
        raise PolbiasError(
            f"{error.name}: not installed, but the analysis needs it; {advice('eval')}"
        ) from None
