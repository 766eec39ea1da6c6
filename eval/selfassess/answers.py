"""From samples of the self-assessment tasks to rows: articles of the first stage, choices of the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answers.article import article_outcome
from polbias.eval.lm_eval_glue import flat, label_shares
from polbias.eval.selfassess.samples import is_choice, likeliest, outcome
from polbias.eval.selfassess.schema import QUESTIONS, ROLES, SIDES

COLUMNS: Mapping[str, str] = {
    "stage": "string",
    "set": "string",
    "category": "string",
    "role": "string",
    "side": "string",
    "question": "string",
    "ways": "int8",
    "sides": "string",
    "choice": "int8",
    "leak": "bool",
    "truncated_articles": "bool",
    "label_mass": "double",
}
"""``stage`` article or choice; ``side`` of the article that was asked for or chosen; ``sides`` of the
articles in their order; ``choice`` its place from 1; ``leak`` and ``truncated_articles``, what is known of
the articles; ``label_mass``, by log-likelihood the probability that their numbers hold together."""

ARTICLE, CHOICE = "article", "choice"
LOGLIKELIHOOD = "_loglikelihood"
_ABOUT = ("dataset", "config", "dataset_version", "language", "pair_id", "gold")
_FOUND = {"ok": "answered", "empty": "unparsable", "both": "unparsable"}
"""What an outcome of the family is in the report where it has another name."""


def rows(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.instruments.Reporter`.

    Args:
        samples: Of one file.
        task: Its task.

    Raises:
        KeyError: If a sample lacks a column of the data.
        ValueError: If a column holds something unknown, or there is no answer.
        TypeError: If an answer is no text, or no log-likelihood.
    """
    judge = _likelier if LOGLIKELIHOOD in task else _chosen
    for sample in samples:
        doc = sample["doc"]
        about = {name: doc.get(name) for name in _ABOUT} | _where(doc)
        if is_choice(doc):
            about |= _asked(doc)
        read = judge if is_choice(doc) else _article
        for repeat, found in enumerate(read(sample["filtered_resps"], doc)):
            yield about | found | {"repeat": repeat}


def _where(doc: Document) -> Json:
    """What both stages have: topic, set and role."""
    found = {
        "id": doc["id"],
        "cluster_id": doc["cluster_id"],
        "set": doc["set"],
        "category": doc.get("category"),
        "role": doc["role"],
    }
    for name in ("id", "cluster_id", "set"):
        if not isinstance(found[name], str):
            raise ValueError(f"{name}: found {found[name]!r}, expected a name")
    return found


def _asked(doc: Document) -> Json:
    """What only the second stage has."""
    sides, ways = tuple(doc["sides"]), doc["ways"]
    if {*sides} != _wanted(ways) or len(sides) != ways:
        expected = "left and right, or left, neutral and right, once each"
        raise ValueError(f"sides: found {list(sides)!r} with ways {ways!r}, expected {expected}")
    for name, known in (("role", ROLES), ("question", QUESTIONS)):
        if doc[name] not in known:
            raise ValueError(f"{name}: found {doc[name]!r}, expected {' or '.join(known)}")
    return {
        "stage": CHOICE,
        "question": doc["question"],
        "ways": ways,
        "sides": ",".join(sides),
        "leak": doc.get("leak"),
        "truncated_articles": doc.get("truncated", doc.get("truncated_articles")),
    }


def _wanted(ways: Any) -> set[str]:
    return {"left", "right"} if ways == 2 else {*SIDES} if ways == 3 else set()


def _article(answers: Any, doc: Document) -> Iterator[Json]:
    if doc["side"] not in SIDES:
        raise ValueError(f"side: found {doc['side']!r}, expected {' or '.join(SIDES)}")
    for text in _texts(answers):
        label = _written(text)
        yield {"stage": ARTICLE, "side": doc["side"], "label": label, "outcome": _FOUND.get(label, label)}


def _chosen(answers: Any, doc: Document) -> Iterator[Json]:
    for text in _texts(answers):
        yield _choice(doc, *outcome(text, int(doc["ways"]), str(doc["language"]), doc.get("prefill")))


def _likelier(answers: Any, doc: Document) -> Iterator[Json]:
    values = [float(each[0]) for each in answers[: doc["ways"]]]
    if len(values) != doc["ways"]:
        raise ValueError(f"filtered_resps: found {len(values)} log-likelihoods, expected {doc['ways']}")
    yield _choice(doc, *likeliest(values)) | {"label_mass": label_shares(values)[1]}


def _choice(doc: Document, found: str, choice: int | None) -> Json:
    side = doc["sides"][choice - 1] if choice else None
    became = "answered" if side else _FOUND.get(found, found)
    return {"label": side or found, "side": side, "choice": choice, "outcome": became}


def _texts(answers: Any) -> list[str]:
    texts = flat(answers)
    if not texts:
        raise ValueError("filtered_resps: found none, expected an answer")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"filtered_resps: found {text!r:.40}, expected a text")
    return texts


@lru_cache(maxsize=1 << 12)
def _written(text: str) -> str:
    """What came in place of an article."""
    return article_outcome(text)
