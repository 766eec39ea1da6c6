"""Noun phrases: preposition, determiner and adjectives left of a noun."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.generators.language import german_words as german
from polbias.generators.xphemism.substitution import words as word_classes
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
    word_classes.FINITE,
    word_classes.DETERMINER_FORMS,
    word_classes.CONTRACTIONS,
    word_classes.PREPOSITIONS,
    ("anders", "besonders", "statt", "lediglich", "eben", "gerade"),
)
# Tokens between an attribute and its article: "der bis heute von allen getragene Beschluss".
_MAX_ARTICLE_DISTANCE = 9


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Token indices of a noun phrase, from its preposition to its noun.

    Attributes:
        head: index of the noun (of the first word, if the lexicon word is a phrase).
        attributes: indices of the inflected adjectives, in order.
        first: index of the first token, preposition included.
        determiner: index of the determiner, None without one or inside a contraction.
        preposition: index of the preposition or contraction right before the phrase, None without one.
        contracted: whether the preposition is a contraction.
    """

    head: int
    attributes: tuple[int, ...]
    first: int
    determiner: int | None = None
    preposition: int | None = None
    contracted: bool = False

    def find_determiner(self, tokens: Tokens) -> word_classes.Determiner | None:
        """Return the determiner, also from a contraction; None without one."""
        if self.determiner is not None:
            return word_classes.determiner_of(tokens[self.determiner].low)
        return word_classes.DEFINITE if self.contracted else None

    def strength(self, tokens: Tokens) -> Strength:
        """Return the declension of the adjectives of the phrase."""
        determiner = self.find_determiner(tokens)
        return determiner.strength if determiner else "strong"


def ending_of(word: str) -> str:
    """Return the adjective ending of a word, "" without one."""
    return next((ending for ending in ENDINGS if word.endswith(ending) and len(word) > len(ending) + 1), "")


def is_adjective(tokens: Tokens, index: int) -> bool:
    """Whether a token left of a noun is an inflected adjective or participle."""
    token = tokens[index]
    low = token.low
    if token.kind != "word" or not ending_of(low) or low in _NOT_ADJECTIVES:
        return False
    is_hyphenated = token.text.rpartition("-")[2].islower() and "-" in token.text
    may_have_capital = token.begins_sentence and german.is_known(low) and german.lemma(low).islower()
    if not may_have_capital and index and index + 1 < len(tokens) and tokens[index + 1].is_noun:
        # "Ein Wirksames Mittel", but neither "eine Menge Mittel" nor "dass die Deutschen Mittel haben".
        article = word_classes.determiner_of(tokens[index - 1].low)
        stem = german.lemma(low)
        is_inflected = stem != low and low.startswith(stem)
        may_have_capital = is_inflected and article is not None and article.strength == "mixed"
    if not (token.text[0].islower() or is_hyphenated or may_have_capital):
        return False
    if low in word_classes.ADVERBS and _is_participle(word_classes.next_low(tokens, index)):
        return False
    if index and (precedes_noun(tokens[index - 1].low) or tokens[index - 1].text == "-"):
        return True
    return low in german.MANY_WORDS or not _is_verb(low)


def _is_after_article(tokens: Tokens, index: int) -> bool:
    """Whether the token is "solche" after "eine", which is declined like an adjective."""
    previous = word_classes.determiner_of(tokens[index - 1].low) if index else None
    return (
        tokens[index].low.startswith("solche")
        and previous is not None
        and previous.stem in word_classes.SINGULAR_ONLY
    )


def precedes_noun(low: str) -> bool:
    """Whether a word calls for a noun after it: a contraction, preposition or determiner."""
    return (
        low in word_classes.CONTRACTIONS
        or low in word_classes.PREPOSITIONS
        or low in word_classes.DETERMINER_FORMS
    )


def _is_verb(low: str) -> bool:
    """Whether a word with an adjective ending is more probably a verb."""
    if german.is_infinitive(low) or german.is_zu_infinitive(low):
        return True
    infinitive = german.verb_lemma(low)
    if low.startswith(infinitive) or not infinitive.endswith("n") or not infinitive[:1].islower():
        # "Allgemeine" is "allgemein" with an ending; no verb form begins with its infinitive.
        return False
    return not _is_participle(low) and low.endswith(("te", "ten", "e", "en"))


def read_phrase(tokens: Tokens, head: int) -> NounPhrase:
    """Return the noun phrase of the noun at index ``head``."""
    attributes: list[int] = []
    index = head - 1
    while index >= 0:
        if is_adjective(tokens, index) or _is_after_article(tokens, index):
            attributes.append(index)
        elif not _can_intervene(tokens, index, bool(attributes)):
            break
        index -= 1
    attributes.reverse()
    phrase = _find_determined(tokens, head, tuple(attributes), index) or _find_extended(
        tokens, head, tuple(attributes), index
    )
    if phrase is not None:
        return phrase
    first = min([head, *attributes])
    if index + 1 < first and tokens[index + 1].low in word_classes.INVARIABLE | {"so"}:
        first = index + 1
    return NounPhrase(head, tuple(attributes), first)


def extended_phrase(tokens: Tokens, phrase: NounPhrase) -> NounPhrase | None:
    """Return the phrase with an article further left, None if there is none.

    The nearest determiner may belong to another noun: in "die von allen geplante Abgabe" the article of
    "Abgabe" is "die".
    """
    return _find_extended(tokens, phrase.head, phrase.attributes, phrase.first - 1)


def _find_extended(tokens: Tokens, head: int, attributes: tuple[int, ...], index: int) -> NounPhrase | None:
    """Return the phrase with the article before its extended attribute, None without one."""
    article = _far_determiner(tokens, index) if attributes else None
    if article is None:
        return None
    # "Eine von ihren teuren Abgaben": probably a pronoun, not the article of an extended attribute.
    has_measure = tokens[article + 1].low[:1].isdigit()  # "eine 16 Jahre alte ...", "eine 16-jährige ..."
    if (
        tokens[article].low in word_classes.PARTITIVE
        and not has_measure
        and not _is_participle(tokens[attributes[0]].low)
    ):
        return None
    return _find_determined(tokens, head, attributes, article)


def _is_participle(low: str) -> bool:
    """Whether a word is a participle with an adjective ending."""
    ending = ending_of(low)
    stem = low.removesuffix(ending)
    if stem.endswith("t") and not stem.endswith(("nnt", "ndt", "cht", "iert")):
        # "Erhielten" is a preterite: a participle in "-t" has the stem of its infinitive.
        root = german.verb_lemma(stem).removesuffix("n").removesuffix("e")
        if "ge" not in stem and not stem.startswith(root):
            return False
    return bool(ending) and (stem.endswith("nd") or german.is_participle(stem))


def _can_intervene(tokens: Tokens, index: int, has_attributes: bool) -> bool:
    """Whether a token without ending can occur between the article and the noun."""
    token = tokens[index]
    if token.kind == "number" or token.text == "#" or token.low in word_classes.INVARIABLE:
        return True
    if token.low in german.NUMBERS or token.low in ("%", "prozent"):
        return True
    if token.text == "-" and index and tokens[index - 1].kind == "number":  # "17-jährige"
        return True
    following = tokens[index + 1]
    if token.text.endswith("-") and following.low in word_classes.CONJUNCTIONS:
        return True
    if token.low in word_classes.CONJUNCTIONS and index:
        previous = tokens[index - 1]
        return (previous.text.endswith("-") and previous.kind == "word") or (
            has_attributes and is_adjective(tokens, index - 1)
        )
    if token.low in ("weil", "da", "wenn", "obwohl") and has_attributes and tokens[index - 1].text == ",":
        return index > 1 and is_adjective(tokens, index - 2)
    if token.text == "," and index and has_attributes:
        return is_adjective(tokens, index - 1)
    if token.text in "„“\"'»«‚‘" and index:
        return precedes_noun(tokens[index - 1].low) or is_adjective(tokens, index - 1)
    # Adjectives from names and numbers: "Berliner", "90er".
    if token.is_noun and token.text.endswith("er") and not token.begins_sentence and index:
        return precedes_noun(tokens[index - 1].low) and _is_place_adjective(token.text)
    # An adverb between article and adjective: "die stark steigende Abgabe".
    if has_attributes and index and token.kind == "word" and token.text[0].islower():
        is_adverb = token.low not in word_classes.DETERMINER_FORMS and not precedes_noun(token.low)
        is_adverb = (
            is_adverb and token.low not in word_classes.FINITE and token.low not in german.CONJUNCTIONS
        )
        previous = tokens[index - 1]
        follows_determiner = precedes_noun(previous.low) or (
            previous.text == "," and index > 1 and is_adjective(tokens, index - 2)
        )
        return is_adverb and follows_determiner and token.low not in german.PRONOUNS
    return False


def _is_place_adjective(text: str) -> bool:
    """Whether a word derives from a place name, like "Berliner"."""
    is_lemma = german.is_known(text) and german.lemma(text) == text
    return not is_lemma or (german.is_known(text[:-2]) and german.lemma(text[:-2]) == text[:-2])


def _find_determined(tokens: Tokens, head: int, attributes: tuple[int, ...], index: int) -> NounPhrase | None:
    """Return the phrase with the determiner, contraction or preposition at ``index``, else None."""
    if index < 0:
        return None
    low = tokens[index].low
    if low in word_classes.CONTRACTIONS:
        return NounPhrase(head, attributes, index, None, index, contracted=True)
    if low in word_classes.DETERMINER_FORMS and tokens[index].kind == "word":
        before = index - 1
        preposition = before if before >= 0 and _is_preposition(tokens, before) else None
        first = index if preposition is None else preposition
        return NounPhrase(head, attributes, first, index, preposition)
    if _is_preposition(tokens, index):
        return NounPhrase(head, attributes, index, None, index)
    is_genitive_name = (
        tokens[index].is_noun and low.endswith("s") and index and _is_preposition(tokens, index - 1)
    )
    if is_genitive_name and index + 1 == min((head, *attributes)):
        # "durch Kants Schriften": a name in the genitive replaces the article.
        return NounPhrase(head, attributes, index - 1, None, index - 1)
    return None


def _is_preposition(tokens: Tokens, index: int) -> bool:
    token = tokens[index]
    if token.low not in word_classes.PREPOSITIONS:
        return False
    # "ab" after a noun belongs to a verb.
    return token.low not in ("ab", "zu") or not (token.text == "ab" and index and tokens[index - 1].is_noun)


def _far_determiner(tokens: Tokens, index: int) -> int | None:
    """Return the index of the article before an extended attribute: a preposition or adverb follows it."""
    for article in range(index, max(-1, index - _MAX_ARTICLE_DISTANCE), -1):
        token = tokens[article]
        if token.kind == "mark" and token.text not in '„“"#':
            return None
        following = tokens[article + 1].low
        if token.low in word_classes.DETERMINER_FORMS or token.low in word_classes.CONTRACTIONS:
            precedes_attribute = (
                following in word_classes.PREPOSITIONS
                or following in word_classes.CONTRACTIONS
                or following[:1].isdigit()
            )
            precedes_adverb = (
                tokens[article + 1].text[0].islower() and not ending_of(following) and following.isalpha()
            )
            if precedes_attribute or (precedes_adverb and following not in german.FINITE):
                return article
    return None
