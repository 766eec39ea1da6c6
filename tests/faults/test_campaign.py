"""A kill of the commands that no other test kills; with ``make test-faults`` of all, and every other fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.faults.campaign import disk, http, kills, races
from tests.faults.campaign.asking import Evaluate, Variants
from tests.faults.campaign.outcomes import Outcome, Trial, table, tried
from tests.faults.campaign.place import Place
from tests.faults.campaign.places import Annotate, Build, Push, Report
from tests.faults.campaign.zygote import Zygote
from tests.support.process import ROOT, run_python

pytestmark = pytest.mark.e2e

Prepare = Callable[[type[Place]], Place]


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote(evaluation=False) as running:
        yield running


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Iterator[Prepare]:
    """Return a function that makes a place ready, once."""
    known: dict[type[Place], Place] = {}

    def prepare(kind: type[Place]) -> Place:
        if kind not in known:
            known[kind] = kind(tmp_path_factory.mktemp("place") / "base", zygote)
            known[kind].prepare(earlier=False)
        return known[kind]

    yield prepare
    for place in known.values():
        place.close()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def assert_sound(trials: Iterator[Trial]) -> list[Trial]:
    """Nothing is lost, left behind or told, and no recorded answer is asked for again."""
    done = [*trials]
    assert [str(each) for each in done if not each.sound] == []
    return done


@pytest.mark.parametrize(
    "kind",
    [
        Push,
        Report,
        Annotate,
        *(pytest.param(each, marks=pytest.mark.faults) for each in (Build, Evaluate, Variants)),
    ],
)
def test_killed(prepared: Prepare, kind: type[Place], rng: np.random.Generator) -> None:
    assert len(assert_sound(kills.kills(prepared(kind), 1, rng))) == 1


@pytest.mark.faults
@pytest.mark.parametrize(
    ("kind", "name", "number"),
    [
        (Push, "HTTP 429, Retry-After", -2),
        (Push, "half an answer", -3),
        (Variants, "HTTP 401", 1),
        (Variants, "HTTP 503", 2),
    ],
)
def test_a_server_fails_once(prepared: Prepare, kind: type[Place], name: str, number: int) -> None:
    place = prepared(kind)
    assert_sound(http.failures(place, [number % place.requests], [name]))


@pytest.mark.faults
def test_files_may_not_grow(prepared: Prepare, rng: np.random.Generator) -> None:
    assert_sound(disk.short_files(prepared(Annotate), 1, rng))


@pytest.mark.faults
def test_a_disk_that_is_mounted_read_only(prepared: Prepare, tmp_path: Path) -> None:
    if not disk.can_mount(tmp_path / "disk"):
        pytest.skip("mounting needs the rights of root")
    (trial, *_) = assert_sound(disk.sealed(prepared(Annotate)))
    assert trial.outcome is Outcome.clean


@pytest.mark.faults
def test_two_at_once(prepared: Prepare, rng: np.random.Generator) -> None:
    assert_sound(races.races(prepared(Push), 1, rng))


@pytest.mark.faults
@pytest.mark.parametrize(
    ("name", "told", "outcome"),
    [
        ("tasks.json", "tasks/tasks.json is neither the old nor the new one", Outcome.loss),
        (".left.tmp", "left behind: tasks/.left.tmp", Outcome.flaw),
    ],
)
def test_the_campaign_sees_half_files_and_what_is_left_behind(
    prepared: Prepare, name: str, told: str, outcome: Outcome
) -> None:
    place = prepared(Annotate)

    def half() -> int:
        status = place.start(kill_at=place.changes // 2).wait()
        (place.out / "tasks" / name).write_text("{")
        return status

    trial = tried(place, False, "kill", "by hand", half)
    assert trial.status == -9
    assert told in [*trial.losses, *trial.flaws]
    assert trial.outcome is outcome


@pytest.mark.faults
def test_the_campaign_sees_what_is_paid_for_twice(prepared: Prepare) -> None:
    place = prepared(Variants)

    def lose() -> None:
        (place.out / "recorded.jsonl").unlink()

    trial = tried(place, False, "loss", "by hand", lambda: place.start().wait(), lose)
    assert trial.paid_twice == place.total == 16
    assert not trial.sound


@pytest.mark.faults
def test_the_clock_jumps_in_a_run() -> None:
    done = run_python(
        """
        import time
        from datetime import datetime
        now, tick = datetime.now(), time.monotonic()
        from tests.faults.campaign.clock import jump
        jump(0.0, -365 * 86_400.0)
        assert 364 < (now - datetime.now()).total_seconds() / 86_400 < 366
        assert now.timestamp() - time.time() > 364 * 86_400
        assert time.localtime().tm_year == datetime.now().year
        assert isinstance(now, datetime)
        assert 0 <= time.monotonic() - tick < 60
        """
    )
    assert done.returncode == 0


def test_the_table_counts_outcomes_and_is_that_of_the_docs() -> None:
    trials = [
        Trial("push", "HTTP 500", "first"),
        Trial("push", "HTTP 503", "last", status=1, losses=["a row"], paid_twice=2),
        Trial("eval", "kill -9", "late", unheard=3),
    ]
    head, *rows = table(trials).splitlines()
    assert head == (ROOT / "docs/tables/faults.csv").read_text("utf-8").splitlines()[0]
    assert rows == [
        'push,"HTTP 500, 503",2,1,0,0,1,2,0',
        "eval,kill -9,1,1,0,0,0,0,3",
        "all,,3,2,0,0,1,2,3",
    ]
