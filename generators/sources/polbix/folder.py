"""A user's copy of the published files: read, joined, checked, with all that differs said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polbias.files import InputError
from polbias.generators.auditing.polbix.files import ClaimPair, claim_differences, read_claims
from polbias.generators.auditing.polbix.folder import Answers, answer_differences, read_answers
from polbias.generators.auditing.probvaa.files import digest
from polbias.generators.sources.polbix.pair_table import TablePair, pair_differences, read_pairs
from polbias.generators.sources.polbix.published import HASHES

_CLAIMS, _PAIRS = "dataset.csv", "wordpairs.tsv"


@dataclass(frozen=True)
class Polbix:
    """The published files.

    Attributes:
        claims: rows of ``dataset.csv``.
        pairs: rows of ``wordpairs.tsv``; empty without that file.
        answers: rows of every file of answers, by its name.
        differences: sentences that say how all this differs from the published files.
    """

    claims: tuple[ClaimPair, ...]
    pairs: tuple[TablePair, ...]
    answers: Mapping[str, tuple[Answers, ...]]
    differences: tuple[str, ...]


def load(data: Path) -> Polbix:
    """Read ``dataset.csv``, or the folder that holds it with tables of pairs and files of answers.

    The file may lack rows or exchange claims. A folder may also have ``wordpairs.tsv`` and any number of
    files of answers, which are all that end in ``output.json``.

    Args:
        data: the file or the folder.

    Raises:
        InputError: if a file is missing or damaged: one line with file, line or row, field, what was found
            and what was expected.

    Source:
        https://github.com/XplaiNLP/PolBiX; Jakob et al., section 3.
    """
    if not data.exists():
        raise InputError(f"{data}: found nothing there, expected the dataset.csv of PolBiX or its folder")
    folder = data if data.is_dir() else None
    claims = read_claims(folder / _CLAIMS if folder else data)
    notes = list(claim_differences(claims))
    pairs: list[TablePair] = []
    answers: dict[str, tuple[Answers, ...]] = {}
    if folder:
        labels = {each.id: each.labels for each in claims}
        if (folder / _PAIRS).exists():
            pairs = read_pairs(folder / _PAIRS)
            notes += pair_differences(_PAIRS, pairs)
        for path in sorted(folder.glob("*output.json")):
            answers[path.name] = tuple(read_answers(path))
            notes += answer_differences(path.name, answers[path.name], labels)
    for path in [folder / name for name in HASHES] if folder else [data]:
        if path.exists() and digest(path) != HASHES.get(path.name, HASHES[_CLAIMS]):
            notes.append(f"{path.name}: is not byte for byte the copy that the documentation counts")
    return Polbix(tuple(claims), tuple(pairs), answers, tuple(notes))
