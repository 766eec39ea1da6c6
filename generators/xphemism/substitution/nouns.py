"""Substitution of nouns, and of the words that agree with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as word_classes
from polbias.generators.xphemism.substitution.case_evidence import (
    agreements,
    government,
    is_coordinated,
    narrow_agreements,
    phrase_at,
)
from polbias.generators.xphemism.substitution.case_roles import (
    check_dative,
    check_number,
    check_relative,
    is_abstract,
    is_person,
    possessive_changes,
    role_of,
)
from polbias.generators.xphemism.substitution.clause import clause_at, finite_number, inflect_finite
from polbias.generators.xphemism.substitution.edits import NeedsReviewError, Span, token_change
from polbias.generators.xphemism.substitution.phrase import NounPhrase, ending_of, read_phrase
from polbias.generators.xphemism.substitution.words import Agreement, Tokens
from polbias.generators.xphemism.vocabulary.lexicon import Word
from polbias.generators.xphemism.vocabulary.paradigms import (
    CASES,
    Case,
    Number,
    Reading,
    Strength,
    adjective_ending,
    gender_of,
    genders,
    inflect,
)

# Nouns without article: the exchange word has none either, or takes the definite article.


def takes_article(
    tokens: Tokens, phrase: NounPhrase, old: Agreement, new: Number, base: Word, exchange: Word
) -> bool:
    """Whether the exchange word takes the definite article although the base word has none.

    A collective does ("Medien" to "die Lügenpresse"); an abstract noun does not ("Proteste" to
    "Bürgerengagement").

    Raises:
        NeedsReviewError: if the exchange word may need an article, or the noun follows another noun.
    """
    if _has_article_substitute(tokens, phrase):
        return False
    _check_juxtaposed(tokens, phrase, old)
    if new == "pl":
        return False
    is_collective = (exchange.head or "").lower().endswith(word_classes.COLLECTIVE)
    if old.number == "pl":
        if not is_collective and exchange.plural is not None:
            raise NeedsReviewError(
                "article", f'the plural becomes a singular, and "{exchange.word}" may need an article'
            )
        return is_collective
    if not phrase.attributes and is_collective and is_abstract(base):
        return True
    is_headline = tokens[-1].kind != "mark"
    if phrase.attributes or is_abstract(exchange) or is_headline:
        return False
    if old.case == "acc" and exchange.plural == exchange.singular and not exchange.modifiers:
        # "Anspruch auf Almosen": the plural has the same form and needs no article.
        return False
    raise NeedsReviewError(
        "article", f'"{exchange.word}" can be counted and may need an article in the singular'
    )


def add_article(
    tokens: Tokens, phrase: NounPhrase, agreement: Agreement, spans: Iterable[Span]
) -> tuple[Span, ...]:
    """Return the changes of a phrase without determiner, plus a definite article before it."""
    article = word_classes.determiner_form(word_classes.DEFINITE, agreement)
    if phrase.preposition is not None:
        index = phrase.preposition
        contraction = word_classes.CONTRACTED.get((tokens[index].low, article))
        return (
            *token_change(tokens, index, contraction or f"{tokens[index].text} {article}", "preposition"),
            *spans,
        )
    start = min((phrase.head, *phrase.attributes))
    other_spans = [span for span in spans if not span.first <= start <= span.last]
    unchanged = Span(start, start, tokens[start].text, "determiner")
    opening = next((span for span in spans if span.first <= start <= span.last), unchanged)
    text = opening.text
    if start in phrase.attributes:
        text = text[:1].lower() + text[1:]
    return (Span(opening.first, opening.last, f"{article} {text}", opening.kind), *other_spans)


def _check_juxtaposed(tokens: Tokens, phrase: NounPhrase, old: Agreement) -> None:
    """Raise NeedsReviewError after a noun that no preposition governs (allowed: "im Jahr Proteste")."""
    previous = tokens[phrase.head - 1] if phrase.head else None
    if (
        previous is None
        or not previous.is_noun
        or previous.begins_sentence
        or previous.text in word_classes.AMOUNTS
    ):
        return
    if phrase.preposition is not None or old.case == "gen" or phrase.head - 1 in phrase.attributes:
        return
    if read_phrase(tokens, phrase.head - 1).preposition is None:
        raise NeedsReviewError("juxtaposed", "it directly follows a noun, and their relation is not clear")


def _has_article_substitute(tokens: Tokens, phrase: NounPhrase) -> bool:
    """Whether a quantifier, a genitive or "als" replaces the article."""
    start = min((phrase.head, *phrase.attributes))
    if not start:
        return False
    previous = tokens[start - 1]
    return (
        previous.low in word_classes.INVARIABLE
        or previous.low == "als"
        or (previous.is_noun and previous.low.endswith("s"))
    )


# Agreement outside the noun phrase: verb, relative pronoun, "eine der ...".


def governs_verb(tokens: Tokens, phrase: NounPhrase, last: int, number: Number, coordinated: bool) -> bool:
    """Whether the phrase is the only subject of the finite verb of its clause."""
    clause = clause_at(tokens, phrase.head)
    if coordinated or clause.finite is None or finite_number(tokens[clause.finite].low) != number:
        return False
    return role_of(tokens, phrase, last, number, coordinated) == "nom"


def _change_verb(tokens: Tokens, index: int, number: Number) -> tuple[Span, ...]:
    """Return the change of a finite verb to another number."""
    form = inflect_finite(tokens[index].low, number)
    if form is None:
        raise NeedsReviewError(
            "verb-form", f'the verb "{tokens[index].text}" has no known form in the other number'
        )
    return token_change(tokens, index, form, "verb")


def _change_verbs(tokens: Tokens, finite: int, old: Number, new: Number) -> Iterator[Span]:
    """Yield the changes of the finite verb of a clause, and of finite verbs after "und", "oder", "sowie"."""
    yield from _change_verb(tokens, finite, new)
    for index in range((finite or len(tokens)) + 2, len(tokens)):
        if tokens[index - 1].low in ("und", "oder", "sowie") and finite_number(tokens[index].low) == old:
            yield from _change_verb(tokens, index, new)


# Maximum tokens of an attribute after its noun.
_MAX_ATTRIBUTE = 8


def relative_spans(tokens: Tokens, last: int, old: Agreement, new: Agreement) -> tuple[Span, ...]:
    """Return the change of the relative pronoun of the noun, and of its verb if the number changes.

    Raises:
        NeedsReviewError: if the relative clause, its antecedent or the case of the pronoun is unclear.
    """
    index = last + 2
    if old.column == new.column or index >= len(tokens):
        return ()
    if tokens[last + 1].text != ",":
        far_index = _far_relative(tokens, last, old)
        if far_index is None:
            return ()
        index = far_index
    allowed_cases: tuple[Case, ...] = CASES
    if tokens[index].low in word_classes.PREPOSITIONS and index + 1 < len(tokens):
        allowed_cases = word_classes.PREPOSITIONS[tokens[index].low]
        index += 1
    low = tokens[index].low
    table = next(
        (table for table in (word_classes.RELATIVES, word_classes.WELCH) if low in table[old.column]), None
    )
    if table is None:
        return ()
    next_token = tokens[min(index + 1, len(tokens) - 1)]
    if next_token.low.endswith(("ste", "sten", "ßte", "ßten")) and not next_token.is_noun:
        raise NeedsReviewError("apposition", f'"{low} {next_token.text}" refers to the word')
    clause = clause_at(tokens, index)
    has_final_verb = clause.finite is not None and max(index, clause.token_indices[-1] - 2) < clause.finite
    if clause.finite is None or not has_final_verb or clause.finite == index + 1 != clause.token_indices[-1]:
        if index > last + 2 or low in ("dessen", "deren", "dem", "denen"):
            raise NeedsReviewError("relative-pronoun", f'the end of the clause with "{low}" is not clear')
        return ()
    cases = [case for case in CASES if table[old.column][CASES.index(case)] == low and case in allowed_cases]
    forms = {case: table[new.column][CASES.index(case)] for case in cases}
    if low not in ("dessen", "deren") and len(cases) > 1 and "gen" in cases:
        cases.remove("gen")
    if {"nom", "acc"} <= set(cases):
        is_subject = _relative_is_subject(tokens, index, clause.finite, clause.token_indices, old.number)
        if is_subject is not None:
            cases = ["nom" if is_subject else "acc"]
    pronouns = {forms[case] for case in cases}
    if len(pronouns) != 1:
        raise NeedsReviewError(
            "relative-pronoun", f'the case of the relative pronoun "{tokens[index].text}" is not clear'
        )
    verb: tuple[Span, ...] = ()
    verb_agrees = old.number != new.number and finite_number(tokens[clause.finite].low) == old.number
    if verb_agrees and {"nom", "acc"} <= set(cases):
        raise NeedsReviewError(
            "relative-pronoun", f'"{tokens[index].text}" may be the subject or the object of its clause'
        )
    if verb_agrees and cases == ["nom"]:
        verb = _change_verb(tokens, clause.finite, new.number)
    return (*token_change(tokens, index, pronouns.pop(), "pronoun"), *verb)


def _far_relative(tokens: Tokens, last: int, old: Agreement) -> int | None:
    """Return the index where the relative clause begins after an attribute of the noun, None without one.

    In "die Offensive auf den Ort, die ..." only "Offensive" is feminine; with "auf die Stadt" the pronoun is
    ambiguous.
    """
    attribute_openers = (
        word_classes.PREPOSITIONS.keys() | word_classes.CONTRACTIONS.keys() | german.GENITIVE_ARTICLES
    )
    comma = next(
        (i for i in range(last + 2, min(last + _MAX_ATTRIBUTE, len(tokens))) if tokens[i].text == ","), None
    )
    # "führte die Abgabe ein, die ..."
    has_prefix = comma == last + 2 and tokens[last + 1].low in german.PREFIXES
    if (
        comma is None
        or comma + 1 >= len(tokens)
        or not (has_prefix or tokens[last + 1].low in attribute_openers)
    ):
        return None
    if any(
        tokens[i].low in word_classes.FINITE or tokens[i].low in german.FINITE for i in range(last + 1, comma)
    ):
        return None
    pronoun = comma + 1 + (tokens[comma + 1].low in word_classes.PREPOSITIONS and comma + 2 < len(tokens))
    low, rival = tokens[pronoun].low, tokens[comma - 1].text
    if not any(low in table[old.column] for table in (word_classes.RELATIVES, word_classes.WELCH)):
        return None
    if has_prefix:
        return comma + 1
    rival_index = comma - 1
    # a place name has no article and is neuter
    is_place_name = (
        tokens[last + 1].low in ("in", "auf", "aus", "nach", "bei")
        and read_phrase(tokens, rival_index).determiner is None
    )
    column = "n" if is_place_name else None
    if german.is_known(rival):
        column = "pl" if german.is_plural(rival) else german.gender(rival)
    if column and not any(low in table[column] for table in (word_classes.RELATIVES, word_classes.WELCH)):
        return comma + 1
    raise NeedsReviewError(
        "relative-pronoun", f'"{tokens[pronoun].text}" may belong to the noun that is exchanged'
    )


def _relative_is_subject(
    tokens: Tokens, index: int, finite: int, indices: tuple[int, ...], number: Number
) -> bool | None:
    if finite_number(tokens[finite].low) != number:
        return False
    between = [tokens[i] for i in indices if index < i < finite]
    if between and between[0].is_noun and number == "pl" and german.is_plural(between[0].text) is True:
        # "Vorteile, die Beamte genießen"; "Vorteile, die Arbeitsplätze sichern" needs a review.
        noun = between[0].text
        return False if german.is_person(noun) or noun.lower().endswith(word_classes.PERSONAL) else None
    if any(token.low in word_classes.SUBJECT_PRONOUNS or token.low in ("sie", "es") for token in between[:1]):
        return False
    if len(between) > 1 and between[0].is_noun and between[1].low in word_classes.DETERMINER_FORMS:
        return None  # "die Trump den Demokraten vorwirft"
    if between and between[0].low in word_classes.DETERMINER_FORMS:
        # "die der Bund erhebt": the next phrase is the subject if it is nominative and agrees with the verb.
        following = next((token for token in between[1:] if token.is_noun), None)
        if between[0].low == "der" and following and german.gender(following.text) == "m":
            return False
        if between[0].low in ("die", "das", "eine", "ein"):
            return None
    return True


def partitive_spans(
    tokens: Tokens, phrase: NounPhrase, last: int, case: Case, base: Word, exchange: Word
) -> tuple[Span, ...]:
    """Return the change of the pronoun in "eine der ältesten ...", before a genitive plural or "von"."""
    index = phrase.first - 1
    has_von = phrase.preposition is not None and tokens[phrase.preposition].low == "von"
    if index < 0 or not ((case == "dat" and has_von) or (case == "gen" and phrase.determiner is not None)):
        return ()
    old, new = genders(base), genders(exchange)
    low = tokens[index].low
    if len(old) != 1 or len(new) != 1 or old == new:
        return ()
    for table in word_classes.PRONOUNS.values():
        cases = [case for case, form in zip(CASES, table[old[0]], strict=True) if form == low]
        if not cases:
            continue
        if index and tokens[index - 1].low in word_classes.PREPOSITIONS:
            cases = [
                case for case in cases if case in word_classes.PREPOSITIONS[tokens[index - 1].low]
            ] or cases
        forms = {table[new[0]][CASES.index(case)] for case in cases if case != "gen" or len(cases) == 1}
        if len(forms) > 1 and set(cases) == {"nom", "acc"}:
            pronoun = NounPhrase(index, (), index)
            role = role_of(tokens, pronoun, last, "sg", False)
            forms = {table[new[0]][CASES.index(role)]} if role else forms
        if len(forms) != 1:
            raise NeedsReviewError("pronoun", f'the case of "{tokens[index].text}" is not clear')
        if any(token.low in word_classes.PERSONAL_PRONOUNS[old[0]] for token in tokens[last:]):
            raise NeedsReviewError("pronoun", f'another pronoun may refer to "{tokens[index].text}"')
        return token_change(tokens, index, forms.pop(), "pronoun")
    return ()


# Nouns: inflect the exchange word like the base word, and its phrase in agreement.


@dataclass(frozen=True, slots=True)
class NounHit:
    """A noun to exchange.

    Attributes:
        first: index of its first token.
        last: index of its last token.
        base: word of the lexicon.
        readings: readings of its form.
        prefix: letters before it in a compound, "" otherwise.
    """

    first: int
    last: int
    base: Word
    readings: tuple[Reading, ...]
    prefix: str


def exchange_noun(tokens: Tokens, hit: NounHit, exchange: Word) -> tuple[Span, ...]:
    """Return the changes that exchange a noun.

    Raises:
        NeedsReviewError: if no reading fits, or the remaining readings lead to different results.
    """
    phrase = phrase_at(tokens, hit.first, hit.readings)
    exchange = _without_repeated(tokens, phrase, exchange)

    @cache
    def result(agreement: Agreement) -> tuple[Span, ...] | NeedsReviewError:
        try:
            return _noun_changes(tokens, phrase, hit, exchange, agreement)
        except NeedsReviewError as error:
            return error

    def is_decided(agreements_left: Sequence[Agreement]) -> bool:
        results = [result(agreement) for agreement in agreements_left]
        return all(spans == results[0] and not isinstance(spans, NeedsReviewError) for spans in results)

    candidates = agreements(tokens, phrase, hit.readings, hit.base)
    if not candidates:
        raise NeedsReviewError("no-reading", f'"{hit.base.word}" has a form here without known case')
    remaining = narrow_agreements(tokens, phrase, hit.last, candidates, is_decided)
    is_ambiguous = {("acc", "sg"), ("dat", "pl")} <= {
        (agreement.case, agreement.number) for agreement in candidates
    }
    if is_ambiguous and phrase.determiner == 0:  # "Den Patienten half der Arzt", "Den Patienten sah der Arzt"
        raise NeedsReviewError("ambiguous-case", f'"Den {tokens[hit.first].text}" may be one or several')
    cases = government(tokens, phrase, hit.last)
    has_determiner = phrase.determiner is not None and clause_at(tokens, phrase.head).kind != "zu"
    if (
        has_determiner
        and cases
        and "gen" not in cases
        and all(agreement.case not in cases for agreement in candidates)
    ):
        raise NeedsReviewError("no-reading", f'"{hit.base.word}" has no case here that the preposition takes')
    changes = result(remaining[0])
    if isinstance(changes, NeedsReviewError):
        raise changes
    if not is_decided(remaining):
        options = " or ".join(
            dict.fromkeys(f"{agreement.case} {agreement.number}" for agreement in remaining)
        )
        raise NeedsReviewError(
            "ambiguous-case", f'"{tokens[hit.first].text}" can be {options}, with different results'
        )
    return changes


def _without_repeated(tokens: Tokens, phrase: NounPhrase, exchange: Word) -> Word:
    """Return the exchange word without adjectives that stand before the noun already.

    Raises:
        NeedsReviewError: if only some of them stand there, or others stand between them and the noun.
    """
    stems = [tokens[index].low.removesuffix(ending_of(tokens[index].low)) for index in phrase.attributes]
    modifiers = [modifier.lower() for modifier in exchange.modifiers]
    if set(stems).isdisjoint(modifiers):
        return exchange
    if stems[-len(modifiers) :] != modifiers:
        raise NeedsReviewError("already-there", f'"{exchange.word}" repeats an adjective of the claim')
    return exchange.model_copy(update={"modifiers": ()})


def target_number(
    base: Word, exchange: Word, number: Number, is_counted: bool, is_subject: bool, is_bare: bool = False
) -> Number:
    """Return the number of the exchange word.

    Default: the number of the base word, if the exchange word has it. If the pair lists its words in
    different numbers and the base word has its listed number, the exchange word takes its listed number,
    unless other words of the claim show the number: the article of a single thing ("ein Rückgang"), or the
    verb of a countable noun. A countable noun keeps the plural, and a person keeps its number.

    Args:
        base: word in the claim.
        exchange: word that replaces it.
        number: number of the base word in the claim.
        is_counted: whether the determiner only has singular forms ("ein").
        is_subject: whether the verb agrees with the noun alone.
        is_bare: whether the noun has no determiner, and the exchange word has a plural.
    """
    numbers: tuple[Number, ...] = ("sg", "pl")
    available = [candidate for candidate in numbers if inflect(exchange, "nom", candidate)]
    if number not in available and available:
        return available[0]
    is_body = (exchange.head or "").lower().endswith(word_classes.BODIES)
    if number == "pl" and is_person(base) and is_body and not is_counted and not is_bare:
        return "sg"  # several rulers are one government
    citation = exchange.citation
    if citation is None or base.citation is None or number != base.citation or citation == base.citation:
        return number
    if is_person(base) and is_person(exchange):
        return number
    is_countable = base.singular is not None and base.plural is not None
    if number == "sg" and (is_counted or (is_countable and is_subject and not is_person(exchange))):
        return number
    if number == "pl" and exchange.plural is not None and (not is_abstract(exchange) or is_bare):
        return number
    return citation if citation in available else number


def _noun_changes(
    tokens: Tokens, phrase: NounPhrase, hit: NounHit, exchange: Word, old: Agreement
) -> tuple[Span, ...]:
    determiner = phrase.find_determiner(tokens)
    is_counted = determiner is not None and determiner.stem in word_classes.SINGULAR_ONLY
    # "Eine solche Förderung" names a kind and does not count.
    is_kind = any(tokens[index].low.startswith("solche") for index in phrase.attributes)
    is_counted = is_counted and not (is_kind and hit.base.plural is None)
    coordinated, finite = is_coordinated(tokens, phrase, hit.last), clause_at(tokens, phrase.head).finite
    is_subject = old.case == "nom" and governs_verb(tokens, phrase, hit.last, old.number, coordinated)
    # "Die Zahl der Maßnahmen": a number of several.
    is_amount = (
        phrase.first > 0 and tokens[phrase.first - 1].low in word_classes.AMOUNT_NOUNS and old.case == "gen"
    )
    is_bare = (determiner is None or is_amount) and exchange.plural is not None
    number = target_number(hit.base, exchange, old.number, is_counted, is_subject, is_bare)
    new = Agreement(old.case, number, gender_of(exchange, old.gender) if number == "sg" else None)
    if number != old.number:
        check_number(tokens, phrase, determiner)
        verb_agrees = finite is not None and finite_number(tokens[finite].low) == old.number
        if old.case == "nom" and verb_agrees and not (is_subject or coordinated):
            raise NeedsReviewError(
                "number", f'whether the verb belongs to "{tokens[phrase.head].text}" is not clear'
            )
    elif number == "pl" and (exchange.note or "").startswith("plural rare"):
        raise NeedsReviewError("rare-plural", f'"{exchange.word}" hardly has a plural')
    adds_article = determiner is None and takes_article(tokens, phrase, old, number, hit.base, exchange)
    check_dative(tokens, phrase, old, new)
    check_relative(tokens, phrase, hit.base, old, new)
    determiner_spans, strength = _change_determiner(tokens, phrase, determiner, old, new)
    strength = "weak" if adds_article else strength
    phrase_spans = (
        *_change_adjectives(tokens, phrase, old, new, strength),
        _change_noun(tokens, phrase, hit, exchange, new, strength, determiner is None),
    )
    return (
        *determiner_spans,
        *(add_article(tokens, phrase, new, phrase_spans) if adds_article else phrase_spans),
        *(
            _change_verbs(tokens, finite, old.number, number)
            if is_subject and finite is not None and number != old.number
            else ()
        ),
        *relative_spans(tokens, hit.last, old, new),
        *possessive_changes(tokens, phrase, hit.last, old, new),
        *partitive_spans(tokens, phrase, hit.last, old.case, hit.base, exchange),
    )


def _change_determiner(
    tokens: Tokens,
    phrase: NounPhrase,
    determiner: word_classes.Determiner | None,
    old: Agreement,
    new: Agreement,
) -> tuple[tuple[Span, ...], Strength]:
    """Return the change of determiner or contraction, and the adjective declension after it."""
    if determiner is None:
        return (), "strong"
    form = word_classes.determiner_form(determiner, new)
    strength: Strength = determiner.strength if form else "strong"
    if old.column == new.column:
        return (), strength
    if phrase.contracted and phrase.preposition is not None:
        preposition, article = word_classes.CONTRACTIONS[tokens[phrase.preposition].low]
        if article == form:
            return (), strength
        text = word_classes.CONTRACTED.get((preposition, form), f"{preposition} {form}")
        return token_change(tokens, phrase.preposition, text, "preposition"), strength
    assert phrase.determiner is not None
    if phrase.preposition is not None and determiner == word_classes.DEFINITE:
        preposition = tokens[phrase.preposition].low
        contraction = word_classes.CONTRACTED.get((preposition, form))
        # "Ins Gefängnis", but with an adjective "in das alte Gefängnis", like "in die alte ...".
        is_separate = new.case == "acc" and bool(phrase.attributes)
        if (
            contraction
            and not is_separate
            and (preposition, tokens[phrase.determiner].low) not in word_classes.CONTRACTED
        ):
            if tokens[phrase.preposition].text[0].isupper():
                contraction = contraction.capitalize()
            return (Span(phrase.preposition, phrase.determiner, contraction, "preposition"),), strength
    if not form:
        return (Span(phrase.determiner, phrase.determiner, "", "determiner"),), strength
    return token_change(tokens, phrase.determiner, form, "determiner"), strength


def _change_adjectives(
    tokens: Tokens, phrase: NounPhrase, old: Agreement, new: Agreement, strength: Strength
) -> tuple[Span, ...]:
    if old.column == new.column:
        return ()
    ending = adjective_ending(new.case, new.number, strength, new.gender)
    spans: list[Span] = []
    for index in phrase.attributes:
        text = tokens[index].text
        stem = text.removesuffix(ending_of(text))
        if stem + ending != text:
            spans.append(Span(index, index, stem + ending, "adjective"))
    previous = tokens[phrase.head - 1] if phrase.head else None
    if previous is not None and previous.low in ("viel", "wenig") and old.number != new.number == "pl":
        spans.append(Span(phrase.head - 1, phrase.head - 1, previous.text + ending, "adjective"))
    return tuple(spans)


def _change_noun(
    tokens: Tokens,
    phrase: NounPhrase,
    hit: NounHit,
    exchange: Word,
    new: Agreement,
    strength: Strength,
    lacks_determiner: bool,
) -> Span:
    case = new.case
    preposition = tokens[phrase.preposition].low if phrase.preposition is not None else ""
    if (
        case == "gen"
        and lacks_determiner
        and not phrase.attributes
        and preposition in word_classes.BARE_UNMARKED
    ):
        case = "acc"
    forms = inflect(exchange, case, new.number, strength, new.gender)
    if not forms:
        raise NeedsReviewError("no-form", f'"{exchange.word}" has no form in the {new.number} {new.case}')
    form = forms[0]
    if hit.prefix:
        form = hit.prefix + (form if hit.prefix.endswith("-") else form[:1].lower() + form[1:])
    # A hashtag ends at a blank: a phrase also replaces the "#".
    first = hit.first - (" " in form and hit.first > 0 and tokens[hit.first - 1].text == "#")
    return Span(first, hit.last, form, "word")
