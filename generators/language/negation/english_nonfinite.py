"""Questions, where the subject stands behind the finite verb, and demands, which have none."""

from __future__ import annotations

from polbias.generators.authoring.negation.english_clause import Main
from polbias.generators.authoring.negation.english_verbs import Reader
from polbias.generators.authoring.negation.english_words import closed, is_plural, is_verb, verb_form, words
from polbias.generators.language.negation.english_decision import (
    Decision,
    Edit,
    abstain,
    insert,
    remove,
    substitute,
)

_WH = frozenset({"who", "what", "why", "how", "when", "where", "which", "whom", "whose"})
_MAX_SUBJECT = 12


def question(reader: Reader, main: Main | None) -> Decision | None:
    """Negate a question, or undo its negation; None for what is no question.

    Args:
        reader: of the sentence.
        main: its main clause, if one was found.
    """
    if reader.tokens[-1].low != "?":
        return None
    if reader.low(0) in _WH or reader.low(1) in _WH:
        return abstain("question")
    if main is None or main.finite.index != 0 or main.finite.kind == "lexical":
        return None
    token = reader.tokens[0]
    if token.low.endswith("n't"):
        whole = {"can't": "can", "won't": "will"}.get(token.low, token.low[:-3])
        return Decision("undone", token.text, (substitute(token, whole),))
    end = _subject_end(reader, main)
    if end is None:
        return abstain("question")
    if reader.low(end + 1) == "not":
        return Decision("undone", "not", tuple(remove(reader.tokens, end + 1, end + 1)))
    return Decision("question", token.text, (insert(reader.tokens[end].end, " not"),))


def _subject_end(reader: Reader, main: Main) -> int | None:
    """Return the index of the subject's last word, or None where it is unsure."""
    if reader.low(1) in words("subject_pronouns") and reader.low(1) not in words("determiners"):
        return 1
    limit = min(_MAX_SUBJECT, len(reader.tokens))
    for index in range(2, limit):
        if reader.low(index) == "not":
            return index - 1
    if main.finite.kind not in ("modal", "do"):
        return None
    unsure: list[int] = []
    for index in range(2, limit):
        low, previous, following = reader.low(index), reader.low(index - 1), reader.low(index + 1)
        if not reader.tokens[index - 1].is_word or previous in closed():
            continue
        form = verb_form(low)
        bare = low in ("be", "have") or (form is not None and form.form == "base")
        sure = low in ("be", "have") or (form is not None and form.only)
        if bare and (sure or following in words("determiners") or following in words("prepositions")):
            return index - 1
        if bare:
            unsure.append(index - 1)
    return unsure[0] if len(unsure) == 1 else None


def imperative(reader: Reader, main: Main | None) -> Decision | None:
    """Negate a demand such as "Abolish the tax."; None for what is none.

    Args:
        reader: of the sentence.
        main: its main clause, if one was found; an auxiliary there means that this is no demand.
    """
    start = 1 if reader.low(0) == "please" else 0
    if start >= len(reader.tokens):
        return None
    first, following = reader.tokens[start], reader.low(start + 1)
    if first.low == "don't" or (first.low == "do" and following == "not") or first.low == "never":
        last = start + (first.low == "do")
        verb = reader.low(last + 1)
        if not is_verb(verb) and verb not in ("be", "have", "let"):
            return None
        return Decision("undone", first.text, tuple(remove(reader.tokens, start, last)))
    if main is not None and main.finite.kind != "lexical":
        return None
    if first.low == "let's" or (first.low, following) == ("let", "us"):
        last = start + (first.low == "let")
        return Decision("imperative", first.text, (insert(reader.tokens[last].end, " not"),))
    if not _demands(reader, start):
        return None
    new = f"{'Do' if first.text[0].isupper() else 'do'} not {first.low}"
    return Decision("imperative", first.text, (Edit(first.start, first.end, new),))


def _demands(reader: Reader, start: int) -> bool:
    """Say whether a sentence begins with the base form of a verb, not with a noun as "Tax cuts" does."""
    first, following = reader.low(start), reader.low(start + 1)
    form = verb_form(first)
    if first in ("be", "do", "have") and following.isalpha() and following not in words("subject_pronouns"):
        return True
    if form is None or form.form != "base" or not following.isalpha():
        return False
    if following in words("determiners") or following in words("object_pronouns"):
        return True
    if following in closed() and following != "more":
        return form.only and following not in ("of", "is", "are", "for")
    return (
        form.only
        or first in words("imperatives")
        or (is_verb(first) and first == "ban" and is_plural(following))
    )
