"""Names for the atoms of an item: one for all clauses that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polbias.generators.normative.reading.alignment import Verdict, compare
from polbias.generators.normative.reading.lexicon import DETERMINERS
from polbias.generators.normative.reading.wordings import Saying

_MARKED = ("past", "future", "progressive")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where an item says something.

    Attributes:
        alternatives: what the words may stand for, the likeliest first.
        tense: see `Clause.tense`.
    """

    alternatives: tuple[Saying, ...]
    tense: str = ""


@dataclass
class Names:
    """The names of the occurrences of an item, and what the naming leaves open.

    Attributes:
        of: the name of each occurrence, by position.
        loose: the other name, for an occurrence that only paraphrases an earlier one.
        tenses: the tenses of each occurrence.
        likely: whether an occurrence that paraphrases an earlier one most likely says the same.
    """

    of: list[str] = field(default_factory=list)
    loose: dict[int, str] = field(default_factory=dict)
    tenses: list[str] = field(default_factory=list)
    likely: bool = False

    def name(self, at: int, paraphrase: bool, tense: bool) -> str:
        """Return the name of an occurrence.

        Args:
            at: its position.
            paraphrase: whether paraphrases count as the same.
            tense: whether tenses are kept apart.

        Returns:
            The canonical text, with the tense in brackets if it is kept apart and is not the present.
        """
        found = self.of[at] if paraphrase else self.loose.get(at, self.of[at])
        mark = self.tenses[at]
        return f"{found} [{mark}]" if tense and mark in _MARKED and self._differs(found) else found

    def _differs(self, name: str) -> bool:
        shared = {
            self.tenses[at] for at, other in enumerate(self.of) if name in (other, self.loose.get(at))
        } - {""}
        return len(shared) > 1

    @property
    def tense_matters(self) -> bool:
        """Whether clauses that otherwise say the same differ in tense."""
        by_name: dict[str, set[str]] = {}
        for name, tense in zip(self.of, self.tenses, strict=True):
            if tense:
                by_name.setdefault(name, set()).add(tense)
        return any(len(tenses) > 1 for tenses in by_name.values())


def assign(occurrences: Sequence[Occurrence]) -> Names:
    """Give every occurrence a name.

    Args:
        occurrences: in the order of the text.

    Returns:
        The names. An occurrence that may be read in several ways is read so that it agrees with another one,
        if it can.
    """
    settled = list(occurrences)
    for at, occurrence in enumerate(occurrences):
        if len(occurrence.alternatives) > 1:
            settled[at] = Occurrence((_choose(at, settled),), occurrence.tense)
    chosen = [occurrence.alternatives[0] for occurrence in settled]
    names = Names()
    seen: list[tuple[Saying, str, str]] = []
    for at, saying in enumerate(chosen):
        tense = occurrences[at].tense
        name, loose = "", ""
        for earlier, given, given_loosely in seen:
            verdict = compare(earlier, saying)
            if verdict == "same" or verdict == "progressive":
                name, loose = given, given_loosely
                tense = "progressive" if verdict == "progressive" and tense == "present" else tense
                break
            if verdict in ("paraphrase", "ability") and not name:
                name, loose = given, " ".join(saying.words)
                names.likely |= verdict == "paraphrase"
        if not name:
            name = " ".join(saying.words)
        seen.append((saying, name, loose))
        names.of.append(name)
        names.tenses.append(tense)
        if loose:
            names.loose[at] = loose
    _prefer_singular(names, chosen)
    return names


def _choose(at: int, occurrences: Sequence[Occurrence]) -> Saying:
    mine = occurrences[at].alternatives
    if len(mine) == 1:
        return mine[0]
    others = [saying for i, other in enumerate(occurrences) if i != at for saying in other.alternatives]
    words = {saying.words for saying in others}
    for saying in mine:
        if saying.words in words:
            return saying
    for saying in mine:
        for i, other in enumerate(occurrences):
            if i != at and any(
                _verdict(i < at, saying, theirs) in ("same", "progressive") for theirs in other.alternatives
            ):
                return saying
    for saying in mine:
        for i, other in enumerate(occurrences):
            if i != at and any(_verdict(i < at, saying, theirs) for theirs in other.alternatives):
                return saying
    return mine[0]


def _verdict(theirs_first: bool, mine: Saying, theirs: Saying) -> Verdict:
    return compare(theirs, mine) if theirs_first else compare(mine, theirs)


def _bare(saying: Saying) -> list[str]:
    return [word for word in saying.words if word not in DETERMINERS]


def _prefer_singular(names: Names, chosen: Sequence[Saying]) -> None:
    """Name what is said of all in the plural by what is said of one of them."""
    better: dict[str, str] = {}
    for at, saying in enumerate(chosen):
        text = " ".join(saying.words)
        if (
            not saying.plural
            and names.of[at] != text
            and at not in names.loose
            and names.of[at] not in better
        ):
            first = next(i for i, name in enumerate(names.of) if name == names.of[at])
            if chosen[first].plural and _bare(chosen[first]) != _bare(saying):
                better[names.of[at]] = text
    if better:
        names.of = [better.get(name, name) for name in names.of]
