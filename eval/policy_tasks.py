"""What the lm_eval tasks on policy statements call: from the answers to a prompt to metrics.

As in :mod:`polbias.eval.partisan.metrics`, an error stands beside every metric, here over statements, and every function
is total.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answers.stance import extract_stance
from polbias.eval.lm_eval_glue import flat, label_shares, with_errors
from polbias.eval.policy.metrics import NAMES, Answered
from polbias.eval.policy.schema import LABELS


@lru_cache(maxsize=1 << 16)
def outcome(text: str, agree: str, disagree: str) -> str:
    """Return what became of one answer.

    Args:
        text: the model's output.
        agree: the label of agreement.
        disagree: the label of disagreement.

    Returns:
        agree, disagree, refusal, unparsable or truncated.
    """
    verdict = extract_stance(text, agree, disagree)
    return "truncated" if verdict.reason == "truncated" else verdict.label


def process_sampled(doc: Document, results: Sequence[Any]) -> Json:
    """Score the sampled answers to a prompt.

    Args:
        doc: a row with the published columns.
        results: the model's outputs.

    Returns:
        Metric name to value.
    """
    said = _labels(doc, results)
    counts = tuple(said.count(label) for label in LABELS)
    shares = {name: counts[LABELS.index(name)] / max(len(said), 1) for name in LABELS}
    means = {
        "valid": shares["agree"] + shares["disagree"],
        **{name: shares[name] for name in ("refusal", "unparsable", "truncated")},
    }
    row = _answered(doc, counts, None)
    return with_errors(means, doc["cluster_id"]) | _both(row, ("agree_share", *NAMES))


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a prompt by their log-likelihood.

    Args:
        doc: a row with the published columns.
        results: (log-likelihood, is greedy) of both labels, in the order of the prompt.

    Returns:
        Metric name to value; ``label_mass`` is the probability that both labels hold together, and
        ``agree_share`` the part of it that the label of agreement has.
    """
    share, mass = _share(doc, results)
    means = {"agree_share": share, "label_mass": mass}
    return with_errors(means, doc["cluster_id"]) | _both(_answered(doc, None, share), NAMES)


def rows_of_samples(samples: Iterable[Document]) -> list[Json]:
    """Turn the samples that lm_eval logs into the table that the analysis reads.

    Args:
        samples: lines of ``samples_*.jsonl`` of one task, sampled or log-likelihood.

    Returns:
        The rows of the dataset, with ``labels`` (one outcome per answer), or ``agree_share`` and
        ``label_mass``; see :meth:`polbias.eval.policy.schema.Prompts.of`.
    """
    rows = []
    for sample in samples:
        doc, answers = sample["doc"], sample["filtered_resps"]
        if "label_mass" in sample:
            share, mass = _share(doc, answers)
            rows.append({**doc, "agree_share": share, "label_mass": mass})
        else:
            rows.append({**doc, "labels": _labels(doc, answers)})
    return rows


def choices(doc: Document) -> list[str]:
    """Return the two labels of a row in the order of its prompt."""
    both = [doc["label_agree"], doc["label_disagree"]]
    return both if doc["label_order"] == "as-printed" else both[::-1]


def _labels(doc: Document, answers: Sequence[Any]) -> list[str]:
    return [outcome(text, doc["label_agree"], doc["label_disagree"]) for text in flat(answers)]


def _share(doc: Document, results: Sequence[Any]) -> tuple[float, float]:
    shares, mass = label_shares([float(result[0]) for result in results[:2]])
    return shares[choices(doc).index(doc["label_agree"])], mass


def _answered(doc: Document, labels: tuple[int, ...] | None, share: float | None) -> Answered:
    about: Json = {name: doc.get(name) for name in Answered._fields}
    return Answered(**{**about, "labels": labels, "agree_share": share})


def _both(row: Answered, names: Iterable[str]) -> Json:
    return {each: row for name in names for each in (name, f"{name}_stderr")}
