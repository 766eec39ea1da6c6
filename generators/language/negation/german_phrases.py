"""The phrases of a middle field: noun phrases with their attributes, prepositional phrases, adverbs."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_phrases import NounReader, Phrase
from polbias.generators.authoring.negation.german_text import Token
from polbias.generators.language import german_words as lexicon

__all__ = ["Phrase", "Reader"]


class Reader(NounReader):
    """Reads the phrases of a middle field from left to right.

    Attributes:
        governed: Prepositions that the verb or predicate takes; their phrases are no attributes.
        passive: Whether "von" can name who does it.
    """

    def __init__(
        self, tokens: list[Token], positions: list[int], governed: frozenset[str], passive: bool
    ) -> None:
        super().__init__(tokens, positions)
        self.governed, self.passive = governed, passive

    def read(self) -> list[Phrase]:
        """Return all phrases; stops at a comma after which no enumeration goes on."""
        found: list[Phrase] = []
        while self.place < len(self.positions):
            comma = self._comma_before(self.place)
            token = self._token(self.place)
            if token.kind == "opaque" and found:
                found[-1].last = self.positions[self.place]
                self.place += 1
            elif (comma or token.low in lexicon.CONJUNCTIONS) and found:
                if not self._join(found[-1], comma):
                    if comma:
                        break
                    self.place += 1
            else:
                self._next(found)
        return found

    def _next(self, found: list[Phrase]) -> None:
        phrase = self._phrase()
        if found and self._is_attribute(found[-1], phrase):
            found[-1].last = phrase.last
        else:
            found.append(phrase)

    def _comma_before(self, place: int) -> bool:
        """Return whether nothing but punctuation lies between a place and the one before it."""
        if not place or self.positions[place] == self.positions[place - 1] + 1:
            return False
        between = self.tokens[self.positions[place - 1] + 1 : self.positions[place]]
        return all(token.kind == "mark" for token in between)

    def _join(self, before: Phrase, comma: bool) -> bool:
        """Join what follows a conjunction or comma to the phrase before it, if it is of the same form."""
        start = self.place
        self.place += 0 if comma and self._low(start) not in lexicon.CONJUNCTIONS else 1
        if self.place >= len(self.positions):
            self.place = start
            return False
        phrase = self._phrase()
        nominal = {"definite", "indefinite", "bare", "universal", "number", "prepositional", "some"}
        same = before.kind in nominal and phrase.kind in nominal
        if before.kind != "prepositional" and phrase.kind == "prepositional":
            same = False
        if before.kind == phrase.kind and before.kind in ("adverb", "frame", "pronominal"):
            same = True
        if not same:
            self.place = start
            return False
        # After an attribute, "und" goes on with the attribute: "eine Steuer auf Alkohol und Tabak".
        single = before.last == before.head or before.joined
        before.last, before.joined = phrase.last, True
        attribute = phrase.kind == "definite" and self.tokens[phrase.first].low in lexicon.GENITIVE_ARTICLES
        if before.kind == "bare" and phrase.kind == "bare":
            before.adjectives += phrase.adjectives if single else []
        elif before.kind in ("bare", "indefinite") and single and not attribute:
            before.inner = "mixed"
        self._extend(before)
        return True

    def _phrase(self) -> Phrase:
        start = self.place
        token = self._token(start)
        low = token.low
        fixed = self._fixed(start)
        if fixed:
            return fixed
        if low == "zu" and self._is_degree(start + 1):
            self.place = start + 2
            return Phrase("focus", self.positions[start], self.positions[start + 1], self.positions[start])
        noun_phrase = None if self._is_adverb_here(start) else self._noun_phrase(start)
        if low in lexicon.PREPOSITIONS and self._small(start):
            return self._prepositional(start)
        if noun_phrase:
            return noun_phrase
        self.place = start + 1
        kind = "adverb"
        if low in lexicon.PRONOUNS | lexicon.DEFINITE:
            kind = "pronoun"
        elif low in lexicon.PRONOMINAL:
            kind = "pronominal"
        elif low in lexicon.UNIVERSAL:
            kind = "universal"
        elif low in lexicon.POSITIVE_QUANTIFIERS:
            kind = "some"
        elif low in lexicon.FOCUS | lexicon.COMPARATIVES | lexicon.MANY or (
            low == "vor" and self._low(start + 1) == "allem"
        ):
            kind = "focus"
        elif low in lexicon.FRAME_ADVERBS:
            kind = "frame"
        elif lexicon.is_number(low):
            kind = "number"
        position = self.positions[start]
        return Phrase(kind, position, position, position)

    def _fixed(self, start: int) -> Phrase | None:
        """Read a fixed phrase such as "alles in allem"."""
        for words in lexicon.FIXED_FRAMES:
            if all(self._low(start + k) == word for k, word in enumerate(words)):
                self.place = start + len(words)
                first = self.positions[start]
                return Phrase("frame", first, self.positions[self.place - 1], first)
        return None

    def _is_degree(self, place: int) -> bool:
        """Return whether "zu" before a word is "too": a dative cannot end in "e", or do without an ending."""
        if place >= len(self.positions) or not self._token(place).text.islower():
            return False
        low = self._low(place)
        closed = (
            lexicon.DEFINITE
            | lexicon.INDEFINITE
            | lexicon.UNIVERSAL
            | lexicon.PRONOUNS
            | lexicon.POSITIVE_QUANTIFIERS
        )
        if low in closed or lexicon.is_number(low):
            return False
        return low in lexicon.MANY or low.endswith("e") or not lexicon.is_inflected(low)

    def _is_adverb_here(self, place: int) -> bool:
        low = self._low(place)
        closed = (
            lexicon.FOCUS | lexicon.COMPARATIVES | lexicon.FRAME_ADVERBS | lexicon.PRONOMINAL | lexicon.MANY
        )
        return low in closed or (low in lexicon.POSITIVE_QUANTIFIERS and not self._noun_ahead(place + 1))

    def _prepositional(self, start: int) -> Phrase:
        """Read a preposition with what it governs, and what can follow as a postposition."""
        position = self.positions[start]
        preposition = lexicon.CONTRACTED.get(self._low(start), self._low(start))
        self.place = start + 1
        inner = ""
        # "bis zu", "von mehr als", "auf mindestens", "ab sofort"
        while self.place < len(self.positions) and (
            self._low(self.place) in lexicon.PREPOSITIONS | lexicon.FOCUS | lexicon.COMPARATIVES
        ):
            if self._low(self.place) in lexicon.FOCUS and not self._low(self.place + 1):
                break
            self.place += 1
        if self.place < len(self.positions):
            phrase = self._noun_phrase(self.place)
            if phrase:
                inner = phrase.kind
                head, last = phrase.head, phrase.last
            else:
                head = last = self.positions[self.place]
                inner = "universal" if self._low(self.place) in lexicon.UNIVERSAL else ""
                self.place += 1
        else:
            head = last = self.positions[self.place - 1]
        if self._low(self.place) in ("hinaus", "hinweg", "hin", "entlang", "her", "an") and self.place < len(
            self.positions
        ):
            last = self.positions[self.place]
            self.place += 1
        return Phrase("prepositional", position, last, head, preposition=preposition, inner=inner)

    def _is_attribute(self, before: Phrase, phrase: Phrase) -> bool:
        """Return whether a prepositional phrase belongs to the noun before it."""
        if phrase.kind != "prepositional" or before.kind in (
            "pronoun",
            "adverb",
            "focus",
            "frame",
            "pronominal",
        ):
            return False
        if phrase.preposition in lexicon.NEVER_ATTRIBUTE or phrase.preposition in self.governed:
            return False
        if not lexicon.is_noun(self.tokens[before.last].text) and self.tokens[before.last].kind != "opaque":
            return False
        bare = all(lexicon.is_inflected(self.tokens[k].low) for k in range(phrase.first + 1, phrase.head))
        article = self.tokens[min(phrase.first + 1, phrase.last)].low in lexicon.DEFINITE | lexicon.INDEFINITE
        if self.tokens[phrase.head].text in lexicon.LIGHT_NOUNS and bare and not article:
            return False
        by_someone = phrase.preposition == "von" and self.passive
        return not (by_someone and self.tokens[phrase.head].low in lexicon.AGENTS)
