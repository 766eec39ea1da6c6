"""Items of kinds that no published file here has, judged as a careful reader judges them."""

import json
from pathlib import Path

import pytest

from polbias.generators.auditing.items import AuditItem
from polbias.generators.auditing.normative import make

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("unseen.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def audit():
    return make()


def test_no_item_twice():
    texts = {(row["premise"], row["hypothesis"], row["pattern"]) for row in ROWS}
    assert len(texts) == len(ROWS) == 210


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['pattern']}: {row['hypothesis']}")
def test_verdict_and_form(audit, row):
    texts = row["premise"], row["hypothesis"]
    judgement = audit.judge(AuditItem(1, row, texts, row["gold"] == "entailment", row["gold"]))
    assert (judgement.verdict, judgement.instantiates) == (row["verdict"], row["instantiates"]), judgement
