"""Echoes of the prompt and its item in a response."""

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
"""End of an answer: end-of-text tokens, and the heading of a further item."""
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
"""JSON field without a value."""
_MIN_SENTENCE_WORDS = 3
"""Minimum words of a quotation that is a sentence of the item."""


def fields(text: str) -> list[re.Match[str]]:
    """Return the matches of the answer fields of a JSON object."""
    return [*_FIELD.finditer(text)] if _OBJECT.fullmatch(text) else []


def match_null_answer(text: str) -> re.Match[str] | None:
    """Return the match of an answer field of a JSON object that declines to answer."""
    return _UNANSWERED.search(text) if _OBJECT.fullmatch(text) else None


def mask_prompt_echo(text: str) -> str:
    """Mask reasoning and a repeated prompt, and cut the text after the answer.

    Of a JSON object only the answer field is kept; of several, the final ones.
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
"""Key before a JSON value, except keys of the repeated item."""


def quotation_mask(speaks: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    """Return a function that masks a quoted sentence by x of equal length, unless `speaks` matches."""

    def mask(quotation: re.Match[str]) -> str:
        text, before = quotation.group(), quotation.string[: quotation.start()][-40:].rstrip()
        if _VALUE.search(before):
            return text
        if len(text.split()) < _MIN_SENTENCE_WORDS or speaks.search(text):
            return text
        return text[0] + "x" * (len(text) - 2) + text[-1]

    return mask


def substitute_words(sentence: Sentence, words: Mapping[str, re.Pattern[str]]) -> Sentence:
    """Replace each match of a pattern by its word, keeping the offsets."""
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
"""Minimum length of a word sequence of the item that counts as an echo."""


def may_repeat_item(text: str, item: str) -> bool:
    """Whether a response can repeat the item: it is long, or shares a word of more than two letters."""
    if len(text) > SHORT:
        return True
    return not prepare(text).words.isdisjoint(prepare(item).words)


def replace_item_mentions(sentences: Sequence[Sentence], item: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Replace each word sequence that repeats the item by "this"."""
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
    """Return the span of the first match of a pattern in the original text."""
    for sentence in sentences:
        if match := pattern.search(sentence.text):
            return sentence.origin(*match.span())
    return None
