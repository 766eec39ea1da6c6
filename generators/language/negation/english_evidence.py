"""Evidence for and against reading a word as a finite verb, in costs.

Every function returns two numbers: the cost of the reading as a verb, and that of any other reading, or what
is to be added to them. Costs are not probabilities: 0 is what the grammar expects, 1 a plain doubt, 2 and
more all but an error. They were set by hand so that clear cases differ by more than the margin that
english_clause.py asks for.
"""

from __future__ import annotations

from polbias.generators.authoring.negation import Tags, finite
from polbias.generators.authoring.negation.english_words import VerbForm, closed, is_plural, words
from polbias.generators.language.english_verbs import past, third


def prior(form: VerbForm) -> tuple[float, float]:
    """Return the costs of a word by itself."""
    if form.form == "past":
        return 0.2, 2.0
    if form.form == "past-or-participle":
        return 1.2, 0.2
    return (0.0, 3.0) if form.only else (1.0, 0.4)


def tagged(tags: Tags) -> tuple[float, float]:
    """Return what a trained pipeline tells: more than any one neighbour, but taggers err, so it is no proof.

    Args:
        tags: of the word; empty, or without a part of speech, where nothing is told.
    """
    said = finite(tags)
    if said is None:
        return 0.0, 0.0
    if said:
        return -1.0, 1.5
    # The base form and the present are one word, so that taggers mistake them for each other.
    return (0.8, -0.8) if any(word.verbal for word in tags) else (1.3, -1.5)


def told(word: str, tags: Tags) -> VerbForm | None:
    """Return the form of a verb that only a pipeline knows, by its lemma; None where that does not fit.

    Args:
        word: in lower case.
        tags: of the word.
    """
    base = next((tag.lemma.lower() for tag in tags if tag.finite), "")
    if not base.isalpha() or word in closed():
        return None
    if word == third(base):
        return VerbForm(base, "third", True)
    return VerbForm(base, "base" if word == base else "past", True) if word in (base, past(base)) else None


def agreement(previous: str, form: VerbForm, first: str) -> tuple[float, float]:
    """Return what the word before a verb tells by its number.

    Args:
        previous: the word before, in lower case.
        form: how the word in question is read.
        first: the first word of the sentence, which may be a gerund that is the subject.
    """
    if form.form in ("past", "past-or-participle"):
        known = previous in words("subject_pronouns") and previous not in ("there", "those")
        return (-1.2, 2.0) if known else (0.0, 0.0)
    third = form.form == "third"
    if previous in words("people_adjectives"):
        return (2.0, 0.0) if third else (-0.3, 0.0)
    if previous in words("singular_pronouns") or previous in words("plural_pronouns"):
        return (-0.8, 1.5) if third == (previous in words("singular_pronouns")) else (2.0, 0.0)
    if previous == ",":
        return 0.5, 0.0
    gerund = first.endswith("ing") and len(first) > 5
    if third and previous.endswith("ing") and previous != first and not form.only:
        return 0.6, 0.0  # "housing costs", "learning challenges"
    if third and gerund:
        # "Raising taxes harms ...": taxes are the object, so their number tells nothing.
        return (0.8, 0.0) if first == previous else (0.0, 0.0)
    if third:
        return (0.5, 0.0) if is_plural(previous) else (0.0, 0.0)
    return (-0.3, 0.0) if is_plural(previous) else (0.4 if form.only else 0.9, 0.0)


def complement(following: str, form: VerbForm) -> tuple[float, float]:
    """Return what the word behind a verb tells: verbs stand before objects, nouns before verbs and "of".

    Args:
        following: the word behind, in lower case.
        form: how the word in question is read.
    """
    if (
        following in words("determiners") - {"that"}
        or following in words("object_pronouns")
        or following[:1].isdigit()
    ):
        return -0.8, 0.9
    if following in words("modals") or following in words("be") or following in words("have"):
        return 2.0, 0.0
    if following == "by":
        return 2.0, 0.0
    if following in ("of", "for", "on") and not form.only and form.form in ("third", "base"):
        return 0.7, 0.0  # "tax cuts for families", "a ban on meat"
    if following in ("to", "that"):
        return -0.3, 0.0
    return (0.0, 0.0) if following in closed() else (0.1, 0.0)
