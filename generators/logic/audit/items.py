"""What an audit handles: items as they stand in a file, and what was found out about them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from polbias.generators.logic.audit.findings import UNPARSED


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a file.

    Attributes:
        line: its line (in Parquet: its row), from 1.
        values: what stands in its columns, by role; None where there is nothing.
        texts: its sentences as written, in the order of the format's text roles.
        gold: whether its label says that the conclusion follows; None if the label is none of the format's.
        label: its label in the format's spelling, or as written.
        problem: if it could not be taken from the file, why; then it has no values.
        file: the file's name, if there are several.
    """

    line: int
    values: Mapping[str, str | None] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    gold: bool | None = None
    label: str | None = None
    problem: str | None = None
    file: str | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """Its texts with single spaces."""
        return tuple(" ".join(text.split()) for text in self.texts)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known about the gold label of an item.

    Attributes:
        verdict: one of `polbias.generators.logic.audit.findings.VERDICTS`.
        instantiates: whether it has the form of the pattern in its label; None if that is not known.
        reading: what it says, as a formula.
        countermodel: how its premises can be true and its conclusion false, where the gold says it follows.
        proof: why it follows (or its premises contradict each other), where the gold does not fit that.
        deciding: the smallest set of choices, name to value, with which the gold is right.
        findings: codes of what is wrong with what it says.
        slips: codes of what is wrong with its language.
        resembles: the other pattern whose form it has.
        message: why it could not be read or decided.
    """

    verdict: str
    instantiates: bool | None = None
    reading: str | None = None
    countermodel: str | None = None
    proof: str | None = None
    deciding: Mapping[str, str] | None = None
    findings: tuple[str, ...] = ()
    slips: tuple[str, ...] = ()
    resembles: str | None = None
    message: str | None = None


def unparsed(message: str, *findings: str) -> Judgement:
    """Return the judgement of an item of which nothing can be said."""
    return Judgement(UNPARSED, message=message, findings=findings)


@dataclass(frozen=True, slots=True)
class Audited:
    """An item with all that was found.

    Attributes:
        item: the item.
        judgement: of its gold label.
        findings: all codes: those of the judgement, and what is wrong with the item as a row of its file.
        twin: line of the first item with the same text.
    """

    item: Item
    judgement: Judgement
    findings: tuple[str, ...]
    twin: int | None = None

    @property
    def verdict(self) -> str:
        """The verdict on its gold label."""
        return self.judgement.verdict

    @property
    def flagged(self) -> bool:
        """Whether a reader of the file must know about it: anything but confirmed and without findings."""
        return self.verdict != "confirmed" or bool(self.findings) or self.judgement.instantiates is False


def text_key(texts: tuple[str, ...]) -> int:
    """Return a 63-bit hash of the texts of an item; spaces do not count.

    Raises:
        UnicodeEncodeError: if a text has half a character (a lone surrogate).
    """
    said = "\x1f".join(" ".join(text.split()) for text in texts)
    return int.from_bytes(hashlib.blake2b(said.encode(), digest_size=8).digest(), "big") >> 1
