"""Proposed morphology of words for ``morphology.*.tsv``: for a person to check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from polbias.errors import InputError
from polbias.generators.authoring.negation import Pipeline, TaggedWord
from polbias.generators.language import german_words
from polbias.generators.xphemism.vocabulary.lexicon import (
    EMPTY,
    Lexicon,
    PartOfSpeech,
    PlaceboPair,
    Word,
    WordPair,
)
from polbias.generators.xphemism.vocabulary.paradigms import ENDINGS

# Proposed cells of a word, and the columns that no evidence supports.

COLUMNS = tuple(Word.model_fields)


@dataclass(slots=True)
class MorphologyProposal:
    """Proposed row of a word.

    Attributes:
        cells: text by column; columns that do not apply are missing.
        doubts: columns without good evidence, and the reason.
        source: evidence of the other columns.
    """

    cells: dict[str, str]
    doubts: dict[str, str] = field(default_factory=dict)
    source: str = "endings"

    @property
    def is_complete(self) -> bool:
        """Whether the lexicon reads the row: a noun needs a gender."""
        return self.cells["pos"] != "noun" or bool(self.cells["gender"])

    def row(self) -> str:
        """Return the row as in ``morphology.*.tsv``; the note has the evidence and the doubtful columns."""
        doubts = "; ".join(f"{column}: {reason}" for column, reason in self.doubts.items())
        note = f"proposed by {self.source}, not checked" + (f"; {doubts}" if doubts else "")
        cells = self.cells | {"note": note}
        return "\t".join(cells.get(column) or EMPTY for column in COLUMNS)


def propose_morphology(word: str, lexicon: Lexicon, pipeline: Pipeline | None = None) -> MorphologyProposal:
    """Return a proposed row of a word or phrase.

    Evidence, best first: a word of the lexicon that ends the new word ("Zwangsumlage", "Umlage"), endings,
    and the pipeline's tags, genders, lemmas and heads. Without a pipeline the spelling decides which word is
    the head.
    """
    texts = word.split()
    if not texts or "\t" in word or " ".join(texts) != word:
        raise InputError(f"WORD: found {word!r}, expected words with single blanks between them; correct it")
    tags = _read_tags(word, pipeline)
    pos, first, last = _find_head(texts, tags)
    head = " ".join(texts[first : last + 1])
    cells = {"word": word, "pos": pos, "head": word if pos == "fixed" else head}
    proposal = MorphologyProposal(cells)
    if pos == "fixed":
        proposal.doubts["pos"] = "a phrase without a noun or verb as its head"
        return proposal
    rest = [*texts[:first], *texts[last + 1 :]] if pos == "verb" else texts[last + 1 :]
    cells["tail"] = " ".join(rest)
    if pos == "noun":
        head_start = tags[last].start if tags else None
        adverbs = {index for index, tag in enumerate(tags[:first]) if tag.head not in (None, head_start)}
        cells["modifiers"] = ",".join(_modifier_stems(texts[:first], adverbs))
        _propose_noun(proposal, head, lexicon, tags[last] if tags else None)
    elif pos == "adjective":
        cells["singular"] = _adjective_stem(head)
    else:
        _propose_verb(proposal, head)
    if tags:
        proposal.source += " and pipeline"
    return proposal


def words_without_morphology(lexicon: Lexicon) -> list[str]:
    """Return the words of pairs and placebo pairs that have no row, in file order."""
    pairs: tuple[WordPair | PlaceboPair, ...] = (*lexicon.pairs, *lexicon.placebos)
    words = dict.fromkeys(word for pair in pairs for word in (pair.first, pair.second))
    return [word for word in words if word not in lexicon.words]


# Part of speech and head: by the pipeline's parse, else by spelling.


def _read_tags(word: str, pipeline: Pipeline | None) -> list[TaggedWord]:
    """Return the pipeline's token at the end of each word; empty without a pipeline."""
    if pipeline is None:
        return []
    analysis = pipeline.read(word)
    spans = (match.span() for match in re.finditer(r"\S+", word))
    return [tokens[-1] for start, end in spans if (tokens := analysis.words_between(start, end))]


def _find_head(texts: list[str], tags: list[TaggedWord]) -> tuple[PartOfSpeech, int, int]:
    """Return the part of speech, and the first and last index of the head."""
    names: dict[str, PartOfSpeech] = {
        "NOUN": "noun",
        "PROPN": "noun",
        "ADJ": "adjective",
        "VERB": "verb",
        "AUX": "verb",
    }
    roots = [index for index, tag in enumerate(tags) if tag.head == tag.start]
    by_spelling = _head_by_spelling(texts)
    if len(tags) == len(texts) and len(roots) == 1:
        root = roots[0]
        pos = names.get(tags[root].pos, "fixed")
        is_inside = pos == by_spelling[0] and by_spelling[1] <= root <= by_spelling[2]
        if pos == "noun" and not texts[root][:1].isupper():
            return by_spelling  # a noun in lower case: the tag is wrong
        return by_spelling if is_inside else (pos, root, root)
    return by_spelling


def _head_by_spelling(texts: list[str]) -> tuple[PartOfSpeech, int, int]:
    end = len(texts) - 1
    if not texts[end][:1].isupper() and _is_verb(texts[end]):
        return "verb", end, end
    if texts[0].lower() in german_words.PREPOSITIONS:
        return "fixed", 0, end
    nouns = [
        index for index, text in enumerate(texts) if text[:1].isupper() and not _is_modifier(texts, index)
    ]
    if not nouns:
        return ("adjective", 0, 0) if not end else ("fixed", 0, end)
    first = last = nouns[0]
    if any(not german_words.is_inflected(text.lower()) for text in texts[: max(first - 1, 0)][-1:]):
        return ("noun", first, last)
    while last + 1 in nouns and not texts[last + 1].isupper():
        last += 1  # "Facility Manager"
    return "noun", first, last


def _is_verb(text: str) -> bool:
    return german_words.is_infinitive(text) and german_words.is_known(text) and not text.endswith("fern")


_ADJECTIVE = re.compile(r"\w+(?:lich|isch|ig|al|ell|iv|sam|los)e[rs]?")


def _is_modifier(texts: list[str], index: int) -> bool:
    """Whether a capitalised word is an adjective before its noun: "Medizinische Betreuung"."""
    if index + 1 >= len(texts) or not texts[index + 1][:1].isupper():
        return False
    text, lowercase = texts[index], texts[index].lower()
    if text.endswith("iner") or _ADJECTIVE.fullmatch(lowercase):
        return True
    return german_words.is_inflected(lowercase) and german_words.lemma(text) != text


def _modifier_stems(texts: list[str], adverb_positions: set[int]) -> Iterator[str]:
    """Yield the stems of adjectives, each with the adverbs before it ("marktwirtschaftlich orientiert")."""
    adverbs: list[str] = []
    for index, text in enumerate(texts):
        lowercase = text.lower()
        if text[:1].isupper() and text.endswith("er") and german_words.lemma(lowercase) != lowercase[:-2]:
            yield " ".join([*adverbs, text])  # "Berliner" has no endings
        elif index in adverb_positions or not german_words.is_inflected(lowercase):
            adverbs.append(text)
            continue
        else:
            ending = next(ending for ending in ENDINGS if text.endswith(ending))
            yield " ".join([*adverbs, lowercase.removesuffix(ending)])
        adverbs = []


# Nouns: like a word of the lexicon with the same end, else by ending.


@dataclass(frozen=True, slots=True)
class _Suffix:
    """Inflection of nouns with an ending: gender, plural ending (None: no plural), linking element."""

    gender: str
    plural: str | None
    linking: str
    declension: str = "strong"


_SUFFIXES: Mapping[str, _Suffix] = {
    **dict.fromkeys(("ung", "heit", "keit", "schaft", "tion", "sion", "tät"), _Suffix("f", "en", "s")),
    "ie": _Suffix("f", "n", ""),
    "enz": _Suffix("f", "en", ""),
    "anz": _Suffix("f", "en", ""),
    "ik": _Suffix("f", "en", ""),
    "innen": _Suffix("f", "", ""),
    "ling": _Suffix("m", "e", "s"),
    "ismus": _Suffix("m", None, ""),
    "ist": _Suffix("m", "en", "en", "weak"),
    "ent": _Suffix("m", "en", "en", "weak"),
    "ant": _Suffix("m", "en", "en", "weak"),
    "ment": _Suffix("n", "e", ""),
    "chen": _Suffix("n", "", ""),
    "lein": _Suffix("n", "", ""),
    "er": _Suffix("m", "", ""),
    "e": _Suffix("f", "n", "n"),
}
_INFINITIVE = _Suffix("n", None, "s")  # "das Trinken"
_GENDERS = {"Masc": "m", "Fem": "f", "Neut": "n"}
_PLURALS = tuple(noun.lower() for noun in german_words.PLURALIA)
_SHORTEST_END = 4  # letters of a lexicon word that ends a new one
_MIN_VERB = 5  # letters of a verb in a participle ("Asylsuchende")


def _propose_noun(proposal: MorphologyProposal, head: str, lexicon: Lexicon, tag: TaggedWord | None) -> None:
    cells, doubts = proposal.cells, proposal.doubts
    gender = _GENDERS.get(tag.gender, "") if tag else ""
    if model := _find_model(head, lexicon, cells["word"]):
        proposal.source = f"{model.word!r}"
        _inflect_like(proposal, head, model, tag)
    elif stem := _adjectival_stem(head):
        cells |= {
            "gender": "m/f",
            "citation": "sg" if head.endswith("er") else "pl",
            "singular": f"{stem}e",
            "genitive": f"{stem}en",
            "plural": f"{stem}e",
            "declension": "adjectival",
            "linking": f"{stem}en",
        }
    else:
        _inflect_by_ending(proposal, head, gender, tag)
    if cells["tail"] or cells["modifiers"]:
        cells["linking"] = ""  # a phrase is no member of a compound
        doubts.pop("linking", None)
    if gender and gender not in cells["gender"]:
        doubts["gender"] = f"{gender} in the pipeline"


def _find_model(head: str, lexicon: Lexicon, word: str) -> Word | None:
    """Return the noun of the lexicon with the longest form that ends a word."""
    candidates: list[tuple[int, Word]] = []
    for model in lexicon.words.values():
        if model.pos != "noun" or model.word == word or model.modifiers or model.tail:
            continue
        lengths = [
            len(form)
            for form in (model.singular, model.plural)
            if form and len(form) >= _SHORTEST_END and head.lower().endswith(form.lower())
        ]
        candidates += [(length, model) for length in lengths]
    # Of equal lengths a word with linking forms, which many neutral words lack.
    best = max(candidates, key=lambda candidate: (candidate[0], bool(candidate[1].linking)), default=None)
    return best[1] if best else None


def _inflect_like(proposal: MorphologyProposal, head: str, model: Word, tag: TaggedWord | None) -> None:
    """Fill the cells with the forms of a word of the lexicon after the new beginning."""
    matches = [
        (len(form), number, form)
        for number, form in (("pl", model.plural), ("sg", model.singular))
        if form and head.lower().endswith(form.lower())
    ]
    length, number, _ = max(matches)
    start = head[:-length]

    def join(form: str) -> str:
        is_inside = start and not start.endswith("-")
        return start + (form[0].lower() + form[1:] if is_inside else form)

    has_one_form = model.singular == model.plural
    if has_one_form:
        number = "pl" if tag and tag.number == "Plur" else "sg"
        proposal.doubts["citation"] = "singular and plural are the same"
    proposal.cells |= {
        "gender": model.gender or "",
        "citation": number,
        "singular": join(model.singular) if model.singular else "",
        "genitive": "|".join(map(join, model.genitive)),
        "plural": join(model.plural) if model.plural else "",
        "declension": model.declension or "",
        "linking": "|".join(map(join, model.linking)),
    }
    for column in ("plural", "linking"):
        if not getattr(model, column):
            proposal.doubts[column] = f"{model.word!r} has none"


def _adjectival_stem(head: str) -> str:
    """Return the stem of a nominalised adjective or participle ("Geflüchtete"), or ""."""
    stem = re.sub("er?$", "", head)
    verbs = (stem[start:-1].lower() for start in range(len(stem) - _MIN_VERB))
    is_participle = stem.endswith("end") and any(map(_is_verb, verbs))
    is_adjective = stem != head and f"{stem}e".lower().endswith(german_words.ADJECTIVAL)
    return stem if is_participle or is_adjective else ""


def _inflect_by_ending(proposal: MorphologyProposal, head: str, gender: str, tag: TaggedWord | None) -> None:
    cells, doubts = proposal.cells, proposal.doubts
    lemma = tag.lemma if tag and tag.lemma[:1].isupper() else german_words.lemma(head)
    has_plural_form = (tag.number == "Plur") if tag and tag.number else german_words.is_plural(head) is True
    has_plural_form = has_plural_form and (lemma != head or bool(tag and tag.number))
    singular = lemma if has_plural_form and lemma[:1].isupper() else head
    if head.lower().endswith(_PLURALS):
        cells |= {"gender": gender or "f", "citation": "pl", "plural": head, "declension": "strong"}
        doubts["gender"] = doubts["linking"] = "of no effect without a singular"
        return
    ending = next((end for end in sorted(_SUFFIXES, key=len, reverse=True) if singular.endswith(end)), "")
    suffix = _INFINITIVE if _is_verb(singular.lower()) else _SUFFIXES.get(ending)
    # Nouns in -e, -er, -ent, -ant and -ist can have any gender.
    is_certain = bool(suffix) and ending not in ("e", "er", "ent", "ant", "ist")
    by_form = suffix.gender if suffix and is_certain else german_words.gender(singular) or gender
    by_form = by_form or (suffix.gender if suffix else "")
    if suffix and suffix.gender != by_form:
        suffix = None
    cells |= {
        "gender": by_form,
        "citation": "pl" if has_plural_form else "sg",
        "singular": singular,
        "genitive": _genitive(singular, by_form, suffix),
        "plural": head if has_plural_form else "",
        "declension": suffix.declension if suffix else "strong",
        "linking": singular + (suffix.linking if suffix else ""),
    }
    if suffix and suffix.plural is not None and not has_plural_form:
        cells["plural"] = singular + suffix.plural
        doubts["plural"] = "perhaps none"
    if not by_form:
        doubts["gender"] = "unknown, fill it in"
        doubts["genitive"] = "follows from the gender"
    elif not is_certain:
        doubts["gender"] = "by the pipeline" if by_form == gender else "a guess by the ending"
    if not cells["plural"] and not (suffix and suffix.plural is None):
        doubts["plural"] = "unknown"
    if not suffix or ending == "e":
        doubts["linking"] = "a guess"


def _genitive(singular: str, gender: str, suffix: _Suffix | None) -> str:
    if suffix and suffix.declension == "weak":
        return f"{singular}en"
    if gender == "f" or not gender or singular.endswith("mus"):
        return singular if gender else ""
    if singular.endswith("nis"):
        return f"{singular}ses"
    return singular + ("es" if singular.endswith(("s", "ß", "x", "z", "sch")) else "s")


# Adjectives and verbs.


def _adjective_stem(adjective: str) -> str:
    """Return the stem before endings: "dunkl" of "dunkel", "teur" of "teuer", "hoh" of "hoch"."""
    if adjective.endswith(("auer", "euer")):
        return f"{adjective[:-2]}r"
    if adjective.endswith("el"):
        return f"{adjective[:-2]}l"
    return f"{adjective[:-2]}h" if adjective.endswith("hoch") else adjective


_INSEPARABLE = ("be", "emp", "ent", "er", "ge", "miss", "ver", "zer")


def _propose_verb(proposal: MorphologyProposal, infinitive: str) -> None:
    """Fill the forms of a regular verb; separable if the remainder of a prefix is a verb."""
    prefixes = (
        prefix
        for prefix in sorted(german_words.PREFIXES, key=len, reverse=True)
        if infinitive.startswith(prefix) and _is_verb(infinitive.removeprefix(prefix))
    )
    prefix = next(prefixes, "")
    base = infinitive.removeprefix(prefix)
    stem = base.removesuffix("n").removesuffix("e")
    stem_and_t = f"{stem}et" if stem.endswith(("d", "t")) else f"{stem}t"
    has_ge = not (base.startswith(_INSEPARABLE) or base.endswith("ieren"))
    participle = f"{prefix}{'ge' if has_ge else ''}{stem_and_t}"
    proposal.cells |= {
        "singular": infinitive,
        "genitive": f"{stem_and_t} {prefix}".strip(),
        "plural": f"{base} {prefix}".strip(),
        "linking": participle,
    }
    proposal.source = "the regular conjugation"
    if german_words.verb_lemma(participle) != infinitive:
        proposal.doubts["linking"] = "not in the dictionary, so perhaps irregular"
