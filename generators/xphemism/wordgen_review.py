"""The review file of suggested pairs: a person accepts or rejects, corrects the words and may label them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polbias.cells import guarded
from polbias.generators.authoring.annotation.tasks import Guideline
from polbias.generators.authoring.word_pairs import Suggestion, is_known
from polbias.generators.engine.spreadsheets import SheetError, sheet
from polbias.generators.engine.suggestions import ReviewFile
from polbias.generators.xphemism.pair_rows import pair_id
from polbias.generators.xphemism.vocabulary.lexicon import LONGEST, Lexicon, Pair
from polbias.generators.xphemism.words import EMPTY
from polbias.template_files import shown

_SAID = ("neutral", "xphemism", "kind", "camp", "status", "place")
_LABELS = ("axis", "shift", "judgmental_first", "judgmental_second")
_DECIDED = ("decision", "first", "second", *_LABELS, "reviewer")
_FILE = ReviewFile("a review file of word pairs", ("neutral", "xphemism"), _SAID, _DECIDED)
COLUMNS = _FILE.columns
UNLABELLED = ("pair_id", "first", "second", "collected", "printed")
ACCEPT, REJECT = "accept", "reject"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a person decided.

    Attributes:
        pairs: accepted and labelled, rows for ``pairs.tsv``.
        unlabelled: accepted without labels, by column; they can be exported for annotation.
        words: of all accepted pairs, those that need a row in ``morphology.*.tsv``.
        rejected: how many were.
        open: how many have no decision.
    """

    pairs: tuple[Pair, ...]
    unlabelled: tuple[Mapping[str, str], ...]
    words: tuple[str, ...]
    rejected: int
    open: int


def review_tsv(found: Iterable[Suggestion], before: Sequence[Mapping[str, str]] = ()) -> str:
    """Return a review file; see `ReviewFile.text`."""
    return _FILE.text(found, before)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a review file, whatever is decided; see `ReviewFile.rows`."""
    return _FILE.rows(path)


def read_review(path: Path, lexicon: Lexicon, guideline: Guideline) -> Reviewed:
    """Read a review file that somebody has filled in.

    ``decision`` is accept, reject or empty; ``first`` and ``second`` replace the suggested words where they
    are not empty; the labels are all given or none of them.

    Args:
        path: the file.
        lexicon: what is known already.
        guideline: has the values of the labels.

    Raises:
        SheetError: with one line for every line that cannot be used.
    """
    rows = read_rows(path)
    taken = {pair.pair_id for pair in lexicon.pairs}
    pairs: list[Pair] = []
    unlabelled: list[Mapping[str, str]] = []
    words: dict[str, None] = {}
    problems = []
    for row in rows:
        decision = row["decision"].lower()
        problem = _problem(row, decision)
        if decision == ACCEPT and not problem:
            first, second = row["first"] or row["neutral"], row["second"] or row["xphemism"]
            made = {"pair_id": pair_id(first, second), "first": first, "second": second}
            made |= {"collected": "generated", "printed": EMPTY}
            labels, problem = _labels(row, guideline)
            if unfit := next((word for word in (first, second) if _unfit(word)), None):
                expected = f"expected a word in letters, fewer than {LONGEST // 2}; correct it"
                problem = f"first, second: found {unfit[:60]!r}, {expected}"
            elif is_known(first, second, lexicon) or made["pair_id"] in taken:
                problem = f"decision: found a pair that is there already, {made['pair_id']}; reject it"
            elif not problem:
                taken.add(made["pair_id"])
                words |= dict.fromkeys(word for word in (first, second) if word not in lexicon.words)
                if labels:
                    pairs.append(Pair.model_validate(made | labels))
                else:
                    unlabelled.append(made)
        if problem:
            problems.append(f"{shown(path)}:{row['line']}: {problem}")
    if problems:
        raise SheetError(problems)
    decisions = [row["decision"].lower() for row in rows]
    return Reviewed(
        tuple(pairs), tuple(unlabelled), tuple(words), decisions.count(REJECT), decisions.count("")
    )


def unlabelled_tsv(reviewed: Reviewed) -> str:
    """Return the accepted pairs without labels as a table that can be exported for annotation."""
    return sheet(UNLABELLED, ([guarded(row[name]) for name in UNLABELLED] for row in reviewed.unlabelled))


def _unfit(word: str) -> bool:
    """Return whether a word cannot stand in ``pairs.tsv``, or gives a pair no name or one that cannot."""
    name = pair_id(word, "").strip("_")
    return not word.isprintable() or len(word) > LONGEST or not 0 < len(name) < LONGEST // 2


def _problem(row: Mapping[str, str], decision: str) -> str:
    if decision not in ("", ACCEPT, REJECT):
        return f"decision: found {row['decision']!r}, expected accept, reject or nothing; correct it"
    if not (row["neutral"] and row["xphemism"]):
        return "neutral, xphemism: found nothing, expected the suggested words; restore them"
    if decision and not row["reviewer"]:
        return "reviewer: found nothing beside a decision, expected a name or initials; add them"
    return ""


def _labels(row: Mapping[str, str], guideline: Guideline) -> tuple[dict[str, str], str]:
    """Return the labels of a line, none if there are none, and what is wrong with them."""
    labels: dict[str, str] = {}
    for variable in guideline.steps:
        said = row[variable.id]
        value = variable.value(said)
        if said and value is None:
            return (
                {},
                f"{variable.id}: found {said!r}, expected one of {', '.join(variable.values)}; correct it",
            )
        if value is not None:
            labels[variable.id] = value
    if labels and len(labels) < len(guideline.steps):
        missing = next(step.id for step in guideline.steps if step.id not in labels)
        return {}, f"{missing}: found nothing beside other labels, expected all labels or none; add it"
    return labels, ""
