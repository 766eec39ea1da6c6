"""Articles and endings: "ein" to "kein", no article to "kein", and back."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_phrases import Phrase
from polbias.generators.authoring.negation.german_text import Token
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_unsure import UnsureError


def with_k(article: str) -> str:
    """Return "kein" in the form of an indefinite article: ``"einen"`` becomes ``"keinen"``."""
    return ("K" if article[0] == "E" else "k") + article.lower()


def kein_before(
    tokens: list[Token], phrase: Phrase, subject: bool, finite: str
) -> tuple[str, dict[int, str]]:
    """Return "kein" for a noun phrase without article, and its adjectives with their new endings.

    After "kein" an adjective is weak but in the nominative and accusative singular: "neue Steuern" becomes
    "keine neuen Steuern", while "direkte Hilfe" and "gutes Recht" keep their endings.

    Args:
        tokens: Of the sentence.
        phrase: A bare one.
        subject: Whether it is the subject.
        finite: The finite verb, whose number is that of the subject.

    Raises:
        UnsureError: If gender or number cannot be told.
    """
    noun = tokens[phrase.head].text
    plural = _plural(noun, phrase, subject, finite)
    endings = {tokens[position].low[-2:] for position in phrase.adjectives}
    if any(ending.endswith("e") for ending in endings):
        if plural is None:
            raise UnsureError(
                "abstain:morphology", f'whether "{noun}" is a singular cannot be told from its form'
            )
        return "keine", _weak(tokens, phrase, "e") if plural else {}
    if "es" in endings:
        return "kein", {}
    if "em" in endings:
        return "keinem", _weak(tokens, phrase, "em")
    if "er" in endings:
        if lexicon.gender(noun) == "f":
            return "keiner", _weak(tokens, phrase, "er")
        return "kein", {}
    if "en" in endings:
        return "keinen", {}
    return _kein_alone(noun, plural, subject), {}


def _plural(noun: str, phrase: Phrase, subject: bool, finite: str) -> bool | None:
    if subject and finite in lexicon.PLURAL_FINITE:
        return True
    if subject and finite in lexicon.SINGULAR_FINITE:
        return False
    return True if phrase.joined and lexicon.is_plural(noun) else lexicon.is_plural(noun)


def _kein_alone(noun: str, plural: bool | None, subject: bool) -> str:
    """Return "kein" before a noun without adjective, whose gender and number nothing else shows."""
    if plural:
        return "keine"
    known = lexicon.gender(noun) if plural is not None else None
    if known is None:
        raise UnsureError("abstain:morphology", f'gender or number of "{noun}" cannot be told from its form')
    return {"f": "keine", "n": "kein", "m": "kein" if subject else "keinen"}[known]


def _weak(tokens: list[Token], phrase: Phrase, strong: str) -> dict[int, str]:
    """Return the adjectives that have a strong ending with the weak ending "en"."""
    return {
        position: tokens[position].text[: -len(strong)] + "en"
        for position in phrase.adjectives
        if tokens[position].low.endswith(strong)
    }


def without_kein(
    tokens: list[Token], article: int, phrase: Phrase, subject: bool, finite: str
) -> dict[int, str]:
    """Return the changes that turn a phrase with "kein" into an affirmative one; "" removes a token.

    A singular gets "ein", a plural or a mass noun nothing; without an article adjectives are strong.

    Raises:
        UnsureError: If the number cannot be told.
    """
    form, noun = tokens[article].low, tokens[phrase.head].text
    positions = [k for k in range(article + 1, phrase.head) if lexicon.is_inflected(tokens[k].low)]
    if form == "keine":
        plural = _number_after_keine(tokens, positions, noun, subject, finite)
        if plural is None:
            raise UnsureError(
                "abstain:morphology", f'whether "{noun}" is a singular cannot be told from its form'
            )
    else:
        plural = form == "keinen" and lexicon.is_plural(noun) is True and noun.endswith("n") and not positions
    if not plural and not lexicon.is_mass(noun):
        return {article: tokens[article].text.removeprefix("k").removeprefix("K")}
    strong = {"keine": "e", "kein": "", "keinen": "en", "keinem": "em", "keiner": "er", "keines": "en"}[form]
    changes = {article: ""}
    for position in positions:
        text = tokens[position].text
        if text.endswith("en") and form in ("keine", "keinem", "keiner"):
            changes[position] = text[:-2] + strong
    return changes


def _number_after_keine(
    tokens: list[Token], adjectives: list[int], noun: str, subject: bool, finite: str
) -> bool | None:
    if adjectives:
        return tokens[adjectives[-1]].low.endswith("en")
    if subject and finite in lexicon.PLURAL_FINITE:
        return True
    if subject and finite in lexicon.SINGULAR_FINITE:
        return False
    return lexicon.is_plural(noun)
