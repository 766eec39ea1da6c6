"""Negations that are already there, taken out."""

from __future__ import annotations

from polbias.generators.authoring.negation.english_clause import Main
from polbias.generators.authoring.negation.english_verbs import Reader
from polbias.generators.authoring.negation.english_words import (
    is_adverb,
    is_participle,
    is_verb,
    table,
    words,
)
from polbias.generators.language.english_verbs import past, third
from polbias.generators.language.negation.english_decision import Decision, Edit, abstain, remove, substitute
from polbias.generators.language.negation.english_phrases import article, to_some

_WHOLE = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall", "ain't": "is"}
_PHRASES = (
    ("no", "longer"),
    ("under", "no", "circumstances"),
    ("in", "no", "case"),
    ("by", "no", "means"),
    ("in", "no", "way"),
)


def undo(reader: Reader, main: Main) -> Decision | None:
    """Take out the negation of the main clause.

    Args:
        reader: of the sentence.
        main: its main clause.

    Returns:
        What is to be done; None where the main clause is not negated.
    """
    index = main.finite.index
    token = reader.tokens[index]
    if any(other.low in ("neither", "nor") for other in reader.tokens):
        return abstain(
            "negative-word", next(other for other in reader.tokens if other.low in ("neither", "nor"))
        )
    if token.low == "cannot" or token.low.endswith("n't"):
        whole = _WHOLE.get(token.low, token.low[:-3])
        return _without(reader, main, index, token.text, [substitute(token, whole)], whole)
    at = index + 1
    while at < len(reader.tokens) and (is_adverb(reader.low(at)) and reader.low(at) not in ("not", "never")):
        at += 1
    low = reader.low(at)
    if low == "not" and token.low == "need":
        return abstain("polarity", token)
    if low in ("not", "never"):
        gone = remove(reader.tokens, at, at)
        return _without(reader, main, at, reader.tokens[at].text, gone, token.low)
    for phrase in _PHRASES:
        if tuple(reader.low(at + k) for k in range(len(phrase))) == phrase:
            last = at + len(phrase) - 1
            return _without(reader, main, last, " ".join(phrase), remove(reader.tokens, at, last), token.low)
    before = reader.low(index - 1)
    if main.finite.kind == "lexical" and before == "never":
        gone = remove(reader.tokens, index - 1, index - 1)
        return _without(reader, main, index, "never", gone, token.low)
    if main.finite.kind == "lexical" and (reader.low(index - 2), before) == ("no", "longer"):
        gone = remove(reader.tokens, index - 2, index - 1)
        return _without(reader, main, index, "no longer", gone, token.low)
    return _object(reader, index)


def undo_subject(reader: Reader, main: Main, start: int) -> Decision | None:
    """Take out the negation of the subject: "no", "nobody", "not all".

    Args:
        reader: of the sentence.
        main: its main clause.
        start: index of the subject's first word.
    """
    token, following = reader.tokens[start], reader.low(start + 1)
    if token.low == "not":
        before = [reader.low(index) for index in range(start, main.finite.index)]
        if following not in words("not_before"):
            # "Not the state but ..." is half of a contrast; "Not voting is ..." negates the subject only.
            return abstain("contrast", token) if "but" in before else None
        return Decision("undone", token.text, tuple(remove(reader.tokens, start, start)))
    if (token.low, following) in _PHRASES or token.low in ("never", "nowhere", "neither", "nor"):
        return abstain("inversion", token)
    if token.low in ("under", "in", "at") and following == "no":
        return abstain("inversion", token)
    body = "no one" if (token.low, following) == ("no", "one") else token.low
    if body in table("restored"):
        last = start + (body == "no one")
        new = table("restored")[body]
        polarity = to_some(reader, main.finite.index)
        if polarity is None or reader.low(last + 1) == "but":
            return abstain("negative-word", token)
        capital = new[0].upper() + new[1:] if token.text[0].isupper() else new
        edit = Edit(token.start, reader.tokens[last].end, capital)
        return Decision("undone-body", body, (edit, *polarity))
    if token.low == "no":
        return _determiner(reader, start, main.finite.index)
    return abstain("negative-word", token) if token.low in words("negative_words") else None


def _without(reader: Reader, main: Main, at: int, word: str, gone: list[Edit], verb: str) -> Decision:
    """Return the decision to take a negation out, with what follows from it."""
    for index in range(at + 1, len(reader.tokens)):
        if reader.low(index) == "but":
            return abstain("contrast", reader.tokens[index])
    polarity = to_some(reader, main.finite.index)
    if polarity is None:
        return abstain("polarity", reader.tokens[at])
    negated_do = verb in words("do") and word.lower() not in ("never", "no longer")
    if not negated_do:
        return Decision("undone", word, (*gone, *polarity))
    lexical = reader.after(at)
    if lexical >= len(reader.tokens) or not (is_verb(base := reader.low(lexical)) or base in ("have", "do")):
        return abstain("finite-verb", reader.tokens[at])
    auxiliary, negation = reader.tokens[main.finite.index], reader.tokens[at]
    finite = {"does": third, "did": past}.get(verb, str)(base)
    # From "does not" to the next word: the adverb behind it stays.
    out = Edit(auxiliary.start, reader.tokens[at + 1].start, "")
    said = auxiliary.text if at == main.finite.index else f"{auxiliary.text} {negation.text}"
    return Decision("undone-do", said, (out, substitute(reader.tokens[lexical], finite), *polarity))


def _object(reader: Reader, index: int) -> Decision | None:
    """Take out a "no" directly behind the verbs: "should be no", "has no"."""
    at = index + 1
    while at < min(index + 5, len(reader.tokens)):
        low = reader.low(at)
        if low == "no":
            return _determiner(reader, at, index)
        if low in words("negative_words") and low not in ("little", "few"):
            return abstain("negative-word", reader.tokens[at])
        if not (is_adverb(low) or is_verb(low) or is_participle(low) or low in ("be", "been", "have", "do")):
            return None
        at += 1
    return None


def _determiner(reader: Reader, at: int, main: int) -> Decision:
    token, following = reader.tokens[at], reader.low(at + 1)
    if following in ("more", "less", "later", "fewer", "longer", "other", "such", "matter", "one"):
        return abstain("negative-word", token)
    if reader.low(at + 2) == "but" or any(other.low == "but" for other in reader.tokens[at:]):
        return abstain("contrast", token)
    new, polarity = article(reader, at + 1), to_some(reader, main)
    if polarity is None:
        return abstain("polarity", token)
    if new is None:
        return abstain("article", reader.tokens[min(at + 1, len(reader.tokens) - 1)])
    edits = [substitute(token, new)] if new else remove(reader.tokens, at, at)
    return Decision("undone-no", token.text, (*edits, *polarity))
