"""Final checks of a verdict: an undecided or truncated response is unparsable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from polbias.eval.extraction.bare_reply import whole_reply
from polbias.eval.extraction.claims import IDENTITY_LABELS, Verdict
from polbias.eval.extraction.cues import Cues, Patterns, shared
from polbias.eval.extraction.preparation import is_cut_off, prepare
from polbias.eval.extraction.prompt_echo import fields, mask_prompt_echo
from polbias.eval.extraction.tokens import Sentence
from polbias.responses import LENGTH_FINISH_REASONS, finish_reason

STATEMENT_CUES = Cues("stated")
"""Cues of stated answers, in all supported languages."""
_NO_LABEL_REASONS = frozenset({"no-verdict", "no-choice", "empty"})
_NO_SIDE_LABELS = frozenset({"refusal", "unparsable", "both"})
_EXPLICIT_REASONS = frozenset({"marker", "self-correction"})
_MARKS = " .,;:!?—()[]{}|/=→"
_MAX_LABEL_TOKENS = 4
"""Maximum tokens of a line that is only a label."""
_MAX_FRAGMENT_WORDS = 3
"""Maximum words of a truncated clause."""
_REASON_START = re.compile(
    r"(?:(?:step|schritt|point|punkt|premise|prämisse) )?\d+ [.):—]|—"
    r"|(?:first|firstly|first of all|to (?:begin|start) with|erstens|zunächst|zuerst|als erstes"
    r"|d'abord|tout d'abord|premièrement|innanzitutto|per prima cosa|en primer lugar|primero)\b"
)
"""Beginning of the reasons of a response, in a list or in prose."""
_CLAUSE = re.compile(
    r"(?:(?:ist|is)\b ?)?(?:zunächst |first |initially )?(?: ?, )?(?:to say )?"
    r"(?:(?:with|avec|con) (?:(?!statement|propos|claim|assert|affirm|afirm|afferm)[\w']+ ){0,4}?)?"
    r"(?:that|dass|que|che|laquelle|lequel)\b"
)
"""Beginning of the object clause of a verdict."""
_REASON_TO = re.compile(
    r"\b(?:reasons?|arguments?|grounds|case|gründe|raisons|motivi|ragioni|razones)"
    r" (?:to|for|zu|für|pour|de|per|para)\b"
)
_IN_PART = re.compile(
    r"\b(?:insofern|insoweit|insofar|to the extent|dans la mesure|en la medida|nella misura)\b"
)
_SO_FAR = re.compile(r"(?:so|thus) far\b|bis hierhin\b|bis hierher\b|bislang\b|soweit\b")
_OPENING = re.compile(r"(?: ?, )?(?:that|dass|que|che)")
_SPEAKER = re.compile(r"(?:i|ich|je|yo|io|sono|estoy)\b")
_STATEMENT = re.compile(
    r"(?:(?:with|to|mit|avec|con) )?(?:the |this |der |dieser |cette |l'|questa |esta )?"
    r"(?:statement|proposition|claim|assertion|proposal|aussage|these|behauptung|affirmation|affermazione"
    r"|afirmación)"
)
"""The whole statement as the object of a verdict."""
_REASONS_HEADING = re.compile(
    r"(?:my |the |meine |mes |le mie |mis )?(?:reason|explanation|rationale|justification|because|why"
    r"|begründung|grund|gründe|erklärung|raison|explication|motiv|spiegazione|razones|explicación)"
)
"""Heading of reasons."""
_CLAUSE_END = re.compile(r"[.,;:—()]|\b(?:because|since|as|weil|da|denn)\b")
"""Boundary before which the answer is complete."""


def settle_verdict(verdict: Verdict, text: str, open_label: str | None = None) -> Verdict:
    """Return the verdict, or "unparsable" for a response that states indecision or is truncated.

    `open_label` is the label of a question to which indecision is an answer; indecision then counts only
    after another verdict.
    """
    if verdict.label in _NO_SIDE_LABELS:
        if (
            verdict.reason in _NO_LABEL_REASONS
            and verdict.label == "unparsable"
            and is_cut_off(text, shared("dangling"))
        ):
            return replace(verdict, reason="truncated")
        return verdict
    sentences = prepare(mask_prompt_echo(text)).sentences
    undecided = _find_indecision(sentences, verdict, field=bool(fields(text)))
    if undecided and open_label and verdict.span:
        undecided = undecided if verdict.label != open_label and undecided[0] >= verdict.span[1] else None
    if undecided:
        return Verdict("unparsable", "undecided", undecided)
    if sentences and _is_truncated(verdict, sentences, text):
        return replace(verdict, label="unparsable", reason="truncated")
    return verdict


def _find_indecision(
    sentences: Sequence[Sentence], verdict: Verdict, field: bool = False
) -> tuple[int, int] | None:
    """Return the span in which a response states indecision, unless a later explicit label decides."""
    item = _drop_further_items(sentences, verdict.span[1]) if verdict.span else sentences
    statements = [*_stated_answers(item, field)]
    if not statements:
        return None
    sentence, start = statements[-1]
    answer = _match_undecided_answer(sentence.text, start)
    if not answer:
        return None
    low, high = sentence.origin(*answer)
    line = _deciding_sentence(verdict, sentences)
    is_later_label = (
        line is not None and line.tokens[0].start >= high and len(line.tokens) <= _MAX_LABEL_TOKENS
    )
    return None if is_later_label and verdict.reason in _EXPLICIT_REASONS else (low, high)


def _deciding_sentence(verdict: Verdict, sentences: Sequence[Sentence]) -> Sentence | None:
    """Return the sentence in which the evidence of the verdict begins."""
    for sentence in sentences:
        start, end = sentence.tokens[0].start, sentence.tokens[-1].end
        if verdict.span is not None and start <= verdict.span[0] < end:
            return sentence
    return None


def first_item(sentences: Sequence[Sentence], labels: Patterns) -> Sequence[Sentence]:
    """Drop further items after a first line that is only a label."""
    is_label = bool(sentences) and sentences[0].text.strip(_MARKS) in IDENTITY_LABELS
    if not is_label and whole_reply(sentences[:1], labels, _MARKS) is None:
        return sentences
    return _drop_further_items(sentences, sentences[0].tokens[-1].end)


def _drop_further_items(sentences: Sequence[Sentence], answered: int) -> Sequence[Sentence]:
    """Drop further items that a response generates after the end of its answer."""
    for number, sentence in enumerate(sentences):
        if answered <= sentence.tokens[0].start and STATEMENT_CUES["continues"].match(sentence.text):
            return sentences[:number]
    return sentences


def _stated_answers(sentences: Sequence[Sentence], field: bool) -> Iterator[tuple[Sentence, int]]:
    """Yield the positions of stated answers: after a cue, in a field, or alone in the first or last line."""
    last = len(sentences) - 1
    lines = {0, last} if last or field else set()
    for number, sentence in enumerate(sentences):
        marks = [*STATEMENT_CUES["mark"].finditer(sentence.text)]
        if marks and sentence.text[marks[-1].end() :].strip(_MARKS):
            yield sentence, marks[-1].end()
        elif marks and number < last:
            yield sentences[number + 1], 0
        elif number in lines and STATEMENT_CUES["answer"].fullmatch(sentence.text.strip(_MARKS)):
            yield sentence, 0


def _match_undecided_answer(text: str, start: int) -> tuple[int, int] | None:
    """Return the span of an undecided answer at a position."""
    start += len(text[start:]) - len(text[start:].lstrip(_MARKS))
    answer = STATEMENT_CUES["answer"].match(text, start)
    if not answer:
        return None
    suffix = text[answer.end() :].strip()
    if (suffix and not STATEMENT_CUES["after"].match(suffix)) or STATEMENT_CUES["leaning"].search(suffix):
        return None
    return answer.span()


def _is_truncated(verdict: Verdict, sentences: Sequence[Sentence], text: str) -> bool:
    """Whether a response is truncated in the evidence of the verdict, or in a list that it introduces."""
    if verdict.span is None or not is_cut_off(text, shared("dangling")):
        return False
    last = sentences[-1]
    if finish_reason(text) in LENGTH_FINISH_REASONS and _is_qualified(verdict, sentences):
        return True
    if verdict.span[0] < last.tokens[0].start:
        in_list = verdict.reason not in _EXPLICIT_REASONS and _is_in_truncated_list(verdict, sentences)
        return in_list or (
            finish_reason(text) in LENGTH_FINISH_REASONS and _introduces_list(verdict, sentences)
        )
    marked = any(STATEMENT_CUES["mark"].search(sentence.text) for sentence in sentences[-2:])
    suffix = " ".join(token.text for token in last.tokens if token.start >= verdict.span[1])
    clause = _CLAUSE.match(suffix)
    if clause:
        is_first_person = (
            len(sentences) == 1 and _OPENING.fullmatch(clause.group()) and _SPEAKER.match(last.text)
        )
        suffix = suffix[clause.end() :]
        if len(suffix.split()) <= _MAX_FRAGMENT_WORDS:
            return not is_first_person  # "I agree that the": of the statement
    if len(sentences) > 1 and not marked and _REASON_START.match(last.text) and suffix.startswith(":"):
        return True
    if _CLAUSE_END.search(suffix):
        return verdict.reason == "mention" or bool(_SO_FAR.match(suffix))
    if suffix and _REASON_START.match(last.text):
        return True
    return len(sentences) > 1 and not marked and not _STATEMENT.match(suffix)


def _is_qualified(verdict: Verdict, sentences: Sequence[Sentence]) -> bool:
    """Whether a label is qualified, or only mentioned, before a response is truncated."""
    if verdict.span is None:
        return False
    position = verdict.span[1]
    behind = " ".join(
        token.text for sentence in sentences for token in sentence.tokens if token.start >= position
    )
    deciding = _deciding_sentence(verdict, sentences) or sentences[-1]
    if _IN_PART.search(deciding.text):
        return True
    is_complete = not any(token.start >= position for token in deciding.tokens) or not behind[:1].isalnum()
    if verdict.reason in _EXPLICIT_REASONS and (is_complete or STATEMENT_CUES["mark"].search(deciding.text)):
        return False
    return bool(_REASON_TO.search(deciding.text) or STATEMENT_CUES["turns"].search(behind))


def _introduces_list(verdict: Verdict, sentences: Sequence[Sentence]) -> bool:
    """Whether the deciding line is a heading of a list that does not contain its reasons."""
    deciding = _deciding_sentence(verdict, sentences)
    for sentence, following in pairwise(sentences):
        if sentence is deciding:
            heading = sentence.text.endswith(":") and not STATEMENT_CUES["mark"].search(sentence.text)
            line = sentence is sentences[0] and sentence.text[-1] not in ".!:"
            return heading or (
                line and following.text.endswith(":") and not _REASONS_HEADING.match(following.text)
            )
    return False


def _is_in_truncated_list(verdict: Verdict, sentences: Sequence[Sentence]) -> bool:
    """Whether the evidence of the verdict is the heading or an item of a truncated list."""
    last = sentences[-1]
    if not _REASON_START.match(last.text):
        return False
    heading = sentences[-2] if len(sentences) > 1 else last
    deciding = _deciding_sentence(verdict, sentences) or last
    return (deciding is heading and heading.text.endswith(":")) or bool(_REASON_START.match(deciding.text))
