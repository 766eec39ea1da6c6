"""Bare replies to a yes-or-no question, as a whole response or at its beginning."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues, Patterns
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.tokens import Sentence


def whole_reply(sentences: Sequence[Sentence], patterns: Patterns, punctuation: str) -> Verdict | None:
    """Return the verdict of a response that consists of one label."""
    if len(sentences) != 1:
        return None
    text = sentences[0].text.strip(punctuation)
    for label, pattern in patterns.items():
        if pattern.fullmatch(text):
            return Verdict(label, "reply", sentences[0].origin(0, len(sentences[0].text)))
    return None


_FLAG = re.compile(
    r"""[{,]\s{0,99}["']([^"'\n]{1,40})["']\s{0,9}:\s{0,9}(true|false|null|none|-?\d+(?:\.\d+)?)\b""",
    re.IGNORECASE,
)
_TEXT_FIELD = re.compile(r"""[{,]\s{0,99}["']([^"'\n]{1,40})["']\s{0,9}:\s{0,9}["'\[]""")
_UNDECIDED_FIELD = re.compile(
    r""":\s{0,9}["'](?:unclear|mixed|uncertain|undecided|neutral|ambiguous|unknown|depends)\b""",
    re.IGNORECASE,
)
_YES, _NO, _NULL = {"true", "1", "1.0"}, {"false", "0", "0.0"}, {"null", "none"}


def read_boolean_json(text: str, labels: Patterns) -> Verdict | None:
    """Return the verdict of JSON with the two labels as keys of booleans; fractions are contradictions.

    Unparsable if both labels are keys of texts, or if another field is undecided.
    """
    text_fields = list(_TEXT_FIELD.finditer(text))
    labels_with_text = {
        side for field in text_fields for side, label in labels.items() if label.fullmatch(field[1].lower())
    }
    undecided = _UNDECIDED_FIELD.search(text) if len(text_fields) > 1 else None
    if undecided or len(labels_with_text) == len(text_fields) > 1:
        return Verdict("unparsable", "contradiction", (undecided or text_fields[-1]).span())
    booleans = [
        (label, match[2].lower(), match.span())
        for match in _FLAG.finditer(text)
        for label, pattern in labels.items()
        if pattern.fullmatch(match[1].lower()) and match[2].lower() not in _NULL
    ]
    if not booleans:
        return None
    first, second = labels
    votes = {label if value in _YES else first if label == second else second for label, value, _ in booleans}
    if len(votes) > 1 or not all(value in _YES | _NO for _, value, _ in booleans):
        return Verdict("unparsable", "contradiction", booleans[-1][2])
    return Verdict(votes.pop(), "marker", booleans[-1][2])


def strip_json_booleans(text: str) -> str:
    """Mask the booleans and numbers of JSON, which decide nothing if both labels have the same value."""
    return _FLAG.sub(lambda flag: flag[0][0] + " " * (len(flag[0]) - 1), text)


def require_own_voice(verdict: Verdict, cues: Cues, sentences: Sequence[Sentence]) -> Verdict:
    """Return the verdict, or "no-verdict" for a refusal that is not in the first person."""
    if verdict.label == "refusal" and not first_match(cues["own_voice"], sentences):
        return Verdict("unparsable", "no-verdict")
    return verdict


def opening_reply(sentences: Sequence[Sentence], patterns: Patterns) -> Verdict | None:
    """Return the verdict of a yes or no at the beginning, after repeated questions."""
    sentences = [*itertools.dropwhile(lambda sentence: sentence.text.endswith("?"), sentences)]
    for label, pattern in patterns.items():
        match = pattern.match(sentences[0].text) if sentences else None
        if match:
            return Verdict(label, "reply", sentences[0].origin(*match.span()))
    return None
