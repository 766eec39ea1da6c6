"""Guess labels of held-out groups by logistic regression, with the range of AUC by chance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy.special import expit, gammaln
from scipy.stats import norm, rankdata

Matrix = np.ndarray[Any, Any]

N_PERMUTATIONS = 199
CHANCE = 0.5  # AUC without information
_N_FOLDS = 5
_RANGE = (0.025, 0.975)
_PENALTY = 1.0  # as C = 1 of scikit-learn
_MIN_P = 1e-6  # the normal curve is not trusted further
_MIN_SINGULAR_VALUE = 1e-4  # as a share of the largest one
_MAX_STEPS, _TOLERANCE = 60, 1e-3
_DECIMALS = 4  # of scores: equal texts must have equal scores


@dataclass(frozen=True)
class Guess:
    """How well labels of held-out groups are guessed.

    Attributes:
        auc: area under the ROC curve within folds; of several labels the mean of each against the others.
        low: lower end of the range of 95% of the permutations of the labels; NaN without permutations.
        high: upper end of this range.
        accuracy: share of labels that are guessed.
        majority: share of the most frequent label.
        p: probability of this AUC, or a higher one, without information; 1 if the labels cannot be permuted.
        items: number of items.
        groups: number of groups.
        min_p: the lowest p value that the number of arrangements of the labels allows.
    """

    auc: float
    low: float
    high: float
    accuracy: float
    majority: float
    p: float
    items: int
    groups: int
    min_p: float


def guess_labels(
    features: Matrix,
    labels: Matrix,
    groups: Matrix,
    blocks: Matrix,
    n_permutations: int = N_PERMUTATIONS,
    skip_at_chance: bool = False,
    seed: int = 0,
) -> Guess:
    """Guess labels from features, and the same with permuted labels.

    A group is in one fold. Groups with one label exchange their labels with each other; in the other groups
    the blocks do. Items of a group that share a block and a label are one block.

    Args:
        features: items x features.
        labels: codes from 0.
        groups: codes from 0.
        blocks: codes from 0, within groups.
        n_permutations: number of permutations.
        skip_at_chance: whether labels are not permuted if the AUC is at most .5; p is then 1.
        seed: of folds and permutations.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # small products: threads cost more than they save, and change the last digit
        return _guess(features, labels, groups, blocks, n_permutations, skip_at_chance, seed)


def _guess(
    features: Matrix,
    labels: Matrix,
    groups: Matrix,
    blocks: Matrix,
    n_permutations: int,
    skip_at_chance: bool,
    seed: int,
) -> Guess:
    rng = np.random.default_rng(seed)
    folds = _assign_folds(groups, rng)
    label_blocks = _LabelBlocks.of(labels, groups, blocks)
    coordinates = _reduce(features.astype(np.float32))
    shares = np.bincount(labels) / len(labels)
    aucs, scores = _cross_validate(coordinates, labels[:, None], folds, shares)
    auc = float(aucs[0])
    guesses = scores[0] > 0 if len(shares) == 2 else scores.argmax(axis=0)
    low = high = math.nan
    p = 1.0
    if auc > CHANCE or not skip_at_chance:
        label_sets = np.stack([label_blocks.permute(rng) for _ in range(n_permutations)], axis=1)
        permuted, _ = _cross_validate(coordinates, label_sets, folds, shares)
        low, high = np.quantile(permuted, _RANGE).tolist()
        p = _p_value(auc, permuted, label_blocks.min_p)
    return Guess(
        auc=auc,
        low=low,
        high=high,
        accuracy=float(np.mean(guesses == labels)),
        majority=float(shares.max()),
        p=p,
        items=len(labels),
        groups=int(groups.max()) + 1,
        min_p=label_blocks.min_p,
    )


def _p_value(observed: float, permuted: Matrix, min_p: float) -> float:
    """Return the one-sided p value; beyond all permutations from the normal curve through them."""
    p = (1 + int((permuted >= observed - 1e-9).sum())) / (1 + len(permuted))
    deviation = float(permuted.std())
    if p * (1 + len(permuted)) < 2 and deviation > 0:
        p = min(p, float(norm.sf((observed - permuted.mean()) / deviation)))
    return min(1.0, max(p, min_p))


def _assign_folds(groups: Matrix, rng: np.random.Generator) -> Matrix:
    """Return the fold of each item; large groups are assigned first, each to the smallest fold."""
    sizes = np.bincount(groups)
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_sizes = np.zeros(min(_N_FOLDS, len(sizes)), np.intp)
    fold_by_group = np.zeros(len(sizes), np.intp)
    for group in order:
        fold_by_group[group] = fold_sizes.argmin()
        fold_sizes[fold_by_group[group]] += sizes[group]
    return fold_by_group[groups]


# Permutations of the labels.


@dataclass(frozen=True)
class _LabelBlocks:
    """Blocks of items with one label, in sets whose blocks may exchange their labels.

    Attributes:
        block_of_item: block of each item.
        labels: label of each block.
        sets: blocks that exchange labels.
        min_p: the share of one arrangement of the labels and of its mirror.
    """

    block_of_item: Matrix
    labels: Matrix
    sets: Sequence[Matrix]
    min_p: float

    @classmethod
    def of(cls, labels: Matrix, groups: Matrix, blocks: Matrix) -> _LabelBlocks:
        keys = np.stack([groups, blocks, labels], axis=1)
        unique_keys, block_of_item = np.unique(keys, axis=0, return_inverse=True)
        block_of_item = block_of_item.ravel()
        blocks_by_group: dict[int, list[int]] = defaultdict(list)
        for block, (group, _, _) in enumerate(unique_keys.tolist()):
            blocks_by_group[group].append(block)
        block_labels = unique_keys[:, 2]
        # A group with one label becomes one block, which exchanges its label with other such groups.
        merged = np.arange(len(unique_keys))
        uniform, sets = [], []
        for members in map(np.array, blocks_by_group.values()):
            if len({*block_labels[members].tolist()}) == 1:
                merged[members] = members[0]
                uniform.append(int(members[0]))
            else:
                sets.append(members)
        if uniform:
            sets.append(np.array(uniform))
        counts = [np.bincount(block_labels[members]) for members in sets]
        log_arrangements = sum(float(gammaln(n.sum() + 1) - gammaln(n + 1).sum()) for n in counts)
        return cls(
            merged[block_of_item], block_labels, sets, min(1.0, max(_MIN_P, 2 * math.exp(-log_arrangements)))
        )

    def permute(self, rng: np.random.Generator) -> Matrix:
        """Return the labels of the items after an exchange within each set."""
        permuted = self.labels.copy()
        for members in self.sets:
            permuted[members] = self.labels[rng.permutation(members)]
        return permuted[self.block_of_item]


# Logistic regression of many label sets at once.


def _reduce(features: Matrix) -> Matrix:
    """Return features with the same products between items, and with as few columns as possible."""
    try:
        left, singular_values, _ = np.linalg.svd(features, full_matrices=False)
    except np.linalg.LinAlgError:  # the fast driver fails on some matrices, the slow one does not
        left, singular_values, _ = scipy.linalg.svd(features, full_matrices=False, lapack_driver="gesvd")
    is_needed = singular_values > _MIN_SINGULAR_VALUE * singular_values.max(initial=0.0)
    reduced: Matrix = (left * singular_values)[:, is_needed].astype(np.float32)
    return reduced


def _cross_validate(
    features: Matrix, label_sets: Matrix, folds: Matrix, shares: Matrix
) -> tuple[Matrix, Matrix]:
    """Return the AUC of each label set, and by label the held-out scores of the first set.

    Of more than two labels, each is guessed against the others, and the mean AUC weighs them by their shares.
    """
    targets = [1] if len(shares) == 2 else range(len(shares))
    results = [_cross_validate_target(features, label_sets == target, folds) for target in targets]
    weights = [1.0] if len(shares) == 2 else shares
    auc: Matrix = np.average([auc for auc, _ in results], axis=0, weights=weights)
    return auc, np.stack([scores for _, scores in results])


def _cross_validate_target(features: Matrix, is_target: Matrix, folds: Matrix) -> tuple[Matrix, Matrix]:
    """Return the AUC of each label set, and the held-out scores of the first one."""
    wins, comparisons = np.zeros(is_target.shape[1]), np.zeros(is_target.shape[1])
    scores = np.zeros(len(features))
    for is_test, is_train in _splits(folds):
        fold_scores = fit_logistic(features[is_train], is_target[is_train], features[is_test])
        scores[is_test] = fold_scores[:, 0]
        held_out = is_target[is_test]
        n_hits = held_out.sum(axis=0)
        ranks = rankdata(fold_scores.round(_DECIMALS), axis=0)
        wins += (ranks * held_out).sum(axis=0) - n_hits * (n_hits + 1) / 2
        comparisons += n_hits * (len(held_out) - n_hits)
    auc = np.divide(wins, comparisons, out=np.full_like(wins, CHANCE), where=comparisons > 0)
    return auc, scores


def _splits(folds: Matrix) -> Iterator[tuple[Matrix, Matrix]]:
    for fold in range(int(folds.max()) + 1):
        yield folds == fold, folds != fold


def fit_logistic(train: Matrix, is_target: Matrix, test: Matrix) -> Matrix:
    """Return the log-odds of test items for each label set, by logistic regression with an L2 penalty.

    Every step minimises an upper bound of the loss, whose curvature is the same for all label sets.

    Source:
        Böhning and Lindsay, "Monotonicity of quadratic-approximation algorithms" (1988).
    """
    mean = train.mean(axis=0)
    centred = train - mean
    curvature = centred.T.astype(np.float64) @ centred / 4 + _PENALTY * np.eye(train.shape[1])
    inverse = np.linalg.inv(curvature).astype(np.float32)
    targets = is_target.astype(np.float32)
    shares = targets.mean(axis=0).clip(1e-3, 1 - 1e-3)
    intercepts = np.log(shares / (1 - shares))
    weights = np.zeros((train.shape[1], targets.shape[1]), np.float32)
    previous, momentum = weights, 1.0
    for _ in range(_MAX_STEPS):
        residuals = targets - expit(centred @ weights + intercepts)
        intercepts = intercepts + 4 * residuals.mean(axis=0)
        updated = weights + inverse @ (centred.T @ residuals - _PENALTY * weights)
        next_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        step = float(np.abs(updated - previous).max(initial=0.0))
        weights = updated + (momentum - 1) / next_momentum * (updated - previous)
        previous, momentum = updated, next_momentum
        if step < _TOLERANCE:
            break
    result: Matrix = (test - mean) @ previous + intercepts
    return result
