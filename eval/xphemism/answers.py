"""Answers to claims: from logged samples to pairs, base and exchanged claim beside each other."""

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
"""Of the wordings, ``templates/report/xphemism.yaml``."""

LABELS = ("false", "true", *NON_ANSWER_LABELS)
"""Outcomes of one answer; the code of a label is its position, so that the verdicts are 0 and 1."""
VERDICTS = ("true", "false")
"""The labels that the log-likelihood tasks compare, in their order."""
BASE = "base"
ARMS = (BASE, "shifted", "placebo")
"""The claim as written, with a politically shifted word, or with a neutral synonym."""
AXES = ("none", "social", "economic")
PROMPTS = ("simple", "objective")
SIDES = ("left", "none", "right")

PROMPT_NAMES: Mapping[Any, str] = {"advanced": "objective"}
"""The published files call the objective prompt "advanced"."""
SHIFT_NAMES: Mapping[Any, str] = {"libertarian": "left", "no shift": "none", "authoritarian": "right"}
"""Other names of the sides."""

# From samples of the X-phemism tasks to rows.

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
"""The columns of the outcomes, beside those of all instruments.

- claim_id: of the claim as written.
- arm: one of :data:`ARMS`.
- shift, axis: where the exchanged word leans further, one of :data:`SIDES`, and on which of :data:`AXES`.
- judgmental_base, judgmental_exchange: 1 where the word carries a judgement, else 0.
- prompt_style, instruction_language: of the instruction.
- shift_in_answers: the shift as a published file of answers has it.
- log_true, log_false: log-likelihoods of both labels; missing where the model writes.

The labels of the placebo arm may be missing.
"""

LOGLIKELIHOOD = "_loglikelihood"
_PAIR_COLUMNS = (
    "pair_id", "cluster_id", "gold", "arm", "shift", "axis", "judgmental_base", "judgmental_exchange",
    "prompt_style", "instruction_language",
)  # fmt: skip
_ABOUT = ("dataset", "config", "dataset_version", "language", "claim_id", "shift_in_answers")
_NAMES = ("id", "pair_id", "cluster_id", "instruction_language")
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
_ANSWER = ("label", "log_true", "log_false")


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield a row per answer; see :class:`polbias.eval.report.reporter.Reporter`."""
    read = _read_likelihoods if LOGLIKELIHOOD in task else _read_texts
    for sample in samples:
        doc = sample["doc"]
        design = {name: doc[name] for name in ("id", *_PAIR_COLUMNS)} | {
            name: doc.get(name) for name in _ABOUT
        }
        levels = {name: levels for name, levels in _LEVELS.items() if not _is_open(doc, name)}
        check_row(design, _NAMES, levels)
        for repeat, answer in enumerate(read(sample["filtered_resps"], doc)):
            label = answer[0]
            outcome = label if label in NON_ANSWER_LABELS else "answered"
            yield design | dict(zip(_ANSWER, answer, strict=True)) | {"outcome": outcome, "repeat": repeat}


def _is_open(doc: Document, name: str) -> bool:
    """Whether a row of the placebo arm leaves a label open, as it may."""
    return name in _PLACEBO_LABELS and doc["arm"] == "placebo" and doc[name] is None


def _read_texts(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    for text in generated_texts(answers):
        yield extract_label(text, str(doc["instruction_language"])), None, None


def _read_likelihoods(answers: Any, doc: Document) -> Iterator[tuple[Any, ...]]:
    label, _, _ = argmax_label(VERDICTS, answers)
    yield label, *(float(answer[0]) for answer in answers[:2])


@cached_reader
def extract_label(text: str, language: str) -> str:
    """Return the label of one answer in words."""
    return extract_truth(text, language).outcome


# Word pairs that are not independent of each other.

_WORD_BORDER = re.compile(r"_| \| ")
"""Between the words of a pair, in the data and in the published files."""


def word_pair_components(word_pairs: Iterable[Any]) -> pd.Categorical:
    """Return the component of each unordered word pair: pairs that share a word, directly or over others.

    A component has the name of its first pair.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = as_categories(word_pairs).remove_unused_categories()
    names = pairs.categories
    words = pd.Series(names.astype(str)).str.split(_WORD_BORDER).explode()
    word_codes, distinct_words = pd.factorize(words)
    size = len(names) + len(distinct_words)
    links = coo_array((np.ones(len(words)), (words.index, len(names) + word_codes)), (size, size))
    component = connected_components(links, directed=False)[1][: len(names)]
    _, first, code_of_pair = np.unique(component, return_index=True, return_inverse=True)
    return pd.Categorical.from_codes(code_of_pair[pairs.codes], pd.Index(names[first], dtype=object))


# From answers to pairs. A pair is a claim and the same claim with one word exchanged, with one prompt.

FORMS = ("base", "exchange")
_KEYS = ("pair_id", "prompt", "instruction_language")


def pair_claims(claims: pd.DataFrame, keys: Sequence[str] = ("pair_id",)) -> pd.DataFrame:
    """Put base and exchanged claim beside each other: a row per pair, in the order of the base claims.

    A pair without exactly one row of either form is left out. Labels are those of the exchanged row.

    Args:
        claims: a row per claim and prompt, with its arm, and in columns by label the number of its answers.
        keys: columns that the rows of a pair have in common.

    Returns:
        The columns of :attr:`XphemismAnswers.pairs`, as far as the claims have them, and those of the base
        row by which rows are compared.
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
    """Return the answers to a form of each claim by label, in the order of :data:`LABELS`."""
    return np.column_stack([pairs[f"{form}_{label}"] for label in LABELS])


def select_answered(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with a verdict on both forms."""
    return pairs[pairs["change"].notna()]


PromptGroup: TypeAlias = tuple[str, str]
"""Prompt style and language of the instruction."""


@dataclass(frozen=True, eq=False)
class XphemismAnswers:
    """The answered pairs of one respondent.

    Attributes:
        respondent: its name.
        pairs: a row per pair, prompt style and language of the instruction:

            - pair_id, prompt, instruction_language: of the pair; the prompt is one of :data:`PROMPTS`.
            - cluster_id: its unordered pair of words; component: what is taken as independent
              (:func:`word_pair_components`).
            - arm: of the exchanged claim. gold: 1 where the base claim is true, else 0.
            - axis: one of :data:`AXES`. shift: -1 where the exchanged word leans further left, 1 further
              right, else 0.
            - judgmental_base, judgmental_exchange: 1 where the word carries a judgement, else 0.
            - base_false ... base_truncated, exchange_false ... exchange_truncated: answers to either form by
              label (:data:`LABELS`); by log-likelihood the shares of the labels.
            - base_mass, exchange_mass: by log-likelihood the probability of both labels, else missing.
            - base_truth, exchange_truth: share of "true" among the verdicts, missing without one; change:
              the second minus the first.
        n_incomplete: pairs that were left out: not exactly one row of either form, or two that differ in word
            pair or gold label.
        n_uneven: pairs with more answers to one form than to the other.
        n_repeated: answers that were left out, as another task has the same prompt.
    """

    respondent: str
    pairs: pd.DataFrame
    n_incomplete: int = 0
    n_uneven: int = 0
    n_repeated: int = 0

    @cached_property
    def is_loglikelihood(self) -> bool:
        """Whether it answered by log-likelihood."""
        return bool(self.pairs["base_mass"].notna().any())

    @cached_property
    def groups(self) -> dict[PromptGroup, pd.DataFrame]:
        """The pairs by prompt and language, in order."""
        keys = [*_KEYS[1:]]
        return {group: pairs.drop(columns=keys) for group, pairs in self.pairs.groupby(keys, observed=True)}

    @cached_property
    def label_masses(self) -> dict[PromptGroup, float]:
        """By log-likelihood, the mean probability of both labels by prompt and language; else empty."""
        if not self.is_loglikelihood:
            return {}
        columns = [f"{form}_mass" for form in FORMS]
        return {
            group: float(np.mean(pairs[columns].to_numpy().ravel())) for group, pairs in self.groups.items()
        }


def read_answers(respondent: str, outcomes: pd.DataFrame) -> XphemismAnswers:
    """Pair the answers of a respondent (:func:`polbias.eval.counted_rows.counted_rows`)."""
    counted, n_repeated = counted_rows(_with_levels(outcomes), ("repeat", *_ANSWER))
    claims = counted.drop_duplicates("id").reset_index(drop=True)
    scored = bool(claims["log_true"].notna().any())
    claims = claims.join(_label_shares(claims) if scored else _count_labels(counted))
    pairs = pair_claims(claims, _KEYS)
    is_alike = (pairs["base_cluster_id"] == pairs["cluster_id"]) & (pairs["base_gold"] == pairs["gold"])
    pairs = pairs[is_alike].sort_values("pair_id", kind="stable", ignore_index=True)
    pairs["component"] = word_pair_components(pairs["cluster_id"])
    n_base, n_exchange = (label_counts(pairs, form).sum(axis=1) for form in FORMS)
    helpers = ["id", "task", "repeat", *_ANSWER, "base_cluster_id", "base_gold"]
    return XphemismAnswers(
        respondent,
        pairs.drop(
            columns=helpers
        ).copy(),  # a copy has its columns by type, from which rows are taken faster
        n_incomplete=claims.groupby([*_KEYS], observed=True).ngroups - len(pairs),
        n_uneven=0 if scored else int((n_base != n_exchange).sum()),
        n_repeated=n_repeated,
    )


def _with_levels(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Turn what is known of a claim into the columns of pairs; open labels of the placebo arm are neutral."""

    def column(
        name: str, levels: Sequence[str], other_names: Mapping[Any, str] | None = None
    ) -> pd.Categorical:
        return with_levels(outcomes[name], levels, name, other_names)

    columns = ["id", "task", "repeat", "pair_id", "cluster_id", "instruction_language", *_ANSWER[1:]]
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


def _count_labels(counted: pd.DataFrame) -> pd.DataFrame:
    """Count the answers to each prompt by label."""
    is_label = pd.get_dummies(counted["label"])
    counts = is_label.groupby(counted["id"], observed=True).sum().reset_index(drop=True)
    return counts.assign(mass=np.nan)


def _label_shares(claims: pd.DataFrame) -> pd.DataFrame:
    """Put the shares of the labels where the numbers of answers stand, and the probability of both."""
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
"""Word pairs whose exchange word carries a judgement, as the makers read it, and none in Table 5."""


def recode_judgements(pairs: pd.DataFrame) -> pd.DataFrame | None:
    """Return the pairs with a judgement in :data:`RECODED_JUDGMENTAL_PAIRS`; None if that changes none."""
    is_recoded = pairs["cluster_id"].isin(RECODED_JUDGMENTAL_PAIRS) & (pairs["judgmental_exchange"] == 0)
    if not is_recoded.any():
        return None
    return pairs.assign(judgmental_exchange=pairs["judgmental_exchange"].where(~is_recoded, 1))
