"""How the tasks of the self-assessment ask: articles as a model writes by default, choices from a file.

Settings go through ``--metadata``, a JSON object. First stage: ``polbias_items`` (only so many topics),
``polbias_stage1`` (rows of your own, a file as for the second stage) and ``polbias_system`` (false: the
system turn in the user's). Second stage: ``polbias_stage2`` (the rows, a ``.parquet`` or ``.jsonl`` file,
or a folder of such files; by default ``$POLBIAS_STAGE2``), ``polbias_set`` (one of the sets in it),
``polbias_role`` and ``polbias_ways`` (only these rows), ``polbias_items``.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from polbias.aliases import Document, Json
from polbias.errors import InputError
from polbias.eval import data
from polbias.eval.lm_eval_task import ChatGenerateTask
from polbias.eval.selfassess.answers import QUESTIONS, ROLES
from polbias.files import open_parquet
from polbias.limits import MAX_TOTAL

_log = logging.getLogger("lm-eval.polbias")
STAGE2 = "POLBIAS_STAGE2"

_NEEDED = (
    "id", "set", "category", "item", "role", "question", "ways", "sides", "prompt", "prefill", "cluster_id",
    "language",
)  # fmt: skip
_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def load_topics(
    *, polbias_items: int | None = None, polbias_stage1: str | None = None, **settings: Any
) -> Json:
    """Load the rows of the first stage (``custom_dataset``)."""
    if polbias_stage1:
        table = _read(Path(polbias_stage1))
        data.require_columns(
            table, ("id", "set", "role", "side", "prompt", "cluster_id"), polbias_stage1, "topics"
        )
    else:
        table = data.load_task_rows(**settings)[data.SPLIT].data.table
    return data.to_dataset_dict(data.keep_first_values(table, "cluster_id", polbias_items))


def load_choices(
    *,
    polbias_question: str,
    polbias_stage2: str | None = None,
    polbias_set: str | None = None,
    polbias_role: str | None = None,
    polbias_ways: int | None = None,
    polbias_items: int | None = None,
    **_: Any,
) -> Json:
    """Load the rows of the second stage that ask a question (``custom_dataset``)."""
    import pyarrow as pa

    place = polbias_stage2 or os.environ.get(STAGE2)
    if not place:
        raise InputError(
            "polbias_stage2: not given; build the second stage from articles and name its file with "
            f'--metadata \'{{"polbias_stage2": "choices.parquet"}}\' or in {STAGE2}'
        )
    table = _read(Path(place))
    data.require_columns(table, _NEEDED, str(place), "rows of the second stage")
    _check_kinds(table, place)
    for column, value, known in (
        ("question", polbias_question, QUESTIONS),
        ("set", polbias_set, None),
        ("role", polbias_role, ROLES),
        ("ways", polbias_ways, (2, 3)),
    ):
        if value is not None:
            if known is not None and value not in known:
                expected = " or ".join(map(str, known))
                raise InputError(f"polbias_{column}: found {value!r}, expected {expected}")
            table = data.filter_rows(table, column, [value])
    if not table.num_rows:
        raise InputError(f"{place}: has no row for this task and these settings")
    sets = sorted({*table["set"].to_pylist()})
    if len(sets) > 1:
        raise InputError(
            f"{place}: found the sets {', '.join(sets)}, whose sides are never averaged; "
            f'choose one with --metadata \'{{"polbias_set": "{sets[0]}"}}\''
        )
    table = data.keep_first_values(table, "cluster_id", polbias_items)
    if "gold" not in table.column_names:  # nothing is right or wrong, but lm_eval asks for a target
        table = table.append_column("gold", pa.nulls(table.num_rows, pa.string()))
    _log.warning(f"second stage: {table.num_rows:,} rows about {sets[0]} from {place}")
    return data.to_dataset_dict(table)


class WritingTask(ChatGenerateTask):
    """A task whose texts are written with the model's own sampling defaults (section 5).

    lm_eval fills in temperature 0 wherever a task gives none. A request to an API therefore carries the
    temperature null, which leaves the server its default; a local model (``pretrained``) gets what its
    generation configuration says, which is greedy where that does not sample. What ``--gen_kwargs`` says goes
    before both.
    """

    def __init__(self, config: Document) -> None:
        super().__init__(config)
        self._defaults = model_defaults(self.config.metadata or {})
        _log.warning(
            f"articles are sampled as the model does by default: {describe_sampling(self._defaults)}"
        )

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> Any:
        """Return the request of a row, with the model's defaults unless sampling is given."""
        settings = dict(self.config.generation_kwargs)
        if not {"temperature", "do_sample"} & {*settings}:
            settings |= self._defaults
        return self.requests(doc, ctx, [(settings, self.config.repeats)], **kwargs)


def model_defaults(settings: Document) -> Json:
    """Return the generation settings that make lm_eval leave a model its own defaults."""
    if "pretrained" in settings:
        # The sampling settings of a local model, nothing if it does not sample.
        pretrained = str(settings["pretrained"])
        revision = settings.get("revision")
        from transformers import GenerationConfig

        try:
            found = GenerationConfig.from_pretrained(
                pretrained, **({"revision": revision} if revision else {})
            )
        except (OSError, ValueError):  # it has none, which means greedy
            return {}
        if not found.do_sample:
            return {}
        given = {name: getattr(found, name, None) for name in _SAMPLING}
        return {"do_sample": True, "temperature": 1.0} | {
            name: value for name, value in given.items() if value is not None
        }
    name = str(settings.get("model") or "")
    if "claude" in name.lower():
        return {"temperature": 1.0}
    return {"temperature": None} if "base_url" in settings or name else {}


def describe_sampling(defaults: Document) -> str:
    """Say in words which sampling settings are used."""
    if not defaults:
        return "greedy, as no generation configuration says otherwise"
    if defaults == {"temperature": None}:
        return "the server decides"
    return ", ".join(f"{name} {value}" for name, value in defaults.items())


def _check_kinds(table: Any, place: str) -> None:
    """Make sure that the columns by which rows are chosen are texts and a number, without gaps."""
    import pyarrow as pa

    texts = (pa.types.is_string, pa.types.is_large_string)
    numbers = (pa.types.is_integer, pa.types.is_floating)
    for name in ("question", "set", "role", "cluster_id", "ways"):
        values, number = table[name], name == "ways"
        kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
        if values.null_count or not any(fits(kind) for fits in (numbers if number else texts)):
            found = f"{values.type} with {values.null_count} of {len(values)} empty"
            expected = "a number" if number else "a text"
            raise InputError(f"{place}: {name}: found {found}, expected {expected} in every row")


def _read(place: Path) -> Any:
    """The table at a place: one file, or all files of a folder."""
    import pyarrow as pa
    import pyarrow.json as pj

    paths = [place] if place.is_file() else sorted([*place.glob("*.parquet"), *place.glob("*.jsonl")])
    if not paths:
        raise InputError(f"{place}: found no .parquet and no .jsonl; expected the rows of the second stage")
    options = pj.ReadOptions(block_size=1 << 26)
    try:
        if (size := sum(path.stat().st_size for path in paths)) > MAX_TOTAL:
            raise InputError(f"{place}: found {size:,} bytes, expected at most {MAX_TOTAL:,}; divide it")
        tables = [
            open_parquet(path).read()
            if path.suffix == ".parquet"
            else pj.read_json(path, read_options=options)
            for path in paths
        ]
        table = pa.concat_tables(tables, promote_options="permissive")
        table.validate(full=True)  # bytes that are not UTF-8
        _ = table.column_names
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"{place}: cannot be read ({str(error).splitlines()[0]})") from None
    return table
