"""Words of the prompt and of its item in a response."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from polbias.eval.extraction.preparation import SHORT, mask_reasoning, prepare
from polbias.eval.extraction.tokens import AnswerToken, Sentence

_STOP = re.compile(
    r"</s>|<\|(?:endoftext|end_of_text|end(?!\|><\|start)|eot_id|eom_id|im_end)\|>|\[/?INST\]"
    r"|\n#{2,} (?=\W{0,3}(?:question|statement|prompt|input|instructions?|tasks?|examples?|user|human|next"
    r"|claim|response|article|artikel|frage|behauptung|eingabe|anweisung|aufgabe|beispiel|antworte)\b)",
    re.IGNORECASE,
)
"""What ends an answer: marks of its end, and the heading of a further item."""
_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{.*\}\s*(?:```\s*)?", re.DOTALL)
_ANSWER_KEY = (
    r'["\'](?:\w+[_ -]|gesamt|end)?(?:answer|label|verdict|stance|judge?ment|classification|rating|position'
    r"|result|choice|selection|selected|option|decision|response|opinion|vote|view|evaluation|assessment"
    r"|antwort|urteil|bewertung|einschätzung|ergebnis|haltung|fazit|wahl|auswahl|entscheidung|stellungnahme|meinung"
    r"|choix|r[ée]ponse|avis|vot[eo]|[ée]valuation|jugement|d[ée]cision|risposta|scelta|giudizio|posizione"
    r"|true(?:[_ ]or[_ ]|[_ /])false|wahr(?:[_ ]oder[_ ]|[_ /])falsch|agree(?:[_ ]or[_ ]|[_ /])disagree"
    r"|valutazione|parere|respuesta|elecci[óo]n|opini[óo]n|postura|posici[óo]n|veredicto|valoraci[óo]n|juicio)"
    r'(?:[_ -]\w+)?["\']\s*:\s*["\']'
)
_WITHHELD = (
    r"(?:keine?|none|null|n/?a|refus\w*|declin\w*|abgelehnt|rifiut\w*"
    r"|no[nt]? (?:dispon\w+|available|applicable|espress\w+)|nicht verfügbar|(?:sin|senza|sans|ohne) \w+"
    r"|ningun\w*|nessun\w*|aucun\w*|abst\w*|enthalt\w*|skip\w*)\b"
)
_FIELD = re.compile(rf"""{_ANSWER_KEY}(?!{_WITHHELD})((?:[^"\\\n]|\\.)+?)["']\s*[,}}]""", re.IGNORECASE)
_UNANSWERED = re.compile(_ANSWER_KEY + _WITHHELD, re.IGNORECASE)
_FINAL = re.compile(r"\W(?:final|my|own|overall|total|gesamt|insgesamt|conclusion|fazit)", re.IGNORECASE)
_UNSET = re.compile(r"""["'][^"'\n]{1,40}["']\s*:\s*(?:null|None)\b""")
"""A field of JSON that says nothing."""
_MIN_SENTENCE_WORDS = 3
"""Quoted words are a sentence of the item if there are so many."""


def fields(text: str) -> list[re.Match[str]]:
    """Find the fields of an object of JSON that are called an answer."""
    return [*_FIELD.finditer(text)] if _OBJECT.fullmatch(text) else []


def match_null_answer(text: str) -> re.Match[str] | None:
    """Find a field of an object of JSON that is called an answer and says that there is none."""
    return _UNANSWERED.search(text) if _OBJECT.fullmatch(text) else None


def mask_prompt_echo(text: str) -> str:
    """Blank out thoughts and the prompt that an output repeats, and cut off what follows its answer.

    Of an object of JSON only the field that is called an answer is left, or the final one of several.
    """
    text = _UNSET.sub(lambda unset: " " * len(unset.group()), mask_reasoning(text))
    answers = fields(text)
    selected = [field for field in answers if _FINAL.match(field[0])] or answers
    if len(selected) == 1 or (
        selected and all(len(field[1].split()) < _MIN_SENTENCE_WORDS for field in selected)
    ):
        positions = {position for field in selected for position in range(*field.span(1))}
        return "".join(sign if position in positions else "\n" for position, sign in enumerate(text))
    closing = text.rfind("[/INST]")
    if "[INST]" in text[: max(closing, 0)]:
        start = closing + len("[/INST]")
        text = " " * start + text[start:]
    for stop in _STOP.finditer(text):
        if text[: stop.start()].strip():
            return text[: stop.start()]
        text = " " * stop.end() + text[stop.end() :]
    return text


_VALUE = re.compile(
    r"""(?<!claim)(?<!statement)(?<!behauptung)(?<!aussage)(?<!text)["']\s?:$""", re.IGNORECASE
)
"""What stands before a value of JSON, other than the item repeated."""


def quotation_mask(speaks: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    """Return what hides a quoted sentence of the item, whose words are no verdict, in a word as long."""

    def mask(quotation: re.Match[str]) -> str:
        text, before = quotation.group(), quotation.string[: quotation.start()][-40:].rstrip()
        if _VALUE.search(before):
            return text
        if len(text.split()) < _MIN_SENTENCE_WORDS or speaks.search(text):
            return text
        return text[0] + "x" * (len(text) - 2) + text[-1]

    return mask


def substitute_words(sentence: Sentence, words: Mapping[str, re.Pattern[str]]) -> Sentence:
    """Put the words of one question for those of another; each keeps its place in the text."""
    for word, pattern in words.items():
        while spans := [sentence.origin(*match.span()) for match in pattern.finditer(sentence.text)]:
            merged = [
                [token for token in sentence.tokens if low <= token.start < high] for low, high in spans
            ]
            tokens = {*sentence.tokens}.difference(*merged)
            tokens |= {
                AnswerToken(word, *span, any(t.marked for t in token_group))
                for span, token_group in zip(spans, merged, strict=True)
            }
            sentence = Sentence(tuple(sorted(tokens, key=lambda token: token.start)))
    return sentence


_MIN_ECHO_WORDS = 4
"""So many words in a row that also stand in a row in the item are an echo of it."""


def may_repeat_item(text: str, item: str) -> bool:
    """Whether an output can repeat the item: a long one, or one that has more than a short word of it."""
    if len(text) > SHORT:
        return True
    return not prepare(text).words.isdisjoint(prepare(item).words)


def replace_item_mentions(sentences: Sequence[Sentence], item: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Put one "this" for each stretch that repeats the item, or most of a short one."""
    item_words = [token.text for sentence in item for token in sentence.tokens if token.text[0].isalnum()]
    size = min(_MIN_ECHO_WORDS, len(item_words))
    runs = (
        {tuple(item_words[start : start + size]) for start in range(len(item_words) - size + 1)}
        if size
        else set()
    )
    return tuple(_replace_runs(sentence, runs, size) for sentence in sentences) if runs else tuple(sentences)


def _replace_runs(sentence: Sentence, runs: Set[tuple[str, ...]], size: int) -> Sentence:
    words = [number for number, token in enumerate(sentence.tokens) if token.text[0].isalnum()]
    echoed: set[int] = set()
    for start in range(len(words) - size + 1):
        run = words[start : start + size]
        if tuple(sentence.tokens[number].text for number in run) in runs:
            echoed.update(range(run[0], run[-1] + 1))
    tokens = []
    for number, token in enumerate(sentence.tokens):
        if number not in echoed:
            tokens.append(token)
        elif number - 1 not in echoed:
            tokens.append(replace(token, text="this", marked=False))
    return Sentence(tuple(tokens))


def first_match(pattern: re.Pattern[str], sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """Where the first match of a pattern stands in the original text."""
    for sentence in sentences:
        if match := pattern.search(sentence.text):
            return sentence.origin(*match.span())
    return None
