"""German: negation by `kein`, negation of fronted phrases, and removal of a negation."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_clause import GermanClause
from polbias.generators.authoring.negation.german_phrases import ClausePhrase, PhraseReader
from polbias.generators.authoring.negation.german_text import AbstentionError, Edits, GermanToken, head_of
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.english import capitalize_first

# Operators before the finite verb: quantifiers, "nur", "auch", "mehr".


def front(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits | None:
    """Negate a clause that begins with an operator; None if it does not.

    An operator before the finite verb has scope over a later "nicht": "Alle Länder sollen X nicht tun"
    denies X of every country and is not the negation of "Alle Länder sollen X tun".
    """
    fronted = clause.front
    if not fronted and clause.low(0) in lexicon.FRONT_FOCUS:  # "Nur wer zahlt, soll ..."
        fronted = [0]
    if not fronted:
        return None
    words = [clause.low(position) for position in fronted]
    first = words[0]
    universal = first in lexicon.UNIVERSAL | {"viele"} or (
        first in lexicon.PREPOSITIONS and len(words) > 1 and words[1] in lexicon.UNIVERSAL
    )
    if universal or first in lexicon.FRONT_FOCUS:
        word = clause.tokens[fronted[0]].text
        explanation = f'"nicht" was put before "{word}", which would otherwise be outside its scope.'
        rule = "quantifier" if universal else "focus-word"
        return Edits(rule, explanation, inserted={fronted[0]: "nicht"}, lowered=fronted[0] == 0)
    if first in lexicon.DEGREE_FRONT:
        return _insert_expletive(clause, phrases)
    if first in lexicon.POSITIVE_QUANTIFIERS | lexicon.MANY_WORDS or words[:2] == ["die", "meisten"]:
        raise AbstentionError(
            "abstain:scope", f'"{first}" before the finite verb is outside the scope of a negation'
        )
    return None


def refuse_adverb(clause: GermanClause, position: int) -> None:
    """Abstain if "mehr" before a noun belongs to the verb in the parse: "mehr Schulen helfen"."""
    head = head_of(clause.tokens, position) if clause.low(position) == "mehr" else None
    if head and head.verbal:
        raise AbstentionError(
            "abstain:scope", '"mehr" belongs to the verb, and "nicht mehr" would read as "no longer"'
        )


def _insert_expletive(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits:
    """Move the subject after the finite verb, where it can be negated: "Es sollen nicht mehr ..."."""
    first = clause.tokens[clause.front[0]]
    refuse_adverb(clause, clause.front[0])
    has_noun = any(lexicon.is_noun(clause.tokens[position].text) for position in clause.front[1:])
    subject_follows = phrases and phrases[0].kind in ("definite", "pronoun") and not clause.passive
    is_contiguous = clause.front[0] == 0 and clause.front == list(range(clause.finite))
    if not has_noun or subject_follows or not is_contiguous or clause.kind == "lexical":
        raise AbstentionError(
            "abstain:scope", f'"{first.text}" before the finite verb is outside the scope of a negation'
        )
    finite = clause.tokens[clause.finite].text
    explanation = (
        f'The subject was put behind "{finite}" with "nicht" before "{first.low}", which so is in its scope.'
    )
    last = [*clause.middle, *clause.cluster, *clause.after][-1]
    ends = not clause.after and not any(token.kind == "word" for token in clause.tokens[last + 1 :])
    compares = any(token.low == "als" for token in clause.tokens)
    bound = {} if first.low != "mehr" or compares else {last: f"{clause.tokens[last].text} als bisher"}
    if bound and not ends:
        raise AbstentionError("abstain:scope", '"nicht mehr" can mean "no longer" or "not more"')
    return Edits(
        "expletive",
        explanation,
        replaced={clause.finite: "", **bound},
        inserted={0: "nicht"},
        lowered=True,
        opening=f"Es {finite}",
    )


# Articles and endings: "ein" to "kein", no article to "kein", and back.


_DIMINUTIVE = ("chen", "lein")  # the singular looks like the plural


def kein_before(clause: GermanClause, phrase: ClausePhrase, subject: bool) -> tuple[str, dict[int, str]]:
    """Return "kein" for a noun phrase without article, and its adjectives with their new endings.

    After "kein" an adjective is weak except in the nominative and accusative singular: "neue Steuern"
    becomes "keine neuen Steuern", while "direkte Hilfe" and "gutes Recht" keep their endings.
    """
    tokens, noun = clause.tokens, noun_of(clause, phrase)
    # a countable noun without an article is a plural
    has_same_plural = noun.endswith((*_DIMINUTIVE, "verfahren", "vorhaben", "abkommen", "unternehmen"))
    plural = _is_plural(clause, phrase, subject) or (has_same_plural and not phrase.adjectives)
    endings = {tokens[position].low[-2:] for position in phrase.adjectives}
    if any(ending.endswith("e") for ending in endings):
        if lexicon.gender(noun) in ("m", "n"):  # "zinslose Darlehen": the singular would be "zinsloses"
            plural = True
        return "keine", _weaken_adjectives(tokens, phrase, "e") if _require_number(plural, noun) else {}
    if "es" in endings:
        return "kein", {}
    if "em" in endings:
        return "keinem", _weaken_adjectives(tokens, phrase, "em")
    if "er" in endings:
        if lexicon.gender(noun) == "f":
            return "keiner", _weaken_adjectives(tokens, phrase, "er")
        return "kein", {}
    if "en" in endings:
        return "keinen", {}
    return _kein_for_bare_noun(noun, plural, subject), {}


def _is_plural(clause: GermanClause, phrase: ClausePhrase, subject: bool) -> bool | None:
    """Whether a noun is a plural, by its form or, for a subject, by the finite verb."""
    finite = clause.low(clause.finite)
    if subject and finite in lexicon.PLURAL_FINITE | lexicon.SINGULAR_FINITE:
        return finite in lexicon.PLURAL_FINITE
    return lexicon.is_plural(noun_of(clause, phrase))


def _require_number(plural: bool | None, noun: str) -> bool:
    if plural is None:
        raise AbstentionError(
            "abstain:morphology", f'the form of "{noun}" does not show whether it is a singular'
        )
    return plural


def _kein_for_bare_noun(noun: str, plural: bool | None, subject: bool) -> str:
    """Return "kein" before a noun without an adjective that would show gender and number."""
    if plural:
        return "keine"
    gender = lexicon.gender(noun) if plural is not None else None
    if gender is None:
        raise AbstentionError(
            "abstain:morphology", f'the form of "{noun}" does not show its gender or number'
        )
    return {"f": "keine", "n": "kein", "m": "kein" if subject else "keinen"}[gender]


def _weaken_adjectives(tokens: list[GermanToken], phrase: ClausePhrase, strong: str) -> dict[int, str]:
    """Return the adjectives with the weak ending "en" for the strong ending."""
    return {
        position: tokens[position].text[: -len(strong)] + "en"
        for position in phrase.adjectives
        if tokens[position].low.endswith(strong)
    }


def without_kein(clause: GermanClause, article: int, phrase: ClausePhrase, subject: bool) -> dict[int, str]:
    """Return the changes that make a phrase with "kein" affirmative; "" removes a token.

    A singular gets "ein", a plural or mass noun no article; without an article adjectives are strong.
    """
    tokens, form, noun = clause.tokens, clause.low(article), noun_of(clause, phrase)
    positions = [k for k in range(article + 1, phrase.head) if lexicon.is_inflected(tokens[k].low)]
    if form == "keine" and positions:
        plural = tokens[positions[-1]].low.endswith("en")
    elif form == "keine":
        plural = noun.endswith(_DIMINUTIVE) or _require_number(_is_plural(clause, phrase, subject), noun)
    else:
        plural = form == "keinen" and lexicon.is_plural(noun) is True and noun.endswith("n") and not positions
    if not plural and not noun.lower().endswith(lexicon.MASS):
        return {article: tokens[article].text.removeprefix("k").removeprefix("K")}
    strong = {"keine": "e", "kein": "", "keinen": "en", "keinem": "em", "keiner": "er", "keines": "en"}[form]
    changes = {article: ""}
    for position in positions:
        text = tokens[position].text
        if text.endswith("en") and form in ("keine", "keinem", "keiner"):
            changes[position] = text[:-2] + strong
    return changes


# Removal of an existing negation.


def undo(clause: GermanClause) -> Edits | None:
    """Return the changes that remove the negation of a main clause, or None if it has none."""
    positions = [*clause.front, *clause.middle, *clause.cluster, *clause.after]
    negative = lexicon.NEGATIVE_ARTICLES | lexicon.NEVER | lexicon.OTHER_NEGATIVES | {"nicht"}
    negations = [k for k in positions if clause.low(k) in negative and not _in_attribute(clause, k)]
    if not negations:
        return None
    if any(token.low == "sondern" for token in clause.tokens):
        raise AbstentionError("abstain:contrast", '"nicht ... sondern" sets two things against each other')
    if len(negations) > 1:
        raise AbstentionError("abstain:double", "there is more than one negation in the clause")
    position = negations[0]
    earlier_words = {clause.low(k) for k in positions if k < position}
    if earlier_words & lexicon.FRONT_FOCUS:
        raise AbstentionError(
            "abstain:contrast", "only one part of the statement is negated, and it is set against another"
        )
    if earlier_words & lexicon.GENERIC:
        raise AbstentionError(
            "abstain:scope", "a rule is denied, and without the negation the opposite rule is made"
        )
    low, before = clause.low(position), clause.low(position - 1) if position else ""
    if low in lexicon.OTHER_NEGATIVES:
        raise AbstentionError(
            "abstain:scope", f'"{low}" has no affirmative counterpart that means the exact opposite'
        )
    if before in ("noch", "auch"):
        raise AbstentionError(
            "abstain:scope", f'"{before} {low}" changes with the negation, not only loses it'
        )
    if low in lexicon.NEGATIVE_ARTICLES:
        return _remove_kein(clause, position)
    return _remove_nicht(clause, position, before)


def _in_attribute(clause: GermanClause, position: int) -> bool:
    """Whether a "nicht" negates an adjective before its noun: "von nicht verwertbarem Plastik"."""
    if clause.low(position) != "nicht" or position + 2 >= len(clause.tokens) or not position:
        return False
    openers = lexicon.DEFINITE | lexicon.INDEFINITE | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS
    if clause.low(position - 1) not in openers or clause.low(position + 1) in lexicon.DEFINITE:
        return False
    noun = lexicon.is_noun(clause.tokens[position + 2].text)
    return noun and lexicon.is_inflected(clause.low(position + 1))


def _remove_nicht(clause: GermanClause, position: int, before: str) -> Edits:
    word = clause.tokens[position].text
    if _no_longer(clause, position):
        explanation = (
            f'"{word} mehr" became "weiterhin": the statement wants an end, its negation a continuation.'
        )
        return Edits("undone-weiterhin", explanation, replaced={position: "weiterhin", position + 1: ""})
    removed = {position: ""}
    behind = [k for k in range(position, len(clause.tokens) - 1) if clause.low(k) == "als"]
    if clause.low(position + 1) == "mehr" and behind and clause.low(behind[-1] + 1) == "bisher":
        removed |= {behind[-1]: "", behind[-1] + 1: ""}
    if before in lexicon.INTENSIFIERS or before == "weiterhin":  # "weiterhin nicht": its opposite begins
        removed[position - 1] = ""
    if position == 0 and len(clause.tokens) > 1:
        removed[1] = capitalize_first(clause.tokens[1].text)
    return Edits("undone", f'"{word}" was removed: the statement was negated already.', replaced=removed)


def _no_longer(clause: GermanClause, position: int) -> bool:
    """Whether "nicht mehr" means "no longer"; before "als" it means "not more", before a noun either.

    Before a noun the pipeline's parse decides: "not more" if the noun is the head of "mehr", "no longer" if
    the verb is.
    """
    if clause.low(position + 1) not in ("mehr", "länger"):
        return False
    following = position + 2
    bound = clause.tokens[following + 1 : following + 2]
    longer = clause.low(position + 1) == "länger"
    role = longer and bound and lexicon.is_noun(bound[0].text)  # "als Straftat"
    if any(token.low == "als" for token in clause.tokens[following:]):
        return bool(role)
    if (
        following in clause.cluster
        or following >= len(clause.tokens)
        or clause.tokens[following].kind == "mark"
    ):
        return True
    token = clause.tokens[following]
    if longer and (token.low in lexicon.INDEFINITE or lexicon.is_noun(token.text)):
        return True  # "nicht länger eine Straftat sein", "nicht länger Geld ausgeben"
    if lexicon.is_noun(token.text) and lexicon.is_plural(token.text) is not True and _is_copula(clause):
        return True  # "nicht mehr Mitglied sein"
    if (head := head_of(clause.tokens, position + 1)) and (head.nominal or head.verbal):
        return not head.nominal
    if lexicon.is_noun(token.text) or lexicon.is_inflected(token.low):
        raise AbstentionError("abstain:scope", '"nicht mehr" can mean "no longer" or "not more"')
    if token.kind == "word":
        return True
    raise AbstentionError("abstain:scope", '"nicht mehr" can mean "no longer" or "not more"')


def _is_copula(clause: GermanClause) -> bool:
    return clause.verb in ("sein", "werden", "bleiben") and not clause.passive


def _remove_kein(clause: GermanClause, position: int) -> Edits:
    if position in clause.front:
        raise AbstentionError(
            "abstain:scope", '"kein" before the finite verb is about all, and its negation about some'
        )
    if position not in clause.middle:
        raise AbstentionError("abstain:structure", '"kein" follows the verbs')
    phrase = _phrase_after(clause, position)
    if phrase is None:
        raise AbstentionError("abstain:structure", 'the noun that belongs to "kein" was not found')
    passive_subject = clause.passive and (not clause.front or clause.low(clause.front[0]) == "es")
    changes = without_kein(clause, position, phrase, passive_subject)
    word, new = clause.tokens[position].text, changes[position]
    if new and clause.verb in ("zahlen", "bezahlen", "entrichten", "erheben", "leisten"):
        raise AbstentionError(
            "abstain:scope", f'"{noun_of(clause, phrase)}" may occur with or without an article'
        )
    if clause.low(position - 1) == "weiterhin" and position:
        changes[position - 1] = ""
    mehr = [k for k in clause.middle if k > phrase.last and clause.low(k) == "mehr"]
    if mehr:
        if len(mehr) > 1 or clause.low(mehr[0] + 1) == "als":
            raise AbstentionError("abstain:scope", '"kein ... mehr" can mean "no longer" or "not more"')
        changes[position], changes[mehr[0]] = f"weiterhin {new}".strip(), ""
        explanation = (
            f'"{word} ... mehr" became "weiterhin": the statement wants an end, its negation a continuation.'
        )
        return Edits("undone-weiterhin", explanation, replaced=changes)
    change = f'became "{new}"' if new else "was removed"
    explanation = f'"{word}" {change}: the statement was negated already.'
    return Edits("undone-kein", explanation, replaced=changes)


def _phrase_after(clause: GermanClause, position: int) -> ClausePhrase | None:
    """Return the noun phrase after "kein", parsed without its article."""
    following = [k for k in clause.middle if k > position]
    phrases = PhraseReader(clause.tokens, following).read()
    if not phrases or not lexicon.is_noun(clause.tokens[phrases[0].head].text):
        return None
    return phrases[0]


# Properties of a clause for several rules.


def governed_prepositions(clause: GermanClause) -> frozenset[str]:
    """Return the prepositions governed by the verb, or by an adjective or participle in the predicate."""
    prepositions = {preposition for preposition, verbs in lexicon.GOVERNED.items() if clause.verb in verbs}
    words = {clause.low(position) for position in [*clause.middle, *clause.cluster]}
    prepositions |= {prep for prep, adjectives in lexicon.GOVERNED_BY_ADJECTIVE.items() if adjectives & words}
    return frozenset(prepositions)


def noun_of(clause: GermanClause, phrase: ClausePhrase) -> str:
    """Return the noun of a phrase as written, or its only word."""
    return clause.tokens[phrase.head].text


def subject_in_middle(clause: GermanClause) -> bool:
    """Whether the forefield cannot be the subject, so that the subject follows the finite verb."""
    if not clause.front:
        return clause.low(0) != "wer"
    if clause.low(clause.front[0]) in ("den", "dem", "einem", "einen", "ihm", "ihnen"):
        return True
    # "In Italien geborene Kinder": a noun phrase can begin with a preposition.
    phrases = PhraseReader(clause.tokens, clause.front).read()
    return all(
        phrase.kind in ("prepositional", "adverb", "frame", "focus", "pronominal") for phrase in phrases
    )


def insert(clause: GermanClause, position: int, rule: str, reason: str) -> Edits:
    """Insert "nicht" before a position; `reason` completes the explanation."""
    return Edits(
        rule,
        f'"nicht" was inserted before "{clause.tokens[position].text}": {reason}.',
        inserted={position: "nicht"},
    )


# Negation of indefinite noun phrases by "kein".


def indefinite(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits | None:
    """Negate the last indefinite noun phrase by "kein" if no later phrase takes "nicht"."""
    for number, phrase in reversed([*enumerate(phrases)]):
        if phrase.preposition == "für" and clause.verb == "halten":
            return None
        if phrase.kind in ("prepositional", "frame"):
            continue
        if phrase.kind == "pronominal" and number and clause.verb in lexicon.LIGHT_VERBS:
            continue  # "ein Recht darauf haben"
        if phrase.kind == "indefinite":
            if phrase.inner == "mixed":
                raise AbstentionError(
                    "abstain:coordination", "two noun phrases are joined, and each has its own article"
                )
            return kein(clause, phrase, subject=False)
        if phrase.inner == "mixed":
            raise AbstentionError("abstain:coordination", "two noun phrases of different form are joined")
        if phrase.kind == "bare" and _is_apposition(phrases, number):
            noun = noun_of(clause, phrase)
            raise AbstentionError("abstain:scope", f'"{noun}" may be part of the phrase before it')
        if phrase.kind == "bare" and _takes_kein(clause, phrases, number):
            words = [clause.low(k) for k in range(phrase.head + 1, phrase.last + 1)]
            if "für" in words:  # "Standards für Kinder an Schulen": the rest belongs to its noun
                words = words[: words.index("für")]
            if "mit" in [
                following.preposition for following in phrases[number + 1 :]
            ] or not lexicon.LOOSE_ADVERBIALS.isdisjoint(words):
                raise AbstentionError(
                    "abstain:scope", "a phrase may belong to the noun before it or be denied"
                )
            return kein(clause, phrase, _is_subject(clause, phrases, number))
        return None
    return None


def _is_apposition(phrases: list[ClausePhrase], number: int) -> bool:
    """Whether a noun may be part of the amount before it: "nach zehn Jahren Miete"."""
    before, phrase = phrases[number - 1] if number else None, phrases[number]
    if (
        before is None
        or before.kind != "prepositional"
        or phrase.adjectives
        or before.last + 1 != phrase.first
    ):
        return False
    return before.inner == "number" and before.preposition != "ab"


def _is_subject(clause: GermanClause, phrases: list[ClausePhrase], number: int) -> bool:
    """Whether a bare noun phrase is the subject, not an object."""
    if clause.verb in lexicon.EXISTENTIAL and not clause.passive:
        return False
    if not subject_in_middle(clause) and not _begins_with_es(clause):
        return False
    return not any(
        phrase.kind in ("definite", "pronoun", "bare", "indefinite") for phrase in phrases[:number]
    )


def _begins_with_es(clause: GermanClause) -> bool:
    return len(clause.front) == 1 and clause.low(clause.front[0]) == "es"


def _takes_kein(clause: GermanClause, phrases: list[ClausePhrase], number: int) -> bool:
    """Whether a noun phrase without article is new in the clause, not its topic."""
    phrase, noun = phrases[number], noun_of(clause, phrases[number])
    expletive = _begins_with_es(clause)
    if clause.verb in lexicon.AFFECTING and not expletive:
        return False
    weak = any(clause.low(position).endswith("en") for position in phrase.adjectives)
    if lexicon.is_dative_plural(noun) or (weak and lexicon.is_person(noun)):
        return False
    if clause.verb in lexicon.DATIVE_VERBS and not clause.passive:
        return False
    if noun in lexicon.LIGHT_NOUNS and not phrase.adjectives and clause.verb not in lexicon.LIGHT_VERBS:
        return False
    if lexicon.is_person(noun):
        subject = _is_subject(clause, phrases, number)
        topic = subject and clause.verb not in lexicon.EXISTENTIAL | lexicon.APPEARING
        return expletive or (not topic and number == len(phrases) - 1)
    return True


def kein(clause: GermanClause, phrase: ClausePhrase, subject: bool) -> Edits:
    """Negate an indefinite noun phrase, with or without article, by "kein"."""
    noun = noun_of(clause, phrase)
    if phrase.kind == "indefinite":
        article = clause.tokens[phrase.first].text
        new = ("K" if article[0] == "E" else "k") + article.lower()
        explanation = (
            f'"{article}" became "{new}": an indefinite noun phrase ("{noun}") is negated by its article.'
        )
        return Edits("kein", explanation, replaced={phrase.first: new})
    word, changes = kein_before(clause, phrase, subject)
    if word == "keine" and noun.lower().endswith(lexicon.ADJECTIVAL):  # "keine Jugendlichen"
        changes[phrase.head] = f"{noun}n"
    explanation = (
        f'"{word}" was put before "{noun}", which has no article: such a noun phrase is negated by "kein".'
    )
    return Edits("kein-bare", explanation, replaced=changes, inserted={phrase.first: word})
