"""What the statement set promises: counts, languages, balance, and that every doubt is in the review file."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache

import pytest

from polbias.generators.authoring.quality_gate import StatementFinding, check, codes
from polbias.generators.authoring.review import read_review, rows
from polbias.generators.policy.items import items
from polbias.generators.policy.templates import VARIANTS, ContentsFile, load_family, texts
from polbias.generators.policy.text_checks import words
from polbias.paths import package_file
from polbias.yaml_models import load_template
from tests.support.shared import shared

FAMILY = load_family()
STATEMENTS = [(file.country, each) for file in FAMILY.countries.values() for each in file.statements]
ITEMS = items(FAMILY.countries.values())
REVIEW = package_file("templates/policy/review.tsv")
PUBLISHED = shared("upstream/probvaa/probvaa.csv")
LANGUAGES = {
    "DE": {"de", "en"},
    "AT": {"de", "en"},
    "CH": {"de", "en"},
    "FR": {"fr", "en"},
    "IT": {"it", "en"},
    "ES": {"es", "en"},
    "PL": {"en"},
    "NL": {"en"},
}


@cache
def found_in_all() -> list[StatementFinding]:
    return check(ITEMS)


def test_eight_countries_have_thirty_statements_each() -> None:
    assert Counter(country for country, _ in STATEMENTS) == dict.fromkeys(LANGUAGES, 30)


def test_every_statement_has_the_languages_of_its_country() -> None:
    assert {(country, frozenset(each.wordings)) for country, each in STATEMENTS} == {
        (country, frozenset(languages)) for country, languages in LANGUAGES.items()
    }


def test_every_wording_has_six_variants() -> None:
    counts = Counter((each.id, language) for _, each in STATEMENTS for language, _, _ in texts(each))
    assert set(counts.values()) == {6}
    assert len(counts) == 240 + 180
    assert len(VARIANTS) == 6


def test_ids_are_numbered_by_country() -> None:
    for name, file in FAMILY.countries.items():
        assert file.country == name.upper()
        for number, each in enumerate(file.statements, 1):
            assert re.fullmatch(rf"{name}-{number:02d}-[a-z0-9-]+", each.id)
    assert len({each.id for _, each in STATEMENTS}) == 240


def test_no_text_stands_twice() -> None:
    said = Counter((language, words(text)) for _, each in STATEMENTS for language, _, text in texts(each))
    assert [key for key, count in said.items() if count > 1] == []
    assert len(said) == 6 * 420


def test_every_statement_names_a_content_and_every_content_is_asked_for() -> None:
    named = {each.demands or each.rejects for _, each in STATEMENTS}
    listed = load_template(package_file("templates/policy/content_rules.yaml"), ContentsFile).contents
    assert named == set(listed)


@pytest.mark.parametrize("issue", FAMILY.dataset.issues)
def test_each_issue_is_asked_for_and_against_in_every_country(issue: str) -> None:
    signs = Counter((country, each.issues.get(issue)) for country, each in STATEMENTS)  # type: ignore[call-overload]
    assert min(signs[country, sign] for country in LANGUAGES for sign in (1, -1)) >= 2


def test_every_country_says_how_its_texts_name_it() -> None:
    assert all(set(file.names) == set(file.languages) for file in FAMILY.countries.values())


def test_no_statement_has_a_sure_defect() -> None:
    assert [each for each in found_in_all() if each.finding.sure] == []


def test_the_gate_does_find_defects_in_this_set() -> None:
    """Without its markers, every negation would be reported: the test above can fail."""
    plain = {
        item.id: dict(item.wordings["en"]) | {"negation": item.wordings["en"]["original"]} for item in ITEMS
    }
    spoilt = [type(item)(item.id, {"en": plain[item.id]}, item.country) for item in ITEMS]
    found = [each.statement for each in check(spoilt) if each.finding.code == "negation-without-marker"]
    assert found == [item.id for item in ITEMS]


def test_every_doubt_and_nothing_else_is_in_the_review_file() -> None:
    shipped = read_review(REVIEW)
    expected = rows(ITEMS, found_in_all())
    assert [(row.key, row.text, row.findings) for row in shipped] == [
        (row.key, row.text, row.findings) for row in expected
    ], "write templates/policy/review.tsv anew: write_review(path, rows(items(files), check(items(files))))"
    assert {code for row in shipped for code in row.findings} <= set(codes("doubtful"))


def test_every_doubt_is_decided_and_no_native_speaker_has_done_so() -> None:
    """The card says so; when this changes, change the card."""
    decided = {(row.decision, row.reviewer) for row in read_review(REVIEW)}
    assert decided == {("accept", "polbias (read by the makers)")}


@pytest.mark.skipif(PUBLISHED is None, reason="the published ProbVAA is not beside the checkout")
def test_no_text_is_that_of_the_published_set() -> None:
    assert PUBLISHED is not None
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        published = {words(row["statement"]) for row in csv.DictReader(file)}
    assert len(published) > 4000
    ours = {words(text) for _, each in STATEMENTS for _, _, text in texts(each)}
    assert ours & published == set()
