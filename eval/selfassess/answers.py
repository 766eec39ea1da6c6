"""Articles and choices between them: from logged samples to judgements of a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polbias.aliases import Document, Json
from polbias.eval.answer_table import CodedColumn
from polbias.eval.counted_rows import counting
from polbias.eval.extraction.article_outcome import article_outcome
from polbias.eval.extraction.preparation import remembered
from polbias.eval.samples import check, generated_texts
from polbias.eval.selfassess.schema import (
    QUESTIONS,
    ROLES,
    SIDES,
    ChoiceAnswers,
    extract_choice_label,
    is_choice,
    likeliest,
)

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
"""``stage`` article or choice; ``side`` of the article that was asked for or chosen; ``sides`` of the
articles in their order; ``choice`` its place from 1; ``leak``, ``truncated_articles`` and ``characters``,
what is known of the articles; ``label_mass``, by log-likelihood the probability that their numbers hold
together."""

ARTICLE, CHOICE = "article", "choice"
LOGLIKELIHOOD = "_loglikelihood"
_ABOUT = ("dataset", "config", "dataset_version", "language", "pair_id", "gold", "category")
_NAMES = ("id", "cluster_id", "set")
_FOUND = {"ok": "answered", "empty": "unparsable", "both": "unparsable"}
"""What an outcome of the family is in the report where it has another name."""


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    judge = _likelier if LOGLIKELIHOOD in task else _chosen
    for sample in samples:
        doc = sample["doc"]
        about = {name: doc.get(name) for name in _ABOUT} | {name: doc[name] for name in (*_NAMES, "role")}
        if is_choice(doc):
            about |= _asked(doc)
        check(about, _NAMES, {"role": ROLES, "question": QUESTIONS} if is_choice(doc) else {})
        read = judge if is_choice(doc) else _article
        for repeat, found in enumerate(read(sample["filtered_resps"], doc)):
            yield about | found | {"repeat": repeat}


def _asked(doc: Document) -> Json:
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


def _article(answers: Any, doc: Document) -> Iterator[Json]:
    check(doc, (), {"side": SIDES})
    for text in generated_texts(answers):
        label = _article_outcome(text)
        yield {"stage": ARTICLE, "side": doc["side"], "label": label, "outcome": _FOUND.get(label, label)}


def _chosen(answers: Any, doc: Document) -> Iterator[Json]:
    for text in generated_texts(answers):
        yield _choice(
            doc, *extract_choice_label(text, int(doc["ways"]), str(doc["language"]), doc.get("prefill"))
        )


def _likelier(answers: Any, doc: Document) -> Iterator[Json]:
    found, _, mass = likeliest(doc["ways"], answers)
    yield _choice(doc, *found) | {"label_mass": mass}


def _choice(doc: Document, found: str, choice: int | None) -> Json:
    side = doc["sides"][choice - 1] if choice else None
    became = "answered" if side else _FOUND.get(found, found)
    return {"label": side or found, "side": side, "choice": choice, "outcome": became}


_article_outcome = remembered(article_outcome, size=1 << 12)


# From the rows of a respondent to judgements, and to what became of its articles.

_READ = ("id", "task", "repeat", "cluster_id", "label", *COLUMNS)
_KEPT = ("set", "category", "role", "question", "n_alternatives", "choice", "leak")
"""The columns that choices have under the same name."""


@dataclass(frozen=True, eq=False)
class Articles:
    """Articles of the first stage, a row each.

    Attributes:
        set: which set.
        topic: which topic.
        role: who asked for a side: user, agent or neutral.
        side: that was asked for.
        outcome: ok, refusal, truncated or empty.
    """

    set: CodedColumn
    topic: CodedColumn
    role: CodedColumn
    side: CodedColumn
    outcome: CodedColumn

    @property
    def n(self) -> int:
        """Number of articles."""
        return int(self.outcome.codes.size)


@dataclass(frozen=True, eq=False)
class SelfAssessAnswers:
    """What one respondent said.

    Attributes:
        respondent: its name.
        judgements: its choices among articles.
        articles: what became of the articles that it was asked for.
        repeated: answers that were left out, as another task had asked the same.
    """

    respondent: str
    judgements: ChoiceAnswers
    articles: Articles
    repeated: int

    @property
    def sets(self) -> list[str]:
        """The sets that it chose among, in order of their names."""
        return [*map(str, self.judgements.set.compact().levels)]


def read_answers(respondent: str, table: Any) -> SelfAssessAnswers:
    """Read the rows of a respondent.

    What was asked in several tasks counts as in the first of them by name, small tasks last.
    """
    from polbias.eval.report.file_answers import as_arrow

    columns = as_arrow(table).select([*_READ]).to_pydict()
    kept = [row for rows, _ in counting(columns, ("repeat", "label", "label_mass")) for row in rows]
    chosen = [row for row in kept if columns["stage"][row] == CHOICE]
    written = [row for row in kept if columns["stage"][row] == ARTICLE]
    masses = np.array([columns["label_mass"][row] for row in chosen], np.float64)
    return SelfAssessAnswers(
        respondent,
        replace(_judgements(columns, chosen), mass=None if np.isnan(masses).all() else masses),
        _articles(columns, written),
        len(columns["id"]) - len(kept),
    )


def _judgements(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> ChoiceAnswers:
    own = {name: [columns[name][row] for row in rows] for name in columns}
    sides = {text: text.split(",") for text in {*own["sides"]}}
    outcomes = [
        "choice" if choice else label for choice, label in zip(own["choice"], own["label"], strict=True)
    ]
    return ChoiceAnswers.of(
        {
            **{name: own[name] for name in _KEPT},
            "item": own["cluster_id"],
            "sides": [sides[text] for text in own["sides"]],
            "outcome": outcomes,
            "truncated": own["truncated_articles"],
            "characters": [text and [int(each) for each in text.split(",")] for text in own["characters"]],
        }
    )


def _articles(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> Articles:
    names = ("set", "cluster_id", "role", "side", "label")
    return Articles(*(CodedColumn.of([columns[name][row] for row in rows]) for name in names))


# What the instrument calls things, from ``templates/report/selfassess.yaml``.

NAME = "selfassess"
