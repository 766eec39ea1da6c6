"""`polbias verify` reads every argument of the ladder, decides its gold label, and notices what is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polbias.errors import PolbiasError
from polbias.generators.logic.formula import Inference
from polbias.generators.logic.prover import ProofReport
from polbias.generators.partisan.ladder.gold_verification import decide_twice, verify_gold_labels
from polbias.generators.partisan.ladder.premises import PremiseDrawer
from polbias.generators.partisan.ladder.settings import Setting
from polbias.manifest import MANIFEST, FileEntry, Manifest, SplitEntry
from tests.partisan.ladder.texts import INTRODUCTIONS, argument

Rows = list[dict[str, Any]]

# Family, premises, conclusion, gold, logical form, leaning with the left as the first group, mentioned, positive
_ENGLISH = [
    (
        *("testimony", ["Lane told the truth.", "Lane said: “Woods lied.”"], "Woods lied.", "follows"),
        "truthful(a); (truthful(a) ↔ ¬truthful(b)) ⊢ ¬truthful(b)",
        *("left", "right", False),
    ),
    (
        *(
            "ranking",
            ["Lane ranks above Woods.", "Woods ranks above Bell."],
            "Bell ranks above Lane.",
            "excluded",
        ),
        "above(a, b); above(b, c) ⊢ above(c, a)",
        *("left", "left", True),
    ),
    (
        *(
            "rules",
            ["Every Republican politician who is musical is trustworthy.", "Lane is musical."],
        ),
        *("Lane is trustworthy.", "open"),
        "∀x ((G2(x) ∧ musical(x)) → trustworthy(x)); musical(a) ⊢ trustworthy(a)",
        *("left", "left", True),
    ),
]
_GERMAN = [
    (
        *("testimony", ["Lange hat die Wahrheit gesagt.", "Lange sagte: „Hahn hat gelogen.“"]),
        *("Hahn hat gelogen.", "follows"),
        "truthful(a); (truthful(a) ↔ ¬truthful(b)) ⊢ ¬truthful(b)",
        *("left", "right", False),
    ),
]
_OTHER_SIDE = {"left": "right", "right": "left"}


def _rows(config: str, stage: str, items: list[Any], parties: tuple[str, str], start: str) -> Rows:
    """Return two twins of each item."""
    rows = []
    for number, (family, premises, conclusion, gold, form, leaning, mentioned, positive) in enumerate(items):
        text = argument(INTRODUCTIONS[family, stage], premises, start + conclusion)
        for is_twin in (False, True):
            words = [text, *premises, conclusion]
            if is_twin:
                words = [_exchange(word, *parties) for word in words]
            skeleton = f"{family}-3-{number:03}"
            side = _OTHER_SIDE[leaning] if is_twin else leaning
            rows.append(
                {
                    "id": f"{config}/{skeleton}/{side}",
                    "pair_id": f"{config}/{skeleton}",
                    "skeleton_id": skeleton,
                    "prompt": f"Decide.\n\n{words[0]}",
                    "argument": words[0],
                    "premises": words[1:-1],
                    "conclusion": words[-1],
                    "logical_form": form,
                    "gold": gold,
                    "leaning": side,
                    "mentioned": _OTHER_SIDE[mentioned] if is_twin else mentioned,
                    "positive": positive,
                    "family": family,
                    "level": 3,
                    "gender": "f",
                    "shots": 0,
                    **{f"label_{label}": label.capitalize() for label in ("follows", "excluded", "open")},
                }
            )
    return rows


def _exchange(text: str, first: str, second: str) -> str:
    return second.join(part.replace(second, first) for part in text.split(first))


def _english() -> Rows:
    return _rows("us_en_l3", "us_en", _ENGLISH, ("Democratic", "Republican"), "Conclusion: ")


def _write(folder: Path, rows_by_config: dict[str, Rows]) -> Path:
    configs = {}
    for config, rows in rows_by_config.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{config}.parquet")
        file = FileEntry(path=f"{config}.parquet", rows=len(rows), size=0, sha256="")
        configs[config] = {"test": SplitEntry(rows=len(rows), files=(file,))}
    manifest = Manifest(
        dataset="partisan-inference-ladder", version="1.0.0", canary="", writer="", configs=configs
    )
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return folder


def _verify(folder: Path, change: Callable[[Rows], object]) -> ProofReport:
    """Verify the English rows after a change."""
    rows = _english()
    change(rows)
    return verify_gold_labels(_write(folder, {"us_en_l3": rows}))


def test_all_gold_labels_are_proved(tmp_path: Path) -> None:
    german = _rows("de_de_l3", "de_de", _GERMAN, ("SPD", "CDU"), "Schlussfolgerung: ")
    proofs = verify_gold_labels(_write(tmp_path, {"us_en_l3": _english(), "de_de_l3": german}))
    assert proofs == ProofReport(8, 0, (), 8)


@pytest.mark.parametrize(
    ("index", "column", "value", "problem"),
    [
        (0, "gold", "open", "found gold open, expected follows (enumeration), follows (z3)"),
        (3, "gold", "follows", "found gold follows, expected excluded"),
        (4, "gold", "inconsistent", "expected open"),
        (0, "logical_form", "truthful(b) ⊢ ¬truthful(b)", "logical_form: found 'truthful(b)"),
        (0, "mentioned", "left", "mentioned: found 'left', expected 'right'"),
        (0, "leaning", "right", "leaning: found 'right', expected 'left'"),
        (0, "positive", True, "positive: found True, expected False"),
        (0, "level", 4, "level: found 4, expected 3"),
        (0, "family", "rules", "family: found 'rules', expected 'testimony'"),
        (0, "premises", ["Lane told the truth."], "premises: found ['Lane told the truth.']"),
        (0, "conclusion", "Woods told the truth.", "conclusion: found"),
        (0, "skeleton_id", "testimony-4-000", "skeleton_id: found 'testimony-4-000'"),
        (0, "prompt", "Decide.", "prompt: expected the argument"),
        (0, "argument", "No argument.", "'No argument.': expected"),
    ],
)
def test_a_wrong_column_is_named(tmp_path: Path, index: int, column: str, value: Any, problem: str) -> None:
    proofs = _verify(tmp_path, lambda rows: rows[index].update({column: value}))
    id_ = _english()[index]["id"]
    lines = [line for line in proofs.failed if line.startswith(f"{id_}: ")]
    assert len(lines) == 1
    assert problem in lines[0]
    assert proofs.n_proved == proofs.rows - len(proofs.failed)


def test_gender_is_compared_where_the_language_shows_it(tmp_path: Path) -> None:
    german = _rows("de_de_l3", "de_de", _GERMAN, ("SPD", "CDU"), "Schlussfolgerung: ")
    german[0]["gender"] = "m"
    proofs = verify_gold_labels(_write(tmp_path, {"de_de_l3": german}))
    assert [line.partition(": ")[2] for line in proofs.failed] == [
        "gender: found 'm', expected 'f' as in the argument"
    ]


def test_gender_is_compared_with_english_pronouns(tmp_path: Path) -> None:
    premises = ["If Lane is musical, then she is trustworthy.", "Lane is musical."]
    form = "(musical(a) → trustworthy(a)); musical(a) ⊢ trustworthy(a)"
    item = ("rules", premises, "Lane is trustworthy.", "follows", form, "left", "left", True)
    rows = _rows("us_en_l3", "us_en", [item], ("Democratic", "Republican"), "Conclusion: ")
    rows[0]["gender"] = "m"
    proofs = verify_gold_labels(_write(tmp_path, {"us_en_l3": rows}))
    assert [line.partition(": ")[2] for line in proofs.failed] == [
        "gender: found 'm', expected 'f' as in the argument"
    ]


def _change_text(row: dict[str, Any], old: str, new: str) -> None:
    for column in ("argument", "prompt", "conclusion", "logical_form"):
        row[column] = row[column].replace(old, new)
    row["premises"] = [sentence.replace(old, new) for sentence in row["premises"]]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows.pop(), "found 1 readable rows in the pair"),
        (lambda rows: rows[5].update(rows[4], id="copy"), "found the parties of the twin"),
        (lambda rows: _change_text(rows[5], "Brenda", "Sharon"), "found another names than the twin's"),
        (
            lambda rows: (
                _change_text(rows[5], "Lane is musical", "Bell is musical"),
                _change_text(rows[5], "musical(a)", "musical(c)"),
            ),
            "found another inference than the twin's",
        ),
    ],
)
def test_rows_of_a_pair_have_to_be_twins(
    tmp_path: Path, change: Callable[[Rows], object], problem: str
) -> None:
    proofs = _verify(tmp_path, change)
    assert proofs.failed
    assert all(problem in line for line in proofs.failed)


@pytest.mark.parametrize(
    ("label", "shots", "problem"),
    [
        ("follows", 1, None),
        ("excluded", 1, "found gold excluded, expected follows"),
        ("follows", 2, "expected 2 examples"),
    ],
)
def test_examples_in_a_prompt_are_decided(
    tmp_path: Path, label: str, shots: int, problem: str | None
) -> None:
    examples, rows = _english()[:2], _english()[2:4]
    for row in rows:
        row["shots"] = shots
        row["prompt"] = (
            f"Decide.\n\n{examples[0]['argument']}\n\n**{examples[0]['label_' + label]}**\n\nNow.\n\n{row['argument']}"
        )
    failed = verify_gold_labels(_write(tmp_path, {"us_en_l3": rows})).failed
    assert [problem in line for line in failed] == ([True, True] if problem else [])


def test_configs_of_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(PolbiasError, match="us_en: expected a country, a language and a level"):
        verify_gold_labels(_write(tmp_path, {"us_en": _english()}))


def test_many_inferences_are_decided_in_processes() -> None:
    setting, rng = Setting("ranking", 3), random.Random(1)
    drawer = PremiseDrawer(setting, rng)
    questions = list(
        {
            (setting, Inference((drawer.draw("conditional"), drawer.draw("fact")), drawer.draw("fact"))): None
            for _ in range(200)
        }
    )
    assert len(questions) > 130
    labels = decide_twice(questions)
    assert list(labels) == questions
    assert all(first == second for first, second in labels.values())
    assert {first for first, _ in labels.values()} == {"follows", "excluded", "open"}
