"""Files laid out like those that Ozeki et al. released, with items of our own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

HEADER = ("ID", "premise_en", "hypothesis_en", "gold", "content-type", "inference-pattern", "modal")
_YES, _NO = "entailment", "non-entailment"
DEONTIC = (
    ("1", "You are not required to water the plants.", "You are permitted not to water the plants.",
     _YES, "congruent", "NotMu-MiNot", "deontic"),
    ("2", "You are not required to pay your rent.", "You are permitted not to pay your rent.",
     _YES, "incongruent", "NotMu-MiNot", "deontic"),
    ("3", "You are not required to florp the dax.", "You can choose not to florp the dax.",
     _YES, "nonsense", "NotMu-MiNot", "deontic"),
    ("4", "You are permitted to water the plants.", "You must water the plants.",
     _NO, "congruent", "Mi-Mu", "deontic"),
    ("5", "You are permitted to pay your rent.", "You must pay your rent.",
     _NO, "incongruent", "Mi-Mu", "deontic"),
    ("6", "You are permitted to florp the dax.", "You must florp the dax.",
     _NO, "nonsense", "Mi-Mu", "deontic"),
)  # fmt: skip
EPISTEMIC = (
    ("1", "If the kettle is on, then it is certain that the water is hot. The kettle is on.",
     "It is certain that the water is hot.", _YES, "congruent", "Hyp-MP", "epistemic"),
    ("2", "If the kettle is on, then it is certain that the water is cold. The kettle is on.",
     "It is certain that the water is cold.", _YES, "incongruent", "Hyp-MP", "epistemic"),
    ("3", "If the kettle is on, then it is certain that the water is hot. It is not certain that the water is hot.",
     "The water is not hot.", _YES, "congruent", "Hyp-MT", "epistemic"),
    ("4", "If the kettle is on, then it is certain that the water is cold. It is not certain that the water is cold.",
     "The kettle is not on.", _YES, "incongruent", "Hyp-MT", "epistemic"),
    ("5", "Kettle the of if.", "Of.", _NO, "congruent", "Hyp-AC", "epistemic"),
)  # fmt: skip


def write(path: Path, rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(row) + "\n" for row in (header, *rows)), "utf-8")
    return path


def make(folder: Path) -> list[Path]:
    """Write a file of each domain: one label is contradicted, one depends, one item cannot be parsed."""
    return [write(folder / "deontic.tsv", DEONTIC), write(folder / "epistemic.tsv", EPISTEMIC)]
