"""Template files of all families, damaged: each is read and specified, or refused by file and place."""

from __future__ import annotations

import pytest
import yaml

from tests.faults.support.campaign import ends_cleanly, fuzz, sizes
from tests.faults.support.damage import damages
from tests.faults.support.families import FAMILIES, Target, target
from tests.faults.support.structures import rewritings

_LEAST = 8  # of fewer files all may happen to be sound


def _check(family: Target, which: int, data: bytes) -> bool:
    return ends_cleanly(lambda: family.read(which, data), *family.names)


@pytest.fixture(scope="module", params=FAMILIES)
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Target:
    return target(request.param, tmp_path_factory.mktemp(request.param))


@sizes
def test_damaged_bytes(family: Target, examples: int) -> None:
    tally = fuzz(
        damages(len(family.files)),
        lambda each: _check(family, each.which, each.of(family.originals)),
        max(examples, _LEAST),
    )
    assert tally.errors
    assert tally.results


@sizes
def test_changed_fields(family: Target, examples: int) -> None:
    places = [place for place, file in enumerate(family.files) if file.endswith(".yaml")]
    documents = [yaml.load(family.originals[place], Loader=yaml.CSafeLoader) for place in places]

    def check(each: object) -> bool:
        text = yaml.safe_dump(each.of(documents), allow_unicode=True, sort_keys=False)
        return _check(family, places[each.which], text.encode("utf-8", "surrogatepass"))

    assert fuzz(rewritings(len(documents)), check, max(examples, _LEAST)).errors
