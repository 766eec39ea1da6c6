"""Word lists, lemmatization and tokenization."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

import yaml
from simplemma import is_known, lemmatize

from polbias.aliases import Json
from polbias.generators.language import english_verbs
from polbias.paths import package_file

# Closed-class words and frame words, from the YAML files in this folder.


def _load(name: str) -> Json:
    text = package_file(f"generators/normative/reading/{name}").read_text(encoding="utf-8")
    loaded: Json = yaml.safe_load(text)
    return loaded


_WORDS, _FRAMES = _load("words.yaml"), _load("frames.yaml")


def word_set(name: str) -> frozenset[str]:
    """Return a set of closed-class words of words.yaml."""
    return frozenset(map(str, _WORDS[name]))


DETERMINERS = word_set("determiners")
DEMONSTRATIVES = word_set("demonstrative")
POSSESSIVES = word_set("possessives")
REFLEXIVES = word_set("reflexives")
SUBJECT_PRONOUNS = word_set("subject_pronouns")
THIRD_PERSON = word_set("third_person")
OBJECT_PRONOUNS = word_set("object_pronouns")
GENERIC_SUBJECTS = word_set("generic_subjects")
RELATIVES = word_set("relatives")
PREPOSITIONS = word_set("prepositions")
ADVERBS = word_set("adverbs")
PARTICLES = word_set("particles")
DEGREE = word_set("degree")
BE: dict[str, str] = _WORDS["be"]
HAVE: dict[str, str] = _WORDS["have"]
DO: dict[str, str] = _WORDS["do"]
PAST_AUXILIARIES = word_set("past")
MODALS = word_set("modals")
FUTURE = word_set("future")
OPENERS = word_set("openers")
ABBREVIATIONS, TITLES = word_set("abbreviations"), word_set("titles")
_BEFORE_SMALL = word_set("before_small")
CONTRACTIONS: dict[str, str] = _WORDS["contractions"]
CLITIC_HOSTS = word_set("clitic_hosts")
STATES = word_set("states")
OR_IDIOMS = word_set("or_idioms")
EXPLETIVE = word_set("expletive")
UNIVERSAL: dict[str, str] = _WORDS["universal"]
UNIVERSAL_PEOPLE = word_set("universal_people")
GENERIC_NOUNS = word_set("generic_nouns")
INDEFINITE_PEOPLE = word_set("indefinite_people")
MALE, FEMALE, PERSONS = word_set("male"), word_set("female"), word_set("persons")
SINGULAR_IN_S = word_set("singular_in_s")
VERBS = word_set("verbs")
NEVER_VERBS = word_set("never_verbs")
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


# Base forms of verbs and singulars of nouns: from the lemma list, else by rules.

_SIBILANT = re.compile(r"(?:s|x|z|ch|sh|o)$")
_YE = ("aye", "eye", "oye")
_DOUBLED = re.compile(r"(.)\1$")


# Decompresses the lemma list on import, so that the first item is not slower.
is_known("word", lang="en")


@cache
def _irregular() -> dict[str, str]:
    table = package_file("templates/language/english_verbs.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    return {form: row[0] for row in rows for form in row[1:]} | PAST_FORMS


@cache
def _irregular_bases() -> frozenset[str]:
    return frozenset(_irregular().values())


@cache
def lemma(word: str) -> str:
    """Return the lemma of a word of any part of speech; an unknown word is returned unchanged."""
    if not is_known(word, lang="en"):
        return word
    base = str(lemmatize(word, lang="en")).lower()
    # The lemma list has "playing" as a form of "playe".
    return base[:-1] if base.endswith(_YE) and word.startswith(base[:-1]) and base != word else base


@cache
def is_verb(base: str) -> bool:
    """Whether a word is the base form of a verb: the lemma list has its -ing or past form."""
    if base in VERBS or base in _irregular_bases():
        return True
    if len(base) < 2 or base in CLOSED or base in NEVER_VERBS or not base.isalpha():
        return False
    forms = [base[:-1] + "ing"] if base.endswith("e") else [base + "ing", base + base[-1] + "ing"]
    if any(is_known(form, lang="en") and lemma(form) == base for form in forms):
        return True
    past = base + "d" if base.endswith("e") else base[:-1] + "ied" if base.endswith("y") else base + "ed"
    return is_known(past, lang="en") and lemma(past) == base


@cache
def third_bases(form: str) -> tuple[str, ...]:
    """Return the possible base forms of a third person in -s, the likeliest first; empty for other forms."""
    if form in ("is", "has", "does", "goes"):
        return ({"is": "be", "has": "have", "does": "do", "goes": "go"}[form],)
    if len(form) < 3 or not form.endswith("s") or form.endswith(("ss", "'s", "us")):
        return ()
    bases = [form[:-1]]
    if form.endswith("ies") and len(form) > 4:
        bases.insert(0, form[:-3] + "y")
    elif form.endswith("es") and _SIBILANT.search(form[:-2]):
        bases.insert(0, form[:-2])
    return tuple(sorted(bases, key=lambda base: not is_verb(base)))


@cache
def past_bases(form: str) -> tuple[str, ...]:
    """Return the possible base forms of a past tense or past participle, the likeliest first."""
    if form in _irregular():
        return (_irregular()[form],)
    if not form.endswith("ed") or len(form) < 4:
        return ()
    form_lemma, stem = lemma(form), form[:-2]
    if form.endswith("eed") and form_lemma == form:  # "need", "succeed"
        return ()
    bases = [form_lemma] if form_lemma != form and is_verb(form_lemma) else []
    # The list has rare variants: the likelier base of "developed" is "develop", not "develope".
    if (
        form_lemma == stem + "e"
        and lemma(stem + "ing") in (stem, form_lemma)
        and lemma(stem + "s") == stem
        and is_verb(stem)
    ):
        bases.insert(0, stem)
    if form.endswith("ied"):
        bases.append(form[:-3] + "y")
    if _DOUBLED.search(stem) and stem[-1] not in "lsz":
        bases.append(stem[:-1])
    silent = stem[-1:] in ("v", "c", "u") or (stem[-1:] == "l" and stem[-2:-1] not in "aeioulr")
    bases += [form[:-1], stem] if silent else [stem, form[:-1]]
    return tuple(dict.fromkeys(bases))


@cache
def gerund_bases(form: str) -> tuple[str, ...]:
    """Return the possible base forms of a participle in -ing, the likeliest first."""
    if not form.endswith("ing") or len(form) < 5:
        return ()
    stem = form[:-3]
    bases = [stem, stem + "e"] + ([stem[:-1]] if _DOUBLED.search(stem) else [])
    if form in ("lying", "dying", "tying"):
        bases = [form[0] + "ie"]
    return tuple(sorted(bases, key=lambda base: (lemma(form) != base, not is_verb(base))))


def is_past(form: str) -> bool:
    """Whether a form is a past or participle and not a base form."""
    return bool(past_bases(form)) and form not in _irregular_bases()


def is_unchanging(base: str) -> bool:
    """Whether the past of a verb equals its base form: "set", "cut"."""
    return is_verb(base) and english_verbs.past(base) == base


def is_participle(form: str) -> bool:
    """Whether a form can be a past participle that differs from the base form."""
    bases = past_bases(form)
    return bool(bases) and (
        form.endswith("ed") or english_verbs.participle(bases[0]) == form or form in PAST_FORMS
    )


@cache
def singular(noun: str) -> str:
    """Return the singular of a plural noun; any other noun is returned unchanged."""
    if noun in SINGULAR_IN_S or len(noun) < 3:
        return noun
    if noun in IRREGULAR_NOUNS:
        return IRREGULAR_NOUNS[noun]
    if is_known(noun, lang="en"):
        noun_lemma = lemma(noun)
        regular = noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
        if (
            noun_lemma != noun
            and (regular or noun[:2] == noun_lemma[:2])
            and not noun.endswith(("ed", "ing", "er", "est"))
        ):
            return noun_lemma
        if noun_lemma != noun or not regular:
            return noun
    if not noun.endswith("s") or noun.endswith(("ss", "us", "is", "'s")):
        return noun
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return noun[:-2]
    if noun.endswith("uses") and len(noun) > 5:
        return noun[:-2]
    return noun[:-1]


def is_plural(noun: str) -> bool:
    """Whether a noun looks like a plural."""
    return singular(noun) != noun


def possessive(noun: str) -> str:
    """Return the possessive form of a noun."""
    return noun + ("'" if noun.endswith("s") else "'s")


@cache
def same_noun(first: str, second: str) -> bool:
    """Whether two words can be singular and plural of one noun."""
    if first == second or singular(first) == second or singular(second) == first:
        return True
    short, long = sorted((first, second), key=len)
    return long in (short + "s", short + "es") or (short.endswith("y") and long == short[:-1] + "ies")


@cache
def same_verb(first: str, second: str) -> bool:
    """Whether two words can be forms of one verb."""
    return first == second or bool({first, *_base_forms(first)} & {second, *_base_forms(second)})


def _base_forms(form: str) -> tuple[str, ...]:
    return third_bases(form) + past_bases(form)


# Sentence splitting and tokenization.

Words = tuple[str, ...]

_TYPOGRAPHY = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
# A missing space between sentences is tolerated after a word, a missing capital after a space.
_END = re.compile(r"[.!?]+[\"')]*(?:\s+(?=[\"'(]*\w)|(?<=[a-z]{2}[.!?])(?=[A-Z][a-z'])|\s*$)")
_EITHER = {
    f"{first}/{second}": pronoun
    for pronoun, *sexes in (("they", "he", "she"), ("their", "his", "her"), ("them", "him", "her"))
    for first, second in (sexes, sexes[::-1])
} | {"s/he": "they", "himself/herself": "themselves", "herself/himself": "themselves"}
_LAST_WORD = re.compile(r"[\w.]+$")
_NEXT_WORD = re.compile(r"\w+")
_EQUALS = re.compile(r"\s*=+\s*")
_TOKEN = re.compile(r'"[^"]*"|[^\s",;:()]+|[,;:]')


def first_index(words: Words, among: Collection[str]) -> int:
    """Return the first index, above 0, of a word in `among`; 0 if there is none."""
    return next((index for index, word in enumerate(words) if index and word in among), 0)


def last_index(words: Words, among: Collection[str]) -> int:
    """Return the last index of a word in `among`; 0 if there is none."""
    return max((index for index, word in enumerate(words) if word in among), default=0)


def plain(text: str) -> str:
    """Return a text with ASCII apostrophes, quotation marks and spaces."""
    return text.translate(_TYPOGRAPHY)


@lru_cache(maxsize=1 << 14)
def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences."""
    text = plain(text).strip()
    if "=" in text:
        text = _EQUALS.sub(" equals ", text)
    parts, start = [], 0
    for end in _END.finditer(text):
        before = text[start : end.start()]
        last = _LAST_WORD.search(before)
        if end.end() < len(text) and last:
            word = last.group()
            if _continues(word, text[end.end() :]):
                continue
        if before.count('"') % 2 and not end.group().lstrip(".!?").startswith('"'):
            continue
        parts.append(text[start : end.start()] + ('"' if before.count('"') % 2 else ""))
        start = end.end()
    parts.append(text[start:])
    return tuple(sentence.strip() for sentence in parts if sentence.strip())


def _continues(word: str, after: str) -> bool:
    """Whether a sentence continues after a word with a period: always after "Mr.", perhaps after "Inc."."""
    short = word.lower().rstrip(".")
    if short in TITLES:
        return True
    if after[:1].islower() and ("." in short or short in _BEFORE_SMALL):
        return True
    if short not in ABBREVIATIONS and not (len(word) == 1 and word != "I" and word.isupper()):
        return False
    following = _NEXT_WORD.match(after)
    if following is None:
        return False
    return following.group()[0].islower() or following.group().lower() not in CLOSED | {"it", "if", "there"}


def tokens(sentence: str) -> list[str]:
    """Return the tokens of a sentence, unchanged; a quotation and a comma are one token each."""
    return _TOKEN.findall(sentence)


def lower_words(raw_tokens: list[str]) -> Words:
    """Return tokens in lower case, without contractions; a quotation is one word without its marks."""
    words: list[str] = []
    for token in raw_tokens:
        word = token.lower()
        if word[0] == '"':
            words.append(word.strip('".,').replace(" ", "\u00a0"))
        elif "'" in word or word == "cannot":
            words.extend(_expand_contraction(word.strip("'") if word[0] == "'" else word))
        else:
            # "in the U.S." shares its period with the sentence.
            words.append(word[:-1] if word[-1] == "." and "." in word[:-1] else word)
    if "or" in words or "/" in "".join(words):
        words = _either_sex(words)
    return tuple(word for word in words if word)


def _either_sex(words: list[str]) -> list[str]:
    """Return "they" for "he or she", "their" for "his or her"."""
    merged: list[str] = []
    for word in words:
        pronoun = _EITHER.get(word) or (
            _EITHER.get("/".join((*merged[-2::2], word))) if merged[-1:] == ["or"] else None
        )
        if pronoun and "/" not in word:
            del merged[-2:]
        merged.append(pronoun or word)
    return merged


def _expand_contraction(word: str) -> list[str]:
    if word in CONTRACTIONS:
        return CONTRACTIONS[word].split()
    if word.endswith("n't"):
        return [word[:-3], "not"]
    stem, _, clitic = word.rpartition("'")
    if clitic == "s" and stem in CLITIC_HOSTS:
        return [stem, "is"]
    if clitic in ("re", "ve", "ll"):
        return [stem, {"re": "are", "ve": "have", "ll": "will"}[clitic]]
    return [word]
