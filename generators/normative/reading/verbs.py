"""Position of the verb in a clause; comparison of the meaning of two clauses."""

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

# Position of the finite verb of a clause.

_SINGULAR = word_set("singular_subjects") | {"someone", "somebody"} | UNIVERSAL_PEOPLE
_PLURAL = word_set("plural_subjects")
_NOUN_BEFORE = DETERMINERS - word_set("without_noun")
_BEFORE_NOUNS = (DETERMINERS - {"her"}) | PREPOSITIONS | {","}
# Minimum score of a known verb that agrees with its subject.
_STRONG = 3.8
_OBLIQUE = frozenset(OBLIQUE) | {"her"}
_AFTER_NOUN = PREPOSITIONS | RELATIVES | AUXILIARIES
_CHAIN = frozenset(("not", "have", "be", "been", "being")) | ADVERBS


def auxiliary_at(words: Words) -> int:
    """Return the index of the first auxiliary, modal adverb or bare "not" after the subject, or -1."""
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


def _after_aside(words: Words, index: int) -> int:
    """Return the end of a relative clause between commas; ``index`` is the relative pronoun."""
    return words.index(",", index) + 1 if "," in words[index:] else index + 1


def _after_relative(words: Words, pronoun_index: int) -> int:
    """Return the end of the verb of a relative clause; ``pronoun_index`` is the relative pronoun."""
    index = pronoun_index + 1
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
    """Return the divisions of a clause without auxiliary into subject and predicate, the likeliest first."""
    scored: list[tuple[float, int, Split]] = []
    index = 1
    while index < len(words):
        if index > 1 and words[index] in ("who", "which", "whose") and words[index - 1] == ",":
            index = _after_aside(words, index)
            continue
        if words[index] in RELATIVES and words[index - 1] not in PREPOSITIONS | {","}:
            index = _after_relative(words, index)
            continue
        scored.extend(_score_splits(words, index))
        index += 1
    first = min((index for score, index, _ in scored if score >= _STRONG), default=len(words))
    # "vaccines prevent diseases": no other verb follows a verb that agrees with its subject.
    scored = [(score - (index > first), index, split) for score, index, split in scored]
    scored.sort(key=lambda division: (-division[0], division[1]))
    return tuple(division[2] for division in scored)


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or word.endswith("ly")


def _score_splits(words: Words, index: int) -> list[tuple[float, int, Split]]:
    """Return the divisions before a word as (score, index, split)."""
    form = words[index]
    if form in CLOSED or form in ",;:" or form[0].isdigit() or words[index - 1] in _BEFORE_NOUNS:
        return []
    # "Mr. Jones", "J. Banks"
    if words[index - 1].endswith("."):
        return []
    if words[0] in SUBJECT_PRONOUNS and not all(map(_is_adverb, words[1:index])):
        return []
    # "her boss let her leave"
    if words[index - 1] in _OBLIQUE and not RELATIVES & set(words[:index]):
        return []
    subject, remainder = words[:index], words[index + 1 :]
    number, follow = number_of(subject), _follow_score(remainder) - 0.05 * index
    if _has_inner_plural(subject):
        follow -= 2.5
    out: list[tuple[float, int, Split]] = []
    third, past = third_bases(form), past_bases(form)
    agreement = {"singular": 2.0, "plural": -3.0, "": 0.5}[number]
    for order, base in enumerate(third):
        score = 2.0 + is_verb(base) - order + agreement + follow
        # "the Romans spoke Latin", but "the society develops advanced weapons"
        if remainder and is_past(remainder[0]) and not (remainder[0].endswith("ed") and is_verb(base)):
            score -= 3.0
        out.append((score, index, Split(subject, (base, *remainder), "present", "singular")))
    # "manuscripts submitted to this journal": a participle after its noun is likelier before a preposition.
    reduced = 2.5 if remainder[:1] and remainder[0] in PREPOSITIONS else 0.0
    for order, base in enumerate(past):
        out.append((3.5 - order - reduced + follow, index, Split(subject, (base, *remainder), "past", "")))
    if not is_past(form) and (is_verb(form) or not (third or form.endswith(("ing", "ly")))):
        agreement = {"singular": -3.0, "plural": 1.5, "": 0.0}[number]
        tense = "" if is_unchanging(form) else "present"
        score = (2.5 if is_verb(form) else 0.5) + agreement + follow
        out.append((score, index, Split(subject, (form, *remainder), tense, "plural", unmarked=True)))
    return out


def _has_inner_plural(subject: Words) -> bool:
    """Whether a plural precedes another noun: rare in compounds, so the verb is between them."""
    start = max(
        (i for i, word in enumerate(subject) if word in _BEFORE_NOUNS or word in RELATIVES), default=-1
    )
    return any(is_plural(word) for word in subject[start + 1 : -1])


def _follow_score(remainder: Words) -> float:
    """Return the score of the words after a verb: an object, an adverbial or nothing."""
    if not remainder:
        return 1.0
    word = remainder[0]
    if word in DETERMINERS or "\u00a0" in word or word in ("it", "them", "him", "us", "me"):
        return 3.0
    if word in PREPOSITIONS or _is_adverb(word) or gerund_bases(word) or word == ",":
        return 1.0
    return 0.0


def number_of(subject: Words) -> str:
    """Return the number of a noun phrase: ``"singular"``, ``"plural"``, or ``""`` if unmarked."""
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
    """Return the index of the head of a noun phrase: before the first preposition, relative or participle."""
    if noun_phrase[0] in UNIVERSAL_PEOPLE:
        return 0
    end = len(noun_phrase)
    for index in range(1, len(noun_phrase)):
        word = noun_phrase[index]
        if word in _AFTER_NOUN or _is_participial(noun_phrase, index):
            end = index
            break
    # "manuscripts submitted to this journal": the noun precedes the participle.
    last = end - 1
    while last > 0 and (past_bases(noun_phrase[last]) or gerund_bases(noun_phrase[last])):
        last -= 1
    closed = end < len(noun_phrase) or noun_phrase[end - 1].endswith("ed")
    return last if closed and noun_phrase[last] not in DETERMINERS else end - 1


def _is_participial(words: Words, index: int) -> bool:
    """Whether the word at this index is a participle after its noun, as in "people living in Rome"."""
    if (
        index + 1 >= len(words)
        or not gerund_bases(words[index])
        or not is_verb(gerund_bases(words[index])[0])
    ):
        return False
    if words[index + 1] in DETERMINERS:
        return words[index - 1] not in DETERMINERS
    return words[index + 1] != "of" and (is_plural(words[index - 1]) or words[index - 1] in GENERIC_NOUNS)


# Words of an occurrence of a clause, and their paraphrases.

NAMING = (("known", "as"), ("called",), ("named",))


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """Words of an occurrence of a clause, in normal form.

    Attributes:
        subject: subject; empty for a predicate of an individual or an infinitive without subject.
        phrase: verb phrase or class name.
        plural: whether the subject is plural ("all passengers must show their passes").
        copular: whether the verb phrase began with "be".
    """

    subject: Words
    phrase: Words
    plural: bool = False
    copular: bool = False

    @property
    def words(self) -> Words:
        """Words of subject and verb phrase."""
        if not self.subject:
            return self.phrase
        return (*self.subject, "be", *self.phrase) if self.copular else (*self.subject, *self.phrase)


@lru_cache(maxsize=1 << 15)
def wordings(clause: ClauseWords) -> tuple[Words, ...]:
    """Return the words of a clause, then the words of its paraphrases."""
    words = clause.words
    out = [words]
    for naming in NAMING:
        for index in range(1, len(words) - len(naming)):
            if words[index : index + len(naming)] == naming:
                start = last_index(words[:index], DETERMINERS)
                name = words[index + len(naming) :]
                out.append(words[:start] + name)
                if name[0] == "the":
                    out.append(words[:start] + name[1:])
    if "of" in clause.subject:
        out.append((*_to_genitive(clause.subject), *words[len(clause.subject) :]))
    elif "of" in words:
        out.append(_to_genitive(words))
    verb = len(clause.subject)
    if not clause.copular and len(clause.phrase) > 2:
        index = _particle_at(clause.phrase)
        if index:
            phrase = clause.phrase
            out.append((*words[: verb + 1], phrase[index], *phrase[1:index], *phrase[index + 1 :]))
    return tuple(out)


def _particle_at(phrase: Words) -> int:
    """Return the index of a particle after the object of its verb, or 0."""
    for index in range(2, len(phrase)):
        if phrase[index] in PARTICLES and (
            index + 1 == len(phrase) or phrase[index + 1] in PREPOSITIONS | ADVERBS
        ):
            return index
    return 0


def _to_genitive(words: Words) -> Words:
    """Return "the country's capital" for "the capital of the country"."""
    of = words.index("of")
    start = max((i for i in range(of) if words[i] in DETERMINERS or words[i] in PREPOSITIONS), default=-1)
    possessor = words[of + 1 :]
    if not possessor or (start >= 0 and words[start] != "the" and words[start] in DETERMINERS):
        return words
    prefix = words[:start] if start >= 0 and words[start] in DETERMINERS else words[: start + 1]
    if start < 0 and len(possessor) > 1 and possessor[0] in ("the", "a"):
        possessor = possessor[1:]
    return (*prefix, *possessor[:-1], possessive(possessor[-1]), *words[start + 1 : of])


Verdict = Literal["same", "progressive", "paraphrase", "ability", ""]
_OF_SENSE = word_set("determiners_of_sense")
_POLAR = word_set("polar")
_INDEFINITE = word_set("indefinite")


@lru_cache(maxsize=1 << 14)
def compare(earlier_clause: ClauseWords, later_clause: ClauseWords) -> Verdict:
    """Compare the meaning of two clauses of an item; `earlier_clause` precedes the other one."""
    if earlier_clause.words == later_clause.words:
        return "same"
    if not _shares_words(earlier_clause, later_clause):
        return ""
    if _has_matching_wordings(earlier_clause, later_clause):
        return "same"
    if _has_matching_wordings(_without_progressive(earlier_clause), _without_progressive(later_clause)):
        return "progressive"
    if _is_rearranged(earlier_clause, later_clause):
        return "paraphrase"
    abilities = [
        clause.phrase[0] == "can" and len(clause.phrase) > 1 for clause in (earlier_clause, later_clause)
    ]
    if (
        any(abilities)
        and not all(abilities)
        and _has_matching_wordings(_without_ability(earlier_clause), _without_ability(later_clause))
    ):
        return "ability"
    return ""


@lru_cache(maxsize=1 << 15)
def _lemma(word: str) -> str:
    base = singular(word)
    if base == word:
        bases = past_bases(word) or gerund_bases(word) or third_bases(word)
        base = bases[0] if bases else word
    return base


@lru_cache(maxsize=1 << 15)
def _sorted_lemmas(words: Words) -> tuple[str, ...]:
    return tuple(sorted(_content_lemmas(words)))


def _shares_words(earlier_clause: ClauseWords, later_clause: ClauseWords) -> bool:
    """Whether two clauses share enough words to need a full comparison."""
    earlier_words, later_words = (
        set(_sorted_lemmas(earlier_clause.words)),
        set(_sorted_lemmas(later_clause.words)),
    )
    if earlier_words == later_words or earlier_words < later_words or later_words < earlier_words:
        return True
    difference = earlier_words ^ later_words
    return len(difference) <= 4 and any(
        same_noun(a, b) or same_verb(a, b)
        for a in earlier_words - later_words
        for b in later_words - earlier_words
    )


def _has_matching_wordings(earlier_clause: ClauseWords, later_clause: ClauseWords) -> bool:
    return any(
        _is_match(earlier_words, later_words, earlier_clause, later_clause)
        for earlier_words, later_words in product(wordings(earlier_clause), wordings(later_clause))
    )


def _is_match(
    earlier_words: Words, later_words: Words, earlier_clause: ClauseWords, later_clause: ClauseWords
) -> bool:
    first, second = _pair_determiners(earlier_words), _pair_determiners(later_words)
    if len(first) != len(second):
        return False
    subject, is_distributive = (
        len(_pair_determiners(earlier_clause.subject)),
        earlier_clause.plural != later_clause.plural and not earlier_clause.subject,
    )
    for index, ((determiner, word), (other_determiner, other_word)) in enumerate(
        zip(first, second, strict=True)
    ):
        number_changed = False
        if word != other_word:
            is_verb_position = index == subject and not earlier_clause.copular
            if (is_verb_position or (index > subject and first[index - 1][1] == "and")) and same_verb(
                word, other_word
            ):
                continue
            # "All passengers must show their passes", "he must show his pass".
            number_changed = is_distributive and same_noun(word, other_word)
            if not number_changed:
                return False
        if determiner != other_determiner and not _are_compatible(
            determiner, other_determiner, number_changed
        ):
            # "live in glass houses", "live in a glass house"
            nouns = zip(first[index + 1 : index + 3], second[index + 1 : index + 3], strict=True)
            is_article_dropped = is_distributive and {determiner, other_determiner} == {"", "a"}
            if not (
                is_article_dropped
                and any(
                    earlier_noun != later_noun and same_noun(earlier_noun, later_noun)
                    for (_, earlier_noun), (_, later_noun) in nouns
                )
            ):
                return False
    return True


def _pair_determiners(words: Words) -> list[tuple[str, str]]:
    """Return each word with the determiner before it, as (determiner, word)."""
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


def _are_compatible(earlier_determiner: str, later_determiner: str, number_changed: bool) -> bool:
    if number_changed and {earlier_determiner, later_determiner} <= {"", "a"}:
        return True
    if earlier_determiner in _INDEFINITE and (
        later_determiner in DEMONSTRATIVES or later_determiner == "such a"
    ):
        return True
    if earlier_determiner in DEMONSTRATIVES and later_determiner in DEMONSTRATIVES:
        return True
    if "any" in (earlier_determiner, later_determiner) and {earlier_determiner, later_determiner} <= _POLAR:
        return True
    return earlier_determiner == "" and later_determiner in ("these", "those", "such")


def _without_progressive(clause: ClauseWords) -> ClauseWords:
    """Return "attend the conference" for "be attending the conference"."""
    phrase = clause.phrase
    if phrase and (clause.copular or not clause.subject) and gerund_bases(phrase[0]):
        return ClauseWords(clause.subject, (gerund_bases(phrase[0])[0], *phrase[1:]), clause.plural)
    return clause


def _without_ability(clause: ClauseWords) -> ClauseWords:
    """Return "swim" for "can swim"."""
    if clause.phrase[0] != "can":
        return clause
    phrase = clause.phrase[1:]
    copular = phrase[0] == "be" and len(phrase) > 1
    return ClauseWords(clause.subject, phrase[1:] if copular else phrase, clause.plural, copular)


def _is_rearranged(earlier_clause: ClauseWords, later_clause: ClauseWords) -> bool:
    """Whether two clauses are rearrangements of the same content words and probably mean the same."""
    earlier_words, later_words = earlier_clause.words, later_clause.words
    if _sorted_lemmas(earlier_words) != _sorted_lemmas(later_words):
        # Whether an individual belongs to a subclass of the class of a rule.
        if earlier_clause.subject or later_clause.subject or not earlier_clause.plural or later_clause.plural:
            return False
        wide, narrow = earlier_clause.phrase, later_clause.phrase
        if len(wide) >= len(narrow) or (is_verb(wide[0]) and len(wide) > 1):
            return False
        after = narrow[len(wide)]
        if narrow[: len(wide)] == wide:
            return not is_verb(wide[0]) and (after in RELATIVES or after in PREPOSITIONS - {"of", "as"})
        return narrow[-len(wide) :] == wide and not set(narrow) & (PREPOSITIONS | {"not", "be"} | RELATIVES)
    earlier_lemmas, later_lemmas = _content_lemmas(earlier_words), _content_lemmas(later_words)
    function, other_function = _function_words(earlier_words), _function_words(later_words)
    if earlier_lemmas == later_lemmas:
        difference = set(function) ^ set(other_function)
        # "wash hands", "wash one's hands"; "carry a passport", "carry one's passport"
        if "one's" in difference and difference <= {"one's", "a", "an", "the"}:
            return True
        # "is enrolled in a course", "enrolls in a course"
        return earlier_clause.copular != later_clause.copular and _is_resultative(
            earlier_clause if earlier_clause.copular else later_clause
        )
    return function != other_function or earlier_lemmas[0] == later_lemmas[0]


def _is_resultative(clause: ClauseWords) -> bool:
    phrase = clause.phrase
    return len(phrase) > 1 and is_participle(phrase[0]) and phrase[1] in PREPOSITIONS - {"by"}


def _content_lemmas(words: Words) -> tuple[str, ...]:
    stripped = (word.removesuffix("'s").removesuffix("'") for word in words)
    return tuple(_lemma(word) for word in stripped if word not in CLOSED and word != "one")


def _function_words(words: Words) -> list[str]:
    return sorted(word for word in words if word in CLOSED or word == "one's")


@lru_cache(maxsize=1 << 14)
def same_individual(earlier_name: str, later_name: str) -> bool:
    """Whether two noun phrases name the same individual."""
    earlier_words, later_words = tuple(earlier_name.split()), tuple(later_name.split())
    if len(earlier_words) == len(later_words) and all(
        a == b or (same_noun(a, b) and is_plural(a) != is_plural(b))
        for a, b in zip(earlier_words, later_words, strict=True)
    ):
        return True
    for naming in NAMING:
        for index in range(1, len(earlier_words) - len(naming)):
            if (
                earlier_words[index : index + len(naming)] == naming
                and canonical_words(earlier_words[index + len(naming) :]) == later_words
            ):
                return True
    if (
        earlier_words[0] in DEMONSTRATIVES
        and later_words[0] in DEMONSTRATIVES
        and len(later_words) < len(earlier_words)
    ):
        return (
            set(_sorted_lemmas(later_words)) <= set(_sorted_lemmas(earlier_words))
            and _head_noun(later_words) in earlier_words[: _head_end(earlier_words)]
        )
    return False


def _head_end(words: Words) -> int:
    """Return the index of the first preposition of a noun phrase, or its end."""
    return first_index(words, PREPOSITIONS) or len(words)


def _head_noun(words: Words) -> str:
    end = _head_end(words)
    while end > 2 and (is_participle(words[end - 1]) or gerund_bases(words[end - 1])):
        end -= 1
    return words[end - 1]
