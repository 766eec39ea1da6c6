"""What became of a command after a fault, and after the same command was run again."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.faults.campaign.place import Place, Snapshot

RACE = "two at once"
_GROUPS = {
    **dict.fromkeys(["HTTP 401", "HTTP 403", "HTTP 404", "HTTP 412"], "HTTP 401, 403, 404, 412"),
    **dict.fromkeys(["HTTP 409", "HTTP 429", "HTTP 429, Retry-After"], "HTTP 409, 429"),
    **dict.fromkeys(["HTTP 500", "HTTP 503"], "HTTP 500, 503"),
}
"""Faults that share a row of the table."""


class Outcome(StrEnum):
    """The classes, from best to worst."""

    unharmed = "as if nothing had happened"
    clean = "clean error"
    flaw = "flaw"
    loss = "LOSS"


@dataclass
class Trial:
    """One fault at one place.

    Attributes:
        place: where.
        fault: its kind, a row of the table.
        detail: when or how.
        status: with which the disturbed run ended.
        losses: what is lost, or half there, or cannot be had again.
        flaws: what is untidy: a traceback, files or processes left behind, a token told.
        paid_twice: requests whose answer was on file and that were sent again.
        unheard: requests that the server answered, but whose answer was not on file when the fault came.
    """

    place: str
    fault: str
    detail: str
    status: int = 0
    losses: list[str] = field(default_factory=list)
    flaws: list[str] = field(default_factory=list)
    paid_twice: int = 0
    unheard: int = 0

    @property
    def outcome(self) -> Outcome:
        """The class that it belongs to."""
        if self.losses:
            return Outcome.loss
        if self.flaws:
            return Outcome.flaw
        return Outcome.unharmed if self.status <= 0 else Outcome.clean

    @property
    def sound(self) -> bool:
        """Whether all is as it should be; of two runs at once, each may ask for itself."""
        return not (self.losses or self.flaws) and (self.paid_twice == 0 or self.fault == RACE)

    def __str__(self) -> str:
        again = [f"{self.paid_twice} asked again"] if self.paid_twice else []
        told = "; ".join([*self.losses, *self.flaws, *again])
        return f"{self.place}, {self.fault} ({self.detail}): {self.outcome}" + (f": {told}" if told else "")


Disturb = Callable[[], int]


def tried(
    place: Place,
    earlier: bool,
    fault: str,
    detail: str,
    disturb: Disturb,
    mend: Callable[[], None] = lambda: None,
) -> Trial:
    """Disturb a run, run the same again, and say what came of it.

    Args:
        place: where.
        earlier: whether results of an earlier run are there.
        fault: its kind.
        detail: when or how.
        disturb: runs the command under the fault and returns its exit status, negative if it was killed.
        mend: ends the fault, before the command is run again.
    """
    place.lay(earlier)
    trial = Trial(place.name, fault, detail + (", over earlier results" if earlier else ""))
    trial.status = disturb()
    if left := place.child.survivors():
        trial.flaws.append(f"{len(left)} processes go on for more than five seconds")
    look(place, earlier, trial)
    place.settle()
    if place.meter:
        place.meter.relent()
    recorded, answered = place.recorded(), place.meter.answered if place.meter else 0
    mend()
    again(place, earlier, trial)
    if place.meter and (total := place.total):
        trial.paid_twice = max(0, place.meter.answered - answered - (total - recorded))
        trial.unheard = max(0, answered - (recorded - place.known[earlier]))
    return trial


def look(place: Place, earlier: bool, trial: Trial, voice: str = "") -> None:
    """Look at what a run under a fault has left."""
    said = place.said(voice)
    if trial.status > 0:
        if "Traceback" in said:
            trial.flaws.append(f"traceback: {said.strip().splitlines()[-1][:300]}")
        elif not said.strip():
            trial.flaws.append(f"exit status {trial.status} without a word")
    elif trial.status == 0:
        trial.losses += [
            f"after exit status 0, {each}"
            for each in differences(place.snapshot(), place.references[earlier])
        ]
    elif trial.status != -9:
        trial.flaws.append(f"died of signal {-trial.status}")
    found, old, new = (
        place.results(each) for each in (place.snapshot(), place.before[earlier], place.references[earlier])
    )
    if place.whole and found not in (old, new):
        trial.losses.append(f"neither old nor new results: {differences(found, new)[:2]}")
    for name, content in found.items():
        if content not in (old.get(name), new.get(name)) and not (
            trial.status > 0 and name.startswith(place.partial)
        ):
            trial.losses.append(f"{name} is neither the old nor the new one")
    trial.losses += [f"{name} is gone" for name in old if name not in found and name in new]
    trial.flaws += [f"a token stands in {name}" for name in place.secrets_told(voice)]


def again(place: Place, earlier: bool, trial: Trial) -> None:
    """Run the same command undisturbed, and compare with what it leaves where nothing ever disturbed it."""
    status = place.start().wait()
    if status:
        trial.losses.append(f"the same command again ends with {status}: {place.said().strip()[-300:]}")
        return
    for difference in differences(place.snapshot(), place.references[earlier]):
        (trial.flaws if difference.startswith("left behind") else trial.losses).append(difference)
    trial.flaws += [f"a token stands in {name}" for name in place.secrets_told("")]


def differences(found: Snapshot, wanted: Snapshot) -> list[str]:
    """Return in what two snapshots differ."""
    told = [f"{name} is missing" for name in wanted if name not in found]
    told += [f"left behind: {name}" for name in found if name not in wanted]
    return told + [f"{name} differs" for name in wanted if name in found and wanted[name] != found[name]]


def table(trials: Iterable[Trial]) -> str:
    """Return counts of outcomes for every place and kind of fault, as CSV (``docs/tables/faults.csv``)."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.place, _GROUPS.get(trial.fault, trial.fault)), []).append(trial)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["place", "fault", "runs", *Outcome, "paid twice", "not heard"])
    total: list[Trial] = []
    for (place, fault), group in [*groups.items(), (("all", ""), total)]:
        counts = Counter(trial.outcome for trial in group)
        numbers = [len(group), *(counts[outcome] for outcome in Outcome)]
        numbers += [sum(trial.paid_twice for trial in group), sum(trial.unheard for trial in group)]
        writer.writerow([place, fault, *numbers])
        total += group
    return file.getvalue()
