"""Tasks of the self-assessment: articles at the model's default sampling settings, choices from a file.

Settings go through ``--metadata``, a JSON object. First stage: ``polbias_items`` (maximum number of topics),
``polbias_stage1`` (custom rows, a file as for the second stage) and ``polbias_system`` (false: put the system
turn into the user turn). Second stage: ``polbias_stage2`` (the rows, a ``.parquet`` or ``.jsonl`` file, or a
folder of such files; default ``$POLBIAS_STAGE2``), ``polbias_set`` (a set in the file), ``polbias_role`` and
``polbias_ways`` (select rows), ``polbias_items``.
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
from polbias.eval.selfassess.answers import PAPER_SUFFIX, QUESTIONS, ROLES, WORDINGS
from polbias.files import open_parquet
from polbias.limits import MAX_TOTAL

_log = logging.getLogger("lm-eval.polbias")
STAGE2 = "POLBIAS_STAGE2"

_REQUIRED_COLUMNS = (
    "id", "set", "category", "item", "role", "question", "ways", "sides", "prompt", "prefill", "cluster_id",
    "language",
)  # fmt: skip
_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def load_topics(
    *, polbias_items: int | None = None, polbias_stage1: str | None = None, **settings: Any
) -> Json:
    """Load the rows of the first stage (``custom_dataset``)."""
    if polbias_stage1:
        table = _read_table(Path(polbias_stage1))
        data.require_columns(
            table, ("id", "set", "role", "side", "prompt", "cluster_id"), polbias_stage1, "topics"
        )
    else:
        table = data.load_task_rows(**settings)[data.SPLIT].data.table
    location = polbias_stage1 or f"{settings['polbias_dataset']}/{settings['polbias_config']}"
    table = data.keep_first_values(table, "cluster_id", polbias_items, "polbias_items", str(location))
    return data.to_dataset_dict(table)


def load_choices(
    *,
    polbias_question: str,
    polbias_wording: str = WORDINGS[0],
    polbias_stage2: str | None = None,
    polbias_set: str | None = None,
    polbias_role: str | None = None,
    polbias_ways: int | None = None,
    polbias_items: int | None = None,
    **_: Any,
) -> Json:
    """Load the rows of a question of the second stage, in one wording (``custom_dataset``)."""
    source = polbias_stage2 or os.environ.get(STAGE2)
    if not source:
        raise InputError(
            "polbias_stage2: not set; build the second stage from articles and set its file with "
            f'--metadata \'{{"polbias_stage2": "choices.parquet"}}\' or in {STAGE2}'
        )
    table = _read_table(Path(source))
    data.require_columns(table, _REQUIRED_COLUMNS, str(source), "rows of the second stage")
    _check_column_types(table, source)
    for column, value, allowed in (
        ("question", polbias_question, QUESTIONS),
        ("set", polbias_set, None),
        ("role", polbias_role, ROLES),
        ("ways", polbias_ways, (2, 3)),
    ):
        if value is not None:
            if allowed is not None and value not in allowed:
                expected = " or ".join(map(str, allowed))
                raise InputError(f"polbias_{column}: found {value!r}, expected {expected}")
            table = data.filter_rows(table, column, [value])
    table = _select_wording(table, polbias_wording)
    if not table.num_rows:
        raise InputError(
            f"{source}: has no row for this task and these settings; `polbias selfassess choose` builds them "
            f"with --wording {polbias_wording}"
        )
    sets = sorted({*table["set"].to_pylist()})
    if len(sets) > 1:
        raise InputError(
            f"{source}: found the sets {', '.join(sets)}, whose sides are never averaged; "
            f'choose one with --metadata \'{{"polbias_set": "{sets[0]}"}}\''
        )
    table = data.keep_first_values(table, "cluster_id", polbias_items, "polbias_items", str(source))
    _log.warning(f"second stage: {table.num_rows:,} rows about {sets[0]} from {source}")
    return data.to_dataset_dict(table)


def _select_wording(table: Any, wording: str) -> Any:
    """Select the rows in a wording; a file without the column ``config`` has no row in the paper's."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "config" not in table.column_names:
        return table if wording == WORDINGS[0] else table.slice(0, 0)
    configs = pc.fill_null(table["config"].cast(pa.string()), "")
    is_paper = pc.ends_with(configs, PAPER_SUFFIX)
    return table.filter(pc.invert(is_paper) if wording == WORDINGS[0] else is_paper)


class WritingTask(ChatGenerateTask):
    """Task whose texts are generated at the model's default sampling settings (section 5).

    By default lm_eval sets temperature 0. Requests to an API therefore have the temperature null,
    so that the server uses its default; a local model (``pretrained``) gets the settings of its generation
    configuration, greedy decoding if that does not sample. ``--gen_kwargs`` overrides both.
    """

    def __init__(self, config: Document) -> None:
        super().__init__(config)
        self._defaults = model_defaults(self.config.metadata or {})
        _log.warning(
            f"articles are sampled at the model's default settings: {describe_sampling(self._defaults)}"
        )

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> Any:
        """Return the request of a row, with the model's defaults unless the task sets sampling arguments."""
        settings = dict(self.config.generation_kwargs)
        if not {"temperature", "do_sample"} & {*settings}:
            settings |= self._defaults
        return self.build_requests(doc, ctx, [(settings, self.config.repeats)], **kwargs)


def model_defaults(settings: Document) -> Json:
    """Return the generation settings with which lm_eval uses the model's defaults."""
    if "pretrained" in settings:
        # A local model: its sampling settings, or none if it does not sample.
        pretrained = str(settings["pretrained"])
        revision = settings.get("revision")
        from transformers import GenerationConfig

        try:
            generation_config = GenerationConfig.from_pretrained(
                pretrained, **({"revision": revision} if revision else {})
            )
        except (OSError, ValueError):  # no generation configuration: greedy
            return {}
        if not generation_config.do_sample:
            return {}
        sampling = {name: getattr(generation_config, name, None) for name in _SAMPLING}
        return {"do_sample": True, "temperature": 1.0} | {
            name: value for name, value in sampling.items() if value is not None
        }
    name = str(settings.get("model") or "")
    if "claude" in name.lower():
        return {"temperature": 1.0}
    return {"temperature": None} if "base_url" in settings or name else {}


def describe_sampling(defaults: Document) -> str:
    """Return the sampling settings in words."""
    if not defaults:
        return "greedy, as no generation configuration enables sampling"
    if defaults == {"temperature": None}:
        return "the server decides"
    return ", ".join(f"{name} {value}" for name, value in defaults.items())


def _check_column_types(table: Any, source: str) -> None:
    """Raise an error unless the selection columns are strings, and `ways` numbers, without missing values."""
    import pyarrow as pa

    string_types = (pa.types.is_string, pa.types.is_large_string)
    number_types = (pa.types.is_integer, pa.types.is_floating)
    for name in ("question", "set", "role", "cluster_id", "ways"):
        values, is_number = table[name], name == "ways"
        value_type = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
        if values.null_count or not any(
            is_type(value_type) for is_type in (number_types if is_number else string_types)
        ):
            actual = f"{values.type} with {values.null_count} of {len(values)} empty"
            expected = "a number" if is_number else "a text"
            raise InputError(f"{source}: {name}: found {actual}, expected {expected} in every row")


def _read_table(source: Path) -> Any:
    """Read a table from a file, or from all files of a folder."""
    import pyarrow as pa
    import pyarrow.json as pj

    paths = [source] if source.is_file() else sorted([*source.glob("*.parquet"), *source.glob("*.jsonl")])
    if not paths:
        raise InputError(f"{source}: found no .parquet and no .jsonl; expected the rows of the second stage")
    options = pj.ReadOptions(block_size=1 << 26)
    try:
        if (size := sum(path.stat().st_size for path in paths)) > MAX_TOTAL:
            raise InputError(f"{source}: found {size:,} bytes, expected at most {MAX_TOTAL:,}; divide it")
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
        raise InputError(f"{source}: cannot be read ({str(error).splitlines()[0]})") from None
    return table
