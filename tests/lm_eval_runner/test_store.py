"""Kept answers: what is written stays, what is damaged is put aside, two runs do not mix."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError, PolbiasError
from polbias.lm_eval_runner.requests import request_key
from polbias.models.cache import AnswerStore, cache_root
from tests.support.process import ROOT

VALUES = st.one_of(
    st.text(),
    st.text().map(lambda text: f"{text}\ud83d"),
    st.tuples(st.floats(allow_nan=False), st.booleans()),
)


@given(st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), VALUES, max_size=8))
def test_every_answer_comes_back_as_it_was(answers: dict[tuple[str, int], object]) -> None:
    store = AnswerStore(None)
    for (key, occurrence), answer in answers.items():
        store.write(key, occurrence, answer)
    for (key, occurrence), answer in answers.items():
        assert store.get(key, occurrence)[0] == answer
    assert store.get("d", 0) is None
    store.close()


def test_an_answer_that_cannot_be_written_takes_no_other_with_it() -> None:
    store = AnswerStore(None)
    with pytest.raises(InputError):
        store.put_all([("a", 0, "one"), ("a", 1, "two"), (b"\xff", [], "no key")])
    store.write("b", 0, "next")
    assert [store.get("a", occurrence) for occurrence in (0, 1)] == [None, None]
    assert store.get("b", 0)[0] == "next"


def test_numbers_of_numpy_and_no_probability() -> None:
    store = AnswerStore(None)
    store.write("a", 0, (np.float32(-0.5), np.bool_(True)))
    store.write("b", 0, (-math.inf, False))
    assert store.get("a", 0)[0] == (-0.5, True)
    assert store.get("b", 0)[0] == (-math.inf, False)


def test_a_key_is_the_whole_request() -> None:
    base = request_key("generate_until", ("p", {"temperature": 1, "seed": 0}))
    assert base == request_key("generate_until", ("p", {"seed": 0, "temperature": 1}))
    others = [
        request_key("generate_until", ("p", {"temperature": 1, "seed": 1})),
        request_key("generate_until", ("q", {"temperature": 1, "seed": 0})),
        request_key("loglikelihood", ("p", {"temperature": 1, "seed": 0})),
    ]
    assert len({base, *others}) == 4


def test_a_run_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    code = (
        "import sys, time; from polbias.models.cache import AnswerStore; from pathlib import Path\n"
        "store = AnswerStore(Path(sys.argv[1]))\n"
        "for number in range(50): store.write('k', number, f'answer {number}')\n"
        "print('written', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "written\n"
        with pytest.raises(PolbiasError, match="another run of the same model and task is writing to it"):
            AnswerStore(path)
        process.send_signal(signal.SIGKILL)
    store = AnswerStore(path)
    assert store.damaged is None
    assert [store.get("k", number)[0] for number in range(50)] == [f"answer {number}" for number in range(50)]


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_file_that_was_cut_off_is_put_aside(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "a.sqlite"
    store = AnswerStore(path)
    for number in range(300):
        store.write(f"key {number}", 0, "x" * 100)
    store.close()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    store = AnswerStore(path)
    assert store.damaged == tmp_path / "a.damaged"
    assert store.damaged.stat().st_size == int(len(content) * kept)
    assert all(store.get(f"key {number}", 0) is None for number in range(300))
    store.write("k", 0, "new")
    store.close()
    assert AnswerStore(path).get("k", 0)[0] == "new"


def test_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_text("this is no database, whatever its name says, and it is long enough\n" * 20, "utf-8")
    assert AnswerStore(path).damaged is not None
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created"):
        AnswerStore(tmp_path / "file" / "b.sqlite")


def test_where_answers_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_root() == tmp_path / "polbias" / "answers"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_root() == Path.home() / ".cache" / "polbias" / "answers"
