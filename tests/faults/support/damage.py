"""What happens to files: bytes that are lost, doubled, changed, or written by another program."""

from __future__ import annotations

import codecs
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from polbias.limits import MAX_ROW

Change = Callable[[bytes, random.Random], bytes]

ODD = (
    *(
        "",
        " ",
        "\0",
        "\t",
        "\r",
        "\ufeff",
        "\u200b",
        "\u202e",
        "\x1b]52;c;aGk=\x07",
        "\x9b2J",
        "\u2028",
        "\x85",
        "\x1a",
        "e\u0301",
        "🏳️‍🌈",
        "ß",
    ),
    *(
        "true",
        "null",
        "~",
        "NaN",
        "-Infinity",
        "1e999",
        "-1",
        "0x10",
        "0o7",
        "1_000",
        "12:30:45",
        "2001-01-01",
    ),
    *(
        "9" * 30,
        "9" * 5000,
        "1e-999999999",
        "2001-99-99",
        "2001-01-01T99:99:99Z",
        "=1+1",
        "../../x",
        "{{ 1 }}",
    ),
    *(
        "{% for i in range(9) %}",
        "{{ x.__class__ }}",
        "{{ words|join(words|join('x')) }}",
        "{",
        "}",
        "[",
        "]",
        "[[",
        "{}",
        "[]",
        "- ",
        ": ",
        "? ",
        "# ",
    ),
    *(
        "&a",
        "*a",
        "<<: *a",
        "!!python/object:os.system x",
        "!!binary A",
        "!!int x",
        "!!set {a}",
        "!x",
        "%YAML 9.9",
    ),
    *(
        "---",
        "...",
        "|",
        ">",
        "'",
        '"',
        '""',
        "\\",
        "\\ud800",
        '"\\ud800"',
        "@",
        "`",
        ",",
        ";",
        "a" * 3000,
        "🙂" * 900,
    ),
    *('{"a": 1}', "[1, 2", '{"a"', "[" * 200, "{" * 200, '{"a":' * 60, "-" * 200 + " ", "1" * 400 + ".5"),
)
"""Texts that programs stumble over."""


_LONG = MAX_ROW + 1
"""Characters that no line of a table has."""


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randrange(len(data) + 1)


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = _place(data, chance)
    return start, min(len(data), start + chance.choice((1, 2, 5, 20, 200)))


def cut(data: bytes, chance: random.Random) -> bytes:
    """Lose the end."""
    return data[: _place(data, chance)]


def lose(data: bytes, chance: random.Random) -> bytes:
    """Lose something in the middle."""
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def repeat(data: bytes, chance: random.Random) -> bytes:
    """Have something several times."""
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def scramble(data: bytes, chance: random.Random) -> bytes:
    """Have any bytes somewhere."""
    start, end = _span(data, chance)
    return data[:start] + chance.randbytes(chance.choice((1, 2, 8, 64))) + data[end:]


def flip(data: bytes, chance: random.Random) -> bytes:
    """Change one bit."""
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def insert(data: bytes, chance: random.Random) -> bytes:
    """Have an odd text somewhere."""
    at = _place(data, chance)
    return data[:at] + chance.choice(ODD).encode() + data[at:]


def swap_word(data: bytes, chance: random.Random) -> bytes:
    """Have an odd text in the place of a word."""
    words = data.split(b" ")
    words[chance.randrange(len(words))] = chance.choice(ODD).encode()
    return b" ".join(words)


def lose_line(data: bytes, chance: random.Random) -> bytes:
    """Lose a line."""
    lines = data.split(b"\n")
    del lines[chance.randrange(len(lines))]
    return b"\n".join(lines)


def repeat_line(data: bytes, chance: random.Random) -> bytes:
    """Have a line twice, or somewhere else as well."""
    lines = data.split(b"\n")
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    return b"\n".join(lines)


def swap_value(data: bytes, chance: random.Random) -> bytes:
    """Have an odd value in a line of YAML, a cell of a table or a field of JSON."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    for mark in (b": ", b"\t", b'":', b",", b";"):
        parts = lines[at].split(mark)
        if len(parts) > 1:
            parts[chance.randrange(len(parts))] = chance.choice(ODD).encode()
            lines[at] = mark.join(parts)
            break
    return b"\n".join(lines)


def indent(data: bytes, chance: random.Random) -> bytes:
    """Indent a line otherwise."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    lines[at] = chance.choice((b" ", b"  ", b"\t", b"- ", b"")) + lines[at].lstrip()
    return b"\n".join(lines)


def carriage_returns(data: bytes, chance: random.Random) -> bytes:
    """End lines as Windows or old Macs do."""
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r")))


def byte_order_mark(data: bytes, chance: random.Random) -> bytes:
    """Begin with a mark that says how it is written, truly or not."""
    return chance.choice((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) + data


def other_encoding(data: bytes, chance: random.Random) -> bytes:
    """Be written in another encoding."""
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(("utf-16", "utf-32", "cp1252", "latin-1", "utf-7", "cp037")), "replace")


def nul(data: bytes, chance: random.Random) -> bytes:
    """Have NUL somewhere, as after a crash."""
    at = _place(data, chance)
    return data[:at] + b"\0" * chance.choice((1, 4096, _LONG)) + data[at:]


def enlarge(data: bytes, chance: random.Random) -> bytes:
    """Be as large as nobody expects, in one line."""
    at = _place(data, chance)
    return (
        data[:at]
        + chance.choice((b"a", b" ", b"9", b'"', b"(")) * chance.choice((10_000, 200_000, _LONG))
        + data[at:]
    )


CHANGES: tuple[Change, ...] = (
    *(
        cut,
        lose,
        repeat,
        scramble,
        flip,
        insert,
        swap_word,
        lose_line,
        repeat_line,
        swap_value,
        swap_value,
        indent,
    ),
    *(carriage_returns, byte_order_mark, other_encoding, nul, enlarge),
)


@dataclass(frozen=True)
class Damage:
    """What becomes of an original.

    Attributes:
        which: number of the original.
        steps: changes in order, each with the seed of its chance.
    """

    which: int
    steps: tuple[tuple[Change, int], ...]

    def __repr__(self) -> str:
        steps = ", ".join(f"({change.__name__}, {seed})" for change, seed in self.steps)
        return f"Damage({self.which}, ({steps}))"

    def of(self, originals: Sequence[bytes]) -> bytes:
        """Return the damaged original."""
        data = originals[self.which]
        for change, seed in self.steps:
            data = change(data, random.Random(seed))
        return data


def damages(count: int, most: int = 3) -> st.SearchStrategy[Damage]:
    """Draw damages of one of so many originals."""
    step = st.tuples(st.sampled_from(CHANGES), st.integers(0, 2**32))
    return st.builds(Damage, st.integers(0, count - 1), st.lists(step, max_size=most).map(tuple))
