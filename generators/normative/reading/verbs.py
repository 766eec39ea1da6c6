"""Verbs: where they stand in a clause; and whether two clauses say the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

from polbias.generators.normative.reading.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CLOSED,
    DEMONSTRATIVES,
    DETERMINERS,
    GENERIC_NOUNS,
    MODAL_ADVERBS,
    OBLIQUE,
    PARTICLES,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_PRONOUNS,
    UNIVERSAL_PEOPLE,
    Words,
    first_index,
    gerund_bases,
    is_participle,
    is_past,
    is_plural,
    is_unchanging,
    is_verb,
    last_index,
    past_bases,
    possessive,
    same_noun,
    same_verb,
    singular,
    third_bases,
    word_set,
)
from polbias.generators.normative.reading.nodes import Split, canonical_words

# Where the finite verb of a clause stands.

_SINGULAR = word_set("singular_subjects") | {"someone", "somebody"} | UNIVERSAL_PEOPLE
_PLURAL = word_set("plural_subjects")
_NOUN_BEFORE = DETERMINERS - word_set("without_noun")
_BEFORE_NOUNS = (DETERMINERS - {"her"}) | PREPOSITIONS | {","}
# The score from which on a verb agrees with its subject and is known as a verb.
_STRONG = 3.8
_OBLIQUE = frozenset(OBLIQUE) | {"her"}
_AFTER_NOUN = PREPOSITIONS | RELATIVES | AUXILIARIES
_CHAIN = frozenset(("not", "have", "be", "been", "being")) | ADVERBS


def auxiliary_at(words: Words) -> int:
    """The first auxiliary, modal adverb or bare "not" of the clause that is not of its subject."""
    fallback, index = -1, 0
    while index < len(words):
        word = words[index]
        if index > 1 and word in ("who", "which", "whose") and words[index - 1] == ",":
            index = _after_aside(words, index)
            continue
        if index and (word in RELATIVES) and words[index - 1] not in PREPOSITIONS | {","}:
            index = max(_after_relative(words, index), index + 1)
            continue
        if (
            index
            and word in AUXILIARIES
            and words[index - 1] != "to"
            and words[index - 1] not in _NOUN_BEFORE
        ):
            return index if fallback < 0 or words[fallback] == "not" else fallback
        if index and fallback < 0 and (word in MODAL_ADVERBS or (word == "not" and words[index - 1] != "to")):
            fallback = index
        if (
            index
            and word in ("needs", "need", "needed")
            and words[index + 1 : index + 2] in (("to",), ("not",))
        ):
            return index
        index += 1
    return fallback


def _after_aside(words: Words, at: int) -> int:
    """Return where a relative clause between commas ends; ``at`` is the relative pronoun."""
    return words.index(",", at) + 1 if "," in words[at:] else at + 1


def _after_relative(words: Words, at: int) -> int:
    """Return where the verb of a relative clause ends; ``at`` is the relative pronoun."""
    index = at + 1
    if index < len(words) and words[index] in SUBJECT_PRONOUNS:
        index += 1
    elif index < len(words) and words[index] in DETERMINERS:
        auxiliaries = [i for i in range(index, len(words)) if words[i] in AUXILIARIES]
        return auxiliaries[0] + 1 if len(auxiliaries) > 1 else index
    while index < len(words) and (words[index] in ADVERBS or words[index].endswith("ly")):
        index += 1
    if index < len(words) and words[index] in AUXILIARIES:
        index += 1
        while index < len(words) and words[index] in _CHAIN:
            index += 1
        return index
    return index + 1


def subject_predicate_splits(words: Words) -> tuple[Split, ...]:
    """Divide a clause without auxiliary into subject and predicate."""
    scored: list[tuple[float, int, Split]] = []
    index = 1
    while index < len(words):
        if index > 1 and words[index] in ("who", "which", "whose") and words[index - 1] == ",":
            index = _after_aside(words, index)
            continue
        if words[index] in RELATIVES and words[index - 1] not in PREPOSITIONS | {","}:
            index = _after_relative(words, index)
            continue
        scored.extend(_at(words, index))
        index += 1
    first = min((at for score, at, _ in scored if score >= _STRONG), default=len(words))
    # "vaccines prevent diseases": after a verb that agrees with its subject comes no other one.
    scored = [(score - (at > first), at, split) for score, at, split in scored]
    scored.sort(key=lambda found: (-found[0], found[1]))
    return tuple(found[2] for found in scored)


def _adverb(word: str) -> bool:
    return word in ADVERBS or word.endswith("ly")


def _at(words: Words, at: int) -> list[tuple[float, int, Split]]:
    """Score the divisions before one word."""
    form = words[at]
    if form in CLOSED or form in ",;:" or form[0].isdigit() or words[at - 1] in _BEFORE_NOUNS:
        return []
    # "Mr. Jones", "J. Banks"
    if words[at - 1].endswith("."):
        return []
    if words[0] in SUBJECT_PRONOUNS and not all(map(_adverb, words[1:at])):
        return []
    # "her boss let her leave"
    if words[at - 1] in _OBLIQUE and not RELATIVES & set(words[:at]):
        return []
    subject, rest = words[:at], words[at + 1 :]
    number, follow = number_of(subject), _follow(rest) - 0.05 * at
    if _plural_within(subject):
        follow -= 2.5
    out: list[tuple[float, int, Split]] = []
    third, past = third_bases(form), past_bases(form)
    agreement = {"singular": 2.0, "plural": -3.0, "": 0.5}[number]
    for order, base in enumerate(third):
        score = 2.0 + is_verb(base) - order + agreement + follow
        # "the Romans spoke Latin", but "the society develops advanced weapons"
        if rest and is_past(rest[0]) and not (rest[0].endswith("ed") and is_verb(base)):
            score -= 3.0
        out.append((score, at, Split(subject, (base, *rest), "present", "singular")))
    # "manuscripts submitted to this journal": a participle after its noun is likelier before a preposition.
    reduced = 2.5 if rest[:1] and rest[0] in PREPOSITIONS else 0.0
    for order, base in enumerate(past):
        out.append((3.5 - order - reduced + follow, at, Split(subject, (base, *rest), "past", "")))
    if not is_past(form) and (is_verb(form) or not (third or form.endswith(("ing", "ly")))):
        agreement = {"singular": -3.0, "plural": 1.5, "": 0.0}[number]
        tense = "" if is_unchanging(form) else "present"
        score = (2.5 if is_verb(form) else 0.5) + agreement + follow
        out.append((score, at, Split(subject, (form, *rest), tense, "plural", unmarked=True)))
    return out


def _plural_within(subject: Words) -> bool:
    """Whether a plural stands before another noun, as in hardly any compound: the verb is between them."""
    start = max(
        (i for i, word in enumerate(subject) if word in _BEFORE_NOUNS or word in RELATIVES), default=-1
    )
    return any(is_plural(word) for word in subject[start + 1 : -1])


def _follow(rest: Words) -> float:
    """Score what comes after a verb: an object, an adverbial or nothing."""
    if not rest:
        return 1.0
    word = rest[0]
    if word in DETERMINERS or "\u00a0" in word or word in ("it", "them", "him", "us", "me"):
        return 3.0
    if word in PREPOSITIONS or _adverb(word) or gerund_bases(word) or word == ",":
        return 1.0
    return 0.0


def number_of(subject: Words) -> str:
    """Return ``"singular"``, ``"plural"``, or ``""`` where a noun phrase shows neither."""
    first = subject[0]
    if first in _SINGULAR:
        return "singular"
    if first in _PLURAL:
        return "plural"
    if "and" in subject:
        return "plural"
    head = subject[head_at(subject)]
    if is_plural(head):
        return "plural"
    return "singular" if first in DETERMINERS and first not in ("some", "any", "no") else ""


def head_at(noun_phrase: Words) -> int:
    """Return where the head of a noun phrase stands: before the first preposition, relative or participle."""
    if noun_phrase[0] in UNIVERSAL_PEOPLE:
        return 0
    end = len(noun_phrase)
    for index in range(1, len(noun_phrase)):
        word = noun_phrase[index]
        if word in _AFTER_NOUN or _participial(noun_phrase, index):
            end = index
            break
    # "manuscripts submitted to this journal": the noun stands before the participle.
    last = end - 1
    while last > 0 and (past_bases(noun_phrase[last]) or gerund_bases(noun_phrase[last])):
        last -= 1
    closed = end < len(noun_phrase) or noun_phrase[end - 1].endswith("ed")
    return last if closed and noun_phrase[last] not in DETERMINERS else end - 1


def _participial(words: Words, at: int) -> bool:
    """Whether a participle stands here after its noun, as in "people living in Rome"."""
    if at + 1 >= len(words) or not gerund_bases(words[at]) or not is_verb(gerund_bases(words[at])[0]):
        return False
    if words[at + 1] in DETERMINERS:
        return words[at - 1] not in DETERMINERS
    return words[at + 1] != "of" and (is_plural(words[at - 1]) or words[at - 1] in GENERIC_NOUNS)


# What one occurrence of a clause says, and the other ways to say it.

NAMING = (("known", "as"), ("called",), ("named",))


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """What one occurrence of a clause says, in canonical words.

    Attributes:
        subject: canonical; empty for a predicate of an individual or an infinitive without subject.
        phrase: the verb phrase or class name, canonical.
        plural: whether it is said of several ("all passengers must show their passes").
        copular: whether the verb phrase began with "be".
    """

    subject: Words
    phrase: Words
    plural: bool = False
    copular: bool = False

    @property
    def words(self) -> Words:
        """Subject and verb phrase."""
        if not self.subject:
            return self.phrase
        return (*self.subject, "be", *self.phrase) if self.copular else (*self.subject, *self.phrase)


@lru_cache(maxsize=1 << 15)
def wordings(saying: ClauseWords) -> tuple[Words, ...]:
    """Return the words of a saying, and those of other ways to say it."""
    words = saying.words
    out = [words]
    for naming in NAMING:
        for at in range(1, len(words) - len(naming)):
            if words[at : at + len(naming)] == naming:
                start = last_index(words[:at], DETERMINERS)
                name = words[at + len(naming) :]
                out.append(words[:start] + name)
                if name[0] == "the":
                    out.append(words[:start] + name[1:])
    if "of" in saying.subject:
        out.append((*_genitive(saying.subject), *words[len(saying.subject) :]))
    elif "of" in words:
        out.append(_genitive(words))
    verb = len(saying.subject)
    if not saying.copular and len(saying.phrase) > 2:
        at = _particle_at(saying.phrase)
        if at:
            phrase = saying.phrase
            out.append((*words[: verb + 1], phrase[at], *phrase[1:at], *phrase[at + 1 :]))
    return tuple(out)


def _particle_at(phrase: Words) -> int:
    """Return where a particle stands after the object of its verb, or 0."""
    for at in range(2, len(phrase)):
        if phrase[at] in PARTICLES and (at + 1 == len(phrase) or phrase[at + 1] in PREPOSITIONS | ADVERBS):
            return at
    return 0


def _genitive(words: Words) -> Words:
    """Return "the country's capital" for "the capital of the country"."""
    of = words.index("of")
    start = max((i for i in range(of) if words[i] in DETERMINERS or words[i] in PREPOSITIONS), default=-1)
    possessor = words[of + 1 :]
    if not possessor or (start >= 0 and words[start] != "the" and words[start] in DETERMINERS):
        return words
    kept = words[:start] if start >= 0 and words[start] in DETERMINERS else words[: start + 1]
    if start < 0 and len(possessor) > 1 and possessor[0] in ("the", "a"):
        possessor = possessor[1:]
    return (*kept, *possessor[:-1], possessive(possessor[-1]), *words[start + 1 : of])


Verdict = Literal["same", "progressive", "paraphrase", "ability", ""]
_OF_SENSE = word_set("determiners_of_sense")
_POLAR = word_set("polar")
_INDEFINITE = word_set("indefinite")


@lru_cache(maxsize=1 << 14)
def compare(earlier: ClauseWords, later: ClauseWords) -> Verdict:
    """Compare two sayings of an item."""
    if earlier.words == later.words:
        return "same"
    if not _akin(earlier, later):
        return ""
    if _same(earlier, later):
        return "same"
    if _same(_simple(earlier), _simple(later)):
        return "progressive"
    if _rearranged(earlier, later):
        return "paraphrase"
    abilities = [saying.phrase[0] == "can" and len(saying.phrase) > 1 for saying in (earlier, later)]
    if any(abilities) and not all(abilities) and _same(_done(earlier), _done(later)):
        return "ability"
    return ""


@lru_cache(maxsize=1 << 15)
def _lemma(word: str) -> str:
    found = singular(word)
    if found == word:
        bases = past_bases(word) or gerund_bases(word) or third_bases(word)
        found = bases[0] if bases else word
    return found


@lru_cache(maxsize=1 << 15)
def _content(words: Words) -> tuple[str, ...]:
    return tuple(sorted(_order(words)))


def _akin(earlier: ClauseWords, later: ClauseWords) -> bool:
    """Whether two sayings share enough words for a closer look."""
    one, other = set(_content(earlier.words)), set(_content(later.words))
    if one == other or one < other or other < one:
        return True
    rest = one ^ other
    return len(rest) <= 4 and any(
        same_noun(a, b) or same_verb(a, b) for a in one - other for b in other - one
    )


def _same(earlier: ClauseWords, later: ClauseWords) -> bool:
    return any(
        _match(one, other, earlier, later) for one, other in product(wordings(earlier), wordings(later))
    )


def _match(one: Words, other: Words, earlier: ClauseWords, later: ClauseWords) -> bool:
    first, second = _determined(one), _determined(other)
    if len(first) != len(second):
        return False
    subject, distributive = (
        len(_determined(earlier.subject)),
        earlier.plural != later.plural and not earlier.subject,
    )
    for index, ((determiner, word), (other_determiner, other_word)) in enumerate(
        zip(first, second, strict=True)
    ):
        changed = False
        if word != other_word:
            verb = index == subject and not earlier.copular
            if (verb or (index > subject and first[index - 1][1] == "and")) and same_verb(word, other_word):
                continue
            # "All passengers must show their passes", "he must show his pass".
            changed = distributive and same_noun(word, other_word)
            if not changed:
                return False
        if determiner != other_determiner and not _determiners(determiner, other_determiner, changed):
            # "live in glass houses", "live in a glass house"
            nouns = zip(first[index + 1 : index + 3], second[index + 1 : index + 3], strict=True)
            several = distributive and {determiner, other_determiner} == {"", "a"}
            if not (several and any(one != two and same_noun(one, two) for (_, one), (_, two) in nouns)):
                return False
    return True


def _determined(words: Words) -> list[tuple[str, str]]:
    """Pair every word with the determiner before it."""
    out, determiner = [], ""
    for word in words:
        if word in DETERMINERS and word not in _OF_SENSE:
            word = "a" if word == "an" else word
            determiner = word if not determiner else f"{determiner} {word}"
        else:
            out.append((determiner, word))
            determiner = ""
    if determiner:
        out.append((determiner, ""))
    return out


def _determiners(earlier: str, later: str, changed: bool) -> bool:
    if changed and {earlier, later} <= {"", "a"}:
        return True
    if earlier in _INDEFINITE and (later in DEMONSTRATIVES or later == "such a"):
        return True
    if earlier in DEMONSTRATIVES and later in DEMONSTRATIVES:
        return True
    if "any" in (earlier, later) and {earlier, later} <= _POLAR:
        return True
    return earlier == "" and later in ("these", "those", "such")


def _simple(saying: ClauseWords) -> ClauseWords:
    """Return "attend the conference" for "be attending the conference"."""
    phrase = saying.phrase
    if phrase and (saying.copular or not saying.subject) and gerund_bases(phrase[0]):
        return ClauseWords(saying.subject, (gerund_bases(phrase[0])[0], *phrase[1:]), saying.plural)
    return saying


def _done(saying: ClauseWords) -> ClauseWords:
    """Return "swim" for "can swim"."""
    if saying.phrase[0] != "can":
        return saying
    phrase = saying.phrase[1:]
    copular = phrase[0] == "be" and len(phrase) > 1
    return ClauseWords(saying.subject, phrase[1:] if copular else phrase, saying.plural, copular)


def _rearranged(earlier: ClauseWords, later: ClauseWords) -> bool:
    """Whether two sayings have the same content words in another arrangement that may well mean the same."""
    one, other = earlier.words, later.words
    if _content(one) != _content(other):
        # Whether somebody is said to be of a class within the class that a rule is about.
        if earlier.subject or later.subject or not earlier.plural or later.plural:
            return False
        wide, narrow = earlier.phrase, later.phrase
        if len(wide) >= len(narrow) or (is_verb(wide[0]) and len(wide) > 1):
            return False
        after = narrow[len(wide)]
        if narrow[: len(wide)] == wide:
            return not is_verb(wide[0]) and (after in RELATIVES or after in PREPOSITIONS - {"of", "as"})
        return narrow[-len(wide) :] == wide and not set(narrow) & (PREPOSITIONS | {"not", "be"} | RELATIVES)
    first, second = _order(one), _order(other)
    function, other_function = _function(one), _function(other)
    if first == second:
        odd = set(function) ^ set(other_function)
        # "wash hands", "wash one's hands"; "carry a passport", "carry one's passport"
        if "one's" in odd and odd <= {"one's", "a", "an", "the"}:
            return True
        # "is enrolled in a course", "enrolls in a course"
        return earlier.copular != later.copular and _resultative(earlier if earlier.copular else later)
    return function != other_function or first[0] == second[0]


def _resultative(saying: ClauseWords) -> bool:
    phrase = saying.phrase
    return len(phrase) > 1 and is_participle(phrase[0]) and phrase[1] in PREPOSITIONS - {"by"}


def _order(words: Words) -> tuple[str, ...]:
    stripped = (word.removesuffix("'s").removesuffix("'") for word in words)
    return tuple(_lemma(word) for word in stripped if word not in CLOSED and word != "one")


def _function(words: Words) -> list[str]:
    return sorted(word for word in words if word in CLOSED or word == "one's")


@lru_cache(maxsize=1 << 14)
def same_individual(earlier: str, later: str) -> bool:
    """Whether two noun phrases name the same individual."""
    one, other = tuple(earlier.split()), tuple(later.split())
    if len(one) == len(other) and all(
        a == b or (same_noun(a, b) and is_plural(a) != is_plural(b)) for a, b in zip(one, other, strict=True)
    ):
        return True
    for naming in NAMING:
        for at in range(1, len(one) - len(naming)):
            if one[at : at + len(naming)] == naming and canonical_words(one[at + len(naming) :]) == other:
                return True
    if one[0] in DEMONSTRATIVES and other[0] in DEMONSTRATIVES and len(other) < len(one):
        return set(_content(other)) <= set(_content(one)) and _head(other) in one[: _end(one)]
    return False


def _end(words: Words) -> int:
    """Return where the first preposition of a noun phrase stands."""
    return first_index(words, PREPOSITIONS) or len(words)


def _head(words: Words) -> str:
    end = _end(words)
    while end > 2 and (is_participle(words[end - 1]) or gerund_bases(words[end - 1])):
        end -= 1
    return words[end - 1]
