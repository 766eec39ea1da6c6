"""Where rules of agreement are not enough: another number, or a noun that may need an article."""

from __future__ import annotations

from polbias.generators.xphemism.paradigms import Number
from polbias.generators.xphemism.substitution import closed_classes as closed
from polbias.generators.xphemism.substitution.clause import clause_at, is_finite, takes
from polbias.generators.xphemism.substitution.closed_classes import Agreement
from polbias.generators.xphemism.substitution.phrase import Phrase
from polbias.generators.xphemism.substitution.result import ReviewError
from polbias.generators.xphemism.substitution.tokens import Token
from polbias.generators.xphemism.substitution.verbs import is_reported
from polbias.generators.xphemism.words import Word


def check_number(tokens: tuple[Token, ...], phrase: Phrase, determiner: closed.Determiner | None) -> None:
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


def check_bare(
    tokens: tuple[Token, ...], phrase: Phrase, old: Agreement, new: Number, base: Word, exchange: Word
) -> None:
    """Refuse a singular that may need an article where the base word stands without one, or the reverse.

    Args:
        tokens: of the claim.
        phrase: of the noun, without determiner.
        old: case and number of the base word.
        new: number of the exchange word.
        base: the base word.
        exchange: the exchange word.

    Raises:
        ReviewError: If it may.
    """
    if _possessed(tokens, phrase):
        return
    before = tokens[phrase.head - 1] if phrase.head else None
    beside = before is not None and before.is_noun and not before.opens and before.text not in closed.AMOUNTS
    if beside and phrase.preposition is None and old.case != "gen":
        raise ReviewError(
            "juxtaposed", "it stands right after a noun, and how they belong together is not clear"
        )
    if new == "pl" or phrase.attributes:
        return
    if old.number == "pl":
        raise ReviewError(
            "article", f'the plural becomes a singular, and "{exchange.word}" may need an article'
        )
    # "Trotz Sperre" is as good as "trotz Streik": after a preposition the base word did without article, too.
    if not is_abstract(exchange) and (phrase.preposition is None or is_abstract(base)):
        raise ReviewError(
            "article", f'"{exchange.word}" can be counted and may need an article in the singular'
        )


def check_possessive(tokens: tuple[Token, ...], last: int, old: Agreement, new: Agreement) -> None:
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


def check_dative(tokens: tuple[Token, ...], phrase: Phrase, old: Agreement, new: Agreement) -> None:
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


def _possessive(agreement: Agreement) -> str:
    return "sein" if agreement.column in ("m", "n") else "ihr"


def check_mood(tokens: tuple[Token, ...], place: int) -> None:
    """Refuse a main clause in the subjunctive of reported speech without a verb that reports it.

    Such a clause is no assertion of its own ("Das Ministerium habe gezahlt"), and a grammar check turns its
    verb into the indicative, so that the two claims of the pair would differ in more than the word.

    Args:
        tokens: of the claim.
        place: of the noun.

    Raises:
        ReviewError: If the clause is one.
    """
    clause = clause_at(tokens, place)
    if clause.kind != "second" or clause.finite is None or not tokens[clause.places[0]].opens:
        return
    if any(tokens[each].low in closed.SOURCES for each in clause.places):
        return
    after = clause.places[-1] + 1
    if after + 1 < len(tokens) and tokens[after].text in ',“”"' and is_finite(tokens, after + 1):
        # "..., sagte der Minister."
        return
    low = tokens[clause.finite].low
    if is_reported(low):
        raise ReviewError(
            "reported-speech", f'"{tokens[clause.finite].text}" is reported speech; settle the mood first'
        )


def is_abstract(word: Word) -> bool:
    """Return whether a noun names what is not counted first of all."""
    return word.plural is None or (word.head or "").endswith(closed.ABSTRACT)


def _possessed(tokens: tuple[Token, ...], phrase: Phrase) -> bool:
    """Return whether a quantity, a genitive or "als" before the noun does the work of an article."""
    start = min((phrase.head, *phrase.attributes))
    if not start:
        return False
    before = tokens[start - 1]
    return (
        before.low in closed.INVARIABLE
        or before.low == "als"
        or (before.is_noun and before.low.endswith("s"))
    )
