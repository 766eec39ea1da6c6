"""`datasets.lock`: what it says, and in what a build differs from it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from polbias.errors import BuildError, InputError
from polbias.lock import LockedDataset, lock_differences, lock_path, read_lock, write_lock
from polbias.manifest import FileEntry, LockedSplit, Manifest, SplitEntry

CONTENT = {name: digit * 64 for name, digit in zip("abcd", "0123", strict=True)}


def entry(content: str = "a", rows: int = 1_608) -> SplitEntry:
    file = FileEntry(path="en/test-00000-of-00001.parquet", rows=rows, size=9, sha256="f" * 64)
    return SplitEntry(rows=rows, content=CONTENT[content], files=(file,))


def manifest(configs: dict[str, dict[str, SplitEntry]], version: str = "1.0.0") -> Manifest:
    return Manifest(dataset="numbers", version=version, canary="c", writer="pyarrow", configs=configs)


BUILT = manifest({"en": {"test": entry("a"), "fewshot": entry("b", 40)}, "de": {"test": entry("c")}})
LOCKED = LockedDataset.model_validate(LockedDataset.of(BUILT).model_dump())


def test_the_lock_takes_down_version_rows_and_content() -> None:
    expected = LockedDataset(
        version="1.0.0",
        configs={
            "en": {
                "test": LockedSplit(rows=1_608, content=CONTENT["a"]),
                "fewshot": LockedSplit(rows=40, content=CONTENT["b"]),
            },
            "de": {"test": LockedSplit(rows=1_608, content=CONTENT["c"])},
        },
    )
    assert expected == LOCKED


def test_a_lock_can_be_written_and_read(tmp_path: Path) -> None:
    locked = {"numbers": LOCKED, "letters": LOCKED.model_copy(update={"version": "2.10.0"})}
    write_lock(locked, tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == locked
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


@pytest.mark.parametrize("digits", ["0" * 64, "1" * 64, "12e45" + "0" * 59, "0x" + "1" * 62, "0_1" * 20])
@pytest.mark.parametrize("version", ["1.0.0", "1.10", "10", "1e3", "null"])
def test_what_looks_like_a_number_stays_a_text(tmp_path: Path, digits: str, version: str) -> None:
    split = LockedSplit(rows=1, content=digits)
    locked = {"1": LockedDataset(version=version, configs={"2": {"test": split}, "no": {"fewshot": split}})}
    write_lock(locked, tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == locked


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    write_lock({"a": LOCKED, "b": LOCKED}, tmp_path / "1")
    write_lock({"b": LOCKED, "a": LOCKED}, tmp_path / "2")
    written = (tmp_path / "1").read_text()
    assert written == (tmp_path / "2").read_text()
    assert written.startswith("# Version, rows and content hash of every published config")


def test_an_empty_lock_can_be_written_and_read(tmp_path: Path) -> None:
    write_lock({}, tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == {}


def test_a_failed_write_leaves_the_earlier_lock(tmp_path: Path, monkeypatch) -> None:
    write_lock({"numbers": LOCKED}, tmp_path / "lock")

    def full(*_args, **_options) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(InputError, match="No space"):
            write_lock({}, tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == {"numbers": LOCKED}


def test_a_lock_that_is_not_there_locks_nothing(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "none") == {}


@pytest.mark.parametrize(
    "content",
    [
        b"numbers: [",
        b"\xff",
        b"- numbers\n",
        b"just text\n",
        b"numbers:\n",
        b"numbers: {version: 1.0.0}\n",
        b"numbers: {version: 1.0.0, configs: {}, colour: green}\n",
        b"numbers: {version: 1.0, configs: {}}\n",
        b"numbers: {version: 1.0.0, configs: {en: {test: {rows: many, content: a}}}}\n",
        b"numbers: {version: 2024-13-45, configs: {}}\n",
    ],
)
def test_an_unreadable_lock_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lock"
    path.write_bytes(content)
    with pytest.raises(BuildError) as refusal:
        read_lock(path)
    message = str(refusal.value)
    assert message.startswith(f"{path}: not a readable lock (")
    assert message.endswith("); restore it or write one with `polbias lock`")
    assert "\n" not in message


def test_the_place_of_the_lock_can_be_chosen(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("POLBIAS_LOCK", raising=False)
    assert lock_path().name == "datasets.lock"
    write_lock({"numbers": LOCKED}, tmp_path / "my.lock")
    monkeypatch.setenv("POLBIAS_LOCK", str(tmp_path / "my.lock"))
    assert lock_path() == tmp_path / "my.lock"
    assert read_lock() == {"numbers": LOCKED}


def test_a_build_that_is_locked_does_not_differ() -> None:
    assert lock_differences(BUILT, LOCKED) == []


def test_files_and_their_writer_are_not_locked() -> None:
    again = manifest(BUILT.configs).model_copy(update={"writer": "pyarrow 99", "canary": "other"})
    assert lock_differences(again, LOCKED) == []


def test_a_dataset_that_is_not_locked(monkeypatch) -> None:
    monkeypatch.delenv("POLBIAS_LOCK", raising=False)
    assert lock_differences(BUILT, None) == ["numbers: not in datasets.lock"]


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        (
            BUILT.configs | {"de": {"test": entry("d")}},
            [
                "numbers/de/test: 1,608 rows with content 333333333333, "
                "the lock has 1,608 rows with content 222222222222"
            ],
        ),
        (
            BUILT.configs | {"de": {"test": entry("c", 1_600)}},
            [
                "numbers/de/test: 1,600 rows with content 222222222222, "
                "the lock has 1,608 rows with content 222222222222"
            ],
        ),
        ({"en": BUILT.configs["en"]}, ["numbers/de: in the lock, but not built"]),
        (BUILT.configs | {"fr": {"test": entry("d")}}, ["numbers/fr: built, but not in the lock"]),
        (
            BUILT.configs | {"en": {"test": entry("a")}},
            ["numbers/en/fewshot: nothing, the lock has 40 rows with content 111111111111"],
        ),
        (
            BUILT.configs | {"de": BUILT.configs["de"] | {"fewshot": entry("d", 8)}},
            ["numbers/de/fewshot: 8 rows with content 333333333333, the lock has nothing"],
        ),
    ],
)
def test_every_difference_is_said(configs: dict, expected: list[str]) -> None:
    assert lock_differences(manifest(configs), LOCKED) == expected


def test_another_version_is_said_beside_other_differences() -> None:
    built = manifest({"fr": {"test": entry("d")}}, version="1.1.0")
    assert lock_differences(built, LOCKED) == [
        "numbers: version 1.1.0, the lock has 1.0.0",
        "numbers/en: in the lock, but not built",
        "numbers/de: in the lock, but not built",
        "numbers/fr: built, but not in the lock",
    ]


@pytest.mark.parametrize(
    ("here", "there", "same"),
    [
        ({"content": "a", "tree": "b"}, {"content": "a"}, True),
        ({"tree": "b"}, {"content": "a", "tree": "b"}, True),
        ({"content": "a", "tree": "b"}, {"content": "a", "tree": "c"}, False),
        ({"tree": "b"}, {"content": "b"}, False),
    ],
)
def test_splits_agree_by_every_hash_that_both_have(here: dict, there: dict, same: bool) -> None:
    one, other = LockedSplit(rows=1, **here), LockedSplit(rows=1, **there)
    assert one.matches(other) is other.matches(one) is same
    assert not one.matches(other.model_copy(update={"rows": 2}))
