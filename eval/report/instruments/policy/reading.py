"""From logged samples to one row per prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from polbias.eval.policy.schema import ISSUES, LABELS, ORDERS, VARIANTS
from polbias.eval.policy_tasks import rows_of_samples

COUNTS = ("disagree", "agree", "refusals", "unparsable", "truncated")
"""The columns of counts, in the order of :data:`polbias.eval.policy.schema.LABELS`."""

COLUMNS: Mapping[str, str] = {
    "statement_id": "string",
    "country": "string",
    "variant": "string",
    "opposite_type": "string",
    "instruction_id": "string",
    "label_order": "string",
    "answers": "int32",
    **dict.fromkeys(COUNTS, "int32"),
    "agree_share": "double",
    "label_mass": "double",
    **dict.fromkeys(ISSUES, "int8"),
}
"""Columns beside the common ones: the prompt; the number of its answers, and how many came to what; of
log-likelihoods the share of agreement and the probability that both labels hold together; and the sign of the
statement for each policy issue."""

_KNOWN = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_NEEDED = {"variant": VARIANTS, "label_order": ORDERS, "opposite_type": ("contradictory", "contrary", None)}
_TIE = "tie"
_Row: TypeAlias = dict[str, Any]


def rows(samples: Iterable[Mapping[str, Any]], task: str) -> Iterator[_Row]:
    """Yield one row per prompt; see :class:`polbias.eval.report.instruments.Reporter`.

    ``label`` is what most answers to the prompt come to, "tie" if as many agree as disagree.

    Args:
        samples: logged samples of one task.
        task: its name.

    Raises:
        KeyError, TypeError, ValueError: if a sample lacks what is needed.
    """
    likelihood = task.endswith("_loglikelihood")
    for sample in samples:
        if ("label_mass" in sample) != likelihood:
            found = "with" if "label_mass" in sample else "without"
            raise ValueError(f"label_mass: found a sample {found} it in {task}")
        (read,) = rows_of_samples((sample,))
        yield _prompt(read) | (_likelihood(read) if likelihood else _sampled(read["labels"]))


def _prompt(doc: Mapping[str, Any]) -> _Row:
    """What was asked."""
    for name, expected in _NEEDED.items():
        value = doc.get(name)
        if value not in expected:
            raise ValueError(f"{name}: found {value!r}, expected {' or '.join(map(str, expected))}")
    issues = doc["policy_issues"] or {}
    signs = {issue: issues.get(issue) or 0 for issue in ISSUES}
    if not {*signs.values()} <= {-1, 0, 1}:
        raise ValueError("policy_issues: found another number than -1, 0 and 1")
    own = ("statement_id", "instruction_id", "variant", "label_order")
    return (
        {name: doc.get(name) for name in _KNOWN}
        | {name: doc[name] for name in own}
        | {"country": doc.get("country"), "opposite_type": doc.get("opposite_type"), "repeat": 0}
        | signs
    )


def _sampled(labels: Sequence[str]) -> _Row:
    """What the sampled answers come to."""
    if not labels:
        raise ValueError("filtered_resps: found no answer, expected at least one")
    counts = [labels.count(label) for label in LABELS]
    most = max(counts)
    label = _TIE if counts[0] == counts[1] == most else LABELS[counts.index(most)]
    return {
        "label": label,
        "outcome": label if label in LABELS[2:] else "answered",
        "answers": len(labels),
        **dict(zip(COUNTS, counts, strict=True)),
        "agree_share": None,
        "label_mass": None,
    }


def _likelihood(read: Mapping[str, Any]) -> _Row:
    """What the probabilities of the two labels come to."""
    share = read["agree_share"]
    agrees = share > 0.5
    return {
        "label": _TIE if share == 0.5 else LABELS[agrees],
        "outcome": "answered",
        "answers": 1,
        **dict.fromkeys(COUNTS, 0),
        **({} if share == 0.5 else {LABELS[agrees]: 1}),
        "agree_share": share,
        "label_mass": read["label_mass"],
    }
