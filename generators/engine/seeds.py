"""Named seeds: the only source of randomness in the toolkit."""

from __future__ import annotations

import hashlib

import numpy as np


def named_rng(dataset: str, version: str, purpose: str) -> np.random.Generator:
    """Return a generator whose stream depends on nothing but its name.

    Args:
        dataset: the dataset's name, such as ``"partisan-inference"``.
        version: its version; a new version draws anew.
        purpose: what the draw is for, such as ``"holdout/en_formal"``.

    Returns:
        A numpy Generator (PCG64), the same on every machine.
    """
    name = hashlib.sha256(f"{dataset}\0{version}\0{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(name, "little"))))
