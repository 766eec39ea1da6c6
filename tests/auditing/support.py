"""A format for the tests: items are written in the notation of formulas, so that no reader is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from polbias.generators.auditing.audit import Audit, combine_verdicts, decide_modal, evidence, reading_text
from polbias.generators.auditing.items import (
    AuditedItem,
    AuditItem,
    ItemLayout,
    ItemSource,
    ItemVerdict,
    unparsed_verdict,
)
from polbias.generators.logic.prover import ItemReading
from polbias.generators.logic.syntax import FormulaError, parse_inference
from polbias.generators.table_files import ColumnRole

LAYOUT = ItemLayout(
    roles=(
        ColumnRole("id"),
        ColumnRole("premise", ("p",), required=True),
        ColumnRole("hypothesis", ("h",), required=True),
        ColumnRole("gold", ("label",), required=True),
        ColumnRole("pattern"),
        ColumnRole("content_type"),
    ),
    texts=("premise", "hypothesis"),
    labels={"entailment": True, "non-entailment": False},
    duplicate_keys=(("premise", "hypothesis"),),
    cell="content_type",
)


class Notation:
    """Premises and hypothesis are formulas; "crash" makes the reader fail."""

    name = "notation"
    layout = LAYOUT
    exemplars: Sequence[Sequence[str]] = ()
    meanings: Mapping[str, str] = {"odd": "the premise says odd"}

    def judge(self, item: AuditItem, neighbours: Sequence[AuditItem] = ()) -> ItemVerdict:
        assert item.gold is not None
        premise, hypothesis = item.sentences
        if "crash" in premise:
            raise RuntimeError("reader out of order")
        try:
            readings = [ItemReading(parse_inference(f"{premise} ⊢ {hypothesis}"))]
        except FormulaError as error:
            return unparsed_verdict(str(error))
        outcome = combine_verdicts(item.gold, list(decide_modal(readings, None)))
        countermodel, proof = evidence(readings, outcome)
        return ItemVerdict(
            outcome.verdict,
            reading=reading_text(readings, outcome),
            countermodel=countermodel,
            proof=proof,
            deciding=outcome.deciding,
            slips=("odd",) if "odd" in premise else (),
        )


HEADER = ("id", "premise", "hypothesis", "gold", "content_type", "pattern")
# (id, premise, hypothesis, gold, content type, pattern) and the verdict that follows by hand.
ITEMS: Sequence[tuple[tuple[str, ...], str]] = (
    (("1", "O A", "P A", "entailment", "c", "Mu-Mi"), "confirmed"),
    (("2", "P A", "O A", "entailment", "c", "Mi-Mu"), "contradicted"),
    (("3", "O A", "O(A ∨ B)", "non-entailment", "c", "Ross"), "depends"),
    (("4", "□A", "A", "entailment", "c", "T"), "depends"),
    (("5", "(A", "A", "entailment", "c", "none"), "unparsed"),
    (("6", "A; ¬A", "B", "entailment", "c", "none"), "contradicted"),
    (("7", "O B", "P B", "non-entailment", "i", "Mu-Mi"), "contradicted"),
)


def write(path: Path, rows: Iterable[Sequence[str]], separator: str = "\t", end: str = "\n") -> Path:
    """Write a table of text as it is, without quoting."""
    path.write_bytes(end.join([separator.join(row) for row in rows] + [""]).encode())
    return path


def sample(path: Path) -> Path:
    """Write all sample items as TSV."""
    return write(path, [HEADER, *(row for row, _ in ITEMS)])


def audit(path: Path, form: Notation | None = None, **chosen: str) -> list[AuditedItem]:
    """Audit a file."""
    form = form or Notation()
    return list(Audit(ItemSource(path, form.layout, chosen), form))


def verdicts(path: Path) -> list[str]:
    """Return the verdicts of a file's items."""
    return [item.verdict for item in audit(path)]
