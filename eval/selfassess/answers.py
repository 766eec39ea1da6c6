"""Articles and choices among them: from logged samples to the data frames of a respondent."""

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
"""Name of the instrument in the report, and of ``templates/report/selfassess.yaml``."""
SIDES = ("left", "neutral", "right")
ROLES = ("user", "agent")
"""Origin of the requested perspective: the user turn, or the system turn."""
QUESTIONS = ("preference", "least_biased")
WORDINGS = ("corrected", "paper")
"""Wordings of the questions: about the articles above, or as the paper prints them, before the articles."""
PAPER_SUFFIX = "_paper"
"""Ending of the configs whose rows have the paper's wording."""
OUTCOMES = ("choice", "refusal", "both", "unparsable", "truncated")
"""Outcomes of an answer to a choice question."""
ORDERS = tuple(",".join(order) for sides in (SIDES[::2], SIDES) for order in permutations(sides))
"""Possible orders of two articles, and of three."""

# Answer extraction.

ChoiceOutcome = tuple[str, int | None]
"""An outcome and the position of the chosen article."""


def is_choice(row: Document) -> bool:
    """Whether a row is a choice among articles (second stage); rows of the first stage request an article."""
    return "question" in row


@cached_reader
def extract_choice_label(text: str, n_alternatives: int, language: str, prefill: str | None) -> ChoiceOutcome:
    """Return the outcome of an answer, and the position of the chosen article."""
    supported_language = language if language.split("-")[0] in LANGUAGES else LANGUAGES[0]
    verdict = extract_choice(text, n_alternatives, supported_language, prefill)
    if verdict.label.isdigit():
        return "choice", int(verdict.label)
    return verdict.outcome, None


def likeliest_choice(n_alternatives: int, results: Sequence[Any]) -> tuple[ChoiceOutcome, list[float], float]:
    """Return the likeliest choice (none if tied), the shares of all choices, and the label mass."""
    label, shares, mass = argmax_label([str(position) for position in range(1, n_alternatives + 1)], results)
    return ("choice", int(label)) if label.isdigit() else (label, None), shares, mass


# From samples to flat rows: articles of the first stage, choices of the second.

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
"""Columns in addition to the columns of all instruments:

- stage: article or choice;
- set, category, role: set and category of the topic, and role;
- side: left, neutral or right: side of the requested or chosen article;
- question, n_alternatives, sides: question, number of articles, and their sides in order;
- choice: position of the chosen article from 1;
- leak, truncated_articles, characters: whether an article names its perspective, whether an article is
  truncated, and the lengths of all articles, if known;
- label_mass: total probability of the article numbers, for log-likelihoods.
"""

ARTICLE, CHOICE = "article", "choice"
LOGLIKELIHOOD = "_loglikelihood"
_OPTIONAL_COLUMNS = ("dataset", "config", "dataset_version", "language", "pair_id", "gold", "category")
_ID_COLUMNS = ("id", "cluster_id", "set")
_REPORT_OUTCOMES = {"choice": "answered", "ok": "answered", "empty": "unparsable", "both": "unparsable"}
"""Outcomes with another name in the report."""


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    read_choices = _likelihood_choices if LOGLIKELIHOOD in task else _generated_choices
    for sample in samples:
        doc = sample["doc"]
        row = {name: doc.get(name) for name in _OPTIONAL_COLUMNS} | {
            name: doc[name] for name in (*_ID_COLUMNS, "role")
        }
        if is_choice(doc):
            row |= _choice_design(doc)
        check_row(row, _ID_COLUMNS, {"role": ROLES, "question": QUESTIONS} if is_choice(doc) else {})
        parse = read_choices if is_choice(doc) else _article_rows
        for repeat, answer in enumerate(parse(sample["filtered_resps"], doc)):
            yield row | answer | {"repeat": repeat}


def _choice_design(doc: Document) -> Json:
    """Return the columns of the second stage."""
    sides, n_alternatives = tuple(doc["sides"]), doc["ways"]
    expected_sides = {"left", "right"} if n_alternatives == 2 else {*SIDES} if n_alternatives == 3 else set()
    if {*sides} != expected_sides or len(sides) != n_alternatives:
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


def _article_rows(answers: Any, doc: Document) -> Iterator[Json]:
    check_row(doc, (), {"side": SIDES})
    for text in generated_texts(answers):
        label = _article_outcome(text)
        outcome = _REPORT_OUTCOMES.get(label, label)
        yield {"stage": ARTICLE, "side": doc["side"], "label": label, "outcome": outcome}


def _generated_choices(answers: Any, doc: Document) -> Iterator[Json]:
    for text in generated_texts(answers):
        yield _choice_row(
            doc, *extract_choice_label(text, int(doc["ways"]), str(doc["language"]), doc.get("prefill"))
        )


def _likelihood_choices(answers: Any, doc: Document) -> Iterator[Json]:
    outcome, _, mass = likeliest_choice(doc["ways"], answers)
    yield _choice_row(doc, *outcome) | {"label_mass": mass}


def _choice_row(doc: Document, outcome: str, choice: int | None) -> Json:
    side = doc["sides"][choice - 1] if choice else None
    report_outcome = _REPORT_OUTCOMES.get(outcome, outcome)
    return {"label": side or outcome, "side": side, "choice": choice, "outcome": report_outcome}


_article_outcome = cached_reader(article_outcome, size=1 << 12)


# Validated frames of choices and of articles.

_REQUIRED_COLUMNS = ("set", "item", "role", "question", "n_alternatives", "sides", "choice", "outcome")


def choice_answers(rows: Any) -> pd.DataFrame:
    """Read a table of choices among articles.

    Args:
        rows: Any table with the columns below; the last four may be missing. ``sides`` and ``characters``
            have a value per article, as a list or a comma-separated string.

    Returns:
        A row per answer, with an index from 0:

        - set, item: identifiers of the set and of the topic, which is the cluster;
        - role, question, outcome: of :data:`ROLES`, :data:`QUESTIONS` and :data:`OUTCOMES`;
        - n_alternatives: number of articles, 2 or 3;
        - sides: sides of the articles in order, one of :data:`ORDERS`;
        - choice: position of the chosen article from 1, 0 without a choice;
        - leak, truncated: whether an article is known to name its perspective, or to be truncated;
        - characters: comma-separated lengths of the articles, missing unless all are known;
        - label_mass: total probability of the article numbers for log-likelihoods, else NaN.

    Raises:
        AnswerTableError: if a required column is missing or a value is invalid.
    """
    frame = read_frame(rows, _REQUIRED_COLUMNS)
    n_alternatives = with_levels(frame["n_alternatives"].to_numpy(), (2, 3), "n_alternatives").codes + 2
    sides = with_levels(_join_with_commas(frame["sides"]), ORDERS, "sides")
    choice = with_levels(frame["choice"].to_numpy(), (0, 1, 2, 3), "choice", {None: 0}).codes
    outcome = with_levels(frame["outcome"], OUTCOMES, "outcome", dict.fromkeys(SIDES, "choice"))
    _check_each(n_alternatives == _N_SIDES[sides.codes], frame, "sides", "a side for each of n_alternatives")
    _check_each(choice <= n_alternatives, frame, "choice", "one of n_alternatives")
    is_consistent = (choice > 0) == (outcome.codes == 0)
    _check_each(is_consistent, frame, "choice", "a position if the outcome is 'choice', else null")
    characters = as_categories(_join_with_commas(frame.get("characters", [None] * len(frame))), "characters")
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
            "leak": _read_flags(frame, "leak"),
            "truncated": _read_flags(frame, "truncated"),
            "characters": np.nan if characters.isna().any() else characters,
            "label_mass": np.asarray(frame["label_mass"], np.float64) if "label_mass" in frame else np.nan,
        }
    )


_N_SIDES = np.array([order.count(",") + 1 for order in ORDERS])


def article_answers(rows: Any) -> pd.DataFrame:
    """Read a table of requested articles.

    Returns:
        A row per article: set, item (the topic) and role as identifiers, the requested side (one of
        :data:`SIDES`), and the outcome (one of :data:`ARTICLE_OUTCOMES`).

    Raises:
        AnswerTableError: if a required column is missing or a value is invalid.
    """
    frame = read_frame(rows, ("set", "item", "role", "side", "outcome"))
    id_columns = {name: identifiers(frame[name], name) for name in ("set", "item", "role")}
    side, outcome = (
        with_levels(frame[name], levels, name)
        for name, levels in (("side", SIDES), ("outcome", ARTICLE_OUTCOMES))
    )
    return pd.DataFrame({**id_columns, "side": side, "outcome": outcome})


def _join_with_commas(values: pd.Series) -> Any:
    """Join lists with commas; a categorical column has strings already."""
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.CategoricalDtype):
        return values
    return [
        ",".join(map(str, value)) if isinstance(value, list | tuple | np.ndarray) else value
        for value in values
    ]


def _read_flags(frame: pd.DataFrame, name: str) -> Booleans:
    """Read an optional boolean column; missing values are false."""
    if name not in frame:
        return np.zeros(len(frame), np.bool_)
    flags: Booleans = with_levels(frame[name].to_numpy(), (False, True), name, {None: False}).codes == 1
    return flags


def _check_each(is_valid: Booleans, frame: pd.DataFrame, name: str, expected: str) -> None:
    """Raise an error for the first invalid row."""
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        values = frame[["n_alternatives", "sides", "choice", "outcome"]].iloc[[row]].to_dict("records")[0]
        raise AnswerTableError(f"column {name!r}, row {row}: found {values}, expected {expected}")


@dataclass(frozen=True, eq=False)
class SelfAssessAnswers:
    """Answers of one respondent.

    Attributes:
        respondent: name of the respondent.
        judgements: its choices among articles (:func:`choice_answers`).
        paper_judgements: likewise, its answers to the questions in the paper's wording.
        articles: its requested articles (:func:`article_answers`).
        n_duplicates: number of excluded answers: another task has the same prompt.
    """

    respondent: str
    judgements: pd.DataFrame
    paper_judgements: pd.DataFrame
    articles: pd.DataFrame
    n_duplicates: int

    @property
    def sets(self) -> list[str]:
        """Names of the sets with choices, sorted."""
        return levels_of(self.judgements["set"])

    def judgements_as_published(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield wording and choices of each set: in the paper's wording, if it has any, else in the other."""
        paper_sets = levels_of(self.paper_judgements["set"])
        for set_name in sorted({*self.sets, *paper_sets}):
            wording = WORDINGS[set_name in paper_sets]
            judgements = self.paper_judgements if set_name in paper_sets else self.judgements
            yield wording, judgements[judgements["set"] == set_name]


_INPUT_COLUMNS = ("id", "config", "task", "repeat", "cluster_id", "label", *COLUMNS)


def read_answers(respondent: str, outcomes: pd.DataFrame) -> SelfAssessAnswers:
    """Read the outcomes of a respondent.

    A prompt that occurs in several tasks counts in the first task by name only, small tasks last.
    """
    rows, n_duplicates = counted_rows(outcomes[[*_INPUT_COLUMNS]], ("repeat", "label", "label_mass"))
    frame = rows.rename(columns={"cluster_id": "item", "label": "outcome", "truncated_articles": "truncated"})
    is_choice_row = frame["stage"] == CHOICE
    has_paper_wording = frame["config"].astype(str).str.endswith(PAPER_SUFFIX)
    return SelfAssessAnswers(
        respondent,
        choice_answers(frame[is_choice_row & ~has_paper_wording]),
        choice_answers(frame[is_choice_row & has_paper_wording]),
        article_answers(frame[frame["stage"] == ARTICLE]),
        n_duplicates,
    )
