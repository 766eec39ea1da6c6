"""The problems of all tasks, composed once."""

from itertools import product

import pytest

from polbias.generators.normative.items import Problem, problems
from polbias.generators.normative.templates import DOMAINS, TASKS, NormativeTemplates, load_family


@pytest.fixture(scope="session")
def family() -> NormativeTemplates:
    return load_family()


@pytest.fixture(scope="session")
def by_task(family: NormativeTemplates) -> dict[tuple[str, str], list[Problem]]:
    return {(domain, task): problems(family, domain, task) for domain, task in product(DOMAINS, TASKS)}


@pytest.fixture(scope="session")
def every(by_task: dict[tuple[str, str], list[Problem]]) -> list[Problem]:
    return [problem for row in by_task.values() for problem in row]
