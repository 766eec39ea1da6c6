"""Documents whose fields are lost, doubled, or of another kind than expected."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Path = tuple[Any, ...]
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 10**30, -(10**400), 0.5, -0.0, 1e308, float("inf"), float("nan")),
    *(
        "",
        " ",
        "x",
        "0",
        "-1",
        "true",
        "\0",
        "\ud800",
        "\x1b]0;x\x07\x9b2J\u202e",
        "a\nb",
        "a" * 5000,
        "{{ x }}",
        "{% x %}",
        "../..",
        "=1",
        "e\u0301",
    ),
    *(
        [],
        [[]],
        [None],
        {},
        {"": ""},
        {"a": {"b": []}},
        [1, "a", None],
        [[[[[[]]]]]],
        ["x"] * 300,
        {"x" * 200: 1},
    ),
)
"""Values of kinds that are not expected."""


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value in a document."""
    yield path
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def change(value: Any, chance: random.Random) -> Any:
    """Return a copy of a document with one value changed."""
    made = copy.deepcopy(value)
    path = chance.choice(list(places(made)))
    odd = copy.deepcopy(chance.choice(ODD))
    if not path:
        return odd if chance.random() < 0.2 else made
    holder = made
    for part in path[:-1]:
        holder = holder[part]
    last = path[-1]
    what = chance.randrange(6)
    if what == 0:
        del holder[last]
    elif what == 1 and isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[last]))
    elif what == 1:
        holder[chance.choice(("unknown", "", last if isinstance(last, str) else "x", "a.b"))] = odd
    elif what == 2:
        others = list(places(made))
        other: Any = made
        for part in chance.choice(others):
            other = other[part]
        holder[last] = copy.deepcopy(other)
    elif what == 3 and isinstance(holder[last], str):
        text = holder[last]
        at = chance.randrange(len(text) + 1)
        extra = str(chance.choice([each for each in ODD if isinstance(each, str)]))
        holder[last] = text[:at] + extra + text[at:] if chance.random() < 0.5 else text[:at]
    else:
        holder[last] = odd
    return made


@dataclass(frozen=True)
class Rewriting:
    """What becomes of a document.

    Attributes:
        which: number of the document.
        seeds: of the chance of each change, in order.
    """

    which: int
    seeds: tuple[int, ...]

    def of(self, documents: Sequence[Any]) -> Any:
        """Return the changed document."""
        value = documents[self.which]
        for seed in self.seeds:
            value = change(value, random.Random(seed))
        return value


def rewritings(count: int, most: int = 3) -> st.SearchStrategy[Rewriting]:
    """Draw rewritings of one of so many documents."""
    seeds = st.lists(st.integers(0, 2**32), min_size=1, max_size=most).map(tuple)
    return st.builds(Rewriting, st.integers(0, count - 1), seeds)
