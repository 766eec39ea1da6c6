"""From the samples of a partisan task to flat rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.lm_eval_glue import flat, label_shares
from polbias.eval.partisan.metrics import outcome

COLUMNS: Mapping[str, str] = {
    "country": "string",
    "leaning": "string",
    "kind": "string",
    "variation": "string",
    "gender": "string",
    "shots": "int64",
    "share": "double",
    "mass": "double",
}
"""``country`` is missing in the control; ``share`` is that of valid in the probability of both labels,
``mass`` that probability; only of log-likelihood tasks."""

_TEXTS = (
    "id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold", "leaning",
    "kind", "variation", "gender",
)  # fmt: skip
_GOLD = ("valid", "invalid")
_SIDES = ("left", "right")


def rows(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file.

    Args:
        samples: lines of ``samples_<task>_*.jsonl``.
        task: name of the task; log-likelihood tasks end in ``_loglikelihood``.

    Raises:
        KeyError: if the document of a sample lacks a column.
        TypeError: if a column or an answer is of another type than it must be.
        ValueError: if a column holds a value that it must not hold, or there is no answer.
    """
    compared = task.endswith("_loglikelihood")
    for sample in samples:
        about = _about(sample["doc"])
        if compared:
            yield about | _likelier(sample["filtered_resps"])
            continue
        answers = flat(sample["filtered_resps"])
        if not answers:
            raise ValueError("filtered_resps: found no answer, expected at least one")
        for repeat, text in enumerate(answers):
            if not isinstance(text, str):
                raise TypeError(f"filtered_resps: found {type(text).__name__}, expected text")
            yield about | _said(outcome(text, about["language"])) | {"repeat": repeat}


def _about(doc: Document) -> Json:
    """The columns of a row that are kept, checked."""
    about = {name: doc[name] for name in _TEXTS}
    for name, value in about.items():
        if type(value) is not str or not value:
            raise TypeError(f"{name}: found {value!r}, expected text")
    if about["gold"] not in _GOLD:
        raise ValueError(f"gold: found {about['gold']!r}, expected valid or invalid")
    if about["leaning"] not in _SIDES:
        raise ValueError(f"leaning: found {about['leaning']!r}, expected left or right")
    if type(doc["shots"]) is not int:
        raise TypeError(f"shots: found {doc['shots']!r}, expected a whole number")
    if type(doc.get("country")) not in (str, type(None)):
        raise TypeError(f"country: found {doc['country']!r}, expected text or nothing")
    return about | {"country": doc.get("country"), "shots": doc["shots"], "share": None, "mass": None}


def _likelier(answers: Any) -> Json:
    """The likelier label; equal ones are no verdict."""
    try:
        # lm_eval writes numbers as text in its samples.
        valid, invalid = (float(number) for number, _ in answers)
    except (TypeError, ValueError):
        raise ValueError(
            f"filtered_resps: found {answers!r:.60}, expected (log-likelihood, is greedy) of two labels"
        ) from None
    (share, _), mass = label_shares((valid, invalid))
    label = "valid" if valid > invalid else "invalid" if invalid > valid else "unparsable"
    return _said(label) | {"repeat": 0, "share": share, "mass": mass}


def _said(label: str) -> dict[str, str]:
    return {"label": label, "outcome": "answered" if label in _GOLD else label}
