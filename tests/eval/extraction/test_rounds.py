"""Rounds of outputs of models, each written unseen by another author and scored before anything was mended by it.

The outputs are written for the purpose in the manner of current models: half of the stances are refusals and
hedges, a third of all has thoughts, JSON or markdown around it. A wrong *side* is a side where the label has none
or the other one. docs/tables/extraction-rounds.csv has the scores; ``pytest -s`` prints them by label.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from operator import eq

import pytest

from polbias.eval.answers import Verdict, extract_stance, extract_truth
from tests.eval.extraction.labelled import Entry, read, share_right
from tests.golden.files import blocks, check
from tests.golden.labels import summary
from tests.support.process import ROOT
from tests.support.scoring import Proportion

SIDES = {"agree", "disagree", "true", "false"}
TABLE = ROOT / "docs" / "tables" / "extraction-rounds.csv"
_KINDS = {"stances": "stance", "truths": "truth"}


def table_rows() -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of the documentation's table by kind and file."""
    rows = {}
    for row in csv.DictReader(io.StringIO(TABLE.read_text("utf-8"))):
        kind, number = re.match(r"(\w+), (\d+)", row["round"]).groups()
        rows[_KINDS[kind], f"round{number}"] = row
    return rows


FIRST = {
    **{
        part: (int(row["right at first"]), int(row["wrong sides at first"]))
        for part, row in table_rows().items()
    },
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


def test_the_table_of_the_documentation_has_the_scores() -> None:
    """POLBIAS_UPDATE_GOLDEN=1 writes all columns but the scores of the first time."""
    rows = table_rows()
    for (kind, part), row in rows.items():
        entries = read(kind, part)
        labels = [verdicts(kind, part)[entry["id"]].label for entry in entries]
        golds = [entry["label"] for entry in entries]
        right, wrong = FIRST[kind, part]
        low, high = Proportion(wrong, len(entries)).interval
        row |= {
            "outputs": str(len(entries)),
            "right at first (%)": f"{100 * right / len(entries):.1f}",
            "wrong sides at first (%, 95% interval)": f"{100 * low:.1f} to {100 * high:.1f}",
            "right now": str(sum(map(eq, golds, labels))),
            "wrong sides now": str(
                sum(label in SIDES and label != gold for gold, label in zip(golds, labels, strict=True))
            ),
        }
    text = io.StringIO()
    writer = csv.DictWriter(text, [*row], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    check(TABLE, text.getvalue())


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
