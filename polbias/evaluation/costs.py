"""What a task asks: requests and tokens, counted from its rows.

``python -m polbias.evaluation.costs docs/running.md`` writes the table of the documentation anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from polbias.files import InputError
from polbias.lm_eval_runner.tasks import Task, catalogue

CHARACTERS_PER_TOKEN = 4.0
"""A rule of thumb for English; other languages take more tokens, and tokenizers differ."""

BEGIN, END = "<!-- costs: begin (polbias.evaluation.costs) -->", "<!-- costs: end -->"
DOCUMENTED = (
    *(
        "polbias_en_formal_mini",
        "polbias_en_formal_0shot",
        "polbias_en_formal_8shot",
        "polbias_en_formal_32shot",
    ),
    *("polbias_en_formal", "polbias_en_material", "polbias_de_formal", "polbias_de_material"),
    *("polbias_en_control_formal", "polbias_en_control_material", "polbias_en_material_crossed"),
    "polbias_en_formal_loglikelihood",
    *(
        "polbias_deontic_logic_zero",
        "polbias_deontic_logic_few",
        "polbias_deontic_logic_cot",
        "polbias_wason",
    ),
    *("polbias_policy_stance_mini", "polbias_policy_stance_de", "polbias_policy_stance"),
    "polbias_policy_stance_loglikelihood",
    *("polbias_xphemism_simple", "polbias_xphemism_objective"),
)


@dataclass(frozen=True)
class Cost:
    """What a task asks.

    Args:
        prompts: rows.
        requests: sent to an API; a local model that scores likelihoods shares the prompt between labels.
        characters: of all prompts that are sent, a prompt that is sent twice counted twice.
        tokens_out: at most so many are generated.
    """

    prompts: int
    requests: int
    characters: int
    tokens_out: int

    @property
    def tokens_in(self) -> int:
        """Tokens of the prompts, by rule of thumb."""
        return round(self.characters / CHARACTERS_PER_TOKEN)


def cost(
    task: Task,
    metadata: Mapping[str, Any] | None = None,
    generation: Mapping[str, Any] | None = None,
    limit: float | None = None,
) -> Cost:
    """Count what a task asks.

    Args:
        task: of the catalogue.
        metadata: what goes before that of the task file, such as ``polbias_samples``.
        generation: what goes before its generation settings, such as ``max_gen_toks``.
        limit: the first so many rows, or a share of them below 1.

    Raises:
        PolbiasError: if its rows cannot be had.
    """
    about = {**task.metadata, **(metadata or {})}
    load = _function(task.settings.get("custom_dataset"), task)
    rows = load(**about, **(task.settings.get("dataset_kwargs") or {}))["test"]
    if limit is not None:
        rows = rows.select(range(min(len(rows), round(len(rows) * limit) if limit < 1 else int(limit))))
    column = task.settings["doc_to_text"]
    lengths = [len(prompt) for prompt in rows[column]]
    if task.scores_likelihoods:
        given = task.settings["doc_to_choice"]
        labels: Callable[[Any], list[str]] = (
            (lambda _: given) if isinstance(given, list) else _function(given, task)
        )
        asked = [
            [length + len(label) for label in labels(row)] for length, row in zip(lengths, rows, strict=True)
        ]
        requests = sum(map(len, asked))
        return Cost(len(lengths), requests, sum(map(sum, asked)), requests)
    samples = int(about.get("polbias_samples", 1))
    most = {**task.settings.get("generation_kwargs", {}), **(generation or {})}["max_gen_toks"]
    requests = samples * len(lengths)
    return Cost(len(lengths), requests, samples * sum(lengths), requests * int(most))


def costs_table(tasks: Iterable[str] = DOCUMENTED) -> str:
    """Return the table of the documentation, in Markdown.

    Args:
        tasks: names.
    """
    known = catalogue().tasks
    lines = ["| task | prompts | requests | tokens in | tokens out, at most |", "|---|---:|---:|---:|---:|"]
    for name in tasks:
        found = cost(known[name])
        numbers = (found.prompts, found.requests, found.tokens_in, found.tokens_out)
        lines.append(f"| `{name}` | {' | '.join(f'{number:,}' for number in numbers)} |")
    return "\n".join(lines) + "\n"


def with_table(text: str, table: str) -> str:
    """Return a page with a new table between its marks.

    Raises:
        InputError: if the page has no such marks.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InputError(f"found no lines {BEGIN!r} and {END!r} to write the table between")
    return f"{before}{BEGIN}\n{table}{END}{after}"


def _function(name: Any, task: Task) -> Callable[..., Any]:
    if not isinstance(name, str) or "." not in name:
        raise InputError(f"{task.name}: its rows are not read by a function, so that they cannot be counted")
    module, _, attribute = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found


def main() -> None:
    """Write the table into the page that is named on the command line."""
    page = Path(sys.argv[1])
    page.write_text(with_table(page.read_text("utf-8"), costs_table()), "utf-8")


if __name__ == "__main__":
    main()
