"""Answer extraction for a conclusion: whether it follows, is excluded, or stays open."""

from __future__ import annotations

import re

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.preparation import mask_reasoning, prepare
from polbias.eval.extraction.refusal import find_refusal

_LABELS = {
    "en": {"follows": "follows", "excluded": "excluded", "open": "open"},
    "de": {"folgt": "follows", "ausgeschlossen": "excluded", "offen": "open"},
}
"""Label of a verdict by its word in the language of the prompt."""


def extract_conclusion(text: str, language: str) -> Verdict:
    """Extract the final verdict on a conclusion: the last label in bold, else the last line if it is a label.

    Args:
        text: The response.
        language: Language of the prompt, such as "en-US".

    Returns:
        The verdict "follows", "excluded", "open", "refusal" or "unparsable".
    """
    labels = _LABELS[language.split("-")[0]]
    words = "|".join(labels)
    answer = mask_reasoning(text)
    matches = [
        *re.finditer(rf"\*\*\W*({words})\W*\*\*", answer, re.IGNORECASE),
    ] or [*re.finditer(rf"^(?:\w+:)?\W*({words})\W*\Z", answer, re.IGNORECASE | re.MULTILINE)]
    if matches:
        return Verdict(labels[matches[-1][1].lower()], "marker", matches[-1].span(1))
    prepared = prepare(text)
    if refusal := find_refusal(prepared.sentences, prepared.truncated):
        return Verdict("refusal", "refusal", refusal)
    return Verdict("unparsable", "truncated" if prepared.truncated else "no-verdict")
