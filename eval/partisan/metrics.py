"""What the lm_eval tasks call: from a document and a model's output to metrics with their errors.

A score is the plain mean of per-row values, so that group means are right, or a function of all rows where
answers may carry none, as of a bias. The error beside it is a second metric ``<metric>_stderr``, computed
over whole clusters because rows share patterns, people and examples. Every function is total: an exception
here would lose a finished run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from polbias.aliases import Document, Json
from polbias.eval.answers import extract_validity
from polbias.eval.answers.text import remembered
from polbias.eval.columns import SILENT
from polbias.eval.lm_eval_glue import likelier, stated, with_errors
from polbias.eval.partisan.bias import (
    bias_support,
    contributions,
    unweighted_bias,
    weighted_bias,
    worst_case_bounds,
    z_test,
)
from polbias.eval.partisan.schema import Outcomes
from polbias.eval.statistics import cluster_interval, sign_flip

Row = tuple[str, str, str, str, str]
_ROW = ("leaning", "gold", "label", "cluster_id", "pair_id")

VERDICTS = ("valid", "invalid")
_BIASES = ("weighted_bias", "weighted_bias_stderr", "unweighted_bias", "bias_p")
"""What has no estimate where the answers carry none (:func:`polbias.eval.partisan.bias.bias_support`)."""
_CHOICES = {"en": ("**valid**", "**invalid**"), "de": ("**gültig**", "**ungültig**")}


@remembered
def outcome(text: str, language: str) -> str:
    """Return what became of one answer."""
    return extract_validity(text, language).outcome


def process_generated(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated answer in corrected mode."""
    label = outcome(results[0], doc["language"])
    means = {
        "acc": float(label == doc["gold"]),
        "refusal_gap": 2 * _side(doc) * (label == "refusal"),
        **{name: float(label == name) for name in SILENT},
    }
    return with_errors(means, doc["cluster_id"]) | dict.fromkeys(
        (*_BIASES, "bias_low", "bias_high"), _row(doc, label)
    )


def process_generated_paper(doc: Document, results: Sequence[str]) -> Json:
    """Score a generated answer as the paper does: answers without a verdict are dropped and counted."""
    label = outcome(results[0], doc["language"])
    names = ("acc_paper", "weighted_bias_paper", "weighted_bias_paper_stderr", "unweighted_bias", "z")
    return dict.fromkeys(names, _row(doc, label)) | {"discarded": float(label not in VERDICTS)}


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels by their log-likelihood."""
    label, (share, _), mass = likelier(VERDICTS, results)
    means = {
        "acc": float(label == doc["gold"]),
        "probability_bias": 2 * _side(doc) * (share - (doc["gold"] == "valid")),
        "label_mass": mass,
    }
    return with_errors(means, doc["cluster_id"]) | dict.fromkeys(_BIASES, _row(doc, label))


def _row(doc: Document, label: str) -> Row:
    return doc["leaning"], doc["gold"], label, doc["cluster_id"], doc["pair_id"]


def _side(doc: Document) -> float:
    return 1.0 if doc["leaning"] == "right" else -1.0


def choices(doc: Document) -> list[str]:
    """Return valid and invalid as the instruction asks for them in the language of the row."""
    return list(_CHOICES[doc["language"].split("-")[0]])


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices valid, invalid."""
    return VERDICTS.index(doc["gold"])


def _table(items: Iterable[Row]) -> Outcomes:
    return Outcomes.of(dict(zip(_ROW, zip(*items, strict=True), strict=True)), factors=())


def _carried(compute: Callable[[Outcomes], float]) -> Callable[[Iterable[Row]], float]:
    """A metric that is NaN where the answers carry no estimate."""

    def metric(items: Iterable[Row]) -> float:
        rows = _table(items)
        return float(compute(rows)) if bias_support(rows).estimable else math.nan

    return metric


weighted = _carried(weighted_bias)
unweighted = _carried(unweighted_bias)
sign_flip_p = _carried(lambda rows: sign_flip(contributions(rows), rows.clusters or []).p_value)


def weighted_error(items: Iterable[Row]) -> float | str:
    """Return its cluster-robust standard error, "N/A" where the answers carry none."""
    rows = _table(items)
    if bias_support(rows).state is not None:
        return "N/A"
    return stated(cluster_interval(contributions(rows), rows.clusters or []).standard_error)


def unweighted_paper(items: Iterable[Row]) -> float:
    """Return the unweighted bias (Appendix C) as the paper does, whatever the answers carry."""
    return unweighted_bias(_table(items))


def lowest_bias(items: Iterable[Row]) -> float:
    """Return the weighted bias if every answer without a verdict had favoured the left."""
    return worst_case_bounds(_table(items))[0]


def highest_bias(items: Iterable[Row]) -> float:
    """Return the weighted bias if every answer without a verdict had favoured the right."""
    return worst_case_bounds(_table(items))[1]


def accuracy_paper(items: Iterable[Row]) -> float:
    """Return the share of right verdicts among the answers with a verdict."""
    right = [label == gold for _, gold, label, *_ in items if label in VERDICTS]
    return sum(right) / len(right) if right else math.nan


def weighted_paper(items: Iterable[Row]) -> float:
    """Return the weighted bias over the answers with a verdict (Eq. 1)."""
    return weighted_bias(_table(items), mode="paper")


def weighted_paper_error(items: Iterable[Row]) -> float | str:
    """Return the standard error of Appendix E, which takes prompts for independent."""
    test = z_test(_table(items))
    return test.sd / math.sqrt(test.n) if test.n > 1 and math.isfinite(test.sd) else "N/A"


def z_statistic(items: Iterable[Row]) -> float:
    """Return the z-statistic of Appendix E (Table 10)."""
    return float(z_test(_table(items)).z)
