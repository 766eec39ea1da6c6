"""English tokens and word lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import simplemma

from polbias.generators.authoring.negation import Range, TaggedStatement, Tags, lists
from polbias.generators.language.english_verbs import irregular, participle, third_person

# Word lists of English negation, and the possible verb or noun forms of a word.

Form = Literal["third", "base", "past", "past-or-participle"]


@cache
def words(*names: str) -> frozenset[str]:
    """Return the union of word lists of words.en.yaml."""
    return frozenset(word for name in names for word in lists("words.en")[name].split())


@cache
def phrases(name: str) -> tuple[tuple[str, ...], ...]:
    """Return one list of word sequences of words.en.yaml."""
    return tuple(tuple(phrase.split()) for phrase in lists("words.en")[name])


@cache
def table(name: str) -> dict[str, str]:
    """Return one table of words.en.yaml, such as ``"rules"``."""
    return dict(lists("words.en")[name])


@cache
def closed_class_words() -> frozenset[str]:
    """Return the words of closed classes, which are not open-class verbs or nouns."""
    names = (
        "modals be have do clitic_verbs openers coordinators determiners subject_pronouns object_pronouns "
        "prepositions adverbs optional_openers possessives"
    )
    return words(*names.split()) | frozenset(["not", "no", "there", "be", "been", "being"])


@dataclass(frozen=True)
class VerbForm:
    """One reading of a word as a verb.

    Attributes:
        base: base form.
        form: form of the word.
        is_verb_only: whether the word is hardly ever a noun or an adjective.
    """

    base: str
    form: Form
    is_verb_only: bool


@lru_cache(maxsize=50_000)
def is_verb(base: str) -> bool:
    """Whether a word can be the base form of a verb."""
    if base in words("verbs", "imperatives", "noun_verbs"):
        return True
    if len(base) < 3 or not base.isalpha() or base in words("not_verbs"):
        return False
    gerund = (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"
    return base in (_lemma(participle(base)), _lemma(gerund))


@lru_cache(maxsize=50_000)
def verb_form(word: str) -> VerbForm | None:
    """Return the reading of a word as a finite lexical verb, or None."""
    if not word.isalpha() or word in closed_class_words() | words("not_verbs"):
        return None
    if word.endswith("s") and (base := _base_of_third(word)):
        return VerbForm(base, "third", _is_verb_only(base))
    if base := _irregular_bases().get(word, ""):
        matches_participle = word in (participle(base), base)
        if word != base:
            return VerbForm(
                base, "past-or-participle" if matches_participle else "past", not matches_participle
            )
    if word.endswith("ed") and is_verb(base := _lemma(word)) and base != word:
        return VerbForm(base, "past-or-participle", False)
    past_like = word.endswith("ed") and not word.endswith("eed") and word not in irregular()
    return VerbForm(word, "base", _is_verb_only(word)) if is_verb(word) and not past_like else None


def can_be_base(word: str) -> bool:
    """Whether a word can follow a modal."""
    form = verb_form(word)
    return word in ("be", "have", "do") or (form is not None and form.form == "base") or is_verb(word)


def is_participle(word: str) -> bool:
    """Whether a word can be a past participle."""
    if word in ("been", "had", "done"):
        return True
    form = verb_form(word)
    return (
        (form is not None and form.form == "past-or-participle")
        or word in _participles()
        or word.endswith("ed")
    )


def is_plural(word: str) -> bool:
    """Whether a word has the form of a plural noun."""
    if word in words("plurals"):
        return True
    if word in words("singular_in_s") or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return False
    # The last letter decides for compounds outside the dictionary and abbreviations ("NGOs").
    return _lemma(word) != word or not simplemma.is_known(word, "en")


def is_adverb(word: str) -> bool:
    """Whether a word can occur between an auxiliary and its verb."""
    return word in words("adverbs", "sentence_adverbs") or (
        word.endswith("ly") and len(word) > 4 and word not in words("no_adverbs")
    )


def _lemma(word: str) -> str:
    return str(simplemma.lemmatize(word, "en"))


def _base_of_third(word: str) -> str:
    guesses = [word[:-1], word[:-2], word[:-3] + "y"]
    return next((base for base in guesses if base and third_person(base) == word and is_verb(base)), "")


def _is_verb_only(base: str) -> bool:
    suffixed = base.endswith(("ise", "ize", "ify", "yse")) and base not in words("no_suffix_verbs")
    return base in words("verbs") or suffixed


@cache
def _irregular_bases() -> dict[str, str]:
    return {past: base for base, (past, _) in irregular().items() if base != "be"}


@cache
def _participles() -> frozenset[str]:
    return frozenset(participle for _, participle in irregular().values())


def strip_negation(word: str) -> str:
    """Return an auxiliary without its final "n't" or "not"."""
    return table("affirmed").get(word, word.removesuffix("n't"))


# Tokens with positions: brackets are skipped, a quotation is one token; and sentences.

_UNIT = re.compile(r"[^\W\d_]+(?:['’\-‐‑][^\W\d_]+)*['’]?|\d+(?:[.,:]\d+)*%?")
_TOKEN = re.compile(rf"{_UNIT.pattern}|\S")
_CLITIC = re.compile(r"(.+)(['’](?:s|re|ve|ll|d|m))", re.IGNORECASE)
# Paired quotation marks; a straight single one only without a letter before it.
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|(?<![\w'’])['‘][^'’]*['’](?!\w)")
QUOTATION = "quotation"
_IN_QUOTES, _IN_BRACKETS = 1, 2
_BRACKET = re.compile(r"[()\[\]{}]")
_END = re.compile(r"[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9ÄÖÜ])")
_BEFORE_DOT = re.compile(r"([\w.]+)$")


@dataclass(frozen=True)
class EnglishToken:
    """A word, a number or a punctuation mark.

    Attributes:
        text: as written.
        low: in lower case and with straight apostrophes; `QUOTATION` for a quotation, at most a noun.
        start: index of its first character in the statement.
        tags: the pipeline's tags; empty without one.
    """

    text: str
    low: str
    start: int
    tags: Tags = ()

    @property
    def end(self) -> int:
        """Index after its last character."""
        return self.start + len(self.text)

    @property
    def is_word(self) -> bool:
        """Whether it begins with a letter, or is a clitic or a quotation."""
        return self.text[0].isalpha() or self.low in words("clitic_verbs") or self.low == QUOTATION


def tokens(text: str, start: int = 0, analysis: TaggedStatement | None = None) -> list[EnglishToken]:
    """Return the tokens of a text outside brackets; a quotation is one token.

    Clitic verbs are separate tokens: "It's" is "It" and "'s"; the possessive "Spain's" is one token.
    """
    hidden = _mask_hidden(text)
    token_list: list[EnglishToken] = []
    quoted = {match.start(): match.group() for match in _QUOTED.finditer(text)}

    def add(word: str, low: str, at: int) -> None:
        tags = analysis.words_between(at, at + len(word)) if analysis else ()
        token_list.append(EnglishToken(word, low, at, tags))

    for begin, end in _pieces(text, start, hidden, analysis):
        if hidden[begin]:
            if begin in quoted and hidden[begin] == _IN_QUOTES:
                add(quoted[begin], QUOTATION, start + begin)
            continue
        word, at = text[begin:end], start + begin
        clitic = _CLITIC.fullmatch(word)
        verb = clitic and clitic[2].lower().replace("’", "'")
        if clitic and (verb != "'s" or clitic[1].lower() in words("clitic_hosts")):
            add(clitic[1], clitic[1].lower(), at)
            add(clitic[2], str(verb), at + len(clitic[1]))
        else:
            add(word, word.lower().replace("’", "'"), at)
    return token_list


def _pieces(text: str, start: int, hidden: bytearray, analysis: TaggedStatement | None) -> Iterable[Range]:
    """Return the token ranges, hidden ones included."""
    if analysis is None:
        return (match.span() for match in _TOKEN.finditer(text))
    joined = [match.span() for match in _UNIT.finditer(text)]
    edges = [at for at in range(len(text) + 1) if bool(hidden[at]) != bool(at and hidden[at - 1])]
    quotations = [match.span() for match in _QUOTED.finditer(text)]
    opaque = [*zip(edges[::2], edges[1::2], strict=True), *quotations]
    return analysis.pieces(text, start, joined, opaque)


def sentences(text: str, analysis: TaggedStatement | None = None) -> list[Range]:
    """Return the ranges of the sentences."""
    pipeline_sentences = analysis.sentences(len(text)) if analysis else None
    if pipeline_sentences is not None:
        return pipeline_sentences
    bounds, begin = [], 0
    hidden = _mask_hidden(text)
    for match in _END.finditer(text):
        before = _BEFORE_DOT.search(text[begin : match.start()])
        word = before[1].lower() if before else ""
        # "e.g. Germany", "J. Smith" and "1. The state" do not end a sentence.
        numbering = before is not None and before.start() == 0 and word.isdigit()
        short = word in words("abbreviations") or len(word) == 1 or numbering
        short = short or bool(analysis and not analysis.splits(match.start()))
        if hidden[match.start()] or (short and match.group().startswith(".")):
            continue
        bounds.append((begin, match.end()))
        begin = match.end()
    return [*bounds, (begin, len(text))] if text[begin:].strip() else bounds


def _mask_hidden(text: str) -> bytearray:
    mask = bytearray(len(text) + 1)
    for match in _QUOTED.finditer(text):
        mask[match.start() : match.end()] = bytes([_IN_QUOTES]) * (match.end() - match.start())
    stack: list[int] = []
    for match in _BRACKET.finditer(text):
        at, character = match.start(), match.group()
        if mask[at]:
            continue
        if character in "([{":
            stack.append(at)
        elif stack:
            opened = stack.pop()
            if not stack:
                mask[opened : at + 1] = bytes([_IN_BRACKETS]) * (at + 1 - opened)
    return mask
