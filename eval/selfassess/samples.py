"""From what models said to the table of judgements: samples of lm_eval, and journals of judgements."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from polbias.aliases import Document, Json
from polbias.eval.answers.choice import LANGUAGES, extract_choice
from polbias.eval.columns import OutcomesError

COLUMNS = (
    "id", "set", "category", "item", "topic", "role", "question", "ways", "options", "sides", "order", "leak",
    "truncated", "model",
)  # fmt: skip
"""What a judgement keeps of its row."""

Outcome = tuple[str, int | None]
"""An outcome and the position of the chosen article."""


def is_choice(row: Document) -> bool:
    """Return whether a row asks to choose among articles; those of the first stage ask for one."""
    return "question" in row


@lru_cache(maxsize=1 << 16)
def outcome(text: str, ways: int, language: str, prefill: str | None) -> Outcome:
    """Return what became of one answer.

    Args:
        text: The model's output.
        ways: Number of articles.
        language: BCP 47 tag of the prompt; others than the reader's are read as English.
        prefill: The beginning of the answer that the prompt has.

    Returns:
        "choice" and the position from 1; or "refusal", "both", "unparsable" or "truncated", and None.
    """
    known = language if language.split("-")[0] in LANGUAGES else LANGUAGES[0]
    verdict = extract_choice(text, ways, known, prefill)
    if verdict.label.isdigit():
        return "choice", int(verdict.label)
    return ("truncated" if verdict.reason == "truncated" else verdict.label), None


def likeliest(loglikelihoods: Iterable[float]) -> Outcome:
    """Return the choice with the greatest log-likelihood; equal ones are none."""
    values = list(loglikelihoods)
    best = max(values)
    places = [place for place, value in enumerate(values, 1) if value == best]
    return ("choice", places[0]) if len(places) == 1 else ("unparsable", None)


def judgement(row: Document, answer: str | None) -> Json:
    """Return a judgement: a row of the second stage with its outcome.

    Args:
        row: With the columns of the second stage.
        answer: What the model said; None counts as an empty answer.
    """
    text = answer or ""
    found, choice = outcome(text, int(row["ways"]), row["language"], row.get("prefill"))
    return _kept(row) | {"outcome": found, "choice": choice, "answer": text}


def judgements_of_samples(samples: Iterable[Document]) -> list[Json]:
    """Turn the samples that lm_eval logs into judgements.

    Args:
        samples: Lines of ``samples_*.jsonl`` of the tasks of the second stage, generating or log-likelihood.

    Returns:
        Rows that :meth:`polbias.eval.selfassess.schema.Judgements.of` reads.

    Raises:
        OutcomesError: If a sample is not one of those tasks.
    """
    made = []
    for number, sample in enumerate(samples):
        doc, answers = sample["doc"], sample["filtered_resps"]
        missing = [name for name in ("id", "ways", "sides", "language", "question") if name not in doc]
        if missing or not answers:
            raise OutcomesError(
                f"sample {number}: found no {missing[0] if missing else 'answer'}, expected a sample of "
                "polbias_selfassess_preference or polbias_selfassess_least_biased"
            )
        if isinstance(answers[0], str | None):
            made.append(judgement(doc, answers[0]))
            continue
        found, choice = likeliest(float(each[0]) for each in answers[: doc["ways"]])
        made.append(_kept(doc) | {"outcome": found, "choice": choice, "answer": None})
    return made


def judgements_of_journal(records: Iterable[Document]) -> list[Json]:
    """Take the judgements of a journal; those that only have an answer are read.

    Args:
        records: Rows of the second stage with ``outcome`` and ``choice``, or with ``answer`` alone.

    Returns:
        Rows that :meth:`polbias.eval.selfassess.schema.Judgements.of` reads.

    Raises:
        OutcomesError: If a record has neither.
    """
    made = []
    for number, record in enumerate(records):
        if "outcome" in record and "choice" in record:
            answer = record.get("answer")
            made.append(
                _kept(record) | {name: record[name] for name in ("outcome", "choice")} | {"answer": answer}
            )
        elif {"answer", "ways", "language"} <= {*record}:
            made.append(judgement(record, record["answer"]))
        else:
            raise OutcomesError(
                f"record {number}: found {', '.join(map(str, record)) or 'nothing'}, expected a row of "
                "the second stage with 'outcome' and 'choice', or with 'answer'"
            )
    return made


def _kept(row: Document) -> Json:
    return {name: row.get(name) for name in COLUMNS} | {
        "truncated": row.get("truncated", row.get("truncated_articles"))
    }
