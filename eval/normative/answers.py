"""From the samples of the entailment tasks and of the selection task to one flat row per answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from polbias.aliases import Document, Json
from polbias.eval.lm_eval_glue import flat
from polbias.eval.normative.metrics import CHOICES, outcome, preferred, published_outcome
from polbias.eval.normative.wason import LETTERS, SILENT
from polbias.eval.report.instruments.normative.layout import DOMAINS, REASONING, SELECTION, STYLES
from polbias.eval.wason_tasks import CHOICES as CARD_CHOICES
from polbias.eval.wason_tasks import outcome as selected
from polbias.eval.wason_tasks import preferred as preferred_cards

Said: TypeAlias = tuple[str, str | None, float | None]
"""The label that was read, what the published parser reads, and the mass of the labels."""

_KEPT = ("id", "dataset", "config", "dataset_version", "language", "pair_id", "cluster_id", "gold")
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
    """Yield one flat row per answer, of the samples of one file.

    Args:
        samples: lines of ``samples_<task>_*.jsonl``.
        task: name of the task; log-likelihood tasks end in ``_loglikelihood``.

    Raises:
        KeyError, TypeError, ValueError: if a sample lacks what is needed.
    """
    compared = task.endswith("_loglikelihood")
    for sample in samples:
        doc = sample["doc"]
        cards = "card_roles" in doc
        about = _of_selection(doc) if cards else _of_problem(doc)
        say = _cards_said if cards else _said
        for repeat, (label, published, mass) in enumerate(say(doc, sample["filtered_resps"], compared)):
            yield about | {
                "label": label,
                "outcome": label if label in SILENT else "answered",
                "repeat": repeat,
                "paper_label": published,
                "label_mass": mass,
            }


def _of_problem(doc: Document) -> Json:
    _check(doc, _PROBLEM)
    return {name: doc.get(name) for name in _KEPT} | {
        "domain": doc["domain"],
        "reasoning": doc["task"],
        "prompt_style": doc["prompt_style"],
        "pattern": str(doc["pattern"]),
        "content_type": doc["content_type"],
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
    return {name: doc.get(name) for name in _KEPT} | {
        "domain": doc["domain"],
        "reasoning": SELECTION,
        "prompt_style": doc["prompt_style"],
        "content_type": doc["content_type"],
        "polarity": doc["polarity"],
        "card_roles": ",".join(doc["card_roles"]),
    }


def _check(doc: Document, known: Mapping[str, Sequence[str]]) -> None:
    for name in _IDS:
        if not isinstance(doc[name], str) or not doc[name]:
            raise ValueError(f"{name}: found {doc[name]!r}, expected a name")
    for name, values in known.items():
        if doc[name] not in values:
            raise ValueError(f"{name}: found {doc[name]!r}, expected one of {', '.join(values)}")


def _said(doc: Document, answers: Sequence[Any], compared: bool) -> Iterator[Said]:
    if compared:
        label, _, mass = preferred(_likelihoods(answers, len(CHOICES)))
        yield label, None, mass
        return
    for text in _texts(answers):
        yield _outcome(text), _published(text), None


def _cards_said(doc: Document, answers: Sequence[Any], compared: bool) -> Iterator[Said]:
    if compared:
        label, _, mass = preferred_cards(_likelihoods(answers, len(CARD_CHOICES)))
        yield label, None, mass
        return
    shown = tuple(doc["cards"])
    for text in _texts(answers):
        yield _selected(text, shown), None, None


def _likelihoods(answers: Sequence[Any], count: int) -> list[tuple[float, bool]]:
    if len(answers) < count:
        raise ValueError(f"filtered_resps: found {len(answers)} log-likelihoods, expected {count}")
    return [(float(each[0]), bool(each[1])) for each in answers[:count]]


def _texts(answers: Sequence[Any]) -> list[str]:
    texts = flat(answers)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"filtered_resps: found {answers!r:.60}, expected answers in words")
    return texts
