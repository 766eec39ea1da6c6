"""The small model, and the environment in which commands ask it."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest

from benchmarks.planted_weights import load_base_model, model_file
from polbias.experiments.demonstration import demonstration, write_choices
from tests.model.servers import ALIAS, Weights


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """The model as a folder of plain numbers, and as the file that these were read from."""
    folder = tmp_path_factory.mktemp("models") / ALIAS
    for part in load_base_model():
        part.save_pretrained(folder)
    return Weights(folder, model_file())


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The builds of this checkout, articles to choose among, and no network."""
    choices = write_choices(demonstration(), tmp_path_factory.mktemp("choices"))
    return {**os.environ, "POLBIAS_STAGE2": str(choices), "HF_HUB_OFFLINE": "1"}
