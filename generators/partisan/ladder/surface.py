"""What a reader sees of a skeleton without reasoning, and how well gold labels are guessed from it.

Persons are named by their role, so that features say nothing about sides: X and Y are the persons of the
conclusion, Z is anybody else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polbias.generators.logic.formula import Atom, Formula, Implies, Not, atoms, children, constants
from polbias.generators.partisan.ladder.premises import flip, kind_of
from polbias.generators.partisan.ladder.settings import GROUPS
from polbias.generators.partisan.ladder.skeletons import Skeleton
from polbias.optional import LazyModule

if TYPE_CHECKING:
    from sklearn import ensemble, feature_extraction, linear_model, model_selection, pipeline, preprocessing
else:
    ensemble = LazyModule("sklearn.ensemble")
    feature_extraction = LazyModule("sklearn.feature_extraction.text")
    linear_model = LazyModule("sklearn.linear_model")
    model_selection = LazyModule("sklearn.model_selection")
    pipeline = LazyModule("sklearn.pipeline")
    preprocessing = LazyModule("sklearn.preprocessing")

Matrix = NDArray[np.float64]
_TREES, _MIN_LEAF = 200, 4
_INVERSE_PENALTY = 0.05
_FOLDS, _MAX_ITERATIONS = 5, 2000
_WORDS_WEIGHT = 3  # words tell more than numbers
_MIN_TEXTS = 5  # with a pair of words, for it to count
_NOT_THERE = 99
_NUMBERED_COMPARISONS = ("= ", "≤ ", "≥ ")
_WORD = re.compile(r"[^\s(),;]+")
_PERSON = re.compile(r"(?<=[(, ])[a-w](?=[),])")


def surface_text(skeleton: Skeleton) -> str:
    """Return the premises as words, with the role of each person; premises end with a full stop."""
    role_by_person = dict(zip(_conclusion_persons(skeleton), "XY", strict=False))
    premises = " . ".join(map(str, skeleton.premises))
    return _PERSON.sub(lambda match: role_by_person.get(match[0], "Z"), premises)


def _conclusion_persons(skeleton: Skeleton) -> Sequence[str]:
    return constants(skeleton.inference.conclusion)


def surface_numbers(skeleton: Skeleton) -> list[float]:
    """Return counts and places of what the premises and the conclusion have in common, and of words."""
    premises, conclusion = skeleton.premises, skeleton.inference.conclusion
    texts = [str(premise) for premise in premises]
    text = " . ".join(texts)
    mentions: list[float] = []
    for person in (*_conclusion_persons(skeleton), "")[:2]:
        positions = [index for index, premise in enumerate(premises) if person in constants(premise)]
        n_mentions = sum(person in atom.terms for premise in premises for atom in atoms(premise))
        mentions += [
            n_mentions,
            positions[0] if positions else _NOT_THERE,
            len(premises) - positions[-1] if positions else _NOT_THERE,
        ]
    together = sum({*_conclusion_persons(skeleton)} <= {*constants(premise)} for premise in premises)
    n_same, n_opposite = (
        sum(_count_literal(premise, literal) for premise in premises)
        for literal in (conclusion, flip(conclusion))
    )
    same_end, opposite_end = (
        sum(isinstance(premise, Implies) and premise.consequent == literal for premise in premises)
        for literal in (conclusion, flip(conclusion))
    )
    kinds = Counter(map(kind_of, premises))
    return [
        *(len(premises), len(text), *mentions, together, n_same, n_opposite, same_end - opposite_end),
        *(text.count("¬"), *(text.count(sign) for sign in _NUMBERED_COMPARISONS)),
        *(text.count(group) for group in GROUPS),
        *(kinds["fact"], kinds["exclusive"], float(skeleton.positive)),
    ]


def _count_literal(formula: Formula, literal: Formula) -> int:
    """Count the occurrences of a literal; a ranking that is denied counts as the ranking turned round."""
    match formula:
        case Not(Atom() as atom):
            return int(flip(atom) == literal)
        case Atom():
            return int(formula == literal)
        case _:
            return sum(_count_literal(part, literal) for part in children(formula))


def surface_classifiers(seed: int = 0) -> Mapping[str, Any]:
    """Return two classifiers of skeletons by gold label: a forest of numbers, and a regression on words.

    Args:
        seed: seed of the forest.
    """
    forest = ensemble.RandomForestClassifier(_TREES, min_samples_leaf=_MIN_LEAF, n_jobs=1, random_state=seed)
    words = feature_extraction.CountVectorizer(
        ngram_range=(1, 2), min_df=_MIN_TEXTS, token_pattern=_WORD.pattern, lowercase=False
    )
    regression = linear_model.LogisticRegression(C=_INVERSE_PENALTY, max_iter=_MAX_ITERATIONS)
    make_pipeline, transform = pipeline.make_pipeline, preprocessing.FunctionTransformer
    return {
        "numbers": make_pipeline(transform(_number_table), forest),
        "words": make_pipeline(transform(_texts), words, regression),
    }


def surface_guesser(seed: int = 0) -> Any:
    """Return a classifier of skeletons by gold label that combines the two of `surface_classifiers`.

    Args:
        seed: seed of the forest and of the folds.
    """
    folds = model_selection.StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
    return ensemble.StackingClassifier([*surface_classifiers(seed).items()], cv=folds)


def guess_golds(learned: Sequence[Skeleton], candidates: Sequence[Skeleton]) -> Matrix:
    """Return the probabilities of the gold labels of candidates: by two classifiers.

    The first has learned from other skeletons; the second from these and, in folds, from candidates.
    """
    golds = [skeleton.gold for skeleton in learned]
    combined = surface_guesser().fit(learned, golds).predict_proba(candidates)
    by_words = np.zeros_like(combined)
    folds = model_selection.KFold(_FOLDS, shuffle=True, random_state=0)
    for train, held_out in folds.split(np.zeros(len(candidates))):
        other_skeletons = [candidates[index] for index in train]
        words = surface_classifiers()["words"].fit(
            [*learned, *other_skeletons], golds + [skeleton.gold for skeleton in other_skeletons]
        )
        by_words[held_out] = words.predict_proba([candidates[index] for index in held_out])
    return np.hstack([combined, _WORDS_WEIGHT * by_words])


def _number_table(skeletons: Sequence[Skeleton]) -> Matrix:
    return np.array([surface_numbers(skeleton) for skeleton in skeletons])


def _texts(skeletons: Sequence[Skeleton]) -> list[str]:
    return [surface_text(skeleton) for skeleton in skeletons]
