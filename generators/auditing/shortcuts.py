"""Shortcuts of a set: clues by which its labels are guessed without the task."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from polbias.generators.auditing.guessing import N_PERMUTATIONS, Guess, Matrix, guess_labels
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, load_template

ALPHA = 0.05
MAX_ITEMS_GUESSED = 1_000
"""Different items of a config whose labels are guessed, in whole groups."""
_MAX_WORDS = 1_000  # the most frequent ones of at least two items
_MAX_LABELS = 20
_MIN_ITEMS = 20
_MIN_FOUND_GROUPS = 10  # of a column that is called like a group
_N_BINS = 10
_DESCRIPTIONS = {
    "premise": "the premise alone",
    "hypothesis": "the hypothesis alone",
    "words": "the words",
    "function words": "the function words",
    "length": "the length",
    "layout": "first word, last character and lines",
    "position": "the place in the file",
}
_SIDES = {"left", "right"}
_MASK = "_masked_"

Adjustment = Callable[[Sequence[float]], Sequence[float]]


@dataclass(frozen=True)
class GuessItem:
    """Item whose labels are guessed.

    Attributes:
        parts: role to text: a text, or a premise and a hypothesis.
        gold: gold label.
        side: political side, or another label beside the gold label.
        group: items that share it are not independent: they are held out together.
        block: items of a group that share block and label got their label together.
        masked: persons and parties, which are hidden in the parts.
        position: number in the file; None if its order says nothing.
    """

    parts: Mapping[str, str]
    gold: str | None = None
    side: str | None = None
    group: str | None = None
    block: str | None = None
    masked: Sequence[str] = ()
    position: int | None = None


@dataclass(frozen=True)
class Shortcut:
    """A label and a clue, and how well the label is guessed from the clue.

    Attributes:
        label: gold or side.
        clue: the guesser's information.
        guess: of held-out groups.
        config: config of a build; empty for other sets.
        adjusted_p: p value after the correction for all tests of the set.
    """

    label: str
    clue: str
    guess: Guess
    config: str = ""
    adjusted_p: float = 1.0

    @property
    def is_leak(self) -> bool:
        """Whether the label is guessed better than by chance; an AUC below .5 is none."""
        return self.adjusted_p < ALPHA and self.guess.auc > self.guess.high

    @property
    def is_testable(self) -> bool:
        """Whether there are enough groups for a test: with few, any AUC may be by chance."""
        return self.guess.min_p < ALPHA

    def __str__(self) -> str:
        guess = self.guess
        clue = _DESCRIPTIONS[self.clue]
        by_chance = f"by chance {guess.low:.3f} to {guess.high:.3f}"
        return (
            f"{self.label} is guessed from {clue}: AUC {guess.auc:.3f}, {by_chance}; "
            f"accuracy {guess.accuracy:.1%}, majority {guess.majority:.1%} (p = {self.adjusted_p:.2g}, Holm)"
        )


def find_shortcuts(
    items: Sequence[GuessItem],
    n_permutations: int = N_PERMUTATIONS,
    skip_at_chance: bool = False,
    are_groups_certain: bool = False,
) -> list[Shortcut]:
    """Guess every label from every clue; p values are not adjusted.

    Args:
        items: items of a set.
        n_permutations: number of permutations of the labels.
        skip_at_chance: whether labels are not permuted if the AUC is at most .5.
        are_groups_certain: whether groups are used even if there are few of them.
    """
    masked_items = [_mask_item(item) for item in items]
    tests = []
    for label in ("gold", "side"):
        labelled = _sample(_distinct(_group(_labelled_items(masked_items, label), are_groups_certain), label))
        names, codes = np.unique([_label(item, label) for item in labelled], return_inverse=True)
        if len(labelled) < _MIN_ITEMS or not 1 < len(names) <= _MAX_LABELS:
            continue
        groups = _codes([item.group for item in labelled])
        blocks = _codes([item.block for item in labelled])
        for clue, features in _clues(labelled, label):
            if features.shape[1] and not np.isclose(features.std(axis=0), 0).all():
                guess = guess_labels(features, codes, groups, blocks, n_permutations, skip_at_chance)
                tests.append(Shortcut(label, clue, guess))
    return tests


def adjust_shortcuts(tests: Sequence[Shortcut], adjust: Adjustment) -> list[Shortcut]:
    """Return the tests with adjusted p values."""
    p_values = adjust([test.guess.p for test in tests])
    return [replace(test, adjusted_p=p) for test, p in zip(tests, p_values, strict=True)]


# Items whose labels are guessed.


def _label(item: GuessItem, label: str) -> str | None:
    return item.gold if label == "gold" else item.side


def _labelled_items(items: Sequence[GuessItem], label: str) -> list[GuessItem]:
    """Return the items with a label; of sides left and right only, if the set has both."""
    labelled = [item for item in items if _label(item, label) is not None]
    if label == "side" and {item.side for item in labelled} >= _SIDES:
        return [item for item in labelled if item.side in _SIDES]
    return labelled


def _mask_item(item: GuessItem) -> GuessItem:
    """Hide persons and parties, long names first."""
    names = sorted({name for name in item.masked if name}, key=len, reverse=True)
    if not names:
        return item
    pattern = re.compile("|".join(map(re.escape, names)))
    return replace(item, parts={role: pattern.sub(_MASK, text) for role, text in item.parts.items()})


def _group(items: Sequence[GuessItem], are_groups_certain: bool) -> list[GuessItem]:
    """Return the items with a group each: as given, else by block, else by equal premises."""
    n_groups = len({item.group for item in items} - {None})
    has_groups = n_groups >= _MIN_FOUND_GROUPS or (are_groups_certain and n_groups > 0)
    has_premises = len({item.parts.get("premise") for item in items}) > 1
    result = []
    for number, item in enumerate(items):
        block = item.block if has_groups else None
        group = item.group if has_groups else item.block
        if group is None:
            premise = item.parts.get("premise") if has_premises else None
            group = f"item {number}" if premise is None else f"premise {premise}"
        result.append(replace(item, group=group, block=f"item {number}" if block is None else block))
    return result


def _distinct(items: Sequence[GuessItem], label: str) -> list[GuessItem]:
    """Return the first of the items of a group that have the same text and label."""
    by_key: dict[Hashable, GuessItem] = {}
    for item in items:
        by_key.setdefault((*item.parts.values(), _label(item, label), item.group), item)
    return [*by_key.values()]


def _sample(items: Sequence[GuessItem]) -> list[GuessItem]:
    """Return the items of random groups until the maximum is reached."""
    sizes = Counter(item.group for item in items)
    groups = sorted(sizes, key=str)
    selected: set[str | None] = set()
    n_items = 0
    for index in np.random.default_rng(0).permutation(len(groups)):
        group = groups[index]
        if n_items + sizes[group] <= MAX_ITEMS_GUESSED or not selected:
            selected.add(group)
            n_items += sizes[group]
    return [item for item in items if item.group in selected][:MAX_ITEMS_GUESSED]


def _codes(values: Sequence[Hashable]) -> Matrix:
    code_by_value: dict[Hashable, int] = {}
    return np.array([code_by_value.setdefault(value, len(code_by_value)) for value in values])


# Clues: what a guesser sees of an item.


class _FunctionWords(TemplateModel):
    en: str
    de: str


@cache
def _function_words() -> frozenset[str]:
    path = package_file("generators/auditing/function_words.yaml")
    words = load_template(path, _FunctionWords)
    return frozenset(f"{words.en} {words.de}".split())


def _clues(items: Sequence[GuessItem], label: str) -> Iterator[tuple[str, Matrix]]:
    parts = [*items[0].parts]
    if len(parts) > 1:
        for part in reversed(parts):
            yield part, _word_features([_phrases(_words(item.parts[part])) for item in items])
    words = [
        [f"{part}:{word}" for part, text in item.parts.items() for word in _phrases(_words(text))]
        for item in items
    ]
    yield "words", _word_features(words)
    if label == "side":
        function_words = _function_words()
        yield (
            "function words",
            _word_features(
                [[word for word in row if word.split(":", 1)[1] in function_words] for row in words]
            ),
        )
    yield "length", np.hstack([_length_features([item.parts[part] for item in items]) for part in parts])
    if label == "gold":
        yield "layout", np.hstack([_layout_features([item.parts[part] for item in items]) for part in parts])
    positions = [item.position for item in items if item.position is not None]
    if len(positions) == len(items):
        yield "position", _position_features(np.array(positions))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _phrases(words: Sequence[str]) -> list[str]:
    """Return the words, and all sequences of two and three."""
    return [" ".join(words[start : start + n]) for n in (1, 2, 3) for start in range(len(words) - n + 1)]


def _word_features(rows: Sequence[Sequence[Hashable]]) -> Matrix:
    """Return whether each item has each frequent value."""
    sets = [{*row} for row in rows]
    counts = Counter(word for words in sets for word in words)
    frequent = sorted(
        (word for word, n in counts.items() if n > 1), key=lambda word: (-counts[word], str(word))
    )
    column_by_word = {word: column for column, word in enumerate(frequent[:_MAX_WORDS])}
    features = np.zeros((len(rows), len(column_by_word)), np.float32)
    for row, words in enumerate(sets):
        features[row, [column_by_word[word] for word in words if word in column_by_word]] = 1
    return features


def _bins(values: Matrix) -> Matrix:
    """Return the tenth of each value as a column of its own."""
    edges = np.quantile(values, np.linspace(0, 1, _N_BINS + 1)[1:-1])
    return np.eye(_N_BINS, dtype=np.float32)[np.searchsorted(edges, values)]


def _length_features(texts: Sequence[str]) -> Matrix:
    lengths = np.log1p([(len(text), len(text.split())) for text in texts])
    deviations = lengths.std(axis=0)
    standardized = (lengths - lengths.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
    return np.hstack([standardized, _bins(lengths[:, 0])])


def _layout_features(texts: Sequence[str]) -> Matrix:
    """Return first word, last character and number of lines of each text."""
    return _word_features(
        [
            [("first", (_words(text) or [""])[0]), ("last", text[-1:]), ("lines", text.count("\n"))]
            for text in texts
        ]
    )


def _position_features(positions: Matrix) -> Matrix:
    """Return tenth and parity of each position."""
    return np.hstack([_bins(positions), (positions % 2)[:, None]])


def hidden_texts(value: Any) -> list[str]:
    """Return all texts of a value: of a text, of a list, or of the values of a mapping."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in hidden_texts(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in hidden_texts(part)]
    return []
