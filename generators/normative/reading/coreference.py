"""What pronouns stand for: subject or object of the condition, the individual of the minor premise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from polbias.generators.normative.reading.classes import class_of
from polbias.generators.normative.reading.lemmas import is_plural
from polbias.generators.normative.reading.lexicon import (
    DEMONSTRATIVES,
    EXPLETIVE,
    FEMALE,
    INDEFINITE_PEOPLE,
    MALE,
    PERSONS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    THIRD_PERSON,
)
from polbias.generators.normative.reading.nodes import (
    Alternatives,
    Clause,
    Conditional,
    Node,
    change,
    clauses,
)
from polbias.generators.normative.reading.pronouns import (
    OWNING,
    agrees,
    antecedents,
    definite,
    noun_phrase,
    noun_phrases,
    of_subject,
    pronoun_at,
)
from polbias.generators.normative.reading.quantifiers import object_of
from polbias.generators.normative.reading.text import Words
from polbias.generators.normative.reading.verbs import number_of

_THIRD_POSSESSIVES = frozenset(("its", "their", "his", "her"))
_INDEFINITE = frozenset(("a", "an", "some", "any"))


@dataclass
class Discourse:
    """What the sentences of an item have spoken of so far.

    Attributes:
        topic: the subject of the condition, or of the first clause about an individual.
        object: the last noun phrase of the clause about the topic.
        others: its other noun phrases.
        owned: whether the clause says that somebody has the object.
        clashes: whether a pronoun had no antecedent, or one that it cannot stand for.
        pointing: pronouns that began the item as subjects, so that they point to something outside of it.
    """

    topic: Words = ()
    object: Words = ()
    others: tuple[Words, ...] = ()
    owned: bool = False
    clashes: bool = False
    pointing: set[str] = field(default_factory=set)

    def resolve(self, node: Node) -> Node:
        """Replace the pronouns of a sentence, and take note of what it speaks of.

        Args:
            node: the sentence.

        Returns:
            The sentence with noun phrases for pronouns; a pronoun without antecedent stays.
        """
        if isinstance(node, Conditional):
            antecedent = change(node.antecedent, self._change)
            first = next(clauses(antecedent))
            if not self.topic:
                self._note(first)
            return Conditional(antecedent, change(change(node.consequent, self._mention), self._change))
        first = next(clauses(node))
        if first.quantifier and not self.object:
            self._take(class_of(first.subject).restriction, inner=True)
        node = change(node, self._change)
        if not self.topic and not first.quantifier:
            self._note(next(clauses(node)))
        return node

    def _mention(self, clause: Clause) -> Clause:
        """Return a clause about "the student" of the condition as one about "a student"."""
        later = bool(self.topic) and self.topic[0] in ("a", "an") and clause.subject == definite(self.topic)
        return _with_subject(clause, self.topic) if later else clause

    def _note(self, first: Clause) -> None:
        subject = first.subject
        if subject and subject[0] not in SUBJECT_PRONOUNS and subject[0] != "there":
            self.topic = subject
        if len(first.predicates) == 1:
            self._take(first.predicate)

    def _take(self, phrase: Words, inner: bool = False) -> None:
        """Take note of the noun phrases after a verb; ``inner`` says that it stands in a restriction."""
        if inner and (len(phrase) < 2 or phrase[1] in PREPOSITIONS):
            self.object = ()
            return
        self.object = noun_phrase(object_of(phrase))
        self.others = tuple(found for found in noun_phrases(phrase) if found != self.object)
        self.owned = phrase[0] in OWNING

    def _change(self, clause: Clause) -> Clause:
        clause = self._subject(clause)
        subject = clause.subject
        predicates = tuple(
            tuple(dict.fromkeys(own for phrase in alternatives for own in of_subject(phrase, clause)))
            for alternatives in clause.predicates
        )
        if self.topic or self.object or self.others:
            predicates = tuple(
                self._phrases(alternatives, subject, bool(clause.quantifier)) for alternatives in predicates
            )
        if predicates == clause.predicates:
            return clause
        return replace(clause, predicates=predicates, splits=())

    def _subject(self, clause: Clause) -> Clause:
        subject = clause.subject
        if len(subject) == 1 and subject[0] in THIRD_PERSON:
            pronoun = subject[0]
            if (pronoun == "it" and _expletive(clause.predicate)) or pronoun in self.pointing:
                return clause
            found = self.topic
            if not found or (pronoun == "it" and found[0] in INDEFINITE_PEOPLE):
                found = self._object_for(pronoun)
            if not found:
                self.clashes = True
                self.pointing.add(pronoun)
                return clause
            if _clash(pronoun, found):
                self.clashes = True
            others = [other for other in (self.object, *self.others) if other and other != found]
            if pronoun in ("it", "they"):
                others = [other for other in others if is_plural(other[-1]) == (pronoun == "they")]
            able = [definite(other) for other in others if agrees(pronoun, other)]
            if self.owned and self.object in others:
                able.append((*_possessor(found), *_noun(self.object)))
            return replace(_with_subject(clause, found), antecedents=tuple(able))
        if subject and subject[0] in _THIRD_POSSESSIVES and self.topic and len(subject) > 1:
            return _with_subject(clause, (*_possessor(self.topic), *subject[1:]))
        return clause

    def _object_for(self, pronoun: str) -> Words:
        """Return the object of what came before if a subject pronoun can stand for it."""
        if not self.object or pronoun not in ("it", "they"):
            return ()
        plural = number_of(self.object) == "plural"
        return self.object if plural == (pronoun == "they") else ()

    def _phrases(self, alternatives: Alternatives, subject: Words, plural: bool) -> Alternatives:
        out: dict[Words, None] = {}
        for phrase in alternatives:
            for found in self._phrase(phrase, subject, plural):
                out[found] = None
        return tuple(out)

    def _phrase(self, phrase: Words, subject: Words, plural: bool) -> list[Words]:
        own = bool(subject and self.topic) and _noun(subject) == _noun(self.topic)
        other = self.object if own or not self.topic else self.topic
        at, sure = pronoun_at(phrase)
        if at:
            known = (other, self.object, *self.others, self.topic)
            found = antecedents(phrase, at, known, self.owned and other == self.object)
            return [*found, phrase] if sure else [phrase, *found]
        at = next((i for i, word in enumerate(phrase) if i and word == "one"), 0)
        if (
            at
            and self.object
            and (at == 1 or phrase[at - 1] in PREPOSITIONS)
            and self.object[0] in _INDEFINITE
        ):
            return [phrase[:at] + self.object + phrase[at + 1 :], phrase]
        at = next((i for i, word in enumerate(phrase) if i and word in ("its", "their")), 0)
        if not at and not own and self.topic and subject:
            at = next((i for i, word in enumerate(phrase) if i and word in ("his", "her")), 0)
        if not at or not other or at + 1 >= len(phrase):
            return [phrase]
        resolved = phrase[:at] + _possessor(definite(other)) + phrase[at + 1 :]
        foreign = phrase[at] == "its" and (plural or (bool(subject) and number_of(subject) == "plural"))
        if foreign or (
            not own and self.topic and phrase[at] == "its" and subject and subject[0] not in SUBJECT_PRONOUNS
        ):
            return [resolved, phrase]
        return [phrase, resolved]


def _noun(noun_phrase: Words) -> Words:
    """Return a noun phrase without the determiner that changes on a later mention."""
    return noun_phrase[1:] if noun_phrase[0] in _INDEFINITE | DEMONSTRATIVES else noun_phrase


def _possessor(noun_phrase: Words) -> Words:
    noun_phrase = definite(noun_phrase)
    if noun_phrase[-1].endswith(("'s", "s'")):
        return noun_phrase
    return (*noun_phrase[:-1], noun_phrase[-1] + ("'" if noun_phrase[-1].endswith("s") else "'s"))


def _with_subject(clause: Clause, subject: Words) -> Clause:
    splits = tuple(
        replace(split, subject=subject) for split in clause.splits if split.subject == clause.subject
    )
    return replace(clause, subject=subject, splits=splits)


def _expletive(phrase: Words) -> bool:
    return phrase[0] in EXPLETIVE or (phrase[0] == "be" and any(word in EXPLETIVE for word in phrase[1:3]))


def _clash(pronoun: str, noun_phrase: Words) -> bool:
    """Whether a pronoun certainly cannot stand for a noun phrase."""
    head = (
        noun_phrase[-1]
        if not set(noun_phrase) & PREPOSITIONS
        else noun_phrase[1 if len(noun_phrase) > 1 else 0]
    )
    title = noun_phrase[0].rstrip(".")
    if pronoun == "he":
        return head in FEMALE or title in FEMALE
    if pronoun == "she":
        return head in MALE or title in MALE
    return pronoun == "it" and (head in PERSONS or title in ("mr", "mrs", "ms"))
