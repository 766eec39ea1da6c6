"""The bank: the skeletons of the ladder as data.

A bank is a folder with one file for each family and level, ``testimony_3.tsv``, with as many skeletons of
each gold label with an affirmative conclusion as with a negative one.
:mod:`polbias.generators.partisan.ladder.drawing` draws banks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from polbias.generators.logic.syntax import parse_formula, parse_inference
from polbias.generators.partisan.ladder.refutation import ProofSize
from polbias.generators.partisan.ladder.settings import FAMILIES, Family, Setting
from polbias.generators.partisan.ladder.skeletons import GOLDS, Skeleton
from polbias.spreadsheets import read_rows, sheet

CELLS = tuple(product(GOLDS, (True, False)))
"""Gold label, and whether the conclusion is affirmative; a file has as many skeletons of each cell."""
Use = Literal["test", "fewshot"]
USES: tuple[Use, Use] = ("test", "fewshot")
_COLUMNS = (
    *("id", "use", "persons", "traits", "gold", "positive", "support", "steps", "cases", "changed"),
    *("hypothesis", "inference"),
)
_YES_NO = {True: "yes", False: "no"}
_NO_CHANGE = "-"


class BankEntry(NamedTuple):
    """A skeleton of a bank.

    Attributes:
        id: family, level and number, as ``testimony-3-017``.
        use: whether items are made of it, or examples.
        skeleton: the skeleton.
    """

    id: str
    use: Use
    skeleton: Skeleton


def bank_file(folder: Path, family: Family, level: int) -> Path:
    """Return the path of the skeletons of a family and level."""
    return folder / f"{family}_{level}.tsv"


def bank_text(entries: Iterable[BankEntry]) -> str:
    """Return the text of a file of a bank."""
    return sheet(_COLUMNS, map(_cells, entries))


def _cells(entry: BankEntry) -> list[Any]:
    skeleton = entry.skeleton
    return [
        *(entry.id, entry.use, skeleton.setting.n_persons, skeleton.setting.n_traits),
        *(skeleton.gold, _YES_NO[skeleton.positive], skeleton.support, *skeleton.size),
        *(skeleton.changed or _NO_CHANGE, skeleton.hypothesis, skeleton.inference),
    ]


def read_bank_file(path: Path) -> list[BankEntry]:
    """Read a file of a bank.

    Raises:
        SheetError: with every line that is not a skeleton.
    """
    family, _, _ = path.stem.rpartition("_")
    if family not in FAMILIES:
        raise ValueError(f"{path}: expected a file name such as testimony_3.tsv")

    def parse_row(row: Mapping[str, str], _line: int) -> BankEntry:
        return _parse_entry(row, family)

    return read_rows(path, _COLUMNS, "a file of a bank", parse_row)


def _parse_entry(row: Mapping[str, str], family: Family) -> BankEntry:
    inference = parse_inference(row["inference"])
    hypothesis = parse_formula(row["hypothesis"])
    skeleton = Skeleton(
        setting=Setting(family, int(row["persons"]), int(row["traits"])),
        premises=inference.premises,
        hypothesis=hypothesis,  # type: ignore[arg-type]
        positive=row["positive"] == _YES_NO[True],
        gold=row["gold"],  # type: ignore[arg-type]
        support=int(row["support"]),
        size=ProofSize(int(row["steps"]), int(row["cases"])),
        changed=None if row["changed"] == _NO_CHANGE else row["changed"],
    )
    if skeleton.gold not in GOLDS or hypothesis not in skeleton.setting.hypotheses():
        raise ValueError(f"found gold {row['gold']}, hypothesis {hypothesis}; restore this line")
    if skeleton.inference.conclusion != inference.conclusion:
        expected = skeleton.inference.conclusion
        raise ValueError(f"found conclusion {inference.conclusion}, expected {expected}; restore this line")
    return BankEntry(row["id"], row["use"], skeleton)  # type: ignore[arg-type]
