"""Negation of statements by rule, in four languages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from polbias.aliases import Json
from polbias.errors import InputError
from polbias.generators.language.english import capitalize_first, lowercase_first
from polbias.generators.policy.text_checks import unclear_negation
from polbias.optional import LazyModule
from polbias.paths import package_file

if TYPE_CHECKING:
    import spacy
else:
    spacy = LazyModule("spacy")

# Negation of policy statements by explained grammar rules, which abstain in unclear cases.

LANGUAGES = ("de", "en", "es", "it")
_MAX_CHARACTERS = 1_000  # the rules look ahead from every word: time grows faster than the length


def negate(statement: str, language: str, pipeline: Pipeline | None = None) -> NegationResult:
    """Negate a statement by rule."""
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} has no negation rules; expected {', '.join(LANGUAGES)}")
    if len(statement) > _MAX_CHARACTERS:
        explanation = f"No negation was formed: the text has more than {_MAX_CHARACTERS:,} characters."
        return NegationResult(None, "abstain:too-long", explanation)
    if pipeline is not None:
        pipeline.require(language)
    rewritten = _rewrite(statement, language)
    negated = _check_unsure_words(rewritten.strip(), language, pipeline)
    negated = negated or _by_grammar(rewritten, language, pipeline)
    if negated.text is not None and (doubt := _check_read_back(rewritten, negated.text, language)):
        return doubt
    if negated.text is None or rewritten == statement:
        return negated
    return replace(negated, explanation=f"{negated.explanation} {lists('unsure')['reasons']['rewritten']}")


def _check_read_back(statement: str, negation: str, language: str) -> NegationResult | None:
    """Abstain unless the negation, undone, is the statement again, and reads as its plain contradictory."""
    from polbias.generators.authoring.negation.read_back import reads_back

    if unclear := unclear_negation(negation, statement, language):
        explanation = f'No negation was formed: "{unclear}" would not read as the plain contradictory.'
        return NegationResult(None, "abstain:read-back", explanation)
    if reads_back(statement, negation, language):
        return None
    explanation = "No negation was formed: undone it would not be the statement again."
    return NegationResult(None, "abstain:read-back", explanation)


def _by_grammar(statement: str, language: str, pipeline: Pipeline | None) -> NegationResult:
    # Imported on first use: every module loads a lexicon.
    if language == "de":
        from polbias.generators.authoring.negation.german import negate_german

        return negate_german(statement, pipeline)
    if language == "en":
        from polbias.generators.authoring.negation.english import negate_english

        return negate_english(statement, pipeline)
    from polbias.generators.authoring.negation.spanish_italian import negate_romance

    return negate_romance(statement, language, pipeline)


@cache
def lists(name: str) -> Json:
    """Return the content of a YAML file of this folder: words, phrases, patterns."""
    loaded: Json = yaml.safe_load(
        package_file(f"generators/authoring/negation/{name}.yaml").read_text("utf-8")
    )
    return loaded


def _rewrite(statement: str, language: str) -> str:
    """Rewrite words of a statement that do not fit its negation."""
    text = original = lowercase_first(statement)
    for pattern, new in lists("unsure")["rewritten"][language].items():
        text = re.sub(pattern, new, text)
    return statement if text == original else capitalize_first(text)


def _check_unsure_words(statement: str, language: str, pipeline: Pipeline | None) -> NegationResult | None:
    """Abstain if a negation would leave a word of the statement asserted, or deny something else."""
    for reason, patterns in lists("unsure")["refused"][language].items():
        match = _find_unsure_word(statement, patterns)
        if match and pipeline and _is_amount(match, statement, pipeline):
            # Other patterns may find another word.
            matches = (_find_unsure_word(statement, [pattern]) for pattern in patterns)
            match = next((other for other in matches if other and _start(other) != _start(match)), None)
        if match:
            explanation: str = lists("unsure")["reasons"][reason]
            return NegationResult(
                None, f"abstain:{reason}", explanation.format(word=match[match.lastindex or 0])
            )
    return None


def _find_unsure_word(statement: str, patterns: Sequence[str]) -> re.Match[str] | None:
    return re.search(rf"(?i)(?:(?<!\w)|(?=,))(?:{'|'.join(patterns)})(?!\w)", statement)


def _start(match: re.Match[str]) -> int:
    """Return the start of the unsure word, which may be a part of the match."""
    return match.start(match.lastindex or 0)


def _is_amount(match: re.Match[str], statement: str, pipeline: Pipeline) -> bool:
    """Whether an unsure "mehr" is the amount of a noun ("mehr bezahlbare Wohnungen"), by the parse."""
    analysis = pipeline.read(statement)
    word = next((word for word in analysis.words if word.start == _start(match)), None)
    head = analysis.head_of(word) if word and statement[word.start : word.end].lower() == "mehr" else None
    return head is not None and head.nominal


# Results of the rules.


@dataclass(frozen=True)
class NegationResult:
    """The negation of a statement, or the reason for none.

    Attributes:
        text: the negation; None if the rules abstain.
        rule: short stable code of the rule, such as ``"do-support"``, or ``"abstain:"`` and the reason.
        explanation: one sentence for a person: which word was negated, inserted or removed, and why.
    """

    text: str | None
    rule: str
    explanation: str


# Output of a spaCy pipeline: token boundaries and, if the pipeline was trained, tags.

Range = tuple[int, int]
_VERBAL = frozenset({"VERB", "AUX"})
_NOMINAL = frozenset({"NOUN", "PROPN"})
_UNKNOWN = frozenset({"", "X"})


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A token of the pipeline.

    Attributes:
        start: index of its first character in the statement.
        end: index after its last character.
        pos: universal part of speech, such as "NOUN"; "" without a tagger.
        forms: values of the feature ``VerbForm``, such as "Fin".
        lemma: dictionary form; "" without a lemmatizer.
        gender: value of the feature ``Gender``, such as "Fem"; "" if unknown.
        number: value of the feature ``Number``, such as "Plur"; "" if unknown.
        head: index of the first character of its head, its own index for a root; None without a parser.
        root: whether it is the root of its sentence or an auxiliary of the root; None without a parser.
        begins_sentence: whether a sentence begins here; None without sentence boundaries.
    """

    start: int
    end: int
    pos: str = ""
    forms: frozenset[str] = frozenset()
    lemma: str = ""
    gender: str = ""
    number: str = ""
    head: int | None = None
    root: bool | None = None
    begins_sentence: bool | None = None

    @property
    def verbal(self) -> bool | None:
        """Whether it is a verb; None if the tag is unknown."""
        return None if self.pos in _UNKNOWN else self.pos in _VERBAL

    @property
    def finite(self) -> bool | None:
        """Whether it is a finite verb; None if unknown."""
        return ("Fin" in self.forms if self.forms else None) if self.verbal else self.verbal

    @property
    def nominal(self) -> bool:
        """Whether it is tagged as a noun or a name."""
        return self.pos in _NOMINAL

    @property
    def reading(self) -> str:
        """The tag for a person: ``"VERB, VerbForm=Inf"``."""
        return ", VerbForm=".join(filter(None, (self.pos, "/".join(sorted(self.forms)))))


Tags = tuple[TaggedWord, ...]
"""The pipeline's words in one token of the rules, such as "should" and "n't"."""


def finite(tags: Tags) -> bool | None:
    """Whether the pipeline tags a token as a finite verb; None if unknown."""
    return _any_true([word.finite for word in tags])


def tagger_objection(tags: Tags, infinite: bool = False) -> str:
    """Return the pipeline's tags if they contradict the rule that the token is the finite verb, else ""."""
    is_confirmed = _any_true([word.verbal if infinite else word.finite for word in tags])
    return " + ".join(word.reading for word in tags) if is_confirmed is False else ""


def _any_true(values: Sequence[bool | None]) -> bool | None:
    """Return True if any value is True, else None if any is None or there are none, else False."""
    return True if True in values else None if None in values or not values else False


@dataclass(frozen=True, slots=True)
class TaggedStatement:
    """A statement with the tags of a pipeline.

    Attributes:
        words: its tokens in order, without white space.
    """

    words: Tags

    def words_between(self, start: int, end: int) -> Tags:
        """Return the words that share a character with a range of the statement."""
        first = bisect_left(self.words, start + 1, key=lambda word: word.end)
        last = bisect_left(self.words, end, key=lambda word: word.start)
        return self.words[first:last]

    def head_of(self, word: TaggedWord) -> TaggedWord | None:
        """Return the head of a word; None for a root, and without a parse."""
        return next((head for head in self.words if head.start == word.head != word.start), None)

    def splits(self, position: int) -> bool:
        """Whether a word begins at a position, not before it."""
        return any(word.start == position for word in self.words_between(position, position + 1))

    def sentences(self, length: int) -> list[Range] | None:
        """Return the sentence ranges, or None if the pipeline has no sentence boundaries."""
        if not self.words or self.words[0].begins_sentence is None:
            return None
        sentence_starts = [word.start for word in self.words[1:] if word.begins_sentence]
        return list(pairwise([0, *sentence_starts, length]))

    def pieces(
        self, text: str, start: int = 0, joined: Iterable[Range] = (), opaque: Sequence[Range] = ()
    ) -> list[Range]:
        """Return the tokens of a part of the statement, merged to the words of the rules."""
        words = self.words_between(start, start + len(text))
        edges = {edge - start for word in words for edge in (word.start, word.end)}
        opaque_edges = {edge for begin, end in opaque for edge in (begin, end)}
        for begin, end in (*joined, *opaque):
            edges.difference_update(range(begin + 1, end))
        cuts = sorted(edge for edge in edges | opaque_edges | {0, len(text)} if 0 <= edge <= len(text))
        return [(begin, end) for begin, end in pairwise(cuts) if text[begin:end].strip()]


# spaCy for the rules: its tokenizer, or the user's trained pipeline.


class Pipeline:
    """A spaCy pipeline that analyzes statements.

    Without a component (tagger, parser, sentence boundaries) its values are unknown, and the rules run as
    without a pipeline.

    Args:
        nlp: a ``spacy.language.Language``.
        name: of the pipeline, for messages.
    """

    def __init__(self, nlp: Any, name: str) -> None:
        self._nlp, self.name = nlp, name

    def require(self, language: str) -> None:
        """Raise an error unless the pipeline is for the language."""
        if self._nlp.lang != language:
            raise InputError(
                f"pipeline {self.name}: it is for {self._nlp.lang!r}, the statements are in {language!r}; "
                "name a pipeline of their language"
            )

    def read(self, text: str) -> TaggedStatement:
        """Return the pipeline's analysis of a text."""
        try:
            doc = self._nlp(text)
        except (RuntimeError, TypeError, ValueError) as error:
            raise InputError(
                f"pipeline {self.name}: fails on {text[:40]!r} ({_first_line(error)}); train or repair it"
            ) from error
        parsed, split = doc.has_annotation("DEP"), doc.has_annotation("SENT_START")
        return TaggedStatement(
            tuple(
                TaggedWord(
                    start=token.idx,
                    end=token.idx + len(token.text),
                    pos=token.pos_,
                    forms=frozenset(token.morph.get("VerbForm")),
                    lemma=token.lemma_,
                    gender="".join(token.morph.get("Gender")[:1]),
                    number="".join(token.morph.get("Number")[:1]),
                    head=token.head.idx if parsed else None,
                    root=_is_root(token) if parsed else None,
                    begins_sentence=bool(token.is_sent_start) if split else None,
                )
                for token in doc
                if not token.is_space
            )
        )


def load(name: str, language: str) -> Pipeline:
    """Load the user's trained pipeline."""
    if not (spacy.util.is_package(name) or Path(name).is_dir()):
        raise InputError(
            f"pipeline {name}: found no installed pipeline and no folder of that name; install it with "
            f"`python -m spacy download {name}`, or name a folder that `nlp.to_disk` has written"
        )
    try:
        pipeline = Pipeline(spacy.load(name), name)
    except (ImportError, OSError, ValueError) as error:
        raise InputError(
            f"pipeline {name}: spaCy cannot load it ({_first_line(error)}); expected a package or a folder "
            f"of `nlp.to_disk` for spaCy {spacy.__version__}"
        ) from error
    pipeline.require(language)
    return pipeline


def _is_root(token: Any) -> bool:
    auxiliary = token.pos_ == "AUX" or token.dep_.startswith(("aux", "cop"))
    return bool(token.dep_ == "ROOT" or (auxiliary and token.head.dep_ == "ROOT"))


def _first_line(error: Exception) -> str:
    """Return the first line of a message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["LANGUAGES", "negate"]
