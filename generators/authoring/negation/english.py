"""A "not" or "no" brought into the main clause."""

from __future__ import annotations

from polbias.generators.authoring.negation.english_clause import Main
from polbias.generators.authoring.negation.english_verbs import Reader
from polbias.generators.authoring.negation.english_words import is_adverb, phrases, table, words
from polbias.generators.language.negation.english_decision import Decision, Edit, abstain, insert, substitute
from polbias.generators.language.negation.english_phrases import to_any

_SCOPAL = frozenset({"also", "always", "already", "often", "just", "only", "even"})
_BOUNDS = frozenset({("at", "least"), ("at", "most"), ("more", "than"), ("less", "than"), ("fewer", "than")})
_EXISTENTIAL = frozenset({"is", "are", "was", "were", "'s", "'re"})


def negate_subject(reader: Reader, main: Main, start: int) -> Decision | None:
    """Negate a quantifier or "only" that the subject begins with: "Not all ...".

    Args:
        reader: of the sentence.
        main: its main clause.
        start: index of the subject's first word.

    Returns:
        None where the subject begins with neither.
    """
    token = reader.tokens[start]
    nearby = {reader.low(start + 1), reader.low(start + 2)}
    if token.low == "every" and nearby & words("time_nouns"):
        return None  # "Every five years the council ..." is no subject
    if (token.low, reader.low(start + 1)) in (
        ("all", "in"),
        ("even", "if"),
        ("even", "though"),
        ("only", "recently"),
    ):
        return None
    amount = reader.low(main.finite.index - 1) in ("more", "less", "enough", "much")
    if amount and main.finite.index <= start + 2:
        return abstain("quantifier", reader.tokens[main.finite.index - 1])
    if token.low in words("unsure_quantifiers") or (token.low, reader.low(start + 1)) in _BOUNDS:
        return abstain("quantifier", token)
    if token.low not in words("not_before"):
        return None
    if any(reader.low(index) in ("but", "not") for index in range(main.finite.index + 1, len(reader.tokens))):
        return abstain("contrast", token)
    capital = token.text[0].isupper()
    edit = Edit(token.start, token.end, f"{'Not' if capital else 'not'} {token.low}")
    return Decision("focus-word", token.low, (edit,))


def negate_verb(reader: Reader, main: Main) -> Decision:
    """Negate the finite verb.

    Args:
        reader: of the sentence.
        main: its main clause, not negated yet.
    """
    index = main.finite.index
    polarity = to_any(reader, index)
    blocked = _blocked(reader, index)
    if blocked is not None:
        return blocked
    if polarity is None:
        positive = (token for token in reader.tokens[index:] if token.low in table("positive"))
        return abstain("polarity", next(positive, reader.tokens[index]))
    if main.finite.kind == "lexical":
        return _do_support(reader, main, polarity)
    if reader.low(index - 1) == "there" and reader.low(index) in _EXISTENTIAL:
        existential = _existential(reader, index)
        if existential is not None:
            return existential
    return _auxiliary(reader, index, polarity)


def _blocked(reader: Reader, index: int) -> Decision | None:
    """Return why "not" must not come after a word, or None where it can."""
    following = reader.low(index + 1)
    for at in range(1, len(reader.tokens)):
        joined = reader.low(at - 1) in (",", "and", "but", "or")
        if reader.low(at) == "not" and joined and reader.low(at + 1) != "only":
            return abstain("contrast", reader.tokens[at])
    if following in ("either", "both"):
        return abstain("correlative", reader.tokens[index + 1])
    if following in words("negative_adverbs"):
        return abstain("negative-word", reader.tokens[index + 1])
    if (following, reader.low(index + 2)) == ("at", "least"):
        return abstain("polarity", reader.tokens[index + 1])
    return None


def _auxiliary(reader: Reader, index: int, polarity: list[Edit]) -> Decision:
    token, following = reader.tokens[index], reader.low(index + 1)
    if token.low == "'d":
        return abstain("contraction", token)
    if token.low in ("'ll", "'ve"):
        full = " will not" if token.low == "'ll" else " have not"
        return Decision("not-after-auxiliary", full[1:-4], (Edit(token.start, token.end, full), *polarity))
    if following == "still":
        still = substitute(reader.tokens[index + 1], "no longer")
        return Decision("no-longer", token.text, (still, *polarity))
    at = index
    while (behind := _judging(reader, at + 1)) > at:
        at = behind
    if (token.low, following) in (("had", "better"), ("would", "rather")):
        at = index + 1
    cannot = token.low == "can" and at == index
    return Decision(
        "not-after-auxiliary",
        token.text,
        (insert(reader.tokens[at].end, "not" if cannot else " not"), *polarity),
    )


def _judging(reader: Reader, at: int) -> int:
    """Return the last index of a sentence adverbial that begins here, one less where none does."""
    if reader.low(at) in words("sentence_adverbs"):
        return at
    for phrase in phrases("sentence_phrases"):
        if all(reader.low(at + offset) == word for offset, word in enumerate(phrase)):
            return at + len(phrase) - 1
    return at - 1


def _existential(reader: Reader, index: int) -> Decision | None:
    """Return "there is no" for an indefinite noun phrase; None where "not" is right."""
    following = reader.low(index + 1)
    if index + 1 >= len(reader.tokens) or following in words("no_article_first") or is_adverb(following):
        return None
    target = reader.tokens[index + 1]
    if not target.is_word or following in words("prepositions"):
        return None
    said = f"There {reader.tokens[index].text}"
    if following in ("a", "an", "some", "several"):
        return Decision("no-determiner", said, (substitute(target, "no"),))
    return Decision("no-determiner", said, (insert(target.start, "no "),))


def _do_support(reader: Reader, main: Main, polarity: list[Edit]) -> Decision:
    form, index = main.finite.form, main.finite.index
    token = reader.tokens[index]
    if form is None or reader.low(index - 1) == "still":
        return abstain("polarity", reader.tokens[index - 1])
    if reader.low(index - 1) in words("negative_adverbs"):
        return abstain("negative-word", reader.tokens[index - 1])
    auxiliary = {"third": "does", "base": "do"}.get(form.form, "did")
    first = index
    # "always harms" is denied as "does not always harm".
    while _scopal(reader.low(first - 1)):
        first -= 1
    more = f"{auxiliary} not {form.base}"
    if first == index:
        return Decision("do-support", token.text, (substitute(token, more), *polarity), more)
    before = insert(reader.tokens[first].start, f"{auxiliary} not ")
    return Decision("do-support", token.text, (before, substitute(token, form.base), *polarity), more)


def _scopal(word: str) -> bool:
    return word in _SCOPAL or (
        word.endswith("ly") and is_adverb(word) and word not in words("sentence_adverbs")
    )
