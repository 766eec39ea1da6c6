"""Articles and choices between them: from answers and logged samples to data frames of a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Booleans, Document, Json
from polbias.eval.answer_frames import (
    AnswerTableError,
    as_categories,
    identifiers,
    levels_of,
    read_frame,
    with_levels,
)
from polbias.eval.counted_rows import counted_rows
from polbias.eval.extraction.article_outcome import ARTICLE_OUTCOMES, article_outcome
from polbias.eval.extraction.choice import LANGUAGES, extract_choice
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.samples import check_row, generated_texts

NAME = "selfassess"
"""What ``templates/report/selfassess.yaml`` and the report call the instrument."""
SIDES = ("left", "neutral", "right")
ROLES = ("user", "agent")
"""Who asked for the perspective of the biased articles: the request, or the system turn."""
QUESTIONS = ("preference", "least_biased")
OUTCOMES = ("choice", "refusal", "both", "unparsable", "truncated")
"""Outcomes of an answer to the question which article it is."""
ORDERS = tuple(",".join(order) for sides in (SIDES[::2], SIDES) for order in permutations(sides))
"""The orders in which two articles, or three, can stand."""

# How an answer is read.

ChoiceOutcome = tuple[str, int | None]
"""An outcome and the position of the chosen article."""


def is_choice(row: Document) -> bool:
    """Return whether a row asks to choose among articles; those of the first stage ask for one."""
    return "question" in row


@cached_reader
def extract_choice_label(text: str, n_alternatives: int, language: str, prefill: str | None) -> ChoiceOutcome:
    """Return the outcome of one answer."""
    known = language if language.split("-")[0] in LANGUAGES else LANGUAGES[0]
    verdict = extract_choice(text, n_alternatives, known, prefill)
    if verdict.label.isdigit():
        return "choice", int(verdict.label)
    return verdict.outcome, None


def likeliest_choice(n_alternatives: int, results: Sequence[Any]) -> tuple[ChoiceOutcome, list[float], float]:
    """Return the likeliest choice, none where equal, with the shares of all and their mass."""
    label, shares, mass = argmax_label([str(place) for place in range(1, n_alternatives + 1)], results)
    return ("choice", int(label)) if label.isdigit() else (label, None), shares, mass


# From samples of the self-assessment tasks to rows: articles of the first stage, choices of the second.

COLUMNS: Mapping[str, str] = {
    "stage": "string",
    "set": "string",
    "category": "string",
    "role": "string",
    "side": "string",
    "question": "string",
    "n_alternatives": "int8",
    "sides": "string",
    "choice": "int8",
    "leak": "bool",
    "truncated_articles": "bool",
    "characters": "string",
    "label_mass": "double",
}
"""Beside the columns of every instrument:

- stage: article or choice;
- set, category, role: of the topic and of who asked;
- side: left, neutral or right, of the article that was asked for or chosen;
- question, n_alternatives, sides: of a choice, with the sides of the articles in their order;
- choice: position of the chosen article from 1;
- leak, truncated_articles, characters: whether an article names its own perspective, or is cut off, and the
  lengths of all, as far as that is known;
- label_mass: by log-likelihood, the probability that the numbers of the articles hold together.
"""

ARTICLE, CHOICE = "article", "choice"
LOGLIKELIHOOD = "_loglikelihood"
_ABOUT = ("dataset", "config", "dataset_version", "language", "pair_id", "gold", "category")
_NAMES = ("id", "cluster_id", "set")
_REPORT_OUTCOMES = {"choice": "answered", "ok": "answered", "empty": "unparsable", "both": "unparsable"}
"""Outcomes that have another name in the report."""


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    read_choices = _likelihood_choices if LOGLIKELIHOOD in task else _generated_choices
    for sample in samples:
        doc = sample["doc"]
        about = {name: doc.get(name) for name in _ABOUT} | {name: doc[name] for name in (*_NAMES, "role")}
        if is_choice(doc):
            about |= _choice_design(doc)
        check_row(about, _NAMES, {"role": ROLES, "question": QUESTIONS} if is_choice(doc) else {})
        read = read_choices if is_choice(doc) else _articles
        for repeat, answer in enumerate(read(sample["filtered_resps"], doc)):
            yield about | answer | {"repeat": repeat}


def _choice_design(doc: Document) -> Json:
    """What only the second stage has."""
    sides, n_alternatives = tuple(doc["sides"]), doc["ways"]
    wanted = {"left", "right"} if n_alternatives == 2 else {*SIDES} if n_alternatives == 3 else set()
    if {*sides} != wanted or len(sides) != n_alternatives:
        expected = "left and right, or left, neutral and right, once each"
        raise ValueError(f"sides: found {list(sides)!r} with ways {n_alternatives!r}, expected {expected}")
    lengths = doc.get("characters")
    if lengths is not None and (len(lengths) != n_alternatives or min(lengths) < 1):
        raise ValueError(
            f"characters: found {list(lengths)!r}, expected a length for each of {n_alternatives} articles"
        )
    return {
        "stage": CHOICE,
        "question": doc["question"],
        "n_alternatives": n_alternatives,
        "sides": ",".join(sides),
        "leak": doc.get("leak"),
        "truncated_articles": doc.get("truncated"),
        "characters": lengths and ",".join(map(str, lengths)),
    }


def _articles(answers: Any, doc: Document) -> Iterator[Json]:
    check_row(doc, (), {"side": SIDES})
    for text in generated_texts(answers):
        label = _article_outcome(text)
        outcome = _REPORT_OUTCOMES.get(label, label)
        yield {"stage": ARTICLE, "side": doc["side"], "label": label, "outcome": outcome}


def _generated_choices(answers: Any, doc: Document) -> Iterator[Json]:
    for text in generated_texts(answers):
        yield _choice(
            doc, *extract_choice_label(text, int(doc["ways"]), str(doc["language"]), doc.get("prefill"))
        )


def _likelihood_choices(answers: Any, doc: Document) -> Iterator[Json]:
    outcome, _, mass = likeliest_choice(doc["ways"], answers)
    yield _choice(doc, *outcome) | {"label_mass": mass}


def _choice(doc: Document, outcome: str, choice: int | None) -> Json:
    side = doc["sides"][choice - 1] if choice else None
    report_outcome = _REPORT_OUTCOMES.get(outcome, outcome)
    return {"label": side or outcome, "side": side, "choice": choice, "outcome": report_outcome}


_article_outcome = cached_reader(article_outcome, size=1 << 12)


# From any table, and from the outcomes of a respondent, to frames of choices and of articles.

_REQUIRED = ("set", "item", "role", "question", "n_alternatives", "sides", "choice", "outcome")


def choice_answers(rows: Any) -> pd.DataFrame:
    """Check a table of choices among articles.

    Args:
        rows: A table of any kind with all columns that are returned; the last four may be missing. ``sides``
            and ``characters`` have a value for each article, in a list or in a text with commas.

    Returns:
        A row per answer, with an index from 0:

        - set, item: identifiers of the set and of the topic, which is the cluster;
        - role, question, outcome: of :data:`ROLES`, :data:`QUESTIONS` and :data:`OUTCOMES`;
        - n_alternatives: number of articles, 2 or 3;
        - sides: those of the articles in their order, of :data:`ORDERS`;
        - choice: position of the chosen article from 1, 0 without a choice;
        - leak, truncated: whether an article is known to name its own perspective, or to be cut off;
        - characters: lengths of the articles as a text with commas, missing unless all are known;
        - label_mass: by log-likelihood, the probability that the numbers hold together, else NaN.

    Raises:
        AnswerTableError: if a column is missing or a value is none of those.
    """
    frame = read_frame(rows, _REQUIRED)
    n_alternatives = with_levels(frame["n_alternatives"].to_numpy(), (2, 3), "n_alternatives").codes + 2
    sides = with_levels(_with_commas(frame["sides"]), ORDERS, "sides")
    choice = with_levels(frame["choice"].to_numpy(), (0, 1, 2, 3), "choice", {None: 0}).codes
    outcome = with_levels(frame["outcome"], OUTCOMES, "outcome", dict.fromkeys(SIDES, "choice"))
    _check_each(n_alternatives == _N_SIDES[sides.codes], frame, "sides", "a side for each of n_alternatives")
    _check_each(choice <= n_alternatives, frame, "choice", "one of n_alternatives")
    agrees = (choice > 0) == (outcome.codes == 0)
    _check_each(agrees, frame, "choice", "a position if the outcome is 'choice', else null")
    characters = as_categories(_with_commas(frame.get("characters", [None] * len(frame))), "characters")
    return pd.DataFrame(
        {
            "set": identifiers(frame["set"], "set"),
            "item": identifiers(frame["item"], "item"),
            "role": with_levels(frame["role"], ROLES, "role"),
            "question": with_levels(frame["question"], QUESTIONS, "question"),
            "n_alternatives": n_alternatives,
            "sides": sides,
            "choice": choice,
            "outcome": outcome,
            "leak": _flags(frame, "leak"),
            "truncated": _flags(frame, "truncated"),
            "characters": np.nan if characters.isna().any() else characters,
            "label_mass": np.asarray(frame["label_mass"], np.float64) if "label_mass" in frame else np.nan,
        }
    )


_N_SIDES = np.array([order.count(",") + 1 for order in ORDERS])


def article_answers(rows: Any) -> pd.DataFrame:
    """Check a table of articles that were asked for.

    Returns:
        A row per article: set, item (the topic) and role as identifiers, the side of :data:`SIDES` that was
        asked for, and the outcome, of :data:`ARTICLE_OUTCOMES`.

    Raises:
        AnswerTableError: if a column is missing or a value is none of those.
    """
    frame = read_frame(rows, ("set", "item", "role", "side", "outcome"))
    named = {name: identifiers(frame[name], name) for name in ("set", "item", "role")}
    side, outcome = (
        with_levels(frame[name], levels, name)
        for name, levels in (("side", SIDES), ("outcome", ARTICLE_OUTCOMES))
    )
    return pd.DataFrame({**named, "side": side, "outcome": outcome})


def _with_commas(values: pd.Series) -> Any:
    """Lists as texts with commas; a categorical column has texts already."""
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.CategoricalDtype):
        return values
    return [
        ",".join(map(str, value)) if isinstance(value, list | tuple | np.ndarray) else value
        for value in values
    ]


def _flags(frame: pd.DataFrame, name: str) -> Booleans:
    """Where a column is true; one that is missing is nowhere."""
    if name not in frame:
        return np.zeros(len(frame), np.bool_)
    flags: Booleans = with_levels(frame[name].to_numpy(), (False, True), name, {None: False}).codes == 1
    return flags


def _check_each(fits: Booleans, frame: pd.DataFrame, name: str, expected: str) -> None:
    """Refuse a frame with a row that does not fit."""
    if not fits.all():
        row = int(np.argmin(fits))
        found = frame[["n_alternatives", "sides", "choice", "outcome"]].iloc[[row]].to_dict("records")[0]
        raise AnswerTableError(f"column {name!r}, row {row}: found {found}, expected {expected}")


@dataclass(frozen=True, eq=False)
class SelfAssessAnswers:
    """Answers of one respondent.

    Attributes:
        respondent: its name.
        judgements: its choices among articles (:func:`choice_answers`).
        articles: those that it was asked for (:func:`article_answers`).
        repeated: number of answers that were left out, as another task had asked the same.
    """

    respondent: str
    judgements: pd.DataFrame
    articles: pd.DataFrame
    n_duplicates: int

    @property
    def sets(self) -> list[str]:
        """The sets that it chose among, in order of their names."""
        return levels_of(self.judgements["set"])


_READ = ("id", "task", "repeat", "cluster_id", "label", *COLUMNS)


def read_answers(respondent: str, outcomes: pd.DataFrame) -> SelfAssessAnswers:
    """Read the outcomes of a respondent.

    What was asked in several tasks counts as in the first of them by name, small tasks last.
    """
    counted, n_others = counted_rows(outcomes[[*_READ]], ("repeat", "label", "label_mass"))
    named = counted.rename(
        columns={"cluster_id": "item", "label": "outcome", "truncated_articles": "truncated"}
    )
    return SelfAssessAnswers(
        respondent,
        choice_answers(named[named["stage"] == CHOICE]),
        article_answers(named[named["stage"] == ARTICLE]),
        n_others,
    )
