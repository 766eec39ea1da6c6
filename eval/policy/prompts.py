"""Frame of policy statement prompts with counts of their answers, the input of all stance estimates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Codes, Floats, Indices, Json
from polbias.eval.answer_frames import (
    NON_ANSWER_LABELS,
    AnswerTableError,
    as_categories,
    cross,
    read_frame,
    require_columns,
    with_levels,
)
from polbias.eval.estimability import are_copies
from polbias.eval.policy.answers import (
    COUNTS,
    ISSUES,
    LABELS,
    N_TEXTS,
    NOT_REQUESTED_LABEL,
    ORDERS,
    REVERSED_VARIANTS,
    TEXT_SIDES,
    VARIANTS,
)

_REQUIRED = ("statement_id", "variant", "instruction_id", "label_order")
_KEY = ("statement_id", "country", "language", "instruction_id", "label_order", "variant")
_OUTCOMES = (*LABELS, NOT_REQUESTED_LABEL)

_OPPOSITES = ("contradictory", "contrary")
_NO_SIDE = "none"


def respondent_prompts(answers: pd.DataFrame) -> pd.DataFrame:
    """Return one row per prompt: the row with the most answers; ties go to the first task by name."""
    sort_keys = [*_KEY, "answers", "task", "id"]
    ordered = answers.sort_values(sort_keys, ascending=[name != "answers" for name in sort_keys])
    return policy_prompts(ordered.drop_duplicates([*_KEY]))


def policy_prompts(rows: Any) -> pd.DataFrame:
    """Return one row per prompt with counts of its answers, from a table of any kind.

    Args:
        rows: with ``statement_id``, ``variant``, ``instruction_id`` and ``label_order``; and with the columns
            :data:`COUNTS` (non-answers are optional) or ``agree_share``. Optional are ``country``,
            ``language``, ``cluster_id``, ``opposite_type``, ``side``, ``not_requested``, ``first_answer``,
            ``n_texts``, and ``policy_issues`` (a mapping) or a column for each of :data:`ISSUES`.

    Returns:
        A frame with these columns:

        - ``statement``: the same in all variants and languages, named by country and id (categorical).
        - ``topic``: cluster of the statement: ``cluster_id``, or the statement if some row has none
          (categorical).
        - ``language``, ``instruction``: categorical.
        - ``variant``, ``order``: categorical, of :data:`VARIANTS` and :data:`ORDERS`.
        - ``direction``: 1, or -1 if the prompt states the opposite of its statement.
        - ``side``: 1 if agreement with the statement is a stance of the right, -1 of the left, 0 of neither.
        - ``contrary``: whether the opposite is a contrary, so that one may reject both the statement and its
          opposite.
        - a column for each of :data:`COUNTS`: answers with each label. If all answers to a prompt are
          identical, for every prompt, decoding was deterministic, and only the first answer counts.
        - ``copies``: number of identical answers that are dropped.
        - ``not_requested``: number of planned answers that a stopping rule skipped.
        - ``first_answer``: label of the first answer, if some were not requested (categorical).
        - ``agree_share``: probability of "agree" among the two labels; log-likelihoods only.
        - a column for each of :data:`ISSUES`: 1 if agreeing with the statement favours the issue, -1 if it
          opposes it, 0 if it is unrelated.

    Raises:
        AnswerTableError: if a column is missing or has an invalid value.
    """
    table = read_frame(rows, _REQUIRED, _REQUIRED)
    statement = _statement_categories(table)
    topic = as_categories(_column_or_missing(table, "cluster_id"), "cluster_id")
    variant = with_levels(table["variant"], VARIANTS, "variant")
    opposite = with_levels(
        _column_or_missing(table, "opposite_type"), _OPPOSITES, "opposite_type", {None: "contradictory"}
    )
    left, right = TEXT_SIDES
    text_side = with_levels(
        _column_or_missing(table, "side"), (left, _NO_SIDE, right), "side", {None: _NO_SIDE}
    )
    direction = np.where(variant.isin(REVERSED_VARIANTS), -1, 1).astype(np.int8)
    columns: Json = {
        "statement": statement,
        "topic": statement if (topic.codes < 0).any() else topic.remove_unused_categories(),
        "language": as_categories(
            _column_or_missing(table, "language"), "language"
        ).remove_unused_categories(),
        "instruction": as_categories(table["instruction_id"], "instruction_id").remove_unused_categories(),
        "variant": variant,
        "order": with_levels(table["label_order"], ORDERS, "label_order"),
        "direction": direction,
        "side": direction * (text_side.codes - 1),
        "contrary": opposite == "contrary",
    }
    counts = _label_counts(table)
    n_answers, not_requested = counts[:, :-1].sum(axis=1), counts[:, -1]
    copies = np.zeros_like(n_answers)
    if _are_copies(table, counts):
        copies, not_requested = n_answers - 1, copies
        counts = _indicators(_first_labels(table).codes, len(_OUTCOMES))
    columns |= dict(zip(COUNTS, counts.T[:-1], strict=True))
    columns |= {"copies": copies, NOT_REQUESTED_LABEL: not_requested}
    if not_requested.any():
        columns["first_answer"] = _first_labels(table)
    if _has_shares(table):
        columns["agree_share"] = _read_numbers(table, "agree_share", 1)
    return pd.DataFrame(columns | dict(zip(ISSUES, _issue_signs(table).T, strict=True)))


def is_generated(prompts: pd.DataFrame) -> bool:
    """Whether the answers were generated; otherwise they are log-likelihoods."""
    return "agree_share" not in prompts


def counts_for_estimates(prompts: pd.DataFrame) -> Indices:
    """Return the counts by prompt and label for estimates, shape ``(n, 5)``.

    All answers count; under a stopping rule only the first answer to each prompt, since the number of answers
    depends on their labels. For log-likelihoods the likelier label counts once, shape ``(n, 2)``.
    """
    if "agree_share" in prompts:
        return _indicators(prompts["agree_share"] > 0.5, 2)
    if "first_answer" in prompts:
        return _indicators(prompts["first_answer"].cat.codes, len(_OUTCOMES))[:, :-1]
    return label_counts(prompts)


def _indicators(codes: Iterable[int], size: int) -> Indices:
    """One-hot encode codes, shape ``(n, size)``."""
    indicators: Indices = np.eye(size, dtype=np.intp)[np.asarray(codes, np.intp)]
    return indicators


def label_counts(prompts: pd.DataFrame) -> Indices:
    """Return the counts by prompt and label for the reliability tests, shape ``(n, 5)``."""
    counts: Indices = prompts[[*COUNTS]].to_numpy(np.intp)
    return counts


def planned_answers(prompts: pd.DataFrame) -> Indices:
    """Return the number of answers per prompt, including those not requested, shape ``(n,)``."""
    planned: Indices = label_counts(prompts).sum(axis=1) + prompts[NOT_REQUESTED_LABEL].to_numpy()
    return planned


def answered_once(prompts: pd.DataFrame) -> bool:
    """Whether one answer per prompt was planned, so that reliability cannot be tested."""
    return is_generated(prompts) and len(prompts) > 0 and int(planned_answers(prompts).max()) == 1


def net_agreement(prompts: pd.DataFrame) -> Floats:
    """Return (agree - disagree) / (agree + disagree), from -1 to 1, shape ``(n,)``; NaN if both are 0."""
    if not is_generated(prompts):
        share: Floats = prompts["agree_share"].to_numpy()
        return 2 * share - 1
    disagree, agree, *_ = counts_for_estimates(prompts).T
    with np.errstate(invalid="ignore"):
        net: Floats = (agree - disagree) / (agree + disagree)
    return net


def impute_non_answers(prompts: pd.DataFrame, toward: int) -> pd.DataFrame:
    """Return the prompts with every non-answer counted for (`toward=1`) or against (-1) the statement."""
    label = (toward * prompts["direction"].to_numpy() > 0).astype(np.intp)
    counts = label_counts(prompts).copy()
    counts[np.arange(len(counts)), label] += counts[:, 2:].sum(axis=1)
    counts[:, 2:] = 0
    columns: Json = dict(zip(COUNTS, counts.T, strict=True))
    if "first_answer" in prompts:
        first = prompts["first_answer"].cat
        codes = np.where(prompts["first_answer"].isin(NON_ANSWER_LABELS), label, first.codes)
        columns["first_answer"] = pd.Categorical.from_codes(codes, first.categories)
    return prompts.assign(**columns)


def _column_or_missing(table: pd.DataFrame, name: str) -> Iterable[Any]:
    """Return a column, or missing values."""
    return table[name] if name in table else [None] * len(table)


def _statement_categories(table: pd.DataFrame) -> pd.Categorical:
    """Name the statement of each row by country and number."""
    country, number = (
        as_categories(_column_or_missing(table, "country")),
        as_categories(table["statement_id"]),
    )
    pairs, pair_codes = cross([country, number])
    codes, names = pd.factorize(np.array([_statement_name(*pair) for pair in pairs], object))
    return pd.Categorical.from_codes(codes[pair_codes], names)


def _statement_name(country: Any, number: Any) -> str:
    name = str(number)
    is_named = country is None or name.startswith((f"{country}_", f"{country}-"))
    return name if is_named else f"{country}_{name}"


def _has_shares(table: pd.DataFrame) -> bool:
    return "agree_share" in table and len(table) > 0 and bool(table["agree_share"].notna().all())


def _label_counts(table: pd.DataFrame) -> Indices:
    """Return the counts by prompt and label; the last column counts those not requested."""
    counts = np.zeros((len(table), len(_OUTCOMES)), np.intp)
    if len(table) and not _has_shares(table):
        require_columns(table, ("agree", "disagree"))
        names = [*COUNTS, NOT_REQUESTED_LABEL]
        for name in {*names} & {*table}:
            counts[:, names.index(name)] = _read_numbers(table, name)
    return counts


def _read_numbers(table: pd.DataFrame, name: str, upper_bound: float = math.inf) -> Floats:
    """Return a column of numbers from 0 to the upper bound."""
    numbers: Floats = pd.to_numeric(table[name], errors="coerce").to_numpy(np.float64, na_value=np.nan)
    is_wrong = ~((numbers >= 0) & (numbers <= upper_bound))
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        expected = "a share" if upper_bound == 1 else "a number of answers"
        raise AnswerTableError(
            f"column {name!r}, row {row}: found {table[name].iloc[row]!r:.60}, expected {expected}"
        )
    return numbers


def _are_copies(table: pd.DataFrame, counts: Indices) -> bool:
    """Whether the answers to each prompt are copies; prompts with non-answers only are ignored."""
    if N_TEXTS not in table or not table[N_TEXTS].notna().all():
        return False
    is_stance = counts[:, :2].any(axis=1)
    return are_copies(counts[is_stance, :-1].sum(axis=1), _read_numbers(table, N_TEXTS)[is_stance])


def _first_labels(table: pd.DataFrame) -> pd.Categorical:
    """Return the label of the first answer to every prompt."""
    require_columns(table, ("first_answer",))
    return with_levels(table["first_answer"], _OUTCOMES, "first_answer", {None: "unparsable"})


def _issue_signs(table: pd.DataFrame) -> Codes:
    """Return the signs by prompt and issue, shape ``(n, 8)``; 0 without an annotation."""
    if {*ISSUES} <= {*table}:
        signs: Codes = table[[*ISSUES]].to_numpy(np.int8)
    else:
        signs = np.zeros((len(table), len(ISSUES)), np.int8)
        for row, value in enumerate(table.get("policy_issues", ())):
            try:
                signs[row] = [value.get(name) or 0 for name in ISSUES] if value else 0
            except (AttributeError, OverflowError, TypeError, ValueError):
                raise AnswerTableError(
                    f"column 'policy_issues', row {row}: found {value!r:.60}, expected -1, 0 or 1 for each "
                    "issue"
                ) from None
    if (np.abs(signs) > 1).any():
        row = int(np.argmax((np.abs(signs) > 1).any(axis=1)))
        raise AnswerTableError(f"column 'policy_issues', row {row}: found a number other than -1, 0 and 1")
    return signs
