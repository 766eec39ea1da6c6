"""Rules of English over every sentence of all problems, written without the templates."""

import re
from itertools import chain

import pytest

from polbias.generators.normative.items import Problem

# Words whose first letter misleads about their first sound; whoever adds one to the contents adds it here.
_AN_BEFORE_CONSONANT = frozenset({"hour", "honest", "heir"})
_A_BEFORE_VOWEL = frozenset({"uniform", "university", "unicorn", "european", "one-way", "used"})
_MODAL = r"(?:must|might|may|can|cannot|could)"
_ARTICLE = re.compile(r"\b(a|an) (\w[\w-]*)", re.IGNORECASE)


@pytest.fixture(scope="module")
def sentences(every: list[Problem]) -> list[str]:
    said = chain.from_iterable((*problem.premises, problem.hypothesis) for problem in every)
    return list(dict.fromkeys(sentence.text for sentence in said))


@pytest.fixture(scope="module")
def verbs(every: list[Problem]) -> dict[str, set[str]]:
    """Base forms of all verbs of contents that have one field for it."""
    bases = {problem.content.verb for problem in every if hasattr(problem.content, "verb")}
    return {
        "base": bases,
        "third": {f"{verb}s" for verb in bases} | {f"{verb}es" for verb in bases} | {"is", "are", "has"},
    }


def test_there_are_enough_sentences(sentences: list[str]) -> None:
    assert len(sentences) > 2900


def test_typography(sentences: list[str]) -> None:
    for sentence in sentences:
        assert re.fullmatch(r"[A-Z][^\s.]*(?: [^\s.]+)*\.", sentence), sentence
        assert not re.search(r" ,|,,|'' |\bnot not\b|[{}]|\bNone\b", sentence), sentence


def test_articles(sentences: list[str]) -> None:
    for sentence in sentences:
        for article, word in _ARTICLE.findall(sentence):
            low = word.lower()
            vowel = low in _AN_BEFORE_CONSONANT or (
                low[0] in "aeiou" and low not in _A_BEFORE_VOWEL and not low.startswith("uni")
            )
            assert (article.lower() == "an") == vowel, sentence
        assert not re.search(
            r"\b(?:a|an|the) (?:a|an|the|all|his|her|its|their|your)\b", sentence, re.IGNORECASE
        ), sentence


def test_agreement_of_be(sentences: list[str]) -> None:
    for sentence in sentences:
        assert not re.search(r"\b(?:you|they) (?:is|was|has|does)\b", sentence, re.IGNORECASE), sentence
        assert not re.search(r"\b(?:he|she|it|this \w+) (?:are|were|have|do)\b", sentence, re.IGNORECASE), (
            sentence
        )
        if match := re.match(
            r"(All .+?) (is|are|was|were) (?:certain|known|required|permitted|allowed)", sentence
        ):
            assert match[2] == "are", sentence
        assert "There are a" not in sentence


def test_base_forms_after_modals_to_and_do(sentences: list[str], verbs: dict[str, set[str]]) -> None:
    after = re.compile(rf"\b(?:{_MODAL}|to|do not|does not|did not)(?: not)? (?!choose\b)(\w+)")
    for sentence in sentences:
        for word in after.findall(sentence):
            assert word not in verbs["third"] - verbs["base"], sentence
            assert word not in {"is", "are", "was", "were", "been", "had", "has"}, sentence


def test_perfect_infinitives_take_participles(sentences: list[str], verbs: dict[str, set[str]]) -> None:
    simple_past_only = {
        "was",
        "were",
        "spoke",
        "flew",
        "began",
        "took",
        "hid",
        "drank",
        "sang",
        "wrote",
        "grew",
        "knew",
    }
    for sentence in sentences:
        if match := re.search(rf"(?:{_MODAL}(?: not)?|certain to|known to) have (\w+)", sentence):
            follows = match[1]
            past = re.search(r"ed$|en$|wn$|ght$|un$|ne$|ft$|nt$|me$|ad$|lt$|id$|st$", follows)
            assert follows not in simple_past_only, sentence
            assert past or follows not in verbs["base"], sentence


def test_do_support_and_negation(sentences: list[str]) -> None:
    for sentence in sentences:
        assert not re.search(r"\b(?:do|does|did) not (?:be|is|are|was|were)\b", sentence), sentence
        assert not re.search(r"\b(?:must|might|may|could) (?:does|did|do not)\b", sentence), sentence
        assert not re.search(r"\bto not\b", sentence), sentence
        assert not re.search(
            r"\b(?:permitted|allowed|required|obligatory|mandatory|acceptable|permissible) to to\b", sentence
        )


def test_possessives_and_pronouns_agree(every: list[Problem]) -> None:
    for problem in every:
        gender = getattr(problem.content, "gender", None)
        for said in (*problem.premises, problem.hypothesis):
            if gender and not said.text.startswith(
                (
                    "All ",
                    "It is obligatory for all",
                    "It is mandatory for all",
                    "There is an obligation for all",
                )
            ):
                wrong = {"she", "he", "it", "her", "his", "its", "him", "their", "your"} - {
                    "she": {"she", "her"},
                    "he": {"he", "his", "him"},
                    "it": {"it", "its"},
                }[gender]
                words = set(re.findall(r"\w+", said.text.removeprefix("It ")))
                words -= {"it"} if "it is" in said.text or said.text.startswith("It ") else set()
                assert not words & wrong, said.text
            if said.text.startswith("All "):
                assert not re.search(r"\b(?:her|his|its|your)\b", said.text), said.text


def test_no_operator_frame_says_more_than_one_thing(sentences: list[str]) -> None:
    """ "You may not" forbids or permits an omission, so "may" is never negated."""
    assert not [sentence for sentence in sentences if re.search(r"\bmay not\b", sentence)]
