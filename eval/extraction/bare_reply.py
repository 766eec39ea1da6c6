"""Responses that are a bare reply, or begin with one, to a question of yes or no."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from polbias.eval.extraction.claims import Verdict
from polbias.eval.extraction.cues import Cues, Patterns
from polbias.eval.extraction.prompt_echo import first_match
from polbias.eval.extraction.tokens import Sentence


def whole_reply(sentences: Sequence[Sentence], patterns: Patterns, marks: str) -> Verdict | None:
    """Read an output that is nothing but a reply."""
    if len(sentences) != 1:
        return None
    text = sentences[0].text.strip(marks)
    for label, pattern in patterns.items():
        if pattern.fullmatch(text):
            return Verdict(label, "reply", sentences[0].origin(0, len(sentences[0].text)))
    return None


_FLAG = re.compile(
    r"""[{,]\s{0,99}["']([^"'\n]{1,40})["']\s{0,9}:\s{0,9}(true|false|null|none|-?\d+(?:\.\d+)?)\b""",
    re.IGNORECASE,
)
_HEADING = re.compile(r"""[{,]\s{0,99}["']([^"'\n]{1,40})["']\s{0,9}:\s{0,9}["'\[]""")
_OPEN = re.compile(
    r""":\s{0,9}["'](?:unclear|mixed|uncertain|undecided|neutral|ambiguous|unknown|depends)\b""",
    re.IGNORECASE,
)
_YES, _NO, _UNSAID = {"true", "1", "1.0"}, {"false", "0", "0.0"}, {"null", "none"}


def read_boolean_json(text: str, labels: Patterns) -> Verdict | None:
    """Read two labels that are keys of JSON with a boolean each; numbers between 0 and 1 decide nothing.

    Where both are headings of arguments, or a further field leaves the matter open, nothing is decided.
    """
    headings = list(_HEADING.finditer(text))
    named = {side for each in headings for side, label in labels.items() if label.fullmatch(each[1].lower())}
    left_open = _OPEN.search(text) if len(headings) > 1 else None
    if left_open or len(named) == len(headings) > 1:
        return Verdict("unparsable", "contradiction", (left_open or headings[-1]).span())
    found = [
        (label, match[2].lower(), match.span())
        for match in _FLAG.finditer(text)
        for label, pattern in labels.items()
        if pattern.fullmatch(match[1].lower()) and match[2].lower() not in _UNSAID
    ]
    if not found:
        return None
    first, second = labels
    votes = {label if said in _YES else first if label == second else second for label, said, _ in found}
    if len(votes) > 1 or not all(said in _YES | _NO for _, said, _ in found):
        return Verdict("unparsable", "contradiction", found[-1][2])
    return Verdict(votes.pop(), "marker", found[-1][2])


def strip_json_booleans(text: str) -> str:
    """Return JSON without its booleans and numbers, which say nothing where both labels have the same."""
    return _FLAG.sub(lambda flag: flag[0][0] + " " * (len(flag[0]) - 1), text)


def require_own_voice(verdict: Verdict, cues: Cues, sentences: Sequence[Sentence]) -> Verdict:
    """Return a verdict; none for a refusal that is not said in the model's own voice."""
    if verdict.label == "refusal" and not first_match(cues["own_voice"], sentences):
        return Verdict("unparsable", "no-verdict")
    return verdict


def opening_reply(sentences: Sequence[Sentence], patterns: Patterns) -> Verdict | None:
    """Read a yes or no that begins an output which says nothing clearer, after the question or without it."""
    sentences = [*itertools.dropwhile(lambda sentence: sentence.text.endswith("?"), sentences)]
    for label, pattern in patterns.items():
        match = pattern.match(sentences[0].text) if sentences else None
        if match:
            return Verdict(label, "reply", sentences[0].origin(*match.span()))
    return None
