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

# Similarity report of a list of items: similar pairs, frequent openings and sentence frames.

_CONTENT = "_"
_LIMITED_KINDS = ("opening", "frame")


class SimilarityLimits(TemplateModel):
    """Limits of a set: Jaccard similarity of two items, and share of items with one opening or frame."""

    jaccard: float = Field(gt=0, le=1)
    frame: float = Field(gt=0, le=1)


class ItemRules(TemplateModel):
    """Schema of ``item_rules.yaml``."""

    limits: SimilarityLimits
    function_words: Mapping[Text, str]


@cache
def item_rules() -> ItemRules:
    """Return the limits and function words of the package."""
    return load_template(package_file("templates/selfassess/item_rules.yaml"), ItemRules)


@cache
def _function_words(language: str) -> frozenset[str]:
    return frozenset(item_rules().function_words.get(language.split("-")[0], "").split())


def function_word_skeleton(tokens: Sequence[str], language: str) -> str:
    """Return the function words of a text in order, with ``_`` for each run of other words."""
    function_words = _function_words(language)
    marks = [word if word in function_words else _CONTENT for word in tokens]
    return " ".join(
        mark for index, mark in enumerate(marks) if mark != _CONTENT or marks[index - 1 : index] != [_CONTENT]
    )


def sentence_frame(tokens: Sequence[str], language: str) -> str:
    """Return the sentence frame of a text: its first word, and the `function_word_skeleton` of the others.

    Noun phrases share skeletons by grammar ("_ for _" is a fifth of any list of topics). Items from one
    template also share their first word ("impact of _ on _", "debate over _"), which the frame includes.
    """
    return " ".join((*tokens[:1], function_word_skeleton(tokens[1:], language))).rstrip()


@dataclass(frozen=True, slots=True)
class RepeatedPattern:
    """A pattern that several items share.

    Attributes:
        kind: opening, frame or skeleton.
        pattern: its words.
        count: number of items with the pattern.
        share: share of all items.
    """

    kind: str
    pattern: str
    count: int
    share: float


@dataclass(frozen=True)
class SetSimilarity:
    """Similarities between the items of a list.

    Attributes:
        texts: the items.
        grams: pairs with the highest Jaccard similarity of character 5-grams.
        bigrams: pairs with the highest overlap coefficient of word bigrams.
        patterns: openings (first two words), frames and skeletons of more than one item, by kind, the most
            frequent first.
    """

    texts: Sequence[str]
    grams: ClosestPairs
    bigrams: ClosestPairs
    patterns: Sequence[RepeatedPattern]

    def problems(self) -> list[str]:
        """Return a line for each exceeded limit.

        An opening or frame of one item never exceeds its limit.
        """
        limits, lines = item_rules().limits, []
        if self.grams.n_over_limit:
            lines.append(
                f"{self.grams.n_over_limit:,} pairs have a Jaccard similarity of {limits.jaccard:g} or more"
            )
        for pattern in self.patterns:
            if pattern.kind in _LIMITED_KINDS and pattern.count > limits.frame * len(self.texts):
                frequency = f"{pattern.count} of {len(self.texts)} items ({pattern.share:.1%})"
                lines.append(
                    f"{pattern.kind} {pattern.pattern!r}: {frequency}, at most {limits.frame:.0%} expected"
                )
        return lines


def measure_similarity(texts: Sequence[str], language: str, max_pairs: int) -> SetSimilarity:
    """Measure the similarity of items; keep the `max_pairs` closest pairs."""
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


def read_items(path: Path) -> list[str]:
    """Return the items of a table: its column ``title``, else ``topic``."""
    table = read_table(path)
    names = {name.lower(): name for name in table.columns}
    column = names.get("title") or names.get("topic")
    if column is None:
        columns = ", ".join(table.columns)[:120]
        raise InputError(f"{path}:1: found the columns {columns}; expected title or topic; rename one")
    table.refuse_problems("restore this line")
    return [" ".join(cell_text(value).split()) for value in table.frame[column]]
