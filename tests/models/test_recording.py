import json
import threading

import pytest

from polbias.files import InputError, PolbiasError
from polbias.models import Answer, Recorder, Request


def question(n, **parameters):
    messages = [{"role": "user", "content": f"Frage {n}: „ä“\n\u2028 ende"}]
    return Request(f"q{n}", "openai", "m", {"messages": messages, **parameters})


def filled(path, count=3):
    with Recorder(path) as recorder:
        for n in range(count):
            recorder.record(question(n), Answer(f"answer {n}\nü", "stop", "m-1", {"input_tokens": n}))
    return path


def test_an_answer_comes_back_as_it_was(tmp_path):
    path = filled(tmp_path / "deep" / "r.jsonl")
    replay = Recorder(path, "replay")
    assert replay.find(question(1)) == Answer("answer 1\nü", "stop", "m-1", {"input_tokens": 1})
    assert replay.find(question(9)) is None
    assert len(replay) == 3
    assert len(path.read_bytes().splitlines()) == 3


def test_the_identity_is_service_model_and_payload_and_nothing_else():
    one = question(1, temperature=0, top_p=1)
    assert one.key == Request("x", "openai", "m", dict(reversed(one.payload.items())), 7).key
    others = [
        Request("q1", "deepl", "m", one.payload),
        Request("q1", "openai", "n", one.payload),
        question(1, temperature=1, top_p=1),
        question(1, temperature=0, top_p=1, seed=1),
        question(2, temperature=0, top_p=1),
    ]
    assert len({one.key, *(other.key for other in others)}) == 6


def test_the_identity_does_not_change_between_versions_of_the_toolkit():
    request = Request("q", "openai", "m", {"messages": [{"role": "user", "content": "é"}], "temperature": 0})
    expected = '{"messages":[{"content":"é","role":"user"}],"model":"m","service":"openai","temperature":0}'
    assert request.text == expected


def test_two_recordings_of_the_same_answers_are_the_same_bytes(tmp_path):
    assert filled(tmp_path / "a").read_bytes() == filled(tmp_path / "b").read_bytes()


def test_what_is_not_json_is_no_request():
    with pytest.raises(InputError, match="q: cannot be written as JSON"):
        Request("q", "openai", "m", {"temperature": float("nan")})
    with pytest.raises(InputError, match="q: cannot be written as JSON"):
        Request("q", "openai", "m", {"messages": "\ud800"})


def test_a_last_line_cut_anywhere_is_dropped_mended_and_asked_again(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    whole = path.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(start + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        replay = Recorder(path, "replay")
        assert (len(replay), replay.dropped_line) == (2, 3)
        assert path.read_bytes() == whole[:end], "a replay never writes"
        with Recorder(path) as recorder:
            assert (len(recorder), recorder.dropped_line) == (2, 3)
            recorder.record(question(2), Answer("answer 2\nü", "stop", "m-1", {"input_tokens": 2}))
        assert path.read_bytes() == whole


def test_a_line_that_lacks_only_its_end_is_kept(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with Recorder(path) as recorder:
        assert (len(recorder), recorder.dropped_line) == (3, None)
        recorder.record(question(3), Answer("new"))
    assert path.read_bytes().startswith(whole)
    assert len(Recorder(path, "replay")) == 4


def test_a_line_that_another_process_left_incomplete_is_mended_at_the_next_write(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    with Recorder(path) as recorder:
        with path.open("ab") as other:
            other.write(b'{"answer":{"text":"hal')
        recorder.record(question(3), Answer("new"))
    assert len(Recorder(path, "replay")) == 4


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line: b"<<<<<<< HEAD", "not a line of JSON"),
        (lambda line: line[:50], "not a line of JSON"),
        (lambda line: b"[1]", "not a recorded answer"),
        (lambda line: line.replace(b"Frage 1", b"Frage 7"), "its key is not that of its request"),
        (lambda line: line.replace(b'"usage":', b'"use":'), "its answer is incomplete"),
        (
            lambda line: line.replace(b'"finish":"stop"', b'"finish":1'),
            "text, finish and model of its answer must be text",
        ),
        (lambda line: b"\xff\xfe", "not a line of JSON"),
    ],
)
@pytest.mark.parametrize("mode", ["replay", "record", "refresh"])
def test_other_damage_is_an_error_that_names_the_line(tmp_path, damage, message, mode):
    path = filled(tmp_path / "r.jsonl")
    lines = path.read_bytes().splitlines()
    lines[1] = damage(lines[1])
    path.write_bytes(b"\n".join(lines) + b"\n")
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"r\.jsonl:2: {message}"):
        Recorder(path, mode)
    assert path.read_bytes() == before


def test_a_foreign_last_line_is_no_killed_run(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    path.write_bytes(path.read_bytes() + b">>>>>>> branch")
    with pytest.raises(InputError, match=r"r\.jsonl:4: not a line of JSON"):
        Recorder(path)


def test_refresh_asks_anew_and_the_last_answer_counts(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    with Recorder(path, "refresh") as recorder:
        assert recorder.find(question(0)) is None
        recorder.record(question(0), Answer("second"))
        assert recorder.find(question(0)) == Answer("second")
    replay = Recorder(path, "replay")
    assert (replay.find(question(0)), len(replay)) == (Answer("second"), 3)


def test_a_replay_needs_a_file_and_writes_none(tmp_path):
    with pytest.raises(InputError, match="no such file; record the answers first"):
        Recorder(tmp_path / "none", "replay")
    with pytest.raises(PolbiasError, match="nothing is recorded"):
        Recorder(filled(tmp_path / "r"), "replay").record(question(5), Answer("x"))
    with pytest.raises(InputError, match="mode 'reply' is unknown"):
        Recorder(tmp_path / "r", "reply")
    Recorder(tmp_path / "untouched").close()
    assert not (tmp_path / "untouched").exists()


def test_writers_in_many_threads_and_two_recorders_lose_nothing(tmp_path):
    path = tmp_path / "r.jsonl"
    with Recorder(path) as one, Recorder(path) as two:

        def write(recorder, first):
            for n in range(first, first + 50):
                recorder.record(question(n), Answer("x" * 5000))

        threads = [
            threading.Thread(target=write, args=(recorder, 50 * n))
            for n, recorder in enumerate([one, two] * 4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(Recorder(path, "replay")) == 400


def test_a_full_disk_is_said_and_leaves_no_half_line(tmp_path, monkeypatch):
    path = filled(tmp_path / "r.jsonl")
    before = path.read_bytes()
    recorder = Recorder(path)
    import polbias.models.recording as module

    real = module.os.write
    monkeypatch.setattr(module.os, "write", lambda file, data: real(file, data[:10]))
    with pytest.raises(PolbiasError, match="cannot be recorded"):
        recorder.record(question(7), Answer("x"))
    assert path.read_bytes() == before
    assert recorder.find(question(7)) is None


def test_a_line_holds_request_and_answer_and_no_time(tmp_path):
    entry = json.loads(filled(tmp_path / "r", 1).read_text())
    assert set(entry) == {"key", "request", "answer"}
    assert set(entry["answer"]) == {"text", "finish", "model", "usage"}


def test_a_file_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path):
    recorder = Recorder(tmp_path / "there" / "answers.jsonl")
    (tmp_path / "there").write_text("a file in the place of a folder")
    with pytest.raises(PolbiasError, match=r"cannot be recorded .*; nothing was asked"):
        recorder.prepare()
    with Recorder(tmp_path / "new.jsonl") as recorder:
        recorder.prepare()
        assert not list(tmp_path.glob("*new*"))
    with (
        Recorder(filled(tmp_path / "new.jsonl"), "replay") as recorder,
        pytest.raises(PolbiasError, match="for replay"),
    ):
        recorder.prepare()
