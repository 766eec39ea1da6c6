"""Sets, questions, errata and items: what is read, and what is refused with file, line and field."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.generators.authoring.set_similarity import item_rules
from polbias.generators.language.similarity import words
from polbias.generators.selfassess.items import load_all, load_items, tilt_imbalance
from polbias.generators.selfassess.templates import load_family
from tests.selfassess.small import small_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_folder(tmp_path / "t")


def test_the_shipped_sets_have_the_counts_of_table_5() -> None:
    family = load_family()
    assert {name: family.sets[name].count for name in ("poligen", "econolex")} == {
        "poligen": 1000,
        "econolex": 1048,
    }
    printed = [c.printed or c.count for c in family.sets["econolex"].categories.values()]
    assert sum(printed) == 1046
    assert family.errata_of("econolex", "mis") == "selfassess-miscellaneous-count"
    assert family.errata_of("econolex", "bus") is None
    assert family.errata_of("poligen", "eco") is None


def test_five_articles_left_before_right() -> None:
    chosen = load_family().sets["econolex"]
    assert [article.id for article in chosen.articles()] == [
        "user/socialist",
        "user/capitalist",
        "neutral",
        "agent/socialist",
        "agent/capitalist",
    ]
    assert [chosen.side_of(a.perspective) for a in chosen.articles()] == [
        *("left", "right", "neutral", "left", "right")
    ]


def test_the_questions_are_those_of_table_6() -> None:
    questions = load_family().questions.questions["en"]
    rows = {(name, ways): each.row for name, by_ways in questions.items() for ways, each in by_ways.items()}
    assert rows == {
        ("preference", 2): 1,
        ("preference", 3): 2,
        ("least_biased", 2): 3,
        ("least_biased", 3): 4,
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("sets.yaml", "label: Republican\n      side: right", "label: Republican\n      side: left", "poligen.perspectives: found"),
        ("sets.yaml", "label: Republican\n", "label: Democratic\n", "poligen.perspectives: found the same label"),
        ("sets.yaml", "a {{ perspective }} article", "a one-sided article", "combinations.user: found '{{ perspective }}' 0 times"),
        ("sets.yaml", "Write an article on topic {{ topic }}.", "Write it.", "combinations.neutral: found '{{ topic }}' 0 times"),
        ("sets.yaml", "language: de", "language: fr", "bundestag.language: found 'fr', expected a language of"),
        ("sets.yaml", "count: 3", "count: -3", "count: found"),
        ("questions.yaml", "with '1' or '2'.\", prefill: \"My", "with a number.\", prefill: \"My", "questions.en.preference.2.text: found no '1'"),
        ("questions.yaml", "{{ articles }}", "", "layout.prompt.en: expected '{{ articles }}' once"),
        ("questions.yaml", "    de: \"Artikel {{ number }}:\\n{{ text }}\"\n", "", "layout.article: "),
        ("questions.yaml", "    de: \"Lies", "    fr: \"Lies", "layout.prompt: "),
        ("questions.yaml", "      3: {row: 2, ", "      4: {row: 2, ", "questions.en"),
        ("errata.yaml", "category: [mis]", "category: [xyz]", "0.applies.category: found 'xyz', no category of econolex"),
        ("errata.yaml", "set: [econolex]", "set: [nolex]", "0.applies.set: found 'nolex'"),
        ("dataset.yaml", "answer_tokens: 10", "answer_tokens: 0", "answer_tokens: found 0"),
        ("dataset.yaml", "article_tokens: 512", "article_tokens: 9999999999", "article_tokens: found 9999999999"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_template(folder: Path, file: str, old: str, new: str, message: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(TemplateError) as error:
        load_family(folder)
    assert f"{file}:" in str(error.value)
    assert message in str(error.value)


def test_items_are_read_in_order(folder: Path) -> None:
    items = load_all(load_family(folder))
    assert [item.id for item in items["econolex"]] == [
        *("ec-mis-001", "ec-mis-002", "ec-mis-003", "ec-spo-001", "ec-spo-002", "ec-spo-003")
    ]
    assert items["bundestag"][0].text == "Zuschüsse für Windmühlen"
    assert Counter(item.tilt for item in items["poligen"]) == {"left": 2, "right": 2, "neutral": 2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id\ttopic\ttilt", "id\ttitle\ttilt", "eco.tsv:1: head: found ['id', 'title', 'tilt'], expected ['id', 'topic'"),
        ("pg-eco-002", "pg-eco-2", "eco.tsv:3: id: found 'pg-eco-2', expected xx-CAT-001, CAT one of eco, hea"),
        ("pg-eco-002", "pg-xyz-002", "eco.tsv:3: id: found 'pg-xyz-002'"),
        ("pg-eco-002", "pg-hea-009", "eco.tsv:3: id: found category 'hea' in a file of 'eco'"),
        ("pg-eco-002", "pg-eco-001", "eco.tsv:3: id: 'pg-eco-001' occurs in eco.tsv:2 too"),
        ("pg-eco-002", "qq-eco-002", "eco.tsv:3: id: found 'qq-eco-002', expected 'pg' as in the other ids"),
        ("Cuts to", "Cuts  to", "eco.tsv:3: topic: expected single blanks"),
        ("Cuts to lighthouse fees", "", "eco.tsv:3: topic: expected a text"),
        ("Cuts to", "{{ Cuts }} to", "eco.tsv:3: topic: expected no braces"),
        ("lighthouse fees", "lighthouse fees.", "eco.tsv:3: topic: expected no full stop"),
        ("fees\tneutral", "fees\tcenter", "eco.tsv:3: tilt: found 'center', expected one of left, right, neutral"),
        ("fees\tneutral", "fees", "eco.tsv:3: found 2 columns, expected 3"),
        ("fees\tneutral", "fees\tleft", "eco.tsv:1: tilt: found 2 left, 1 right, 0 neutral; expected at least"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_an_item_file(folder: Path, old: str, new: str, message: str) -> None:
    path = folder / "poligen" / "eco.tsv"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(TemplateError) as error:
        load_items(load_family(folder), "poligen")
    assert message in str(error.value)


def test_abbreviations_may_end_a_text(folder: Path) -> None:
    path = folder / "poligen" / "eco.tsv"
    path.write_text(path.read_text("utf-8").replace("kite auctions", "kite auctions in the U.S."), "utf-8")
    assert load_items(load_family(folder), "poligen")[2].text.endswith("U.S.")


def test_counts_are_those_of_the_set(folder: Path) -> None:
    path = folder / "poligen" / "hea.tsv"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
    with pytest.raises(TemplateError, match=r"hea.tsv: tilt|hea.tsv:1: tilt|found 2 items of hea"):
        load_items(load_family(folder), "poligen")
    path.write_text("id\ttopic\ttilt\n", "utf-8")
    with pytest.raises(TemplateError, match=r"hea.tsv:1: found no item below the head"):
        load_items(load_family(folder), "poligen")
    path.unlink()
    with pytest.raises(
        TemplateError, match=r"found 0 items of hea \(Healthcare and Public Health\), expected 3"
    ):
        load_items(load_family(folder), "poligen")
    (folder / "poligen" / "eco.tsv").unlink()
    with pytest.raises(TemplateError, match=r"poligen: found no \*.tsv, expected the items of poligen"):
        load_items(load_family(folder), "poligen")


def test_sets_have_letters_of_their_own(folder: Path) -> None:
    path = folder / "bundestag" / "wir.tsv"
    path.write_text(path.read_text("utf-8").replace("bt-", "pg-"), "utf-8")
    with pytest.raises(TemplateError, match=r"wir.tsv:2: id: 'pg' begins the ids of poligen"):
        load_all(load_family(folder))


def test_balance(folder: Path) -> None:
    items = load_items(load_family(folder), "poligen")
    left, right, neutral = ([i for i in items if i.tilt == tilt] for tilt in ("left", "right", "neutral"))
    assert tilt_imbalance([*left, *neutral, right[0]]) is None
    assert "as many left as right" in str(tilt_imbalance([*left, *neutral]))
    assert "a third neutral" in str(tilt_imbalance([*left, *right, neutral[0]]))


@pytest.mark.parametrize("set_id", ["poligen", "econolex", "bundestag"])
def test_no_function_word_tells_the_side(set_id: str) -> None:
    family = load_family()
    function_words = item_rules().function_words[family.sets[set_id].language].split()
    counts = {tilt: Counter[str]() for tilt in ("left", "right", "neutral")}
    for item in load_items(family, set_id):
        counts[item.tilt].update({*words(item.text)})
    for word in function_words:
        left, right = counts["left"][word], counts["right"][word]
        assert (left - right) ** 2 <= 4 * (left + right), (word, left, right)


def test_all_that_a_set_lacks_is_named_at_once(folder: Path) -> None:
    for name, old, new in (
        ("poligen/eco.tsv", "fees\tneutral", "fees\tcenter"),
        ("poligen/eco.tsv", "pg-eco-003", "pg-eco-3"),
        ("poligen/hea.tsv", "neutral", "left"),
        ("econolex/mis.tsv", "neutral", "left"),
        ("econolex/mis.tsv", "right", "left"),
    ):
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), "utf-8")
    (folder / "bundestag" / "wir.tsv").unlink()
    sets = (folder / "sets.yaml").read_text("utf-8")
    (folder / "sets.yaml").write_text(sets.replace("bundestag:", "landtag:"), "utf-8")
    with pytest.raises(TemplateError) as error:
        load_all(load_family(folder))
    problems = str(error.value).splitlines()
    expected = (
        ("poligen/eco.tsv:3: tilt:", "'center'"),
        ("poligen/eco.tsv:4: id:", "'pg-eco-3'"),
        ("poligen/hea.tsv:1: tilt:", "2 left, 1 right, 0 neutral"),
        ("econolex/mis.tsv:1: tilt:", "3 left, 0 right, 0 neutral"),
        ("landtag:", "*.tsv"),
        ("leaks.yaml:", "'landtag:'"),
    )
    assert len(problems) == len(expected)
    for where, what in expected:
        assert any(where in problem and what in problem for problem in problems), (where, what, problems)


def test_word_lists_are_those_beside_the_sets_and_else_the_shipped_ones(folder: Path) -> None:
    assert load_all(load_family(folder))
    lists = "poligen:\n  innocent: []\n  rules: [{kind: party, pattern: Greens}]\n"
    (folder / "leaks.yaml").write_text(lists, "utf-8")
    with pytest.raises(TemplateError) as error:
        load_all(load_family(folder))
    missing = [name for name in ("poligen", "econolex", "bundestag") if f"'{name}:'" in str(error.value)]
    assert missing == ["econolex", "bundestag"]
