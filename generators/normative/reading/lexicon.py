"""The closed-class words and the frame words of the reader, from the YAML files beside this module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from polbias.locations import package_file


def _load(name: str) -> dict[str, Any]:
    text = package_file(f"generators/normative/reading/{name}").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


_WORDS, _FRAMES = _load("words.yaml"), _load("frames.yaml")


def _set(name: str) -> frozenset[str]:
    return frozenset(map(str, _WORDS[name]))


DETERMINERS = _set("determiners")
DEMONSTRATIVES = _set("demonstrative")
POSSESSIVES = _set("possessives")
REFLEXIVES = _set("reflexives")
SUBJECT_PRONOUNS = _set("subject_pronouns")
THIRD_PERSON = _set("third_person")
OBJECT_PRONOUNS = _set("object_pronouns")
GENERIC_SUBJECTS = _set("generic_subjects")
RELATIVES = _set("relatives")
PREPOSITIONS = _set("prepositions")
ADVERBS = _set("adverbs")
PARTICLES = _set("particles")
DEGREE = _set("degree")
BE: dict[str, str] = _WORDS["be"]
HAVE: dict[str, str] = _WORDS["have"]
DO: dict[str, str] = _WORDS["do"]
PAST_AUXILIARIES = _set("past")
MODALS = _set("modals")
FUTURE = _set("future")
OPENERS = _set("openers")
ABBREVIATIONS, TITLES = _set("abbreviations"), _set("titles")
CONTRACTIONS: dict[str, str] = _WORDS["contractions"]
CLITIC_HOSTS = _set("clitic_hosts")
STATES = _set("states")
OR_IDIOMS = _set("or_idioms")
EXPLETIVE = _set("expletive")
UNIVERSAL: dict[str, str] = _WORDS["universal"]
UNIVERSAL_PEOPLE = _set("universal_people")
GENERIC_NOUNS = _set("generic_nouns")
INDEFINITE_PEOPLE = _set("indefinite_people")
MALE, FEMALE, PERSONS = _set("male"), _set("female"), _set("persons")
SINGULAR_IN_S = _set("singular_in_s")
VERBS = _set("verbs")
NEVER_VERBS = _set("never_verbs")
IRREGULAR_NOUNS: dict[str, str] = _WORDS["irregular_nouns"]
OBLIQUE: dict[str, str] = _WORDS["oblique"]
PAST_FORMS: dict[str, str] = _WORDS["past_forms"]
AUXILIARIES = frozenset(BE) | frozenset(HAVE) | frozenset(DO) | MODALS
CLOSED = (
    DETERMINERS
    | PREPOSITIONS
    | ADVERBS
    | RELATIVES
    | SUBJECT_PRONOUNS
    | AUXILIARIES
    | {"be", "been", "being"}
)

Force = tuple[str, str]  # modality, and one of the five forces


def _forces(table: dict[str, dict[str, Iterable[str]]]) -> dict[str, Force]:
    return {
        word: (modality, force)
        for modality, forces in table.items()
        for force, words in forces.items()
        for word in words
    }


ADJECTIVES = _forces(_FRAMES["adjectives"])
PERSONAL = {word: ADJECTIVES[word] for word in _FRAMES["personal"]} | {
    word: (word, "necessary") for word in _FRAMES["other_personal"]
}
RAISING = frozenset(_FRAMES["raising"])
CONTENT = frozenset(_FRAMES["content"])
REQUIREMENTS = frozenset(_FRAMES["requirements"])
FROM_GERUND = frozenset(_FRAMES["from_gerund"])
NOUNS = _forces(_FRAMES["nouns"])
MODAL_ADVERBS = _forces(_FRAMES["adverbs"]) | {word: (word, "necessary") for word in _FRAMES["other_adverbs"]}
MODAL_VERBS: dict[str, Force] = {
    word: ("?", force) for word, force in _FRAMES["modals"].items()
} | dict.fromkeys(_FRAMES["other_modals"], ("should", "necessary"))
CHOOSING = frozenset(_FRAMES["choosing"])
KNOWERS = frozenset(_FRAMES["knowers"])
KNOWING = frozenset(_FRAMES["knowing"])
