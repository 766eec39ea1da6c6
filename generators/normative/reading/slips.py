"""Language errors of an item, and rejection of texts that are not English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from simplemma import in_target_language, is_known

from polbias.generators.logic.formula import EPISTEMIC, FLAVOURS
from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading.lexicon import SINGULAR_IN_S, is_plural, is_unchanging, word_set
from polbias.generators.normative.reading.nodes import ClauseNode, Node, clauses, indefinite, operators

# Language errors; doubtful cases are not reported.

Tokens = tuple[str, ...]
_SINGULAR_DETERMINERS = word_set("singular_determiners")
_PLURAL_DETERMINERS = word_set("plural_determiners")
_JOINED = word_set("joined")
_OPENING = word_set("opening")
_AN_NUMBER = re.compile(r"(?:8\d*|11|18)(?:\D|$|,)")


def find_slips(
    raw_sentences: Sequence[Tokens], nodes: Sequence[Node], domain: str, clashes: bool
) -> tuple[str, ...]:
    """Return the codes of the language errors of an item, sorted."""
    domain_modalities = (domain, *(FLAVOURS if domain == EPISTEMIC else ()))
    all_clauses = [clause for node in nodes for clause in clauses(node)]
    lower_case = {word for sentence in raw_sentences for word in sentence if word.islower()}
    has_slip = {
        "article": any(
            _is_wrong_article(*pair) for sentence in raw_sentences for pair in _articles(sentence)
        ),
        "capital": any(map(_has_wrong_capital, raw_sentences)),
        "pronoun": clashes,
        "foreign-operator": any(
            operator.modality not in domain_modalities for node in nodes for operator in operators(node)
        ),
        "missing-verb": any(clause.missing for clause in all_clauses),
        "agreement": any(
            _has_wrong_number(clause, lower_case) or _has_bare_verb(clause, all_clauses)
            for clause in all_clauses
        ),
    }
    return tuple(sorted(code for code, is_present in has_slip.items() if is_present))


def _articles(sentence: Tokens) -> Iterator[tuple[str, str]]:
    for index in range(len(sentence) - 1):
        word = sentence[index]
        if word in ("a", "an") or (index == 0 and word in ("A", "An")):
            yield word.lower(), sentence[index + 1].strip("\"'")


def _is_wrong_article(article: str, word: str) -> bool:
    if not word or (word.isupper() and len(word) > 1):
        return False
    if word[0].isdigit():
        return (article == "an") != bool(_AN_NUMBER.match(word))
    if not word[0].isalpha():
        return False
    first = word[0].lower()
    # "an historic" is correct, and the pronunciation of an invented word in u- is unknown.
    if first == "h" and article == "an":
        return False
    if first in "uy" and not is_known(word.lower(), lang="en"):
        return False
    if len(word) == 1:
        return (article == "an") != (word.upper() in "AEFHILMNORSX")
    return indefinite(word) != article


def _has_wrong_capital(sentence: Tokens) -> bool:
    if sentence and sentence[0][0].islower():
        return True
    return any(word in _OPENING and before in ("that", "then", "if") for before, word in pairwise(sentence))


def _has_wrong_number(clause: ClauseNode, lower_case: set[str]) -> bool:
    """Whether a finite verb certainly disagrees with its subject."""
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
    is_plural_universal = (
        clause.quantifier == "all" and is_plural(head) and head in lower_case and first != "those"
    )
    is_plural_determined = (
        first in _PLURAL_DETERMINERS and len(subject) > 1 and is_plural(head) and head in lower_case
    )
    return (
        (is_plural_determined or is_plural_universal) and head not in SINGULAR_IN_S and not clause.quantifier
    )


def _has_bare_verb(clause: ClauseNode, all_clauses: Sequence[ClauseNode]) -> bool:
    """Whether a base form follows "be", or a subject that is singular in another clause."""
    phrase = clause.predicate
    if phrase[0] == "be" and len(phrase) > 1 and not clause.missing:
        return any(
            other_clause.unmarked and other_clause.predicate == phrase[1:] for other_clause in all_clauses
        )
    if clause.unmarked and clause.subject and not clause.quantifier:
        same_subject = (
            other_clause
            for other_clause in all_clauses
            if other_clause.subject == clause.subject and not other_clause.quantifier
        )
        return any(other_clause.number == "singular" for other_clause in same_subject) and not is_unchanging(
            phrase[0]
        )
    return False


# Other languages.

# Shares of words in a lexicon. Above _MIN_ENGLISH a text is English. Otherwise it is in another language if
# its share there is above _MIN_FOREIGN and more than _MIN_LEAD above the English share. On 2,000 English
# items with invented words no other share is 0.2 higher; on 48 German items it is higher by 0.5 or more.
_MIN_ENGLISH, _MIN_FOREIGN, _MIN_LEAD = 0.75, 0.6, 0.3


def refuse_foreign(text: str) -> None:
    """Raise ReadingError for a text in another language; the grammar would parse it as verb phrases."""
    english = in_target_language(text, lang="en")
    if english > _MIN_ENGLISH:
        return
    for language in ("de", "es", "fr", "it"):
        share = in_target_language(text, lang=language)
        if share > _MIN_FOREIGN and share - english > _MIN_LEAD:
            raise ReadingError(f"found {text!r} in language {language!r}, expected English")
