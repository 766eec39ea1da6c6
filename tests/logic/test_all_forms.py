"""z3 and the enumeration of small models agree on every form that occurs in a dataset.

Those of the large set are left out: its schemas have more atoms than can be enumerated.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from polbias import registry
from polbias.generators.logic.enumeration import decide, enough_individuals, enough_worlds
from polbias.generators.logic.formula import (
    FOL,
    MODAL_LOGICS,
    Formula,
    Inference,
    Logic,
    Necessarily,
    Possibly,
    atoms,
    children,
    constants,
    free_choice_enrichment,
    rename,
    substitute,
)
from polbias.generators.logic.prover import prove
from polbias.generators.logic.syntax import parse_inference

FIXED = {atom.predicate for postulate in FOL.postulates for atom in atoms(postulate)}


def _modal(formula: Formula) -> bool:
    return isinstance(formula, Necessarily | Possibly) or any(map(_modal, children(formula)))


def _form(inference: Inference) -> Inference:
    """Return an inference without its words and names; the order of premises makes no difference."""
    words = dict.fromkeys(
        a.predicate for f in inference.formulas for a in atoms(f) if a.predicate not in FIXED
    )
    names = dict.fromkeys(name for f in inference.formulas for name in constants(f))
    words = {word: f"p{index}" for index, word in enumerate(words)}
    names = {name: f"n{index}" for index, name in enumerate(names)}
    plain = inference.map(lambda f: rename(substitute(f, names), words))
    return Inference(tuple(sorted(plain.premises, key=str)), plain.conclusion)


@pytest.fixture(scope="module")
def forms(all_builds: Path) -> set[Inference]:
    texts: set[str] = set()
    for name in set(registry.dataset_names()) - {"partisan-inference-xl", "partisan-inference-ladder"}:
        for path in (all_builds / name).rglob("*.parquet"):
            if "logical_form" in pq.read_schema(path).names:
                (column,) = pq.read_table(path, columns=["logical_form"]).columns
                texts |= {text for text in column.unique().to_pylist() if text and "⊢" in text}
    return {_form(parse_inference(text)) for text in texts}


def _agree(form: Inference, logic: Logic) -> None:
    said = form.map(free_choice_enrichment) if logic.free_choice else form
    extra = enough_individuals(said)
    assert extra < 2
    worlds = 1 if logic is FOL else enough_worlds(said, logic, extra=int(extra))
    found = decide(said, logic, worlds=worlds, extra=int(extra))
    proved = prove(form, logic)
    assert (proved.valid, proved.consistent) == (found.valid, found.consistent), f"{form} in {logic.name}"


def test_all_modal_forms(forms: set[Inference]) -> None:
    modal = [form for form in forms if any(map(_modal, form.formulas))]
    assert len(modal) > 30
    for form in modal:
        for logic in MODAL_LOGICS:
            _agree(form, logic)


def test_all_first_order_forms(forms: set[Inference]) -> None:
    plain = [form for form in forms if not any(map(_modal, form.formulas))]
    assert len(plain) > 20
    for form in plain:
        _agree(form, FOL)
