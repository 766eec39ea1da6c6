"""Lints of texts: spelling of another country, persons without an antecedent, commas before "und weil"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from polbias.generators.language.german import spell_swiss
from polbias.paths import package_file

_WORD = re.compile(r"[^\W\d_]+")
_AND_BECAUSE = re.compile(r"(,?) und weil ")
_SUBORDINATE_TAIL = re.compile(
    r"(?:während|wenn|falls|obwohl|dass|ob|nämlich)\b"
    r"|(?:(?:für|mit|von|zu|in|auf) )?(?:die|der|das|den|dem|deren|dessen)\b"
)
"""The words after the last comma of a clause that ends in a subordinate clause or an apposition."""
_BRITISH_COUNTRIES, _SWISS_COUNTRIES = ("GB",), ("CH", "LI")
_GERMAN_ARTICLES = {
    "f": "die|der|diese|dieser|jene|jener",
    "m": "der|den|dem|des|dieser|diesen|diesem|jener|jenen|jenem",
    "n": "das|dem|des|dieses|diesem|jenes|jenem",
}
_INDEFINITE = {"en": "a|an|another|one|some", "de": "ein|eine|einen|einem|einer|eines"}
# A relative clause or an attribute says which person is meant; a prefix of the verb may stand before it.
_SPECIFIED = {
    "en": r"(?! (?:who|whose|whom|that|of|in|from|stating)\b)(?-i:(?! [A-Z]))",  # "the politician Ann Lee"
    "de": r"(?!(?: (?:an|auf|aus|ein|mit|vor|zu))?, (?:die|der|das|de[mn]|dessen|deren)\b)",
}


def lint_text(text: str, language: str, country: str | None) -> Iterator[str]:
    """Yield the slips of a text in a language, for readers in a country (ISO 3166).

    English for any country but the United Kingdom is spelled as in the United States, and German for any
    country but Switzerland and Liechtenstein as in Germany.
    """
    yield from find_misspelled_words(text, language, country)
    yield from find_unintroduced_persons(text, language)
    if language == "de":
        yield from find_comma_slips(text)


def find_misspelled_words(text: str, language: str, country: str | None) -> Iterator[str]:
    """Yield the words of a text that are spelled as in another country; names are not compared."""
    find_slip_by_language = {
        "en": _find_british_slip if country in _BRITISH_COUNTRIES else _find_american_slip,
        "de": _find_swiss_slip if country in _SWISS_COUNTRIES else _find_german_slip,
    }
    if find_slip := find_slip_by_language.get(language):
        for word in dict.fromkeys(_WORD.findall(text)):
            if slip := find_slip(word):
                yield f"{word!r} {slip}"


def find_unintroduced_persons(text: str, language: str) -> Iterator[str]:
    """Yield the definite nouns for one person, such as "the juror", that no indefinite noun precedes."""
    if language not in _INDEFINITE:
        return
    for match in _definite_person(language).finditer(text):
        noun = match[0].split(" ")[-1]
        introduction = rf"\b(?:{_INDEFINITE[language]}) (?:\w+ ){{0,2}}{noun}\b"
        if not re.search(introduction, text[: match.start()], re.IGNORECASE):
            yield f"nobody introduced {match[0]!r}; write an indefinite article at the first mention"


def find_comma_slips(text: str) -> Iterator[str]:
    """Yield the places where ", und weil" has a comma after a plain clause, or none after a subordinate one.

    A comma stands only where the clause before ends in a subordinate clause, or in a sentence after a colon
    (official rules, 72 and 74).
    """
    for match in _AND_BECAUSE.finditer(text):
        clause = text[: match.start()].rpartition("weil ")[2]
        _, comma, tail = clause.rpartition(", ")
        needs_comma = ": " in clause or bool(comma and _SUBORDINATE_TAIL.match(tail))
        if needs_comma != bool(match[1]):
            expected = "', und weil'" if needs_comma else "' und weil'"
            yield f"found {match[0].rstrip()!r} after {clause[-30:]!r}, expected {expected}"


@cache
def _find_american_slip(word: str) -> str | None:
    american = _american_spellings().get(word)
    return american and f"is British spelling; write {american!r}"


@cache
def _find_british_slip(word: str) -> str | None:
    british = _british_spellings().get(word)
    return british and f"is American spelling; write {british!r}"


@cache
def _find_german_slip(word: str) -> str | None:
    for standard, swiss in _lines("spelling.de.tsv"):
        if re.search(swiss, word.lower()):
            return f"is Swiss spelling; write {standard.removeprefix('^')!r} in it"
    return None


@cache
def _find_swiss_slip(word: str) -> str | None:
    return f"has ß, which Switzerland does not use; write {spell_swiss(word)!r}" if "ß" in word else None


@cache
def _british_spellings() -> Mapping[str, str]:
    """Map American forms of words to the British ones."""
    return {
        american + ending: british + ending
        for american, british, endings in _lines("spelling.en.tsv")
        for ending in ("" if ending == "-" else ending for ending in endings.split(" "))
    }


@cache
def _american_spellings() -> Mapping[str, str]:
    """Map British forms of words to the American ones."""
    return {british: american for american, british in _british_spellings().items()}


@cache
def _definite_person(language: str) -> re.Pattern[str]:
    """Return the pattern of a noun for one person with a definite article.

    In "der kein Politiker ist", "der" is a relative pronoun.
    """
    nouns_by_gender: dict[str, list[str]] = {}
    for tag, noun, gender in _lines("persons.tsv"):
        if tag == language:
            nouns_by_gender.setdefault(gender, []).append(noun)
    phrases = "|".join(
        rf"(?:{_GERMAN_ARTICLES.get(gender, 'the|this|that')}) (?:(?!keine? )\w+ )?(?:{'|'.join(nouns)})"
        for gender, nouns in nouns_by_gender.items()
    )
    return re.compile(rf"\b(?:{phrases})\b{_SPECIFIED[language]}", re.IGNORECASE)


@cache
def _lines(name: str) -> Sequence[Sequence[str]]:
    """Return the fields of the lines of a table of words."""
    text = package_file(f"templates/language/{name}").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
