"""Required packages that are not installed: the error, and the command that installs them.

Packages are detected by their metadata. A successful import proves nothing: a wheel of polbias installs its
tasks below ``lm_eval/tasks``, and Python imports that folder as a package ``lm_eval``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from types import ModuleType
from typing import Any

from polbias.errors import PolbiasError

_EXTRA_CONDITION = re.compile(r"""extra == ["'](\w+)["']""")


def is_installed(package: str) -> bool:
    """Whether a package is installed, by its distribution name."""
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def install_command(extra: str = "") -> str:
    """Return the command that installs the missing packages of an extra, or of polbias without extras.

    It names the packages, not ``polbias[extra]``, as polbias itself may be in no index.
    """
    packages = [package for name, package in _iter_requirements() if name == extra]
    if not packages:  # run from a checkout that was never installed
        return f"pip install '.{f'[{extra}]' if extra else ''}' in the checkout of polbias"
    missing_names = missing_packages(extra)
    missing = [package for package in packages if _distribution_name(package) in missing_names]
    return " ".join(["pip install", *(f"'{package}'" for package in missing or packages)])


def missing_packages(extra: str) -> list[str]:
    """Return the names of the packages of an extra that are not installed."""
    names = [_distribution_name(package) for name, package in _iter_requirements() if name == extra]
    return [name for name in names if not is_installed(name)]


def missing_package_error(error: ModuleNotFoundError) -> PolbiasError | None:
    """Return the error of a missing module that has the name of a required package; else None."""
    for extra, package in _iter_requirements():
        if _distribution_name(package).replace("-", "_") == str(error.name).partition(".")[0]:
            return PolbiasError(f"{error.name} is not installed; {install_command(extra)}")
    return None


class LazyModule(ModuleType):
    """A module imported at its first use; raises a `PolbiasError` if its package is not installed."""

    def __getattr__(self, name: str) -> Any:
        try:
            module = import_module(self.__name__)
        except ModuleNotFoundError as error:
            raise missing_package_error(error) or error from None
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


@contextmanager
def lm_eval_imports() -> Iterator[None]:
    """Raise a `PolbiasError` with the command to install lm_eval if the block cannot import it."""
    if not is_installed("lm_eval"):
        raise PolbiasError(f"lm_eval is not installed; {install_command()}")
    try:
        yield
    except ImportError as error:
        raise PolbiasError(f"lm_eval cannot be used ({error}); run `pip check`") from None


def _iter_requirements() -> Iterator[tuple[str, str]]:
    """Yield each package that polbias requires, with its extra; "" for packages without extra."""
    try:
        lines = requires("polbias") or []
    except PackageNotFoundError:
        return
    for line in lines:
        package, _, condition = line.partition(";")
        extra = _EXTRA_CONDITION.search(condition)
        yield extra[1] if extra else "", package.strip()


def _distribution_name(package: str) -> str:
    return re.split(r"[^\w.-]", package)[0]
