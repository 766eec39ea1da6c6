"""German noun phrases."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from polbias.generators.authoring.negation.german_text import AbstentionError, GermanToken, head_of
from polbias.generators.language import german_words as lexicon

# Noun phrases: determiner, adjectives and extended attributes, noun, genitives and brackets.


@dataclass(slots=True)
class ClausePhrase:
    """A phrase of a clause.

    Attributes:
        kind: "definite", "indefinite", "bare", "universal", "number", "some" (positive quantifier),
            "pronoun", "prepositional", "pronominal" ("dafür"), "frame", "focus" or "adverb".
        first: Position of its first token.
        last: Position of its last token, attributes included.
        head: Position of its noun, or of its first token without a noun.
        adjectives: Positions of the inflected adjectives of a bare phrase, or of all phrases joined by "und".
        preposition: The preposition without article, or "".
        joined: Whether it consists of phrases joined by "und" or commas.
        inner: Kind of the noun phrase after a preposition.
    """

    kind: str
    first: int
    last: int
    head: int
    adjectives: list[int] = field(default_factory=list)
    preposition: str = ""
    joined: bool = False
    inner: str = ""


# Kinds of phrases that consist of one word.
_SINGLE = (
    ("pronoun", lexicon.PRONOUNS | lexicon.DEFINITE),
    ("pronominal", lexicon.PRONOMINAL),
    ("universal", lexicon.UNIVERSAL),
    ("some", lexicon.POSITIVE_QUANTIFIERS),
    ("focus", lexicon.FOCUS | lexicon.COMPARATIVES | lexicon.MANY_WORDS),
    ("frame", lexicon.FRAME_ADVERBS),
)


class PhraseReader:
    """Reads the phrases of a field from left to right.

    Attributes:
        tokens: Tokens of the sentence.
        positions: Positions of the field.
        governed: Prepositions of the verb or predicate; their phrases are not attributes.
        passive: Whether "von" can introduce the agent.
        index: Next index in ``positions``.
    """

    def __init__(
        self,
        tokens: list[GermanToken],
        positions: list[int],
        governed: frozenset[str] = frozenset(),
        passive: bool = False,
    ) -> None:
        self.tokens, self.positions, self.index = tokens, positions, 0
        self.governed, self.passive = governed, passive
        # Cached: every adverb looks ahead to the noun, so the time would double with each adverb.
        self._find_noun = cache(self._search_noun)

    def _token(self, index: int) -> GermanToken:
        return self.tokens[self.positions[index]]

    def _low(self, index: int) -> str:
        return self._token(index).low if index < len(self.positions) else ""

    def _text(self, index: int) -> str:
        return self._token(index).text if index < len(self.positions) else ""

    def _is_noun(self, index: int) -> bool:
        if index >= len(self.positions):
            return False
        if self.positions[index] == 0 and self._low(index) in lexicon.CLOSED:
            return False
        return lexicon.is_noun(self._token(index).text)

    def _noun_phrase(self) -> ClausePhrase | None:
        """Read determiner, adjectives and noun, with genitives; None without a noun."""
        start = index = self.index
        low, kind = self._low(start), "bare"
        for name, words in (
            ("definite", lexicon.DEFINITE),
            ("indefinite", lexicon.INDEFINITE),
            ("universal", lexicon.UNIVERSAL),
            ("some", lexicon.POSITIVE_QUANTIFIERS),
        ):
            if low in words:
                kind, index = name, start + 1
                break
        else:
            if lexicon.is_number(low):
                kind = "number"
        noun = self._find_noun(index, kind)
        if noun is None:
            return None
        first, head = self.positions[start], self.positions[noun]
        adjectives = [
            self.positions[k]
            for k in range(start, noun)
            if kind == "bare" and lexicon.is_inflected(self._low(k))
        ]
        if kind == "bare" and self._token(noun).text in lexicon.NAMES:
            kind = "definite"
        if kind == "indefinite" and noun == index and self._token(noun).text in lexicon.FRACTIONS:
            kind = "number"
        phrase = ClausePhrase(kind, first, head, head, adjectives)
        self.index = noun + 1
        self._extend(phrase)
        return phrase

    def _search_noun(self, start: int, kind: str) -> int | None:
        """Return the index of the noun of a phrase that begins at ``start``, or None."""
        index, extended = start, False
        while index < len(self.positions):
            token = self._token(index)
            if token.kind == "opaque" and index == start:
                return index if kind != "bare" else None
            if self._is_noun(index):
                return self._compound_end(index, kind, extended)
            extended |= token.low in lexicon.PREPOSITIONS
            if not self._before_noun(index, kind):
                return None
            index += 1
        return None

    def _before_noun(self, index: int, kind: str) -> bool:
        """Whether a word can occur between the beginning of a noun phrase and its noun."""
        token, low = self._token(index), self._low(index)
        is_adverb = low == "selbst" and self._is_noun(index + 1)  # "soll selbst Gesetze machen"
        if (
            token.kind != "word"
            or is_adverb
            or low in lexicon.PRONOUNS | lexicon.FRAME_ADVERBS | lexicon.FINITE
        ):
            return False
        if lexicon.is_inflected(low) or lexicon.is_number(low) or low in ("und", "oder", "nicht"):
            return True
        if low in ("mehr", "weniger") and self._low(index - 1) == "oder":  # "drei oder mehr Kinder"
            return True
        if kind in ("definite", "indefinite"):
            # Whether an adjective and its noun follow, as in "die vom Bund geförderten Schulen".
            limit = min(len(self.positions), index + 9)
            return any(
                lexicon.is_inflected(self._text(k))
                and self._is_noun(k + 1)
                and self._low(k) not in lexicon.DEFINITE
                for k in range(index, limit)
            )
        if low in lexicon.PREPOSITIONS:
            return False
        # "stark befahrene Strassen": an adverb before the adjective that it modifies.
        # "günstiger Wohnungen", but not "gemeinsam Kinder": a comparative can stand for an adjective.
        following = (self._low if low in lexicon.COMPARATIVES else self._text)(index + 1)
        if low in ("besonders", "sehr") and not lexicon.is_inflected(following):
            following = self._text(index + 2)
        return (
            kind == "bare"
            and following not in lexicon.DEFINITE
            and lexicon.is_inflected(following)
            and self._find_noun(index + 1, kind) is not None
        )

    def _compound_end(self, index: int, kind: str, extended: bool = False) -> int:
        """Return the index of the last of several adjacent nouns in one phrase: "Schweizer Armee"."""
        while (
            index + 1 < len(self.positions)
            and self.positions[index + 1] == self.positions[index] + 1
            and lexicon.is_noun(self._token(index + 1).text)
        ):
            text = self._token(index).text
            following = self._token(index + 1).text
            is_part = (
                text.endswith("-")
                or (text.endswith("er") and lexicon.lemma(text) == text)
                or text in lexicon.NAMING
                or (text in lexicon.NAMED_PLACES and following in lexicon.NAMES)
                or (text in lexicon.UNITS and not text.endswith(("ren", "ten", "gen")))
                or text.isupper()
            )
            # "der Kanton Bern" is one phrase; "die Tarifbindung Bedingung (sein)" is two.
            is_separate = kind == "bare" or lexicon.gender(following) is not None
            is_separate |= lexicon.is_plural(text) is True or lexicon.is_plural(following) is True
            if is_separate and not (is_part or lexicon.is_adjective_in_name(text)):
                break
            index += 1
        if self._token(index).text.endswith("-") and self._low(index + 1) in lexicon.CONJUNCTIONS:
            second = self._find_noun(index + 2, kind)
            return index if second is None else second
        following = self._low(index + 1)
        # "die vom Bund geförderten Schulen": the noun of the phrase follows the attribute.
        if extended and lexicon.is_inflected(following) and following not in lexicon.GENITIVE_ARTICLES:
            noun_index = self._find_noun(index + 1, kind)
            return index if noun_index is None else noun_index
        return index

    def _extend(self, phrase: ClausePhrase) -> None:
        """Extend a phrase by brackets, genitives and names after its noun."""
        while self.index < len(self.positions):
            low, token = self._low(self.index), self._token(self.index)
            adjacent = self.positions[self.index] == self.positions[self.index - 1] + 1
            if token.kind == "opaque" and adjacent:
                phrase.last = self.positions[self.index]
                self.index += 1
                continue
            if low[:1].isdigit() and adjacent and self.positions[self.index - 1] == phrase.head:
                ahead = self._low(self.index + 1)
                attribute = lexicon.is_inflected(ahead) and ahead not in lexicon.CLOSED
                if self._is_noun(self.index + 1) or attribute:
                    return
                # "Tempo 30", "im Jahr 2035": the number is part of the name.
                phrase.last, is_tempo = self.positions[self.index], self.tokens[phrase.head].text == "Tempo"
                phrase.kind = "number" if is_tempo else "definite" if phrase.kind == "bare" else phrase.kind
                self.index += 1
                continue
            if adjacent and low in lexicon.NUMBERS and self._low(self.index + 1) == "bis":
                phrase.last = self.positions[min(self.index + 2, len(self.positions) - 1)]
                self.index += 3  # "die Klassen fünf bis zehn"
                continue
            is_genitive = low in lexicon.GENITIVE_ARTICLES or self._genitive_adjective(phrase)
            if low == "jedes":  # "den Beitrag jedes Landes", but "den Beitrag jedes Jahr"
                is_genitive = self._is_noun(self.index + 1) and self._low(self.index + 1).endswith("s")
            is_name = (
                lexicon.is_noun(token.text) and token.text.endswith("s") and token.text[:-1] in lexicon.NAMES
            )
            if not adjacent or not (is_genitive or is_name):
                return
            saved = self.index
            following = self._noun_phrase()
            if following is None:
                self.index = saved
                return
            phrase.last = following.last

    def _genitive_adjective(self, phrase: ClausePhrase) -> bool:
        """Whether an adjective in the genitive follows: "der Bau neuer Strassen".

        A comparative has the same form: "den Gemeinden schneller Geld geben".
        """
        low = self._low(self.index)
        if not low.endswith("er") or not self._token(self.index).text.islower():
            return False
        if low in lexicon.FOCUS | lexicon.NOT_ADJECTIVES | lexicon.PREPOSITIONS | lexicon.INDEFINITE:
            return False
        article = self.tokens[phrase.first].low
        direct = phrase.kind in ("definite", "indefinite") and article not in ("dem", "einem")
        if article == "den" and lexicon.is_plural(self.tokens[phrase.head].text):
            direct = False
        return self._is_noun(self.index + 1) and (low not in lexicon.COMPARATIVES or direct)

    # The phrases of a middle field: noun phrases with their attributes, prepositional phrases, adverbs.

    def read(self) -> list[ClausePhrase]:
        """Return all phrases up to a comma that does not continue an enumeration."""
        phrases: list[ClausePhrase] = []
        while self.index < len(self.positions):
            comma = self._comma_before(self.index)
            token = self._token(self.index)
            if token.kind == "opaque" and phrases:
                phrases[-1].last = self.positions[self.index]
                self.index += 1
            elif (comma or token.low in lexicon.CONJUNCTIONS) and phrases:
                if not self._join(phrases[-1], comma):
                    if comma:
                        break
                    if token.low == "bis":  # "sonntags bis 18 Uhr"
                        phrases.append(self._read_prepositional())
                    else:
                        self.index += 1
            else:
                self._read_next(phrases)
        return phrases

    def _read_next(self, phrases: list[ClausePhrase]) -> None:
        if self._is_postposition(phrases):
            phrases[-1].last = self.positions[self.index]
            phrases[-1].kind, phrases[-1].preposition = "prepositional", self._low(self.index)
            self.index += 1
            return
        phrase = self._read_phrase()
        if phrases and self._is_attribute(phrases[-1], phrase):
            phrases[-1].last = phrase.last
        else:
            phrases.append(phrase)

    def _is_postposition(self, phrases: list[ClausePhrase]) -> bool:
        """Whether a preposition governs the noun phrase before it: "China gegenüber"."""
        if not phrases or phrases[-1].kind not in ("definite", "indefinite", "bare", "universal"):
            return False
        adjacent = phrases[-1].last == self.positions[self.index] - 1
        after = self.index + 1
        nominal = self._is_noun(after) or self._low(after) in lexicon.DEFINITE | lexicon.INDEFINITE
        return adjacent and self._low(self.index) in lexicon.POSTPOSITIONS and not nominal

    def _comma_before(self, index: int) -> bool:
        """Whether only punctuation occurs between a position and the previous one."""
        if not index or self.positions[index] == self.positions[index - 1] + 1:
            return False
        between = self.tokens[self.positions[index - 1] + 1 : self.positions[index]]
        return all(token.kind == "mark" for token in between)

    def _join(self, previous: ClausePhrase, comma: bool) -> bool:
        """Join the phrase after a conjunction or comma to the previous phrase if both have the same form."""
        start = self.index
        self.index += 0 if comma and self._low(start) not in lexicon.CONJUNCTIONS else 1
        if self.index >= len(self.positions):
            self.index = start
            return False
        phrase = self._read_phrase()
        nominal = {"definite", "indefinite", "bare", "universal", "number", "prepositional", "some"}
        mixed = previous.kind != "prepositional" and phrase.kind == "prepositional"
        nouns = previous.kind in nominal and phrase.kind in nominal and not mixed
        if not nouns and not (
            previous.kind == phrase.kind and phrase.kind in ("adverb", "frame", "pronominal")
        ):
            self.index = start
            return False
        # After an attribute, "und" continues the attribute: "eine Steuer auf Alkohol und Tabak".
        single = previous.last == previous.head or previous.joined
        previous.last, previous.joined = phrase.last, True
        attribute = phrase.kind == "definite" and self.tokens[phrase.first].low in lexicon.GENITIVE_ARTICLES
        if previous.kind == "bare" and phrase.kind == "bare":
            previous.adjectives += phrase.adjectives if single else []
        elif previous.kind in ("bare", "indefinite") and single and not attribute:
            previous.inner = "mixed"
        self._extend(previous)
        return True

    def _read_phrase(self) -> ClausePhrase:
        start = self.index
        token = self._token(start)
        low = token.low
        if fixed := self._read_fixed(start):
            return fixed
        is_equal = low in ("gleich", "genauso", "ebenso") and self._low(start + 1) in lexicon.MANY_WORDS
        if is_equal and (head := head_of(self.tokens, self.positions[start])) and head.verbal:
            raise AbstentionError(
                "abstain:scope", f'"{low}" belongs to the verb, so it may not mean the same amount'
            )
        if (
            (low == "zu" and self._is_degree(start + 1))
            or is_equal
            or (self._low(start + 1) == "genug" and token.text.islower() and low not in lexicon.CLOSED)
        ):
            self.index = start + 2
            return ClausePhrase(
                "focus", self.positions[start], self.positions[start + 1], self.positions[start]
            )
        # In lower case; the first word of a sentence is capitalized in any case.
        if low in lexicon.PREPOSITIONS and (token.text[:1].islower() or self.positions[start] == 0):
            return self._read_prepositional()
        if not self._is_adverb_here(start) and (phrase := self._noun_phrase()):
            return phrase
        self.index = start + 1
        kind = next((kind for kind, words in _SINGLE if low in words), "adverb")
        if low == "vor" and self._low(start + 1) == "allem":
            kind = "focus"
        elif kind == "adverb" and lexicon.is_number(low):
            kind = "frame" if low.isdigit() and len(low) == 4 else "number"
        position = self.positions[start]
        return ClausePhrase(kind, position, position, position)

    def _read_fixed(self, start: int) -> ClausePhrase | None:
        """Read a fixed phrase such as "alles in allem"."""
        for words in lexicon.FIXED_FRAMES:
            if all(self._low(start + k) == word for k, word in enumerate(words)):
                self.index = start + len(words)
                first = self.positions[start]
                return ClausePhrase("frame", first, self.positions[self.index - 1], first)
        return None

    def _is_degree(self, index: int) -> bool:
        """Whether "zu" before a word means "too": a dative cannot end in "e" or lack an ending."""
        if index >= len(self.positions) or not self._token(index).text.islower():
            return False
        low = self._low(index)
        closed = (
            lexicon.DEFINITE
            | lexicon.INDEFINITE
            | lexicon.UNIVERSAL
            | lexicon.PRONOUNS
            | lexicon.POSITIVE_QUANTIFIERS
        )
        if low in closed or lexicon.is_number(low):
            return False
        return low in lexicon.MANY_WORDS or low.endswith("e") or not lexicon.is_inflected(low)

    def _is_adverb_here(self, index: int) -> bool:
        low = self._low(index)
        closed = (
            lexicon.FOCUS
            | lexicon.COMPARATIVES
            | lexicon.FRAME_ADVERBS
            | lexicon.PRONOMINAL
            | lexicon.MANY_WORDS
        )
        return low in closed or (low in lexicon.POSITIVE_QUANTIFIERS and not self._is_noun(index + 1))

    def _read_prepositional(self) -> ClausePhrase:
        """Read a prepositional phrase with its complement and a possible postposition."""
        position, low = self.positions[self.index], self._low(self.index)
        preposition = lexicon.CONTRACTED.get(low, low)
        self.index += 1
        inner = ""
        # "bis zu", "von mehr als", "auf mindestens", "ab sofort"
        while self._low(self.index) in lexicon.PREPOSITIONS | lexicon.FOCUS | lexicon.COMPARATIVES:
            if self._low(self.index) in lexicon.FOCUS and not self._low(self.index + 1):
                break
            self.index += 1
        if self.index < len(self.positions):
            phrase = self._noun_phrase()
            if phrase:
                inner = phrase.kind
                head, last = phrase.head, phrase.last
            else:
                head = last = self.positions[self.index]
                inner = "universal" if self._low(self.index) in lexicon.UNIVERSAL else ""
                self.index += 1
        else:
            head = last = self.positions[self.index - 1]
        around = ("hinaus", "hinweg", "hin", "entlang", "her", *(("an",) if preposition == "von" else ()))
        if self._low(self.index) in around:
            last = self.positions[self.index]
            self.index += 1
        return ClausePhrase("prepositional", position, last, head, preposition=preposition, inner=inner)

    def _is_attribute(self, previous: ClausePhrase, phrase: ClausePhrase) -> bool:
        """Whether a prepositional phrase is an attribute of the noun before it."""
        kinds_without_attribute = ("pronoun", "adverb", "focus", "frame", "pronominal")
        if phrase.kind != "prepositional" or previous.kind in kinds_without_attribute:
            return False
        is_levy = phrase.preposition == "auf" and phrase.inner != "number"
        if is_levy and self.tokens[previous.head].low.endswith(lexicon.LEVIES):
            return True
        is_amount = phrase.preposition in ("auf", "um") and phrase.inner == "number"
        is_judgement = phrase.preposition == "für" and not lexicon.is_noun(self.tokens[phrase.head].text)
        if is_amount or is_judgement or self.tokens[previous.head].text in lexicon.NAMES | lexicon.LANDS:
            return False
        of_action = phrase.preposition == "von" and self.tokens[previous.last].low.endswith("ung")
        if of_action and (previous.kind == "prepositional" or previous.last > previous.head):
            return True  # "bei der Unterbringung von Geflüchteten"
        if phrase.preposition in lexicon.NEVER_ATTRIBUTE or phrase.preposition in self.governed:
            return False
        if (
            not lexicon.is_noun(self.tokens[previous.last].text)
            and self.tokens[previous.last].kind != "opaque"
        ):
            return False
        is_bare = all(lexicon.is_inflected(self.tokens[k].low) for k in range(phrase.first + 1, phrase.head))
        article = self.tokens[min(phrase.first + 1, phrase.last)].low in lexicon.DEFINITE | lexicon.INDEFINITE
        if self.tokens[phrase.head].text in lexicon.FRACTIONS and phrase.preposition == "zu":
            return False  # "die Schulden zur Hälfte übernehmen"
        if self.tokens[phrase.head].text in lexicon.LIGHT_NOUNS and is_bare and not article:
            return False
        is_full = self.tokens[min(phrase.first + 1, phrase.last)].low in ("voller", "vollem")
        if is_full or is_deadline(self.tokens, phrase):  # "in voller Höhe", "bis 2035"
            return False
        # "das Alter mit Tests bestimmen": an instrument does not restrict a definite noun
        if phrase.preposition == "mit" and previous.kind == "definite" and phrase.inner == "bare":
            return False
        has_agent = phrase.preposition == "von" and self.passive
        return not (has_agent and self.tokens[phrase.head].low in lexicon.AGENTS)


def is_deadline(tokens: list[GermanToken], phrase: ClausePhrase) -> bool:
    """Whether a phrase is a deadline: "innerhalb von drei Monaten", "bis 2035"."""
    inside = [token.low for token in tokens[phrase.first : phrase.last + 1]]
    until = phrase.preposition == "bis" and inside[1:2] != ["zu"]
    return (until or phrase.preposition in ("innerhalb", "binnen")) and any(map(lexicon.is_number, inside))
