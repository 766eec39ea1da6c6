"""An audit: a first pass over the file for what is repeated, a second one that judges item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polbias.files import InputError
from polbias.generators.auditing.items import Source
from polbias.generators.logic.audit.formats import Format
from polbias.generators.logic.audit.items import Audited, Item, Judgement, text_key, unparsed
from polbias.generators.logic.audit.repeats import Repeats, Survey

LONGEST_TEXT = 2000  # characters; a reader is not asked about longer ones


class Audit:
    """One file beside one format.

    Memory does not grow with the file but for 16 bytes an item.

    Args:
        source: the items.
        form: the format.
        exemplars: texts of further few-shot exemplars.

    Raises:
        InputError: if the file has no items, is damaged, or most of its rows are malformed.

    Attributes:
        items: how many there are.
    """

    def __init__(
        self,
        source: Source,
        form: Format,
        exemplars: Sequence[Sequence[str]] = (),
    ) -> None:
        self._source = source
        self._format = form
        self._exemplars = {text_key(tuple(texts)) for texts in (*form.exemplars, *exemplars)}
        self.items, self._repeats = self._survey()

    def _survey(self) -> tuple[int, Repeats]:
        survey, number, malformed = Survey(), 0, 0
        first: Item | None = None
        for item in self._source:
            number += 1
            if item.problem:
                malformed += 1
                first = first or item
            elif item.gold is not None:
                survey.add(self._key(item), item.gold, item.values.get("id"))
        path = self._source.path
        if not number:
            raise InputError(f"{path}: found no item after the header, expected at least one")
        if first and 2 * malformed > number:
            raise InputError(
                f"{path}:{first.line}: {first.problem}; so are {malformed:,} of {number:,} rows: "
                f"not a file of the format {self._format.name!r}"
            )
        return number, survey.finish()

    def __iter__(self) -> Iterator[Audited]:
        """Yield every item with what was found, in the order of the file."""
        self._repeats.restart()
        before: Item | None = None
        now: Item | None = None
        for after in self._followed():
            if now is not None:
                yield self._audited(now, [item for item in (before, after) if item is not None])
            before, now = now, after

    def _followed(self) -> Iterator[Item | None]:
        yield from self._source
        yield None

    def _key(self, item: Item) -> int:
        return text_key(tuple(item.values.get(role) or "" for role in self._source.repeated))

    def _audited(self, item: Item, neighbours: Sequence[Item]) -> Audited:
        if item.problem:
            return Audited(item, unparsed(item.problem, "malformed-row"), ("malformed-row",))
        judgement = self._judgement(item, neighbours)
        findings = dict.fromkeys((*judgement.findings, *judgement.slips))
        key = self._key(item)
        twin = None
        if item.gold is not None:
            twin = self._repeats.text(key, item.line)
            identifier = item.values.get("id")
            if identifier is not None and self._repeats.identifier(identifier, item.line) is not None:
                findings["duplicate-id"] = None
            if twin is not None:
                findings["duplicate-item"] = None
            if self._repeats.conflicting(key):
                findings["conflicting-labels"] = None
        if self._exemplars and text_key(item.texts) in self._exemplars:
            findings["exemplar-leakage"] = None
        if item.sentences != item.texts:
            findings["whitespace"] = None
        return Audited(item, judgement, tuple(findings), twin)

    def _judgement(self, item: Item, neighbours: Sequence[Item]) -> Judgement:
        if item.gold is None:
            labels = ", ".join(self._format.layout.labels)
            return unparsed(f"gold: found {item.label!r}, expected one of {labels}", "unknown-label")
        if max(map(len, item.texts)) > LONGEST_TEXT:
            return unparsed(f"found a text of more than {LONGEST_TEXT:,} characters", "too-long")
        try:
            return self._format.judge(item, neighbours)
        except Exception as error:  # of a reader or prover: one item must not cost the whole audit
            return unparsed(f"the auditor failed on this item, please report it ({error!r})")
