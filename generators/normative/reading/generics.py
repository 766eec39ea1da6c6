"""Generic sentences, conditionals about anybody, and the named contents of an item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from polbias.generators.logic.formula import (
    ALETHIC,
    CERTAINTY,
    DEONTIC,
    EPISTEMIC,
    FLAVOURS,
    KNOWLEDGE,
)
from polbias.generators.normative.reading.coreference import (
    INFINITIVE,
    ClauseNames,
    Occurrence,
    name_occurrences,
)
from polbias.generators.normative.reading.lexicon import (
    DEMONSTRATIVES,
    DETERMINERS,
    GENERIC_SUBJECTS,
    INDEFINITE_PEOPLE,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
    Words,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    COULD_NOT_HAVE,
    STATED_FACT,
    VARIABLE,
    ClauseNode,
    Conditional,
    Coordination,
    Negation,
    Node,
    Operator,
    canonical_words,
    clauses,
    foreign_possessives,
    map_clauses,
    operators,
    rebuild,
)
from polbias.generators.normative.reading.quantifiers import (
    NounClass,
    class_of,
    make_clause,
    predicate,
    quantified_classes,
    term,
)
from polbias.generators.normative.reading.verbs import ClauseWords, compare, number_of, same_individual

# Universal rules of an item: generic sentences, and conditionals about anybody.


def resolve_splits(nodes: Sequence[Node]) -> list[Node]:
    """Select the split of each clause without auxiliary that agrees with another clause of the item."""
    flat = [clause for node in nodes for clause in clauses(node)]
    sure = [clause for clause in flat if not clause.splits]
    phrases = {phrase for clause in sure for alternatives in clause.predicates for phrase in alternatives}
    phrases |= {class_of(clause.subject).restriction for clause in flat if clause.quantifier}
    subjects = {clause.subject for clause in sure if clause.subject}

    def settle(clause: ClauseNode) -> ClauseNode:
        best = next((split for split in clause.splits if split.predicate in phrases), None)
        best = best or next((split for split in clause.splits if split.subject in subjects), None)
        if best is None or best is clause.splits[0]:
            return clause
        return make_clause(*best)

    return [map_clauses(node, settle) for node in nodes]


def with_generic_rule(nodes: Sequence[Node]) -> list[Node]:
    """Return the sentences of a syllogism with its generic rule quantified by "all"."""
    nodes = list(nodes)
    if len(nodes) < 3 or any(isinstance(node, Conditional) for node in nodes):
        return nodes
    if any(clause.quantifier for node in nodes for clause in clauses(node)):
        return nodes
    index = _generic_rule(nodes)
    if index is not None:
        nodes[index] = map_clauses(
            nodes[index],
            lambda clause: replace(clause, quantifier="all", subject=_strip_article(clause.subject)),
        )
    return nodes


def _generic_rule(nodes: Sequence[Node]) -> int | None:
    firsts = [next(clauses(node)) for node in nodes]
    classes = {predicate(clause.predicate) for clause in firsts if clause.predicate[0] == "be"}
    modal = [
        index
        for index, node in enumerate(nodes[:-1])
        if firsts[index].subject and next(operators(node), None) is not None
    ]
    for index in modal:
        if class_of(firsts[index].subject).name in classes:
            return index
    return next((index for index in modal if _can_be_generic(firsts[index].subject)), None)


def _can_be_generic(subject: Words) -> bool:
    """Whether a noun phrase can be generic: a bare plural, or "a" with a noun."""
    if subject[0] in SUBJECT_PRONOUNS or subject[0] == "there":
        return False
    return subject[0] in ("a", "an") or (subject[0] not in DETERMINERS and number_of(subject) == "plural")


def _strip_article(subject: Words) -> Words:
    return subject[1:] if subject[0] in ("a", "an") and len(subject) > 1 else subject


@dataclass(frozen=True, slots=True)
class GenericRule:
    """Conditional about anybody, applied to an individual of the item.

    Attributes:
        index: index of its sentence.
        subject: subject of its condition: "someone", "a student", "you".
        names_class: whether the name of the individual has the class noun: "this student".
    """

    index: int
    subject: Words
    names_class: bool = False

    @property
    def noun(self) -> str:
        """Class noun of "a student"; empty for anybody, and if the name of the individual has it."""
        if self.names_class or self.subject[0] not in ("a", "an", "any", "every"):
            return ""
        name = " ".join(class_of(self.subject[1:]).name)
        return "" if name in ("person", "individual", "one") else name


def applied_rule(nodes: Sequence[Node]) -> GenericRule | None:
    """Return the conditional about anybody ("if someone is a lawyer, ...") applied to an individual."""
    rule_index = next((index for index, node in enumerate(nodes) if isinstance(node, Conditional)), None)
    if rule_index is None or len(nodes) < 3:
        return None
    condition = next(clauses(nodes[rule_index]))
    subject = condition.subject
    if not subject or condition.quantifier or not _is_anybody(subject):
        return None
    subject_predicates = {
        predicate(clause.predicate)
        for clause in clauses(nodes[rule_index])
        if clause.subject == subject and not clause.antecedents
    }
    name = term(subject)
    for index, node in enumerate(nodes):
        for clause in clauses(node):
            individual = clause.subject
            if index == rule_index or not individual or individual[0] in SUBJECT_PRONOUNS | INDEFINITE_PEOPLE:
                continue
            if term(individual) != name and predicate(clause.predicate) in subject_predicates:
                names_class = (
                    individual[0] in DEMONSTRATIVES
                    and class_of(individual[1:]).name == class_of(subject[1:]).name
                )
                return GenericRule(rule_index, subject, names_class)
    return None


def restate_rule(nodes: Sequence[Node]) -> list[Node]:
    """Shorten "is an N who ..." to its restriction, if a conditional has this condition for "an N"."""
    condition = next((next(clauses(node)) for node in nodes if isinstance(node, Conditional)), None)
    if condition is None or not condition.subject or not _is_anybody(condition.subject):
        return list(nodes)
    group, condition_predicate = class_of(condition.subject), predicate(condition.predicate)

    def restate(clause: ClauseNode) -> ClauseNode:
        phrase = clause.predicate
        if clause.subject and len(phrase) > 3 and phrase[0] == "be" and phrase[1] in ("a", "an"):
            noun_class = class_of(phrase[1:])
            if (
                noun_class.restriction == condition_predicate
                and noun_class.noun == group.noun
                and not noun_class.negated
            ):
                return replace(clause, predicates=((noun_class.restriction,),), splits=())
        return clause

    return [map_clauses(node, restate) for node in nodes]


def _is_anybody(subject: Words) -> bool:
    return subject[0] in ("a", "an") or subject[0] in INDEFINITE_PEOPLE or subject[0] in GENERIC_SUBJECTS


def fill_missing_subjects(nodes: Sequence[Node], topic: Words, syllogistic: bool) -> list[Node]:
    """Return the sentences with subjects filled in for infinitives without subject."""
    flat = [clause for node in nodes for clause in clauses(node)]
    if syllogistic:
        if not any(clause.subject == ("you",) for clause in flat):
            return list(nodes)
        return [map_clauses(node, lambda clause: _with_default_subject(clause, ("you",))) for node in nodes]
    if not topic or topic[0] in GENERIC_SUBJECTS:
        return list(nodes)
    name = term(topic)
    topic_predicates = {
        clause.predicate for clause in flat if clause.subject and term(clause.subject) == name
    }
    return [
        map_clauses(
            node,
            lambda clause: (
                _with_default_subject(clause, topic) if clause.predicate in topic_predicates else clause
            ),
        )
        for node in nodes
    ]


def _with_default_subject(clause: ClauseNode, subject: Words) -> ClauseNode:
    return clause if clause.subject or clause.quantifier else replace(clause, subject=subject)


# Modal words that depend on the domain of the item: whether they are operators, and their modality.


def infer_domain(nodes: Sequence[Node]) -> str:
    """Return the domain of an item by its unambiguous frames; without any, by tense and "might"."""
    item_operators = [operator for node in nodes for operator in operators(node)]
    modalities = [
        EPISTEMIC if operator.modality in FLAVOURS else operator.modality for operator in item_operators
    ]
    counts = {name: modalities.count(name) for name in (DEONTIC, EPISTEMIC)}
    if counts["deontic"] != counts["epistemic"]:
        return max(counts, key=lambda name: counts[name])
    has_epistemic_cue = any(
        operator.word in ("might", "could", COULD_NOT_HAVE)
        or any(clause.tense == "past" for clause in clauses(operator.body))
        for operator in item_operators
    )
    return "epistemic" if has_epistemic_cue else "deontic"


def resolve_domain(nodes: Sequence[Node], domain: str, flavoured: bool = False) -> list[Node]:
    """Resolve the operators that depend on the domain; `flavoured`: flavours are different modalities."""
    has_ability = domain == "epistemic" and any(
        phrase[0] == "can" or phrase[:2] == ("be", "able")
        for node in nodes
        for clause in _content_clauses(node)
        for phrase in clause.predicates[0]
    )

    def settle(node: Node) -> Node:
        if isinstance(node, Negation):
            body = node.body
            if (
                isinstance(body, Operator)
                and body.word == "can"
                and body.content is not None
                and not has_ability
            ):
                node = replace(node, body=replace(body, content=None))
        if not isinstance(node, Operator):
            return rebuild(node, settle)
        if domain == "epistemic" and node.content is not None and node.word in ("can", "have", STATED_FACT):
            return node.content
        if (
            domain == "deontic"
            and node.word == "may"
            and isinstance(node.body, Negation)
            and not node.body.outer
        ):
            return Negation(settle(replace(node, body=node.body.body)))
        modality = domain if node.modality == "?" else node.modality
        if flavoured and modality == EPISTEMIC:
            modality = CERTAINTY if node.word in ("might", "may") else ALETHIC
        elif not flavoured and modality in FLAVOURS:
            modality = EPISTEMIC
        # "All B are known to be C" can express knowledge of the rule, not of each B.
        outer = node.outer or modality == KNOWLEDGE
        return Operator(modality, node.force, settle(node.body), outer, node.word)

    return [settle(node) for node in nodes]


def _content_clauses(node: Node) -> list[ClauseNode]:
    """Return the clauses of a tree, with the content of "can" for its operand."""
    if isinstance(node, ClauseNode):
        return [node]
    if isinstance(node, Conditional):
        return _content_clauses(node.antecedent) + _content_clauses(node.consequent)
    if isinstance(node, Coordination):
        return [clause for part in node.parts for clause in _content_clauses(part)]
    if isinstance(node, Operator) and node.word == "can" and node.content is not None:
        return _content_clauses(node.content)
    if isinstance(node, Negation) and isinstance(node.body, Operator) and node.body.word == "can":
        return []
    return _content_clauses(node.body)


_SOMEBODY = word_set("somebody")


def kind_of(nodes: Sequence[Node]) -> tuple[Words, int] | None:
    """Return the class that a syllogism uses as a kind and quantifies over, and the index of its rule."""
    last = next(clauses(nodes[-1]))
    if not _can_be_kind(last):
        return None
    name = class_of(last.subject).name
    firsts = [next(clauses(node)) for node in nodes]
    rule = next(
        (
            index
            for index, first in enumerate(firsts[:-1])
            if first.quantifier and class_of(first.subject).name != name
        ),
        None,
    )
    kind_clauses = [first for index, first in enumerate(firsts) if index != rule and _is_of_kind(first, name)]
    if rule is None or not any(first.quantifier for first in kind_clauses):
        return None
    return None if any(first.quantifier == "only" for first in kind_clauses) else (name, rule)


def _can_be_kind(clause: ClauseNode) -> bool:
    subject = clause.subject
    if not subject or clause.quantifier:
        return bool(subject)
    return subject[0] not in (DETERMINERS - {"a", "an"}) | SUBJECT_PRONOUNS


def _is_of_kind(clause: ClauseNode, name: Words) -> bool:
    return _can_be_kind(clause) and class_of(clause.subject).name == name


def as_classes(nodes: Sequence[Node], name: Words, rule: int) -> list[Node]:
    """Return the sentences of a syllogism with clauses about a kind quantified over its members."""

    def quantify(clause: ClauseNode) -> ClauseNode:
        if clause.quantifier or not _is_of_kind(clause, name):
            return clause
        subject = clause.subject
        return replace(
            clause, quantifier="all", subject=subject[1:] if subject[0] in ("a", "an") else subject
        )

    return [node if index == rule else map_clauses(node, quantify) for index, node in enumerate(nodes)]


def as_terms(nodes: Sequence[Node], name: Words, rule: int) -> list[Node]:
    """Return the sentences of a syllogism with clauses about all members of a kind turned to the kind."""

    def unquantify(clause: ClauseNode) -> ClauseNode:
        return replace(clause, quantifier="") if _is_of_kind(clause, name) else clause

    return [
        node if index == rule else _replace_first_clause(node, unquantify(next(clauses(node))))
        for index, node in enumerate(nodes)
    ]


def as_propositions(nodes: Sequence[Node]) -> list[Node] | None:
    """Return sentences with quantified clauses as unanalysed propositions: "every N does", "some N does".

    None if no clause is quantified, or if different quantifiers occur.
    """
    sentences = [sentence for node in nodes for sentence in _joined_sentences(node)]
    if not any(next(clauses(sentence)).quantifier for sentence in sentences):
        return None
    if len({word for sentence in sentences if (word := _quantifier_word(sentence))}) != 1:
        return None
    return [_as_proposition(node) for node in nodes]


def _joined_sentences(node: Node) -> Iterator[Node]:
    """Yield the parts of a sentence that "if", "and" and "or" join, or the sentence."""
    if isinstance(node, Conditional):
        yield from _joined_sentences(node.antecedent)
        yield from _joined_sentences(node.consequent)
    elif isinstance(node, Coordination):
        for part in node.parts:
            yield from _joined_sentences(part)
    else:
        yield node


def _quantifier_word(node: Node) -> str:
    """Return "every", "some" or "only" for a quantified sentence, else "".

    A sentence with "only" is not a proposition of this kind.
    """
    clause = next(clauses(node))
    if (
        _is_existential(clause)
        or clause.quantifier == "no"
        or (clause.quantifier == "any" and _is_negated(node))
    ):
        return "some"
    return {"": "", "only": "only"}.get(clause.quantifier, "every")


def _as_proposition(node: Node) -> Node:
    if isinstance(node, Conditional | Coordination):
        return rebuild(node, _as_proposition)
    word = _quantifier_word(node)
    return (
        _replace_first_clause(node, _with_quantifier_word(next(clauses(node)), word))
        if word in ("every", "some")
        else node
    )


def _is_existential(clause: ClauseNode) -> bool:
    return bool(clause.subject) and (clause.subject[0] == "some" or clause.subject[0] in _SOMEBODY)


def _is_negated(node: Node) -> bool:
    """Whether a negation precedes the clause."""
    while not isinstance(node, ClauseNode | Conditional | Coordination):
        if isinstance(node, Negation):
            return True
        node = node.body
    return False


def _with_quantifier_word(clause: ClauseNode, word: str) -> ClauseNode:
    subject = clause.subject
    if subject[0] in UNIVERSAL_PEOPLE or subject[0] in _SOMEBODY:
        subject = (word + ("thing" if subject[0].endswith("thing") else "one"), *subject[1:])
    else:
        subject = (word, *class_of(subject[1:] if subject[0] == "some" else subject).name)
    return replace(clause, quantifier="", subject=subject, number="singular")


def _replace_first_clause(node: Node, clause: ClauseNode) -> Node:
    """Return a sentence with its first clause replaced; negated if that clause began with "no"."""
    first = next(clauses(node))
    changed = map_clauses(node, lambda candidate: clause if candidate is first else candidate)
    return negate_embedded(changed) if first.quantifier == "no" and not clause.quantifier else changed


def negate_embedded(node: Node, outer: bool = False) -> Node:
    """Negate a sentence under its outer operators: "it is certain that no ..."."""
    if isinstance(node, Negation | Operator) and node.outer:
        return replace(node, body=negate_embedded(node.body, outer))
    return Negation(node, outer)


_SPEAKERS = (("you",), ("i",))


@dataclass(frozen=True)
class Contents:
    """Sentences of an item with names for their predicates, classes and individuals.

    Attributes:
        nodes: sentences.
        names: names of the occurrences, by position.
        positions: positions of the disjuncts of each clause, by ``id(clause)``.
        classes: positions of the classes that a clause quantifies over (mostly one), by ``id(clause)``.
        individuals: names of the individuals, by noun phrase.
        restricted: for a class such as "students who cheat", if another clause only has "cheats": position of
            the other occurrence, by position of the class.
        doubtful: restricted classes if the item does not state that the one who cheats is a student; and
            positions of "everyone" if the item does not state that anybody is a person.
    """

    nodes: list[Node]
    names: ClauseNames
    positions: dict[int, list[int]]
    classes: dict[int, list[int]]
    individuals: dict[Words, str]
    restricted: dict[int, int]
    doubtful: frozenset[int]


def name_contents(nodes: list[Node], syllogistic: bool, rule: GenericRule | None) -> Contents:
    """Return the sentences of an item with names for their predicates, classes and individuals."""
    occurrences: list[Occurrence] = []
    positions: dict[int, list[int]] = {}
    classes: dict[int, list[int]] = {}
    flat = [clause for node in nodes for clause in clauses(node)]
    number_by_subject = {clause.subject: clause.number for clause in flat if clause.number}
    for clause in flat:
        if clause.quantifier:
            parts = quantified_classes(clause, flat)
            classes[id(clause)] = list(range(len(occurrences), len(occurrences) + len(parts)))
            occurrences.extend(map(Occurrence, parts))
        positions[id(clause)] = list(range(len(occurrences), len(occurrences) + len(clause.predicates)))
        is_singular = number_by_subject.get(clause.subject) == "singular"
        occurrences.extend(_clause_occurrences(clause, syllogistic, is_singular))
    names = name_occurrences(occurrences, len(nodes) > 2)
    individuals = _name_individuals(flat, number_by_subject) if syllogistic else {}
    if rule:
        individuals[rule.subject] = VARIABLE
    restricted: dict[int, int] = {}
    doubtful = _doubtful_people(flat, classes)
    if syllogistic:
        restricted, doubtful = _find_restrictions(flat, names, positions, classes)
    return Contents(nodes, names, positions, classes, individuals, restricted, doubtful)


def _clause_occurrences(clause: ClauseNode, syllogistic: bool, is_singular: bool) -> Iterator[Occurrence]:
    subject, quantified = clause.subject, bool(clause.quantifier)
    is_singular = is_singular or subject in _SPEAKERS
    plural = quantified or (bool(subject) and not is_singular and number_of(subject) == "plural")
    # The present tense of a universal rule is generic.
    tense = "" if quantified and clause.tense == "present" else clause.tense
    foreign = foreign_possessives(subject)
    for alternatives in clause.predicates:
        if quantified or syllogistic:
            yield Occurrence(
                tuple(ClauseWords((), predicate(phrase, foreign), plural) for phrase in alternatives), tense
            )
            continue
        generic = not subject or (len(subject) == 1 and subject[0] in GENERIC_SUBJECTS)
        subjects = ((),) if generic else (canonical_words(subject), *map(canonical_words, clause.antecedents))
        propositions = (_proposition(name, phrase, plural) for name in subjects for phrase in alternatives)
        yield Occurrence(tuple(propositions), tense or INFINITIVE)


def _proposition(subject: Words, phrase: Words, plural: bool) -> ClauseWords:
    foreign = foreign_possessives(subject)
    if not subject:
        return ClauseWords((), canonical_words(phrase, foreign), plural)
    copular = phrase[0] == "be" and len(phrase) > 1 and phrase[1] != "able"
    # The word "it" keeps the normal form from treating the phrase as the beginning of a text.
    words = canonical_words(("it", *phrase), foreign)[1:]
    return ClauseWords(subject, words[1:] if copular else words, plural, copular)


def _name_individuals(flat: list[ClauseNode], number_by_subject: dict[Words, str]) -> dict[Words, str]:
    """Map noun phrases to names of individuals; the first name of an individual is used for all."""
    name_by_subject: dict[Words, str] = {}
    for clause in flat:
        if not clause.quantifier and clause.subject and clause.subject not in name_by_subject:
            name = term(clause.subject, number_by_subject.get(clause.subject) != "singular")
            name_by_subject[clause.subject] = next(
                (existing for existing in name_by_subject.values() if same_individual(existing, name)), name
            )
    return name_by_subject


def _doubtful_people(flat: list[ClauseNode], classes: dict[int, list[int]]) -> frozenset[int]:
    """Return the positions of "everyone" in an item with another class, which need not be persons."""
    quantified = [clause for clause in flat if clause.quantifier]
    people_ids = {
        id(clause)
        for clause in quantified
        if len(clause.subject) == 1 and clause.subject[0] in UNIVERSAL_PEOPLE | _SOMEBODY
    }
    if len(people_ids) == len(quantified):
        return frozenset()
    return frozenset(classes[clause_id][0] for clause_id in people_ids)


def _find_restrictions(
    flat: list[ClauseNode], names: ClauseNames, positions: dict[int, list[int]], classes: dict[int, list[int]]
) -> tuple[dict[int, int], frozenset[int]]:
    restricted: dict[int, int] = {}
    doubtful: set[int] = set()
    for clause in flat:
        if not clause.quantifier:
            continue
        index, group = classes[id(clause)][0], class_of(clause.subject)
        if len(classes[id(clause)]) > 1:
            continue
        if clause.subject[0] in UNIVERSAL_PEOPLE and len(clause.subject) == 1:
            if names.shared.count(names.shared[index]) == 1:
                doubtful.add(index)
        elif not group.generic and group.restriction and names.shared.count(names.shared[index]) == 1:
            restricting = _find_restricting_clause(group, clause, flat)
            if restricting is not None:
                restricted[index] = positions[id(restricting)][0]
                if group.noun != class_of(restricting.subject).noun:
                    doubtful.add(index)
    return restricted, frozenset(doubtful)


def _find_restricting_clause(
    group: NounClass, clause: ClauseNode, flat: list[ClauseNode]
) -> ClauseNode | None:
    restriction_words = ClauseWords((), group.restriction, plural=True)
    for candidate in flat:
        if (
            candidate is not clause
            and not candidate.quantifier
            and compare(restriction_words, ClauseWords((), predicate(candidate.predicate)))
        ):
            return candidate
    return None
