"""What is wrong with the language of an item; in doubt, nothing is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from simplemma import is_known

from polbias.generators.language import english
from polbias.generators.normative.reading.lemmas import is_plural, is_unchanging
from polbias.generators.normative.reading.lexicon import SINGULAR_IN_S
from polbias.generators.normative.reading.nodes import Clause, Node, clauses, operators

Written = tuple[str, ...]
_SINGULAR_DETERMINERS = frozenset(("a", "an", "this", "each", "every", "another"))
_PLURAL_DETERMINERS = frozenset(("the", "these", "those", "my", "your", "our", "their", "his", "her", "its"))
_JOINED = frozenset(("and", "or", "of", "who", "which", "that", "with", "known", "called", "in"))
_OPENING = frozenset(("All", "Every", "Each", "Any", "It", "There", "If", "You", "They", "He", "She"))
_AN_NUMBER = re.compile(r"(?:8\d*|11|18)(?:\D|$|,)")


def findings(
    written: Sequence[Written], nodes: Sequence[Node], domain: str, clashes: bool
) -> tuple[str, ...]:
    """Find what is wrong with the language of an item.

    Args:
        written: the words of its sentences as they are written.
        nodes: its sentences, with the pronouns as they stand in the text.
        domain: its domain.
        clashes: whether a pronoun lacks an antecedent, or has one that it cannot stand for.

    Returns:
        Codes, sorted: ``"agreement"``, ``"article"``, ``"capital"``, ``"foreign-operator"``,
        ``"missing-verb"``, ``"pronoun"``.
    """
    found = set()
    if any(_wrong_article(sentence) for sentence in written):
        found.add("article")
    if any(_wrong_capital(sentence) for sentence in written):
        found.add("capital")
    if clashes:
        found.add("pronoun")
    if any(operator.modality != domain for node in nodes for operator in operators(node)):
        found.add("foreign-operator")
    said = [clause for node in nodes for clause in clauses(node)]
    if any(clause.missing for clause in said):
        found.add("missing-verb")
    lower = {word for sentence in written for word in sentence if word.islower()}
    if any(_wrong_number(clause, lower) or _bare_verb(clause, said) for clause in said):
        found.add("agreement")
    return tuple(sorted(found))


def _wrong_article(sentence: Written) -> bool:
    return any(_mismatch(article, word) for article, word in _articles(sentence))


def _articles(sentence: Written) -> Iterator[tuple[str, str]]:
    for index in range(len(sentence) - 1):
        word = sentence[index]
        if word in ("a", "an") or (index == 0 and word in ("A", "An")):
            yield word.lower(), sentence[index + 1].strip("\"'")


def _mismatch(article: str, word: str) -> bool:
    if not word or (word.isupper() and len(word) > 1):
        return False
    if word[0].isdigit():
        return (article == "an") != bool(_AN_NUMBER.match(word))
    if not word[0].isalpha():
        return False
    first = word[0].lower()
    # "an historic" is not wrong, and nobody knows how an invented word in u- is pronounced.
    if first == "h" and article == "an":
        return False
    if first in "uy" and not is_known(word.lower(), lang="en"):
        return False
    if len(word) == 1:
        return (article == "an") != (word.upper() in "AEFHILMNORSX")
    return english.a(word).split(" ", 1)[0] != article


def _wrong_capital(sentence: Written) -> bool:
    if sentence and sentence[0][0].islower():
        return True
    return any(word in _OPENING and before in ("that", "then", "if") for before, word in pairwise(sentence))


def _wrong_number(clause: Clause, lower: set[str]) -> bool:
    """Whether a finite verb certainly does not agree with its subject."""
    subject, number = clause.subject, clause.number
    if not subject or not number:
        return False
    first = subject[0]
    if len(subject) == 1 and first in ("he", "she", "it"):
        return number == "plural" and not (clause.unmarked and is_unchanging(clause.predicate[0]))
    if len(subject) == 1 and first in ("they", "we", "you"):
        return number == "singular"
    if clause.splits or _JOINED & set(subject):
        return False
    if number == "plural":
        return first in _SINGULAR_DETERMINERS and not clause.quantifier and not clause.unmarked
    head = subject[-1]
    several = clause.quantifier == "all" and is_plural(head) and head in lower and first != "those"
    plain = first in _PLURAL_DETERMINERS and len(subject) > 1 and is_plural(head) and head in lower
    return (plain or several) and head not in SINGULAR_IN_S and not clause.quantifier


def _bare_verb(clause: Clause, said: Sequence[Clause]) -> bool:
    """Whether a verb stands in the base form after "be", or after a subject that is singular elsewhere."""
    phrase = clause.predicate
    if phrase[0] == "be" and len(phrase) > 1 and not clause.missing:
        return any(other.unmarked and other.predicate == phrase[1:] for other in said)
    if clause.unmarked and clause.subject and not clause.quantifier:
        same = (other for other in said if other.subject == clause.subject and not other.quantifier)
        return any(other.number == "singular" for other in same) and not is_unchanging(phrase[0])
    return False
