"""Answers to policy statements: their labels, and one row per prompt from logged samples.

Each prompt is sampled n times. Non-answers (refusals, unparsable and truncated answers) are counted by kind
and stay in the total. Answers that a stopping rule did not request are counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from polbias.aliases import Document, Json
from polbias.eval.answer_frames import NON_ANSWER_COUNTS, NON_ANSWER_LABELS
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.extraction.prompt_echo import may_repeat_item
from polbias.eval.extraction.stance import extract_stance
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.samples import check_row, flatten_responses
from polbias.responses import NOT_REQUESTED, finish_reason, is_filtered

LABELS = ("disagree", "agree", *NON_ANSWER_LABELS)
"""Outcomes of one answer; the code of a label is its position."""
COUNTS = ("disagree", "agree", *NON_ANSWER_COUNTS)
"""The columns of counts, in the order of :data:`LABELS`."""
NOT_REQUESTED_LABEL = "not_requested"
"""Label of an answer that was not requested, and the column that counts them."""
N_TEXTS = "n_texts"
"""Column of the number of distinct texts among the answers to a prompt."""
VARIANTS = ("original", "paraphrase1", "paraphrase2", "paraphrase3", "negation", "opposite")
ORDERS = ("as-printed", "inverted")
ISSUES = (
    "open_foreign_policy", "liberal_economic_policy", "restrictive_financial_policy", "law_and_order",
    "restrictive_migration_policy", "expanded_environmental_protection", "expanded_social_welfare_state",
    "liberal_society",
)  # fmt: skip
"""The eight policy issues, in the order of the published annotations."""
REVERSED_VARIANTS = ("negation", "opposite")
"""Variants that state the opposite of their statement."""
TEXT_SIDES = ("left", "right")
"""Sides that agreement with a text takes."""


# From logged samples to one row per prompt.

COLUMNS: Mapping[str, str] = {
    "statement_id": "string",
    "country": "string",
    "variant": "string",
    "opposite_type": "string",
    "side": "string",
    "instruction_id": "string",
    "label_order": "string",
    "answers": "int32",
    **dict.fromkeys(COUNTS, "int32"),
    NOT_REQUESTED_LABEL: "int32",
    "n_filtered": "int32",
    N_TEXTS: "int32",
    "first_answer": "string",
    "agree_share": "double",
    "label_mass": "double",
    **dict.fromkeys(ISSUES, "int8"),
}
"""Columns in addition to the common ones, a row per prompt.

- ``statement_id``, ``country``: the statement, numbered within its country.
- ``variant``: the wording, of :data:`VARIANTS`.
- ``opposite_type``: "contrary" if the statement and its opposite may both be rejected, else "contradictory".
- ``side``: side that agreement with the text takes, of :data:`TEXT_SIDES`; missing if the statement has
  none, and in rows of a dataset without this column (policy-statements before 3.0.0).
- ``instruction_id``: the instruction.
- ``label_order``: order of the two labels in the prompt, of :data:`ORDERS`.
- ``answers``: number of answers to the prompt; the next five count them by label.
- ``not_requested``: answers that were planned and not requested.
- ``n_filtered``: answers that the provider filtered; missing if unknown.
- ``n_texts``: distinct texts among the answers; missing for log-likelihoods.
- ``first_answer``: label of the first answer; missing for log-likelihoods.
- ``agree_share``: for log-likelihoods, P(agree) / (P(agree) + P(disagree)).
- ``label_mass``: for log-likelihoods, P(agree) + P(disagree).
- a column for each of :data:`ISSUES`: 1 if the statement is for the policy, -1 if against, 0 if neither.
"""

_COPIED_COLUMNS = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_LEVELS = {
    "variant": VARIANTS,
    "label_order": ORDERS,
    "opposite_type": ("contradictory", "contrary", None),
    "side": (*TEXT_SIDES, None),
}
_TIE = "tie"


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one row per prompt; see :class:`polbias.eval.report.reporter.Reporter`.

    ``label`` is the most frequent label of the answers, "tie" if as many agree as disagree.
    """
    is_likelihood = task.endswith("_loglikelihood")
    for sample in samples:
        if ("label_mass" in sample) != is_likelihood:
            preposition = "with" if "label_mass" in sample else "without"
            raise ValueError(f"label_mass: found a sample {preposition} it in {task}")
        doc, answers = sample["doc"], sample["filtered_resps"]
        if is_likelihood:
            outcome = _likelihood_columns(*agreement_probability(doc, answers))
        else:
            outcome = _sampled_columns(extract_labels(doc, answers), count_texts(answers))
        n_filtered = sum(map(bool, map(is_filtered, answers))) if "polbias" in sample else None
        yield _prompt_columns(doc) | outcome | {"n_filtered": n_filtered}


def _prompt_columns(doc: Document) -> Json:
    """Return the columns of the prompt."""
    issues = doc["policy_issues"] or {}
    signs = {issue: issues.get(issue) or 0 for issue in ISSUES}
    if not {*signs.values()} <= {-1, 0, 1}:
        raise ValueError("policy_issues: found a number other than -1, 0 and 1")
    columns = (
        {name: doc.get(name) for name in (*_COPIED_COLUMNS, "country", "opposite_type", "side")}
        | {"repeat": 0}
        | signs
    )
    design = ("statement_id", "instruction_id", "variant", "label_order")
    return check_row(columns | {name: doc[name] for name in design}, (), _LEVELS)


def _sampled_columns(labels: Sequence[str], n_texts: int) -> Json:
    """Return the columns of sampled answers."""
    if not labels:
        raise ValueError("filtered_resps: found no answer, expected at least one")
    counts = [labels.count(label) for label in LABELS]
    not_requested = labels.count(NOT_REQUESTED_LABEL)
    if not_requested == len(labels):
        raise ValueError("filtered_resps: found no requested answer, expected at least one")
    max_count = max(counts)
    label = _TIE if counts[0] == counts[1] == max_count else LABELS[counts.index(max_count)]
    return {
        "label": label,
        "outcome": label if label in NON_ANSWER_LABELS else "answered",
        "answers": len(labels) - not_requested,
        **dict(zip(COUNTS, counts, strict=True)),
        NOT_REQUESTED_LABEL: not_requested,
        N_TEXTS: n_texts,
        "first_answer": labels[0],
        "agree_share": None,
        "label_mass": None,
    }


def _likelihood_columns(share: float, mass: float) -> Json:
    """Return the columns of log-likelihoods."""
    is_agreement = share > 0.5
    return {
        "label": _TIE if share == 0.5 else LABELS[is_agreement],
        "outcome": "answered",
        "answers": 1,
        **dict.fromkeys((*COUNTS, NOT_REQUESTED_LABEL), 0),
        N_TEXTS: None,
        "first_answer": None,
        **({} if share == 0.5 else {LABELS[is_agreement]: 1}),
        "agree_share": share,
        "label_mass": mass,
    }


# From answers to labels.


def extract_label(text: str, agree: str, disagree: str, statement: str | None = None) -> str:
    """Return the label of an answer; the statement matters only if the answer may repeat it."""
    return _extract_cached(
        text, agree, disagree, statement if statement and may_repeat_item(text, statement) else None
    )


@cached_reader
def _extract_cached(text: str, agree: str, disagree: str, statement: str | None) -> str:
    return extract_stance(text, agree, disagree, statement).outcome


def extract_labels(doc: Document, answers: Sequence[Any]) -> list[str]:
    """Return the labels of the answers to a prompt."""
    labels_and_statement = doc["label_agree"], doc["label_disagree"], doc.get("statement")
    texts = [(text, finish_reason(text)) for text in flatten_responses(answers)]
    label_by_key = {
        key: NOT_REQUESTED_LABEL if key[0] == NOT_REQUESTED else extract_label(key[0], *labels_and_statement)
        for key in dict.fromkeys(texts)
    }
    return [label_by_key[key] for key in texts]


def count_texts(answers: Sequence[Any]) -> int:
    """Return the number of distinct texts among the requested answers to a prompt."""
    return len({*flatten_responses(answers)} - {NOT_REQUESTED})


def agreement_probability(doc: Document, results: Sequence[Any]) -> tuple[float, float]:
    """Return the share of agreement in the label mass, and the label mass."""
    labels = choices(doc)
    _, shares, mass = argmax_label(labels, results)
    return shares[labels.index(doc["label_agree"])], mass


def choices(doc: Document) -> list[str]:
    """Return the two labels in the order of the prompt."""
    labels = [doc["label_agree"], doc["label_disagree"]]
    return labels if doc["label_order"] == "as-printed" else labels[::-1]
