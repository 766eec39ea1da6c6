"""What a folder of a run was made with, so that nothing else is mixed into it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from polbias.drafts import draft_of
from polbias.files import InputError, PolbiasError

_NAME = "run.json"
_LIBRARIES = ("polbias", "lm_eval", "transformers", "torch", "vllm", "openai", "datatrove")


class RunManifest:
    """The file ``run.json`` of a folder.

    It holds what must not change (``fixed``, by part), where the model was asked, what was asked otherwise
    than the rows say, library versions, and when it was written; the last three are only told.

    Args:
        folder: of the run; created if need be.

    Raises:
        InputError: if there is a file that is none.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME
        self._data: dict[str, Any] = {"fixed": {}, "address": None, "notes": [], "versions": {}, "runs": []}
        try:
            found = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{self.path}: cannot be read ({error}); choose a new folder with -o") from None
        if not isinstance(found, dict) or not all(
            isinstance(found.get(name), type(empty)) or empty is None for name, empty in self._data.items()
        ):
            raise InputError(f"{self.path}: found no manifest of a run; choose a new folder with -o")
        self._data |= found

    @property
    def fixed(self) -> Mapping[str, Any]:
        """What must not change, by part."""
        return dict(self._data["fixed"])

    @property
    def notes(self) -> Sequence[str]:
        """What was asked otherwise than the rows say, in any run."""
        return tuple(self._data["notes"])

    def check(self, parts: Mapping[str, Mapping[str, Any]], address: str | None, moved: bool) -> None:
        """Make sure that the folder is for these settings; writes nothing.

        Args:
            parts: settings by part, as JSON; a part that the folder does not know yet may be anything.
            address: of the model.
            moved: whether the same model may now be at another address.

        Raises:
            InputError: naming the first setting that differs.
        """
        for name, settings in _plain(parts).items():
            if name in self._data["fixed"]:
                self._compare(name, self._data["fixed"][name], settings)
        known = self._data["address"]
        if self._data["runs"] and known != address and not moved:
            raise InputError(
                f"{self.path}: address: the folder was made with {known}, now {address}; "
                "give --moved if the same model is there, or choose a new folder with -o"
            )

    def claim(self, parts: Mapping[str, Mapping[str, Any]], address: str | None, moved: bool) -> None:
        """Check the settings, and write down those that are new, and this run.

        Args:
            parts: as for `check`.
            address: as for `check`.
            moved: as for `check`.

        Raises:
            InputError: naming the first setting that differs.
            PolbiasError: if the file cannot be written.
        """
        self.check(parts, address, moved)
        self._data["fixed"] = _plain(parts) | self._data["fixed"]
        self._data["address"] = address
        self._data["versions"] = {"python": platform.python_version(), **dict(_versions())}
        self._data["runs"].append({"started": _now(), "parts": list(parts)})
        self.write()

    def note(self, notes: Iterable[str]) -> None:
        """Write down what was asked otherwise than the rows say."""
        self._data["notes"] = list(dict.fromkeys([*self._data["notes"], *notes]))
        self.write()

    def write(self) -> None:
        """Write the file as a whole.

        Raises:
            PolbiasError: if it cannot be written.
        """
        draft = draft_of(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(self._data, indent=2, ensure_ascii=False) + "\n", "utf-8")
            draft.replace(self.path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise PolbiasError(f"{self.path}: cannot be written ({error.strerror})") from None

    def _compare(self, place: str, known: Any, given: Any) -> None:
        if isinstance(known, dict) and isinstance(given, dict):
            for name in dict.fromkeys([*known, *given]):
                self._compare(f"{place}.{name}", known.get(name), given.get(name))
        elif known != given:
            raise InputError(
                f"{self.path}: {place}: the folder was made with {_shown(known)}, now {_shown(given)}; "
                "choose a new folder with -o, nothing is mixed"
            )


def _plain(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they will be read: lists for tuples, texts for keys."""
    return dict(json.loads(json.dumps(parts)))


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _versions() -> Iterable[tuple[str, str]]:
    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
