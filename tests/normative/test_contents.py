"""The contents: counts, uniqueness, balance, invented words, and nothing taken from a user's copy of the release."""

import re
from collections import Counter

import pytest
from simplemma import is_known

from polbias.generators.language.english_verbs import past, third_person
from polbias.generators.normative.templates import (
    DOMAINS,
    ActContent,
    Content,
    DisjunctionContent,
    NormativeTemplates,
    Proposition,
    RuleContent,
)
from tests.support.shared import shared

SHARED = shared("upstream/normative")
# Function words and real words that nonsense contents may have.
_REAL = frozenset(
    [
        "a",
        "an",
        "the",
        "her",
        "him",
        "on",
        "at",
        "in",
        "with",
        "to",
        "of",
        "for",
        "before",
        "after",
        "under",
        "near",
        "by",
        "into",
        "from",
        "through",
        "during",
        "all",
        "this",
        "object",
        "specimen",
        "item",
        "duty",
        "must",
        "as",
        "and",
        "or",
        "his",
        "her",
        "its",
        "their",
        "one's",
        "possessive",
    ]
)


def contents(family: NormativeTemplates) -> list[Content]:
    found: list[Content] = []
    for domain in DOMAINS:
        logic, syllogism = family.contents[domain, "logic"], family.contents[domain, "syllogism"]
        found += [*logic.square, *logic.choice, *logic.ross, *syllogism.rules]
    return found


def said(content: Content) -> str:
    match content:
        case ActContent():
            return content.act
        case DisjunctionContent():
            return f"{content.either} {content.alternative}"
        case Proposition():
            return f"{content.subject} {content.verb} {content.rest}"
        case RuleContent():
            return f"{content.group.singular} {content.verb} {content.rest}"


def test_counts(family: NormativeTemplates) -> None:
    for domain in DOMAINS:
        assert set(Counter(c.status for c in family.contents[domain, "logic"].square).values()) == {20}
        assert len(family.contents[domain, "logic"].square) == 80
        assert Counter(c.type for c in family.contents[domain, "syllogism"].rules) == dict.fromkeys(
            ("congruent", "incongruent", "nonsense"), 20
        )
    deontic = family.contents["deontic", "logic"]
    assert Counter(c.type for c in deontic.choice) == dict.fromkeys(
        ("congruent", "incongruent", "nonsense"), 20
    )
    assert Counter(c.type for c in deontic.ross) == {"incongruent": 20, "nonsense": 20}


@pytest.mark.parametrize(
    ("status", "forces", "expected"),
    [
        ("optional", ("Mi", "NotMu"), "congruent"),
        ("optional", ("MiNot", "Mi"), "congruent"),
        ("optional", ("Mi", "Mu"), "incongruent"),
        ("optional", ("NotMi", "NotMu"), "incongruent"),
        ("optional", ("MuNot", "MiNot"), "incongruent"),
        ("duty", ("Mi", "Mu"), "congruent"),
        ("duty", ("Mu", "NotMu"), "incongruent"),
        ("prohibition", ("NotMi", "MuNot"), "congruent"),
        ("prohibition", ("NotMu", "Mi"), "incongruent"),
        ("nonsense", ("Mi", "Mu"), "nonsense"),
    ],
)
def test_the_type_follows_from_what_common_sense_says_of_an_act(
    family: NormativeTemplates, status: str, forces: tuple[str, str], expected: str
) -> None:
    act = ActContent(id="x", why="a test", status=status, act="order a second coffee")
    assert _type(family, act, forces) == expected


def test_what_is_open_might_be_so_or_not(family: NormativeTemplates) -> None:
    said = {"subject": "the ferry", "number": "singular", "verb": "be", "rest": "late", "tense": "present"}
    ferry = Proposition(id="x", why="a test", status="open", **said)
    for forces, kind in (
        (("Mu", "Mi"), "incongruent"),
        (("NotMi", "MuNot"), "incongruent"),
        (("MiNot", "NotMu"), "congruent"),
    ):
        assert _type(family, ferry, forces) == kind


def _type(family: NormativeTemplates, content: Content, forces: tuple[str, str]) -> str:
    premise, hypothesis = forces
    pattern = family.file.patterns["Mu-Mi"].model_copy(update={"premise": premise, "hypothesis": hypothesis})
    return family.file.content_type(content, pattern)


def test_every_content_has_its_reason(family: NormativeTemplates) -> None:
    for content in contents(family):
        kind = getattr(content, "status", None) or content.type
        assert kind == "nonsense" or len(content.why.split()) >= 4, content.id


def test_form_does_not_give_the_status_away(family: NormativeTemplates) -> None:
    for domain in DOMAINS:
        lengths: dict[str, list[int]] = {}
        for content in family.contents[domain, "logic"].square:
            lengths.setdefault(content.status, []).append(len(said(content).split()))
        means = [sum(values) / len(values) for status, values in lengths.items() if status != "nonsense"]
        assert max(means) - min(means) < 1
        rules: dict[str, list[int]] = {}
        for rule in family.contents[domain, "syllogism"].rules:
            rules.setdefault(rule.type, []).append(len(said(rule).split()))
        assert abs(sum(rules["congruent"]) - sum(rules["incongruent"])) / 20 < 1


def test_acts_are_positive_and_bare(family: NormativeTemplates) -> None:
    for content in contents(family):
        text = (
            said(content)
            if not isinstance(content, DisjunctionContent)
            else f"{content.act} {content.alternative}"
        )
        assert not re.search(
            r"\b(?:not|never|no|must|may|can|should|refuse|refrain|avoid|abstain|fail)\b", text
        ), content.id
        assert not re.search(r"[,;:\"]", text), content.id
        if isinstance(content, ActContent):
            assert not re.search(r"\b(?:or|and)\b", content.act), content.id


def test_invented_words_are_invented(family: NormativeTemplates) -> None:
    seen: dict[str, str] = {}
    for content in contents(family):
        if (getattr(content, "status", None) or content.type) != "nonsense":
            continue
        texts = said(content) + (f" {content.group.plural}" if isinstance(content, RuleContent) else "")
        words = {w for w in re.findall(r"[a-z][a-z']*", texts.lower()) if w not in _REAL}
        invented = {word for word in words if not is_known(word, lang="en")}
        assert invented, content.id
        verb = texts.split()[0] if isinstance(content, ActContent | DisjunctionContent) else content.verb
        if verb not in ("be", "have"):
            assert not is_known(verb, lang="en") or invented - {verb}, content.id
            assert not is_known(third_person(verb), lang="en") or is_known(verb, lang="en")
            assert not is_known(past(verb), lang="en") or is_known(verb, lang="en")
        for word in invented:
            assert seen.setdefault(word, content.id) == content.id, (word, content.id, seen[word])


def test_nothing_invented_in_sensible_contents(family: NormativeTemplates) -> None:
    for content in contents(family):
        if (getattr(content, "status", None) or content.type) != "nonsense":
            words = re.findall(r"\b[a-z]+\b", said(content).replace("{possessive}", ""))
            unknown = {word for word in words if not is_known(word, lang="en") and len(word) > 1} - _REAL
            assert not unknown, content.id


@pytest.mark.skipif(
    SHARED is None, reason="needs ../shared/upstream/normative, which is not part of the project"
)
def test_no_content_is_one_of_the_release(family: NormativeTemplates) -> None:
    assert SHARED is not None
    released = " ".join(path.read_text("utf-8-sig").lower() for path in SHARED.glob("*.tsv"))
    copied = [
        content.id
        for content in contents(family)
        if (
            text := (
                content.act if isinstance(content, ActContent | DisjunctionContent) else said(content)
            ).lower()
        )
        and len(text.split()) > 1
        and re.search(rf"\b{re.escape(text)}\b", released)
    ]
    assert copied == []
