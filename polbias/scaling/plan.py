"""The shipped calibration: how fast the tables of large datasets are made, measured once, for plans at once.

A specification proves every gold label, which takes seconds; a plan needs only how many rows there are and
what one of them costs. ``python -m polbias.scaling.plan`` measures anew and writes the file.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import yaml

from polbias import registry
from polbias.generators.engine.entries import Entry, Text, Version
from polbias.generators.engine.sampling import shares
from polbias.locations import package_file
from polbias.scaling.calibration import Calibration, calibrate
from polbias.scaling.contract import Size, scalable
from polbias.scaling.slices import TableRows
from polbias.template_files import load_template

_FILE = "templates/scale/calibration.yaml"
_SPLIT = "test"
_HEADER = """\
# How fast the tables of large datasets are made and how large they are, for `polbias build --plan`.
# Written by `python -m polbias.scaling.plan`; a test compares rows and sizes with the templates.
"""


class Measured(Entry):
    """One config.

    Attributes:
        default: rows that are built if none are asked for.
        most: rows that can be drawn.
        row_seconds: as in `Calibration`, and so are the others.
    """

    default: int
    most: int
    row_seconds: float
    hash_seconds: float
    shard_seconds: float
    row_bytes: float
    shard_bytes: float

    @property
    def calibration(self) -> Calibration:
        """What was measured."""
        return Calibration(**self.model_dump(exclude={"default", "most"}))


class Stored(Entry):
    """One dataset.

    Attributes:
        version: of the data.
        pair: rows that are always drawn together.
        tables: config to what was measured.
        fresh: the same for fresh rows; empty where there are none.
    """

    version: Version
    pair: int
    tables: Mapping[str, Measured]
    fresh: Mapping[str, Measured]


class StoredFile(Entry):
    """The file.

    Attributes:
        conditions: of the measurement.
        datasets: by name.
    """

    conditions: Text
    datasets: Mapping[str, Stored]


def load_stored() -> StoredFile:
    """Read the shipped calibration.

    Raises:
        TemplateError: if the file is unusable.
    """
    return load_template(package_file(_FILE), StoredFile)


def tables(stored: Stored, size: Size) -> tuple[list[TableRows], list[Calibration]]:
    """Return the tables of a build with what was measured of each.

    Args:
        stored: of the dataset.
        size: how much of it is built.

    Raises:
        BuildError: if there are not so many rows.
    """
    chosen = stored.fresh if size.fresh else stored.tables
    rows = [each.default for each in chosen.values()]
    if size.rows is not None:
        rows = shares(size.rows, [each.most for each in chosen.values()], stored.pair)
    made = [TableRows(name, _SPLIT, count) for name, count in zip(chosen, rows, strict=True)]
    return made, [each.calibration for each in chosen.values()]


def measure(name: str) -> Stored:
    """Measure the tables of a dataset.

    Args:
        name: the dataset.

    Raises:
        PolbiasError: if it comes in one size only, or its templates are unusable.
    """
    publication = scalable(name)
    found: dict[bool, dict[str, Measured]] = {False: {}, True: {}}
    version = ""
    for fresh, own in found.items():
        most = publication.most(fresh=fresh) if publication.most else {}
        if not most:
            continue
        spec = publication.specify(fresh=fresh)
        version = spec.version
        for table in spec.tables:
            own[table.config] = Measured(
                default=TableRows.of(table).rows, most=most[table.config], **asdict(calibrate(table))
            )
    return Stored(version=version, pair=publication.pair, tables=found[False], fresh=found[True])


def main() -> None:
    """Measure all datasets that come in any size, and write the file."""
    names = [name for name in registry.names() if name.endswith("-xl")]
    system = f"{platform.machine()}, Python {platform.python_version()}, one core"
    datasets = {name: measure(name).model_dump(mode="json") for name in names}
    text = yaml.safe_dump({"conditions": system, "datasets": datasets}, sort_keys=False)
    Path(package_file(_FILE)).write_text(_HEADER + text, "utf-8")


if __name__ == "__main__":
    main()
