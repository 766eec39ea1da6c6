"""English finite verbs, and the evidence for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from polbias.generators.authoring.negation import Tags, finite
from polbias.generators.authoring.negation.english_words import (
    EnglishToken,
    Form,
    VerbForm,
    can_be_base,
    closed_class_words,
    is_adverb,
    is_participle,
    is_plural,
    strip_negation,
    verb_form,
    words,
)
from polbias.generators.language.english_verbs import past, third_person

# Evidence for and against reading a word as a finite verb, as costs.
# Every function returns the cost of the reading as a verb and the cost of any other reading, or increments of
# both. Costs are not probabilities: 0 is expected by the grammar, 1 is doubtful, 2 and more nearly an error.
# They were set by hand so that clear cases differ by more than the margin of english_clause.py.


def word_cost(form: VerbForm) -> tuple[float, float]:
    """Return the costs of a word without context."""
    if form.form == "past":
        return 0.2, 2.0
    if form.form == "past-or-participle":
        return 1.2, 0.2
    return (0.0, 3.0) if form.is_verb_only else (1.0, 0.4)


def tagger_cost(tags: Tags) -> tuple[float, float]:
    """Return the costs from a pipeline's tags: they outweigh any one neighbour, but are not proof."""
    is_finite = finite(tags)
    if is_finite is None:
        return 0.0, 0.0
    if is_finite:
        return -1.0, 1.5
    # Base form and present are identical, so taggers confuse them.
    return (0.8, -0.8) if any(word.verbal for word in tags) else (1.3, -1.5)


def tagged_form(word: str, tags: Tags) -> VerbForm | None:
    """Return the form of a verb that only a pipeline recognizes, by its lemma; None if the form differs."""
    base = next((tag.lemma.lower() for tag in tags if tag.finite), "")
    if not base.isalpha() or word in closed_class_words():
        return None
    if word == third_person(base):
        return VerbForm(base, "third", True)
    return VerbForm(base, "base" if word == base else "past", True) if word in (base, past(base)) else None


def agreement(previous: str, form: VerbForm, first: str) -> tuple[float, float]:
    """Return the costs from the number of the word before a verb."""
    if form.form in ("past", "past-or-participle"):
        is_pronoun = previous in words("subject_pronouns") and previous not in ("there", "those")
        return (-1.2, 2.0) if is_pronoun else (0.0, 0.0)
    third = form.form == "third"
    if previous in words("people_adjectives"):
        return (2.0, 0.0) if third else (-0.3, 0.0)
    if previous in words("singular_pronouns", "plural_pronouns"):
        return (-0.8, 1.5) if third == (previous in words("singular_pronouns")) else (2.0, 0.0)
    if previous == ",":
        return 0.5, 0.0
    gerund = first.endswith("ing") and len(first) > 5
    if third and previous.endswith("ing") and previous != first and not form.is_verb_only:
        return 0.6, 0.0  # "housing costs", "learning challenges"
    if third and gerund:
        # "Raising taxes harms ...": taxes are the object, so their number is not evidence.
        return (0.8, 0.0) if first == previous else (0.0, 0.0)
    if third:
        return (0.5, 0.0) if is_plural(previous) else (0.0, 0.0)
    return (-0.3, 0.0) if is_plural(previous) else (0.4 if form.is_verb_only else 0.9, 0.0)


def complement(following: str, form: VerbForm) -> tuple[float, float]:
    """Return the costs from the word after a verb: verbs precede objects, nouns precede verbs and "of"."""
    if following in words("determiners", "object_pronouns") - {"that"} or following[:1].isdigit():
        return -0.8, 0.9
    if following in words("modals", "be", "have"):
        return 2.0, 0.0
    if following == "by" and form.form == "past-or-participle":
        return 2.0, 0.0
    if following in ("of", "for", "on", "by") and not form.is_verb_only and form.form in ("third", "base"):
        return 0.7, 0.0  # "tax cuts for families", "a ban on meat"
    if following in ("to", "that"):
        return -0.3, 0.0
    return (0.0, 0.0) if following in closed_class_words() else (0.1, 0.0)


# Candidates for finite verbs and their costs, from the neighbouring words.

Kind = Literal["modal", "be", "have", "do", "lexical"]
IMPOSSIBLE = 99.0
_FORMS: dict[str, Form] = {"has": "third", "had": "past", "does": "third", "did": "past"}
_STRAY = 1.0  # cost if a pipeline is right that a modal is a noun, as in "political will"


@dataclass(frozen=True)
class Finite:
    """A word read as a finite verb.

    Attributes:
        index: index of its token.
        kind: decides its negation: "not" after it, or do-support if lexical.
        form: of a lexical verb.
        cost: of this reading; the smaller, the likelier.
        skip: cost of any other reading.
    """

    index: int
    kind: Kind
    form: VerbForm | None = None
    cost: float = 0.0
    skip: float = IMPOSSIBLE


class VerbReader:
    """Reads words in their context."""

    def __init__(self, tokens: list[EnglishToken]) -> None:
        self.tokens = tokens
        self._lows = [token.low for token in tokens]

    def low(self, index: int) -> str:
        """Return a word in lower case, ``""`` outside the sentence."""
        return self._lows[index] if 0 <= index < len(self._lows) else ""

    def beyond(self, index: int, step: int = 1) -> int:
        """Return the index of the next word (step -1: the previous one) that is not an adverb or "not"."""
        index += step
        while is_adverb(self.low(index)) or self.low(index) == "not":
            index += step
        return index

    def finite(self, index: int) -> Finite | None:
        """Return the reading of a word as a finite verb, or None."""
        reading, tags = self._finite(index), self.tokens[index].tags
        if reading is None or not tags:
            return reading
        shift, keep = tagger_cost(tags)
        skip = reading.skip + keep if reading.skip < IMPOSSIBLE or keep >= 0 else _STRAY
        return replace(reading, cost=max(reading.cost + shift, 0.0), skip=max(skip, 0.0))

    def _finite(self, index: int) -> Finite | None:
        low = self.low(index)
        if low.endswith("n't"):
            low = strip_negation(low)
        if low in words("clitic_verbs"):
            kind: Kind = "modal" if low in ("'ll", "'d") else "have" if low == "'ve" else "be"
            return Finite(index, kind)
        if low in words("modals") or (low == "need" and self.low(index + 1) == "not"):
            return self._modal(index, low)
        if low in words("be"):
            return Finite(index, "be")
        if low in words("have", "do"):
            return self._have_or_do(index, low)
        if low == "be":
            # A "be" without a governing word is the verb of its clause.
            previous = self.low(self.beyond(index, -1))
            governed = self._takes_infinitive(previous) or previous in words("do", "coordinators")
            return None if governed or not previous.isalpha() else Finite(index, "be", None, 0.8, 1.5)
        return self._lexical(index)

    def _modal(self, index: int, low: str) -> Finite | None:
        if low in words("modal_nouns") and index:
            previous, following = self.low(index - 1), self.low(self.beyond(index))
            if following not in ("be", "have") and self.low(index + 1) not in ("not", "no", ",", "–", "—"):
                noun = previous in words("determiners") - words("pronoun_determiners") or previous == "of"
                if noun or previous.endswith(("'s", "s'")) or not can_be_base(following):
                    return None
            if self.tokens[index].text == "May" and not can_be_base(following):
                return None
        return Finite(index, "modal")

    def _have_or_do(self, index: int, low: str) -> Finite | None:
        """Distinguish auxiliaries from lexical verbs, and finite "have" from the infinitive."""
        following = self.low(self.beyond(index))
        if low in ("has", "had", "have"):
            base: Kind = "have"
            auxiliary = (is_participle(following) and following != "to") or following == "better"
        else:
            base = "do"
            is_question = index == 0 and self.tokens[-1].text == "?"
            amount = self.low(index + 1) in words("comparatives")  # "do more harm"
            auxiliary = (can_be_base(following) and not amount) or self.low(index + 1) == "not" or is_question
        kind: Kind = base if auxiliary else "lexical"
        form = VerbForm(base, _FORMS.get(low, "base"), True)
        if low in ("have", "do"):
            previous = self.low(self.beyond(index, -1))
            if self._takes_infinitive(previous) or previous in words("do") or previous == "":
                return Finite(index, kind, form) if index == 0 and kind == "do" else None
            if previous in words("coordinators"):
                return Finite(index, kind, form, 1.0, 0.0)
            return Finite(index, kind, form, 0.0, 2.5)
        return Finite(index, kind, form)

    def _takes_infinitive(self, word: str) -> bool:
        return word in words("modals") or word in ("to", "not", "let", "help")

    def _lexical(self, index: int) -> Finite | None:
        token = self.tokens[index]
        # A capital within the sentence marks a name.
        form = verb_form(token.low) or tagged_form(token.low, token.tags)
        if index == 0 or token.text[0].isupper() or form is None:
            return None
        at = self.beyond(index, -1)
        previous, following = self.low(at), self.low(index + 1)
        if at < 0 or self.low(index - 2) == "to" or self._excludes(previous, form, at):
            return None
        if self.low(index - 1) in words("attitude"):
            return None  # "I think taxes ...": the clause of the thought begins here
        cost, skip = (0.0, 2.0) if token.low in words("attitude") else word_cost(form)
        if form.base == "need" and following == "to":
            cost, skip = 0.0, 4.0
        shift, keep = agreement(previous, form, self.low(0))
        cost, skip = cost + shift, skip + keep
        if previous in words("coordinators"):
            weak = form.form in ("base", "past-or-participle")
            cost, skip = (cost + 1.0, 0.0) if weak else (cost + 0.3, skip)
        if previous in ("who", "that", "which"):
            cost, skip = 0.0, 3.0 if previous == "who" else 1.5
        shift, keep = complement(following, form)
        return Finite(index, "lexical", form, max(cost + shift, 0.0), max(skip + keep, 0.0))

    def _excludes(self, previous: str, form: VerbForm, at: int) -> bool:
        if previous in words("pronoun_determiners"):
            # "this harms", "all agree" against "this harm", "these harms"
            plural = previous in words("plural_pronouns")
            return form.form in ("third", "base") and (form.form == "base") != plural and previous != "that"
        if previous in words("subject_pronouns"):
            return previous == "there" and form.base not in ("need", "exist", "remain")
        if not form.is_verb_only and form.form in ("third", "base") and previous in words("adjectives"):
            # "the rich pay", against "the significant costs"
            return previous not in words("people_adjectives") or self.low(at - 1) != "the"
        blocking = (
            previous in words("determiners", "prepositions", "be", "have", "do")
            or self._takes_infinitive(previous)
            or previous in ("been", "being", "be")
        )
        return (
            blocking
            or previous.endswith(("'s", "s'"))
            or (
                not self.tokens[at].is_word
                and previous != ","
                and not previous.endswith("%")
                and not (previous.isdigit() and form.is_verb_only and self.tokens[at - 1].text[0].isupper())
            )
        )
