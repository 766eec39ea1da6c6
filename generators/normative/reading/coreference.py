"""Coreference: pronouns, names, anaphora."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    BE,
    CLOSED,
    DEMONSTRATIVES,
    DETERMINERS,
    EXPLETIVE,
    FEMALE,
    INDEFINITE_PEOPLE,
    MALE,
    PERSONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    THIRD_PERSON,
    Words,
    first_index,
    gerund_bases,
    is_plural,
    possessive,
    third_bases,
    word_set,
)
from polbias.generators.normative.reading.nodes import (
    Alternatives,
    ClauseNode,
    Conditional,
    Node,
    clauses,
    map_clauses,
)
from polbias.generators.normative.reading.quantifiers import class_of, object_of
from polbias.generators.normative.reading.verbs import ClauseWords, compare, number_of

# Object pronouns: antecedents, and reference to the subject.

# Verbs of possession: their object "a dog" is "your dog" in later mentions.
OWNING = word_set("owning")
_PRONOUNS = word_set("third_objects")
# After these words a pronoun can refer to the subject: "carry it with them".
_LOCAL = word_set("local")
_CONJUNCTIONS = word_set("conjunctions")
_SPEAKERS = {"you": ("you",), "me": ("i",), "us": ("we",)}
_AFTER = PREPOSITIONS | ADVERBS | (DETERMINERS - {"one's"})


def pronoun_at(phrase: Words) -> tuple[int, bool]:
    """Return the index of the first third-person object pronoun, or 0, and whether it is sure to be one."""
    for index in range(1, len(phrase)):
        if _is_pronoun(phrase, index):
            return index, phrase[index + 1 : index + 2] != ("to",)
    return first_index(phrase, ("her",)), False


def _is_pronoun(phrase: Words, index: int) -> bool:
    """Whether a word is an object pronoun; "her" before a noun is not."""
    word = phrase[index]
    return word in _PRONOUNS and (word != "her" or index + 1 == len(phrase) or phrase[index + 1] in _AFTER)


def resolve_to_subject(phrase: Words, clause: ClauseNode) -> Iterator[Words]:
    """Yield a verb phrase, and its variants with "oneself" for a pronoun that refers to the subject."""
    yield phrase
    for index in range(2, len(phrase)) if clause.subject else ():
        word = phrase[index]
        local = phrase[index - 1] in _LOCAL or bool(RELATIVES & set(phrase[1 : index - 1]))
        if local and (word in _SPEAKERS or _is_pronoun(phrase, index)):
            if _can_be_subject(_SPEAKERS.get(word, ()), word == "them", clause):
                yield (*phrase[:index], "oneself", *phrase[index + 1 :])
        elif phrase[index - 1] in _CONJUNCTIONS and word in SUBJECT_PRONOUNS and index + 1 < len(phrase):
            speaker = (word,) if word in ("you", "i", "we") else ()
            if _can_be_subject(speaker, word == "they", clause):
                yield (*phrase[:index], "oneself", _base(phrase[index + 1]), *phrase[index + 2 :])
        elif phrase[index - 1] in _CONJUNCTIONS and gerund_bases(word):
            yield (*phrase[:index], "oneself", gerund_bases(word)[0], *phrase[index + 1 :])


def _can_be_subject(speaker: Words, is_plural_pronoun: bool, clause: ClauseNode) -> bool:
    """Whether a pronoun can refer to the subject of its clause."""
    subject = clause.subject
    if speaker or subject[0] in ("you", "i", "we"):
        return subject == speaker
    return is_plural_pronoun or not (clause.quantifier and is_plural(subject[-1]))


def _base(form: str) -> str:
    return "be" if form in BE else third_bases(form)[0] if third_bases(form) else form


def resolve_pronoun(
    phrase: Words, position: int, candidates: Sequence[Words], owned: bool
) -> Iterator[Words]:
    """Yield the verb phrase with its pronoun replaced by each antecedent that agrees with it.

    If `owned`, the first candidate can also become "one's ...".
    """
    agreeing = [
        phrase_words
        for phrase_words in dict.fromkeys(candidates)
        if phrase_words and is_agreeing(phrase[position], phrase_words)
    ]
    if phrase[position] in ("it", "them"):
        agreeing.sort(key=lambda phrase_words: is_plural(phrase_words[-1]) != (phrase[position] == "them"))
    possession = candidates[0] if owned else ()
    for antecedent in agreeing:
        noun = antecedent[1:] if antecedent[0] in _INDEFINITE else antecedent
        yield phrase[:position] + definite(antecedent) + phrase[position + 1 :]
        if noun == antecedent and antecedent[0] not in DETERMINERS:
            yield (*phrase[:position], "the", *antecedent, *phrase[position + 1 :])
        if antecedent == possession and (noun != antecedent or antecedent[0] not in DETERMINERS):
            yield (*phrase[:position], "one's", *noun, *phrase[position + 1 :])
        if noun != antecedent:
            yield phrase[:position] + antecedent + phrase[position + 1 :]


def is_agreeing(pronoun: str, noun_phrase: Words) -> bool:
    """Whether a pronoun agrees with a noun phrase."""
    head = noun_phrase[next((i for i, w in enumerate(noun_phrase) if w == "of"), len(noun_phrase)) - 1]
    if pronoun == "it":
        return head not in PERSONS
    return head not in {"him": FEMALE, "he": FEMALE, "her": MALE, "she": MALE}.get(pronoun, ())


def noun_phrases(phrase: Words) -> Iterator[Words]:
    """Yield the noun phrases after the verb of a verb phrase, from left to right."""
    start = 1
    for index in range(1, len(phrase) + 1):
        if index == len(phrase) or (phrase[index] in PREPOSITIONS and phrase[index] != "of"):
            words = phrase[start:index]
            start = index + 1
            is_bare = bool(words) and words[0] not in CLOSED and not words[-1].endswith("ly")
            if is_bare or noun_phrase(words):
                yield words


def noun_phrase(words: Words) -> Words:
    """Return the noun phrase at the beginning of words, up to a preposition; empty without one."""
    leading_words = words[: first_index(words, PREPOSITIONS - {"of"}) or len(words)]
    if leading_words and (
        (leading_words[0] in DETERMINERS - THIRD_PERSON and len(leading_words) > 1)
        or is_plural(leading_words[-1])
    ):
        return leading_words if len(leading_words) < 7 else ()
    return ()


def definite(noun_phrase: Words) -> Words:
    """Return the definite form of an indefinite noun phrase, for a later mention."""
    return ("the", *noun_phrase[1:]) if noun_phrase[0] in _INDEFINITE else noun_phrase


# Antecedents: subject or object of the condition, the individual of the minor premise.

_THIRD_POSSESSIVES = word_set("third_possessives")
_INDEFINITE = word_set("indefinite")


@dataclass
class Discourse:
    """Discourse state: noun phrases of the sentences so far, to resolve pronouns.

    Attributes:
        topic: subject of the condition, or of the first clause about an individual.
        object: last noun phrase of the clause about the topic.
        other_phrases: other noun phrases of this clause.
        owned: whether the verb of this clause is one of possession.
        clashes: whether a pronoun had no antecedent, or one that does not agree with it.
        pointing: subject pronouns without antecedent, which refer outside the item.
    """

    topic: Words = ()
    object: Words = ()
    other_phrases: tuple[Words, ...] = ()
    owned: bool = False
    clashes: bool = False
    pointing: set[str] = field(default_factory=set)

    def resolve(self, node: Node) -> Node:
        """Return a sentence with its pronouns resolved, and record its noun phrases."""
        if isinstance(node, Conditional):
            antecedent = map_clauses(node.antecedent, self._resolve_clause)
            first = next(clauses(antecedent))
            if not self.topic:
                self._record_topic(first)
            return Conditional(
                antecedent,
                map_clauses(map_clauses(node.consequent, self._restore_indefinite), self._resolve_clause),
            )
        first = next(clauses(node))
        if first.quantifier and not self.object:
            self._record_objects(class_of(first.subject).restriction, inner=True)
        node = map_clauses(node, self._resolve_clause)
        if not self.topic and not first.quantifier:
            self._record_topic(next(clauses(node)))
        return node

    def _restore_indefinite(self, clause: ClauseNode) -> ClauseNode:
        """Return a clause with the subject "a student" for "the student" of the condition."""
        is_later_mention = (
            bool(self.topic) and self.topic[0] in ("a", "an") and clause.subject == definite(self.topic)
        )
        return _with_subject(clause, self.topic) if is_later_mention else clause

    def _record_topic(self, first: ClauseNode) -> None:
        subject = first.subject
        if subject and subject[0] not in SUBJECT_PRONOUNS and subject[0] != "there":
            self.topic = subject
        if len(first.predicates) == 1:
            self._record_objects(first.predicate)

    def _record_objects(self, phrase: Words, inner: bool = False) -> None:
        """Record the noun phrases after a verb; ``inner``: the verb is in a restriction."""
        if inner and (len(phrase) < 2 or phrase[1] in PREPOSITIONS):
            self.object = ()
            return
        self.object = noun_phrase(object_of(phrase))
        self.other_phrases = tuple(words for words in noun_phrases(phrase) if words != self.object)
        self.owned = phrase[0] in OWNING

    def _resolve_clause(self, clause: ClauseNode) -> ClauseNode:
        clause = self._resolve_subject(clause)
        subject = clause.subject
        predicates = tuple(
            tuple(
                dict.fromkeys(
                    resolved for phrase in alternatives for resolved in resolve_to_subject(phrase, clause)
                )
            )
            for alternatives in clause.predicates
        )
        if self.topic or self.object or self.other_phrases:
            predicates = tuple(
                self._resolve_phrases(alternatives, subject, bool(clause.quantifier))
                for alternatives in predicates
            )
        if predicates == clause.predicates:
            return clause
        return replace(clause, predicates=predicates, splits=())

    def _resolve_subject(self, clause: ClauseNode) -> ClauseNode:
        subject = clause.subject
        if len(subject) == 1 and subject[0] in THIRD_PERSON:
            pronoun = subject[0]
            if (pronoun == "it" and _is_expletive(clause.predicate)) or pronoun in self.pointing:
                return clause
            antecedent = self.topic
            if not antecedent or (pronoun == "it" and antecedent[0] in INDEFINITE_PEOPLE):
                antecedent = self._object_antecedent(pronoun)
            if not antecedent:
                self.clashes = True
                self.pointing.add(pronoun)
                return clause
            if _is_clash(pronoun, antecedent):
                self.clashes = True
            candidates = [
                candidate
                for candidate in (self.object, *self.other_phrases)
                if candidate and candidate != antecedent
            ]
            if pronoun in ("it", "they"):
                candidates = [
                    candidate for candidate in candidates if is_plural(candidate[-1]) == (pronoun == "they")
                ]
            agreeing = [definite(candidate) for candidate in candidates if is_agreeing(pronoun, candidate)]
            if self.owned and self.object in candidates:
                agreeing.append((*_possessor(antecedent), *_noun(self.object)))
            return replace(_with_subject(clause, antecedent), antecedents=tuple(agreeing))
        if subject and subject[0] in _THIRD_POSSESSIVES and self.topic and len(subject) > 1:
            return _with_subject(clause, (*_possessor(self.topic), *subject[1:]))
        return clause

    def _object_antecedent(self, pronoun: str) -> Words:
        """Return the recorded object if it agrees with a subject pronoun, else ()."""
        if not self.object or pronoun not in ("it", "they"):
            return ()
        plural = number_of(self.object) == "plural"
        return self.object if plural == (pronoun == "they") else ()

    def _resolve_phrases(self, alternatives: Alternatives, subject: Words, plural: bool) -> Alternatives:
        resolved_phrases = (
            resolved for phrase in alternatives for resolved in self._resolve_phrase(phrase, subject, plural)
        )
        return tuple(dict.fromkeys(resolved_phrases))

    def _resolve_phrase(self, phrase: Words, subject: Words, plural: bool) -> list[Words]:
        is_topic = bool(subject and self.topic) and _noun(subject) == _noun(self.topic)
        referent = self.object if is_topic or not self.topic else self.topic
        index, sure = pronoun_at(phrase)
        if index:
            candidates = (referent, self.object, *self.other_phrases, self.topic)
            resolved_phrases = resolve_pronoun(
                phrase, index, candidates, self.owned and referent == self.object
            )
            return [*resolved_phrases, phrase] if sure else [phrase, *resolved_phrases]
        index = first_index(phrase, ("one",))
        if (
            index
            and self.object
            and (index == 1 or phrase[index - 1] in PREPOSITIONS)
            and self.object[0] in _INDEFINITE
        ):
            return [phrase[:index] + self.object + phrase[index + 1 :], phrase]
        index = first_index(phrase, ("its", "their"))
        if not index and not is_topic and self.topic and subject:
            index = first_index(phrase, ("his", "her"))
        if not index or not referent or index + 1 >= len(phrase):
            return [phrase]
        resolved = phrase[:index] + _possessor(definite(referent)) + phrase[index + 1 :]
        foreign = phrase[index] == "its" and (plural or (bool(subject) and number_of(subject) == "plural"))
        if foreign or (
            not is_topic
            and self.topic
            and phrase[index] == "its"
            and subject
            and subject[0] not in SUBJECT_PRONOUNS
        ):
            return [resolved, phrase]
        return [phrase, resolved]


def _noun(noun_phrase: Words) -> Words:
    """Return a noun phrase without its article or demonstrative."""
    return noun_phrase[1:] if noun_phrase[0] in _INDEFINITE | DEMONSTRATIVES else noun_phrase


def _possessor(noun_phrase: Words) -> Words:
    noun_phrase = definite(noun_phrase)
    if noun_phrase[-1].endswith(("'s", "s'")):
        return noun_phrase
    return (*noun_phrase[:-1], possessive(noun_phrase[-1]))


def _with_subject(clause: ClauseNode, subject: Words) -> ClauseNode:
    splits = tuple(
        split._replace(subject=subject) for split in clause.splits if split.subject == clause.subject
    )
    return replace(clause, subject=subject, splits=splits)


def _is_expletive(phrase: Words) -> bool:
    return phrase[0] in EXPLETIVE or (phrase[0] == "be" and any(word in EXPLETIVE for word in phrase[1:3]))


def _is_clash(pronoun: str, noun_phrase: Words) -> bool:
    """Whether a pronoun certainly cannot refer to a noun phrase."""
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


# Names for the atoms of an item: clauses with the same meaning share a name.

INFINITIVE = "infinitive"
_MARKED = ("past", "future", "progressive")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Occurrence of a clause or class in an item.

    Attributes:
        alternatives: possible interpretations of the words, the likeliest first.
        tense: see `ClauseNode.tense`.
    """

    alternatives: tuple[ClauseWords, ...]
    tense: str = ""


@dataclass
class ClauseNames:
    """Names of the occurrences of an item, with their ambiguities.

    Attributes:
        shared: name of each occurrence, by position; paraphrases share it.
        separate: name by position, for an occurrence that only paraphrases an earlier one.
        tenses: tense of each occurrence.
        is_merge_likely: whether a paraphrase most likely has the same meaning as the earlier occurrence.
    """

    shared: list[str] = field(default_factory=list)
    separate: dict[int, str] = field(default_factory=dict)
    tenses: list[str] = field(default_factory=list)
    is_merge_likely: bool = False

    def name(self, index: int, merge_paraphrases: bool, mark_tense: bool) -> str:
        """Return the name of an occurrence.

        `merge_paraphrases`: paraphrases share a name. `mark_tense`: the name has its tense if tenses differ.
        """
        occurrence_name = (
            self.shared[index] if merge_paraphrases else self.separate.get(index, self.shared[index])
        )
        mark = self.tenses[index]
        return (
            f"{occurrence_name} [{mark}]"
            if mark_tense and mark in _MARKED and self._has_tense_contrast(occurrence_name)
            else occurrence_name
        )

    def _has_tense_contrast(self, name: str) -> bool:
        return _tenses_differ(
            self.tenses[index]
            for index, occurrence_name in enumerate(self.shared)
            if name in (occurrence_name, self.separate.get(index))
        )

    @property
    def tense_matters(self) -> bool:
        """Whether clauses with the same name differ in tense."""
        by_name: dict[str, set[str]] = {}
        for name, tense in zip(self.shared, self.tenses, strict=True):
            by_name.setdefault(name, set()).add(tense)
        return any(map(_tenses_differ, by_name.values()))


def _tenses_differ(tenses: Iterable[str]) -> bool:
    """Whether tenses differ; an infinitive ("must win") differs only from the past."""
    distinct = set(tenses)
    return len(distinct - {"", INFINITIVE}) > 1 or distinct >= {INFINITIVE, "past"}


def name_occurrences(occurrences: Sequence[Occurrence], anaphoric: bool = True) -> ClauseNames:
    """Return names of all occurrences; `anaphoric`: "the boat" can be "a boat" of an earlier sentence."""
    settled = list(occurrences)
    for index, occurrence in enumerate(occurrences):
        if len(occurrence.alternatives) > 1:
            settled[index] = Occurrence((_select_alternative(index, settled),), occurrence.tense)
    selected = [occurrence.alternatives[0] for occurrence in settled]
    names = ClauseNames()
    named_clauses: list[tuple[ClauseWords, str, str]] = []
    for index, clause in enumerate(selected):
        tense = occurrences[index].tense
        name, separate_name = "", ""
        for earlier_clause, earlier_name, earlier_separate_name in named_clauses:
            verdict = compare(earlier_clause, clause)
            if verdict == "same" and not anaphoric and _is_definite_mention(earlier_clause, clause):
                verdict = "ability"
            if verdict in ("same", "progressive"):
                name, separate_name = earlier_name, earlier_separate_name
                tense = "progressive" if verdict == "progressive" and tense == "present" else tense
                break
            if verdict in ("paraphrase", "ability") and not name:
                name, separate_name = earlier_name, " ".join(clause.words)
                names.is_merge_likely |= verdict == "paraphrase"
        if not name:
            name = " ".join(clause.words)
        named_clauses.append((clause, name, separate_name))
        names.shared.append(name)
        names.tenses.append(tense)
        if separate_name:
            names.separate[index] = separate_name
    _prefer_singular(names, selected)
    return names


def _is_definite_mention(earlier_clause: ClauseWords, later_clause: ClauseWords) -> bool:
    """Whether the later clause has "the boat" or "this boat" for "a boat" of the earlier one."""
    return bool(
        _INDEFINITE & set(earlier_clause.words)
        and (DEMONSTRATIVES & set(later_clause.words)) - set(earlier_clause.words)
    )


def _select_alternative(index: int, occurrences: Sequence[Occurrence]) -> ClauseWords:
    candidates = occurrences[index].alternatives
    if len(candidates) == 1:
        return candidates[0]
    other_clauses = [
        (i, other_clause)
        for i, occurrence in enumerate(occurrences)
        if i != index
        for other_clause in occurrence.alternatives
    ]
    words = {other_clause.words for _, other_clause in other_clauses}
    for candidate in candidates:
        if candidate.words in words:
            return candidate
    for accepted in (("same", "progressive"), ("same", "progressive", "paraphrase", "ability")):
        for candidate in candidates:
            pairs = (
                (candidate, other_clause) if i > index else (other_clause, candidate)
                for i, other_clause in other_clauses
            )
            if any(compare(*pair) in accepted for pair in pairs):
                return candidate
    return candidates[0]


def _without_determiners(clause: ClauseWords) -> list[str]:
    return [word for word in clause.words if word not in DETERMINERS]


def _prefer_singular(names: ClauseNames, selected: Sequence[ClauseWords]) -> None:
    """Replace the names of plural clauses by the singular wording of the same predicate."""
    singular_names: dict[str, str] = {}
    for index, clause in enumerate(selected):
        text = " ".join(clause.words)
        if (
            not clause.plural
            and names.shared[index] != text
            and index not in names.separate
            and names.shared[index] not in singular_names
        ):
            first = names.shared.index(names.shared[index])
            if selected[first].plural and _without_determiners(selected[first]) != _without_determiners(
                clause
            ):
                singular_names[names.shared[index]] = text
    if singular_names:
        names.shared = [singular_names.get(name, name) for name in names.shared]
