"""Answers to claims: from logged samples to pairs of base and exchanged claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from polbias.aliases import Document, Floats, Json
from polbias.eval.answer_frames import NON_ANSWER_LABELS, as_categories, with_levels
from polbias.eval.answers import extract_truth
from polbias.eval.counted_rows import counted_rows
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label, normalize_loglikelihoods
from polbias.eval.samples import check_row, generated_texts

NAME = "xphemism"
"""Name of the wordings, ``templates/report/xphemism.yaml``."""

LABELS = ("false", "true", *NON_ANSWER_LABELS)
"""Labels of an answer, indexed by code; the verdicts are 0 and 1."""
VERDICTS = ("true", "false")
"""Labels in the order of the log-likelihood tasks."""
BASE = "base"
ARMS = (BASE, "shifted", "placebo")
"""The claim as written, with a politically shifted word, or with a neutral synonym."""
AXES = ("none", "social", "economic")
PROMPTS = ("simple", "objective")
SIDES = ("left", "none", "right")

PROMPT_NAMES: Mapping[Any, str] = {"advanced": "objective"}
"""Names of the prompts in the published files."""
SHIFT_NAMES: Mapping[Any, str] = {"libertarian": "left", "no shift": "none", "authoritarian": "right"}
"""Alternative names of the sides."""

# From samples to flat rows.

COLUMNS: Mapping[str, str] = {
    "claim_id": "string",
    "arm": "string",
    "shift": "string",
    "axis": "string",
    "judgmental_base": "int8",
    "judgmental_exchange": "int8",
    "prompt_style": "string",
    "instruction_language": "string",
    "shift_in_answers": "string",
    "log_true": "double",
    "log_false": "double",
}
"""Columns of the outcomes, in addition to the columns of all instruments.

- claim_id: id of the claim as written.
- arm: one of :data:`ARMS`.
- shift, axis: direction of the exchanged word, one of :data:`SIDES`, and its axis, one of :data:`AXES`.
- judgmental_base, judgmental_exchange: 1 if the word expresses a judgement, else 0.
- prompt_style, instruction_language: style and language of the instruction.
- shift_in_answers: shift in a published file of answers.
- log_true, log_false: log-likelihoods of both labels; missing for generated answers.

Shift, axis and judgements may be missing in the placebo arm.
"""

LOGLIKELIHOOD = "_loglikelihood"
_PAIR_COLUMNS = (
    "pair_id", "cluster_id", "gold", "arm", "shift", "axis", "judgmental_base", "judgmental_exchange",
    "prompt_style", "instruction_language",
)  # fmt: skip
_OPTIONAL_COLUMNS = ("dataset", "config", "dataset_version", "language", "claim_id", "shift_in_answers")
_ID_COLUMNS = ("id", "pair_id", "cluster_id", "instruction_language")
_LEVELS: Mapping[str, Sequence[Any]] = {
    "gold": LABELS[:2],
    "arm": ARMS,
    "prompt_style": (*PROMPTS, *PROMPT_NAMES),
    "shift": (*SIDES, *SHIFT_NAMES),
    "axis": AXES,
    "judgmental_base": (0, 1),
    "judgmental_exchange": (0, 1),
}
_PLACEBO_LABELS = ("shift", "axis", "judgmental_base", "judgmental_exchange")
_ANSWER_COLUMNS = ("label", "log_true", "log_false")


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    extract = _read_likelihoods if LOGLIKELIHOOD in task else _read_texts
    for sample in samples:
        doc = sample["doc"]
        design = {name: doc[name] for name in ("id", *_PAIR_COLUMNS)} | {
            name: doc.get(name) for name in _OPTIONAL_COLUMNS
        }
        levels = {name: levels for name, levels in _LEVELS.items() if not _is_unlabelled(doc, name)}
        check_row(design, _ID_COLUMNS, levels)
        for repeat, answer in enumerate(extract(sample["filtered_resps"], doc)):
            label = answer[0]
            outcome = label if label in NON_ANSWER_LABELS else "answered"
            yield (
                design
                | dict(zip(_ANSWER_COLUMNS, answer, strict=True))
                | {"outcome": outcome, "repeat": repeat}
            )


def _is_unlabelled(doc: Document, name: str) -> bool:
    """Whether a row of the placebo arm lacks an optional label."""
    return name in _PLACEBO_LABELS and doc["arm"] == "placebo" and doc[name] is None


def _read_texts(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    for text in generated_texts(answers):
        yield extract_label(text, str(doc["instruction_language"])), None, None


def _read_likelihoods(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    label, _, _ = argmax_label(VERDICTS, answers)
    yield label, *(float(answer[0]) for answer in answers[:2])


@cached_reader
def extract_label(text: str, language: str) -> str:
    """Return the label of a generated answer."""
    return extract_truth(text, language).outcome


# Clusters: components of word pairs that share words.

_WORD_BORDER = re.compile(r"_| \| ")
"""Separator of the words of a pair, in the data and in the published files."""


def word_pair_components(word_pairs: Iterable[Any]) -> pd.Categorical:
    """Return the connected component of each unordered word pair; pairs that share a word are linked.

    A component is named after its first pair.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = as_categories(word_pairs).remove_unused_categories()
    names = pairs.categories
    words = pd.Series(names.astype(str)).str.split(_WORD_BORDER).explode()
    word_codes, distinct_words = pd.factorize(words)
    n_nodes = len(names) + len(distinct_words)
    edges = coo_array((np.ones(len(words)), (words.index, len(names) + word_codes)), (n_nodes, n_nodes))
    component = connected_components(edges, directed=False)[1][: len(names)]
    _, first_pair, code_of_pair = np.unique(component, return_index=True, return_inverse=True)
    return pd.Categorical.from_codes(code_of_pair[pairs.codes], pd.Index(names[first_pair], dtype=object))


# From answers to pairs: a claim and the same claim with one word exchanged, with the same prompt.

FORMS = ("base", "exchange")
_PAIR_KEYS = ("pair_id", "prompt", "instruction_language")


def pair_claims(claims: pd.DataFrame, keys: Sequence[str] = ("pair_id",)) -> pd.DataFrame:
    """Join base and exchanged claims: a row per pair, in the order of the base claims.

    Pairs without exactly one row of either form are dropped. Shift, axis and other labels come from the
    exchanged row.

    Args:
        claims: a row per claim and prompt, with its arm and the number of answers by label.
        keys: columns with equal values in the rows of a pair.

    Returns:
        The columns of :attr:`XphemismAnswers.pairs` that the claims have, with ``base_cluster_id`` and
        ``base_gold``.
    """
    is_base = claims["arm"] == BASE
    is_single = ~claims.assign(is_base=is_base).duplicated([*keys, "is_base"], keep=False)
    answers = [name for name in (*LABELS, "mass") if name in claims]
    design = [name for name in ("cluster_id", "gold") if name in claims]
    base = claims.loc[is_base & is_single, [*keys, *answers, *design]]
    exchange = claims[~is_base & is_single]
    pairs = base.rename(columns={name: f"base_{name}" for name in (*answers, *design)}).merge(
        exchange.rename(columns={name: f"exchange_{name}" for name in answers}),
        on=[*keys],
        validate="one_to_one",
    )
    for form in FORMS:
        true = pairs[f"{form}_true"]
        n_verdicts = true + pairs[f"{form}_false"]
        pairs[f"{form}_truth"] = (true / n_verdicts.clip(lower=1)).where(n_verdicts > 0)
    pairs["change"] = pairs["exchange_truth"] - pairs["base_truth"]
    return pairs


def label_counts(pairs: pd.DataFrame, form: str) -> Floats:
    """Return the number of answers to a form by label (:data:`LABELS`), shape ``(n, 5)``."""
    return np.column_stack([pairs[f"{form}_{label}"] for label in LABELS])


def select_answered(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with a verdict on both forms."""
    return pairs[pairs["change"].notna()]


PromptGroup: TypeAlias = tuple[str, str]
"""Prompt style and language of the instruction."""


@dataclass(frozen=True, eq=False)
class XphemismAnswers:
    """Pairs of one respondent.

    Attributes:
        respondent: name of the respondent.
        pairs: a row per pair, prompt style and language of the instruction:

            - pair_id, prompt, instruction_language: id, prompt (one of :data:`PROMPTS`) and language.
            - cluster_id: the unordered pair of words; component: the cluster (:func:`word_pair_components`).
            - arm: arm of the exchanged claim. gold: 1 if the base claim is true, else 0.
            - axis: one of :data:`AXES`. shift: -1 if the exchanged word leans further left, 1 if further
              right, else 0.
            - judgmental_base, judgmental_exchange: 1 if the word expresses a judgement, else 0.
            - base_false ... base_truncated, exchange_false ... exchange_truncated: number of answers to each
              form by label (:data:`LABELS`); for log-likelihoods the shares of the labels.
            - base_mass, exchange_mass: label mass for log-likelihoods, else missing.
            - base_truth, exchange_truth: share of "true" among the verdicts, missing without a verdict;
              change: exchange_truth minus base_truth.
        n_incomplete: number of excluded pairs: not exactly one row of either form, or two rows that differ in
            word pair or gold label.
        n_uneven: number of pairs whose forms have different numbers of answers.
        n_repeated: number of excluded answers: another task has the same prompt.
    """

    respondent: str
    pairs: pd.DataFrame
    n_incomplete: int = 0
    n_uneven: int = 0
    n_repeated: int = 0

    @cached_property
    def is_loglikelihood(self) -> bool:
        """Whether the answers are log-likelihoods."""
        return bool(self.pairs["base_mass"].notna().any())

    @cached_property
    def groups(self) -> dict[PromptGroup, pd.DataFrame]:
        """Pairs by prompt and language, sorted."""
        keys = [*_PAIR_KEYS[1:]]
        return {group: pairs.drop(columns=keys) for group, pairs in self.pairs.groupby(keys, observed=True)}

    @cached_property
    def label_masses(self) -> dict[PromptGroup, float]:
        """Mean label mass by prompt and language; empty for generated answers."""
        if not self.is_loglikelihood:
            return {}
        columns = [f"{form}_mass" for form in FORMS]
        return {
            group: float(np.mean(pairs[columns].to_numpy().ravel())) for group, pairs in self.groups.items()
        }


def read_answers(respondent: str, outcomes: pd.DataFrame) -> XphemismAnswers:
    """Read the answers of a respondent as pairs (:func:`polbias.eval.counted_rows.counted_rows`)."""
    rows, n_repeated = counted_rows(_with_levels(outcomes), ("repeat", *_ANSWER_COLUMNS))
    claims = rows.drop_duplicates("id").reset_index(drop=True)
    is_loglikelihood = bool(claims["log_true"].notna().any())
    claims = claims.join(_label_shares(claims) if is_loglikelihood else _count_labels(rows))
    pairs = pair_claims(claims, _PAIR_KEYS)
    is_consistent = (pairs["base_cluster_id"] == pairs["cluster_id"]) & (pairs["base_gold"] == pairs["gold"])
    pairs = pairs[is_consistent].sort_values("pair_id", kind="stable", ignore_index=True)
    pairs["component"] = word_pair_components(pairs["cluster_id"])
    n_base, n_exchange = (label_counts(pairs, form).sum(axis=1) for form in FORMS)
    helper_columns = ["id", "task", "repeat", *_ANSWER_COLUMNS, "base_cluster_id", "base_gold"]
    return XphemismAnswers(
        respondent,
        pairs.drop(
            columns=helper_columns
        ).copy(),  # a copy has its columns by type, from which rows are taken faster
        n_incomplete=claims.groupby([*_PAIR_KEYS], observed=True).ngroups - len(pairs),
        n_uneven=0 if is_loglikelihood else int((n_base != n_exchange).sum()),
        n_repeated=n_repeated,
    )


def _with_levels(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Return the outcomes with the columns of pairs; missing labels of the placebo arm become neutral."""

    def column(
        name: str, levels: Sequence[str], other_names: Mapping[Any, str] | None = None
    ) -> pd.Categorical:
        return with_levels(outcomes[name], levels, name, other_names)

    columns = ["id", "task", "repeat", "pair_id", "cluster_id", "instruction_language", *_ANSWER_COLUMNS[1:]]
    return outcomes[columns].assign(
        prompt=column("prompt_style", PROMPTS, PROMPT_NAMES),
        arm=column("arm", ARMS),
        gold=column("gold", LABELS[:2]).codes.astype(np.int64),
        axis=column("axis", AXES, {None: "none"}),
        shift=column("shift", SIDES, {**SHIFT_NAMES, None: "none"}).codes.astype(np.int64) - 1,
        judgmental_base=outcomes["judgmental_base"].fillna(0).astype(np.int64),
        judgmental_exchange=outcomes["judgmental_exchange"].fillna(0).astype(np.int64),
        label=column("label", LABELS),
    )


def _count_labels(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the answers to each prompt by label."""
    is_label = pd.get_dummies(rows["label"])
    counts = is_label.groupby(rows["id"], observed=True).sum().reset_index(drop=True)
    return counts.assign(mass=np.nan)


def _label_shares(claims: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of the labels, in the columns of the label counts, and the label mass."""
    likelihoods = claims[["log_true", "log_false"]].to_numpy().tolist()
    shares = [(share, mass) for (share, _), mass in map(normalize_loglikelihoods, likelihoods)]
    true, mass = np.array(shares, np.float64).reshape(-1, 2).T
    return pd.DataFrame(
        {"false": 1 - true, "true": true, **dict.fromkeys(NON_ANSWER_LABELS, 0.0), "mass": mass}
    )


RECODED_JUDGMENTAL_PAIRS = frozenset(
    {
        "fluechtlingsbewegung_bevoelkerungsaustausch",
        "fluechtlingsbewegung_entdeutschung",
        "fluechtlingsunterkunft_asyllager",
        "innere-sicherheit_polizeistaat",
        "kinderbetreuung_verwahranstalt",
        "kopftuchtraegerin_kopftuchmaedchen",
        "korruption_staatsdiebstahl",
        "migration_kulturimport",
        "rentenkuerzung_rentenkollaps",
        "schmutzkampagne_wahlkampf",
        "staatsfunk_oeffentlich-rechtliche-medien",
    }
)
"""Word pairs whose exchange word the authors of polbias code as judgmental, unlike Table 5."""


def recode_judgements(pairs: pd.DataFrame) -> pd.DataFrame | None:
    """Return the pairs with :data:`RECODED_JUDGMENTAL_PAIRS` coded as judgmental; None if none changes."""
    is_recoded = pairs["cluster_id"].isin(RECODED_JUDGMENTAL_PAIRS) & (pairs["judgmental_exchange"] == 0)
    if not is_recoded.any():
        return None
    return pairs.assign(judgmental_exchange=pairs["judgmental_exchange"].where(~is_recoded, 1))
