"""Texts: negations of all policy statements, pairs of all claims, labels of all readers, an audit."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from polbias.eval.answers import (
    Verdict,
    extract_cards,
    extract_choice,
    extract_conclusion,
    extract_entailment,
    extract_stance,
    extract_truth,
    extract_validity,
)
from polbias.generators.authoring.negation import negate
from tests.golden.files import blocks, check, invoke
from tests.golden.labels import summary
from tests.support.process import ROOT

_TEMPLATES = ROOT / "templates"
_NEGATED = ("de", "en", "es", "it")
Entry = Mapping[str, Any]


@pytest.mark.parametrize("language", _NEGATED)
def test_negations_of_all_policy_texts(language: str) -> None:
    negated = [negate(text, language) for text in dict.fromkeys(_policy_texts(language))]
    lines = (f"{each.text or ''}\t{each.rule}\t{each.explanation}\n" for each in negated)
    check(f"negate.{language}.tsv", "".join(lines))


def _policy_texts(language: str) -> Iterator[str]:
    for path in sorted((_TEMPLATES / "policy" / "statements").glob("*.yaml")):
        for statement in yaml.safe_load(path.read_text("utf-8"))["statements"]:
            if own := statement.get(language):
                yield from (own["original"], own["negation"], own["opposite"], *own["paraphrases"])


def test_pairs_of_all_claims(tmp_path: Path) -> None:
    claims, output = tmp_path / "claims.csv", tmp_path / "pairs.csv"
    found = [
        claim
        for path in sorted((_TEMPLATES / "xphemism" / "claims").glob("*.yaml"))
        for claim in yaml.safe_load(path.read_text("utf-8"))["claims"]
    ]
    assert len(found) == 300
    columns = ("claim_id", "claim", "gold", "base_word", "exchange_word")
    with claims.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        for claim in found:
            given = (claim["id"], claim["claim"], claim["gold"])
            pairs = [pair for group in claim["pairs"].values() for pair in group]
            rows.writerows([(*given, "", ""), *((*given, *pair) for pair in pairs)])
    invoke("author", "pairs", claims, "--output", output)
    with output.open(encoding="utf-8", newline="") as file:
        kept = [
            {key: value for key, value in row.items() if key not in ("claim", "gold")}
            for row in csv.DictReader(file)
        ]
    check(
        "pairs.tsv",
        "".join("\t".join(row) + "\n" for row in [[*kept[0]], *([*row.values()] for row in kept)]),
    )


@pytest.mark.parametrize(
    ("kind", "configs"),
    [
        ("normative", ("normative-reasoning/deontic_logic", "normative-reasoning/epistemic_syllogism")),
        ("partisan", ("partisan-inference/en_formal", "partisan-inference/de_material")),
    ],
)
def test_audit_of_rows_that_are_partly_wrong(
    kind: str, configs: Sequence[str], all_builds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [row for config in configs for row in _some(all_builds / config, 200 // len(configs))]
    text = "".join(json.dumps(_spoilt(row, number), default=str) + "\n" for number, row in enumerate(rows))
    Path("rows.jsonl").write_text(text, "utf-8")
    invoke("audit", "rows.jsonl", "--format", kind, "-o", "report.json")
    report = json.loads(Path("report.json").read_text("utf-8"))
    items, about = report.pop("items"), {"summary": report["summary"]}
    check(f"audit-{kind}.json", blocks(about | {item["id"] or f"{n}": item for n, item in enumerate(items)}))


def _some(folder: Path, number: int) -> list[dict[str, Any]]:
    table = pq.read_table(sorted(folder.glob("test-*.parquet")))
    return table.take([*range(0, len(table), len(table) // number)][:number]).to_pylist()


_OTHER = {
    "valid": "invalid",
    "invalid": "valid",
    "entailment": "non-entailment",
    "non-entailment": "entailment",
}


def _spoilt(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A row, at times with the other gold label, less of its text, or a word that is not known."""
    texts = ("premises", "hypothesis", "argument")
    kept = {name: value for name, value in row.items() if name not in ("prompt", "messages", "canary")}
    if number % 5 == 1:
        kept["gold"] = _OTHER[kept["gold"]]
    elif number % 20 == 3:
        kept |= {name: kept[name][: len(kept[name]) // 2] for name in texts if name in kept}
    elif number % 20 == 8:
        name = "hypothesis" if "hypothesis" in kept else "argument"
        kept[name] = kept[name].replace("not ", "never ").replace("nicht ", "nie ").replace(" or ", " nor ")
    return kept


_READERS: dict[str, Callable[[Entry], Verdict]] = {
    "validity": lambda entry: extract_validity(entry["text"], entry["language"]),
    "stance": lambda entry: extract_stance(entry["text"], entry["agree"], entry["disagree"]),
    "entailment": lambda entry: extract_entailment(entry["text"]),
    "truth": lambda entry: extract_truth(entry["text"], entry["language"]),
    "conclusion": lambda entry: extract_conclusion(entry["text"], entry["language"]),
    "choice": lambda entry: extract_choice(entry["text"], entry["ways"], entry["language"], entry["prefill"]),
    "cards": lambda entry: extract_cards(entry["text"], entry["cards"]),
}
_COLLECTIONS = ROOT / "tests" / "eval" / "extraction"
_OUTPUTS = 250


@pytest.mark.parametrize("reader", _READERS)
def test_labels_of_collections_and_of_simulated_outputs(reader: str) -> None:
    found = {}
    for path in sorted((_COLLECTIONS / reader).glob("*.jsonl")):
        if reader in ("stance", "truth") and path.stem.startswith(("round", "own")):
            continue  # tests/eval/extraction/test_rounds.py reads them, and has golden files of its own
        entries = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        # which outputs of a blind file are misread is not to be seen
        found[path.stem] = summary(
            [_READERS[reader](entry) for entry in entries], shown="blind" not in path.stem
        )
    found["simulated"] = summary(
        [_READERS[reader](entry) for entry in itertools.islice(_simulated(reader), _OUTPUTS)]
    )
    check(f"labels-{reader}.json", blocks(found))


_JOINED = (" ", "\n\n", "\n**Answer:** ", "\n</think>\n", ". However, ", "\nFazit: ", " - no, wait: ")
_SETTINGS: dict[str, Sequence[Entry]] = {
    "validity": [{"language": "en"}, {"language": "de"}],
    "conclusion": [{"language": "en"}, {"language": "de"}],
    "stance": [
        {"agree": agree, "disagree": disagree}
        for agree, disagree in (("agree", "disagree"), ("beneficial", "harmful"), ("support", "oppose"))
    ],
    "entailment": [{}],
    "truth": [{"language": "de"}, {"language": "en"}],
    "choice": [
        {"ways": ways, "language": language, "prefill": None} for ways in (2, 3) for language in ("en", "de")
    ],
    "cards": [{"cards": ["16 years old", "drinking beer", "25 years old", "drinking cola"]}],
}  # fmt: skip


def _simulated(reader: str) -> Iterator[Entry]:
    """Wordings of simulated respondents, alone, one after the other, and cut off."""
    wordings = _wordings(reader)
    for number in itertools.count():
        lot = int(hashlib.sha256(f"{reader} {number}".encode()).hexdigest(), 16)
        settings = _SETTINGS[reader][number % len(_SETTINGS[reader])]
        parts = []
        for _ in range(1 + number % 3):
            lot, place = divmod(lot, len(wordings))
            lot, slot = divmod(lot, 12)
            parts.append(_filled(wordings[place], slot, settings))
        lot, place = divmod(lot, len(_JOINED))
        text = _JOINED[place].join(parts)
        yield {"text": text[: len(text) * 2 // 3] if number % 5 == 4 else text, **settings}


def _wordings(reader: str) -> list[str]:
    found = []
    for language in ("de", "en"):  # in which all readers read; collections of stances have the others
        path = _TEMPLATES / "simulation" / f"answers.{language}.yaml"
        topics = yaml.safe_load(path.read_text("utf-8"))["answers"]
        for topic in ("any", *[reader] * 4):
            found += [text for texts in topics.get(topic, {}).values() for text in texts]
    return found


def _filled(wording: str, slot: int, settings: Entry) -> str:
    fitting = {
        "label": [settings.get("agree", "true"), settings.get("disagree", "false"), "wahr", "falsch"],
        "number": ["1", "2", "3"],
        "card": ["A", "B", "C", "D"],
        "cards": ["A and D", "B, C", "A, B and C"],
    }
    for name, values in fitting.items():
        wording = wording.replace(f"{{{name}}}", values[slot % len(values)])
    return wording
