"""Fuzzing guided by coverage: ``python -m tests.faults.guided answers -max_total_time=300``.

Hypothesis draws from what is known to matter; this looks for inputs that reach new lines of the parsers written
by hand. It needs ``pip install atheris`` (Linux) and is no part of the tests. Further arguments are libFuzzer's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import atheris

with atheris.instrument_imports(include=["polbias"]):
    from polbias.errors import PolbiasError
    from polbias.generators.logic.syntax import parse_formula, parse_inference
    from polbias.generators.services.parsing import find_json, numbered_lines, plain
    from tests.faults.test_fuzz_answers import READERS

from tests.faults.support.texts import PIECES
from tests.faults.test_fuzz_texts import FORMS, MARKS


def read_answers(text: str) -> None:
    """All readers of models' answers: one of their labels, whatever blanks stand around."""
    for read, labels in READERS.values():
        label = read(text).label
        assert label in labels
        assert read(f" \n{text}\n ").label == label


def parse_answers(text: str) -> None:
    """What is parsed of the answers of services."""
    find_json(text)
    numbered_lines(text)
    plain(text)


def parse_formulas(text: str) -> None:
    """Formulas print as they are read."""
    for parse in (parse_formula, parse_inference):
        try:
            found = parse(text)
        except PolbiasError:
            continue
        assert parse(str(found)) == found


TARGETS: Mapping[str, tuple[tuple[str, ...], Callable[[str], None]]] = {
    "answers": (PIECES, read_answers),
    "services": (MARKS, parse_answers),
    "formulas": (FORMS, parse_formulas),
}


def main() -> None:
    """Run one target until libFuzzer ends it, or something fails."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"name one of {', '.join(TARGETS)}")
    pieces, check = TARGETS[sys.argv[1]]

    def one(data: bytes) -> None:
        source = atheris.FuzzedDataProvider(data)
        parts = []
        while source.remaining_bytes():
            known = source.ConsumeBool()
            parts.append(
                pieces[source.ConsumeIntInRange(0, len(pieces) - 1)] if known else source.ConsumeUnicode(3)
            )
        check("".join(parts))

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
