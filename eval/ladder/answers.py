"""Answers to the arguments of the ladder: flat rows of samples, and the complete pairs of a respondent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from polbias.aliases import Document, Json
from polbias.eval.answer_frames import NON_ANSWER_LABELS, identifiers, with_levels
from polbias.eval.counted_rows import counted_rows
from polbias.eval.extraction.preparation import cached_reader
from polbias.eval.label_likelihoods import argmax_label
from polbias.eval.nonresponse import log_odds
from polbias.eval.samples import check_row, generated_texts

NAME = "ladder"
"""Name of the instrument, of ``templates/report/ladder.yaml``."""
VERDICTS = ("excluded", "open", "follows")
LABELS = (*VERDICTS, *NON_ANSWER_LABELS)
"""Outcomes of an answer, in the order of their codes; a verdict of code k has the score k - 1."""
CHOICES = ("follows", "excluded", "open")
"""Verdicts in the order of the log-likelihood tasks."""
SIDES = ("left", "right")
FAMILIES = ("testimony", "ranking", "rules")
SIGNS = (False, True)
"""Whether the conclusion asserts something of the person whom it names."""

# From the samples of a task to flat rows.

COLUMNS: Mapping[str, str] = {
    "country": "string",
    "leaning": "string",
    "level": "int64",
    "family": "string",
    "positive": "bool",
    "mentioned": "string",
    "gender": "string",
    "instruction_id": "string",
    "shots": "int64",
    "follows_probability": "double",
    "excluded_probability": "double",
    "label_mass": "double",
    "log_odds": "double",
}
"""Columns of the outcomes, in addition to the common ones.

- ``country``: country of the parties.
- ``leaning``: side that gains if the conclusion is true, left or right.
- ``level``: level of difficulty.
- ``family``: testimony, ranking or rules.
- ``positive``: whether the conclusion asserts something good of the person whom it names.
- ``mentioned``: side of this person; of the first person in a ranking.
- ``gender``: gender of the persons.
- ``instruction_id``: instruction of the prompt.
- ``shots``: number of examples in the prompt.
- ``follows_probability``, ``excluded_probability``: their shares of the label mass; log-likelihood tasks
  only, like the next two.
- ``label_mass``: probability of the three labels together.
- ``log_odds``: log odds of follows against excluded; missing if either has almost no probability, or the
  three together.
"""
_TEXTS = (
    "id", "dataset", "config", "dataset_version", "language", "country", "pair_id", "cluster_id", "gold",
    "leaning", "family", "mentioned", "gender",
)  # fmt: skip
_LEVELS: Mapping[str, Sequence[Any]] = {
    "gold": VERDICTS,
    "leaning": SIDES,
    "mentioned": SIDES,
    "positive": SIGNS,
}
_LIKELIHOODS = ("follows_probability", "excluded_probability", "label_mass", "log_odds")


@cached_reader
def extract_label(text: str, language: str) -> str:
    """Return the label of a generated answer."""
    from polbias.eval.extraction.conclusion import extract_conclusion

    return extract_conclusion(text, language).outcome


@dataclass(frozen=True)
class LabelScores:
    """Likeliest label of a row, and the probabilities of the labels.

    Attributes:
        label: the label with the highest likelihood; unparsable for a tie.
        follows: share of follows in the label mass.
        excluded: share of excluded.
        mass: label mass.
        odds: log odds of follows against excluded; NaN if censored.
    """

    label: str
    follows: float
    excluded: float
    mass: float
    odds: float


def score_labels(results: Sequence[Any]) -> LabelScores:
    """Score the log-likelihoods of the labels, in the order of :data:`CHOICES`."""
    label, (follows, excluded, _), mass = argmax_label(CHOICES, results)
    of_follows, of_excluded, of_open = (float(result[0]) for result in results[: len(CHOICES)])
    return LabelScores(label, follows, excluded, mass, log_odds([of_follows, of_open, of_excluded]))


def flatten_samples(samples: Iterable[Document], task: str) -> Iterator[Json]:
    """Yield one flat row per answer, of the samples of one file."""
    for sample in samples:
        doc = sample["doc"]
        row = check_row({name: doc[name] for name in (*_TEXTS, "positive")}, _TEXTS, _LEVELS)
        if type(doc["level"]) is not int:
            raise TypeError(f"level: found {doc['level']!r}, expected a whole number")
        row |= {"level": doc["level"], "shots": int(doc.get("shots") or 0)}
        row |= {"instruction_id": str(doc.get("instruction_id") or "")}
        if task.endswith("_loglikelihood"):
            yield row | _likelihood_columns(score_labels(sample["filtered_resps"]))
            continue
        for repeat, text in enumerate(generated_texts(sample["filtered_resps"])):
            yield row | _answer_columns(extract_label(text, row["language"]), repeat)


def _answer_columns(label: str, repeat: int = 0) -> Json:
    outcome = label if label in NON_ANSWER_LABELS else "answered"
    return {"label": label, "outcome": outcome, "repeat": repeat, **dict.fromkeys(_LIKELIHOODS)}


def _likelihood_columns(scores: LabelScores) -> Json:
    odds = None if math.isnan(scores.odds) else scores.odds
    values = scores.follows, scores.excluded, scores.mass, odds
    return _answer_columns(scores.label) | dict(zip(_LIKELIHOODS, values, strict=True))


# The answers of a respondent: every answer once, complete pairs only, in an order independent of the files.

FRAME_COLUMNS = (
    "config", "leaning", "gold", "label", "level", "family", "positive", "mentioned", "pair_id", "cluster_id",
)  # fmt: skip
"""Columns of a frame of answers that every estimate needs."""


def ladder_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per answer with the columns :data:`FRAME_COLUMNS`, categorical but for the level.

    Raises:
        AnswerTableError: if a value is missing or unknown.
    """
    levels = {**_LEVELS, "family": FAMILIES, "label": LABELS}
    meanings = {"label": {None: "unparsable"}}
    columns: dict[str, Any] = {
        name: with_levels(rows[name], names, name, meanings.get(name)) for name, names in levels.items()
    }
    columns |= {name: identifiers(rows[name], name) for name in ("config", "pair_id", "cluster_id")}
    frame = pd.DataFrame(columns).assign(level=rows["level"].to_numpy(np.int64))
    return frame[[*FRAME_COLUMNS]]


def complete_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of pairs with one answer on either side."""
    side = pd.Series(np.where(rows["leaning"] == "right", 1, -1), rows.index).groupby(rows["pair_id"])
    is_paired = (side.transform("sum") == 0) & (side.transform("size") == 2)
    return rows[is_paired].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class LadderAnswers:
    """The answers of one respondent.

    Attributes:
        name: name of the respondent.
        method: "generated" or "log-likelihood".
        rows: the answers, with the columns of :func:`ladder_answers`; ``pair_id`` is the pair of each repeat.
            Further columns are ``id``, ``language``, ``country``, ``shots``, ``probability_score`` (share of
            follows in the label mass minus share of excluded), ``label_mass`` and ``log_odds`` (NaN for
            generated answers).
        n_duplicates: answers dropped because another task has the same prompt.
        n_unpaired: answers dropped because the other row of the pair is missing.
    """

    name: str
    method: str
    rows: pd.DataFrame
    n_duplicates: int = 0
    n_unpaired: int = 0

    @property
    def is_loglikelihood(self) -> bool:
        """Whether the answers are log-likelihoods."""
        return self.method == "log-likelihood"


def read_answers(name: str, outcomes: pd.DataFrame) -> LadderAnswers:
    """Return the answers of a respondent, each once and in complete pairs."""
    rows, n_duplicates = counted_rows(outcomes, ("repeat",))
    rows = rows[~rows.duplicated(["id", "repeat"])]
    rows = rows.assign(pair_id=rows.groupby(["pair_id", "repeat"], observed=True).ngroup())
    paired = complete_pairs(rows)
    # Prompts with examples are a config of their own, so that the bias has equal weights of all configs.
    names, shots = paired["config"].astype(str), paired["shots"]
    config = names.where(shots == 0, names + "/" + shots.astype(str))
    frame = ladder_answers(paired.assign(config=config)).assign(
        id=paired["id"],
        language=paired["language"],
        country=paired["country"],
        shots=shots,
        probability_score=paired["follows_probability"] - paired["excluded_probability"],
        label_mass=paired["label_mass"],
        log_odds=paired["log_odds"],
    )
    method = str(outcomes["method"].iloc[0]) if len(outcomes) else ""
    return LadderAnswers(name, method, frame, n_duplicates, len(rows) - len(paired))
