"""Parser of formulas and inferences in their printed notation.

``(A → B)``, ``(A ∧ B ∧ C)``, ``¬A``, ``∀x∀y (F(x) → G(x, y))``; obligation and permission ``O A`` and
``P(A ∨ B)``, certainty and possibility ``□ A`` and ``◇¬A``, other modalities ``□[customary] A``; names of
more than one word ``⟨the sun shine⟩`` and ``superior(Ann Lee, Bo)``; equivalences ``(A ↔ B)``; counts
``#[A, B] ≥ 1`` and ``#x (F(x) ∧ G(x)) = 2``; inferences ``A; (A → B) ⊢ B``. Every connective needs
parentheses; ``∀x∀y A`` is one quantifier, ``∀x ∀y A`` is two.
"""

from __future__ import annotations

import re

from polbias.errors import PolbiasError
from polbias.generators.logic.formula import (
    COMPARISONS,
    DEONTIC,
    EPISTEMIC,
    And,
    Atom,
    Comparison,
    Count,
    CountOf,
    ForAll,
    Formula,
    Iff,
    Implies,
    Inference,
    Necessarily,
    Not,
    Or,
    Possibly,
)

_TERM = re.compile(r"[^(),;⟨⟩¬∧∨→↔∀□◇⊢\[\]=≤≥]+")
_NUMBER = re.compile(r"[0-9]+")
_WORDS = {"⟩": re.compile(r"[^⟩]+"), "]": re.compile(r"[^\]]+")}
_MODAL: dict[str, type[Necessarily | Possibly]] = {
    "O": Necessarily,
    "P": Possibly,
    "□": Necessarily,
    "◇": Possibly,
}


class FormulaError(PolbiasError):
    """A text is not a formula, or not an inference."""


def parse_formula(text: str) -> Formula:
    """Parse a formula."""
    reader = _FormulaReader(text)
    formula = reader.formula()
    reader.end()
    return formula


def parse_inference(text: str) -> Inference:
    """Parse an inference, such as ``"(A → O B); A ⊢ O B"``."""
    reader = _FormulaReader(text)
    premises = []
    if not reader.take("⊢"):
        premises.append(reader.formula())
        while reader.take(";"):
            premises.append(reader.formula())
        reader.expect("⊢", "';' or '⊢'")
    conclusion = reader.formula()
    reader.end()
    return Inference(tuple(premises), conclusion)


class _FormulaReader:
    """Recursive-descent parser: a text and the current position."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def formula(self) -> Formula:
        if self.take("¬"):
            return Not(self.formula())
        if self.take("("):
            return self._compound()
        if self.take("∀"):
            return self._universal()
        if self.take("#"):
            return self._count()
        if self.take("⟨"):
            return Atom(self._words("⟩"), self._terms())
        for sign in "□◇":
            if self.take(sign):
                modality = self._words("]") if self.take("[") else EPISTEMIC
                return _MODAL[sign](modality, self.formula())
        word = self._word("a formula")
        if word in _MODAL:
            return _MODAL[word](DEONTIC, self.formula())
        return Atom(word, self._terms())

    def take(self, sign: str) -> bool:
        """Consume spaces, then the sign if it is next; return whether it was."""
        while self._position < len(self._text) and self._text[self._position].isspace():
            self._position += 1
        return self._take_here(sign)

    def expect(self, sign: str, description: str) -> None:
        if not self.take(sign):
            raise self._error(description)

    def end(self) -> None:
        if self.take("") and self._position < len(self._text):
            raise self._error("the end")

    def _compound(self) -> Formula:
        first = self.formula()
        for sign, connect in (("→", Implies), ("↔", Iff)):
            if self.take(sign):
                second = self.formula()
                self.expect(")", "')'")
                return connect(first, second)
        for sign, build in (("∧", And), ("∨", Or)):
            parts = [first]
            while self.take(sign):
                parts.append(self.formula())
            if len(parts) > 1:
                self.expect(")", f"{sign!r} or ')'")
                return build(tuple(parts))
        raise self._error("'∧', '∨', '→' or '↔'")

    def _universal(self) -> Formula:
        variables = [self._word("a variable")]
        while self._take_here("∀"):
            variables.append(self._word("a variable"))
        return ForAll(tuple(variables), self.formula())

    def _count(self) -> Formula:
        if self._take_here("["):
            parts = [self.formula()]
            while self.take(","):
                parts.append(self.formula())
            self.expect("]", "',' or ']'")
            return Count(*self._comparison(), tuple(parts))
        variable = self._word("a variable")
        body = self.formula()
        return CountOf(*self._comparison(), variable, body)

    def _comparison(self) -> tuple[Comparison, int]:
        for sign in COMPARISONS:
            if self.take(sign):
                self.take("")
                return sign, int(self._match(_NUMBER, "a number"))
        raise self._error("'=', '≤' or '≥'")

    def _terms(self) -> tuple[str, ...]:
        """Parse the terms of an atom if a parenthesis directly follows its name."""
        terms: list[str] = []
        if self._take_here("("):
            terms.append(self._match(_TERM, "a term"))
            while self.take(","):
                terms.append(self._match(_TERM, "a term"))
            self.expect(")", "',' or ')'")
        return tuple(terms)

    def _word(self, description: str) -> str:
        end = self._position
        while self._text[self._position : end + 1].isidentifier() and end < len(self._text):
            end += 1
        if end == self._position:
            raise self._error(description)
        word, self._position = self._text[self._position : end], end
        return word

    def _words(self, closing: str) -> str:
        words = self._match(_WORDS[closing], "words")
        self.expect(closing, repr(closing))
        return words

    def _match(self, pattern: re.Pattern[str], description: str) -> str:
        match = pattern.match(self._text, self._position)
        if not match or not match[0].strip():
            raise self._error(description)
        self._position = match.end()
        return match[0].strip()

    def _take_here(self, sign: str) -> bool:
        is_next = self._text.startswith(sign, self._position)
        self._position += len(sign) if is_next else 0
        return is_next

    def _error(self, expected: str) -> FormulaError:
        actual = repr(self._text[self._position]) if self._position < len(self._text) else "the end"
        expected += " (put the connective and its parts in parentheses)" if actual[1] in "∧∨→↔" else ""
        return FormulaError(
            f"{self._text!r}, character {self._position + 1}: found {actual}, expected {expected}"
        )
