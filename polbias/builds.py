"""Local builds: which datasets are built, and the commands that build the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from polbias import optional, registry
from polbias.errors import BuildError


def is_built(folder: Path) -> bool:
    """Whether a folder holds a build."""
    from polbias.manifest import MANIFEST  # with pydantic, which the command line imports late

    return (folder / MANIFEST).is_file()


def find_unbuilt(names: Iterable[str], root: Path) -> list[str]:
    """Return the datasets without a build in a folder of builds."""
    return [name for name in names if not is_built(root / name)]


def require_builds(names: Iterable[str], root: Path) -> None:
    """Raise an error that names every dataset without a build in a folder of builds."""
    if unbuilt := find_unbuilt(names, root):
        raise BuildError(describe_unbuilt(unbuilt, root))


def describe_unbuilt(names: Sequence[str], root: Path) -> str:
    """Return where builds of datasets were looked for, and how to get them; without names, any build."""
    datasets = f" of {', '.join(names)}" if names else ""
    return (
        f"no build{datasets} in {root}; set POLBIAS_DATA_DIR if builds are elsewhere, or "
        f"{build_advice(names)}"
    )


def build_advice(names: Sequence[str] = ()) -> str:
    """Return the commands that build datasets, after those that install what the builds lack."""
    installs = dict.fromkeys(
        optional.install_command(_build_extra(name)) for name in names if missing_packages(name)
    )
    command = f"run `{' '.join(['polbias build', *names])}`"
    return ", then ".join([*installs, command])


def missing_packages(dataset: str) -> list[str]:
    """Return the packages that a build of a dataset needs and that are not installed."""
    extra = _build_extra(dataset)
    return optional.missing_packages(extra) if extra else []


def _build_extra(dataset: str) -> str:
    """Return the extra of polbias that builds of a dataset need; "" if they need none."""
    return next(
        (
            instrument.build_extra
            for instrument in registry.instruments().values()
            if dataset in instrument.datasets
        ),
        "",
    )
