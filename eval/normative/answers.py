"""Answers to entailment problems and selection tasks: labels, flat rows of samples, checked frames."""

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
    identifiers,
    read_frame,
    with_levels,
)
from polbias.eval.answers import extract_cards, extract_entailment
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.samples import check_row, generated_texts

# The design of the instrument, and which part of it each table of the paper shows.

DOMAINS = ("deontic", "epistemic")
REASONING = ("logic", "syllogism")
STYLES = ("zero", "few", "cot")
TYPES = ("congruent", "incongruent", "nonsense")
POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")
"""The forms of a rule."""
SELECTION = "selection"
"""The reasoning of the selection task, beside :data:`REASONING`."""
ROSS = "Ross-Or-Intro"
"""The pattern that has no congruent contents (Tables 12 and 13)."""

SETTING = ("domain", "task", "prompt_style")
"""The columns of a setting."""
SETTINGS = tuple(
    (domain, reasoning, style) for reasoning, domain, style in product(REASONING, DOMAINS, STYLES)
)
"""The cells of Table 5 from left to right."""
SHARED = tuple(product(REASONING, STYLES))
"""Where domains are compared."""

_VALID = ("NotMu-MiNot", "NotMi-MuNot", "MiNot-NotMu", "Mu-Mi", "NotMi-NotMu")
_INVALID = ("NotMu-NotMi", "MiNot-MuNot", "Mi-Mu")
_FORMS = {
    name: tuple(f"{form}-{each}" for form in ("Cat", "Hyp") for each in rules)
    for name, rules in {"entailment": ("MP", "MT"), "non-entailment": ("AC", "DA")}.items()
}


@dataclass(frozen=True)
class PatternPanel:
    """What a half of Tables 12 to 15 shows.

    Attributes:
        domain: deontic ("normative" in the paper) or epistemic.
        reasoning: logic or syllogism.
        patterns: from left to right.
    """

    domain: str
    reasoning: str
    patterns: tuple[str, ...]


PATTERN_TABLES: Mapping[str, PatternPanel] = {
    "table12a": PatternPanel("deontic", "logic", (*_VALID, "FC-Or-Elim")),
    "table12b": PatternPanel("deontic", "logic", (*_INVALID, "FC-Or-Intro", ROSS)),
    "table13a": PatternPanel("epistemic", "logic", _VALID),
    "table13b": PatternPanel("epistemic", "logic", _INVALID),
    "table14a": PatternPanel("deontic", "syllogism", _FORMS["entailment"]),
    "table14b": PatternPanel("deontic", "syllogism", _FORMS["non-entailment"]),
    "table15a": PatternPanel("epistemic", "syllogism", _FORMS["entailment"]),
    "table15b": PatternPanel("epistemic", "syllogism", _FORMS["non-entailment"]),
}
"""(a) patterns in which the hypothesis follows, (b) those in which it does not."""

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
    """Return the key of findings of a setting: "deontic_logic/zero", "logic/few"."""
    return "/".join(("_".join(parts[:-1]), parts[-1]))


def column_of(key: str) -> str:
    """Return the column of a setting in the tables that have one for each; "pooled" for all together."""
    return key.replace("/", "_") or "pooled"


# Labels. In both tables the first labels are the verdicts, which are the categories of gold.

LABELS = ("non-entailment", "entailment", *NON_ANSWER_LABELS)
"""Labels of an answer to an entailment problem, by their code."""
CHOICES = ("entailment", "non-entailment")
"""The two verdicts, as a prompt offers them."""

LETTERS = "ABCD"
CARD_SETS = tuple(
    ",".join(letter for card, letter in enumerate(LETTERS) if code >> card & 1) or "none"
    for code in range(16)
)
"""Sets of cards by their code, in which the n-th bit stands for the n-th card."""
CARD_LABELS = (*CARD_SETS, *NON_ANSWER_LABELS)
"""Labels of an answer to a selection task, by their code."""
CARD_CHOICES = tuple(", ".join(pair) for pair in combinations(LETTERS, 2))
"""The six choices of two cards, as the instruction asks for them."""


@cached_reader
def extract_label(text: str) -> str:
    """Return the label of an answer to an entailment problem."""
    return extract_entailment(text).outcome


@cached_reader
def published_label(text: str) -> str:
    """Return the label that the parser published with the paper extracts.

    Source:
        The evaluation code of Ozeki et al., as :func:`polbias.eval.answers.extract_entailment` describes it.
    """
    words = text.strip().rpartition("\n")[2].split()
    first = words[0].removesuffix(".") if words else ""
    return first if first in CHOICES else "unparsable"


def extract_card_label(text: str, cards: Sequence[str]) -> str:
    """Return the label of an answer to a selection task.

    Args:
        text: of the answer.
        cards: what the cards show, from A to D.
    """
    return _card_label(text, *cards)


@cached_reader
def _card_label(text: str, *cards: str) -> str:
    return extract_cards(text, cards).outcome


def likelier_cards(results: Sequence[Any]) -> tuple[str, list[float], float]:
    """Return the likeliest two cards (unparsable in a tie), the shares of all six pairs and their mass."""
    label, shares, mass = argmax_label(CARD_CHOICES, results)
    return label.replace(" ", ""), shares, mass


# From the samples of the entailment tasks and of the selection task to one flat row per answer.

_Labels: TypeAlias = tuple[str, str | None, float | None]
"""The label, that of the published parser, and the label mass."""

_SAMPLE_COLUMNS = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_DESIGN = ("domain", "prompt_style", "content_type")
_BOTH: Mapping[str, Sequence[str]] = {"domain": DOMAINS, "prompt_style": STYLES}
_PROBLEM = {**_BOTH, "task": REASONING, "content_type": TYPES, "gold": CHOICES}
_SELECTION: Mapping[str, Sequence[str]] = {
    **_BOTH,
    "content_type": ("congruent", "incongruent", "arbitrary", "nonsense"),
    "polarity": POLARITIES,
}
_CARDS = ("notp", "notq", "p", "q")


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    labels = _likelier_labels if task.endswith("_loglikelihood") else _extracted_labels
    for sample in samples:
        doc = sample["doc"]
        has_cards = "card_roles" in doc
        row = _of_selection(doc) if has_cards else _of_problem(doc)
        row |= {name: doc.get(name) for name in _SAMPLE_COLUMNS} | {name: doc[name] for name in _DESIGN}
        answers = labels(doc, sample["filtered_resps"], has_cards)
        for repeat, (label, published, mass) in enumerate(answers):
            yield row | {
                "label": label,
                "outcome": label if label in NON_ANSWER_LABELS else "answered",
                "repeat": repeat,
                "paper_label": published,
                "label_mass": mass,
            }


def _of_problem(doc: Json) -> Json:
    check_row(doc, ("id", "cluster_id"), _PROBLEM)
    return {
        "reasoning": doc["task"],
        "pattern": str(doc["pattern"]),
        "status": doc.get("status"),
        "gold_sdl": doc.get("gold_sdl") if doc.get("gold_sdl") in CHOICES else None,
        "consistency_ids": ";".join(doc.get("consistency_ids") or ()),
    }


def _of_selection(doc: Json) -> Json:
    check_row(doc, ("id", "cluster_id"), _SELECTION)
    if sorted(doc["card_roles"]) != [*_CARDS]:
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


def _likelier_labels(doc: Document, answers: Sequence[Any], has_cards: bool) -> Iterator[_Labels]:
    label, _, mass = likelier_cards(answers) if has_cards else argmax_label(CHOICES, answers)
    yield label, None, mass


# Checked frames with a row per answer.

PROBLEM_TUPLE = ("label", "gold", "pattern", "content_type", "status", "cluster_id", "consistency_ids")
"""Columns of answers to entailment problems that are tuples."""
SELECTION_TUPLE = ("label", "gold", "card_roles", "polarity", "domain", "content_type", "cluster_id")
"""The same for selection tasks."""
SELECTION_DESIGN = ("domain", "content_type", "polarity", "prompt_style")

_ACT_STATUSES = {"known": "duty", "excluded": "prohibition", "open": "optional"}
"""Statuses of propositions, and those of acts that correspond to them."""


def entailment_answers(rows: Any) -> pd.DataFrame:
    """Read answers to entailment problems from any table; ``label`` and ``gold`` must be there.

    All columns are categorical:

    - ``label``: one of :data:`LABELS`, unparsable if it is missing;
    - ``gold``: the verdict that is right; ``gold_sdl``: the same by standard deontic logic;
    - ``cluster_id``: the content;
    - ``domain``, ``task`` (logic or syllogism), ``prompt_style``, ``pattern``, ``content_type``: the design;
    - ``status``: of the act that is inferred (duty, prohibition, optional), may be missing;
    - ``consistency_ids``: ids joined by semicolons; rows that share one should be answered alike.

    Raises:
        AnswerTableError: if a column is missing or has a value that it must not have.
    """
    frame = read_frame(rows, PROBLEM_TUPLE[:2], PROBLEM_TUPLE)
    columns = {
        "label": with_levels(frame["label"], LABELS, "label", {None: "unparsable"}),
        "gold": with_levels(frame["gold"], LABELS[:2], "gold"),
    }
    if "gold_sdl" in frame:
        columns["gold_sdl"] = with_levels(frame["gold_sdl"], LABELS[:2], "gold_sdl")
    if "consistency_ids" in frame:
        columns["consistency_ids"] = _joined(frame["consistency_ids"], ";", "consistency_ids")
    columns |= _grouping(frame, ("domain", "task", "prompt_style", "pattern", "content_type"))
    if "status" in frame:
        statuses = as_categories(frame["status"], "status")
        columns["status"] = _translate(statuses, lambda name: _ACT_STATUSES.get(name, name) or None)
    return pd.DataFrame(columns)


def selection_answers(rows: Any) -> pd.DataFrame:
    """Read answers to selection tasks from any table; the first four columns must be there.

    All columns are categorical:

    - ``label``: one of :data:`CARD_LABELS`, unparsable if it is missing;
    - ``gold``: the set of cards that must be turned over, one of :data:`CARD_SETS`;
    - ``card_roles``: p, notp, q and notq in the order of the cards, joined by commas;
    - ``polarity``: form of the rule, one of :data:`POLARITIES`;
    - ``cluster_id``: the rule;
    - ``domain``, ``content_type``, ``prompt_style``: the rest of the design.

    Raises:
        AnswerTableError: if a column is missing or has a value that it must not have.
    """
    frame = read_frame(rows, SELECTION_TUPLE[:4], SELECTION_TUPLE)
    columns = {
        "label": _card_sets(frame["label"], CARD_LABELS, "label", {None: "unparsable"}),
        "gold": _card_sets(frame["gold"], CARD_SETS[1:], "gold").set_categories([*CARD_SETS]),
        "card_roles": _card_roles(frame["card_roles"]),
        "polarity": with_levels(frame["polarity"], sorted(POLARITIES), "polarity"),
        **_grouping(frame, ("domain", "content_type", "prompt_style")),
    }
    return pd.DataFrame(columns)


def _grouping(frame: pd.DataFrame, design: Sequence[str]) -> dict[str, pd.Categorical]:
    """Those columns of the design that a frame has, and the clusters."""
    columns = {name: as_categories(frame[name], name) for name in design if name in frame}
    if "cluster_id" in frame:
        columns["cluster_id"] = identifiers(frame["cluster_id"], "cluster_id")
    return columns


def in_order(cards: Any) -> str:
    """Return a set of cards with its letters in order, as in "A,D"."""
    return ",".join(sorted(str(cards).split(",")))


def _translate(column: pd.Categorical, translate: Callable[[Any], Level]) -> pd.Categorical:
    """A categorical column with other names for its categories, which may fall together."""
    return as_categories(map(translate, column.categories)).take(column.codes, allow_fill=True)


def _joined(values: Iterable[Any], separator: str, name: str) -> pd.Categorical:
    """A column of lists as texts; it may have the texts already."""
    if isinstance(getattr(values, "dtype", None), pd.CategoricalDtype):
        return as_categories(values, name)
    lists = ([each] if isinstance(each, str) else each for each in values)
    return as_categories([separator.join(each) if is_list_like(each) else "" for each in lists], name)


def _card_sets(
    values: Iterable[Any], levels: Sequence[str], name: str, meanings: Mapping[Any, str] | None = None
) -> pd.Categorical:
    """A column of sets of letters, whatever their order."""
    ordered = _translate(as_categories(values, name), in_order)
    return with_levels(ordered, levels, name, meanings)


def _card_roles(values: Iterable[Any]) -> pd.Categorical:
    column = _joined(values, ",", "card_roles")
    is_valid = [sorted(str(roles).split(",")) == [*_CARDS] for roles in column.categories]
    wrong = ~np.array([*is_valid, False])[column.codes]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise AnswerTableError(
            f"column 'card_roles', row {row}: found {brief(column[row])}, "
            "expected p, notp, q and notq in any order"
        )
    return column


def non_answers(answers: pd.DataFrame) -> Indices:
    """Index into SILENT of each answer, -1 for a verdict, shape ``(n,)``."""
    verdicts = len(answers["gold"].cat.categories)
    return np.maximum(codes_of(answers["label"]) - verdicts, -1)


def is_correct(answers: pd.DataFrame) -> Booleans:
    """True where the label is the gold label, shape ``(n,)``."""
    correct: Booleans = codes_of(answers["label"]) == codes_of(answers["gold"])
    return correct


def select(answers: pd.DataFrame, **levels: Level) -> pd.DataFrame:
    """Select the answers in one cell of the design."""
    mask = np.ones(len(answers), np.bool_)
    for name, level in levels.items():
        mask &= (answers[name] == level).to_numpy()
    return answers[mask]


# The answers of each respondent.


@dataclass(frozen=True, eq=False)
class NormativeAnswers:
    """The answers of one respondent.

    Attributes:
        name: of the respondent.
        method: how it answered, "generated" or "log-likelihood".
        problems: answers to entailment problems (:func:`entailment_answers`), with ``id``, ``label_mass`` and
            ``paper_label``, the label of the published parser, or the label where there is no text.
        selections: answers to selection tasks (:func:`selection_answers`), with ``id`` and ``label_mass``.
    """

    name: str
    method: str
    problems: pd.DataFrame
    selections: pd.DataFrame

    @cached_property
    def published_labels(self) -> pd.DataFrame:
        """The answers to entailment problems with the labels of the published parser."""
        return self.problems.assign(label=self.problems["paper_label"])


def read_answers(answers: Mapping[str, pd.DataFrame]) -> list[NormativeAnswers]:
    """Read the answers of all respondents, by name."""
    return [_respondent(name, answers[name]) for name in sorted(answers)]


def _respondent(name: str, answers: pd.DataFrame) -> NormativeAnswers:
    ordered = answers.sort_values(["id", "repeat", "task"], ignore_index=True)
    ordered = ordered.drop(columns="task").rename(columns={"reasoning": "task"})
    is_selection = ordered["task"] == SELECTION
    problems, selections = ordered[~is_selection], ordered[is_selection]
    if problems["gold_sdl"].isna().any():
        problems = problems.drop(columns="gold_sdl")
    checked = _identify(entailment_answers(problems), problems)
    published = pd.Series(with_levels(problems["paper_label"], LABELS, "paper_label", {None: "unparsable"}))
    has_text = problems["paper_label"].notna().to_numpy()
    return NormativeAnswers(
        name,
        str(ordered["method"].iloc[0]) if len(ordered) else "generated",
        checked.assign(paper_label=published.where(has_text, checked["label"])),
        _identify(selection_answers(selections), selections),
    )


def _identify(checked: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Add the ids of the prompts and the label mass."""
    return checked.assign(id=answers["id"].array, label_mass=answers["label_mass"].array)
