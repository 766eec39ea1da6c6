"""Index from prompts to rows, over all built datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polbias.builds import describe_unbuilt, require_builds
from polbias.errors import BuildError, InputError, PolbiasError
from polbias.eval.simulation.answering import SimulatedAnswers
from polbias.eval.simulation.draws import key
from polbias.eval.simulation.question_types import build_questions, find_kind, unknown_rows_error
from polbias.eval.simulation.questions import Questions
from polbias.eval.simulation.respondents import SimulatedRespondent
from polbias.manifest import MANIFEST, read_manifest

_SPLIT = "test"
_PAPER_SUFFIX = "_paper"
_COMMON_COLUMNS = ("prompt", "messages", "prefill", "id", "dataset")
_SEPARATOR = "\n\n"


class PromptIndex:
    """Index from prompts to the answers of a respondent.

    Args:
        respondent: The respondent.
        seed: Seed of the respondent.
    """

    def __init__(self, respondent: SimulatedRespondent, seed: int = 0) -> None:
        self._respondent, self._seed = respondent, seed
        self._columns_seen: set[str] = {"prompt"}
        self._simulations: list[SimulatedAnswers] = []
        self._location_by_key: dict[int, tuple[int, int]] = {}
        self._endings: list[str] = []  # the longest first: an ending may be a suffix of another

    def __len__(self) -> int:
        return len(self._location_by_key)

    def add(self, table: Any) -> None:
        """Add the rows of a table; an indexed prompt keeps its first row."""
        import pyarrow.compute as pc

        kind = find_kind(table.column_names, *_dataset_names(table))
        if kind is None or "prompt" not in table.column_names:
            return
        table = table.filter(pc.is_valid(table[kind.REQUIRED_COLUMNS[0]]))
        if not table.num_rows:
            return
        self._columns_seen.update(table.column_names)
        respondent = self._respondent.among(table.column_names)
        questions = build_questions(kind, table, respondent.columns)
        index = len(self._simulations)
        self._simulations.append(SimulatedAnswers(questions, respondent, self._seed))
        for row, prompt_key in enumerate(questions.keys.tolist()):
            self._location_by_key.setdefault(prompt_key, (index, row))
        for row, text in _alternative_texts(table):
            self._location_by_key.setdefault(key(text), (index, row))
        self._endings = sorted(
            {*self._endings, *_continuations(questions)}, key=lambda text: (-len(text), text)
        )
        questions.columns = {name: values for name, values in questions.columns.items() if name != "prompt"}

    def check(self) -> None:
        """Raise :class:`InputError` if no row has the column of a random effect."""
        if missing := [name for name in self._respondent.columns if name not in self._columns_seen]:
            raise InputError(f"sd of {missing[0]}: no dataset has such a column")

    def find(self, prompt: str) -> tuple[SimulatedAnswers, int] | None:
        """Return the simulation that answers a prompt, and the row of the prompt; None if not indexed."""
        location = self._location_by_key.get(key(prompt))
        return None if location is None else (self._simulations[location[0]], location[1])

    def find_continued(self, text: str) -> tuple[SimulatedAnswers, int, int] | None:
        """Return the simulation, row and label code of a prompt followed by a label; None if not indexed."""
        for ending in self._endings:
            if not text.endswith(ending):
                continue
            before = text[: -len(ending)].rstrip(" ")
            for prompt in (before, before.removesuffix(":")):
                if match := self.find(prompt):
                    code = match[0].questions.outcome(match[1], ending)
                    if code is not None:
                        return *match, code
        return None


def build_prompt_index(
    root: Path,
    respondent: SimulatedRespondent,
    seed: int = 0,
    *,
    datasets: Sequence[str] = (),
    files: Iterable[Path] = (),
) -> PromptIndex:
    """Index the prompts of all builds below a folder, and of further files."""
    index = PromptIndex(respondent, seed)
    for path in files:
        table = _read_file(path)
        try:
            index.add(table)
        # The columns of a user's rows may hold any values.
        except (PolbiasError, ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise InputError(f"{path}: {reason}; expected rows of a dataset") from None
    require_builds(datasets, root)
    for dataset, paths in _iter_builds(root, datasets):
        index.add(_read_build_files(dataset, paths, respondent))
    if not len(index):
        raise InputError(f"found no prompt: {describe_unbuilt((), root)}, or name files with --rows")
    index.check()
    return index


def _iter_builds(root: Path, datasets: Sequence[str]) -> Iterator[tuple[str, list[Path]]]:
    """Yield the dataset and files of each config; paper editions last, as their gold labels may be wrong."""
    builds = []
    for manifest_path in sorted(root.glob(f"*/{MANIFEST}")):
        folder = manifest_path.parent
        if datasets and folder.name not in datasets:
            continue
        for config, splits in read_manifest(folder).configs.items():
            if _SPLIT in splits:
                paths = [folder / file.path for file in splits[_SPLIT].files]
                builds.append((config.endswith(_PAPER_SUFFIX), folder.name, config, paths))
    yield from ((dataset, paths) for _, dataset, _, paths in sorted(builds))


def _read_build_files(dataset: str, paths: Sequence[Path], respondent: SimulatedRespondent) -> Any:
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(paths[0]).names
        kind = find_kind(names, dataset)
        columns = {
            *_COMMON_COLUMNS,
            *respondent.columns,
            *((*kind.REQUIRED_COLUMNS, *kind.OPTIONAL) if kind else ()),
        }
        return pq.read_table(list(paths), columns=[name for name in names if name in columns])
    except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors
        raise BuildError(f"{paths[0]}: cannot be read ({str(error).splitlines()[0]})") from None


def _read_file(path: Path) -> Any:
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    try:
        table = (
            pq.read_table(path)
            if path.suffix == ".parquet"
            else pj.read_json(path, read_options=pj.ReadOptions(block_size=1 << 26))
        )
        table.validate(full=True)  # bytes that are not UTF-8
        kind = find_kind(table.column_names, *_dataset_names(table))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from None
    if kind is None:
        raise InputError(f"{path}: {unknown_rows_error(table.column_names)}")
    for row, prompt in enumerate(table["prompt"].to_pylist() if "prompt" in table.column_names else ()):
        if not isinstance(prompt, str):
            type_name = "nothing" if prompt is None else type(prompt).__name__
            raise InputError(f"{path}: row {row}: prompt: found {type_name}, expected a text")
    return table


def _dataset_names(table: Any) -> list[str]:
    """Return the dataset name in the first row of a table, or nothing without such a column."""
    return [str(name) for name in table["dataset"][:1]] if "dataset" in table.column_names else []


def _alternative_texts(table: Any) -> Iterator[tuple[int, str]]:
    """Yield other texts of rows: messages that differ from the prompt, and the prompt with prefill."""
    prompts = table["prompt"].to_pylist()
    if "messages" in table.column_names:
        for row, messages in enumerate(table["messages"].to_pylist()):
            if messages and (joined := conversation(messages)) != prompts[row]:
                yield row, joined
    if "prefill" in table.column_names:
        for row, prefill in enumerate(table["prefill"].to_pylist()):
            if prefill:
                yield row, f"{prompts[row]} {prefill}"


def conversation(messages: Iterable[Mapping[str, Any]]) -> str:
    """Join messages to one prompt, as datasets do; a content may be a list of parts."""
    texts = []
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        texts.append(content if isinstance(content, str) else "".join(part.get("text", "") for part in parts))
    return _SEPARATOR.join(texts)


def _continuations(questions: Questions) -> Iterator[str]:
    for row in range(questions.n):
        yield from questions.continuations(row)
