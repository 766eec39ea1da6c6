"""Negation with the tokens of spaCy, and with what a trained pipeline says of the verb."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.generators.authoring.negation import (
    LANGUAGES,
    Pipeline,
    TaggedStatement,
    TaggedWord,
    finite,
    load,
    negate,
    tagger_objection,
)
from polbias.generators.policy.templates import VARIANTS, load_family
from tests.support.pipelines import tagger
from tests.support.process import run_python
from tests.support.shared import shared

# spaCy is read only where a test of it runs: the import takes seconds.
pytestmark = pytest.mark.skipif(not find_spec("spacy"), reason="spaCy is not installed")
FINITE, NOUN, INFINITIVE = "VERB VerbForm=Fin", "NOUN", "VERB VerbForm=Inf"


@cache
def lightly(language: str) -> Pipeline:
    """The tokens of spaCy without a trained pipeline."""
    import spacy

    return Pipeline(spacy.blank(language), f"blank:{language}")


def tagged(language: str, **tags: str) -> Pipeline:
    return Pipeline(tagger(language, tags), "test")


# Tokens


def statements() -> list[tuple[str, str]]:
    return [
        (language, wording.text(variant))
        for file in load_family().countries.values()
        for statement in file.statements
        for language, wording in statement.wordings.items()
        if language in LANGUAGES
        for variant in VARIANTS
    ]


def test_every_shipped_text_is_negated_alike_with_the_tokens_of_spacy() -> None:
    texts = statements()[::5]  # of every one of the six variants
    assert len({language for language, _ in texts}) == 4
    assert len(texts) > 48 * len(VARIANTS)
    differing = [text for lang, text in texts if negate(text, lang, lightly(lang)) != negate(text, lang)]
    assert differing == []


@pytest.mark.parametrize(
    ("language", "statement", "negation"),
    [
        ("en", "The U.S. should leave.", "The U.S. should not leave."),
        ("en", "Tax-free workers' savings shouldn't be taxed.", "Tax-free workers' savings should be taxed."),
        ("en", "It's right that 12-year-olds pay 5%.", "It's not right that 12-year-olds pay 5%."),
        ("en", 'The "debt brake (of 2003)" (e.g. in towns) must go.', 'The "debt brake (of 2003)" (e.g. in towns) need not go.'),
        ("en", "Towns cannot and/or will not pay.", None),
        ("de", "Lehrer:innen und/oder Bürger(innen) sollen 50% zahlen.", "Lehrer:innen und/oder Bürger(innen) sollen nicht 50% zahlen."),
        ("de", "Nach Art. 5 Abs. 2 soll z. B. die Presse frei sein.", "Nach Art. 5 Abs. 2 soll z. B. die Presse nicht frei sein."),
        ("de", "Am 1. Mai soll die „Bremse“ (seit 2009) gelockert werden.", "Am 1. Mai soll die „Bremse“ (seit 2009) nicht gelockert werden."),
        ("es", "EE.UU. debe irse.", "EE.UU. no tiene que irse."),
        ("it", "C'è bisogno dell'arte.", "Non c'è bisogno dell'arte."),
    ],
)  # fmt: skip
def test_tokens_are_merged_to_what_the_rules_expect(
    language: str, statement: str, negation: str | None
) -> None:
    assert negate(statement, language, lightly(language)).text == negation


@pytest.mark.parametrize(
    ("language", "statement", "negation"),
    [
        # A full stop without a blank behind it, a stray quote, and an elided article.
        ("de", "Der Staat ist reich.Der Bund soll zahlen.", "Der Staat ist reich.Der Bund soll nicht zahlen."),
        ("de", 'Die Löhne sollen steigen."', 'Die Löhne sollen nicht steigen."'),
        ("it", "L'imposta pesa sui redditi.", "L'imposta non pesa sui redditi."),
    ],
)  # fmt: skip
def test_tokens_of_spacy_decide_where_the_own_ones_fail(language: str, statement: str, negation: str) -> None:
    assert negate(statement, language, lightly(language)).text == negation
    assert negate(statement, language).text != negation


_SOUP = (
    "the state should not all who and is do cuts harm need to can't it's U.S. e.g. z.B. z. B. soll nicht kein Abs. "
    "5% 2. 12-year-old dell'arte c'è no debe deve die Bund , . ? ! ; : ( ) [ ] \" „ “ ” « » ' ’ – - … ..."
)


@pytest.mark.parametrize("language", LANGUAGES)
@given(
    text=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_SOUP.split()), max_size=20).map(" ".join))
)
@settings(max_examples=100, deadline=None)
def test_no_text_is_an_error(language: str, text: str) -> None:
    found = negate(text, language, lightly(language))
    assert found.text is None or found.text.strip()
    assert found.text not in (text, text.strip())
    assert (found.text is None) == found.rule.startswith("abstain:")


@given(st.text(max_size=60), st.data())
def test_pieces_are_the_text_without_its_blanks(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    opaque = list(zip(places[::2], places[1::2], strict=False))
    pieces = lightly("en").read(text).pieces(text, 0, opaque=opaque)
    assert "".join("".join(text[a:b].split()) for a, b in pieces) == "".join(text.split())
    assert {each for each in opaque if text[slice(*each)].strip()} <= set(pieces)
    assert pieces == sorted(pieces)


# What a trained pipeline says


def test_words_say_what_they_are() -> None:
    fin, inf = TaggedWord(0, 2, "AUX", frozenset({"Fin"})), TaggedWord(0, 2, "VERB", frozenset({"Inf"}))
    noun, untold, bare = TaggedWord(0, 2, "NOUN"), TaggedWord(0, 2), TaggedWord(0, 2, "VERB")
    assert [finite((word,)) for word in (fin, inf, noun, untold, bare)] == [True, False, False, None, None]
    assert finite((fin, noun)) is True
    assert finite(()) is None
    assert [tagger_objection((word,)) for word in (fin, untold, bare)] == [""] * 3
    assert tagger_objection((inf,)) == "VERB, VerbForm=Inf"
    assert tagger_objection((inf,), infinite=True) == ""
    assert tagger_objection((noun, TaggedWord(2, 4, "PUNCT"))) == "NOUN + PUNCT"


@pytest.mark.parametrize(
    ("language", "statement", "verb"),
    [
        ("en", "Rising costs harm families.", "harm"),
        ("en", "The council should pay.", "should"),
        ("en", "Museums are free.", "are"),
        ("de", "Der Bund soll die Bahn retten.", "soll"),
        ("de", "Die Gebühren schaden den Familien.", "schaden"),
        ("es", "El museo debe cerrar.", "debe"),
        ("it", "Il museo deve chiudere.", "deve"),
    ],
)
def test_agreement_changes_nothing_and_disagreement_ends_in_an_abstention(
    language: str, statement: str, verb: str
) -> None:
    default = negate(statement, language)
    assert default.text
    assert negate(statement, language, tagged(language, **{verb: FINITE})) == default
    for tag, said in ((NOUN, "NOUN"), (INFINITIVE, "VERB, VerbForm=Inf")):
        found = negate(statement, language, tagged(language, **{verb: tag}))
        assert (found.text, found.rule) == (None, "abstain:pipeline-disagrees")
        assert f'"{verb}"' in found.explanation
        assert said in found.explanation


def test_a_demand_turns_on_a_verb_in_any_form() -> None:
    statement = "Abolish the tax."
    assert negate(statement, "en", tagged("en", abolish=INFINITIVE)).text == "Do not abolish the tax."
    assert negate(statement, "en", tagged("en", abolish="PROPN")).rule == "abstain:pipeline-disagrees"
    assert negate("Please abolish it.", "en", tagged("en", please="INTJ")).rule == "imperative"
    assert negate("Never abolish the tax.", "en", tagged("en", never="ADV")).text == "Abolish the tax."


@pytest.mark.parametrize("statement", ["Not all schools should close.", "All schools should close."])
def test_a_rule_that_turns_on_no_verb_is_not_checked(statement: str) -> None:
    assert negate(statement, "en", tagged("en", should=NOUN)) == negate(statement, "en")


def test_parts_of_speech_settle_an_ambiguous_english_verb() -> None:
    statement = "Rent controls harm tenants."
    assert negate(statement, "en").rule == "abstain:finite-verb"
    pipeline = tagged("en", rent=NOUN, controls=NOUN, harm=FINITE, tenants=NOUN)
    assert negate(statement, "en", pipeline).text == "Rent controls do not harm tenants."
    other = tagged("en", rent=NOUN, controls=FINITE, harm=NOUN, tenants=NOUN)
    assert negate(statement, "en", other).text == "Rent does not control harm tenants."


def test_a_verb_that_the_word_lists_do_not_have_is_found_by_its_lemma() -> None:
    statement = "The states back farm plans."
    pipeline = tagged("en", states=NOUN, back=FINITE, farm=NOUN, plans=NOUN)
    assert negate(statement, "en", pipeline).text == "The states do not back farm plans."


def test_a_modal_that_is_a_noun_is_passed_over() -> None:
    statement = "The might of banks should be curbed."
    pipeline = tagged("en", might=NOUN, should="AUX VerbForm=Fin", banks=NOUN)
    assert negate(statement, "en", pipeline).text == "The might of banks should not be curbed."


def test_one_wrong_tag_does_not_override_the_grammar() -> None:
    # The tag is evidence, so the reading stays; but then the answer is checked, and not given.
    found = negate("They abolish taxes.", "en", tagged("en", abolish=NOUN))
    assert found.rule == "abstain:pipeline-disagrees"


def parsed(text: str, heads: list[int], deps: list[str]) -> Pipeline:
    """Return a pipeline that knows one parse."""
    words = [*text.rstrip(".").split(), "."]
    space = [True] * (len(words) - 2) + [False, False]
    import spacy

    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words=words, spaces=space, heads=heads, deps=deps)
    nlp: Any = SimpleNamespace(lang="en")
    return Pipeline(type("Parser", (), {"lang": "en", "__call__": lambda self, read: doc})(), nlp.lang)


def test_the_root_of_the_parse_is_the_main_verb() -> None:
    text = "Rent controls harm tenants."
    rooted = parsed(text, [1, 2, 2, 2, 2], ["compound", "nsubj", "ROOT", "dobj", "punct"])
    assert [word.root for word in rooted.read(text).words] == [False, False, True, False, False]
    assert negate(text, "en", rooted).text == "Rent controls do not harm tenants."
    other = parsed(text, [1, 1, 3, 1, 1], ["nsubj", "ROOT", "compound", "dobj", "punct"])
    assert negate(text, "en", other).text == "Rent does not control harm tenants."


@pytest.mark.parametrize(
    ("language", "statement", "negation"),
    [
        ("en", "All costs rise | towns should pay.", "All costs rise | towns should not pay."),
        ("de", "Alle Kosten steigen | der Bund soll zahlen.", "Alle Kosten steigen | der Bund soll nicht zahlen."),
        ("es", "Todos los costes suben | el museo debe cerrar.", "Todos los costes suben | el museo no tiene que cerrar."),
        ("it", "Tutti i costi salgono | il museo deve chiudere.", "Tutti i costi salgono | il museo non deve necessariamente chiudere."),
    ],
)  # fmt: skip
def test_sentences_of_the_pipeline_count(language: str, statement: str, negation: str) -> None:
    assert negate(statement, language, lightly(language)).text != negation
    import spacy

    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer", config={"punct_chars": ["|"]})
    assert negate(statement, language, Pipeline(nlp, "split")).text == negation


def test_an_analysis_without_sentences_has_none() -> None:
    assert TaggedStatement(()).sentences(0) is None
    assert lightly("en").read("One. Two.").sentences(9) is None


# Loading


def test_a_pipeline_is_loaded_from_a_folder(tmp_path: Path) -> None:
    tagger("de", {"soll": NOUN}).to_disk(tmp_path / "own")
    statement = "Der Bund soll die Bahn retten."
    found = negate(statement, "de", load(str(tmp_path / "own"), "de"))
    assert found.rule == "abstain:pipeline-disagrees"
    assert "soll" in found.explanation
    assert "NOUN" in found.explanation


def test_a_trained_morphologizer_is_taken_like_any_other(tmp_path: Path) -> None:
    """Two sentences are enough for a model of its own: what is tested is the way from it to the rule."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    texts = (("Harbours plan budgets.", ("NOUN", "VERB", "NOUN", "PUNCT")),)
    examples = [
        spacy.training.Example.from_dict(
            nlp.make_doc(text),
            {"pos": pos, "morphs": ["VerbForm=Fin" if each == "VERB" else "" for each in pos]},
        )
        for text, pos in texts
    ]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    pipeline = load(str(tmp_path / "model"), "en")
    assert [word.pos for word in pipeline.read(texts[0][0]).words] == list(texts[0][1])
    assert negate(texts[0][0], "en", pipeline).text == "Harbours do not plan budgets."


@pytest.mark.parametrize("name", ["nowhere/at/all", "no_core_news_sm"])
def test_a_pipeline_that_is_not_there(name: str) -> None:
    with pytest.raises(InputError, match=rf"pipeline {name}: found no installed pipeline .* spacy download"):
        load(name, "en")


def test_a_folder_that_is_no_pipeline(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot load it .*to_disk"):
        load(str(tmp_path), "en")


def test_a_pipeline_of_another_language_is_refused(tmp_path: Path) -> None:
    tagger("de", {}).to_disk(tmp_path / "own")
    with pytest.raises(InputError, match="it is for 'de', the statements are in 'en'"):
        load(str(tmp_path / "own"), "en")
    with pytest.raises(InputError, match="it is for 'it', the statements are in 'es'"):
        negate("El museo debe cerrar.", "es", lightly("it"))


def test_a_component_that_was_never_trained() -> None:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    with pytest.raises(InputError, match="pipeline untrained: fails on 'Taxes should fall.'"):
        negate("Taxes should fall.", "en", Pipeline(nlp, "untrained"))


def test_without_spacy_the_message_says_what_to_install() -> None:
    call = "load('en_core_web_sm', 'en')"
    code = f"import sys; sys.modules['spacy'] = None; from polbias.generators.authoring import negation; negation.{call}"
    assert re.search(
        "PolbiasError: spacy is not installed; pip install '.*spacy", run_python(code, check=False).stderr
    )


# Against human negations


def _plain(text: str) -> str:
    return re.sub(r"[\s.?!\"]+$", "", " ".join(text.split()))


def _core(text: str) -> list[str]:
    """Return the words of a text without negation, its auxiliaries, indefinite articles and endings."""
    marker = r"not|no|non|nicht|do|does|did|some|any|an?|k?ein(?:e|en|em|er|es)?"
    words = re.findall(r"[\w%-]+", text.lower().replace("cannot", "can not"))
    return [re.sub(r"(?:e[nrsm]?|s)$", "", word) for word in words if not re.fullmatch(marker, word)]


@pytest.mark.skipif(shared("upstream/probvaa") is None, reason="no published data beside the checkout")
def test_accuracy_with_and_without_the_tokens_of_spacy(capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("upstream/probvaa")
    assert folder is not None
    found: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    with (folder / "probvaa.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            country, number, code, language = row["ID"].split("_")
            if language in LANGUAGES and code[:5] in ("10000", "00001"):
                found[language, country, number][code[:5]] = row["statement"]
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (language, *_), pair in found.items():
        original, human = pair["10000"], pair["00001"]
        if _plain(original) == _plain(human) or _core(original) != _core(human):
            continue
        for name, pipeline in (("own", None), ("spacy", lightly(language))):
            ours = negate(original, language, pipeline).text
            exact = ours is not None and _plain(ours) == _plain(human)
            counts[language, name]["abstained" if ours is None else "exact" if exact else "other"] += 1
    for (language, name), count in counts.items():
        answered = count["exact"] + count["other"]
        with capsys.disabled():
            print(  # noqa: T201
                f"\n{language}, {name} tokens: exact {count['exact']}/{answered} = "
                f"{count['exact'] / answered:.3f}, abstained {count['abstained']}/{count.total()}",
                end="",
            )
        own = counts[language, "own"]
        assert count["exact"] >= own["exact"]
        assert count["abstained"] <= own["abstained"]
