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
_KINDS = ("opening", "frame")


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


def function_word_skeleton(said: Sequence[str], language: str) -> str:
    """Return the function words of a text in order, with ``_`` for every run of other words."""
    held = _function_words(language)
    marks = [word if word in held else _CONTENT for word in said]
    return " ".join(
        mark for place, mark in enumerate(marks) if mark != _CONTENT or marks[place - 1 : place] != [_CONTENT]
    )


def sentence_frame(said: Sequence[str], language: str) -> str:
    """Return the sentence frame of a text: its first word as it stands, the rest as `skeleton` has it.

    Noun phrases share their skeletons by grammar ("_ for _" is a fifth of any list of topics). Items made
    from one template also begin alike ("impact of _ on _", "debate over _"), which is what a frame shows.
    """
    return " ".join((*said[:1], function_word_skeleton(said[1:], language))).rstrip()


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
        for each in self.patterns:
            if each.kind in _KINDS and each.count > limits.frame * len(self.texts):
                told = f"{each.count} of {len(self.texts)} items ({each.share:.1%})"
                lines.append(f"{each.kind} {each.pattern!r}: {told}, at most {limits.frame:.0%} expected")
        return lines


def measure_similarity(texts: Sequence[str], language: str, most: int) -> SetSimilarity:
    """Measure how alike items are."""
    grams = FeatureSets(texts).closest("jaccard", item_rules().limits.jaccard, most)
    bigrams = FeatureSets(texts, word_bigrams).closest("overlap", 1.0, most)
    told = [words(text) for text in texts]
    found = {
        "opening": Counter(" ".join(said[:2]) for said in told),
        "frame": Counter(sentence_frame(said, language) for said in told),
        "skeleton": Counter(function_word_skeleton(said, language) for said in told),
    }
    repeated = [
        RepeatedPattern(kind, pattern, count, count / len(texts))
        for kind, counts in found.items()
        for pattern, count in counts.most_common()
        if count > 1
    ]
    return SetSimilarity(texts, grams, bigrams, repeated)


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
