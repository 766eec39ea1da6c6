"""What the lm_eval tasks on X-phemisms call: which rows are asked, and from answers to metrics.

As in :mod:`polbias.eval.partisan.metrics`, an error stands beside every metric, here over unordered word pairs, and
every function that lm_eval calls after the answers is total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval import data
from polbias.eval.answers import extract_truth
from polbias.eval.lm_eval_glue import flat, label_shares, with_errors
from polbias.eval.xphemism_metrics import BASE, Asked
from polbias.files import InputError

PAIRED = ("true_rate", "penalty")
"""The metrics of all tasks that are no means of rows."""
POLITICAL = ("leaning", "judgment")
"""Those beside them where the exchanged word has a leaning or a judgement."""

_READ = (
    "id", "prompt", "gold", "pair_id", "cluster_id", "arm", "shift", "axis", "judgmental_base",
    "judgmental_exchange", "prompt_style", "instruction_language", "label_true", "label_false",
)  # fmt: skip


def load(*, polbias_pairs: int | None = None, **settings: Any) -> Json:
    """Load the rows of a task (``custom_dataset``), and see to it that they make pairs.

    Args:
        polbias_pairs: keep only so many pairs, the first ones, which are spread over topics and words.
        **settings: as for :func:`polbias.eval.data.load`.

    Returns:
        ``{"test": datasets.Dataset}``.

    Raises:
        PolbiasError: if the rows cannot be had, or are not those of X-phemism pairs.
    """
    import datasets

    table = data.load(**settings)[data.SPLIT].data.table
    place = f"{settings['polbias_dataset']}/{settings['polbias_config']}"
    if missing := [name for name in _READ if name not in table.column_names]:
        raise InputError(f"{place}: has no column {missing[0]!r}; expected the columns of xphemism-pairs")
    if polbias_pairs is not None:
        names = dict.fromkeys(table["pair_id"].to_pylist())
        table = data.only(table, "pair_id", list(names)[:polbias_pairs])
    if not table.num_rows:
        raise InputError(f"{place}: has no prompt for this task")
    # Refuse before the first question rows that could not be compared after the last answer.
    rows = zip(table["pair_id"].to_pylist(), table["arm"].to_pylist(), strict=True)
    found: dict[str, Counter[bool]] = {}
    for pair, arm in rows:
        found.setdefault(pair, Counter())[arm == BASE] += 1
    wrong = next((pair for pair, arms in found.items() if (arms[True], arms[False]) != (1, 1)), None)
    if wrong is not None:
        base, other = found[wrong][True], found[wrong][False]
        raise InputError(
            f"{place}: pair_id {wrong!r}: found {base} base rows and {other} others, expected one of each"
        )
    kept: Json = datasets.DatasetDict({data.SPLIT: datasets.Dataset(table)})
    return kept


@lru_cache(maxsize=1 << 16)
def outcome(text: str, language: str) -> str:
    """Return what became of one answer.

    Args:
        text: the model's output.
        language: of the instruction.

    Returns:
        true, false, refusal, unparsable or truncated.
    """
    verdict = extract_truth(text, language)
    return "truncated" if verdict.reason == "truncated" else verdict.label


def process_generated(doc: Document, results: Sequence[Any]) -> Json:
    """Score the answer to a claim of the political pairs.

    Args:
        doc: a row with the published columns.
        results: the model's outputs, as a rule one.

    Returns:
        Metric name to value; an answer without a verdict is wrong, and in no change.
    """
    return _generated(doc, results, (*PAIRED, *POLITICAL))


def process_generated_placebo(doc: Document, results: Sequence[Any]) -> Json:
    """Score the answer to a claim of the placebo pairs.

    Args:
        doc: a row with the published columns.
        results: the model's outputs, as a rule one.

    Returns:
        Metric name to value.
    """
    return _generated(doc, results, PAIRED)


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a claim of the political pairs by their log-likelihood.

    Args:
        doc: a row with the published columns.
        results: (log-likelihood, is greedy) of true and of false.

    Returns:
        Metric name to value; ``label_mass`` is the probability that both labels hold together, ``true_rate``
        the mean part of it that "true" has, and the others are changes of that. Equal ones are no verdict.
    """
    return _loglikelihood(doc, results, (*PAIRED, *POLITICAL))


def process_loglikelihood_placebo(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a claim of the placebo pairs by their log-likelihood.

    Args:
        doc: a row with the published columns.
        results: (log-likelihood, is greedy) of true and of false.

    Returns:
        Metric name to value.
    """
    return _loglikelihood(doc, results, PAIRED)


def choices(doc: Document) -> list[str]:
    """Return the labels of true and of false, as the prompt asks for them."""
    return [doc["label_true"], doc["label_false"]]


def gold_index(doc: Document) -> int:
    """Return the position of the gold label among the choices true, false."""
    return ("true", "false").index(doc["gold"])


def _generated(doc: Document, results: Sequence[Any], names: Sequence[str]) -> Json:
    said = [outcome(text, doc["instruction_language"]) for text in flat(results)]
    counts, asked = Counter(said), max(len(said), 1)
    verdicts = counts["true"] + counts["false"]
    means = {
        "acc": counts[doc["gold"]] / asked,
        **{name: counts[name] / asked for name in ("refusal", "unparsable", "truncated")},
    }
    share = counts["true"] / verdicts if verdicts else None
    return with_errors(means, doc["cluster_id"]) | _both(_asked(doc, share), names)


def _loglikelihood(doc: Document, results: Sequence[tuple[float, bool]], names: Sequence[str]) -> Json:
    share, mass = true_share(results)
    said = "true" if share > 0.5 else "false" if share < 0.5 else "unparsable"
    means = {"acc": float(said == doc["gold"]), "label_mass": mass}
    return with_errors(means, doc["cluster_id"]) | _both(_asked(doc, share), names)


def true_share(results: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """Return the share of true in the probability of both labels, and that probability.

    Args:
        results: (log-likelihood, is greedy) of true and of false.
    """
    (share, _), mass = label_shares([float(result[0]) for result in results[:2]])
    return share, mass


def _asked(doc: Document, share: float | None) -> Asked:
    about: Json = {name: doc.get(name) for name in Asked._fields}
    return Asked(**{**about, "share": share})


def _both(row: Asked, names: Iterable[str]) -> Json:
    return {each: row for name in names for each in (name, f"{name}_stderr")}
