import json

import pytest

from polbias.errors import InputError, PolbiasError
from polbias.models.recording import Recorder
from polbias.models.requests import Request, ServiceResponse
from tests.lm_eval_runner.test_writing import largest_file


def question(n, **parameters):
    messages = [{"role": "user", "content": f"Frage {n}: „ä“\n\u2028 ende"}]
    return Request(f"q{n}", "openai", "m", {"messages": messages, **parameters})


def filled(path, count=3):
    with Recorder(path) as recorder:
        for n in range(count):
            recorder.record(
                question(n), ServiceResponse(f"answer {n}\nü", "stop", "m-1", {"input_tokens": n})
            )
    return path


def test_an_answer_comes_back_as_it_was(tmp_path):
    path = filled(tmp_path / "deep" / "r.jsonl")
    replay = Recorder(path, replay=True)
    assert replay.find(question(1)) == ServiceResponse("answer 1\nü", "stop", "m-1", {"input_tokens": 1})
    assert replay.find(question(9)) is None
    assert len(replay) == 3
    assert len(path.read_bytes().splitlines()) == 3


def test_half_a_character_stays_as_it_came_and_is_read_as_text(tmp_path):
    path = tmp_path / "r.jsonl"
    with Recorder(path) as recorder:
        recorder.record(question(0), ServiceResponse("half \ud83d", "stop", "m \udc00"))
        recorder.record(question(1), ServiceResponse("after"))
    with Recorder(path) as again:
        assert [again.find(question(n)).text for n in (0, 1)] == ["half \ufffd", "after"]
    assert b'"text":"half \\ud83d"' in path.read_bytes()


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


def test_an_answer_is_on_file_at_once(tmp_path):
    path = tmp_path / "r.jsonl"
    with Recorder(path) as running:
        running.record(question(0), ServiceResponse("first", "stop", "m-1", {"input_tokens": 1}))
        replay = Recorder(path, replay=True)  # while the run goes on
        assert replay.find(question(0)) == ServiceResponse("first", "stop", "m-1", {"input_tokens": 1})
        assert replay.find(question(1)) is None


@pytest.mark.parametrize("length", [1, 9, 12, 200, -1])
def test_half_a_line_at_the_end_is_left_out_and_asked_for_again(tmp_path, length):
    path = filled(tmp_path / "r.jsonl")
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + lines[2][:-1][:length])
    notice = f"{path}:3: skipped an incomplete line"
    replay = Recorder(path, replay=True)
    assert (replay.notice, len(replay), replay.find(question(2))) == (notice, 2, None)
    with Recorder(path) as recorder:
        assert (recorder.notice, len(recorder), recorder.find(question(2))) == (notice, 2, None)
    with Recorder(path) as recorder:
        assert recorder.notice == ""
        recorder.record(question(2), ServiceResponse("answer 2\nü", "stop", "m-1", {"input_tokens": 2}))
    assert path.read_bytes() == content


def test_an_answer_for_which_there_is_no_room_takes_no_other_with_it(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    content = path.read_bytes()
    with (
        Recorder(path) as recorder,
        largest_file(len(content) + 100),
        pytest.raises(PolbiasError, match=r"r\.jsonl: a response cannot be recorded \(File too large\)"),
    ):
        recorder.record(question(3), ServiceResponse("x" * 20_000))
    with Recorder(path) as recorder:
        assert recorder.notice.startswith(f"{path}:4: ")
        assert [recorder.find(question(n)) is None for n in range(4)] == [False, False, False, True]
    assert path.read_bytes() == content


def test_a_long_answer_is_a_line(tmp_path):
    text = "ü\n\u2028\x00" * 1_000_000
    with Recorder(tmp_path / "r.jsonl") as recorder:
        recorder.record(question(0), ServiceResponse(text))
    assert Recorder(tmp_path / "r.jsonl", replay=True).find(question(0)).text == text
    assert (tmp_path / "r.jsonl").read_bytes().count(b"\n") == 1


def test_a_new_file_is_for_its_owner_and_another_keeps_its_permissions(tmp_path):
    path = filled(tmp_path / "r.jsonl", 1)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with Recorder(path) as recorder:
        recorder.record(question(1), ServiceResponse("x"))
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_from_elsewhere_is_completed(tmp_path):
    path = filled(tmp_path / "one" / "r.jsonl")
    copy = tmp_path / "two" / "r.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes()[:-1])  # without its last end of line
    with Recorder(copy) as recorder:
        assert len(recorder) == 3
        recorder.record(question(3), ServiceResponse("new"))
    assert copy.read_bytes().startswith(path.read_bytes())
    assert len(Recorder(copy, replay=True)) == 4


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line: b"<<<<<<< HEAD", "not a line of JSON"),
        (lambda line: line[:50], "not a line of JSON"),
        (lambda line: b"[1]", "not a recorded answer"),
        (lambda line: line.replace(b"Frage 1", b"Frage 7"), "its key does not match its request"),
        (lambda line: line.replace(b'"usage":', b'"use":'), "its answer is incomplete"),
        (
            lambda line: line.replace(b'"finish":"stop"', b'"finish":1'),
            "text, finish and model of its answer must be text",
        ),
        (lambda line: b"\xff\xfe", "not a line of JSON"),
    ],
)
@pytest.mark.parametrize("replay", [True, False])
def test_other_damage_is_an_error_that_names_the_line(tmp_path, damage, message, replay):
    path = filled(tmp_path / "r.jsonl")
    lines = path.read_bytes().splitlines()
    lines[1] = damage(lines[1])
    path.write_bytes(b"\n".join(lines) + b"\n")
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"r\.jsonl:2: {message}"):
        Recorder(path, replay)
    assert path.read_bytes() == before


def test_a_foreign_last_line_is_no_killed_run(tmp_path):
    path = filled(tmp_path / "r.jsonl")
    path.write_bytes(path.read_bytes() + b">>>>>>> branch")
    with pytest.raises(InputError, match=r"r\.jsonl:4: not a line of JSON"):
        Recorder(path)


def test_a_replay_needs_a_file_and_writes_none(tmp_path):
    with pytest.raises(InputError, match="no such file; record the responses first"):
        Recorder(tmp_path / "none", replay=True)
    with pytest.raises(PolbiasError, match="responses cannot be recorded"):
        Recorder(filled(tmp_path / "r"), replay=True).record(question(5), ServiceResponse("x"))
    Recorder(tmp_path / "untouched").close()
    assert not (tmp_path / "untouched").exists()


def test_two_runs_do_not_record_into_one_file(tmp_path):
    with Recorder(tmp_path / "r.jsonl"), pytest.raises(PolbiasError, match="another run is record"):
        Recorder(tmp_path / "r.jsonl")


def test_a_line_holds_request_and_answer_and_no_time(tmp_path):
    entry = json.loads(filled(tmp_path / "r", 1).read_text())
    assert set(entry) == {"key", "request", "answer"}
    assert set(entry["answer"]) == {"text", "finish", "model", "usage"}


def test_a_file_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path):
    (tmp_path / "file").write_text("in the place of a folder")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "r.jsonl", tmp_path / "folder"):
        with pytest.raises(PolbiasError, match="a response cannot be recorded "):
            Recorder(path)
    with pytest.raises(InputError, match=r"r\.jsonl\.gz: responses are recorded as plain text"):
        Recorder(tmp_path / "r.jsonl.gz")
    with Recorder(tmp_path / "new" / "r.jsonl"):
        assert not (tmp_path / "new" / "r.jsonl").exists()
