import pytest

from polbias.models.answer_parsing import (
    clean_sentence,
    find_json,
    language_doubt,
    numbered_lines,
    single_line,
)


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": "b"}',
        '```json\n{"a": "b"}\n```',
        '```\n{"a": "b"}```',
        'Sure! Here it is:\n\n{"a": "b"}\n\nAnything else?',
        'As said in [1], {"a": "b"}',
        '<think>maybe {"a": "no"}</think>\n{"a": "b"}',
        '{"a": "b",}',
        '{oops} {"a": "b"}',
    ],
)
def test_json_is_found(answer):
    assert find_json(answer) == {"a": "b"}


@pytest.mark.parametrize("answer", ["", "no", "{", "{}", "[]", "null", "12", '<think>{"a": 1}', "[" * 5000])
def test_where_there_is_none_none_is_found(answer):
    assert find_json(answer) is None


def test_a_list_is_found():
    assert find_json('My three: ["x", "y", "z"].') == ["x", "y", "z"]


def test_numbered_lines():
    assert numbered_lines("Here:\n1. One.\n2) “Two.”\n- Three.\nBye") == ["One.", "Two.", "Three."]
    assert numbered_lines("In 2030 taxes\nrise.") == []
    assert numbered_lines('1. ""\n2. Two.') == ["Two."]


def test_tidy():
    assert clean_sentence(' 1. "Taxes  should\nrise." ') == "Taxes should rise."
    assert clean_sentence("„Mitte“ und „Rand“") == "„Mitte“ und „Rand“"
    assert clean_sentence("2.5 % sollen genügen.") == "2.5 % sollen genügen."
    assert single_line("```\nTaxes should rise.\n```") == "Taxes should rise."


@pytest.mark.parametrize(
    ("text", "language", "others", "code"),
    [
        ("A general speed limit should apply on German motorways.", "en", ["de"], None),
        ("Auf deutschen Autobahnen soll ein allgemeines Tempolimit gelten.", "de", [], None),
        ("Auf deutschen Autobahnen soll ein allgemeines Tempolimit gelten.", "en", ["de"], "wrong-language"),
        ("A general speed limit should apply on German motorways.", "de", [], "wrong-language"),
        ("Sur les autoroutes, une limitation de vitesse devrait s'appliquer.", "de", [], "not-recognised"),
        ("xqz foo blarg wibble", "en", ["de"], "not-recognised"),
        ("xqz foo blarg wibble", "ja", ["de"], None),
    ],
)
def test_language(text, language, others, code):
    found = language_doubt(text, language, others)
    assert (found and found[0]) == code
