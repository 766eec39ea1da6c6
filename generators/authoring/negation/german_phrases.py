"""German noun phrases."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from polbias.generators.authoring.negation.german_text import GermanToken
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
        head: Position of its noun; that of the first token where it has none.
        adjectives: Positions of the inflected adjectives of a bare phrase, of all that are joined by "und".
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
        tokens: Of the sentence.
        positions: Of the field that is read.
        governed: Prepositions that the verb or predicate takes; their phrases are no attributes.
        passive: Whether "von" can name who does it.
        place: Place in ``positions`` that is read next.
    """

    def __init__(
        self,
        tokens: list[GermanToken],
        positions: list[int],
        governed: frozenset[str] = frozenset(),
        passive: bool = False,
    ) -> None:
        self.tokens, self.positions, self.place = tokens, positions, 0
        self.governed, self.passive = governed, passive
        # Every adverb looks ahead as far as the noun, past all others: kept, or the time doubles with each.
        self._find_noun = cache(self._found_noun)

    def _token(self, place: int) -> GermanToken:
        return self.tokens[self.positions[place]]

    def _low(self, place: int) -> str:
        return self._token(place).low if place < len(self.positions) else ""

    def _is_noun(self, place: int) -> bool:
        if place >= len(self.positions):
            return False
        if self.positions[place] == 0 and self._low(place) in lexicon.CLOSED:
            return False
        return lexicon.is_noun(self._token(place).text)

    def _noun_phrase(self) -> ClausePhrase | None:
        """Read determiner, adjectives and noun, with genitives; None if there is no noun."""
        start = place = self.place
        low, kind = self._low(start), "bare"
        for name, words in (
            ("definite", lexicon.DEFINITE),
            ("indefinite", lexicon.INDEFINITE),
            ("universal", lexicon.UNIVERSAL),
            ("some", lexicon.POSITIVE_QUANTIFIERS),
        ):
            if low in words:
                kind, place = name, start + 1
                break
        else:
            if lexicon.is_number(low):
                kind = "number"
        noun = self._find_noun(place, kind)
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
        if kind == "indefinite" and noun == place and self._token(noun).text in lexicon.FRACTIONS:
            kind = "number"
        phrase = ClausePhrase(kind, first, head, head, adjectives)
        self.place = noun + 1
        self._extend(phrase)
        return phrase

    def _found_noun(self, start: int, kind: str) -> int | None:
        """Return the place of the noun that a phrase has from ``start`` on, or None."""
        place, extended = start, False
        while place < len(self.positions):
            token = self._token(place)
            if token.kind == "opaque" and place == start:
                return place if kind != "bare" else None
            if self._is_noun(place):
                return self._compound(place, kind, extended)
            extended |= token.low in lexicon.PREPOSITIONS
            if not self._before_noun(place, kind):
                return None
            place += 1
        return None

    def _before_noun(self, place: int, kind: str) -> bool:
        """Return whether a word can stand between the beginning of a noun phrase and its noun."""
        token, low = self._token(place), self._low(place)
        alone = low == "selbst" and self._is_noun(place + 1)  # "soll selbst Gesetze machen"
        if token.kind != "word" or alone or low in lexicon.PRONOUNS | lexicon.FRAME_ADVERBS | lexicon.FINITE:
            return False
        if lexicon.is_inflected(low) or lexicon.is_number(low) or low in ("und", "oder", "nicht"):
            return True
        if low in ("mehr", "weniger") and self._low(place - 1) == "oder":  # "drei oder mehr Kinder"
            return True
        if kind in ("definite", "indefinite"):
            # Whether an adjective and its noun follow, as in "die vom Bund geförderten Schulen".
            limit = min(len(self.positions), place + 9)
            return any(
                lexicon.is_inflected(self._low(k))
                and self._is_noun(k + 1)
                and self._low(k) not in lexicon.DEFINITE
                for k in range(place, limit)
            )
        if low in lexicon.PREPOSITIONS:
            return False
        # "stark befahrene Strassen": an adverb before the adjective that it modifies.
        following = self._low(place + 1)
        if low in ("besonders", "sehr") and not lexicon.is_inflected(following):
            following = self._low(place + 2)
        return (
            kind == "bare"
            and following not in lexicon.DEFINITE
            and lexicon.is_inflected(following)
            and self._find_noun(place + 1, kind) is not None
        )

    def _compound(self, place: int, kind: str, extended: bool = False) -> int:
        """Return the place of the last of several nouns in a row that belong together: "Schweizer Armee"."""
        while (
            place + 1 < len(self.positions)
            and self.positions[place + 1] == self.positions[place] + 1
            and lexicon.is_noun(self._token(place + 1).text)
        ):
            text = self._token(place).text
            following = self._token(place + 1).text
            part = (
                text.endswith("-")
                or (text.endswith("er") and lexicon.lemma(text) == text)
                or text in lexicon.NAMING
                or (text in lexicon.NAMED_PLACES and following in lexicon.NAMES)
                or (text in lexicon.UNITS and not text.endswith(("ren", "ten", "gen")))
                or text.isupper()
            )
            # "der Kanton Bern" is one phrase; "die Tarifbindung Bedingung (sein)" is two.
            separate = kind == "bare" or lexicon.gender(following) is not None
            separate |= lexicon.is_plural(text) is True or lexicon.is_plural(following) is True
            if separate and not (part or lexicon.is_adjective_in_name(text)):
                break
            place += 1
        if self._token(place).text.endswith("-") and self._low(place + 1) in lexicon.CONJUNCTIONS:
            second = self._find_noun(place + 2, kind)
            return place if second is None else second
        following = self._low(place + 1)
        # "die vom Bund geförderten Schulen": the noun of the phrase comes after the attribute.
        if extended and lexicon.is_inflected(following) and following not in lexicon.GENITIVE_ARTICLES:
            later = self._find_noun(place + 1, kind)
            return place if later is None else later
        return place

    def _extend(self, phrase: ClausePhrase) -> None:
        """Add what belongs to a noun on its right: brackets, genitives, names."""
        while self.place < len(self.positions):
            low, token = self._low(self.place), self._token(self.place)
            adjacent = self.positions[self.place] == self.positions[self.place - 1] + 1
            if token.kind == "opaque" and adjacent:
                phrase.last = self.positions[self.place]
                self.place += 1
                continue
            if low[:1].isdigit() and adjacent and self.positions[self.place - 1] == phrase.head:
                ahead = self._low(self.place + 1)
                attribute = lexicon.is_inflected(ahead) and ahead not in lexicon.CLOSED
                if self._is_noun(self.place + 1) or attribute:
                    return
                # "Tempo 30", "im Jahr 2035": the number is part of the name.
                phrase.last, tempo = self.positions[self.place], self.tokens[phrase.head].text == "Tempo"
                phrase.kind = "number" if tempo else "definite" if phrase.kind == "bare" else phrase.kind
                self.place += 1
                continue
            genitive = low in lexicon.GENITIVE_ARTICLES or self._genitive_adjective(phrase)
            if low == "jedes":  # "den Beitrag jedes Landes", but "den Beitrag jedes Jahr"
                genitive = self._is_noun(self.place + 1) and self._low(self.place + 1).endswith("s")
            name = (
                lexicon.is_noun(token.text) and token.text.endswith("s") and token.text[:-1] in lexicon.NAMES
            )
            if not adjacent or not (genitive or name):
                return
            saved = self.place
            following = self._noun_phrase()
            if following is None:
                self.place = saved
                return
            phrase.last = following.last

    def _genitive_adjective(self, phrase: ClausePhrase) -> bool:
        """Return whether an adjective in the genitive comes: "der Bau neuer Strassen".

        The form is also that of a comparative: "den Gemeinden schneller Geld geben".
        """
        low = self._low(self.place)
        if not low.endswith("er") or not self._token(self.place).text.islower():
            return False
        if low in lexicon.FOCUS | lexicon.NOT_ADJECTIVES | lexicon.PREPOSITIONS | lexicon.INDEFINITE:
            return False
        article = self.tokens[phrase.first].low
        direct = phrase.kind in ("definite", "indefinite") and article not in ("dem", "einem")
        if article == "den" and lexicon.is_plural(self.tokens[phrase.head].text):
            direct = False
        return self._is_noun(self.place + 1) and (low not in lexicon.COMPARATIVES or direct)

    # The phrases of a middle field: noun phrases with their attributes, prepositional phrases, adverbs.

    def read(self) -> list[ClausePhrase]:
        """Return all phrases; stops at a comma after which no enumeration goes on."""
        found: list[ClausePhrase] = []
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
                    if token.low == "bis":  # "sonntags bis 18 Uhr"
                        found.append(self._prepositional())
                    else:
                        self.place += 1
            else:
                self._next(found)
        return found

    def _next(self, found: list[ClausePhrase]) -> None:
        if self._is_postposition(found):
            found[-1].last = self.positions[self.place]
            found[-1].kind, found[-1].preposition = "prepositional", self._low(self.place)
            self.place += 1
            return
        phrase = self._phrase()
        if found and self._is_attribute(found[-1], phrase):
            found[-1].last = phrase.last
        else:
            found.append(phrase)

    def _is_postposition(self, found: list[ClausePhrase]) -> bool:
        """Return whether a preposition governs the noun phrase before it: "China gegenüber"."""
        if not found or found[-1].kind not in ("definite", "indefinite", "bare", "universal"):
            return False
        adjacent = found[-1].last == self.positions[self.place] - 1
        after = self.place + 1
        nominal = self._is_noun(after) or self._low(after) in lexicon.DEFINITE | lexicon.INDEFINITE
        return adjacent and self._low(self.place) in lexicon.POSTPOSITIONS and not nominal

    def _comma_before(self, place: int) -> bool:
        """Return whether nothing but punctuation lies between a place and the one before it."""
        if not place or self.positions[place] == self.positions[place - 1] + 1:
            return False
        between = self.tokens[self.positions[place - 1] + 1 : self.positions[place]]
        return all(token.kind == "mark" for token in between)

    def _join(self, before: ClausePhrase, comma: bool) -> bool:
        """Join what follows a conjunction or comma to the phrase before it, if it is of the same form."""
        start = self.place
        self.place += 0 if comma and self._low(start) not in lexicon.CONJUNCTIONS else 1
        if self.place >= len(self.positions):
            self.place = start
            return False
        phrase = self._phrase()
        nominal = {"definite", "indefinite", "bare", "universal", "number", "prepositional", "some"}
        mixed = before.kind != "prepositional" and phrase.kind == "prepositional"
        nouns = before.kind in nominal and phrase.kind in nominal and not mixed
        if not nouns and not (
            before.kind == phrase.kind and phrase.kind in ("adverb", "frame", "pronominal")
        ):
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

    def _phrase(self) -> ClausePhrase:
        start = self.place
        token = self._token(start)
        low = token.low
        if fixed := self._fixed(start):
            return fixed
        if (low == "zu" and self._is_degree(start + 1)) or (
            self._low(start + 1) == "genug" and token.text.islower() and low not in lexicon.CLOSED
        ):
            self.place = start + 2
            return ClausePhrase(
                "focus", self.positions[start], self.positions[start + 1], self.positions[start]
            )
        # Written small; the first word of a sentence has a capital in any case.
        if low in lexicon.PREPOSITIONS and (token.text[:1].islower() or self.positions[start] == 0):
            return self._prepositional()
        if not self._is_adverb_here(start) and (phrase := self._noun_phrase()):
            return phrase
        self.place = start + 1
        kind = next((kind for kind, words in _SINGLE if low in words), "adverb")
        if low == "vor" and self._low(start + 1) == "allem":
            kind = "focus"
        elif kind == "adverb" and lexicon.is_number(low):
            kind = "frame" if low.isdigit() and len(low) == 4 else "number"
        position = self.positions[start]
        return ClausePhrase(kind, position, position, position)

    def _fixed(self, start: int) -> ClausePhrase | None:
        """Read a fixed phrase such as "alles in allem"."""
        for words in lexicon.FIXED_FRAMES:
            if all(self._low(start + k) == word for k, word in enumerate(words)):
                self.place = start + len(words)
                first = self.positions[start]
                return ClausePhrase("frame", first, self.positions[self.place - 1], first)
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
        return low in lexicon.MANY_WORDS or low.endswith("e") or not lexicon.is_inflected(low)

    def _is_adverb_here(self, place: int) -> bool:
        low = self._low(place)
        closed = (
            lexicon.FOCUS
            | lexicon.COMPARATIVES
            | lexicon.FRAME_ADVERBS
            | lexicon.PRONOMINAL
            | lexicon.MANY_WORDS
        )
        return low in closed or (low in lexicon.POSITIVE_QUANTIFIERS and not self._is_noun(place + 1))

    def _prepositional(self) -> ClausePhrase:
        """Read a preposition with what it governs, and what can follow as a postposition."""
        position, low = self.positions[self.place], self._low(self.place)
        preposition = lexicon.CONTRACTED.get(low, low)
        self.place += 1
        inner = ""
        # "bis zu", "von mehr als", "auf mindestens", "ab sofort"
        while self._low(self.place) in lexicon.PREPOSITIONS | lexicon.FOCUS | lexicon.COMPARATIVES:
            if self._low(self.place) in lexicon.FOCUS and not self._low(self.place + 1):
                break
            self.place += 1
        if self.place < len(self.positions):
            phrase = self._noun_phrase()
            if phrase:
                inner = phrase.kind
                head, last = phrase.head, phrase.last
            else:
                head = last = self.positions[self.place]
                inner = "universal" if self._low(self.place) in lexicon.UNIVERSAL else ""
                self.place += 1
        else:
            head = last = self.positions[self.place - 1]
        around = ("hinaus", "hinweg", "hin", "entlang", "her", *(("an",) if preposition == "von" else ()))
        if self._low(self.place) in around:
            last = self.positions[self.place]
            self.place += 1
        return ClausePhrase("prepositional", position, last, head, preposition=preposition, inner=inner)

    def _is_attribute(self, before: ClausePhrase, phrase: ClausePhrase) -> bool:
        """Return whether a prepositional phrase belongs to the noun before it."""
        alone = ("pronoun", "adverb", "focus", "frame", "pronominal")
        if phrase.kind != "prepositional" or before.kind in alone:
            return False
        levied = phrase.preposition == "auf" and phrase.inner != "number"
        if levied and self.tokens[before.head].low.endswith(lexicon.LEVIES):
            return True
        amount = phrase.preposition in ("auf", "um") and phrase.inner == "number"
        judged = phrase.preposition == "für" and not lexicon.is_noun(self.tokens[phrase.head].text)
        if amount or judged or self.tokens[before.head].text in lexicon.NAMES | lexicon.LANDS:
            return False
        if phrase.preposition in lexicon.NEVER_ATTRIBUTE or phrase.preposition in self.governed:
            return False
        if not lexicon.is_noun(self.tokens[before.last].text) and self.tokens[before.last].kind != "opaque":
            return False
        bare = all(lexicon.is_inflected(self.tokens[k].low) for k in range(phrase.first + 1, phrase.head))
        article = self.tokens[min(phrase.first + 1, phrase.last)].low in lexicon.DEFINITE | lexicon.INDEFINITE
        if self.tokens[phrase.head].text in lexicon.LIGHT_NOUNS and bare and not article:
            return False
        whole = self.tokens[min(phrase.first + 1, phrase.last)].low in ("voller", "vollem")
        if whole or is_deadline(self.tokens, phrase):  # "in voller Höhe", "bis 2035"
            return False
        # "das Alter mit Tests bestimmen": a thing that is known is not told apart by what it is done with
        if phrase.preposition == "mit" and before.kind == "definite" and phrase.inner == "bare":
            return False
        by_someone = phrase.preposition == "von" and self.passive
        return not (by_someone and self.tokens[phrase.head].low in lexicon.AGENTS)


def is_deadline(tokens: list[GermanToken], phrase: ClausePhrase) -> bool:
    """Return whether a phrase says until when: "innerhalb von drei Monaten", "bis 2035"."""
    inside = [token.low for token in tokens[phrase.first : phrase.last + 1]]
    until = phrase.preposition == "bis" and inside[1:2] != ["zu"]
    return (until or phrase.preposition in ("innerhalb", "binnen")) and any(map(lexicon.is_number, inside))
