"""Which row a prompt is: the prompts of all datasets that were built here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.errors import BuildError, InputError, PolbiasError
from polbias.eval.simulation.answering import SimulatedAnswers
from polbias.eval.simulation.draws import key
from polbias.eval.simulation.question_types import build_questions, kind_of, unknown_rows_error
from polbias.eval.simulation.questions import Questions
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias.manifest import MANIFEST, read_manifest

_SPLIT = "test"
_PAPER = "_paper"
_ALSO = ("prompt", "messages", "prefill", "id", "dataset")
_APART = "\n\n"


class PromptIndex:
    """A respondent before every prompt that it can recognise.

    Args:
        respondent: The respondent.
        seed: Which one of its kind.
    """

    def __init__(self, respondent: SimulatedRespondent, seed: int = 0) -> None:
        self._respondent, self._seed = respondent, seed
        self._met: set[str] = {"prompt"}
        self._simulations: list[SimulatedAnswers] = []
        self._place: dict[int, tuple[int, int]] = {}
        self._endings: list[str] = []  # the longest first: one may end in another

    def __len__(self) -> int:
        return len(self._place)

    def add(self, table: Any) -> None:
        """Add the rows of a table; a prompt that is known already stays what it was."""
        import pyarrow.compute as pc

        kind = kind_of(table.column_names, *_dataset(table))
        if kind is None or "prompt" not in table.column_names:
            return
        table = table.filter(pc.is_valid(table[kind.REQUIRED_COLUMNS[0]]))
        if not table.num_rows:
            return
        self._met.update(table.column_names)
        respondent = self._respondent.among(table.column_names)
        asked = build_questions(kind, table, respondent.columns)
        number = len(self._simulations)
        self._simulations.append(SimulatedAnswers(asked, respondent, self._seed))
        for row, hashed in enumerate(asked.keys.tolist()):
            self._place.setdefault(hashed, (number, row))
        for row, text in _others(table):
            self._place.setdefault(key(text), (number, row))
        self._endings = sorted({*self._endings, *_continuations(asked)}, key=lambda text: (-len(text), text))
        asked.columns = {name: values for name, values in asked.columns.items() if name != "prompt"}

    def check(self) -> None:
        """See to it that there are prompts, and the columns of random effects among theirs."""
        if not self._place:
            raise InputError(
                "found no prompt; build datasets with `polbias build`, or name files with --rows"
            )
        if missing := [name for name in self._respondent.columns if name not in self._met]:
            raise InputError(f"sd of {missing[0]}: no dataset has such a column")

    def find(self, prompt: str) -> tuple[SimulatedAnswers, int] | None:
        """Return who answers a prompt, and which of its rows that is; None if it is of no dataset."""
        place = self._place.get(key(prompt))
        return None if place is None else (self._simulations[place[0]], place[1])

    def find_continued(self, text: str) -> tuple[SimulatedAnswers, int, int] | None:
        """Return the same for a prompt with a label after it, and the code of the label."""
        for ending in self._endings:
            if not text.endswith(ending):
                continue
            before = text[: -len(ending)].rstrip(" ")
            for prompt in (before, before.removesuffix(":")):
                if found := self.find(prompt):
                    code = found[0].asked.outcome(found[1], ending)
                    if code is not None:
                        return *found, code
        return None


def build_prompt_index(
    root: Path,
    respondent: SimulatedRespondent,
    seed: int = 0,
    *,
    only: Sequence[str] = (),
    files: Iterable[Path] = (),
) -> PromptIndex:
    """Read all prompts below a folder of builds, and those in further files."""
    known = PromptIndex(respondent, seed)
    for path in files:
        table = _file(path)
        try:
            known.add(table)
        # Rows of a user's may have anything in any column.
        except (PolbiasError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise InputError(f"{path}: {reason}; expected rows as a dataset has them") from None
    if missing := [name for name in only if not (root / name / MANIFEST).is_file()]:
        raise BuildError(f"{root / missing[0]}: no build found; run `polbias build {missing[0]}`")
    for dataset, paths in _builds(root, only):
        known.add(_parquet(dataset, paths, respondent))
    known.check()
    return known


def _builds(root: Path, only: Sequence[str]) -> Iterator[tuple[str, list[Path]]]:
    """Yield the dataset and the files of each config, those as printed last: their gold may be wrong."""
    found = []
    for place in sorted(root.glob(f"*/{MANIFEST}")):
        folder = place.parent
        if only and folder.name not in only:
            continue
        for config, splits in read_manifest(folder).configs.items():
            if _SPLIT in splits:
                paths = [folder / file.path for file in splits[_SPLIT].files]
                found.append((config.endswith(_PAPER), folder.name, config, paths))
    yield from ((dataset, paths) for _, dataset, _, paths in sorted(found))


def _parquet(dataset: str, paths: Sequence[Path], respondent: SimulatedRespondent) -> Any:
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(paths[0]).names
        kind = kind_of(names, dataset)
        wanted = {*_ALSO, *respondent.columns, *((*kind.REQUIRED_COLUMNS, *kind.OPTIONAL) if kind else ())}
        return pq.read_table(list(paths), columns=[name for name in names if name in wanted])
    except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors
        raise BuildError(f"{paths[0]}: cannot be read ({str(error).splitlines()[0]})") from None


def _file(path: Path) -> Any:
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    try:
        table = (
            pq.read_table(path)
            if path.suffix == ".parquet"
            else pj.read_json(path, read_options=pj.ReadOptions(block_size=1 << 26))
        )
        table.validate(full=True)  # bytes that are not UTF-8
        kind = kind_of(table.column_names, *_dataset(table))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from None
    if kind is None:
        raise InputError(f"{path}: {unknown_rows_error(table.column_names)}")
    for row, prompt in enumerate(table["prompt"].to_pylist() if "prompt" in table.column_names else ()):
        if not isinstance(prompt, str):
            found = "nothing" if prompt is None else type(prompt).__name__
            raise InputError(f"{path}: row {row}: prompt: found {found}, expected a text")
    return table


def _dataset(table: Any) -> list[str]:
    """The name of the dataset that the rows of a table say they are of, if they do."""
    return [str(name) for name in table["dataset"][:1]] if "dataset" in table.column_names else []


def _others(table: Any) -> Iterator[tuple[int, str]]:
    """Yield what else stands for a row: its messages, if they are not its prompt; its prompt with prefill."""
    prompts = table["prompt"].to_pylist()
    if "messages" in table.column_names:
        for row, turns in enumerate(table["messages"].to_pylist()):
            if turns and (joined := conversation(turns)) != prompts[row]:
                yield row, joined
    if "prefill" in table.column_names:
        for row, prefill in enumerate(table["prefill"].to_pylist()):
            if prefill:
                yield row, f"{prompts[row]} {prefill}"


def conversation(turns: Iterable[Mapping[str, Any]]) -> str:
    """Return the turns of a conversation as one prompt, as datasets join them; contents may come in parts."""
    texts = []
    for turn in turns:
        content = turn.get("content")
        parts = content if isinstance(content, list) else []
        texts.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in parts))
    return _APART.join(texts)


def _continuations(asked: Questions) -> Iterator[str]:
    for row in range(asked.n):
        yield from asked.continuations(row)
