"""Proving all formal rows of all families: with nothing known, and again."""

from __future__ import annotations

from benchmarks.measure import Line, Measured, Stopwatch, at_most, medians


def run() -> list[Line]:
    """Prove everything several times, each in a process of its own."""
    found = medians(prove_all)
    return [
        Line("formal rows", found["rows"], "rows"),
        Line("distinct inferences among them", found["inferences"], "inferences"),
        Line("distinct forms, in all logics", found["forms"], "proofs"),
        at_most("all proofs, nothing known", found["cold"], "s", 10),
        at_most("all proofs, from the cache", found["warm"], "s", 1),
    ]


def prove_all() -> Measured:
    """Prove the inference of every formal row of every dataset in every logic that its form admits."""
    from polbias import registry
    from polbias.generators.engine import Lookup, Rows
    from polbias.generators.logic.formula import (
        FOL,
        MODAL_LOGICS,
        Formula,
        Inference,
        Necessarily,
        Possibly,
        children,
    )
    from polbias.generators.logic.prover import forget, forms_decided, prove
    from polbias.generators.logic.syntax import parse_inference

    def modal(said: Inference) -> bool:
        def within(formula: Formula) -> bool:
            return isinstance(formula, Necessarily | Possibly) or any(map(within, children(formula)))

        return any(map(within, said.formulas))

    rows, forms = 0, dict[str, None]()
    for name in registry.names():
        for table in registry.publication(name).specify().tables:
            column = table.columns.get("logical_form")
            if isinstance(column, Lookup) and table.split == "test":
                found = [form for form in column.values.unique().to_pylist() if form]
                forms.update(dict.fromkeys(found))
                rows += len(Rows(table)) if found else 0
    inferences = [parse_inference(form) for form in forms if "⊢" in form]
    chosen = [(inference, MODAL_LOGICS if modal(inference) else (FOL,)) for inference in inferences]
    forget()
    seconds = []
    for _ in range(2):
        with Stopwatch() as watch:
            for inference, admitted in chosen:
                for logic in admitted:
                    prove(inference, logic)
        seconds.append(watch.seconds)
    return {
        "rows": rows,
        "inferences": len(chosen),
        "forms": forms_decided(),
        "cold": seconds[0],
        "warm": seconds[1],
    }
