"""Which words of a statement may be finite verbs, and at what cost, from the words beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from polbias.generators.authoring.negation.english_words import (
    VerbForm,
    can_be_base,
    is_adverb,
    is_participle,
    verb_form,
    words,
)
from polbias.generators.language.negation.english_evidence import (
    agreement,
    complement,
    prior,
    tagged,
    told,
)
from polbias.generators.language.negation.english_tokens import Token

Kind = Literal["modal", "be", "have", "do", "lexical"]
IMPOSSIBLE = 99.0
_STRAY = 1.0  # what it costs that a pipeline is right and a modal is none, as in "political will"


@dataclass(frozen=True)
class Finite:
    """A word read as a finite verb.

    Attributes:
        index: of its token.
        kind: what negates it: "not" behind it, or do-support where it is lexical.
        form: of a lexical verb.
        cost: of reading it as a finite verb; the smaller, the likelier.
        skip: cost of reading it as anything else.
    """

    index: int
    kind: Kind
    form: VerbForm | None
    cost: float
    skip: float


class Reader:
    """Looks at words in their context."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self._lows = [token.low for token in tokens]

    def low(self, index: int) -> str:
        """Return a word in lower case, ``""`` beyond the ends."""
        return self._lows[index] if 0 <= index < len(self._lows) else ""

    def before(self, index: int) -> int:
        """Return the index of the last word before one that is no adverb or "not"."""
        index -= 1
        while index >= 0 and (is_adverb(self.low(index)) or self.low(index) == "not"):
            index -= 1
        return index

    def after(self, index: int) -> int:
        """Return the index of the first word after one that is no adverb or "not"."""
        index += 1
        while index < len(self.tokens) and (is_adverb(self.low(index)) or self.low(index) == "not"):
            index += 1
        return index

    def finite(self, index: int) -> Finite | None:
        """Return how a word can be read as a finite verb, or None if it cannot."""
        found, tags = self._finite(index), self.tokens[index].tags
        if found is None or not tags:
            return found
        shift, keep = tagged(tags)
        skip = found.skip + keep if found.skip < IMPOSSIBLE or keep >= 0 else _STRAY
        return replace(found, cost=max(found.cost + shift, 0.0), skip=max(skip, 0.0))

    def _finite(self, index: int) -> Finite | None:
        low = self.low(index)
        if low.endswith("n't"):
            low = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}.get(low, low[:-3])
        if low in words("clitic_verbs"):
            kind: Kind = "modal" if low in ("'ll", "'d") else "have" if low == "'ve" else "be"
            return Finite(index, kind, None, 0.0, IMPOSSIBLE)
        if low in words("modals") or (low == "need" and self.low(index + 1) == "not"):
            return self._modal(index, low)
        if low in words("be"):
            return Finite(index, "be", None, 0.0, IMPOSSIBLE)
        if low in words("have") or low in words("do"):
            return self._have_or_do(index, low)
        if low == "be":
            # Read a "be" that nothing governs as the verb of its clause.
            at = self.before(index)
            previous = self.low(at)
            governed = (
                self._takes_infinitive(previous)
                or previous in words("do")
                or previous in words("coordinators")
            )
            return (
                None if at < 0 or governed or not previous.isalpha() else Finite(index, "be", None, 0.8, 1.5)
            )
        return self._lexical(index)

    def _modal(self, index: int, low: str) -> Finite | None:
        if low in words("modal_nouns") and index:
            previous, following = self.low(index - 1), self.low(self.after(index))
            if following not in ("be", "have") and self.low(index + 1) not in ("not", ",", "–", "—"):
                noun = previous in words("determiners") - words("pronoun_determiners") or previous == "of"
                if noun or previous.endswith(("'s", "s'")) or not can_be_base(following):
                    return None
            if self.tokens[index].text == "May" and index and not can_be_base(following):
                return None
        return Finite(index, "modal", None, 0.0, IMPOSSIBLE)

    def _have_or_do(self, index: int, low: str) -> Finite | None:
        """Tell auxiliaries from lexical verbs, and finite "have" from the infinitive."""
        following = self.low(self.after(index))
        if low in ("has", "had", "have"):
            auxiliary = (is_participle(following) and following != "to") or following == "better"
            kind: Kind = "have" if auxiliary else "lexical"
            form = VerbForm("have", {"has": "third", "had": "past"}.get(low, "base"), True)  # type: ignore[arg-type]
        else:
            kind = (
                "do"
                if can_be_base(following)
                or self.low(index + 1) == "not"
                or (index == 0 and self.tokens[-1].text == "?")
                else "lexical"
            )
            form = VerbForm("do", {"does": "third", "did": "past"}.get(low, "base"), True)  # type: ignore[arg-type]
        if low in ("have", "do"):
            previous = self.low(self.before(index))
            if self._takes_infinitive(previous) or previous in words("do") or previous == "":
                return Finite(index, kind, form, 0.0, IMPOSSIBLE) if index == 0 and kind == "do" else None
            if previous in words("coordinators"):
                return Finite(index, kind, form, 1.0, 0.0)
            return Finite(index, kind, form, 0.0, 2.5)
        return Finite(index, kind, form, 0.0, IMPOSSIBLE)

    def _takes_infinitive(self, word: str) -> bool:
        return word in words("modals") or word in ("to", "not", "let", "help")

    def _lexical(self, index: int) -> Finite | None:
        token = self.tokens[index]
        # A capital within the sentence is that of a name.
        form = verb_form(token.low) or told(token.low, token.tags)
        if index == 0 or token.text[0].isupper() or form is None:
            return None
        at = self.before(index)
        previous, following = self.low(at), self.low(index + 1)
        if at < 0 or self.low(index - 2) == "to" or self._excludes(previous, form, at):
            return None
        cost, skip = (0.0, 2.0) if token.low in words("attitude") else prior(form)
        if form.base == "need" and following == "to":
            cost, skip = 0.0, 4.0
        if self.low(index - 1) in words("attitude"):
            return None  # "I think taxes ...": the clause of what is thought begins here
        shift, keep = agreement(previous, form, self.low(0))
        cost, skip = cost + shift, skip + keep
        if previous in words("coordinators"):
            cost += 1.0 if form.form in ("base", "past-or-participle") else 0.3
            skip = 0.0 if form.form in ("base", "past-or-participle") else skip
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
        if not form.only and form.form in ("third", "base") and previous in words("adjectives"):
            # "the rich pay", against "the significant costs"
            return previous not in words("people_adjectives") or self.low(at - 1) != "the"
        blocking = (
            previous in words("determiners")
            or previous in words("prepositions")
            or previous in words("be")
            or previous in words("have")
            or previous in words("do")
            or self._takes_infinitive(previous)
            or previous in ("been", "being", "be")
        )
        return (
            blocking
            or previous.endswith(("'s", "s'"))
            or (at >= 0 and not self.tokens[at].is_word and previous != "," and not previous.endswith("%"))
        )
