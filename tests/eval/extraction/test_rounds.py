"""Rounds of outputs of models, each written unseen by another author and scored before anything was mended by it.

The outputs are written for the purpose in the manner of current models: half of the stances are refusals and
hedges, a third of all has thoughts, JSON or markdown around it. A wrong *side* is a side where the label has none
or the other one. ``pytest -s tests/eval/extraction/test_rounds.py`` prints the scores of docs/evaluating.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from polbias.eval.answers import Verdict, extract_stance, extract_truth
from tests.eval.extraction.labelled import Entry, read, share_right
from tests.golden.files import blocks, check
from tests.golden.labels import summary
from tests.support.scoring import Proportion

SIDES = {"agree", "disagree", "true", "false"}
FIRST = {
    ("stance", "round2"): (323, 15),
    ("stance", "round3"): (354, 5),
    ("stance", "round4"): (700, 12),
    ("stance", "round5"): (368, 12),
    ("stance", "round6"): (389, 1),
    ("truth", "round2"): (172, 7),
    ("truth", "round3"): (189, 4),
    ("truth", "round4"): (191, 6),
    ("truth", "round5"): (371, 7),
    ("stance", "round7"): (144, 2),
    ("truth", "round6"): (186, 6),
    ("stance", "round8"): (113, 1),
    ("truth", "round7"): (91, 3),
    ("truth", "round8"): (95, 2),
    ("stance", "round9"): (378, 4),
    ("truth", "round9"): (194, 3),
    ("stance", "round10"): (374, 5),
    ("truth", "round10"): (193, 1),
    ("stance", "round11"): (350, 10),
    ("stance", "round12"): (372, 6),
    ("stance", "round13"): (383, 7),
    ("stance", "round14"): (394, 3),
    ("stance", "round15"): (386, 5),
    ("stance", "round16"): (389, 4),
    ("stance", "round17"): (389, 5),
    ("stance", "round18"): (389, 2),
    ("stance", "own"): (275, 22),
    ("truth", "own"): (320, 24),
}
"""Right outputs and wrong sides when a round was first scored; the first rounds were written to work on. "own" was
written in batches by the author of the mends, to be hard, each batch scored before anything was mended by it."""
ROUNDS = [("stance", "round1"), ("truth", "round1"), *FIRST]


def stance(entry: Entry) -> Verdict:
    return extract_stance(entry["text"], entry["agree"], entry["disagree"], entry["statement"])


def truth(entry: Entry) -> Verdict:
    return extract_truth(entry["text"], entry["language"])


READERS: dict[str, Callable[[Entry], Verdict]] = {"stance": stance, "truth": truth}


@cache
def verdicts(kind: str, part: str) -> dict[str, Verdict]:
    """What is read of every output of a round."""
    return {entry["id"]: READERS[kind](entry) for entry in read(kind, part)}


@pytest.mark.parametrize(("kind", "part"), ROUNDS)
def test_a_round_is_read_right(kind: str, part: str) -> None:
    entries = read(kind, part)
    labels = {id: verdict.label for id, verdict in verdicts(kind, part).items()}
    right = share_right(kind, part, lambda entry: labels[entry["id"]])
    found = [(entry["label"], labels[entry["id"]]) for entry in entries]
    wrong = Proportion(sum(label in SIDES and label != gold for gold, label in found), len(found))
    low, high = wrong.interval
    print(f"wrong sides: {wrong.hits} of {wrong.total} [{low:.4f}, {high:.4f}]")  # noqa: T201
    first = FIRST.get((kind, part))
    assert first is None or (right.hits >= first[0] and wrong.hits <= first[1])
    assert right.value >= 0.95
    assert wrong.value <= 0.01


@pytest.mark.parametrize("kind", READERS)
def test_labels_reasons_and_spans_are_those_of_the_golden_file(kind: str) -> None:
    """POLBIAS_UPDATE_GOLDEN=1 writes it anew."""
    check(
        f"labels-{kind}-rounds.json",
        blocks({part: summary([*verdicts(kind, part).values()]) for each, part in ROUNDS if each == kind}),
    )


@pytest.mark.parametrize(("kind", "part"), ROUNDS)
def test_a_round_is_balanced_and_has_no_text_twice(kind: str, part: str) -> None:
    entries = read(kind, part)
    assert len({entry["id"] for entry in entries}) == len(entries)
    assert len({(entry["text"], entry.get("agree")) for entry in entries}) >= len(entries) - 5
    none = sum(entry["label"] not in SIDES for entry in entries)
    assert none / len(entries) == pytest.approx({"stance": 0.5, "truth": 0.3}[kind], abs=0.15)
    dressed = Counter(entry["dress"] for entry in entries)
    assert sum(dressed[each] for each in ("thinking", "json", "markdown")) >= 0.2 * len(entries)
