"""The noun phrase of a hit: what stands left of its noun and has to agree with it."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as closed
from polbias.generators.xphemism.substitution.words import Tokens
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS, Strength

_NOT_ADJECTIVES = german.NOT_ADJECTIVES.union(
    german.PREPOSITIONS,
    german.PRONOUNS,
    german.PRONOMINAL,
    german.SUBORDINATORS,
    german.RELATIVES,
    german.FOCUS,
    german.FRAME_ADVERBS,
    german.COMPARATIVES,
    german.CONJUNCTIONS,
    german.FINITE,
    closed.FINITE,
    closed.DETERMINER_FORMS,
    closed.CONTRACTIONS,
    closed.PREPOSITIONS,
    ("anders", "besonders", "statt", "lediglich", "eben", "gerade"),
)
# How far left of an attribute its article is looked for: "der bis heute von allen getragene Beschluss".
_REACH = 9


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase from its preposition to its noun; all places are places of tokens.

    Attributes:
        head: of the first token of the noun (of a phrase of the lexicon, of its first word).
        attributes: of the inflected adjectives, in order.
        first: of the first token, preposition included.
        determiner: of the article or another determiner, None without one or where it is in a contraction.
        preposition: of the preposition or contraction right before the phrase.
        contracted: whether that is a contraction.
    """

    head: int
    attributes: tuple[int, ...]
    first: int
    determiner: int | None = None
    preposition: int | None = None
    contracted: bool = False

    def determined_by(self, tokens: Tokens) -> closed.Determiner | None:
        """Return the determiner, that of a contraction included."""
        if self.determiner is not None:
            return closed.determiner_of(tokens[self.determiner].low)
        return closed.DEFINITE if self.contracted else None

    def strength(self, tokens: Tokens) -> Strength:
        """Return the declension of the adjectives of the phrase."""
        determiner = self.determined_by(tokens)
        return determiner.strength if determiner else "strong"


def ending_of(word: str) -> str:
    """Return the adjective ending that a word has, "" if none."""
    return next((ending for ending in ENDINGS if word.endswith(ending) and len(word) > len(ending) + 1), "")


def is_adjective(tokens: Tokens, place: int) -> bool:
    """Return whether a token left of a noun is an inflected adjective or participle."""
    token = tokens[place]
    low = token.low
    if token.kind != "word" or not ending_of(low) or low in _NOT_ADJECTIVES:
        return False
    hyphened = token.text.rpartition("-")[2].islower() and "-" in token.text
    capital = token.begins_sentence and german.is_known(low) and german.lemma(low).islower()
    if not capital and place and place + 1 < len(tokens) and tokens[place + 1].is_noun:
        # "Ein Wirksames Mittel", but neither "eine Menge Mittel" nor "dass die Deutschen Mittel haben".
        article = closed.determiner_of(tokens[place - 1].low)
        stem = german.lemma(low)
        inflected = stem != low and low.startswith(stem)
        capital = inflected and article is not None and article.strength == "mixed"
    if not (token.text[0].islower() or hyphened or capital):
        return False
    if low in closed.ADVERBS and _is_participle(closed.low_after(tokens, place)):
        return False
    if place and (calls_for_noun(tokens[place - 1].low) or tokens[place - 1].text == "-"):
        return True
    return low in german.MANY_WORDS or not _is_verb(low)


def _after_article(tokens: Tokens, place: int) -> bool:
    """Return whether "solche" stands after "eine", where it is declined like an adjective."""
    before = closed.determiner_of(tokens[place - 1].low) if place else None
    return (
        tokens[place].low.startswith("solche") and before is not None and before.stem in closed.SINGULAR_ONLY
    )


def calls_for_noun(low: str) -> bool:
    """Return whether a word stands before a noun: a contraction, preposition or determiner."""
    return low in closed.CONTRACTIONS or low in closed.PREPOSITIONS or low in closed.DETERMINER_FORMS


def _is_verb(low: str) -> bool:
    """Return whether a word with an ending is rather a verb than an adjective."""
    if german.is_infinitive(low) or german.is_zu_infinitive(low):
        return True
    base = german.verb_lemma(low)
    if low.startswith(base) or not base.endswith("n") or not base[:1].islower():
        # "Allgemeine" is "allgemein" with an ending; no verb begins with its infinitive.
        return False
    return not _is_participle(low) and low.endswith(("te", "ten", "e", "en"))


def read_phrase(tokens: Tokens, head: int) -> NounPhrase:
    """Return the noun phrase whose noun stands at ``head``."""
    attributes: list[int] = []
    place = head - 1
    while place >= 0:
        if is_adjective(tokens, place) or _after_article(tokens, place):
            attributes.append(place)
        elif not _passed_over(tokens, place, bool(attributes)):
            break
        place -= 1
    attributes.reverse()
    found = _determined(tokens, head, tuple(attributes), place) or _extended(
        tokens, head, tuple(attributes), place
    )
    if found is not None:
        return found
    first = min([head, *attributes])
    if place + 1 < first and tokens[place + 1].low in closed.INVARIABLE | {"so"}:
        first = place + 1
    return NounPhrase(head, tuple(attributes), first)


def extended_phrase(tokens: Tokens, phrase: NounPhrase) -> NounPhrase | None:
    """Return the phrase with an article further left, where the next determiner belongs to another noun.

    In "die von allen geplante Abgabe" the article of "Abgabe" is "die".
    """
    return _extended(tokens, phrase.head, phrase.attributes, phrase.first - 1)


def _extended(tokens: Tokens, head: int, attributes: tuple[int, ...], place: int) -> NounPhrase | None:
    """Return the phrase whose article stands before an extended attribute, None if there is none."""
    far = _far_determiner(tokens, place) if attributes else None
    if far is None:
        return None
    # "Eine von ihren teuren Abgaben": rather a pronoun than the article of an extended attribute.
    measured = tokens[far + 1].low[:1].isdigit()  # "eine 16 Jahre alte ...", "eine 16-jährige ..."
    if tokens[far].low in closed.PARTITIVE and not measured and not _is_participle(tokens[attributes[0]].low):
        return None
    return _determined(tokens, head, attributes, far)


def _is_participle(low: str) -> bool:
    """Return whether a word is a participle with the ending of an adjective."""
    ending = ending_of(low)
    stem = low.removesuffix(ending)
    if stem.endswith("t") and not stem.endswith(("nnt", "ndt", "cht", "iert")):
        # "Erhielten" is a preterite: a participle in "-t" has the stem of its infinitive.
        root = german.verb_lemma(stem).removesuffix("n").removesuffix("e")
        if "ge" not in stem and not stem.startswith(root):
            return False
    return bool(ending) and (stem.endswith("nd") or german.is_participle(stem))


def _passed_over(tokens: Tokens, place: int, inside: bool) -> bool:
    """Return whether a token without ending can stand between an article and the noun."""
    token = tokens[place]
    if token.kind == "number" or token.text == "#" or token.low in closed.INVARIABLE:
        return True
    if token.low in german.NUMBERS or token.low in ("%", "prozent"):
        return True
    if token.text == "-" and place and tokens[place - 1].kind == "number":  # "17-jährige"
        return True
    following = tokens[place + 1]
    if token.text.endswith("-") and following.low in closed.CONJUNCTIONS:
        return True
    if token.low in closed.CONJUNCTIONS and place:
        before = tokens[place - 1]
        return (before.text.endswith("-") and before.kind == "word") or (
            inside and is_adjective(tokens, place - 1)
        )
    if token.low in ("weil", "da", "wenn", "obwohl") and inside and tokens[place - 1].text == ",":
        return place > 1 and is_adjective(tokens, place - 2)
    if token.text == "," and place and inside:
        return is_adjective(tokens, place - 1)
    if token.text in "„“\"'»«‚‘" and place:
        return calls_for_noun(tokens[place - 1].low) or is_adjective(tokens, place - 1)
    # "Berliner", "90er", names that are adjectives.
    if token.is_noun and token.text.endswith("er") and not token.begins_sentence and place:
        return calls_for_noun(tokens[place - 1].low) and _is_place_adjective(token.text)
    # An adverb between article and adjective: "die stark steigende Abgabe".
    if inside and place and token.kind == "word" and token.text[0].islower():
        adverb = token.low not in closed.DETERMINER_FORMS and not calls_for_noun(token.low)
        adverb = adverb and token.low not in closed.FINITE and token.low not in german.CONJUNCTIONS
        before = tokens[place - 1]
        opens = calls_for_noun(before.low) or (
            before.text == "," and place > 1 and is_adjective(tokens, place - 2)
        )
        return adverb and opens and token.low not in german.PRONOUNS
    return False


def _is_place_adjective(text: str) -> bool:
    """Return whether a word is one like "Berliner", from the name of a place."""
    known = german.is_known(text) and german.lemma(text) == text
    return not known or (german.is_known(text[:-2]) and german.lemma(text[:-2]) == text[:-2])


def _determined(tokens: Tokens, head: int, attributes: tuple[int, ...], place: int) -> NounPhrase | None:
    """Return the phrase whose determiner, contraction or preposition stands at ``place``, else None."""
    if place < 0:
        return None
    low = tokens[place].low
    if low in closed.CONTRACTIONS:
        return NounPhrase(head, attributes, place, None, place, contracted=True)
    if low in closed.DETERMINER_FORMS and tokens[place].kind == "word":
        before = place - 1
        preposition = before if before >= 0 and _is_preposition(tokens, before) else None
        first = place if preposition is None else preposition
        return NounPhrase(head, attributes, first, place, preposition)
    if _is_preposition(tokens, place):
        return NounPhrase(head, attributes, place, None, place)
    name = tokens[place].is_noun and low.endswith("s") and place and _is_preposition(tokens, place - 1)
    if name and place + 1 == min((head, *attributes)):
        # "durch Kants Schriften": a name in the genitive does the work of an article.
        return NounPhrase(head, attributes, place - 1, None, place - 1)
    return None


def _is_preposition(tokens: Tokens, place: int) -> bool:
    token = tokens[place]
    if token.low not in closed.PREPOSITIONS:
        return False
    # "um die Abgabe zu senken" is none; "ab" and "zu" after a noun belong to a verb.
    return token.low not in ("ab", "zu") or not (token.text == "ab" and place and tokens[place - 1].is_noun)


def _far_determiner(tokens: Tokens, place: int) -> int | None:
    """Return the article before an extended attribute: it is followed by a preposition or an adverb."""
    for far in range(place, max(-1, place - _REACH), -1):
        token = tokens[far]
        if token.kind == "mark" and token.text not in '„“"#':
            return None
        following = tokens[far + 1].low
        if token.low in closed.DETERMINER_FORMS or token.low in closed.CONTRACTIONS:
            opens = (
                following in closed.PREPOSITIONS
                or following in closed.CONTRACTIONS
                or following[:1].isdigit()
            )
            adverb = tokens[far + 1].text[0].islower() and not ending_of(following) and following.isalpha()
            if opens or (adverb and following not in german.FINITE):
                return far
    return None
