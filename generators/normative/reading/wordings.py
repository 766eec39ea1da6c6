"""What one occurrence of a clause says, and the other ways to say it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from polbias.generators.normative.reading.lexicon import ADVERBS, DETERMINERS, PARTICLES, PREPOSITIONS
from polbias.generators.normative.reading.text import Words

NAMING = (("known", "as"), ("called",), ("named",))


@dataclass(frozen=True, slots=True)
class Saying:
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
def wordings(saying: Saying) -> tuple[Words, ...]:
    """Return the words of a saying, and those of other ways to say it.

    Args:
        saying: anything that is said.

    Returns:
        The words; without apposition; with the other genitive; with a particle beside its verb ("take off
        one's hat" for "take one's hat off").
    """
    words = saying.words
    out = [words]
    for naming in NAMING:
        for at in range(1, len(words) - len(naming)):
            if words[at : at + len(naming)] == naming:
                start = max((i for i in range(at) if words[i] in DETERMINERS), default=0)
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
    if not possessor or (start >= 0 and words[start] not in ("the",) and words[start] in DETERMINERS):
        return words
    kept = words[:start] if start >= 0 and words[start] in DETERMINERS else words[: start + 1]
    if start < 0 and len(possessor) > 1 and possessor[0] in ("the", "a"):
        possessor = possessor[1:]
    mark = "'" if possessor[-1].endswith("s") else "'s"
    return (*kept, *possessor[:-1], possessor[-1] + mark, *words[start + 1 : of])
