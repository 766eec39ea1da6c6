"""Tables of JSON objects, one on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.generators.logic.audit.lines import LONGEST, lines
from polbias.generators.logic.audit.tables import Row

_LOOKED_AT = 100  # objects, for the names of columns: an object may leave out what is null


class JsonLines:
    """A file with a JSON object on each line.

    Args:
        path: the file.

    Raises:
        InputError: if there is none, or the file is one JSON document.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        names: dict[str, None] = {}
        problem: tuple[int, str] | None = None
        for line, found, wrong in islice(self._objects(), _LOOKED_AT):
            names |= dict.fromkeys(found)
            problem = problem or ((line, wrong) if wrong else None)
        if not names:
            line, wrong = problem or (1, "nothing")
            raise InputError(
                f"{path}:{line}: found {wrong}, expected one JSON object on each line "
                "(of a JSON array: `jq -c '.[]' FILE > items.jsonl`)"
            )
        self.columns: Sequence[str] = list(names)

    def rows(self, wanted: Sequence[str]) -> Iterator[Row]:
        """Yield all objects with the values of some keys."""
        for line, found, problem in self._objects():
            if problem:
                yield Row(line, problem=f"found {problem}, expected a JSON object")
            else:
                yield Row(line, [found.get(name) for name in wanted])

    def _objects(self) -> Iterator[tuple[int, dict[str, Any], str | None]]:
        for line, text in lines(self.path):
            if not text or text.isspace():
                continue
            if len(text) > LONGEST:
                yield line, {}, f"a line of more than {LONGEST:,} characters"
                continue
            try:
                found = json.loads(text)
            except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
                yield line, {}, f"no JSON ({getattr(error, 'msg', None) or type(error).__name__})"
                continue
            if isinstance(found, dict):
                yield line, found, None
            else:
                yield line, {}, f"a JSON {type(found).__name__}"
