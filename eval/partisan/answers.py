"""Answers to arguments: from logged samples to one table of a respondent, in whole pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Booleans, Codes, Document, Floats, Indices, Json
from polbias.eval.answer_table import SILENT, AnalysisMode, CodedColumn, Level
from polbias.eval.label_likelihoods import likelier
from polbias.eval.nonresponse import log_odds
from polbias.eval.partisan.bias import PEOPLE
from polbias.eval.partisan.metrics import VERDICTS, extract_label
from polbias.eval.partisan.schema import LARGE as LARGE_SET
from polbias.eval.partisan.schema import ArgumentAnswers, placed
from polbias.eval.samples import check, generated_texts
from polbias.eval.statistics import FEWEST

# From the samples of a partisan task to flat rows.

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
"""``country`` is missing in the control; ``sampling_unit`` is what varies
(:func:`polbias.eval.partisan.schema.sampling_unit`); ``form_verdict`` the verdict without meaning postulates,
of formal arguments; ``valid_probability`` the share of valid in the probability of both labels,
``label_mass`` that probability, ``log_odds`` of valid against invalid, null where a label is as good as
absent; the last three only of log-likelihood tasks."""

_TEXTS = (
    "id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold", "leaning",
    "kind", "variation", "gender",
)  # fmt: skip
DRAWN = ("first_named", "person_pair", "instruction_id", "exemplar_set")
"""What varies beside topics and has a component of its own in the table of variances."""
_KNOWN = {"gold": VERDICTS, "leaning": ("left", "right")}


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    read = _likelier if task.endswith("_loglikelihood") else _said
    for sample in samples:
        doc = sample["doc"]
        about = check({name: doc[name] for name in _TEXTS}, _TEXTS, _KNOWN)
        if type(doc["shots"]) is not int:
            raise TypeError(f"shots: found {doc['shots']!r}, expected a whole number")
        about |= {"country": doc.get("country"), "shots": doc["shots"], **placed(doc)}
        about |= {name: str(doc.get(name) or "") for name in ("instruction_id", "exemplar_set")}
        about["form_verdict"] = (doc.get("verdicts") or {}).get("form")
        said = read(sample["filtered_resps"], about["language"])
        for repeat, (label, probability, mass, odds) in enumerate(said):
            yield about | {
                "label": label,
                "outcome": label if label in SILENT else "answered",
                "repeat": repeat,
                "valid_probability": probability,
                "label_mass": mass,
                "log_odds": odds,
            }


_Label: TypeAlias = tuple[str, float | None, float | None, float | None]


def _said(answers: Any, language: str) -> Iterator[_Label]:
    yield from ((extract_label(text, language), None, None, None) for text in generated_texts(answers))


def _likelier(answers: Any, language: str) -> Iterator[_Label]:
    label, (probability, _), mass = likelier(VERDICTS, answers)
    odds = log_odds([float(result[0]) for result in answers[: len(VERDICTS)]])
    yield label, probability, mass, None if math.isnan(odds) else odds


# What a respondent was asked: every answer once, in whole pairs, in an order of its own.

POLITICAL, LARGE, CONTROL = "political", "large", "control"
LARGE_PEOPLE, LARGE_CONTROL = "large_people", "large_control"
PRINTED, PRINTED_CONTROL = "printed", "printed_control"
SCOPES = (POLITICAL, LARGE, LARGE_PEOPLE, LARGE_CONTROL, CONTROL, PRINTED, PRINTED_CONTROL)
"""What is never pooled: items on politics, the large set of them, with real people and on games, chess and
poker, and both as printed."""
CROSSED, MATCHED = "_crossed", "_matched"
_FORM_VERDICTS = {None: -1, "invalid": 0, "valid": 1}
_PLAIN = ("kind", "variation", "gender", "shots", "gold")


@dataclass(frozen=True, eq=False)
class PartisanAnswers:
    """The answers of one respondent.

    Attributes:
        name: of the respondent.
        method: "generated" or "log-likelihood".
        items: of the answers; those of a ``_mini`` config are those of the full one.
        rows: the answers, with the sampling units as ``clusters``, and ``pairs`` of each repeat.
        factors: columns to choose by: scope, config (that of a ``_mini`` config is the full one), language
            (with its country, as in "en-US"; the control has none), part (the kind, and whether crossed),
            kind, variation, gender, shots, gold, sampling_unit.
        form_verdict: verdict without meaning postulates, 0 or 1; -1 of material arguments.
        valid_probability: share of "valid" in the probability of both labels; NaN of generated answers.
        label_mass: the probability of both labels.
        log_odds: of "valid" against "invalid"; NaN where it is censored, or answers were generated.
        twice: answers that were left out because another task asks the same.
        halves: answers that were left out because their partner is not there.
    """

    name: str
    method: str
    items: CodedColumn
    rows: ArgumentAnswers
    factors: dict[str, CodedColumn]
    form_verdict: Codes
    valid_probability: Floats
    label_mass: Floats
    log_odds: Floats
    twice: int
    halves: int
    _masks: dict[tuple[str, Level], Booleans] = field(default_factory=dict, repr=False)

    def where(self, **chosen: Level | Collection[Level]) -> Booleans:
        """Return which answers have certain levels."""
        mask = np.ones(self.rows.n, np.bool_)
        for name, wanted in chosen.items():
            levels = (wanted,) if isinstance(wanted, Level) else tuple(wanted)
            mask &= np.logical_or.reduce([self._mask(name, level) for level in levels])
        return mask

    def levels(self, name: str, **chosen: Level | Collection[Level]) -> list[Any]:
        """Return the levels of a factor that occur, in order."""
        factor = self.factors[name]
        present = np.bincount(factor.codes[self.where(**chosen)], minlength=len(factor.levels))
        return [level for level, count in zip(factor.levels, present, strict=True) if count]

    def pooled(self, scope: str, mode: AnalysisMode = "corrected") -> list[str]:
        """Return the configs that stand for a scope as a whole.

        A crossed config shares prompts with the config of the same kind that is not crossed, in which issue
        and side are one: it stands for both, but for the paper's analysis. A config of the large set with too
        few topics to be tested stands for it only where there is no other.
        """
        configs = self.levels("config", scope=scope)
        pairs = [(name.replace(CROSSED, ""), name) for name in configs if CROSSED in name]
        twice = {pair[mode == "paper"] for pair in pairs if pair[0] in configs}
        configs = [name for name in configs if name not in twice]
        if scope != LARGE:
            return configs
        many = [name for name in configs if len(self.levels("sampling_unit", config=name)) >= FEWEST]
        return many or configs

    def _mask(self, name: str, level: Level) -> Booleans:
        if (name, level) not in self._masks:
            factor = self.factors[name]
            code = factor.levels.index(level) if level in factor.levels else -1
            self._masks[name, level] = factor.codes == code
        return self._masks[name, level]


def read_answers(name: str, table: Any) -> PartisanAnswers:
    """Read the answers of a respondent."""
    from polbias.eval.report.file_answers import as_arrow

    table = as_arrow(table)
    import pyarrow.compute as pc

    for column in ("id", "pair_id"):
        plain = pc.replace_substring_regex(table[column], r"^([^/]*)_mini/", r"\1/")
        table = table.set_column(table.schema.get_field_index(column), column, plain)
    table = table.sort_by([(column, "ascending") for column in ("id", "task", "repeat")])
    once = _once(table)
    whole = _whole(table, once)
    table = table.filter(whole)
    config = CodedColumn.of(table["config"])
    factors = {column: CodedColumn.of(table[column]) for column in _PLAIN}
    factors["config"] = _renamed(config, lambda config: config.removesuffix("_mini"))
    dataset = CodedColumn.of(table["dataset"])
    factors["scope"] = _joined(config, dataset, _scope)
    marks = (CROSSED, MATCHED)
    factors["part"] = _joined(
        factors["kind"], config, lambda kind, config: kind + "".join(mark for mark in marks if mark in config)
    )
    language, country = (CodedColumn.of(table[column]) for column in ("language", "country"))
    factors["language"] = _joined(
        language, country, lambda tag, country: tag.split("-")[0] + (f"-{country}" if country else "")
    )
    valid_probability, label_mass, log_odds = (
        table[column].to_numpy().astype(np.float64)
        for column in ("valid_probability", "label_mass", "log_odds")
    )
    # What is drawn, or asked in several ways, is one in all languages and countries.
    factors["sampling_unit"] = _joined(
        factors["part"], CodedColumn.of(table["sampling_unit"]), lambda part, unit: f"{part}/{unit}"
    )
    rows = ArgumentAnswers.of(table.drop_columns(["pair_id"]), factors=("base_id", "negated", *DRAWN))
    pairs = _pairs(table)
    rows = replace(
        rows,
        clusters=factors["sampling_unit"],
        pairs=CodedColumn(pairs, tuple(range(int(pairs.max(initial=-1)) + 1))),
        factors={**rows.factors, "config": factors["config"], "dataset": dataset},
    )
    return PartisanAnswers(
        name,
        table["method"][0].as_py() if table.num_rows else "",
        CodedColumn.of(table["id"]),
        rows,
        factors,
        np.array([_FORM_VERDICTS[each] for each in table["form_verdict"].to_pylist()], np.int8),
        valid_probability,
        label_mass,
        log_odds,
        twice=int(np.count_nonzero(~once)),
        halves=int(np.count_nonzero(once & ~whole)),
    )


def _once(table: Any) -> Booleans:
    """Which rows of a sorted table to keep so that every item comes from one task, and no answer twice."""
    item, task = (_codes(table[name]) for name in ("id", "task"))
    repeat = table["repeat"].to_numpy()
    if not item.size:
        return np.ones(0, np.bool_)
    new = np.append(True, item[1:] != item[:-1])
    first = task[np.flatnonzero(new)[np.cumsum(new) - 1]]
    same = np.append(False, (item[1:] == item[:-1]) & (repeat[1:] == repeat[:-1]) & (task[1:] == task[:-1]))
    kept: Booleans = (task == first) & ~same
    return kept


def _whole(table: Any, among: Booleans) -> Booleans:
    """Which rows have a partner, as many left ones as right ones to the same repeat of a pair."""
    pair = _pairs(table)
    right = np.array(table["leaning"].to_pylist(), dtype=object) == "right"
    size = int(pair.max(initial=-1)) + 1
    balance = np.bincount(pair[among & right], minlength=size) - np.bincount(
        pair[among & ~right], minlength=size
    )
    whole: Booleans = among & (balance[pair] == 0)
    return whole


def _pairs(table: Any) -> Indices:
    """The pair of each row, those of each repeat apart."""
    repeat = table["repeat"].to_numpy()
    pairs: Indices = _codes(table["pair_id"]) * (int(repeat.max(initial=0)) + 1) + repeat
    return pairs


def _codes(column: Any) -> Indices:
    coded: Indices = column.combine_chunks().dictionary_encode().indices.to_numpy().astype(np.intp)
    return coded


def _renamed(factor: CodedColumn, rename: Any) -> CodedColumn:
    """The factor with other names of its levels, of which some may become the same."""
    names = CodedColumn.of([rename(level) for level in factor.levels])
    return names.select(factor.codes)


def _joined(first: CodedColumn, second: CodedColumn, name: Callable[[Any, Any], str]) -> CodedColumn:
    """The factor of the names of two levels together."""
    names = tuple(name(one, other) for one in first.levels for other in second.levels)
    return _renamed(CodedColumn(len(second.levels) * first.codes + second.codes, names), str)


def _scope(config: str, dataset: str) -> str:
    if dataset == LARGE_SET:
        return LARGE_PEOPLE if config.endswith(PEOPLE) else LARGE_CONTROL if "control" in config else LARGE
    scopes = (CONTROL, PRINTED_CONTROL) if "_control" in config else (POLITICAL, PRINTED)
    return scopes[config.endswith("_paper")]


# What the instrument calls things, from ``templates/report/partisan.yaml``.

NAME = "partisan"
