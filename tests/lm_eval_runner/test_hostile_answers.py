"""Answers that would end a run, fill the memory or be taken for others: they are outcomes, and paid once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polbias.files import PolbiasError
from tests.lm_eval_runner.conftest import Evaluate, samples_of
from tests.lm_eval_runner.test_responses import chat as answer
from tests.lm_eval_runner.test_servers import MINI, OUT, Picky, run_mini
from tests.support.loopback import Reply

pytestmark = pytest.mark.e2e

HALF = "\ud83d"


@pytest.mark.parametrize("concurrent", [1, 4])
@pytest.mark.parametrize(
    "fields",
    [
        {"content": f"The argument is valid. {HALF}"},
        {"content": f"{HALF}{HALF}"},
        {"content": "valid", "reasoning": f"Hm {HALF}"},
    ],
)
def test_half_a_character_is_kept_as_it_came_and_paid_once(
    evaluate: Evaluate, command: Evaluate, fields: dict[str, str], concurrent: int
) -> None:
    def respond(body: dict[str, Any]) -> Reply | None:
        return Reply.json(answer("stop", **fields)) if len(server.bodies) % 2 else None

    with Picky(respond) as server:
        for _ in range(2):
            done = run_mini(evaluate, server, limit=8, num_concurrent=concurrent)
            assert done.exception is None, done.output
            assert len(server.bodies) == 8
    samples = samples_of(OUT, MINI)
    texts = [sample["filtered_resps"][0] for sample in samples]
    assert len(samples) == 8
    assert texts.count(fields["content"]) >= 4
    for arguments in (
        ("report", str(OUT), "-o", "report"),
        ("compare", str(OUT), str(OUT), "-o", "compared"),
    ):
        done = command(*arguments)
        assert isinstance(done.exception, PolbiasError | SystemExit | None), done.output
    assert json.loads(Path("report/summary.json").read_text("utf-8"))
