"""German: the position of `nicht`."""

from __future__ import annotations

import re
from itertools import pairwise

from polbias.generators.authoring.negation import NegationResult, Pipeline, tagger_objection
from polbias.generators.authoring.negation.german_clause import GermanClause, parse
from polbias.generators.authoring.negation.german_phrases import ClausePhrase, PhraseReader, is_deadline
from polbias.generators.authoring.negation.german_rules import (
    front,
    governed_prepositions,
    indefinite,
    insert,
    kein,
    noun_of,
    refuse_adverb,
    subject_in_middle,
    undo,
)
from polbias.generators.authoring.negation.german_text import (
    AbstentionError,
    Edits,
    GermanToken,
    sentences,
    tokens,
)
from polbias.generators.language import german_words as lexicon

# Negation of a predicate: "ist nicht gerecht", "ist kein Verbrechen", "soll nicht Pflicht werden".

_NOMINAL = ("definite", "indefinite", "bare")


def before_predicate(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits | None:
    """Negate the predicate of "sein", "werden" and "bleiben" without a participle."""
    finite_copula = not clause.cluster and clause.kind in ("sein", "werden")
    if not phrases or not (finite_copula or clause.verb in ("sein", "werden", "bleiben")):
        return None
    adverbs = [number for number, phrase in enumerate(phrases) if phrase.kind == "adverb"]
    nominal = [phrase for phrase in phrases if phrase.kind in _NOMINAL]
    predicate = phrases[-1]
    prepositional = predicate.kind == "prepositional"
    if adverbs:
        index = adverbs[-1]
        while index and phrases[index - 1].kind == "adverb":
            index -= 1
        predicate = phrases[_governed_index(clause, phrases, index)]
    elif nominal and (prepositional or predicate.kind in _NOMINAL):
        noun = nominal[-1]
        if noun.kind == "indefinite" or (noun.kind == "bare" and _is_countable(clause, noun)):
            return kein(clause, noun, subject=True)
        if not (prepositional and subject_in_middle(clause)):
            predicate = noun
    elif not prepositional:
        return None
    manner = [
        p for p in phrases if p.preposition in lexicon.INSTRUMENT_NOUNS and p.last + 1 == predicate.first
    ]
    if manner and manner[0].preposition == "ohne":
        predicate = manner[0]
    elif manner:
        raise AbstentionError("abstain:scope", "the negation may apply to the manner or to the predicate")
    reason = "the predicate of the main clause is negated"
    return insert(clause, predicate.first, "nicht-before-predicate", reason)


def _is_countable(clause: GermanClause, phrase: ClausePhrase) -> bool:
    """Whether "kein" can precede a bare noun in the predicate: plurals and known genders."""
    noun = noun_of(clause, phrase)
    return bool(lexicon.is_plural(noun)) or (bool(phrase.adjectives) and lexicon.is_plural(noun) is not None)


def _governed_index(clause: GermanClause, phrases: list[ClausePhrase], index: int) -> int:
    """Return the index of the phrase that a predicate governs ("nicht auf Hilfe angewiesen"), or `index`."""
    previous = phrases[index - 1] if index else None
    is_pronominal = previous and previous.kind == "pronominal"
    is_governed = (
        previous
        and previous.kind == "prepositional"
        and previous.preposition in governed_prepositions(clause)
    )
    index = index - 1 if is_pronominal or is_governed else index
    while is_governed and index and phrases[index - 1].kind == "adverb":
        index -= 1
    return index


# The position of the negation in an affirmative main clause: the rules in order.

_IDENTITY = re.compile(r"(?:gleich|selb|einzig)(?:e[nmrs]?)?")
_SAME_DETERMINERS = (["dieselben"], ["dasselbe"], ["denselben"])


def negate_clause(clause: GermanClause) -> Edits:
    """Return the changes that negate an affirmative main clause."""
    _refuse_contrast(clause)
    phrases = PhraseReader(clause.tokens, clause.middle, governed_prepositions(clause), clause.passive).read()
    return (
        front(clause, phrases)
        or _before_operator(clause, phrases)
        or before_predicate(clause, phrases)
        or indefinite(clause, phrases)
        or _before_light_object(clause, phrases)
        or _by_position(clause, phrases)
    )


def _refuse_contrast(clause: GermanClause) -> None:
    before = {clause.low(position) for position in [*clause.front, *clause.middle]}
    after = {clause.low(position) for position in clause.after}
    words = before | after
    if after & lexicon.ADDITIVE:
        raise AbstentionError(
            "abstain:scope", '"auch" follows the verbs and would have to become "auch nicht"'
        )
    if words & lexicon.PAIRS:
        raise AbstentionError("abstain:coordination", "the statement combines two alternatives")
    low = [token.low for token in clause.tokens]
    if ("und", "nicht") in pairwise(low) and words & lexicon.FRONT_FOCUS:
        raise AbstentionError("abstain:contrast", "one thing is demanded to the exclusion of another")
    if words & lexicon.CONTRAST and not before & lexicon.FRONT_FOCUS:
        raise AbstentionError(
            "abstain:contrast", "the statement prefers one thing to another, and both could be denied"
        )


def _is_operator(clause: GermanClause, phrase: ClausePhrase) -> bool:
    """Whether a phrase attracts the negation: focus words, quantifiers, amounts, comparatives."""
    if phrase.kind in ("focus", "universal", "number"):
        return True
    words = [clause.low(position) for position in range(phrase.first, phrase.head)]
    is_identity = any(map(_IDENTITY.fullmatch, words))
    if phrase.kind == "prepositional":
        return (
            (is_identity and phrase.preposition != "bei")
            or not lexicon.UNIVERSAL_INSIDE.isdisjoint(words)
            or is_deadline(clause.tokens, phrase)
            or phrase.inner == "universal"
            or clause.low(phrase.first + 1) in lexicon.DEGREE_FRONT
        )
    return phrase.kind == "definite" and (is_identity or words[:1] in _SAME_DETERMINERS)


def _before_operator(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits | None:
    """Put "nicht" before the first operator, because the negation needs the widest scope."""
    for phrase in phrases:
        if phrase.kind == "some":
            raise AbstentionError(
                "abstain:scope",
                f'"{clause.tokens[phrase.first].text}" is not in the scope of a negation by itself',
            )
    for number, phrase in enumerate(phrases):
        if not _is_operator(clause, phrase):
            continue
        before = phrases[number - 1].kind if number else ""
        if clause.low(phrase.first) == "mehr" and before == "indefinite" and number + 1 == len(phrases):
            raise AbstentionError(
                "abstain:scope", '"ein ... mehr" would become "no longer" if it were negated'
            )
        if (
            phrase.kind == "number"
            and number + 1 == len(phrases)
            and clause.kind == "sein"
            and not clause.cluster
        ):
            return None
        if edits := _exchange_phase_adverb(clause, phrase, phrases[number + 1 : number + 2]):
            return edits
        if phrase.kind == "number" and clause.passive and noun_of(clause, phrase) == "Tempo":
            continue  # the negation denies the action: "Tempo 30 nicht einführen"
        if before == "bare" and phrase.kind == "prepositional" and not is_deadline(clause.tokens, phrase):
            raise AbstentionError("abstain:scope", "the amount may belong to the noun before it")
        urgent = number and clause.low(phrases[number - 1].first) in lexicon.URGENT
        if urgent or (before == "adverb" and phrase.kind == "prepositional"):
            phrase = phrases[number - 1]
        if clause.low(phrase.first) == "mehr" and _is_amount(phrases[number:]):
            refuse_adverb(clause, phrase.first)
            return _not_more_than_before(clause, phrase)
        rule = "focus-word" if phrase.kind == "focus" else "quantifier"
        reason = "the negation has scope over this word, so it directly precedes it"
        return insert(clause, phrase.first, rule, reason)
    return None


def _is_amount(phrases: list[ClausePhrase]) -> bool:
    """Whether "mehr" stands right before its noun."""
    return (
        len(phrases) > 1
        and phrases[1].kind in ("bare", "definite")
        and phrases[1].first == phrases[0].last + 1
    )


def _not_more_than_before(clause: GermanClause, phrase: ClausePhrase) -> Edits:
    """Negate "mehr Geld" by "nicht mehr Geld als bisher": without the end it would read as "no longer"."""
    words = clause.tokens[phrase.last :]
    reason = "the negation has scope over this word, so it directly precedes it"
    if any(token.low == "als" for token in words):
        return insert(clause, phrase.first, "focus-word", reason)
    last = [*clause.middle, *clause.cluster, *clause.after][-1]
    demands = clause.kind == "modal" or clause.verb in lexicon.EXISTENTIAL | {
        "fordern",
        "verlangen",
        "werden",
    }
    if not demands or clause.after or any(token.kind == "word" for token in clause.tokens[last + 1 :]):
        raise AbstentionError("abstain:scope", '"nicht mehr" can mean "no longer" or "not more"')
    edits = insert(clause, phrase.first, "focus-word", f'{reason}; "als bisher" tells it from "no longer"')
    edits.replaced[last] = f"{clause.tokens[last].text} als bisher"
    return edits


def _exchange_phase_adverb(
    clause: GermanClause, phrase: ClausePhrase, after: list[ClausePhrase]
) -> Edits | None:
    """Replace an adverb of phase by its negation: "schon" by "noch nicht", "noch" by "nicht mehr"."""
    word, following = clause.low(phrase.first), clause.low(phrase.first + 1)
    still = {word, following} == {"noch", "immer"}
    new = "nicht mehr" if still else lexicon.PHASE_ADVERBS.get(word)
    bound = following in lexicon.COMPARATIVES or any(
        following_phrase.kind in ("prepositional", "frame", "indefinite") for following_phrase in after
    )
    if word == "noch" and not still and after and after[0].kind == "indefinite":
        raise AbstentionError("abstain:scope", '"noch ein" would become "kein ... mehr" if it were negated')
    if new is None or (bound and not still):
        return None
    replaced = {phrase.first: new} | ({phrase.first + 1: ""} if still else {})
    return Edits("phased", f'"{word}" became "{new}", which denies it.', replaced=replaced)


def _before_light_object(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits | None:
    """Put "nicht" before the definite object of a verb of having or getting: "nicht das Recht haben"."""
    if clause.verb not in lexicon.LIGHT_VERBS or not phrases or phrases[-1].kind != "definite":
        return None
    if len(phrases) == 1 and subject_in_middle(clause):
        return None
    within = {clause.low(position) for position in range(phrases[-1].head + 1, phrases[-1].last)}
    if within & (lexicon.INSTRUMENT_NOUNS | {"über"}):
        raise AbstentionError("abstain:scope", "the means may be denied, or the object")
    reason = "with a verb of having or getting the negation precedes the object"
    return insert(clause, phrases[-1].first, "nicht-before-object", reason)


def _by_position(clause: GermanClause, phrases: list[ClausePhrase]) -> Edits:
    """Put "nicht" at the end of the middle field, before manner, direction and prepositional objects."""
    index = len(phrases)
    governed = governed_prepositions(clause)
    while index and _follows_nicht(clause, phrases, index - 1):
        if index < len(phrases) and (
            clause.low(phrases[index].first) in lexicon.EVALUATIVE
            # "über Einsätze nicht mit Mehrheit entscheiden"
            or (
                phrases[index].preposition in lexicon.INSTRUMENT_NOUNS - governed
                and phrases[index - 1].preposition in governed
            )
        ):
            break
        index -= 1
    index = _manner_index(phrases, index) if index == len(phrases) else index
    _refuse_loose(clause, phrases, index)
    if index < len(phrases):
        complement = phrases[index].kind in ("prepositional", "pronominal")
        rule = "nicht-before-complement" if complement else "nicht-before-adverb"
        reason = "it belongs closely to the verb, and the negation precedes it"
        return insert(clause, phrases[index].first, rule, reason)
    if clause.cluster:
        reason = "the negation is at the end of the middle field, before the verbs"
        return insert(clause, clause.cluster[0], "nicht-before-cluster", reason)
    if phrases and phrases[-1].joined and phrases[-1].kind == "definite":
        raise AbstentionError("abstain:coordination", "a negation after two objects may deny both or one")
    last = phrases[-1].last if phrases else clause.finite
    reason = f'"nicht" was put after "{clause.tokens[last].text}": the negation is at the end of the clause.'
    return Edits("nicht-final", reason, replaced={last: f"{clause.tokens[last].text} nicht"})


def _refuse_loose(clause: GermanClause, phrases: list[ClausePhrase], index: int) -> None:
    """Abstain if a negation at this index is ambiguous."""
    behind = phrases[index:] or phrases[-1:]
    if not behind:
        return
    first, *remaining = behind
    for previous, phrase in pairwise(phrases):
        if (
            previous.kind == "pronoun"
            and clause.low(previous.first) in lexicon.DEFINITE
            and phrase.preposition
        ):
            raise AbstentionError("abstain:scope", f'"{clause.low(previous.first)}" stands for a noun')
    before = (
        phrases[index - 1] if index and index < len(phrases) else phrases[-2] if len(phrases) > 1 else None
    )
    if (
        # "im Zentrum Parkplätze streichen", "vom Kanton Geld erhalten"
        (first.kind == "bare" and before and before.kind == "prepositional")
        or any(phrase.kind == "bare" for phrase in remaining)
        # "die Kosten zu gleichen Teilen tragen", "der Lärm auf Straßen gehört dazu": an attribute or not
        or (
            index == len(phrases)
            and any(clause.low(k) in lexicon.LOOSE_ADVERBIALS for k in range(first.head + 1, first.last + 1))
        )
        # "den städtischen gleichgestellt", "alte saniert": without a noun
        or (
            first.kind == "adverb"
            and clause.low(first.first).endswith(("e", "en", "es", "em"))
            and lexicon.is_inflected(clause.low(first.first))
        )
    ):
        noun = noun_of(clause, first)
        raise AbstentionError("abstain:scope", f'the negation may apply to "{noun}" or to its predicate')


def _manner_index(phrases: list[ClausePhrase], index: int) -> int:
    """Return the index of an adverb of manner before prepositional phrases, or `index`.

    "wirkt sich nicht negativ auf die Löhne aus": the negation denies the manner.
    """
    left = index
    while left and phrases[left - 1].kind == "prepositional":
        left -= 1
    if not left or phrases[left - 1].kind != "adverb" or left == index:
        return index
    while left and phrases[left - 1].kind == "adverb":
        left -= 1
    return left


def _follows_nicht(clause: GermanClause, phrases: list[ClausePhrase], number: int) -> bool:
    """Whether "nicht" precedes a phrase, if no later phrase prevents it."""
    phrase = phrases[number]
    if phrase.kind in ("adverb", "pronominal"):
        return True
    if phrase.kind == "definite" and clause.verb in lexicon.DATIVE_COMPLEMENT:
        dative = clause.low(phrase.first).endswith(("m", "r", "n")) and clause.low(phrase.first) != "den"
        return number + 1 == len(phrases) and (dative or number > 0)
    if phrase.kind != "prepositional":
        return False
    last = number + 1 == len(phrases)
    low = [clause.low(k) for k in range(phrase.first, phrase.last + 1)]
    land = noun_of(clause, phrase) in lexicon.NAMES | lexicon.LANDS
    if phrase.preposition == "in" and land and clause.verb not in ("stattfinden", "tagen"):
        return False
    if phrase.preposition in lexicon.TWO_WAY and {"mit", "ohne"} & set(low[1:]):  # "in Läden ohne Siegel"
        raise AbstentionError("abstain:scope", f'"{low[0]}" and its attribute can be denied apart')
    if phrase.preposition in governed_prepositions(clause):
        later_complements = [
            next_phrase
            for next_phrase in phrases[number + 1 :]
            if next_phrase.preposition == phrase.preposition
        ]
        topic = range(phrase.head + 1, phrase.last) if phrase.preposition == "über" else ()
        if any(clause.low(position) in lexicon.INSTRUMENT_NOUNS for position in topic):
            raise AbstentionError("abstain:scope", "how something is decided may be denied, or that it is")
        return not later_complements and (clause.verb != "halten" or last)
    if {" ".join(low[:2]), " ".join(low[:3])} & lexicon.FRAMES:
        return False
    abolishes = clause.verb in lexicon.AFFECTING | lexicon.ALLOWING
    single = low[1:2] == ["den"] and lexicon.is_plural(noun_of(clause, phrase)) is not True
    has_number = phrase.inner == "number" or lexicon.is_number(clause.low(phrase.head))
    if (
        (noun_of(clause, phrase) in lexicon.LIGHT_NOUNS and phrase.last - phrase.first <= 1)
        or (has_number and phrase.preposition in ("auf", "um"))
        or (
            phrase.preposition == "für" and not lexicon.is_noun(noun_of(clause, phrase))
        )  # "für falsch erklären"
        or (
            phrase.preposition in lexicon.TWO_WAY
            and (single or {*low[:2]} & {"die", "das", "ins", "ans", "aufs"})
        )
        or phrase.preposition in lexicon.DENIED_PREPOSITIONS
        or (low[:2] in (["bis", "zu"], ["bis", "zum"], ["bis", "zur"]) and (has_number or not abolishes))
        or (
            phrase.preposition in lexicon.INSTRUMENT_NOUNS
            and not (phrase.preposition == "unter" and abolishes)
        )
    ):
        before = phrases[number - 1] if number else None
        if clause.kind == "lexical" and phrase.preposition in lexicon.INSTRUMENT_NOUNS:
            raise AbstentionError("abstain:scope", "what is stated, or by what it is so, may be denied")
        # "die Treffen mit Ministern": an attribute or not
        if phrase.preposition == "mit" and before and before.kind == "definite" and phrase.inner == "bare":
            raise AbstentionError(
                "abstain:scope", '"mit" may belong to the noun before it or to the predicate'
            )
        return True
    if phrase.preposition == "für" or not last:
        return last and not clause.cluster
    inside = {clause.low(k) for k in range(phrase.head + 1, phrase.last)}
    before = phrases[number - 1] if number else None
    of_noun = phrase.preposition == "ab" and before and before.kind == "prepositional"
    attributes = lexicon.TWO_WAY | lexicon.INSTRUMENT_NOUNS
    if (
        not clause.cluster
        or clause.kind == "lexical"
        or of_noun
        or inside & (attributes - {"über", "unter", "vor", "zwischen"})
    ):
        phrase_text = " ".join(clause.tokens[k].text for k in range(phrase.first, phrase.head + 1))
        raise AbstentionError("abstain:scope", f'"{phrase_text}" or the predicate can be denied')
    if has_number and clause.verb not in lexicon.AFFECTING:
        return True
    # "nicht an Schulen unterrichtet", but "an Schulen nicht verboten", "seit dem Krieg nicht gestiegen"
    perfect = clause.kind in ("sein", "haben") and not clause.passive
    return not (abolishes or perfect or phrase.preposition == "seit")


# Negation of German statements by rule: "soll nicht", "kein", or the removal of an existing negation.
# The main clause is split into its topological fields (`german_clause`), its middle field into phrases
# (`german_phrases`). Rules in a fixed order then insert or remove one negation (`german_rules`). It has
# scope over the whole claim; if no rule ensures this, the rules abstain.


def negate_german(statement: str, pipeline: Pipeline | None = None) -> NegationResult:
    """Negate a German statement.

    Of several sentences the last one is negated if it alone makes a demand: the others describe.
    """
    token_list = tokens(statement, pipeline.read(statement) if pipeline else None)
    if not token_list:
        return NegationResult(None, "abstain:empty", "There is nothing to negate.")
    parts = sentences(token_list)
    try:
        edits = _negate(parts)
    except AbstentionError as unsure:
        return NegationResult(None, unsure.code, f"No negation was formed: {unsure.reason}.")
    end = statement[sum(len(token.before) + len(token.text) for token in token_list) :]
    before = "".join(token.before + token.text for part in parts[:-1] for token in part)
    text = before + edits.apply(parts[-1]) + end
    if text == statement:
        return NegationResult(
            None, "abstain:structure", "No negation was formed: the rules did not change the statement."
        )
    return NegationResult(text, edits.rule, edits.explanation)


def _negate(parts: list[list[GermanToken]]) -> Edits:
    """Return the changes to the last sentence."""
    last = parts[-1]
    if any(token.text == "?" for part in parts for token in part):
        raise AbstentionError("abstain:question", "a question has no negation")
    if any(token.low in lexicon.MODAL for part in parts[:-1] for token in part):
        raise AbstentionError("abstain:several-claims", "more than one sentence makes a claim")
    clause = parse(last)
    finite = last[clause.finite]
    if objection := tagger_objection(finite.tags):
        reason = lexicon.RULES["abstain:pipeline-disagrees"].format(word=finite.text, more=objection)
        raise AbstentionError("abstain:pipeline-disagrees", reason)
    return undo(clause) or negate_clause(clause)
