"""Fuzzing guided by coverage: ``python -m tests.faults.guided answers -max_total_time=300``.

Hypothesis draws from what is known to matter; this looks for inputs that reach new lines of the parsers written
by hand. It needs ``pip install atheris`` (Linux) and is no part of the tests. Further arguments are libFuzzer's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import atheris

with atheris.instrument_imports(include=["polbias"]):
    from tests.faults.test_fuzz_answers import READERS
    from tests.faults.test_fuzz_texts import FORMS, MARKS, parse_answer, parse_logic

from tests.faults.support.texts import PIECES


def read_answers(text: str) -> None:
    """All readers of models' answers: one of their labels, whatever blanks stand around."""
    for read, labels in READERS.values():
        label = read(text).label
        assert label in labels
        assert read(f" \n{text}\n ").label == label


TARGETS: Mapping[str, tuple[tuple[str, ...], Callable[[str], object]]] = {
    "answers": (PIECES, read_answers),
    "services": (MARKS, parse_answer),
    "formulas": (FORMS, parse_logic),
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
