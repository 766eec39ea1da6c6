"""What the extras bring: whether a package is installed, and how a person gets what is missing.

Packages are looked for by their metadata. That a name can be imported proves nothing: a wheel of polbias puts
its tasks below ``lm_eval/tasks``, and Python takes that folder for a package ``lm_eval``.
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

_EXTRA = re.compile(r"""extra == ["'](\w+)["']""")
_NESTED = re.compile(r"polbias\[(\w+)\]")


def is_installed(package: str) -> bool:
    """Say whether a package is installed, by the name under which it is published."""
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def install_command(extra: str) -> str:
    """The command that installs what an extra lacks: its packages, as polbias itself may be in no index."""
    try:
        packages = _packages(extra)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return f"pip install '.[{extra}]' in the checkout of polbias"
    missing = [each for each in packages if not is_installed(_name(each))]
    return " ".join(["pip install", *(f"'{each}'" for each in missing or packages)])


class MissingError(PolbiasError):
    """A package of an extra is not installed."""

    @classmethod
    def of(cls, error: ModuleNotFoundError, extra: str) -> MissingError:
        """Say which module is missing, and what brings it."""
        return cls(f"{error.name} is not installed; {install_command(extra)}")


def missing_package_error(error: ModuleNotFoundError) -> MissingError | None:
    """What to say of a module that an extra brings under the name of its package; None of any other."""
    for extra, package in _required():
        if _name(package).replace("-", "_") == str(error.name).partition(".")[0]:
            return MissingError.of(error, extra)
    return None


class LazyModule(ModuleType):
    """A module of an extra, imported when it is first used; where it is missing, a `MissingError` says so."""

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
    """A block that imports from lm_eval; where that cannot be, a `PolbiasError` says what to install."""
    if not is_installed("lm_eval"):
        raise PolbiasError(f"lm_eval is not installed; {install_command('eval')}")
    try:
        yield
    except ImportError as error:
        raise PolbiasError(f"lm_eval cannot be used ({error}); {install_command('eval')}") from None


def _packages(extra: str) -> list[str]:
    found: list[str] = []
    for own, package in _required():
        if own == extra:
            nested = _NESTED.fullmatch(package)
            found += _packages(nested[1]) if nested else [package]
    return found


def _required() -> Iterator[tuple[str, str]]:
    """Yield the extras, each with a package or another extra that it brings."""
    for line in requires("polbias") or ():
        package, _, condition = line.partition(";")
        if extra := _EXTRA.search(condition):
            yield extra[1], package.strip()


def _name(package: str) -> str:
    return re.split(r"[^\w.-]", package)[0]
