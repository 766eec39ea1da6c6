"""Tokens and closed word classes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import yaml

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.vocabulary.paradigms import CASES, GENDERS, Case, Gender, Number, Strength
from polbias.paths import package_file

# Tokens of a claim.

_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*(?![^\W\d_]))"
    r"|(?P<word>[^\W_]+(?:[-'’][^\W_]+|[*:_](?=innen|in\b)[^\W_]+)*(?:-(?=[\s,/]))?)"
    r"|(?P<mark>\S)"
)
_ABBREVIATION = re.compile(r"\w{1,2}|Abs|Art|Nr|bzw|etc|usw|ca|inkl|Mio|Mrd|Dr|Prof|St|vgl|sog|ggf|evtl")


@dataclass(frozen=True, slots=True)
class ClaimToken:
    """A word, a number or a mark.

    Attributes:
        text: text of the claim.
        low: text in lower case.
        start: offset of the first character.
        end: offset after the last character.
        kind: "word", "number" or "mark".
        begins_sentence: whether it is the first word of a sentence.
    """

    text: str
    low: str
    start: int
    end: int
    kind: str
    begins_sentence: bool

    @property
    def is_noun(self) -> bool:
        """Whether it is a capitalised word: a noun, a name, or the first word of a sentence."""
        return self.kind == "word" and self.text[0].isupper()


Tokens: TypeAlias = tuple[ClaimToken, ...]


@lru_cache(maxsize=4096)
def tokenise(claim: str) -> Tokens:
    """Return the tokens of a claim."""
    tokens: list[ClaimToken] = []
    begins_sentence = True
    for match in _TOKEN.finditer(claim):
        kind, text = str(match.lastgroup), match[0]
        tokens.append(
            ClaimToken(
                text, text.lower(), match.start(), match.end(), kind, begins_sentence and kind == "word"
            )
        )
        if kind != "mark":
            begins_sentence = False
        elif text == ".":
            begins_sentence = not _after_abbreviation(tokens)
        else:
            # A quotation after a colon begins a sentence; other quotation marks do not.
            is_quotation = text in '„“"«»' and len(tokens) > 1 and tokens[-2].text == ":"
            begins_sentence = begins_sentence or is_quotation or text in "!?…:;|"
    return tuple(tokens)


def _after_abbreviation(tokens: list[ClaimToken]) -> bool:
    if len(tokens) < 2 or tokens[-2].end != tokens[-1].start:
        return False
    return tokens[-2].kind == "number" or bool(_ABBREVIATION.fullmatch(tokens[-2].text))


def next_low(tokens: Tokens, index: int) -> str:
    """Return the next token in lower case, "" at the end."""
    return tokens[index + 1].low if index + 1 < len(tokens) else ""


# Closed word classes of ``german.yaml``: determiners, prepositions, contractions, verbs.

_DATA: dict[str, Any] = yaml.safe_load(
    package_file("generators/xphemism/substitution/german.yaml").read_text(encoding="utf-8")
)
_COLUMNS: tuple[Gender | Literal["pl"], ...] = (*GENDERS, "pl")


def _read_words(name: str) -> frozenset[str]:
    return frozenset(str(_DATA[name]).split())


@dataclass(frozen=True, slots=True)
class Agreement:
    """Case, number and gender of a noun phrase; no gender in the plural."""

    case: Case
    number: Number
    gender: Gender | None

    @property
    def column(self) -> str:
        """Column of an inflection table: the gender in the singular, "pl" in the plural."""
        return self.gender if self.number == "sg" and self.gender else "pl"


@dataclass(frozen=True, slots=True)
class Determiner:
    """Stem of a determiner ("d", "dies", "ein"), and the declension of adjectives after it."""

    stem: str
    strength: Strength


DEFINITE = Determiner("d", "weak")


def _ending_stem(stem: str) -> str:
    """Return the stem before an ending: "euer" loses its second e."""
    return "eur" if stem == "euer" else stem


SINGULAR_ONLY = _read_words("singular_only")
_STRENGTHS: Mapping[str, Strength] = {"definite": "weak", "like_dieser": "weak", "like_ein": "mixed"}
_FORMS: dict[tuple[Determiner, Case, str], str] = {
    (Determiner(stem, strength), case, column): stem if ending == "-" else _ending_stem(stem) + ending
    for name, strength in _STRENGTHS.items()
    for stem in str(_DATA[name]).split()
    for column in _COLUMNS
    if not (column == "pl" and stem in SINGULAR_ONLY)
    for case, ending in zip(CASES, _DATA[f"{name}_endings"][column].split(), strict=True)
}
DETERMINER_FORMS: dict[str, tuple[tuple[Determiner, Case, str], ...]] = {}
for _reading, _form in _FORMS.items():
    DETERMINER_FORMS[_form] = (*DETERMINER_FORMS.get(_form, ()), _reading)
NUMBER_MATTERS, COUNTING, INVARIABLE = (
    _read_words("number_matters"),
    _read_words("counting"),
    _read_words("invariable"),
)


def determiner_of(form: str) -> Determiner | None:
    """Return the determiner of a form in lower case, None if the form is not a determiner."""
    readings = DETERMINER_FORMS.get(form)
    return readings[0][0] if readings else None


def is_allowed(form: str, agreement: Agreement) -> bool:
    """Whether a determiner form agrees with case, number and gender."""
    return any(
        (case, column) == (agreement.case, agreement.column)
        for _, case, column in DETERMINER_FORMS.get(form, ())
    )


def determiner_form(determiner: Determiner, agreement: Agreement) -> str:
    """Return the form of a determiner, "" if it has none ("ein" in the plural)."""
    return _FORMS.get((determiner, agreement.case, agreement.column), "")


PREPOSITIONS: Mapping[str, tuple[Case, ...]] = {
    word: tuple(cases.split()) for cases, words in _DATA["prepositions"].items() for word in words.split()
}
POSTPOSITIONS: Mapping[str, Case] = _DATA["postpositions"]
BARE_UNMARKED = _read_words("bare_unmarked")
CONTRACTIONS: Mapping[str, tuple[str, str]] = {
    short: tuple(long.split()) for short, long in _DATA["contractions"].items()
}
CONTRACTED: Mapping[tuple[str, str], str] = {
    CONTRACTIONS[short]: short for short in _DATA["written_contractions"].split()
}
CONJUNCTIONS, CLAUSE_CONJUNCTIONS = _read_words("conjunctions"), _read_words("clause_conjunctions")
SUBJECT_PRONOUNS = _read_words("subject_pronouns")
RELATIVES: Mapping[str, tuple[str, ...]] = {
    key: tuple(row.split()) for key, row in _DATA["relatives"].items()
}
WELCH: Mapping[str, tuple[str, ...]] = {
    column: tuple(_FORMS[Determiner("welch", "weak"), case, column] for case in CASES) for column in _COLUMNS
}
PRONOUNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    stem: {gender: tuple(forms.split()) for gender, forms in table.items()}
    for stem, table in _DATA["pronouns"].items()
}
COPULAS, DATIVE_VERBS, GENITIVE_VERBS = (
    _read_words("copulas"),
    _read_words("dative_verbs"),
    _read_words("genitive_verbs"),
)
FINITE: Mapping[str, str] = _DATA["finite"]
FINITE_PLURAL: Mapping[str, str] = {plural: single for single, plural in reversed(list(FINITE.items()))}
STRONG_PRESENT: Mapping[str, str] = _DATA["strong_present"]
DERIVATIONS = _read_words("derivations")
USUAL_CASE, EXPLETIVE = _read_words("usual_case"), _read_words("expletive")
GOVERNMENT, PERSONAL_PRONOUNS = (
    {name: frozenset(words.split()) for name, words in _DATA[table].items()}
    for table in ("government", "personal_pronouns")
)
NOMINATIVE: Mapping[str, str] = {name: words.split()[0] for name, words in _DATA["personal_pronouns"].items()}
MEMBERS = _DATA["members"]
CONTEXTS = {
    name: {word: re.compile(pattern) for word, pattern in _DATA[name].items()}
    for name in ("other_sense", "own_sense", "valency")
}
AMOUNT_NOUNS = _read_words("amount_nouns")
AMOUNTS = german.FRACTIONS | _read_words("amounts")
ADVERBS, COMPOUNDS = _read_words("adverbs"), _read_words("compounds")
PARTITIVE = _read_words("partitive")
TIMES, INTRANSITIVE, DECREEING = _read_words("times"), _read_words("intransitive"), _read_words("decreeing")
PERSONAL, AUTHORITIES, COLLECTIVE, BODIES, ABSTRACT = (
    tuple(_read_words(name)) for name in ("personal", "authorities", "collective", "bodies", "abstract")
)
"""Noun endings of these classes."""


def strong_present(infinitive: str) -> str | None:
    """Return the third person singular of a verb with vowel change, prefix included, else None."""
    for start in range(len(infinitive)):
        form = STRONG_PRESENT.get(infinitive[start:])
        if form is not None:
            return infinitive[:start] + form
    return None
