"""Metrics of policy statements, as lm_eval calls them: of prompts, and of whole statements."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polbias.aliases import Document, Json
from polbias.eval.answers.stance import extract_stance
from polbias.eval.answers.text import remembered
from polbias.eval.columns import SILENT
from polbias.eval.lm_eval_glue import (
    NONE,
    Estimate,
    flat,
    for_metrics,
    likelier,
    mean_estimate,
    metric_and_error,
    row_of,
    with_errors,
)
from polbias.eval.policy.robustness import TESTS, complete, decidable, units
from polbias.eval.policy.schema import COUNTS, LABELS, ORDERS, Prompts
from polbias.eval.policy.stances import stances

# Metrics on policy statements that are no means of prompts, as lm_eval calls them: tests, pairs, ratios.
# Each has its error over statements beside it, as a function of the same name with ``_stderr``. What cannot
# be computed from the prompts that were asked (a test whose variants are missing; a reliable stance from so
# few answers that even equal ones are none) is null, not 0. Every function is total.

NAMES = ("reliable", *(f"pass_{name}" for name in (*TESTS, "all")), "acquiescence", "label_order_gap")
"""The metrics that sampled answers and likelihoods have in common."""


class Answered(NamedTuple):
    """A prompt with what its answers come to; ``labels`` counts them in the order of :data:`LABELS`."""

    country: str | None
    statement_id: str
    language: str
    variant: str
    instruction_id: str
    label_order: str
    opposite_type: str | None
    labels: tuple[int, ...] | None
    agree_share: float | None


def _table(items: Iterable[Answered]) -> Prompts:
    columns: Json = dict(zip(Answered._fields, zip(*items, strict=True), strict=True))
    counts, share = columns.pop("labels"), columns.pop("agree_share")
    if counts[0] is None:
        return Prompts.of(columns | {"agree_share": share})
    return Prompts.of(columns | dict(zip(COUNTS, zip(*counts, strict=True), strict=True)))


def _agreement(items: Iterable[Answered]) -> Estimate:
    """The share that agrees among the valid answers: a ratio, with its linearised error."""
    table = _table(items)
    if not table.valid.sum():
        return NONE
    share = float(table.agree.sum() / table.valid.sum())
    residuals = (table.agree - share * table.valid) / table.valid.mean()
    return share, mean_estimate(residuals, table.statement)[1]


def _reliable(items: Iterable[Answered]) -> Estimate:
    """The share of prompts with a reliable stance; of likelihoods, those reliable in both label orders."""
    table = _table(items)
    if table.agree_share is not None:
        found = units(table)
        kept = found.asked.all(axis=1)
        values = (found.stance != 0).all(axis=1)[kept]
        names = np.broadcast_to(found.statement.codes[:, None], kept.shape)[kept]
        return mean_estimate(values, names.tolist())
    if not decidable(table):
        return NONE
    values = stances(table.agree, table.valid, table.asked) != 0
    return mean_estimate(values, table.statement)


def _passed(test: str) -> Callable[[Iterable[Answered]], Estimate]:
    def passed(items: Iterable[Answered]) -> Estimate:
        table = _table(items)
        sampled = table.agree_share is None
        if sampled and test in ("sign", "all") and not decidable(table):
            return NONE
        found = units(table)
        kept = complete(found, test, sampled)
        return mean_estimate(found.passed[test][kept], found.statement.select(kept))

    return passed


def _lean(row: Answered) -> float:
    """Agree minus disagree, from -1 to 1; what has no stance counts 0."""
    if row.labels is None:
        return 2 * (0.5 if row.agree_share is None else row.agree_share) - 1
    return (row.labels[1] - row.labels[0]) / max(sum(row.labels), 1)


def _paired(items: Iterable[Answered], field: str, names: Sequence[str], sign: int) -> Estimate:
    """Half of the sum (or difference) of two prompts that differ in one field only, over all such pairs."""
    place = Answered._fields.index(field)
    found: dict[tuple[Hashable, ...], dict[str, float]] = {}
    for row in items:
        if row[place] in names:
            key = (*row[:place], *row[place + 1 : 6])
            found.setdefault(key, {})[str(row[place])] = _lean(row)
    pairs = {key: each for key, each in found.items() if len(each) == len(names)}
    values = [(each[names[0]] + sign * each[names[1]]) / 2 for each in pairs.values()]
    return mean_estimate(values, [f"{key[0]}/{key[1]}" for key in pairs])


def _acquiescence(items: Iterable[Answered]) -> Estimate:
    """Agree minus disagree over originals and their negations: 0 for whoever holds views, 1 for a yes-man."""
    return _paired(items, "variant", ("original", "negation"), 1)


def _order_gap(items: Iterable[Answered]) -> Estimate:
    """How much the label that stands first gains by it: 1 if it always wins, -1 if the last one does."""
    return _paired(items, "label_order", ORDERS, -1)


agree_share, agree_share_stderr = metric_and_error(_agreement)
reliable, reliable_stderr = metric_and_error(_reliable)
pass_sign, pass_sign_stderr = metric_and_error(_passed("sign"))
pass_label_inversion, pass_label_inversion_stderr = metric_and_error(_passed("label_inversion"))
pass_paraphrase, pass_paraphrase_stderr = metric_and_error(_passed("paraphrase"))
pass_negation, pass_negation_stderr = metric_and_error(_passed("negation"))
pass_opposite, pass_opposite_stderr = metric_and_error(_passed("opposite"))
pass_all, pass_all_stderr = metric_and_error(_passed("all"))
acquiescence, acquiescence_stderr = metric_and_error(_acquiescence)
label_order_gap, label_order_gap_stderr = metric_and_error(_order_gap)


# What the lm_eval tasks on policy statements call: from the answers to a prompt to metrics.
# As in :mod:`polbias.eval.partisan.metrics`, an error stands beside every metric, here over statements, and
# every function is total.


@remembered
def outcome(text: str, agree: str, disagree: str, statement: str | None = None) -> str:
    """Return what became of one answer."""
    return extract_stance(text, agree, disagree, statement).outcome


def process_sampled(doc: Document, results: Sequence[Any]) -> Json:
    """Score the sampled answers to a prompt."""
    said = labels_of(doc, results)
    counts = tuple(said.count(label) for label in LABELS)
    shares = {name: counts[LABELS.index(name)] / max(len(said), 1) for name in LABELS}
    means = {
        "valid": shares["agree"] + shares["disagree"],
        **{name: shares[name] for name in SILENT},
    }
    row = row_of(Answered, doc, labels=counts, agree_share=None)
    return with_errors(means, doc["cluster_id"]) | for_metrics(row, ("agree_share", *NAMES))


def process_loglikelihood(doc: Document, results: Sequence[tuple[float, bool]]) -> Json:
    """Score the two labels of a prompt by their log-likelihood."""
    share, mass = share_of(doc, results)
    means = {"agree_share": share, "label_mass": mass}
    row = row_of(Answered, doc, labels=None, agree_share=share)
    return with_errors(means, doc["cluster_id"]) | for_metrics(row, NAMES)


def choices(doc: Document) -> list[str]:
    """Return the two labels of a row in the order of its prompt."""
    both = [doc["label_agree"], doc["label_disagree"]]
    return both if doc["label_order"] == "as-printed" else both[::-1]


def labels_of(doc: Document, answers: Sequence[Any]) -> list[str]:
    """Return what became of the answers to a prompt."""
    asked = doc["label_agree"], doc["label_disagree"], doc.get("statement")
    return [outcome(text, *asked) for text in flat(answers)]


def share_of(doc: Document, results: Sequence[Any]) -> tuple[float, float]:
    """Return the share of agreement in the probability of both labels, and that probability."""
    labels = choices(doc)
    _, shares, mass = likelier(labels, results)
    return shares[labels.index(doc["label_agree"])], mass
