"""The published prompt instructions, with their labels and the order in which they are printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from polbias.generators.auditing.probvaa.files import records

_LABELS = (
    ("agree", "disagree"),
    ("beneficial", "harmful"),
    ("favorable", "detrimental"),
    ("support", "oppose"),
)
_INVERTED = {"0": False, "1": True}
FILES = ("en_clf_templates_final.csv", "en_gpt_templates_final.csv")


@dataclass(frozen=True, slots=True)
class PublishedPrompt:
    """One prompt instruction.

    Attributes:
        file: its file.
        line: where it stands there.
        text: as published.
        personal: whether it asks for an opinion.
        label_agree: the label for agreement.
        label_disagree: the label for disagreement.
        label_order: "as-printed" if the label for agreement comes first, else "inverted", by the text.
        marked: the column ``inverted``; the first file has 1 for what it prints first, the second has 0.
        findings: what is wrong with it: "label-order-not-swapped", "doubled-word", "missing-space",
            "literal-placeholder".
    """

    file: str
    line: int
    text: str
    personal: bool
    label_agree: str
    label_disagree: str
    label_order: str
    marked: bool
    findings: tuple[str, ...]


def read_prompts(path: Path) -> list[PublishedPrompt]:
    """Read one of :data:`FILES`.

    Args:
        path: the file.

    Raises:
        InputError: if it cannot be read, or a text names none of the known pairs of labels.

    Source:
        Ceron et al., Table 7 and section 5.2.
    """
    found = []
    for record in records(path, ("template", "prompt_type", "inverted")):
        text = record["template"]
        places = [_places(text, pair) for pair in _LABELS]
        index = next((index for index, place in enumerate(places) if place), None)
        if index is None:
            record.fail("template", "two labels, such as agree and disagree")
        agree, disagree = places[index] or (0, 0)
        order = "as-printed" if agree < disagree else "inverted"
        marked = record.one_of("inverted", _INVERTED)
        swapped = marked == (path.name == FILES[1])
        checks = {
            "label-order-not-swapped": swapped != (order == "inverted"),
            "doubled-word": bool(re.search(r"\b(\w+) \1\b", text)),
            "missing-space": bool(re.search(r'\w"(?=\w)|"(?<=\w")(?=\w)', text)),
            "literal-placeholder": path.name == FILES[1] and "%s" in text,
        }
        found.append(
            PublishedPrompt(
                path.name,
                record.line,
                text,
                record.one_of("prompt_type", {"personal": True, "impersonal": False}),
                *_LABELS[index],
                order,
                marked,
                tuple(name for name, wrong in checks.items() if wrong),
            )
        )
    return found


def _places(text: str, pair: tuple[str, str]) -> tuple[int, int] | None:
    """Return where two labels stand first, if both do."""
    matches = [re.search(rf"\b{label}\b", text) for label in pair]
    return (matches[0].start(), matches[1].start()) if matches[0] and matches[1] else None
