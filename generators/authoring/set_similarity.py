"""Similarity of the items of a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from polbias.errors import InputError
from polbias.generators.language.similarity import ClosestPairs, FeatureSets, word_bigrams, words
from polbias.generators.table_files import cell_text, read_table
from polbias.paths import package_file
from polbias.yaml_models import TemplateModel, Text, load_template

# A report on a list of items: what is too much alike, in words, in openings and in frames.

_CONTENT = "_"
_LIMITED_KINDS = ("opening", "frame")


class SimilarityLimits(TemplateModel):
    """What a set may have: Jaccard of two items below, share of an opening or frame up to."""

    jaccard: float = Field(gt=0, le=1)
    frame: float = Field(gt=0, le=1)


class ItemRules(TemplateModel):
    """``item_rules.yaml``."""

    limits: SimilarityLimits
    function_words: Mapping[Text, str]


@cache
def item_rules() -> ItemRules:
    """Return the shipped limits and lists of function words."""
    return load_template(package_file("templates/selfassess/item_rules.yaml"), ItemRules)


@cache
def _function_words(language: str) -> frozenset[str]:
    return frozenset(item_rules().function_words.get(language.split("-")[0], "").split())


def function_word_skeleton(tokens: Sequence[str], language: str) -> str:
    """Return the function words of a text in order, with ``_`` for every run of other words."""
    function_words = _function_words(language)
    marks = [word if word in function_words else _CONTENT for word in tokens]
    return " ".join(
        mark for index, mark in enumerate(marks) if mark != _CONTENT or marks[index - 1 : index] != [_CONTENT]
    )


def sentence_frame(tokens: Sequence[str], language: str) -> str:
    """Return the sentence frame of a text: its first word as it stands, the rest as `skeleton` has it.

    Noun phrases share their skeletons by grammar ("_ for _" is a fifth of any list of topics). Items made
    from one template also begin alike ("impact of _ on _", "debate over _"), which is what a frame shows.
    """
    return " ".join((*tokens[:1], function_word_skeleton(tokens[1:], language))).rstrip()


@dataclass(frozen=True, slots=True)
class RepeatedPattern:
    """A pattern that several items have.

    Attributes:
        kind: opening, frame or skeleton.
        pattern: the words.
        count: of items.
        share: of all items.
    """

    kind: str
    pattern: str
    count: int
    share: float


@dataclass(frozen=True)
class SetSimilarity:
    """What a list of items has in common.

    Attributes:
        texts: the items.
        grams: pairs with the most character 5-grams in common (Jaccard).
        bigrams: pairs with the most word bigrams in common (of those of the shorter item).
        repeated: openings, frames and skeletons of more than one item, commonest first.
    """

    texts: Sequence[str]
    grams: ClosestPairs
    bigrams: ClosestPairs
    patterns: Sequence[RepeatedPattern]

    def problems(self) -> list[str]:
        """Return a line for everything beyond a limit; empty if the items are fit to be published.

        One item of an opening or frame is always allowed.
        """
        limits, lines = item_rules().limits, []
        if self.grams.n_over_limit:
            lines.append(f"{self.grams.n_over_limit:,} pairs have a Jaccard of {limits.jaccard:g} or more")
        for pattern in self.patterns:
            if pattern.kind in _LIMITED_KINDS and pattern.count > limits.frame * len(self.texts):
                frequency = f"{pattern.count} of {len(self.texts)} items ({pattern.share:.1%})"
                lines.append(f"{pattern.kind} {pattern.pattern!r}: {frequency}, at most {limits.frame:.0%} expected")
        return lines


def measure_similarity(texts: Sequence[str], language: str, max_pairs: int) -> SetSimilarity:
    """Measure how alike items are."""
    grams = FeatureSets(texts).closest("jaccard", item_rules().limits.jaccard, max_pairs)
    bigrams = FeatureSets(texts, word_bigrams).closest("overlap", 1.0, max_pairs)
    token_lists = [words(text) for text in texts]
    counts_by_kind = {
        "opening": Counter(" ".join(tokens[:2]) for tokens in token_lists),
        "frame": Counter(sentence_frame(tokens, language) for tokens in token_lists),
        "skeleton": Counter(function_word_skeleton(tokens, language) for tokens in token_lists),
    }
    patterns = [
        RepeatedPattern(kind, pattern, count, count / len(texts))
        for kind, counts in counts_by_kind.items()
        for pattern, count in counts.most_common()
        if count > 1
    ]
    return SetSimilarity(texts, grams, bigrams, patterns)


def read_column(path: Path) -> list[str]:
    """Return the items of a table: its column ``title``, or else ``topic``."""
    table = read_table(path)
    names = {name.lower(): name for name in table.columns}
    column = names.get("title") or names.get("topic")
    if column is None:
        columns = ", ".join(table.columns)[:120]
        raise InputError(f"{path}:1: found the columns {columns}; expected title or topic; rename one")
    table.refuse_problems("restore this line")
    return [" ".join(cell_text(value).split()) for value in table.frame[column]]
