"""Guesses of labels by logistic regression: the decomposition of features that the fast driver fails on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polbias.generators.auditing.guessing import guess_labels


def test_features_without_a_fast_decomposition_are_guessed_from_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    labels, groups = np.tile([0, 1], 30), np.repeat(np.arange(30), 2)
    features = rng.normal(size=(60, 8)) + labels[:, None]
    blocks = np.zeros(60, np.int64)
    expected = guess_labels(features, labels, groups, blocks, 19)

    def fail(*_: Any, **__: Any) -> None:
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", fail)
    assert guess_labels(features, labels, groups, blocks, 19).auc == pytest.approx(expected.auc)
