import io
import json

import pytest
from rich.console import Console

from polbias.errors import InputError
from polbias.generators.authoring.variants import (
    SourceStatement,
    Variant,
    translation_requests,
    variant_requests,
    variants,
)
from polbias.models.chat import Chat
from polbias.models.recording import Recorder
from polbias.models.requests import ServiceResponse
from polbias.models.run import run_requests
from polbias.models.translate import DeepLTranslator
from tests.models.servers import ChatServer, DeepLServer, patient

DE = SourceStatement("de-01", "de", "Auf deutschen Autobahnen soll ein allgemeines Tempolimit gelten.", "DE")
EN = SourceStatement("de-01", "en", "A general speed limit should apply on German motorways.", "DE")
THREE = [
    "Für die Autobahnen in Deutschland soll es eine allgemeine Höchstgeschwindigkeit geben.",
    "Die Geschwindigkeit auf den deutschen Autobahnen soll generell begrenzt werden.",
    "Wer in Deutschland auf der Autobahn fährt, soll ein allgemeines Tempolimit einhalten müssen.",
]
OPPOSITE = {
    "opposite": "Auf deutschen Autobahnen soll ein allgemeines Tempolimit verboten sein.",
    "kind": "verb",
    "type": "contrary",
}
CHAT = Chat("m", "http://127.0.0.1:9/v1")


def read(role, text, finish="stop", statement=DE):
    if role == "translation":
        (job,) = translation_requests([(statement, "original")], CHAT, "en")
    else:
        (job,) = variant_requests([statement], CHAT, [role])
    return variants([job], [None if text is None else ServiceResponse(text, finish)])


def codes(found):
    return [[problem.code for problem in variant.problems] for variant in found]


def test_three_paraphrases():
    found = read("paraphrases", json.dumps({"paraphrases": THREE}))
    assert [(v.variant, v.language, v.text, v.problems) for v in found] == [
        (f"paraphrase{n + 1}", "de", text, ()) for n, text in enumerate(THREE)
    ]


@pytest.mark.parametrize(
    "form",
    [
        "```json\n{}\n```",
        "Here you are: {}",
        "<think>hm</think>{}",
    ],
)
def test_what_stands_around_the_json_does_not_matter(form):
    answer = form.format(json.dumps({"paraphrases": [f"{n}. {t}" for n, t in enumerate(THREE, 1)]}))
    assert [v.text for v in read("paraphrases", answer)] == THREE


def test_a_bare_list_is_read_and_a_numbered_one_too_but_marked():
    assert codes(read("paraphrases", json.dumps(THREE))) == [[], [], []]
    found = read("paraphrases", "\n".join(f"{n}) {text}" for n, text in enumerate(THREE, 1)))
    assert [v.text for v in found] == THREE
    assert codes(found) == [["not-json"]] * 3


def test_defects_of_paraphrases_are_named_and_nothing_is_dropped():
    given = [DE.text.upper(), THREE[0], THREE[0].rstrip("."), THREE[1]]
    found = read("paraphrases", json.dumps({"paraphrases": given}))
    assert [v.text for v in found] == given
    assert codes(found) == [["identical"], [], ["repeated"], ["surplus"]]
    found = read("paraphrases", json.dumps({"paraphrases": [THREE[0], None]}))
    assert [v.text for v in found] == [THREE[0], None, None]
    assert codes(found) == [[], ["missing"], ["missing"]]


def test_a_wrong_language_and_nonsense_are_kept_and_marked():
    given = ["There should be a general speed limit on the motorways.", "xqz foo blarg wibble", THREE[0]]
    found = read("paraphrases", json.dumps({"paraphrases": given}))
    assert [v.text for v in found] == given
    assert codes(found) == [["wrong-language"], ["not-recognised"], []]


def test_an_opposite_with_kind_and_type():
    (found,) = read("opposite", json.dumps(OPPOSITE))
    assert (found.opposite_kind, found.opposite_type, found.problems) == ("verb", "contrary", ())
    assert found.text == OPPOSITE["opposite"]


def test_an_unknown_kind_or_type_is_named():
    (found,) = read("opposite", json.dumps(OPPOSITE | {"kind": "noun", "type": None}))
    assert (found.opposite_kind, found.opposite_type) == (None, None)
    assert codes([found]) == [["unknown-kind", "unknown-type"]]
    assert "found 'noun'" in found.problems[0].detail


def test_an_opposite_without_json_is_kept_for_review():
    (found,) = read("opposite", OPPOSITE["opposite"])
    assert found.text == OPPOSITE["opposite"]
    assert codes([found]) == [["not-json", "unknown-kind", "unknown-type"]]


@pytest.mark.parametrize(
    ("text", "finish", "code"),
    [
        (None, "stop", "not-answered"),
        ("I will not help.", "refusal", "refused"),
        ("", "content_filter", "refused"),
    ],
)
@pytest.mark.parametrize(("role", "count"), [("paraphrases", 3), ("opposite", 1)])
def test_without_an_answer_every_variant_is_there_with_the_reason(text, finish, code, role, count):
    found = read(role, text, finish)
    assert [v.text for v in found] == [None] * count
    assert codes(found) == [[code]] * count


def test_an_answer_cut_off_is_marked():
    found = read("paraphrases", '{"paraphrases": ["' + THREE[0], "length")
    assert codes(found)[0][:2] == ["cut-off", "not-json"]
    assert len(found) == 3


def test_translations_by_a_chat_model():
    (found,) = read("translation", json.dumps({"translation": EN.text}))
    assert found == Variant("de-01", "original", "en", EN.text)
    (found,) = read("translation", json.dumps({"translation": DE.text}))
    assert codes([found]) == [["identical", "wrong-language"]]
    (job,) = translation_requests([(EN, "negation")], CHAT, "de")
    assert (job.request.id, job.variants) == ("de-01/en/negation-de", ("negation",))
    assert "from English into German" in job.request.payload["messages"][0]["content"]


def test_unknown_languages_are_errors():
    with pytest.raises(InputError, match="'xx' is unknown; expected one of: de, en"):
        variant_requests([SourceStatement("a", "xx", "T.")], CHAT, ["opposite"])
    with pytest.raises(InputError, match="'xx' is unknown"):
        translation_requests([(DE, "original")], CHAT, "xx")


def test_from_statements_through_servers_to_variants_and_again_from_the_recording(tmp_path, monkeypatch):
    monkeypatch.setenv("DEEPL_AUTH_KEY", "deepl-key-1")

    def model(prompt):
        return json.dumps({"paraphrases": THREE}) if "paraphrases" in prompt else json.dumps(OPPOSITE)

    with ChatServer(model) as chats, DeepLServer(lambda text: EN.text, "deepl-key-1") as deepls:
        chat, deepl = patient(Chat)("m", chats.base_url), patient(DeepLTranslator)(base_url=deepls.url)
        made = variant_requests([DE], chat, ("paraphrases", "opposite"))
        made += translation_requests([(DE, "original")], deepl, "en")
        assert [job.request.id for job in made] == [
            "de-01/de/paraphrases",
            "de-01/de/opposite",
            "de-01/de/original-en",
        ]
        with Recorder(tmp_path / "r") as recorder:
            console = Console(file=io.StringIO())
            outcome = run_requests(
                [j.request for j in made], [chat, deepl], recorder, yes=True, console=console
            )
    found = variants(made, outcome.answers)
    assert [v.variant for v in found] == [
        "paraphrase1",
        "paraphrase2",
        "paraphrase3",
        "opposite",
        "original",
    ]
    assert not any(v.problems for v in found)
    replay = run_requests(
        [j.request for j in made],
        [],
        Recorder(tmp_path / "r", replay=True),
        console=Console(file=io.StringIO()),
    )
    assert variants(made, replay.answers) == found
