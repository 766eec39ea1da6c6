"""Answers to entailment problems and selection tasks: labels, flat rows, validated frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from reprlib import repr as brief
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like

from polbias.aliases import Booleans, Document, Indices, Json
from polbias.eval.answer_frames import (
    NON_ANSWER_LABELS,
    AnswerTableError,
    Level,
    as_categories,
    codes_of,
    cross,
    identifiers,
    read_frame,
    with_levels,
)
from polbias.eval.answers import extract_cards, extract_entailment
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.samples import check_row, generated_texts

# The design of the instrument, and the part that each table of the paper has.

DOMAINS = ("deontic", "epistemic")
REASONING = ("logic", "syllogism")
STYLES = ("zero", "few", "cot")
TYPES = ("congruent", "incongruent", "nonsense")
POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")
"""Forms of a rule."""
SELECTION = "selection"
"""Value of ``task`` for the selection task, in addition to :data:`REASONING`."""
ROSS = "Ross-Or-Intro"
"""The paper's pattern without congruent contents (Tables 12 and 13)."""
BALANCED_SUFFIX = "_balanced"
"""Ending of the configs in which every hypothesis has both gold labels; the paper's configs lack it."""
OTHER = "other"
"""Content type of the balanced configs that counts as neither congruent nor incongruent."""

SETTING = ("domain", "task", "prompt_style")
"""The columns of a setting."""
SETTINGS = tuple(
    (domain, reasoning, style) for reasoning, domain, style in product(REASONING, DOMAINS, STYLES)
)
"""The cells of Table 5 from left to right."""
SHARED = tuple(product(REASONING, STYLES))
"""Reasoning and prompt style of the settings in which domains are compared."""

_VALID = ("NotMu-MiNot", "NotMi-MuNot", "MiNot-NotMu", "Mu-Mi", "NotMi-NotMu")
_INVALID = ("NotMu-NotMi", "MiNot-MuNot", "Mi-Mu")
_ADDED_VALID = ("MuNot-NotMi", "NotMiNot-Mu", "Mi-NotMuNot", "NotMuNot-Mi")
_CONTRADICTED = ("NotMi-Mi", "NotMi-NotMuNot", "MuNot-Mi", "Mu-MiNot", "NotMiNot-NotMu")
_ADDED_INVALID = ("NotMuNot-NotMu", *_CONTRADICTED)
_FORMS = {
    name: tuple(f"{form}-{rule}" for form in ("Cat", "Hyp") for rule in rules)
    for name, rules in {"entailment": ("MP", "MT"), "non-entailment": ("AC", "DA")}.items()
}
_REVERSED = {
    name: tuple(pattern.replace("-", "-Rev-") for pattern in patterns) for name, patterns in _FORMS.items()
}
NEVER_CONGRUENT = frozenset(
    (ROSS, *_CONTRADICTED, *(pattern for patterns in _REVERSED.values() for pattern in patterns))
)
"""The patterns without congruent contents."""


@dataclass(frozen=True)
class PatternPanel:
    """Half of Tables 12 to 15.

    Attributes:
        domain: deontic ("normative" in the paper) or epistemic.
        reasoning: logic or syllogism.
        patterns: from left to right.
        added: patterns of the balanced configs that the paper lacks.
    """

    domain: str
    reasoning: str
    patterns: tuple[str, ...]
    added: tuple[str, ...]


PATTERN_TABLES: Mapping[str, PatternPanel] = {
    "table12a": PatternPanel("deontic", "logic", (*_VALID, "FC-Or-Elim"), _ADDED_VALID),
    "table12b": PatternPanel("deontic", "logic", (*_INVALID, "FC-Or-Intro", ROSS), _ADDED_INVALID),
    "table13a": PatternPanel("epistemic", "logic", _VALID, _ADDED_VALID),
    "table13b": PatternPanel("epistemic", "logic", _INVALID, _ADDED_INVALID),
    **{
        f"table{number}{letter}": PatternPanel(domain, "syllogism", _FORMS[gold], _REVERSED[gold])
        for number, domain in ((14, "deontic"), (15, "epistemic"))
        for letter, gold in (("a", "entailment"), ("b", "non-entailment"))
    },
}
"""(a) patterns in which the hypothesis follows, (b) patterns in which it does not."""

PATTERN_FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "figure2": (
        ("Mu-Mi", "epistemic"),
        ("Mu-Mi", "deontic"),
        ("FC-Or-Intro", "deontic"),
        (ROSS, "deontic"),
    ),
    "figure3": tuple(
        (pattern, domain)
        for pattern in ("Cat-MT", "Cat-DA", "Hyp-MT", "Hyp-DA")
        for domain in reversed(DOMAINS)
    ),
}
"""Patterns and domains of Figures 2 and 3 from left to right."""


def setting_key(*parts: str) -> str:
    """Return the findings key of a setting: "deontic_logic/zero", "logic/few"."""
    return "/".join(("_".join(parts[:-1]), parts[-1]))


def column_of(key: str) -> str:
    """Return the table column of a setting; "pooled" for all settings."""
    return key.replace("/", "_") or "pooled"


# Labels. In both tuples the verdicts come first; they are the categories of gold.

LABELS = ("non-entailment", "entailment", *NON_ANSWER_LABELS)
"""Labels of an answer to an entailment problem, indexed by code."""
CHOICES = ("entailment", "non-entailment")
"""The two verdicts, in the order of the prompt."""

LETTERS = "ABCD"
CARD_SETS = tuple(
    ",".join(letter for card, letter in enumerate(LETTERS) if code >> card & 1) or "none"
    for code in range(16)
)
"""Sets of cards, indexed by code; bit n of the code is card n."""
CARD_LABELS = (*CARD_SETS, *NON_ANSWER_LABELS)
"""Labels of an answer to a selection task, indexed by code."""
CARD_CHOICES = tuple(", ".join(pair) for pair in combinations(LETTERS, 2))
"""The six choices of two cards, in the format that the instruction asks for."""


@cached_reader
def extract_label(text: str) -> str:
    """Return the label of an answer to an entailment problem."""
    return extract_entailment(text).outcome


@cached_reader
def published_label(text: str) -> str:
    """Return the label that the parser published with the paper extracts.

    Source:
        Evaluation code of Ozeki et al.; see :func:`polbias.eval.answers.extract_entailment`.
    """
    words = text.strip().rpartition("\n")[2].split()
    first = words[0].removesuffix(".") if words else ""
    return first if first in CHOICES else "unparsable"


def extract_card_label(text: str, cards: Sequence[str]) -> str:
    """Return the label of an answer to a selection task.

    Args:
        text: the answer.
        cards: visible sides of the cards, from A to D.
    """
    return _card_label(text, *cards)


@cached_reader
def _card_label(text: str, *cards: str) -> str:
    return extract_cards(text, cards).outcome


def likeliest_cards(results: Sequence[Any]) -> tuple[str, list[float], float]:
    """Return the likeliest two cards (unparsable if tied), the shares of all pairs, and the label mass."""
    label, shares, mass = argmax_label(CARD_CHOICES, results)
    return label.replace(" ", ""), shares, mass


# From samples to one flat row per answer.

_Labels: TypeAlias = tuple[str, str | None, float | None]
"""The label, the label of the published parser, and the label mass."""

_SAMPLE_COLUMNS = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_DESIGN_COLUMNS = ("domain", "prompt_style", "content_type")
_COMMON_LEVELS: Mapping[str, Sequence[str]] = {"domain": DOMAINS, "prompt_style": STYLES}
_PROBLEM_LEVELS = {
    **_COMMON_LEVELS,
    "task": REASONING,
    "content_type": (*TYPES, OTHER),
    "gold": CHOICES,
}
_SELECTION_LEVELS: Mapping[str, Sequence[str]] = {
    **_COMMON_LEVELS,
    "content_type": ("congruent", "incongruent", "arbitrary", "nonsense"),
    "polarity": POLARITIES,
}
_ROLE_NAMES = ("notp", "notq", "p", "q")


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer in the samples of a file."""
    labels = _loglikelihood_labels if task.endswith("_loglikelihood") else _extracted_labels
    for sample in samples:
        doc = sample["doc"]
        has_cards = "card_roles" in doc
        row = _selection_columns(doc) if has_cards else _problem_columns(doc)
        row |= {name: doc.get(name) for name in _SAMPLE_COLUMNS} | {
            name: doc[name] for name in _DESIGN_COLUMNS
        }
        answers = labels(doc, sample["filtered_resps"], has_cards)
        for repeat, (label, paper_label, mass) in enumerate(answers):
            yield row | {
                "label": label,
                "outcome": label if label in NON_ANSWER_LABELS else "answered",
                "repeat": repeat,
                "paper_label": paper_label,
                "label_mass": mass,
            }


def _problem_columns(doc: Json) -> Json:
    check_row(doc, ("id", "cluster_id"), _PROBLEM_LEVELS)
    return {
        "reasoning": doc["task"],
        "pattern": str(doc["pattern"]),
        "status": doc.get("status"),
        "gold_sdl": doc.get("gold_sdl") if doc.get("gold_sdl") in CHOICES else None,
        "consistency_ids": ";".join(doc.get("consistency_ids") or ()),
    }


def _selection_columns(doc: Json) -> Json:
    check_row(doc, ("id", "cluster_id"), _SELECTION_LEVELS)
    if sorted(doc["card_roles"]) != [*_ROLE_NAMES]:
        raise ValueError(
            f"card_roles: found {doc['card_roles']!r}, expected p, notp, q and notq in any order"
        )
    if not doc["gold"] or not {*doc["gold"].split(",")} <= {*LETTERS}:
        raise ValueError(f"gold: found {doc['gold']!r}, expected letters as in 'A,D'")
    roles = ",".join(doc["card_roles"])
    return {"reasoning": SELECTION, "polarity": doc["polarity"], "card_roles": roles}


def _extracted_labels(doc: Document, answers: Sequence[Any], has_cards: bool) -> Iterator[_Labels]:
    for text in generated_texts(answers):
        if has_cards:
            yield extract_card_label(text, doc["cards"]), None, None
        else:
            yield extract_label(text), published_label(text), None


def _loglikelihood_labels(doc: Document, answers: Sequence[Any], has_cards: bool) -> Iterator[_Labels]:
    label, _, mass = likeliest_cards(answers) if has_cards else argmax_label(CHOICES, answers)
    yield label, None, mass


# Validated frames with a row per answer.

PROBLEM_TUPLE = ("label", "gold", "pattern", "content_type", "status", "cluster_id", "consistency_ids")
"""Column order of answers to entailment problems given as tuples."""
SELECTION_TUPLE = ("label", "gold", "card_roles", "polarity", "domain", "content_type", "cluster_id")
"""Column order of answers to selection tasks given as tuples."""
SELECTION_DESIGN = ("domain", "content_type", "polarity", "prompt_style")

_ACT_STATUSES = {"known": "duty", "excluded": "prohibition", "open": "optional"}
"""Status of a proposition to the corresponding status of an act."""


def entailment_answers(rows: Any) -> pd.DataFrame:
    """Read answers to entailment problems from any table; ``label`` and ``gold`` are required.

    All columns are categorical:

    - ``label``: one of :data:`LABELS`, unparsable if it is missing;
    - ``gold``: the right verdict; ``gold_sdl``: the right verdict by standard deontic logic;
    - ``cluster_id``: the content;
    - ``domain``, ``task`` (logic or syllogism), ``prompt_style``, ``pattern``, ``content_type``: the design;
    - ``status``: status of the inferred act (duty, prohibition, optional), may be missing;
    - ``consistency_ids``: ids joined by semicolons; rows that share an id should have the same answer.

    Raises:
        AnswerTableError: if a required column is missing or a value is invalid.
    """
    frame = read_frame(rows, PROBLEM_TUPLE[:2], PROBLEM_TUPLE)
    columns = {
        "label": with_levels(frame["label"], LABELS, "label", {None: "unparsable"}),
        "gold": with_levels(frame["gold"], LABELS[:2], "gold"),
    }
    if "gold_sdl" in frame:
        columns["gold_sdl"] = with_levels(frame["gold_sdl"], LABELS[:2], "gold_sdl")
    if "consistency_ids" in frame:
        columns["consistency_ids"] = _join_lists(frame["consistency_ids"], ";", "consistency_ids")
    columns |= _design_columns(frame, ("domain", "task", "prompt_style", "pattern", "content_type"))
    if "status" in frame:
        statuses = as_categories(frame["status"], "status")
        columns["status"] = _translate(statuses, lambda name: _ACT_STATUSES.get(name, name) or None)
    return pd.DataFrame(columns)


def selection_answers(rows: Any) -> pd.DataFrame:
    """Read answers to selection tasks from any table; the first four columns are required.

    All columns are categorical:

    - ``label``: one of :data:`CARD_LABELS`, unparsable if it is missing;
    - ``gold``: the set of cards that must be turned over, one of :data:`CARD_SETS`;
    - ``card_roles``: p, notp, q and notq in the order of the cards, joined by commas;
    - ``polarity``: form of the rule, one of :data:`POLARITIES`;
    - ``cluster_id``: the rule;
    - ``domain``, ``content_type``, ``prompt_style``: the other factors of the design.

    Raises:
        AnswerTableError: if a required column is missing or a value is invalid.
    """
    frame = read_frame(rows, SELECTION_TUPLE[:4], SELECTION_TUPLE)
    columns = {
        "label": _read_card_sets(frame["label"], CARD_LABELS, "label", {None: "unparsable"}),
        "gold": _read_card_sets(frame["gold"], CARD_SETS[1:], "gold").set_categories([*CARD_SETS]),
        "card_roles": _read_card_roles(frame["card_roles"]),
        "polarity": with_levels(frame["polarity"], sorted(POLARITIES), "polarity"),
        **_design_columns(frame, ("domain", "content_type", "prompt_style")),
    }
    return pd.DataFrame(columns)


def _design_columns(frame: pd.DataFrame, design: Sequence[str]) -> dict[str, pd.Categorical]:
    """Return the design columns that the frame has, and the clusters."""
    columns = {name: as_categories(frame[name], name) for name in design if name in frame}
    if "cluster_id" in frame:
        columns["cluster_id"] = identifiers(frame["cluster_id"], "cluster_id")
    return columns


def sort_cards(cards: Any) -> str:
    """Return a set of cards with its letters sorted, as in "A,D"."""
    return ",".join(sorted(str(cards).split(",")))


def _translate(column: pd.Categorical, translate: Callable[[Any], Level]) -> pd.Categorical:
    """Rename the categories of a column; categories may be merged."""
    return as_categories(map(translate, column.categories)).take(column.codes, allow_fill=True)


def _join_lists(values: Iterable[Any], separator: str, name: str) -> pd.Categorical:
    """Join the lists of a column into strings; strings stay as they are."""
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        return as_categories(values, name)
    lists = ([value] if isinstance(value, str) else value for value in values)
    return as_categories([separator.join(items) if is_list_like(items) else "" for items in lists], name)


def _read_card_sets(
    values: Iterable[Any], levels: Sequence[str], name: str, meanings: Mapping[Any, str] | None = None
) -> pd.Categorical:
    """Read a column of sets of letters in any order."""
    sorted_sets = _translate(as_categories(values, name), sort_cards)
    return with_levels(sorted_sets, levels, name, meanings)


def _read_card_roles(values: Iterable[Any]) -> pd.Categorical:
    column = _join_lists(values, ",", "card_roles")
    is_valid = [sorted(str(roles).split(",")) == [*_ROLE_NAMES] for roles in column.categories]
    is_wrong = ~np.array([*is_valid, False])[column.codes]
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        raise AnswerTableError(
            f"column 'card_roles', row {row}: found {brief(column[row])}, "
            "expected p, notp, q and notq in any order"
        )
    return column


def non_answers(answers: pd.DataFrame) -> Indices:
    """Return the index of each answer into NON_ANSWER_LABELS, -1 for a verdict, shape ``(n,)``."""
    verdicts = len(answers["gold"].cat.categories)
    return np.maximum(codes_of(answers["label"]) - verdicts, -1)


def is_correct(answers: pd.DataFrame) -> Booleans:
    """Return whether each label is the gold label, shape ``(n,)``."""
    correct: Booleans = codes_of(answers["label"]) == codes_of(answers["gold"])
    return correct


def select(answers: pd.DataFrame, **levels: Level) -> pd.DataFrame:
    """Return the answers in one cell of the design."""
    mask = np.ones(len(answers), np.bool_)
    for name, level in levels.items():
        mask &= (answers[name] == level).to_numpy()
    return answers[mask]


# Answers by respondent.


@dataclass(frozen=True, eq=False)
class NormativeAnswers:
    """Answers of one respondent.

    Attributes:
        name: name of the respondent.
        method: "generated" or "log-likelihood".
        problems: answers to entailment problems (:func:`entailment_answers`), with ``id``, ``label_mass`` and
            ``paper_label``, the label of the published parser, or ``label`` for answers without text. In a
            setting with answers to the balanced config, these alone.
        paper_problems: likewise, the answers to the paper's configs.
        selections: answers to selection tasks (:func:`selection_answers`), with ``id`` and ``label_mass``.
    """

    name: str
    method: str
    problems: pd.DataFrame
    paper_problems: pd.DataFrame
    selections: pd.DataFrame

    @cached_property
    def published_labels(self) -> pd.DataFrame:
        """Answers to the paper's configs, labelled by the published parser."""
        return self.paper_problems.assign(label=self.paper_problems["paper_label"])

    @property
    def n_unbalanced(self) -> int:
        """Number of answers in `problems` to the paper's configs."""
        return int(self.problems["id"].isin(self.paper_problems["id"]).sum())


def read_answers(answers: Mapping[str, pd.DataFrame]) -> list[NormativeAnswers]:
    """Read the answers of all respondents, sorted by name."""
    return [_read_respondent(name, answers[name]) for name in sorted(answers)]


def _read_respondent(name: str, answers: pd.DataFrame) -> NormativeAnswers:
    rows = answers.sort_values(["id", "repeat", "task"], ignore_index=True)
    rows = rows.drop(columns="task").rename(columns={"reasoning": "task"})
    is_selection = rows["task"] == SELECTION
    problems, selections = rows[~is_selection], rows[is_selection]
    if problems["gold_sdl"].isna().any():
        problems = problems.drop(columns="gold_sdl")
    frame = _add_ids(entailment_answers(problems), problems)
    paper_labels = pd.Series(
        with_levels(problems["paper_label"], LABELS, "paper_label", {None: "unparsable"})
    )
    has_text = problems["paper_label"].notna().to_numpy()
    frame = frame.assign(paper_label=paper_labels.where(has_text, frame["label"]))
    is_balanced = problems["config"].astype(str).str.endswith(BALANCED_SUFFIX).to_numpy()
    return NormativeAnswers(
        name,
        str(rows["method"].iloc[0]) if len(rows) else "generated",
        frame[is_balanced | ~_has_balanced_setting(frame, is_balanced)],
        frame[~is_balanced],
        _add_ids(selection_answers(selections), selections),
    )


def _has_balanced_setting(problems: pd.DataFrame, is_balanced: Booleans) -> Booleans:
    """Return whether there are answers to a balanced config in the setting of each row."""
    settings = cross([problems[name] for name in SETTING])[1]
    in_balanced: Booleans = np.isin(settings, settings[is_balanced])
    return in_balanced


def _add_ids(frame: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Add the ids of the prompts, the numbers of repeated answers and the label mass."""
    return frame.assign(
        **{name: answers[name].array for name in ("id", "repeat", "label_mass")},
    )
