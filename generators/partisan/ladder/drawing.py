"""Drawing of banks: candidates of every family and level, and the choice of those that nothing gives away.

More candidates are drawn than are kept. Classifiers guess each gold label from the surface, without sides
(:func:`polbias.generators.partisan.ladder.surface.guess_golds`). Kept are triples of a ``follows``, an
``excluded`` and an ``open`` skeleton whose guesses are alike, so that they say nothing about the gold label.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from polbias.atomic_write import write_text
from polbias.generators.partisan.ladder.bank import (
    CELLS,
    BankEntry,
    bank_file,
    bank_text,
    read_bank_file,
)
from polbias.generators.partisan.ladder.levels import LevelsFile
from polbias.generators.partisan.ladder.settings import FAMILIES, Family
from polbias.generators.partisan.ladder.skeletons import GOLDS, Skeleton, draw_skeleton
from polbias.generators.partisan.ladder.surface import Matrix, guess_golds

Purpose = Literal["candidates", "guesser"]
_SAVED_EVERY = 12
_MAX_DUPLICATES = 400  # in a row: the level has no more skeletons of a cell


class BankDrawing:
    """Draws a bank into a folder, file by file; a second run goes on where the first one stopped.

    Args:
        levels: sizes of all levels.
        seed: seed of the bank.
        folder: folder of the bank; candidates are kept in ``candidates`` and ``guesser`` beside its files.
        report: called with a line of progress.
        suffix: suffix of the ids of the bank.
    """

    def __init__(
        self,
        levels: LevelsFile,
        seed: str,
        folder: Path,
        report: Callable[[str], None] = lambda line: None,
        suffix: str = "",
    ) -> None:
        self._levels, self._seed, self._folder = levels, seed, folder
        self._report, self._suffix = report, suffix

    def draw(self, families: Sequence[Family] = FAMILIES, levels: Sequence[int] = ()) -> None:
        """Draw the candidates of some levels; by default of all."""
        purposes: tuple[Purpose, Purpose] = ("guesser", "candidates")
        for purpose in purposes:
            (self._folder / purpose).mkdir(parents=True, exist_ok=True)
        for level in levels or self._levels.levels:
            for family in families:
                for purpose in purposes:
                    self._draw_candidates(family, level, purpose)
                self._report(f"{family} {level}: candidates drawn")

    def choose(self) -> None:
        """Write the bank: of the candidates those that are guessed alike whatever their gold label."""
        for family in FAMILIES:
            for band in self._levels.bands:
                learned = [skeleton for level in band for skeleton in self._read(family, level, "guesser")]
                candidates = {level: self._read(family, level, "candidates") for level in band}
                guesses = iter(guess_golds(learned, [*chain(*candidates.values())]))
                for level, skeletons in candidates.items():
                    level_guesses = np.array([*islice(guesses, len(skeletons))])
                    entries = self._choose_level(family, level, skeletons, level_guesses)
                    write_text(bank_file(self._folder, family, level), bank_text(entries))

    def _path(self, family: Family, level: int, purpose: Purpose) -> Path:
        return bank_file(self._folder / purpose, family, level)

    def _read(self, family: Family, level: int, purpose: Purpose) -> list[Skeleton]:
        return [entry.skeleton for entry in read_bank_file(self._path(family, level, purpose))]

    def _number(self, family: Family, level: int, purpose: Purpose) -> int:
        """Return the number of skeletons of a cell to draw."""
        size = self._levels.levels[level][family]
        number = self._levels.bank * size.surplus if purpose == "candidates" else size.guesser
        return int(number) // len(CELLS)

    def _draw_candidates(self, family: Family, level: int, purpose: Purpose) -> None:
        path = self._path(family, level, purpose)
        entries = read_bank_file(path) if path.is_file() else []
        seen = {entry.skeleton.inference for entry in entries}
        for cell in range(len(CELLS)):
            drawn_entries = [entry for entry in entries if int(entry.id.split("-")[2]) == cell]
            start = 1 + max((int(entry.id.split("-")[3]) for entry in drawn_entries), default=-1)
            candidates = self._candidates(family, level, purpose, cell, start)
            n_duplicates = 0
            while (
                len(drawn_entries) < self._number(family, level, purpose) and n_duplicates < _MAX_DUPLICATES
            ):
                entry = next(candidates)
                if entry.skeleton.inference in seen:
                    n_duplicates += 1
                    continue
                n_duplicates = 0
                seen.add(entry.skeleton.inference)
                drawn_entries.append(entry)
                entries.append(entry)
                if len(entries) % _SAVED_EVERY == 0:
                    write_text(path, bank_text(entries))
        write_text(path, bank_text(entries))

    def _candidates(
        self, family: Family, level: int, purpose: Purpose, cell: int, start: int
    ) -> Iterator[BankEntry]:
        """Yield candidates of a cell without end; each depends on its number and the seed only."""
        gold, positive = CELLS[cell]
        size = self._levels.levels[level][family]
        for number in count(start):
            id_ = f"{family}-{level}-{cell}-{number}"
            rng = random.Random(f"{self._seed}/{purpose}/{id_}")
            yield BankEntry(id_, "test", draw_skeleton(size, family, gold, positive, rng))

    def _choose_level(
        self, family: Family, level: int, candidates: Sequence[Skeleton], guesses: Matrix
    ) -> list[BankEntry]:
        """Return the chosen skeletons of a level, gold labels and signs in turn, and the examples."""
        n_kept = self._levels.bank // len(CELLS)
        chosen_indices: dict[tuple[str, bool], list[int]] = {}
        spare_indices: dict[tuple[str, bool], list[int]] = {}
        for positive in (True, False):
            indices = [
                [
                    i
                    for i, skeleton in enumerate(candidates)
                    if (skeleton.gold, skeleton.positive) == (gold, positive)
                ]
                for gold in GOLDS
            ]
            triples = match_triples([guesses[cell] for cell in indices], n_kept)
            for gold, cell, columns in zip(GOLDS, indices, triples.T, strict=True):
                chosen_indices[gold, positive] = [cell[column] for column in columns]
                spare_indices[gold, positive] = [
                    index for index in cell if index not in set(chosen_indices[gold, positive])
                ]
        n_examples = self._levels.fewshot // len(CELLS)
        in_turn = [chosen_indices[cell][number] for number in range(n_kept) for cell in CELLS]
        examples = [spare_indices[cell][number] for number in range(n_examples) for cell in CELLS]
        uses = [*(("test", index) for index in in_turn), *(("fewshot", index) for index in examples)]
        return [
            BankEntry(f"{family}-{level}-{number:03}{self._suffix}", use, candidates[index])  # type: ignore[arg-type]
            for number, (use, index) in enumerate(uses)
        ]


def match_triples(points: Sequence[Matrix], number: int) -> NDArray[np.intp]:
    """Return the triples of one point of each set that are closest together.

    Args:
        points: three sets, each points x dimensions.
        number: number of triples; no point is in two of them.

    Returns:
        triples x sets: indices of points, in the order of the first set.
    """
    first, second, third = points
    rows, columns = linear_sum_assignment(cdist(first, second))
    middles = (first[rows] + second[columns]) / 2
    pairs, other_indices = linear_sum_assignment(cdist(middles, third))
    triples = np.stack([rows[pairs], columns[pairs], other_indices], axis=1)
    spread = sum(
        np.linalg.norm(points[a][triples[:, a]] - points[b][triples[:, b]], axis=1)
        for a, b in ((0, 1), (0, 2), (1, 2))
    )
    best = np.sort(np.argsort(spread, kind="stable")[:number])
    return triples[best]
