"""Answers to problems and selection tasks: from logged samples to tables of a respondent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from polbias.aliases import Codes, Document, Floats, Json
from polbias.eval.lm_eval_glue import flat
from polbias.eval.normative.metrics import CHOICES, outcome, preferred, published_outcome
from polbias.eval.normative.schema import LABELS, Judgements
from polbias.eval.normative.summary import normative_summary, wason_summary
from polbias.eval.normative.wason import CHOICES as CARD_CHOICES
from polbias.eval.normative.wason import LETTERS, SILENT, Selections
from polbias.eval.normative.wason import outcome as selected
from polbias.eval.normative.wason import preferred as preferred_cards
from polbias.eval.report.labels import Words, words

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
class Patterns:
    """What a half of Tables 12 to 15 shows.

    Attributes:
        domain: deontic ("normative" in the paper) or epistemic.
        reasoning: logic or syllogism.
        patterns: from left to right.
    """

    domain: str
    reasoning: str
    patterns: tuple[str, ...]


PATTERN_TABLES: Mapping[str, Patterns] = {
    "table12a": Patterns("deontic", "logic", (*_VALID, "FC-Or-Elim")),
    "table12b": Patterns("deontic", "logic", (*_INVALID, "FC-Or-Intro", ROSS)),
    "table13a": Patterns("epistemic", "logic", _VALID),
    "table13b": Patterns("epistemic", "logic", _INVALID),
    "table14a": Patterns("deontic", "syllogism", _FORMS["entailment"]),
    "table14b": Patterns("deontic", "syllogism", _FORMS["non-entailment"]),
    "table15a": Patterns("epistemic", "syllogism", _FORMS["entailment"]),
    "table15b": Patterns("epistemic", "syllogism", _FORMS["non-entailment"]),
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


def said() -> Words:
    """Return the words of the instrument."""
    return words("normative")


def term(name: str) -> str:
    """Return what a domain, a style or the like is called in a row or below a bar."""
    return said().figures["figure2"].columns[name]


def setting_key(*parts: str) -> str:
    """Return the key of findings of a setting: "deontic_logic/zero", "logic/few"."""
    return "/".join(("_".join(parts[:-1]), parts[-1]))


def column_of(key: str) -> str:
    """Return the column of a setting in the tables that have one for each; "pooled" for all together."""
    return key.replace("/", "_") or "pooled"


# From the samples of the entailment tasks and of the selection task to one flat row per answer.

Said: TypeAlias = tuple[str, str | None, float | None]
"""The label that was read, what the published parser reads, and the mass of the labels."""

_KEPT = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
_DESIGN = ("domain", "prompt_style", "content_type")
_IDS = ("id", "cluster_id")
_ROLES = ["notp", "notq", "p", "q"]
_POLARITIES = ("p-q", "p-notq", "notp-q", "notp-notq")
_PROBLEM: Mapping[str, Sequence[str]] = {
    "domain": DOMAINS,
    "task": REASONING,
    "prompt_style": STYLES,
    "content_type": ("congruent", "incongruent", "nonsense"),
    "gold": CHOICES,
}
_SELECTION: Mapping[str, Sequence[str]] = {
    "domain": DOMAINS,
    "prompt_style": STYLES,
    "content_type": ("congruent", "incongruent", "arbitrary", "nonsense"),
    "polarity": _POLARITIES,
}
_outcome = lru_cache(maxsize=1 << 14)(outcome)
_published = lru_cache(maxsize=1 << 14)(published_outcome)
_selected = lru_cache(maxsize=1 << 14)(selected)


def rows(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    compared = task.endswith("_loglikelihood")
    for sample in samples:
        doc = sample["doc"]
        cards = "card_roles" in doc
        about = _of_selection(doc) if cards else _of_problem(doc)
        about |= {name: doc.get(name) for name in _KEPT} | {name: doc[name] for name in _DESIGN}
        say = _likelier if compared else _said
        for repeat, (label, published, mass) in enumerate(say(doc, sample["filtered_resps"], cards)):
            yield about | {
                "label": label,
                "outcome": label if label in SILENT else "answered",
                "repeat": repeat,
                "paper_label": published,
                "label_mass": mass,
            }


def _of_problem(doc: Document) -> Json:
    _check(doc, _PROBLEM)
    return {
        "reasoning": doc["task"],
        "pattern": str(doc["pattern"]),
        "gold_sdl": doc.get("gold_sdl") if doc.get("gold_sdl") in CHOICES else None,
        "consistency_ids": ";".join(doc.get("consistency_ids") or ()),
    }


def _of_selection(doc: Document) -> Json:
    _check(doc, _SELECTION)
    if sorted(doc["card_roles"]) != _ROLES:
        raise ValueError(
            f"card_roles: found {doc['card_roles']!r}, expected p, notp, q and notq in any order"
        )
    if not doc["gold"] or not {*doc["gold"].split(",")} <= {*LETTERS}:
        raise ValueError(f"gold: found {doc['gold']!r}, expected letters as in 'A,D'")
    roles = ",".join(doc["card_roles"])
    return {"reasoning": SELECTION, "polarity": doc["polarity"], "card_roles": roles}


def _check(doc: Document, known: Mapping[str, Sequence[str]]) -> None:
    for name in _IDS:
        if not isinstance(doc[name], str) or not doc[name]:
            raise ValueError(f"{name}: found {doc[name]!r}, expected a name")
    for name, values in known.items():
        if doc[name] not in values:
            raise ValueError(f"{name}: found {doc[name]!r}, expected one of {', '.join(values)}")


def _said(doc: Document, answers: Sequence[Any], cards: bool) -> Iterator[Said]:
    texts = flat(answers)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"filtered_resps: found {answers!r:.60}, expected answers in words")
    for text in texts:
        if cards:
            yield _selected(text, tuple(doc["cards"])), None, None
        else:
            yield _outcome(text), _published(text), None


def _likelier(doc: Document, answers: Sequence[Any], cards: bool) -> Iterator[Said]:
    count = len(CARD_CHOICES if cards else CHOICES)
    if len(answers) < count:
        raise ValueError(f"filtered_resps: found {len(answers)} log-likelihoods, expected {count}")
    likelihoods = [(float(each[0]), bool(each[1])) for each in answers[:count]]
    label, _, mass = (preferred_cards if cards else preferred)(likelihoods)
    yield label, None, mass


# The answers of each respondent, as the tables that the metrics work on.

_PROBLEM_COLUMNS = ("label", "gold", "cluster_id", "domain", "prompt_style", "pattern", "content_type")
_SELECTION_COLUMNS = ("label", "gold", "cluster_id", "domain", "prompt_style", "content_type", "polarity")
_READ = (
    *dict.fromkeys((*_PROBLEM_COLUMNS, *_SELECTION_COLUMNS)),
    *("id", "repeat", "task", "method", "reasoning", "gold_sdl", "consistency_ids"),
    *("card_roles", "paper_label", "label_mass"),
)


@dataclass(frozen=True, eq=False)
class Respondent:
    """What one respondent was asked and said.

    Attributes:
        name: of the respondent.
        method: how it answered, "generated" or "log-likelihood".
        ids: of the entailment problems, one per answer.
        problems: the answers to them.
        paper_labels: what the published parser reads of them, as codes of
            :data:`polbias.eval.normative.schema.LABELS`; those that were read where there is no text.
        mass: probability that the labels hold together in them; NaN without log-likelihoods.
        selection_ids: of the selection problems, one per answer.
        selections: the answers to them.
        selection_mass: as ``mass``.
    """

    name: str
    method: str
    ids: tuple[str, ...]
    problems: Judgements
    paper_labels: Codes
    mass: Floats
    selection_ids: tuple[str, ...]
    selections: Selections
    selection_mass: Floats

    @cached_property
    def published(self) -> Judgements:
        """The same answers as the published parser reads them."""
        return replace(self.problems, label=self.paper_labels)

    @cached_property
    def summary(self) -> Json | None:
        """The family's summary of the entailment problems; None without any."""
        return normative_summary(self.problems) if self.problems.n else None

    @cached_property
    def selection_summary(self) -> Json | None:
        """The family's summary of the selection problems; None without any."""
        return wason_summary(self.selections) if self.selections.n else None


def respondents(answers: Document) -> list[Respondent]:
    """Read the answers of all respondents, by name."""
    return [_respondent(name, answers[name]) for name in sorted(answers)]


def _respondent(name: str, table: Any) -> Respondent:
    columns = table.select([*_READ]).to_pydict()
    keys = list(zip(columns["id"], columns["repeat"], columns["task"], strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    selection = [row for row in order if columns["reasoning"][row] == SELECTION]
    problem = [row for row in order if columns["reasoning"][row] != SELECTION]
    own = _picked(columns, problem)
    read = [found or label for found, label in zip(own["paper_label"], own["label"], strict=True)]
    cards = _picked(columns, selection)
    return Respondent(
        name,
        str(columns["method"][0]) if keys else "generated",
        tuple(own["id"]),
        _judgements(own),
        np.array([LABELS.index(label) for label in read], np.int8),
        np.array(own["label_mass"], np.float64),
        tuple(cards["id"]),
        Selections.of(
            {each: cards[each] for each in _SELECTION_COLUMNS}
            | {"card_roles": [roles.split(",") for roles in cards["card_roles"]]}
        ),
        np.array(cards["label_mass"], np.float64),
    )


def _judgements(own: Mapping[str, list[Any]]) -> Judgements:
    columns = {each: own[each] for each in _PROBLEM_COLUMNS} | {"task": own["reasoning"]}
    split = {ids: tuple(ids.split(";")) if ids else () for ids in set(own["consistency_ids"])}
    columns["consistency_ids"] = [split[ids] for ids in own["consistency_ids"]]
    if all(own["gold_sdl"]):
        columns["gold_sdl"] = own["gold_sdl"]
    return Judgements.of(columns)


def _picked(columns: Mapping[str, list[Any]], rows: Sequence[int]) -> dict[str, list[Any]]:
    return {name: [values[row] for row in rows] for name, values in columns.items()}
