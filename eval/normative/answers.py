"""Answers to problems and selection tasks: from logged samples to tables of a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias, TypeVar

import numpy as np

from polbias.aliases import Codes, Document, Json
from polbias.eval.answer_table import SILENT
from polbias.eval.label_likelihoods import likelier
from polbias.eval.normative.metrics import CHOICES, extract_label, published_outcome
from polbias.eval.normative.schema import LABELS, LETTERS, EntailmentAnswers, SelectionAnswers
from polbias.eval.normative.wason import extract_label as selected
from polbias.eval.normative.wason import preferred as preferred_cards
from polbias.eval.samples import check, generated_texts

# The design of the instrument, and which part of it each table of the paper shows.

DOMAINS = ("deontic", "epistemic")
REASONING = ("logic", "syllogism")
STYLES = ("zero", "few", "cot")
TYPES = ("congruent", "incongruent", "nonsense")
SELECTION = "selection"
"""The reasoning of the selection task, beside :data:`REASONING`."""
ROSS = "Ross-Or-Intro"
"""The pattern that has no congruent contents (Tables 12 and 13)."""

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


# From the samples of the entailment tasks and of the selection task to one flat row per answer.

_Table = TypeVar("_Table", EntailmentAnswers, SelectionAnswers)
Said: TypeAlias = tuple[str, str | None, float | None]
"""The label that was read, what the published parser reads, and the mass of the labels."""

_KEPT = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_DESIGN = ("domain", "prompt_style", "content_type")
_BOTH: Mapping[str, Sequence[str]] = {"domain": DOMAINS, "prompt_style": STYLES}
_PROBLEM = {**_BOTH, "task": REASONING, "content_type": TYPES, "gold": CHOICES}
_SELECTION: Mapping[str, Sequence[str]] = {
    **_BOTH,
    "content_type": ("congruent", "incongruent", "arbitrary", "nonsense"),
    "polarity": ("p-q", "p-notq", "notp-q", "notp-notq"),
}


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    say = _likelier if task.endswith("_loglikelihood") else _said
    for sample in samples:
        doc = sample["doc"]
        cards = "card_roles" in doc
        about = _of_selection(doc) if cards else _of_problem(doc)
        about |= {name: doc.get(name) for name in _KEPT} | {name: doc[name] for name in _DESIGN}
        for repeat, (label, published, mass) in enumerate(say(doc, sample["filtered_resps"], cards)):
            yield about | {
                "label": label,
                "outcome": label if label in SILENT else "answered",
                "repeat": repeat,
                "paper_label": published,
                "label_mass": mass,
            }


def _of_problem(doc: Json) -> Json:
    check(doc, ("id", "cluster_id"), _PROBLEM)
    return {
        "reasoning": doc["task"],
        "pattern": str(doc["pattern"]),
        "status": doc.get("status"),
        "gold_sdl": doc.get("gold_sdl") if doc.get("gold_sdl") in CHOICES else None,
        "consistency_ids": ";".join(doc.get("consistency_ids") or ()),
    }


def _of_selection(doc: Json) -> Json:
    check(doc, ("id", "cluster_id"), _SELECTION)
    if sorted(doc["card_roles"]) != ["notp", "notq", "p", "q"]:
        raise ValueError(
            f"card_roles: found {doc['card_roles']!r}, expected p, notp, q and notq in any order"
        )
    if not doc["gold"] or not {*doc["gold"].split(",")} <= {*LETTERS}:
        raise ValueError(f"gold: found {doc['gold']!r}, expected letters as in 'A,D'")
    roles = ",".join(doc["card_roles"])
    return {"reasoning": SELECTION, "polarity": doc["polarity"], "card_roles": roles}


def _said(doc: Document, answers: Sequence[Any], cards: bool) -> Iterator[Said]:
    for text in generated_texts(answers):
        if cards:
            yield selected(text, doc["cards"]), None, None
        else:
            yield extract_label(text), published_outcome(text), None


def _likelier(doc: Document, answers: Sequence[Any], cards: bool) -> Iterator[Said]:
    label, _, mass = preferred_cards(answers) if cards else likelier(CHOICES, answers)
    yield label, None, mass


# The answers of each respondent, as the tables that the metrics work on.

_BOTH_COLUMNS = ("label", "gold", "cluster_id", "domain", "prompt_style", "content_type")
_READ = (
    *_BOTH_COLUMNS,
    *("pattern", "polarity", "id", "repeat", "task", "method", "reasoning", "gold_sdl", "consistency_ids"),
    *("card_roles", "paper_label", "label_mass", "status"),
)


@dataclass(frozen=True, eq=False)
class NormativeAnswers:
    """What one respondent was asked and said.

    Attributes:
        name: of the respondent.
        method: how it answered, "generated" or "log-likelihood".
        problems: its answers to entailment problems.
        paper_labels: what the published parser reads of them, as codes of
            :data:`polbias.eval.normative.schema.LABELS`; those that were read where there is no text.
        selections: its answers to selection problems.
    """

    name: str
    method: str
    problems: EntailmentAnswers
    paper_labels: Codes
    selections: SelectionAnswers

    @cached_property
    def published(self) -> EntailmentAnswers:
        """The same answers as the published parser reads them."""
        return replace(self.problems, label=self.paper_labels)


def read_answers(answers: Document) -> list[NormativeAnswers]:
    """Read the answers of all respondents, by name."""
    return [_respondent(name, answers[name]) for name in sorted(answers)]


def _respondent(name: str, table: Any) -> NormativeAnswers:
    from polbias.eval.report.file_answers import as_arrow

    columns = as_arrow(table).select([*_READ]).to_pydict()
    keys = list(zip(columns["id"], columns["repeat"], columns["task"], strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    own, cards = (
        {
            column: [values[row] for row in order if (columns["reasoning"][row] == SELECTION) == selection]
            for column, values in columns.items()
        }
        for selection in (False, True)
    )
    problems = {each: own[each] for each in (*_BOTH_COLUMNS, "pattern", "status")} | {
        "task": own["reasoning"]
    }
    split = {ids: tuple(ids.split(";")) if ids else () for ids in set(own["consistency_ids"])}
    problems["consistency_ids"] = [split[ids] for ids in own["consistency_ids"]]
    if all(own["gold_sdl"]):
        problems["gold_sdl"] = own["gold_sdl"]
    chosen = {each: cards[each] for each in (*_BOTH_COLUMNS, "polarity")}
    chosen["card_roles"] = [roles.split(",") for roles in cards["card_roles"]]
    labels = [found or label for found, label in zip(own["paper_label"], own["label"], strict=True)]
    return NormativeAnswers(
        name,
        str(columns["method"][0]) if keys else "generated",
        _identified(EntailmentAnswers.of(problems), own),
        np.array([LABELS.index(label) for label in labels], np.int8),
        _identified(SelectionAnswers.of(chosen), cards),
    )


def _identified(table: _Table, own: Mapping[str, list[Any]]) -> _Table:
    return replace(table, ids=tuple(own["id"]), mass=np.array(own["label_mass"], np.float64))
