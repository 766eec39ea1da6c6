"""From samples of the X-phemism tasks to rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.lm_eval_glue import flat
from polbias.eval.xphemism.metrics import outcome, true_share
from polbias.eval.xphemism.schema import AXIS_CODES, GOLD_CODES, PROMPT_CODES, SHIFT_CODES
from polbias.eval.xphemism_metrics import BASE

COLUMNS: Mapping[str, str] = {
    "claim_id": "string",
    "arm": "string",
    "shift": "string",
    "axis": "string",
    "judgmental_base": "int8",
    "judgmental_exchange": "int8",
    "prompt_style": "string",
    "instruction_language": "string",
    "log_true": "double",
    "log_false": "double",
}
"""The columns of the data, and of log-likelihood tasks those of the labels "true" and "false"."""

LOGLIKELIHOOD = "_loglikelihood"
_IDENTITY = ("id", "pair_id", "cluster_id", "gold", "arm", "shift", "axis", "judgmental_base",
             "judgmental_exchange", "prompt_style", "instruction_language")  # fmt: skip
_ABOUT = ("dataset", "config", "dataset_version", "language", "claim_id")
_FLAGS: Mapping[Any, int] = {0: 0, 1: 1}
_KNOWN: Mapping[str, Mapping[Any, int]] = {
    "gold": GOLD_CODES,
    "arm": {name: code for code, name in enumerate((BASE, "shifted", "placebo"))},
    "prompt_style": PROMPT_CODES,
    "shift": SHIFT_CODES,
    "axis": AXIS_CODES,
    "judgmental_base": _FLAGS,
    "judgmental_exchange": _FLAGS,
}
_OPEN = ("shift", "axis", "judgmental_base", "judgmental_exchange")
"""What the data may leave open of a pair of the placebo arm."""
_VERDICTS = ("true", "false")


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
    read = _likelier if LOGLIKELIHOOD in task else _said
    for sample in samples:
        doc = sample["doc"]
        about = {name: doc[name] for name in _IDENTITY} | {name: doc.get(name) for name in _ABOUT}
        _check(about)
        for repeat, found in enumerate(read(sample, doc)):
            yield about | found | {"repeat": repeat}


def _check(about: Document) -> None:
    """Refuse what the analysis could not place."""
    for name in ("id", "pair_id", "cluster_id"):
        if not isinstance(about[name], str):
            raise ValueError(f"{name}: found {about[name]!r}, expected a name")
    for name, known in _KNOWN.items():
        value = about[name]
        if value not in known and not (value is None and name in _OPEN and about["arm"] == "placebo"):
            expected = " or ".join(map(str, known))
            raise ValueError(f"{name}: found {value!r}, expected {expected}")


def _said(sample: Document, doc: Document) -> Iterator[Json]:
    """What became of each answer in words."""
    texts = flat(sample["filtered_resps"])
    if not texts:
        raise ValueError("filtered_resps: found none, expected an answer")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"filtered_resps: found {text!r:.40}, expected a text")
        label = outcome(text, str(doc["instruction_language"]))
        became = "answered" if label in _VERDICTS else label
        yield {"label": label, "outcome": became, "log_true": None, "log_false": None}


def _likelier(sample: Document, doc: Document) -> Iterator[Json]:
    """The likelier label."""
    both = sample["filtered_resps"]
    true, false = (float(each[0]) for each in both[:2])
    share, _ = true_share(both)
    label = "true" if share > 0.5 else "false" if share < 0.5 else "unparsable"
    became = "answered" if label in _VERDICTS else label
    yield {"label": label, "outcome": became, "log_true": true, "log_false": false}
