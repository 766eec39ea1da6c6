"""Grammar of verb groups and infinitives."""

from __future__ import annotations

from dataclasses import replace

from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading.lexicon import (
    ADJECTIVES,
    ADVERBS,
    BE,
    CHOOSING,
    DETERMINERS,
    DO,
    FROM_GERUND,
    FUTURE,
    HAVE,
    MODAL_ADVERBS,
    MODAL_VERBS,
    MODALS,
    NOUNS,
    OBLIQUE,
    PAST_AUXILIARIES,
    PERSONAL,
    PREPOSITIONS,
    REQUIREMENTS,
    SUBJECT_PRONOUNS,
    Words,
    first_index,
    gerund_bases,
    is_participle,
    is_verb,
    past_bases,
    third_bases,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    FINITE,
    STATED_FACT,
    SUBJUNCTIVE,
    ClauseNode,
    Mood,
    Negation,
    Node,
    Operator,
    map_clauses,
    operator,
)
from polbias.generators.normative.reading.quantifiers import make_clause

# Verb phrases in the base form, and frames with an infinitive: "required to VP", "certain not to VP".

_LIGHT, _COMPARATIVES = word_set("light"), word_set("compared")


def marked_infinitive(subject: Words, words: Words) -> Node | None:
    """Parse "(not) to VP"; None for other words."""
    if words[:1] == ("to",) and len(words) > 1 and words[1] not in DETERMINERS:  # "invited to a wedding"
        if words[1] == "not" and len(words) > 2:
            return Negation(infinitive(subject, words[2:]))
        return infinitive(subject, words[1:])
    if words[:2] in (("not", "to"), ("never", "to")) and len(words) > 2:
        return Negation(infinitive(subject, words[2:]))
    return None


def infinitive(subject: Words, words: Words, tense: str = "", number: str = "") -> Node:
    """Parse a verb phrase in the base form."""
    if not words:
        raise ReadingError("found an infinitive without a verb")
    if words[0] in ("not", "never") and len(words) > 1:
        return Negation(infinitive(subject, words[1:], tense, number))
    if words[0] == "be" and len(words) > 1:
        framed = personal(subject, words[1:])
        if framed:
            return framed
    if subject == ("there",) and words[:2] == ("be", "no") and len(words) > 2:
        return Negation(infinitive(subject, ("be", "any", *words[2:]), tense, number))
    if words[0] == "have" and len(words) > 1:
        if words[1] == "to" and len(words) > 2:
            return Operator("?", "necessary", infinitive(subject, words[2:]), word="have")
        perfect = _perfect(words[1:])
        if perfect:
            return infinitive(subject, perfect, "past", number)
    return make_clause(subject, words, tense, number)


def _perfect(words: Words) -> Words:
    """Return the words after "have" with the participle in the base form; empty without a participle."""
    start = _after_adverbs(words[:-1])
    form, remainder = words[start], words[start + 1 :]
    adverbs = tuple(word for word in words[:start] if word != "not")
    if form in ("been", "had", "done", "gone"):
        return ({"been": "be", "had": "have", "done": "do", "gone": "go"}[form], *adverbs, *remainder)
    if is_participle(form) and perfect_before(form, remainder):
        return (past_bases(form)[0], *remainder, *adverbs)
    return ()


def _after_adverbs(words: Words) -> int:
    """Return the number of adverbs at the beginning of words."""
    adverbs = (word in ADVERBS or word.endswith("ly") or word in MODAL_ADVERBS for word in words)
    return next((index for index, adverb in enumerate(adverbs) if not adverb), len(words))


def perfect_before(form: str, remainder: Words) -> bool:
    """Whether "have" and a participle form a perfect: "have read the book", but not "have cut hair"."""
    changed = form.endswith("ed") or past_bases(form)[0] != form
    return (
        changed
        or not remainder
        or remainder[0] in DETERMINERS
        or remainder[0] in PREPOSITIONS - {"of"}
        or remainder[0].endswith("ly")
    )


def personal(subject: Words, words: Words) -> Node | None:
    """Parse the words after "be" in a personal frame ("you are required to VP"); None for other words."""
    index = 0
    while index < len(words) and index < 2 and words[index] not in PERSONAL and words[index].endswith("ly"):
        index += 1
    if index >= len(words):
        return None
    if words[index] == "under":
        return _under_noun(subject, words[index + 1 :])
    if words[index] == "able" or words[index] not in PERSONAL:
        return None
    force, complement = PERSONAL[words[index]], words[index + 1 :]
    if complement[:1] == ("by",):
        start = first_index(complement, ("to",))
        complement = complement[start - (complement[start - 1] == "not") :] if start else complement
    before = "for" if words[index] == "responsible" else "from"
    if (
        words[index] in FROM_GERUND
        and complement[:1] == (before,)
        and len(complement) > 1
        and gerund_bases(complement[1])
    ):
        return operator(force, infinitive(subject, (gerund_bases(complement[1])[0], *complement[2:])))
    body = marked_infinitive(subject, complement)
    return operator(force, body) if body else None


def requirement(subject: Words, words: Words) -> Node | None:
    """Parse the words after "be" if the subject is the act: "smoking is prohibited (for guests)"."""
    if not words or words[0] not in REQUIREMENTS or not subject or subject[0] in SUBJECT_PRONOUNS:
        return None
    complement = words[1:]
    doing = gerund_bases(subject[0])
    if doing and is_verb(doing[0]):
        agent = complement[1:] if complement[:1] == ("for",) else ()
        body = make_clause(
            tuple(OBLIQUE.get(word, word) for word in agent),
            (doing[0], *subject[1:], *(() if agent else complement)),
        )
    elif complement:
        return None
    else:
        body = make_clause(subject, ("exist",))
    stated_clause: Node = make_clause(subject, ("be", *words))
    node = operator(ADJECTIVES[words[0]], body)
    if isinstance(node, Negation) and isinstance(node.body, Operator):
        return Negation(replace(node.body, word=STATED_FACT, content=Negation(stated_clause)), node.outer)
    return replace(node, word=STATED_FACT, content=stated_clause) if isinstance(node, Operator) else node


def _under_noun(subject: Words, words: Words) -> Node | None:
    index = _noun_at(words)
    body = None if index is None else marked_infinitive(subject, words[index + 1 :])
    if index is None or body is None:
        return None
    node = operator(NOUNS[words[index]], body)
    return Negation(node) if words[0] == "no" else node


def _noun_at(words: Words, start: int = 0) -> int | None:
    """Return the index of a modal noun among the first four words."""
    return next((index for index, word in enumerate(words[:4]) if index >= start and word in NOUNS), None)


# Verb groups: modal verbs and adverbs, forms of "be", "have" and "do", negation, tense, and complements.


def group(subject: Words, words: Words, mood: Mood) -> Node:
    """Parse a verb group and its complements."""
    word = words[0]
    if word in MODAL_ADVERBS:
        return _under_adverb(word, subject, words[1:], mood)
    if word in MODALS:
        return _modal(subject, words, mood)
    if word in BE:
        return _be(subject, words[1:], "past" if word in PAST_AUXILIARIES else "present", BE[word], mood)
    if word in HAVE:
        return _have(subject, words[1:], HAVE[word], "past" if word == "had" else "present", mood)
    if word in DO:
        return _do(subject, words, mood)
    if word == "not":
        if mood == SUBJUNCTIVE or (mood and (words[1:2] == ("be",) or is_verb(words[1]))):
            return Negation(infinitive(subject, words[1:]))
        verbless = _be(subject, words[1:], "present", "", mood, missing=True)
        return Negation(map_clauses(verbless, lambda clause: replace(clause, missing=True)))
    if word in ("need", "needs", "needed") and words[1:2] == ("not",):
        return Negation(Operator("?", "necessary", infinitive(subject, words[2:]), word="need"))
    if word in ("need", "needs", "needed"):
        return have_to(subject, words[1:], "present", "singular" if word == "needs" else "plural", mood)
    return _lexical_verb(subject, words)


def _lexical_verb(subject: Words, words: Words) -> ClauseNode:
    form, remainder = words[0], words[1:]
    third, past = third_bases(form), past_bases(form)
    if third and not (is_verb(form) and not is_verb(third[0])):
        clause = make_clause(subject, (third[0], *_coordinate_base(remainder)), "present", "singular")
        other_phrases = tuple((base, *_coordinate_base(remainder)) for base in third[1:])
        if not other_phrases or len(clause.predicates) > 1:
            return clause
        return replace(clause, predicates=((*clause.predicates[0], *other_phrases),))
    if past and not (is_verb(form) and not form.endswith("ed")):
        return make_clause(subject, (past[0], *remainder), "past", "")
    return make_clause(subject, words, "present", "plural", unmarked=True)


def _coordinate_base(remainder: Words) -> Words:
    """Return the words after a verb in -s, with a coordinated verb in -s in the base form."""
    if remainder[:1] == ("and",) and len(remainder) > 1 and third_bases(remainder[1]):
        return ("and", third_bases(remainder[1])[0], *remainder[2:])
    return remainder


def _strip_adverbs(words: Words) -> tuple[bool, Words]:
    """Strip negation and light adverbs; return whether words are negated, and the remaining words."""
    negated, index = False, 0
    while index < len(words) and words[index] in _LIGHT:
        negated ^= words[index] in ("not", "never")
        index += 1
    return negated, words[index:]


def _negate(node: Node, negated: bool) -> Node:
    return Negation(node) if negated else node


def _under_adverb(word: str, subject: Words, words: Words, mood: Mood) -> Node:
    negated, words = _strip_adverbs(words)
    if not words:
        raise ReadingError(f"found nothing after {word!r}, expected a verb")
    if words[0] in BE or words[0] in HAVE or words[0] in DO or words[0] in MODALS:
        body = group(subject, words, mood)
    else:
        body = _lexical_verb(subject, words)
    return operator(MODAL_ADVERBS[word], _negate(body, negated))


def _modal(subject: Words, words: Words, mood: Mood) -> Node:
    word = words[0]
    negated, complement = _strip_adverbs(words[1:])
    adverb = complement[0] if complement and complement[0] in MODAL_ADVERBS else ""
    if adverb:
        inner_negated, complement = _strip_adverbs(complement[1:])
        negated ^= inner_negated
    if word == "ought" and complement[:1] == ("to",):
        complement = complement[1:]
    elif word == "ought" and complement[:2] == ("not", "to"):
        negated, complement = True, complement[2:]
    if not complement:
        raise ReadingError(f"found nothing after {word!r}, expected a verb")
    if word in FUTURE or (word == "shall" and mood):
        body = _negate(infinitive(subject, complement, "future"), negated)
        return operator(MODAL_ADVERBS[adverb], body) if adverb else body
    if word in ("can", "may", "could") and complement[0] in CHOOSING:
        choice_body = marked_infinitive(subject, complement[1:])
        if choice_body:
            return _negate(Operator("deontic", "possible", choice_body, word="choose"), negated)
    if word in ("can", "could"):
        content = _negate(make_clause(subject, (word, *complement)), negated)
        if mood:
            return content
        if word == "could" and negated and _is_perfect(complement[1:] or ("",)) and complement[0] == "have":
            word = COULD_NOT_HAVE
        ability = make_clause(subject, (words[0], *complement))
        possibility = Operator("?", "possible", infinitive(subject, complement), word=word, content=ability)
        return _negate(possibility, negated)
    if word == "shall":
        return Operator("deontic", "necessary", _negate(infinitive(subject, complement), negated), word=word)
    if complement[:2] in (("have", "to"), ("need", "to")):
        complement = complement[2:]
    body = _negate(infinitive(subject, complement), negated)
    return operator(MODAL_VERBS[word], body, word=word)


def _be(subject: Words, words: Words, tense: str, number: str, mood: Mood, missing: bool = False) -> Node:
    negated, words = _strip_adverbs(words)
    if words and words[0] in MODAL_ADVERBS and len(words) > 1:
        inner_negated, after = _strip_adverbs(words[1:])
        body = _negate(_be(subject, after, tense, number, mood), inner_negated)
        return _negate(operator(MODAL_ADVERBS[words[0]], body), negated)
    if framed := personal(subject, words):
        return _negate(_set_number(framed, number), negated)
    if not mood and (requirement_node := requirement(subject, words)):
        return _negate(requirement_node, negated)
    if missing and words[:1] and words[0] in PERSONAL and len(words) > 1:
        return _negate(operator(PERSONAL[words[0]], make_clause(subject, ("be", *words[1:]))), negated)
    if words[:1] == ("no",) and len(words) > 1 and words[1] not in _COMPARATIVES:
        article = "any" if subject == ("there",) else "a"
        return _negate(make_clause(subject, ("be", article, *words[1:]), tense, number), not negated)
    if words[:2] == ("going", "to"):
        return _negate(infinitive(subject, words[2:], "future"), negated)
    if words[:1] and words[0] in ("always", "being"):
        words = words[words[0] == "being" :]
    return _negate(make_clause(subject, ("be", *words), tense, number), negated)


def _set_number(node: Node, number: str) -> Node:
    return map_clauses(node, lambda clause: replace(clause, number=clause.number or number))


def _have(subject: Words, words: Words, number: str, tense: str, mood: Mood) -> Node:
    negated, after = _strip_adverbs(words)
    if after[:2] == ("got", "to"):
        after = after[1:]
    if after[:1] == ("to",) and len(after) > 1:
        return _negate(have_to(subject, after, tense, number, mood), negated)
    if after[:3] == ("no", "choice", "but"):
        return Operator("deontic", "necessary", infinitive(subject, after[4:]), word="have")
    if noun_node := _have_noun(subject, after, mood):
        return _negate(noun_node, negated)
    start = _after_adverbs(after)
    if start < len(after) and _is_perfect(after[start:]):
        perfect = infinitive(subject, ("have", *after))
        return _negate(_set_number(perfect, number), negated)
    if after[:1] == ("no",) and after[1:2] not in (("longer",), ("more",)) and len(after) > 1:
        return Negation(make_clause(subject, ("have", "any", *after[1:]), tense, number))
    return _negate(make_clause(subject, ("have", *after), tense, number), negated)


def _is_perfect(words: Words) -> bool:
    """Whether the words after "have" begin with the participle of a perfect."""
    form = words[0]
    if form in ("been", "had", "done"):
        return True
    return is_participle(form) and perfect_before(form, words[1:])


def _have_noun(subject: Words, words: Words, mood: Mood) -> Node | None:
    """Parse "an obligation to VP", "no right to VP" after "have"."""
    index = _noun_at(words, start=words[:1] in (("a",), ("an",), ("the",), ("no",), ("any",)))
    if index is None or NOUNS[words[index]][0] != "deontic" or mood:
        return None
    body = marked_infinitive(subject, words[index + 1 :])
    if body is None:
        return None
    node = operator(NOUNS[words[index]], body, word="have")
    if isinstance(node, Operator):
        node = replace(
            node,
            content=make_clause(
                subject, ("have", *(("any",) if words[0] == "no" else ()), *words[words[0] == "no" :])
            ),
        )
    return _negate(node, words[0] == "no")


def have_to(subject: Words, words: Words, tense: str, number: str, mood: Mood) -> Node:
    """Parse "to VP" after "have" or "need"."""
    if mood == FINITE:
        return make_clause(subject, ("have", *words), tense, number)
    node = _set_number(marked_infinitive(subject, words) or infinitive(subject, words[1:]), number)
    return Operator("?", "necessary", node, word="have")


def _do(subject: Words, words: Words, mood: Mood) -> Node:
    word, tense, number = words[0], "past" if words[0] == "did" else "present", DO[words[0]]
    negated, complement = _strip_adverbs(words[1:])
    if complement and complement[0] in MODAL_ADVERBS and len(complement) > 1:
        inner_negated, after = _strip_adverbs(complement[1:])
        if after[:2] in (("have", "to"), ("need", "to")):
            body = have_to(subject, after[1:], tense, number, mood)
            return _negate(body, negated)
        body = _negate(infinitive(subject, after, tense, number), inner_negated)
        return _negate(operator(MODAL_ADVERBS[complement[0]], body), negated)
    if complement[:2] in (("have", "to"), ("need", "to")):
        return _negate(have_to(subject, complement[1:], tense, number, mood), negated)
    if complement[:1] == ("have",) and (noun_node := _have_noun(subject, complement[1:], mood)):
        return _negate(noun_node, negated)
    if not negated and (
        not complement
        or complement[0] in DETERMINERS
        or not (is_verb(complement[0]) or gerund_bases(complement[0]))
    ):
        return make_clause(subject, ("do", *complement), tense, number)
    if not complement:
        raise ReadingError(f"found nothing after {word!r}, expected a verb")
    return _negate(infinitive(subject, complement, tense, number), negated)
