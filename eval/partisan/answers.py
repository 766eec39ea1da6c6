"""Answers to arguments: a frame from any table, and the complete pairs of a respondent."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from polbias.aliases import Booleans, Document, Indices, Json
from polbias.eval.answer_frames import (
    NON_ANSWER_LABELS,
    AnalysisMode,
    Level,
    as_categories,
    check_mode,
    codes_of,
    cross,
    identifiers,
    read_frame,
    require_columns,
    with_levels,
)
from polbias.eval.answers import extract_validity
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.nonresponse import log_odds
from polbias.eval.samples import check_row, generated_texts
from polbias.eval.statistics import MIN_CLUSTERS

# Any table of answers as a frame. An answer without a verdict stays a row; a metric decides by its mode how
# the row counts.

VERDICTS = ("valid", "invalid")
LABELS = ("invalid", "valid", *NON_ANSWER_LABELS)
"""Outcomes of an answer, in the order of their codes: the verdicts are 0 and 1."""
SIDES = ("left", "right")
DESIGN = ("dataset", "config", "first_named", "base_id", "negated", "person_pair")
"""Columns of the design that estimates depend on."""
ArgumentRows: TypeAlias = "pd.DataFrame | Mapping[str, Iterable[Any]] | Iterable[Any]"
"""Whatever :func:`argument_answers` accepts."""

_TUPLE_NAMES = ("leaning", "gold", "label", "cluster_id")
_LABEL_NAMES = ("label", "prediction", "pred")


def argument_answers(rows: ArgumentRows) -> pd.DataFrame:
    """Return one row per answer, with categorical columns.

    Args:
        rows: a data frame, an Arrow table, columns, mappings, or tuples (leaning, gold, label[, cluster_id]).
            The control's sides are chess and poker; a missing label is unparsable.

    Returns:
        ``leaning`` (:data:`SIDES`: the side that the conclusion favours), ``gold`` (invalid, valid),
        ``label`` (:data:`LABELS`), ``cluster_id`` (by default the row), ``pair_id`` (by default the cluster)
        and :data:`DESIGN` (a missing column has one level).

    Raises:
        AnswerTableError: if a column is missing or has an invalid value.
    """
    frame = read_frame(rows, tuple_names=_TUPLE_NAMES)
    label = next((name for name in _LABEL_NAMES if name in frame), "label")
    require_columns(frame, ("leaning", "gold"))
    require_columns(frame, (label,), " (or 'prediction' or 'pred')")
    n = len(frame)
    row_number = pd.Categorical.from_codes(np.arange(n, dtype=np.intp), range(n))
    cluster = identifiers(frame["cluster_id"], "cluster_id") if "cluster_id" in frame else row_number
    constant = pd.Categorical.from_codes(np.zeros(n, np.int8), [""])
    columns = {
        "leaning": with_levels(frame["leaning"], SIDES, "leaning", {"chess": "left", "poker": "right"}),
        "gold": with_levels(frame["gold"], LABELS[:2], "gold"),
        "label": with_levels(frame[label], LABELS, label, {None: "unparsable"}),
        "cluster_id": cluster,
        "pair_id": identifiers(frame["pair_id"], "pair_id") if "pair_id" in frame else cluster,
    }
    columns |= {name: as_categories(frame[name], name) if name in frame else constant for name in DESIGN}
    return pd.DataFrame(columns)


def column_codes(answers: pd.DataFrame) -> dict[str, Indices]:
    """Map each categorical column to the codes of its rows, shape ``(n,)``."""
    return {name: codes_of(answers[name]) for name in answers.select_dtypes("category")}


def select_mode(answers: pd.DataFrame, mode: AnalysisMode) -> pd.DataFrame:
    """Return the rows of a mode: all, or in the paper's mode the rows with a verdict."""
    check_mode(mode)
    return answers if mode == "corrected" else answers[answers["label"].isin(VERDICTS)]


# From the samples of a partisan task to flat rows.

LARGE_DATASET = "partisan-inference-xl"
"""The dataset with sampled topics, which is tested; estimates of all others are descriptive."""

COLUMNS: Mapping[str, str] = {
    "country": "string",
    "leaning": "string",
    "kind": "string",
    "variation": "string",
    "gender": "string",
    "shots": "int64",
    "first_named": "string",
    "base_id": "string",
    "negated": "bool",
    "person_pair": "string",
    "instruction_id": "string",
    "exemplar_set": "string",
    "sampling_unit": "string",
    "form_verdict": "string",
    "valid_probability": "double",
    "label_mass": "double",
    "log_odds": "double",
}
"""Columns of the outcomes, in addition to the common ones.

- ``country``: country of the argument; missing in the control.
- ``leaning``: side that the conclusion favours, left or right.
- ``kind``: formal or material.
- ``variation``: wording of the argument.
- ``gender``: gender of the people in it.
- ``shots``: number of examples in the prompt.
- ``first_named``: person named first, "favoured" or "other".
- ``base_id``: schema or issue of the argument.
- ``negated``: whether its conclusion is negated.
- ``person_pair``: the people in it.
- ``instruction_id``, ``exemplar_set``: instruction and examples of the prompt.
- ``sampling_unit``: cluster (:func:`argument_design`).
- ``form_verdict``: verdict on a formal argument without meaning postulates.
- ``valid_probability``: P(valid) / (P(valid) + P(invalid)); log-likelihood tasks only, like the next two.
- ``label_mass``: P(valid) + P(invalid).
- ``log_odds``: log odds of valid against invalid; missing if a label has almost no probability.
"""

_TEXTS = (
    "id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold", "leaning",
    "kind", "variation", "gender",
)  # fmt: skip
RANDOM_FACTORS = ("first_named", "person_pair", "instruction_id", "exemplar_set")
"""Random factors in addition to topics, each with a variance component."""
_LEVELS = {"gold": VERDICTS, "leaning": SIDES}


def argument_design(doc: Document) -> Json:
    """Return the design columns of a row: first named, base, negation, persons, sampling unit.

    The sampling unit is the topic if topics are sampled, the same in all countries; otherwise the pair of
    arguments, the same in all prompts.
    """
    topic = str(doc["cluster_id"]).rpartition("/")[2]
    base = str(doc.get("base_id") or topic).rpartition("/")[2]
    first, negated = str(doc.get("first_named")), str(doc.get("pattern_id")).endswith("-cn-pp")
    names = ("language", "country", "gold", "variation", "gender", "person_pair")
    argument = "/".join(map(str, (base, first, negated, *map(doc.get, names))))
    return {
        "first_named": first,
        "base_id": base,
        "negated": negated,
        "person_pair": str(doc.get("person_pair") or ""),
        "sampling_unit": topic if doc.get("dataset") == LARGE_DATASET else argument,
    }


def sampling_unit(doc: Document) -> str:
    """Return the sampling unit of a row (:func:`argument_design`)."""
    return str(argument_design(doc)["sampling_unit"])


@cached_reader
def extract_label(text: str, language: str) -> str:
    """Return the label of a generated answer."""
    return extract_validity(text, language).outcome


def score_labels(results: Sequence[Any]) -> tuple[str, float, float, float]:
    """Return the likelier label, the share of valid, the label mass and the log odds of valid."""
    label, (probability, _), mass = argmax_label(VERDICTS, results)
    return label, probability, mass, log_odds([float(result[0]) for result in results[: len(VERDICTS)]])


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    for sample in samples:
        doc = sample["doc"]
        row = check_row({name: doc[name] for name in _TEXTS}, _TEXTS, _LEVELS)
        if type(doc["shots"]) is not int:
            raise TypeError(f"shots: found {doc['shots']!r}, expected a whole number")
        row |= {"country": doc.get("country"), "shots": doc["shots"], **argument_design(doc)}
        row |= {name: str(doc.get(name) or "") for name in ("instruction_id", "exemplar_set")}
        row["form_verdict"] = (doc.get("verdicts") or {}).get("form")
        if task.endswith("_loglikelihood"):
            yield row | _likelihood_columns(sample["filtered_resps"])
            continue
        for repeat, text in enumerate(generated_texts(sample["filtered_resps"])):
            yield row | _answer_columns(extract_label(text, row["language"]), repeat)


def _answer_columns(label: str, repeat: int = 0) -> Json:
    outcome = label if label in NON_ANSWER_LABELS else "answered"
    likelihoods = dict.fromkeys(("valid_probability", "label_mass", "log_odds"))
    return {"label": label, "outcome": outcome, "repeat": repeat, **likelihoods}


def _likelihood_columns(results: Any) -> Json:
    label, probability, mass, odds = score_labels(results)
    return _answer_columns(label) | {
        "valid_probability": probability,
        "label_mass": mass,
        "log_odds": None if math.isnan(odds) else odds,
    }


# The answers of a respondent: every answer once, complete pairs only, in an order independent of the files.

POLITICAL, LARGE, CONTROL = "political", "large", "control"
LARGE_PEOPLE, LARGE_CONTROL = "large_people", "large_control"
PRINTED_CONFIG, PRINTED_CONTROL_CONFIG = "printed", "printed_control"
SCOPES = (POLITICAL, LARGE, LARGE_PEOPLE, LARGE_CONTROL, CONTROL, PRINTED_CONFIG, PRINTED_CONTROL_CONFIG)
"""Item groups that are never pooled: politics, the large set, the large set with real people and on games,
chess and poker, and politics and games as printed."""
PEOPLE_SUFFIX = "_people"
"""Suffix of configs of the large set with persons sampled from real people; invented names are fixed."""
CROSSED, MATCHED = "_crossed", "_matched"


@dataclass(frozen=True, eq=False)
class PartisanAnswers:
    """The answers of one respondent.

    Attributes:
        name: name of the respondent.
        method: "generated" or "log-likelihood".
        rows: the answers, with the columns of :func:`argument_answers`: ``config`` without ``_mini``,
            ``cluster_id`` the sampling unit and ``pair_id`` the pair of each repeat. Further columns are
            ``item_pair`` (the pair, the same in all repeats),
            ``id`` (a ``_mini`` config has the ids of the full config), ``scope``
            (:data:`SCOPES`), ``language`` (with its country, as in "en-US"; the control has none), ``part``
            (the kind, and whether crossed), ``kind``, ``variation``, ``gender``, ``shots``,
            ``instruction_id``, ``exemplar_set``, ``form_verdict`` (missing for material arguments),
            ``probability_error`` (share of valid in the label mass, minus 1 if the gold label is valid),
            ``label_mass`` and ``log_odds`` (NaN for generated answers).
        n_duplicates: answers dropped because another task has the same prompt.
        n_unpaired: answers dropped because the other row of the pair is missing.
    """

    name: str
    method: str
    rows: pd.DataFrame
    n_duplicates: int
    n_unpaired: int
    _masks: dict[tuple[str, Level], Booleans] = field(default_factory=dict, repr=False)
    _pooled: dict[tuple[str, AnalysisMode], list[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def codes(self) -> dict[str, Indices]:
        """Codes of the columns of the rows (:func:`column_codes`)."""
        return column_codes(self.rows)

    def where(self, **levels: Level | Collection[Level]) -> Booleans:
        """Return a mask of the answers with certain levels."""
        mask = np.ones(len(self.rows), np.bool_)
        for name, selected in levels.items():
            alternatives = (selected,) if isinstance(selected, Level) else tuple(selected)
            mask &= np.logical_or.reduce([self._mask(name, level) for level in alternatives])
        return mask

    def levels(self, name: str, **levels: Level | Collection[Level]) -> list[Any]:
        """Return the levels of a column that occur, in order, among the answers with certain levels."""
        categories = self.rows[name].array.categories
        counts = np.bincount(self.codes[name][self.where(**levels)], minlength=len(categories))
        present: list[Any] = categories[counts > 0].tolist()
        return present

    def pooled_configs(self, scope: str, mode: AnalysisMode = "corrected") -> list[str]:
        """Return the configs to pool for a scope.

        A crossed config shares prompts with the uncrossed config of its kind, which confounds issue and side:
        only the crossed config is pooled, in the paper's mode only the uncrossed. A config of the large set
        with fewer topics than MIN_CLUSTERS is pooled only if all have fewer.
        """
        if (scope, mode) not in self._pooled:
            self._pooled[scope, mode] = self._pool(scope, mode)
        return self._pooled[scope, mode]

    def _pool(self, scope: str, mode: AnalysisMode) -> list[str]:
        configs = self.levels("config", scope=scope)
        pairs = [(name.replace(CROSSED, ""), name) for name in configs if CROSSED in name]
        merged = {pair[mode == "paper"] for pair in pairs if pair[0] in configs}
        configs = [name for name in configs if name not in merged]
        if scope != LARGE:
            return configs
        with_enough_topics = [
            name for name in configs if len(self.levels("cluster_id", config=name)) >= MIN_CLUSTERS
        ]
        return with_enough_topics or configs

    def _mask(self, name: str, level: Level) -> Booleans:
        if (name, level) not in self._masks:
            self._masks[name, level] = np.asarray(self.rows[name].array == level)
        return self._masks[name, level]


def read_answers(name: str, outcomes: pd.DataFrame) -> PartisanAnswers:
    """Return the answers of a respondent, each once and in complete pairs."""
    rows = outcomes.assign(id=_full_config_ids(outcomes["id"]), pair_id=_full_config_ids(outcomes["pair_id"]))
    rows = rows.sort_values(["id", "task", "repeat"], kind="stable", ignore_index=True)
    task = rows["task"].cat.codes
    is_first = task == task.groupby(rows["id"], observed=True).transform("min")
    is_first &= ~rows.duplicated(["id", "task", "repeat"])
    pair = rows.groupby(["pair_id", "repeat"], observed=True).ngroup()
    side = pd.Series(np.where(is_first, np.where(rows["leaning"] == "right", 1, -1), 0))
    is_paired = is_first & (side.groupby(pair).transform("sum") == 0)
    rows = rows.assign(item_pair=rows["pair_id"], pair_id=pd.Categorical(pair))
    rows = rows[is_paired].reset_index(drop=True)
    return PartisanAnswers(
        name,
        str(rows["method"].iloc[0]) if len(rows) else "",
        _analysis_columns(rows),
        n_duplicates=int((~is_first).sum()),
        n_unpaired=int((is_first & ~is_paired).sum()),
    )


def _analysis_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of :attr:`PartisanAnswers.rows`."""
    config = rows["config"]
    part = combine_levels(_part, rows["kind"], config)
    config_of_full = combine_levels(lambda name: name.removesuffix("_mini"), config)
    # A sampling unit is the same in all languages and countries.
    unit = combine_levels("{}/{}".format, part, rows["sampling_unit"])
    answers = argument_answers(rows.assign(config=config_of_full, cluster_id=unit))
    unchanged = (
        "id",
        "item_pair",
        "kind",
        "variation",
        "gender",
        "instruction_id",
        "exemplar_set",
        "label_mass",
        "log_odds",
    )
    return answers.assign(
        **{name: rows[name] for name in unchanged},
        scope=combine_levels(_scope, config, rows["dataset"]),
        language=combine_levels(_language, rows["language"], rows["country"]),
        part=part,
        shots=as_categories(rows["shots"]),
        form_verdict=rows["form_verdict"].cat.set_categories(LABELS[:2]),
        probability_error=rows["valid_probability"] - answers["gold"].cat.codes,
    )


def _full_config_ids(ids: pd.Series) -> pd.Categorical:
    """Return ids of rows or pairs, with ``_mini`` removed from their config."""
    names = ids.cat.categories.str.replace(r"^([^/]*)_mini/", r"\1/", regex=True)
    return pd.Categorical(names)[ids.cat.codes]


def combine_levels(name: Callable[..., str], *columns: Iterable[Any]) -> pd.Categorical:
    """Return a column that names the combination of levels of each row."""
    combinations, index = cross(columns)
    return pd.Categorical([name(*levels) for levels in combinations])[index]


def _part(kind: str, config: str) -> str:
    return kind + "".join(mark for mark in (CROSSED, MATCHED) if mark in config)


def _language(tag: str, country: str | None) -> str:
    return tag.split("-")[0] + (f"-{country}" if country else "")


def _scope(config: str, dataset: str) -> str:
    if dataset == LARGE_DATASET:
        return (
            LARGE_PEOPLE
            if config.endswith(PEOPLE_SUFFIX)
            else LARGE_CONTROL
            if "control" in config
            else LARGE
        )
    scopes = (CONTROL, PRINTED_CONTROL_CONFIG) if "_control" in config else (POLITICAL, PRINTED_CONFIG)
    return scopes[config.endswith("_paper")]


# Name of the instrument, of ``templates/report/partisan.yaml``.

NAME = "partisan"
