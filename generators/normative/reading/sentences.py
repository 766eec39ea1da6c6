"""Grammar of sentences: operator frames, existential and impersonal clauses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from polbias.generators.logic.formula import CERTAINTY, FLAVOURS, KNOWLEDGE
from polbias.generators.logic.prover import ReadingError
from polbias.generators.normative.reading.lexicon import (
    ADJECTIVES,
    AUXILIARIES,
    BE,
    CONTENT,
    DEGREE,
    DETERMINERS,
    KNOWERS,
    KNOWING,
    MODAL_ADVERBS,
    MODAL_VERBS,
    NOUNS,
    OBLIQUE,
    OPENERS,
    RAISING,
    RELATIVES,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
    Force,
    Words,
    first_index,
    gerund_bases,
    is_plural,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    FINITE,
    SUBJUNCTIVE,
    TOP,
    ClauseNode,
    Conditional,
    Coordination,
    Mood,
    Negation,
    Node,
    Operator,
    map_clauses,
    negate_if,
    operator,
    operators,
)
from polbias.generators.normative.reading.quantifiers import make_clause
from polbias.generators.normative.reading.verb_groups import group, have_to, infinitive, marked_infinitive
from polbias.generators.normative.reading.verbs import auxiliary_at, head_at, subject_predicate_splits

# Clauses: subject, verb group and complements.

_UNIVERSAL = word_set("universal_subjects")
_COMPLEMENT = word_set("complement")
_LOCATIVES = word_set("places")
_NEITHER = {"neither": "not", "nor": "or"}


def clause(words: Words, mood: Mood = TOP) -> Node:
    """Parse a clause that does not begin with a sentence frame."""
    while words and words[-1] in (",", ":"):
        words = words[:-1]
    if not words:
        raise ReadingError("found an empty clause, expected words")
    if words[0] in _LOCATIVES and "," in words[2:6] and len(words) > 7:
        # "In the hospital, everyone must wear a mask."
        comma = words.index(",", 2)
        words = words[comma + 1 :] + words[:comma]
    if "neither" in words[1:] and "nor" in words:
        words = words[:1] + tuple(_NEITHER.get(word, word) for word in words[1:])
    if len(words) > 2 and words[0] in MODAL_ADVERBS:
        start = 2 if words[1] == "," else 1
        if words[0] not in ("sure", "certain"):
            return operator(MODAL_ADVERBS[words[0]], clause(words[start:], FINITE), outer=True)
    if words[0] == "not" and words[1:2] and words[1] in _UNIVERSAL:
        node = clause(words[1:], mood)
        # "Not every student might have passed": it might be that not every student has passed.
        if isinstance(node, Operator) and node.word == "might":
            return replace(node, body=Negation(node.body, outer=True))
        return Negation(node, outer=True)
    index = auxiliary_at(words)
    if index > 0:
        return group(words[:index], words[index:], mood)
    splits = subject_predicate_splits(words)
    if not splits:
        raise ReadingError(f"no verb found in {' '.join(words)!r}")
    best = splits[0]
    if best.predicate[0] in ("need", "have") and best.predicate[1:2] == ("to",):
        return have_to(best.subject, best.predicate[1:], best.tense, best.number, mood)
    if mood == SUBJUNCTIVE and best.unmarked:
        return replace(make_clause(best.subject, best.predicate), splits=splits)
    return replace(make_clause(*best), splits=splits)


# Impersonal frames: "it is ADJ that S", "it is ADJ (for NP) to VP", "it is (not) the case that S".

_PLAIN = (("the", "case"), ("true",), ("a", "fact"), ("correct",))
_NO_CLAUSE = word_set("no_clause")
_NEGATIONS = frozenset(("not", "never"))


@dataclass
class _Opening:
    """Words before the predicate of an impersonal sentence.

    Attributes:
        index: index of the predicate.
        negated: whether an outermost negation precedes the adverbs.
        modal: modal verb, or ``""``.
        adverbs: forces of modal adverbs, outermost first; None is a negation after an adverb.
    """

    index: int
    negated: bool = False
    modal: str = ""
    adverbs: list[Force | None] = field(default_factory=list)


def impersonal(words: Words, mood: Mood) -> Node | None:
    """Parse an impersonal sentence; None if it is not one."""
    opening = _parse_opening(words)
    if opening is None:
        return None
    node = _parse_predicate(words, opening, mood)
    if node is None:
        return None
    for force in reversed(opening.adverbs):
        node = Negation(node, outer=True) if force is None else operator(force, node, outer=True)
    if not opening.modal:
        return negate_if(node, opening.negated)
    force = MODAL_VERBS[opening.modal]
    if opening.modal in ("can", "could"):
        return negate_if(operator(force, node, outer=True, word=opening.modal), opening.negated)
    return operator(force, negate_if(node, opening.negated), outer=True, word=opening.modal)


def _parse_opening(words: Words) -> _Opening | None:
    """Parse "is not", "has not been", "might not be", with the following adverbs."""
    first, second = words[1], words[2]
    if first in MODAL_VERBS:
        negated = second == "not"
        after = words[2 + negated : 4 + negated]
        if after == ("have", "been"):
            opening = _Opening(4 + negated, negated, first)
        elif after[:1] == ("be",):
            opening = _Opening(3 + negated, negated, first)
        else:
            return None
    elif first == "has":
        negated = second == "not"
        if words[2 + negated] != "been":
            return None
        opening = _Opening(3 + negated, negated)
    elif first in BE or first in ("remains", "seems"):
        opening = _Opening(2)
    else:
        return None
    return _with_adverbs(words, opening)


def _with_adverbs(words: Words, opening: _Opening) -> _Opening:
    while opening.index < len(words) - 1:
        word, following = words[opening.index], words[opening.index + 1]
        if word in _NEGATIONS:
            if opening.adverbs:
                opening.adverbs.append(None)
            else:
                opening.negated = not opening.negated
        elif following in ("that", "for", "to") or word in ADJECTIVES:
            break
        elif word in MODAL_ADVERBS:
            opening.adverbs.append(MODAL_ADVERBS[word])
        elif not (word in DEGREE or word.endswith("ly")):
            break
        opening.index += 1
    return opening


def _parse_predicate(words: Words, opening: _Opening, mood: Mood) -> Node | None:
    """Parse the predicate and its complement."""
    predicate_words = words[opening.index :]
    if not predicate_words:
        return None
    for plain in _PLAIN:
        if predicate_words[: len(plain) + 1] == (*plain, "that"):
            return statement(predicate_words[len(plain) + 1 :], mood)
    if predicate_words[:2] == ("false", "that"):
        return Negation(statement(predicate_words[2:], mood), outer=True)
    if predicate_words[0] == "that" and opening.modal:
        return statement(predicate_words[1:], FINITE)
    word, after, force = predicate_words[0], predicate_words[1:], ADJECTIVES.get(predicate_words[0])
    if word in DETERMINERS:
        # "it is a requirement that", "it is your duty to"
        end = first_index(predicate_words[:5], ("that", "to", "for"))
        if not end:
            return None
        word, after, force = (
            predicate_words[end - 1],
            predicate_words[end:],
            NOUNS.get(predicate_words[end - 1]),
        )
    if not after or word in CONTENT:
        return None
    return _parse_complement(word, force, after)


def _parse_complement(word: str, force: Force | None, after: Words) -> Node | None:
    """Parse "that S", "(for NP) (not) to VP" or a bare sentence after a frame word."""
    is_listed, force = force is not None, force or (word, "necessary")
    if (after[0] == "that" and len(after) > 2) or (after[0] == "whether" and is_listed and len(after) > 2):
        return operator(
            force, statement(after[1:], FINITE if force[0] in FLAVOURS else SUBJUNCTIVE), outer=True
        )
    if after[0] in ("to", "not") and (is_listed or not word.endswith("ed")):
        body = marked_infinitive(("it",) if word in RAISING else (), after)
        return operator(force, body) if body else None
    if after[0] == "for":
        return parse_for_infinitive(force, after)
    if is_listed and force[0] in FLAVOURS and len(after) > 1 and after[0] not in _NO_CLAUSE:
        try:
            return operator(force, statement(after, FINITE), outer=True)
        except ReadingError:
            return None
    return None


def parse_for_infinitive(force: Force, words: Words) -> Node | None:
    """Parse "for NP (not) to VP"."""
    for to in range(2, len(words) - 1):
        if words[to] == "to" and words[to + 1] not in DETERMINERS:
            end = to - (words[to - 1] == "not")
            subject = words[1:end]
            if len(subject) == 1:
                subject = (OBLIQUE.get(subject[0], subject[0]),)
            body = marked_infinitive(subject, words[end:])
            return operator(force, body) if body and subject else None
    return None


def parse_knowledge(words: Words) -> Node | None:
    """Parse "we (do not) know that S", "scientists have established that S"."""
    if "that" not in words[2:6]:
        return None
    that = words.index("that", 2)
    middle = words[1:that]
    is_certainty = middle[-1] in ("certain", "sure") and middle[0] in BE
    if not (is_certainty or middle[-1] in KNOWING) or len(words) < that + 3:
        return None
    node = Operator(
        CERTAINTY if is_certainty else KNOWLEDGE,
        "necessary",
        statement(words[that + 1 :], FINITE),
        outer=True,
    )
    return negate_if(node, "not" in middle)


# Existential frames: "there is (no) NOUN (for NP) (not) to VP", "there is a NOUN (that) S".

_VERBS = frozenset(BE) | {"exists", "exist", "remains"}


def existential(words: Words) -> Node | None:
    """Parse an existential sentence; None if it has no modal noun."""
    if words[1] not in _VERBS:
        return None
    negated = words[2] == "not"
    index = 2 + negated
    if words[index] in DETERMINERS:
        negated ^= words[index] == "no"
        index += 1
    # "a real possibility", "a slim chance"
    noun_index = next((i for i in range(index, min(len(words) - 1, index + 3)) if words[i] in NOUNS), -1)
    if noun_index < 0 or "little" in words[index:noun_index]:
        return None
    node = _parse_noun_complement(NOUNS[words[noun_index]], words[noun_index + 1 :])
    return node and negate_if(node, negated)


def _parse_noun_complement(force: Force, after: Words) -> Node | None:
    """Parse the complement of the noun of the frame."""
    if after[0] == "that" and len(after) > 2:
        return operator(
            force, statement(after[1:], SUBJUNCTIVE if force[0] == "deontic" else FINITE), outer=True
        )
    if after[0] in ("for", "on", "upon") and "to" in after:
        return parse_for_infinitive(force, after)
    if after[0] in ("against", "on", "of"):
        return _parse_gerund(force, after[1:])
    body = marked_infinitive((), after)
    if body is None and force[0] in FLAVOURS:
        return operator(force, statement(after, FINITE), outer=True)
    return operator(force, body) if body else None


def _parse_gerund(force: Force, words: Words) -> Node | None:
    """Parse "(NP) (not) V-ing"."""
    index = next((i for i, word in enumerate(words[:6]) if word == "being" or gerund_bases(word)), -1)
    if index < 0:
        return None
    negated = index > 0 and words[index - 1] == "not"
    base = "be" if words[index] == "being" else gerund_bases(words[index])[0]
    body: Node = infinitive(words[: index - negated], (base, *words[index + 1 :]))
    return operator(force, Negation(body) if negated else body)


# Sentences: conditionals, and statements by their opening frame.

_IF = word_set("conditional")
_ASKING = word_set("asking")


@lru_cache(maxsize=1 << 14)
def sentence(words: Words, conditional: bool = True) -> Node:
    """Parse a sentence; `conditional`: "if" after the main clause makes a conditional."""
    while words and (words[0] in OPENERS or words[0] == ",") and len(words) > 2:
        words = words[1:]
    if not words:
        raise ReadingError("found an empty sentence, expected words")
    if (
        words[0] in _IF
        or words[:2] in (("provided", "that"), ("given", "that"), ("in", "case"))
        or words[0] == "unless"
    ):
        return _parse_conditional(words)
    if conditional:
        postposed = _parse_postposed(words)
        if postposed:
            return postposed
    return statement(words)


def _parse_conditional(words: Words) -> Node:
    start = 2 if words[0] in ("provided", "given", "in") else 1
    body = words[start:]
    antecedent, consequent = _split_conditional(body)
    return _make_conditional(words[0], antecedent, consequent)


def _make_conditional(word: str, antecedent: Words, consequent: Words) -> Conditional:
    """Parse the antecedent and consequent of a conditional with "if" or "unless"."""
    condition = map_clauses(statement(antecedent), _with_indefinite)
    return Conditional(negate_if(condition, word == "unless"), statement(consequent))


def _with_indefinite(clause: ClauseNode) -> ClauseNode:
    """Return a clause of a condition with "a" for "any": one instance is enough."""
    if clause.quantifier != "any":
        return clause
    subject = clause.subject
    if subject[0] in UNIVERSAL_PEOPLE:
        subject = ("something" if subject[0].endswith("thing") else "someone", *subject[1:])
    elif not is_plural(subject[head_at(subject)]):
        subject = ("a", *subject)
    return replace(clause, quantifier="", subject=subject)


def _split_conditional(body: Words) -> tuple[Words, Words]:
    for index in range(1, len(body) - 1):
        if body[index] == "then" and (body[index - 1] == "," or "," not in body[index:]):
            return body[: index - (body[index - 1] == ",")], body[index + 1 + (body[index + 1] == ",") :]
    commas = [index for index in range(1, len(body) - 1) if body[index] == ","]
    for index in commas:
        if _has_operator(body[index + 1 :]):
            return body[:index], body[index + 1 :]
    if commas:
        return body[: commas[0]], body[commas[0] + 1 :]
    for index in range(3, len(body) - 2):
        if body[index : index + 2] in (("it", "is"), ("there", "is")) or (
            body[index] in SUBJECT_PRONOUNS and body[index + 1] in MODAL_VERBS
        ):
            return body[:index], body[index:]
    raise ReadingError(f"no consequent found after {' '.join(('if', *body))!r}")


def _has_operator(words: Words) -> bool:
    try:
        return next(operators(statement(words)), None) is not None
    except ReadingError:
        return False


def _parse_postposed(words: Words) -> Node | None:
    """Parse "C if A", "C only if A" and "C unless A"."""
    for index in range(3, len(words) - 2):
        word = words[index]
        if (
            word in ("if", "unless")
            and words[index - 1] not in _ASKING - {"only"}
            and words[index + 1] not in ("not",)
        ):
            end = index - (words[index - 1] == ",")
            if words[index - 1] == "only":
                return Conditional(statement(words[: index - 1]), statement(words[index + 1 :]))
            return _make_conditional(word, words[index + 1 :], words[:end])
    return None


def statement(words: Words, mood: Mood = TOP) -> Node:
    """Parse a sentence or clause without a postposed condition."""
    if words[:1] == (",",):
        words = words[1:]
    if not words:
        raise ReadingError("found an empty clause, expected words")
    if words[0] in _IF and "," in words:
        return _parse_conditional(words)
    node: Node | None = coordination(words, mood)
    if node:
        return node
    if words[0] == "it" and len(words) > 3:
        node = impersonal(words, mood)
    elif words[0] == "there" and len(words) > 3:
        node = existential(words)
    elif words[0] in KNOWERS:
        node = parse_knowledge(words)
    return node or clause(words, mood)


# Coordinated clauses, each with a subject and an auxiliary, or with an auxiliary only.

_AND_OR = word_set("clause_conjunctions")


def coordination(words: Words, mood: Mood = TOP) -> Node | None:
    """Parse clauses joined by "and" or "or"; None if the conjunctions join smaller constituents."""
    joints = [index for index in range(2, len(words) - 1) if words[index] in _AND_OR]
    if not joints:
        return None
    spans = [words[index + 1 : end] for index, end in zip(joints, [*joints[1:], len(words)], strict=True)]
    cuts = [index for index, span in zip(joints, spans, strict=True) if span and _is_clause(span)]
    if not cuts:
        return None
    starts, ends = [0, *(index + 1 for index in cuts)], [*cuts, len(words)]
    parts = [_without_commas(words[start:end]) for start, end in zip(starts, ends, strict=True)]
    disjunctive = {words[index] == "or" for index in cuts}
    if parts[0][:1] == ("either",):
        parts[0] = parts[0][1:]
    if not all(part and _is_clause(part) for part in parts):
        return None
    subject = parts[0][: max(auxiliary_at(parts[0]), 0)]
    try:
        nodes = [
            statement((*subject, *part) if index and _is_elliptic(part) else part, mood)
            for index, part in enumerate(parts)
            if subject or not (index and _is_elliptic(part))
        ]
    except ReadingError:
        return None
    if len(nodes) < len(parts):
        return None
    text = " ".join(words)
    if len(disjunctive) > 1:
        raise ReadingError(f'cannot tell in {text!r} what "and" joins and what "or" joins')
    if _COMPLEMENT & set(parts[0]) and any(next(operators(node), None) for node in nodes[1:]):
        raise ReadingError(f'cannot tell in {text!r} where the clause after "that" ends')
    return Coordination(disjunctive == {True}, tuple(nodes))


def _is_clause(words: Words) -> bool:
    if words[0] in RELATIVES or words[0] in _IF:
        return False
    return words[0] in SUBJECT_PRONOUNS or _is_elliptic(words) or auxiliary_at(words) > 0


def _is_elliptic(words: Words) -> bool:
    """Whether words begin with an auxiliary, so that they share the subject of the previous clause."""
    return len(words) > 1 and (
        words[0] in AUXILIARIES or (words[0] in ("need", "needs") and words[1] in ("not", "to"))
    )


def _without_commas(words: Words) -> Words:
    while words and words[-1] == ",":
        words = words[:-1]
    return words[words[:1] == (",",) :]
