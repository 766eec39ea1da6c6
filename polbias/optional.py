"""Packages of the extras: whether they are installed, and how to install them.

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
_NESTED_EXTRA = re.compile(r"polbias\[(\w+)\]")


def is_installed(package: str) -> bool:
    """Whether a package is installed, by its distribution name."""
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def install_command(extra: str) -> str:
    """Return the command that installs the missing packages of an extra.

    It names the packages, not ``polbias[extra]``, as polbias itself may be in no index.
    """
    try:
        packages = _packages_of_extra(extra)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return f"pip install '.[{extra}]' in the checkout of polbias"
    missing = [package for package in packages if not is_installed(_distribution_name(package))]
    return " ".join(["pip install", *(f"'{package}'" for package in missing or packages)])


class MissingError(PolbiasError):
    """A package of an extra is not installed."""

    @classmethod
    def of(cls, error: ModuleNotFoundError, extra: str) -> MissingError:
        """Return the error of a missing module, with the command that installs its extra."""
        return cls(f"{error.name} is not installed; {install_command(extra)}")


def missing_package_error(error: ModuleNotFoundError) -> MissingError | None:
    """Return the error of a missing module that has the name of an extra's package; else None."""
    for extra, package in _iter_requirements():
        if _distribution_name(package).replace("-", "_") == str(error.name).partition(".")[0]:
            return MissingError.of(error, extra)
    return None


class LazyModule(ModuleType):
    """A module of an extra, imported at its first use; raises `MissingError` if it is not installed."""

    def __init__(self, name: str, extra: str) -> None:
        super().__init__(name)
        self._extra = extra

    def __getattr__(self, name: str) -> Any:
        try:
            module = import_module(self.__name__)
        except ModuleNotFoundError as error:
            raise MissingError.of(error, self._extra) from None
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


@contextmanager
def lm_eval_imports() -> Iterator[None]:
    """Raise a `PolbiasError` with the command to install lm_eval if the block cannot import it."""
    if not is_installed("lm_eval"):
        raise PolbiasError(f"lm_eval is not installed; {install_command('eval')}")
    try:
        yield
    except ImportError as error:
        raise PolbiasError(f"lm_eval cannot be used ({error}); {install_command('eval')}") from None


def _packages_of_extra(extra: str) -> list[str]:
    packages: list[str] = []
    for name, package in _iter_requirements():
        if name == extra:
            nested = _NESTED_EXTRA.fullmatch(package)
            packages += _packages_of_extra(nested[1]) if nested else [package]
    return packages


def _iter_requirements() -> Iterator[tuple[str, str]]:
    """Yield each extra with a package, or another extra, that it requires."""
    for line in requires("polbias") or ():
        package, _, condition = line.partition(";")
        if extra := _EXTRA_CONDITION.search(condition):
            yield extra[1], package.strip()


def _distribution_name(package: str) -> str:
    return re.split(r"[^\w.-]", package)[0]
