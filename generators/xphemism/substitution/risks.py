"""Where rules of agreement are not enough: another number, or a noun that may need an article."""

from __future__ import annotations

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.clause import clause_at, finite_number, is_finite, takes
from polbias.generators.xphemism.substitution.phrase import Phrase
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.tokens import Tokens
from polbias.generators.xphemism.substitution.verbs import is_reported
from polbias.generators.xphemism.substitution.words import Agreement
from polbias.generators.xphemism.words import Word


def check_number(tokens: Tokens, phrase: Phrase, determiner: closed.Determiner | None) -> None:
    """Refuse another number where the claim counts, or after a contraction, whose article a plural may drop.

    Args:
        tokens: of the claim.
        phrase: of the noun whose number changes.
        determiner: of the phrase.

    Raises:
        ReviewError: If it does.
    """
    counted = any(tokens[place].low in closed.COUNTING for place in phrase.attributes)
    counted |= any(tokens[place].kind == "number" for place in range(phrase.first, phrase.head))
    if counted or (determiner is not None and determiner.stem in closed.NUMBER_MATTERS):
        raise ReviewError("counted", "the exchange word has another number, and the claim counts")
    if phrase.contracted:
        raise ReviewError("number", "after a contraction the plural can stand with and without article")


def check_possessive(tokens: Tokens, last: int, old: Agreement, new: Agreement) -> None:
    """Refuse another gender where a possessive later in the sentence can refer to the noun ("ihre Kosten").

    Args:
        tokens: of the claim.
        last: place of the last token of the noun.
        old: agreement of the base word.
        new: that of the exchange word.

    Raises:
        ReviewError: If one does.
    """
    before, after = _possessive(old), _possessive(new)
    if before == after or old.case != "nom":
        return
    for token in tokens[last + 1 :]:
        if token.opens or token.text in ".!?":
            return
        determiner = closed.determiner_of(token.low)
        if determiner is not None and determiner.stem == before:
            raise ReviewError(
                "possessive", f'"{token.text}" may refer to the word, whose gender or number changes'
            )


def check_dative(tokens: Tokens, phrase: Phrase, old: Agreement, new: Agreement) -> None:
    """Refuse "ihr" before a noun where it may be a pronoun in the dative: "wird ihr Rassismus vorgeworfen".

    Args:
        tokens: of the claim.
        phrase: of the noun.
        old: agreement of the base word.
        new: that of the exchange word.

    Raises:
        ReviewError: If it may.
    """
    if phrase.determiner is None or tokens[phrase.determiner].low != "ihr" or old.column == new.column:
        return
    if takes(tokens, phrase.head, closed.DATIVE_VERBS):
        raise ReviewError("dative-pronoun", '"ihr" may be a possessive or a pronoun in the dative')


def check_relative(tokens: Tokens, phrase: Phrase, base: Word, old: Agreement, new: Agreement) -> None:
    """Refuse what may be a relative pronoun before a noun: "ein Zuschlag, der Armut verhindert".

    Args:
        tokens: of the claim.
        phrase: of the noun.
        base: the base word.
        old: its agreement.
        new: that of the exchange word.

    Raises:
        ReviewError: If it may be one, and would be changed as an article.
    """
    if phrase.determiner is None or old.column == new.column or not is_abstract(base):
        return
    if clause_at(tokens, phrase.head).opener == phrase.determiner:
        raise ReviewError("relative-or-article", f'"{tokens[phrase.determiner].text}" may be relative')


def _possessive(agreement: Agreement) -> str:
    return "sein" if agreement.column in ("m", "n") else "ihr"


def check_text(tokens: Tokens, last: int, compound: bool) -> None:
    """Refuse a claim whose text has to be settled first: a grammar check would change more than the word.

    That is a headline without its article ("Video zeigt ..."), a missing comma before a clause, and a word
    with a second form after a stroke ("Schritt/e").

    Args:
        tokens: of the claim.
        last: place of the last token of the noun.
        compound: whether that is a compound with the word as one of its members.

    Raises:
        ReviewError: If it has.
    """
    after = tokens[last + 1 : last + 3]
    if len(after) == 2 and after[0].text == "/" and after[1].text[0].islower():
        joined = tokens[last].end == after[0].start and after[0].end == after[1].start
        if joined:
            raise ReviewError("token", f'"{tokens[last].text}" goes on after the word')
    for place, token in enumerate(tokens[:-1]):
        known = token.low in closed.HEADLINES or (
            compound
            and place == last
            and (german.is_plural(token.text) is not True and not token.low.endswith(closed.ABSTRACT))
        )
        if (
            token.opens
            and known
            and is_finite(tokens, place + 1)
            and (finite_number(tokens[place + 1].low) == "sg")
        ):
            raise ReviewError("headline", f'"{token.text}" lacks its article; complete the sentence first')
        if _lacks_comma(tokens, place):
            raise ReviewError("comma", f'a comma is missing before "{tokens[place].text}"')


def _lacks_comma(tokens: Tokens, place: int) -> bool:
    """Return whether a clause begins without comma: "er weiß dass ...", "der Einzige der sich ..."."""
    if not place or tokens[place].opens:
        return False
    before, token, after = tokens[place - 1], tokens[place], tokens[place + 1]
    if token.text == "dass":
        denied = before.low == "nicht" and (place == 1 or tokens[place - 2].kind == "mark")
        return before.kind == "word" and before.low not in closed.BEFORE_DASS and not denied
    relative = token.text in ("der", "die", "das") and after.text == "sich"
    return relative and before.is_noun and not before.opens


def check_mood(tokens: Tokens) -> None:
    """Refuse a claim with a verb in the subjunctive of reported speech.

    Such a claim reports what somebody says ("Das Ministerium habe gezahlt"), and a grammar check turns its
    verb into the indicative, so that the two claims of the pair would differ in more than the word.

    Args:
        tokens: of the claim.

    Raises:
        ReviewError: If it has one.
    """
    for place, token in enumerate(tokens):
        beside = tokens[max(0, place - 1) : place + 2]
        reflexive = beside[-1].low == "sich"
        if not token.text[0].islower() or not is_reported(token.low, reflexive):
            continue
        if not reflexive and not is_finite(tokens, place):
            continue
        attribute = token.low not in closed.REPORTED and beside[-1].is_noun and beside[-1] is not token
        if attribute or any(each.low == "ich" for each in beside):
            continue
        raise ReviewError("reported-speech", f'"{token.text}" is reported speech; settle the mood first')


def is_abstract(word: Word) -> bool:
    """Return whether a noun names what is not counted first of all."""
    return word.plural is None or (word.head or "").endswith(closed.ABSTRACT)


def is_person(word: Word) -> bool:
    """Return whether a noun names persons: of the weak or adjectival declension, or an agent in "-er"."""
    agent = word.gender == "m" and (word.singular or "").endswith("er")
    return word.declension in ("weak", "adjectival") or agent
