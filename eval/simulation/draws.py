"""Random numbers by key: the same question, respondent and seed always give the same number.

A number depends on its key only, not on earlier draws. numpy's generators give streams, so the numbers of
many rows mix the hash of each row with the hash of a name (Steele, Lea and Flood 2014, "Fast splittable
pseudorandom number generators").
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from polbias.aliases import Floats

Keys = NDArray[np.uint64]

_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_STEP = np.uint64(0x9E3779B97F4A7C15)


def key(text: str) -> int:
    """Return the hash of a text, 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def keys(texts: Iterable[str]) -> Keys:
    """Return the hashes of texts, shape ``(n,)``."""
    return np.fromiter(map(key, texts), np.uint64)


def uniforms(hashes: Keys, *name: object) -> Floats:
    """Return one uniform number in (0, 1) per hash."""
    stream = np.uint64(key("\0".join(map(str, ("polbias.simulation", *name)))))
    mixed = _mix_bits(_mix_bits(hashes ^ stream) + stream + _STEP)
    return ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def normals(hashes: Keys, *name: object) -> Floats:
    """Return one standard normal number per hash."""
    from scipy.special import ndtri

    numbers: Floats = ndtri(uniforms(hashes, *name))
    return numbers


def _mix_bits(words: Keys) -> Keys:
    """Spread the bits of 64-bit words; the arithmetic is modulo 2**64."""
    words = (words ^ (words >> _SHIFTS[0])) * _FACTORS[0]
    words = (words ^ (words >> _SHIFTS[1])) * _FACTORS[1]
    return words ^ (words >> _SHIFTS[2])
