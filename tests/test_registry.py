"""Instruments that installed packages bring, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from polbias import registry
from polbias.errors import PolbiasError
from polbias.eval.normative.simulation import ProblemQuestions
from polbias.eval.partisan.simulation import ArgumentQuestions
from polbias.eval.simulation.question_types import find_kind

OURS = registry.instruments()


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    registry.instruments.cache_clear()


def offer(monkeypatch: pytest.MonkeyPatch, name: str, found: Any) -> None:
    """Install a package that offers something under a name."""
    point = SimpleNamespace(name=name, value="other:FOUND", load=lambda: found)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    registry.instruments.cache_clear()


def test_an_installed_instrument_stands_after_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    found = replace(
        OURS["policy"], name="another", datasets={"d": "module:object"}, evaluated_datasets=("d",)
    )
    offer(monkeypatch, "another", found)
    assert [*registry.instruments()] == registry.instrument_names() == [*OURS, "another"]
    assert registry.dataset_names()[-1] == "d"


@pytest.mark.parametrize(
    ("name", "found", "told"),
    [
        ("another", "no instrument", "expected an Instrument called another"),
        ("other", replace(OURS["policy"], name="another"), "expected an Instrument called other"),
        ("policy", replace(OURS["policy"], datasets={}, evaluated_datasets=()), "is taken"),
        ("another", replace(OURS["policy"], name="another", datasets={}), "is taken"),
    ],
)
def test_what_is_none_or_is_taken_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, found: Any, told: str
) -> None:
    offer(monkeypatch, name, found)
    with pytest.raises(PolbiasError, match=told):
        registry.instruments()


def test_a_package_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("another", "no_such_module:FOUND", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    registry.instruments.cache_clear()
    assert registry.instrument_names()[-1] == "another"
    with pytest.raises(PolbiasError, match="no_such_module:FOUND: cannot be loaded"):
        registry.instruments()


def test_rows_of_two_kinds_are_of_that_of_their_dataset() -> None:
    both = {*ArgumentQuestions.REQUIRED_COLUMNS, *ProblemQuestions.REQUIRED_COLUMNS}
    assert find_kind(both) is find_kind(both, "partisan-inference-xl") is ArgumentQuestions
    assert find_kind(both, "normative-reasoning") is ProblemQuestions
