"""From the samples that lm_eval logs to answered pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from polbias.aliases import Document, Json
from polbias.eval.columns import OutcomesError
from polbias.eval.xphemism.reading import Problem

Judge: TypeAlias = Callable[[str, str], str]
"""From an answer and the language of its instruction to one of the labels of answered pairs."""

_NEUTRAL = {"shift": "none", "axis": "none", "judgmental_base": 0, "judgmental_exchange": 0}
"""What the labels of a placebo row are where the data leave them open."""
_KEYS = ("pair_id", "prompt", "instruction_language")
_SHARED = ("cluster_id", "gold", "shift", "axis", "judgmental_base", "judgmental_exchange")
_NEEDED = ("pair_id", "arm", "prompt_style", "instruction_language", *_SHARED)


def paired(samples: Iterable[Document], model: str, problems: list[Problem], judge: Judge) -> list[Json]:
    """Pair the base rows with the shifted and the placebo rows of the same ``pair_id``.

    Args:
        samples: Lines of ``samples_*.jsonl`` of the X-phemism tasks that generate, of one model.
        model: Its name.
        problems: Receives the pairs that have not exactly two rows, one of them base, for a prompt style and
            instruction language, or whose rows contradict each other.
        judge: Reads an answer.

    Returns:
        Rows that :meth:`Records.of` accepts.

    Raises:
        OutcomesError: If a sample has no ``doc`` with the published columns, or holds log-likelihoods.
    """
    rows: list[Json] = []
    for about, base, exchange in _pairs(
        samples, model, problems, lambda sample, number, doc: _judged(sample, number, doc, judge)
    ):
        if len(base) != len(exchange):
            name = ", ".join(about[each] for each in _KEYS)
            said_of = f"{len(base)} answers to the base claim and {len(exchange)} to the other"
            problems.append(Problem("samples", name, said_of, "as many", "kept"))
        rows.append(about | {"base": base, "exchange": exchange})
    return rows


def paired_likelihoods(samples: Iterable[Document], model: str, problems: list[Problem]) -> list[Json]:
    """Pair the rows of the tasks that compare log-likelihoods.

    Args:
        samples: Lines of ``samples_*.jsonl`` of the log-likelihood tasks, of one model.
        model: Its name.
        problems: Receives the pairs that were left out, as for :func:`paired`.

    Returns:
        Rows with the columns of :func:`paired`, in which ``base`` and ``exchange`` are each the share of
        "true" in the probability of both labels, and that probability.

    Raises:
        OutcomesError: If a sample has no ``doc`` with the published columns, or holds no log-likelihoods.
    """
    return [
        about | {"base": base, "exchange": exchange}
        for about, base, exchange in _pairs(samples, model, problems, _share)
    ]


def _pairs(
    samples: Iterable[Document],
    model: str,
    problems: list[Problem],
    read: Callable[[Document, int, Document], Any],
) -> Iterator[tuple[Json, Any, Any]]:
    """Yield what all rows of a pair have in common, and what was read of its base row and of the other."""
    found: dict[tuple[str, str, str], list[tuple[Document, Any]]] = {}
    for number, sample in enumerate(samples):
        doc = _document(sample, number)
        key = str(doc["pair_id"]), str(doc["prompt_style"]), str(doc["instruction_language"])
        found.setdefault(key, []).append((doc, read(sample, number, doc)))
    for key, pair in sorted(found.items(), key=lambda each: each[0]):
        fault = _fault([doc for doc, _ in pair])
        if fault:
            problems.append(Problem("samples", ", ".join(key), *fault, "left out"))
            continue
        (_, base), (doc, exchange) = sorted(pair, key=lambda each: each[0]["arm"] != "base")
        about = {name: _label(doc, name) for name in _SHARED} | dict(zip(_KEYS, key, strict=True))
        yield about | {"model": model, "arm": doc["arm"]}, base, exchange


def _judged(sample: Document, number: int, doc: Document, judge: Judge) -> list[str]:
    try:
        return [judge(text, str(doc["instruction_language"])) for text in _texts(sample, number)]
    except ValueError as error:  # no language that is read
        raise OutcomesError(f"sample {number}: {error}") from None


def _share(sample: Document, number: int, doc: Document) -> tuple[float, float]:
    """The share of "true" in the probability of both labels, and that probability."""
    from polbias.eval.xphemism.metrics import true_share

    answers = sample.get("filtered_resps") or ()
    try:
        return true_share([(float(first), greedy) for first, greedy in answers])
    except (TypeError, ValueError, OverflowError):
        raise OutcomesError(
            f"sample {number}: found {answers!r:.60}, expected two log-likelihoods; give the samples of a "
            "task that compares them"
        ) from None


def read_truth(text: str, language: str) -> str:
    """Return what became of one answer: one of the labels of answered pairs.

    Args:
        text: The model's output.
        language: Language of the instruction.
    """
    from polbias.eval.xphemism.metrics import outcome

    return outcome(text, language)


def _document(sample: Document, number: int) -> Document:
    doc: Any = sample.get("doc")
    missing = [name for name in _NEEDED if name not in doc] if isinstance(doc, Mapping) else _NEEDED
    if missing:
        raise OutcomesError(
            f"sample {number}: found no {', '.join(missing)} in its doc, expected a sample of an X-phemism "
            "task"
        )
    own: Document = doc
    return own


def _label(doc: Document, name: str) -> Any:
    unset = doc["arm"] == "placebo" and doc[name] is None
    return _NEUTRAL.get(name) if unset else doc[name]


def _texts(sample: Document, number: int) -> list[str]:
    """All answers, whether they came from several requests or from one repeated."""
    texts: list[str] = []
    answers = sample.get("filtered_resps") or sample.get("resps") or ()
    for each in answers if isinstance(answers, list | tuple) else [answers]:
        texts += each if isinstance(each, list | tuple) else [each]
    if not all(isinstance(text, str | None) for text in texts):
        raise OutcomesError(
            f"sample {number}: found log-likelihoods, expected answers in words; give the samples of a task "
            "that generates"
        )
    return [text or "" for text in texts]


def _fault(docs: Sequence[Document]) -> tuple[str, str] | None:
    """What was found and what was expected, if rows make no pair."""
    arms = sorted(str(doc["arm"]) for doc in docs)
    if arms not in (["base", "shifted"], ["base", "placebo"]):
        return f"the rows {', '.join(arms)}", "one base row and one shifted or placebo row"
    for name in ("cluster_id", "gold"):
        if docs[0][name] != docs[1][name]:
            return f"{name} {docs[0][name]!r} and {docs[1][name]!r}", "the same in both rows"
    return None
