import logging

import pytest

from polbias.errors import InputError, PolbiasError
from polbias.models.chat import Chat
from polbias.models.recording import Recorder
from polbias.models.run import run_requests
from polbias.models.translate import DeepLTranslator
from polbias.safe_text import redact_message, redact_secrets, register, safe_logs
from tests.models.conftest import shown
from tests.models.servers import ChatServer, DeepLServer, patient

KEY = "sk-secret-0123456789"
OTHER = "secret-deepl-key:fx"


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DEEPL_AUTH_KEY", OTHER)


def test_no_key_in_logs_recordings_errors_and_reports(tmp_path, console, caplog):
    """Servers that repeat the key wherever they can."""
    caplog.set_level(logging.DEBUG)
    with (
        ChatServer(lambda prompt: f"your key is {KEY}") as chats,
        DeepLServer(lambda text: OTHER, OTHER) as deepls,
    ):
        model = patient(Chat, retries=1)("stub", chats.base_url, concurrency=1)
        deepl = patient(DeepLTranslator)(base_url=deepls.url, concurrency=1)
        chats.fail_next(500, "completions", message=f"crash with {KEY}", headers={"X-Key": KEY}, times=2)
        chats.fail_next(400, "completions", message=f"Bearer {KEY} is odd")
        deepls.fail_next(400, "translate", message=f"DeepL-Auth-Key {OTHER} is odd")
        wanted = [
            *(model.request(f"q{n}", [{"role": "user", "content": f"{n}"}]) for n in range(5)),
            *(deepl.request(f"t{n}", f"Satz {n}", "de", "en") for n in range(3)),
        ]
        with Recorder(tmp_path / "r") as recorder:
            outcome = run_requests(wanted, [model, deepl], recorder, yes=True, console=console)
        chats.fail_next(401, message=f"Incorrect API key provided: {KEY}", times=3)
        deepls.fail_next(403, message=f"Forbidden {OTHER}", times=3)
        with Recorder(tmp_path / "r") as recorder:
            again = run_requests(wanted, [model, deepl], recorder, yes=True, console=console)
    assert len(outcome.failures) == 3
    assert {failure.error.kind for failure in again.failures} == {"auth", "not-asked"}
    everything = "\n".join(
        [
            (tmp_path / "r").read_text(),
            shown(console),
            *(f"{record.getMessage()} {record.args}" for record in caplog.records),
            *(repr(failure) for failure in (*outcome.failures, *again.failures)),
            repr(outcome.answers),
            repr((model, deepl)),
        ]
    )
    assert "your key is [key]" in everything
    assert KEY not in everything
    assert OTHER not in everything


def test_calls_that_overlap_keep_keys_out_of_logs_until_the_last_has_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    register(OTHER)
    make, logger = logging.getLogRecordFactory(), logging.getLogger("a.client")
    first, second = safe_logs(), safe_logs()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    logger.warning("Forbidden %s", OTHER)
    second.__exit__(None, None, None)
    assert caplog.messages == ["Forbidden [key]"]
    assert logging.getLogRecordFactory() is make


@pytest.mark.parametrize(
    "text",
    [
        f"x {KEY} y",
        "Incorrect API key provided: sk-abcd********wxyz.",
        "Authorization: Bearer abc.def",
        "http://user:hunter2@host/v1 refused",
        f"with {OTHER}",
    ],
)
def test_messages_are_scrubbed(text):
    register(KEY, OTHER)
    clean = redact_message(text + "\nsecond line")
    assert "[key]" in clean
    assert "\n" not in clean
    for secret in (KEY, OTHER, "abcd", "abc.def", "hunter2"):
        assert secret not in clean


def test_a_short_word_taken_for_a_key_changes_no_answer():
    register("none", "EMPTY", "dummy-key", "not-needed", "ollama", "123456")
    text = "none of them is EMPTY: a dummy-key is not-needed for ollama/123456"
    assert redact_message(text) == text


def test_a_word_taken_for_a_key_is_hidden_in_messages_and_changes_no_answer():
    register("politics")
    assert redact_secrets("I like politics") == "I like politics"
    assert redact_message("wrong key politics, geopolitics") == "wrong key [key], geopolitics"


def test_an_address_with_a_password_is_refused_without_repeating_it():
    with pytest.raises(InputError) as caught:
        Chat("m", "http://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)
    assert Chat("m", "http://host/v1?key=hunter2").server == "http://host/v1"


@pytest.mark.parametrize("key", ["sk-ä-0123456789", "two words here", "line\nbreak-0123"])
def test_what_is_no_key_is_said_without_repeating_it(monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(PolbiasError, match="is not a key") as caught:
        Chat("gpt-4o").check()
    assert key not in str(caught.value)
