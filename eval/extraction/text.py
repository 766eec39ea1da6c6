"""The text of an answer: without thoughts and markup, as tokens, without the words of its question."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeVar

from polbias.aliases import Document

# Tokens and sentences of a model output, which know where they stand in the original text.
# Each token is normalised on its own (NFKC, lower case, plain quotes), so that no normalisation can
# shift an offset. Patterns are matched against ``Sentence.text``, the tokens joined by single spaces,
# without any markup.

MAX_TOKENS = 150
"""A longer run of tokens without an end of sentence is cut into pieces of this length."""

_LABEL = (
    r"(?:strongly )?(?:dis)?agree|support|oppose|(?:dis)?approve|in favou?r|against|beneficial|harmful"
    r"|(?:un)?favou?rable|true|false|(?:in)?valid|yes|no|ja|nein|wahr|falsch|(?:un)?gültig|zustimmung|ablehnung"
    r"|oui|non|s[iì]|zustimmen|ablehnen|vrai|faux|vero|falso|verdadero|favorevole|contrario"
    r"|[^\W\d_]+(?:['’ ][^\W\d_]+)+"  # of several words
)
"""What stands in angle brackets and is no tag: a label as its prompt may write it."""
_TOKEN = re.compile(
    # LaTeX commands, tags, an unticked box with its word, and what is struck out are no tokens
    r"(?P<skip>\\(?:boxed|fbox|text\w{0,6}|math\w{0,6}|emph|underline|quad|rightarrow)\b"
    rf"|<(?!(?i:{_LABEL})>)/?[a-zA-Z|][^<>\n]{{0,40}}>"
    r"|(?:\[ ?\]|☐|⬜|○)[^\w\n]{0,5}\w+|~~[^~\n]{1,200}~~)"
    r"|(?P<word>[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]|(?<=[^\W_])['’·‧](?=[^\W_]))*)"
    r"|(?P<mark>\.{2,}|[-=]+>|--+|[.,;:()?!…/|=→⇒—–．，；：（）？！。✅✔☑❌✗✘⊨⊢⊭⊬])"
    r"|(?P<dash>(?<!\S)-(?=\s)|(?<![^\n])[*•+](?=\s))"
)
_OPENING = re.compile(r"(?:[*_`\"'“”„»‘’＊＿＂]|[«\[{(>✅❌✓✗✔✘☑]\s?)$")
_CLOSING = re.compile(r"[.!,:;]?[*_`\"'“”«’＊＿＂]|\s?[»\]})<]")
_BULLET = re.compile(r"—|\d+ [.)]|[a-z] [.)]|\( \w \)")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff·‧"))
_PLAIN = str.maketrans({"’": "'", "–": "—", "⇒": "→", "…": ".", "。": ".", "ß": "ss"})
_ABBREVIATIONS = re.compile(r"[eigzbduha]|etc|bzw|ca|dr|mrs?|ms|vs|cf|resp|usw|vgl|evtl|ggf|inkl|st|nr")


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """One word or punctuation mark.

    Attributes:
        text: Its normalised form.
        start: Where it begins in the original text.
        end: Where it ends there.
        marked: Whether quotes, brackets, emphasis or a box touch it.
    """

    text: str
    start: int
    end: int
    marked: bool = False


@dataclass(frozen=True)
class Sentence:
    """A run of tokens up to the end of a sentence or of a line.

    Attributes:
        tokens: The tokens, at least one.
        text: The tokens joined by single spaces.
    """

    tokens: tuple[AnswerToken, ...]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(token.text for token in self.tokens))

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(token.text) + 1 for token in self.tokens), initial=0))[:-1]

    @property
    def listed(self) -> bool:
        """Whether the sentence is an item of a list."""
        return bool(_BULLET.match(self.text))

    def covered(self, start: int, end: int) -> tuple[AnswerToken, ...]:
        """Return the tokens that a stretch of ``text`` touches."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = max(bisect_right(self._starts, max(end - 1, start)), first + 1)
        return self.tokens[first:last]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Translate a stretch of ``text`` into offsets of the original text."""
        tokens = self.covered(start, end)
        return tokens[0].start, tokens[-1].end

    def place(self, low: int, high: int) -> tuple[int, int]:
        """Translate offsets of the original text into a stretch of ``text``."""
        inner = [number for number, token in enumerate(self.tokens) if low <= token.start < high]
        return self._starts[inner[0]], self._starts[inner[-1]] + len(self.tokens[inner[-1]].text)


def split_sentences(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Split a stretch of text into sentences.

    A sentence ends at a full stop, question or exclamation mark, at an empty line, and at a line
    break unless the next line goes on in lower case.
    """
    tokens: list[AnswerToken] = []
    position = start
    for match in _TOKEN.finditer(text, start, end):
        gap = text[position : match.start()]
        if tokens and (len(tokens) >= MAX_TOKENS or _breaks(gap, match.group(), tokens)):
            yield Sentence(tuple(tokens))
            tokens = []
        position = match.end()
        if match.lastgroup != "skip":
            tokens.append(_token(text, match, start, end))
    if tokens:
        yield Sentence(tuple(tokens))


def _token(text: str, match: re.Match[str], start: int, end: int) -> AnswerToken:
    """Normalise one token."""
    low, high = match.span()
    if match.lastgroup != "word":
        form = unicodedata.normalize("NFKC", match.group().translate(_PLAIN)).translate(_PLAIN)
        dash = match["dash"] or form.startswith("--")
        return AnswerToken("→" if form.endswith(">") else "—" if dash else form[0], low, high)
    before, after = text[max(start, low - 2) : low], text[high : min(end, high + 3)]
    return AnswerToken(_normal(match.group()), low, high, _touched(before, after))


@lru_cache(maxsize=1 << 15)
def _normal(word: str) -> str:
    """Normalise a word; the same ones come again and again."""
    plain = unicodedata.normalize("NFKC", word.translate(_INVISIBLE))
    return "".join(plain.split()).lower().translate(_PLAIN)


@lru_cache(maxsize=1 << 13)
def _touched(before: str, after: str) -> bool:
    """Say whether quotes, brackets, emphasis or a box stand in the few signs around a word."""
    return bool(_OPENING.search(before) or _CLOSING.match(after))


def _breaks(gap: str, following: str, tokens: list[AnswerToken]) -> bool:
    """Say whether a new sentence begins after a gap."""
    last = tokens[-1].text
    if last == "." and following[0] in ":;," and "\n" not in gap:
        return False
    if "\n" in gap or "\r" in gap:
        wrapped = gap.strip(" \t") in {"\n", "\r\n"} and following[0].islower()
        return not wrapped or last in ".?!"
    if last not in {".", "?", "!"} or not gap:
        return False
    if last == "." and len(tokens) > 1:
        before = tokens[-2].text
        numbered = (before.isdigit() or len(before) == 1) and len(tokens) == 2
        return not numbered and not _ABBREVIATIONS.fullmatch(before)
    return True


# Preparation of model outputs that all extractors of answers share.

Span = tuple[int, int]

CUT_OFF = "<think>"
"""What is kept in place of an answer that was cut off before it began: a thought that is never closed."""
NOT_REQUESTED = "[polbias: not asked]"
"""What stands in place of an answer that was never asked for, as nothing hangs on it any more."""


class Response(str):
    """An answer of a model, with what its server said beside the text.

    Args:
        text: the answer.
        about: ``finish_reason``, ``reasoning`` (thoughts beside the text) and ``usage`` (tokens), as far as
            they were said.
    """

    about: Document

    def __new__(cls, text: str, about: Document | None = None) -> Response:
        """Make a text that knows what was said beside it."""
        made = super().__new__(cls, text)
        made.about = about or {}
        return made


def ended(text: str) -> str | None:
    """Why a server ended an output, where it said so."""
    return text.about.get("finish_reason") if isinstance(text, Response) else None


_Outcome = TypeVar("_Outcome")


def remembered(read: Callable[..., _Outcome], size: int = 1 << 16) -> Callable[..., _Outcome]:
    """A reader that keeps what it made of the same text, ended for the same reason."""

    @lru_cache(maxsize=size)
    def cached(text: str, reason: str | None, *question: Hashable) -> _Outcome:
        return read(Response(text, {"finish_reason": reason} if reason else None), *question)

    def reader(text: str, *question: Hashable) -> _Outcome:
        return cached(str(text), ended(text), *question)  # the cache holds no thoughts

    return reader


HEAD, TAIL = 8_000, 24_000
"""Of a longer output only so many characters at its beginning and at its end are read."""

_MARK = re.compile(
    r"<(?P<tag>/?)(?:\w{1,8}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|inner_monologue)>"
    r"|\[(?P<bracket>/?)think\]|◁(?P<mark>/?)think▷|<\|channel>(?:thought)?|<(?P<turned>channel\|>)"
    r"|<\|(?:begin_of_thought|start_thinking|inner_prefix"
    r"|(?P<word>end_of_thought|end_thinking|start_response|inner_suffix))\|>"
    r"|<\|(?:start\|>assistant<\|)?channel\|>\s?(?:analysis|commentary|(?P<channel>final))\b"
    r"(?:[^<\n]{0,80}(?:<\|constrain\|>\w{0,20})?<\|message\|>)?"
    r"|assistant(?-i:analysis|commentary|(?P<stripped>final))",
    re.IGNORECASE,
)
"""What opens a thought; what closes one has a group that is not empty."""
SHORT = 1_000
"""Characters of a text that is kept when it is prepared."""
_MARK_TAIL = 200
"""Characters at the end of a prompt among which a mark can be its last word."""
_STRIPPED = re.compile(r"\s*(?:analysis|commentary)(?=[^\W_]|[\"“„«(\[*]|\s*\Z)")
"""How an output of gpt-oss begins once its special tokens are left out: "analysisWe must say". An ordinary
answer has a sign or a space after the word."""
_UNFINISHED = re.compile(r"(?:\w|[,:;(\[{–—-]|(?<=\s)[*_`\"'„“#]+)\s*$")


_FEW_LETTERS = 2


@dataclass(frozen=True)
class PreparedAnswer:
    """An output without its thinking.

    Attributes:
        sentences: The sentences of the visible answer.
        truncated: Whether the output breaks off: a thought is never closed, or the last
            sentence has no end.
    """

    sentences: tuple[Sentence, ...]
    truncated: bool

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all sentences but the shortest, which tell no echo."""
        words = (token.text for sentence in self.sentences for token in sentence.tokens)
        return frozenset(word for word in words if len(word) > _FEW_LETTERS)


def prepare(text: str) -> PreparedAnswer:
    """Strip the thinking from an output and split the rest into sentences.

    A closed ``<think>`` block is dropped, as is all before a closing tag that was never opened;
    a block that is opened and never closed is dropped and makes the answer truncated. So are the marks
    of other models, and the channels of gpt-oss with and without their special tokens.
    """
    return _prepared(text) if len(text) <= SHORT else _prepared.__wrapped__(text)


@lru_cache(maxsize=1 << 12)
def _prepared(text: str) -> PreparedAnswer:
    """Prepare a text; a statement is asked about many times, and short answers come again and again."""
    outside, unfinished = _outside(text)
    stretches = _window(list(_trim(outside, text)))
    sentences = tuple(sentence for span in stretches for sentence in split_sentences(text, *span))
    tail = text[max(stretches[-1][0], stretches[-1][1] - 200) : stretches[-1][1]] if stretches else ""
    return PreparedAnswer(sentences, unfinished is not None or bool(_UNFINISHED.search(tail)))


LIMITS = frozenset(
    {
        *("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"),
        *("model_length", "model_context_window_exceeded", "too_long"),
    }
)
"""Why an answer ended that had no more room, in the words of servers; ``too_long`` is ours."""
_OPEN = re.compile(r"[,(\[{„–—]\s*$")


def cut_off(text: str, dangling: re.Pattern[str]) -> bool:
    """Say whether there is evidence that an output was cut off, not only that its last word has no full stop.

    The server says so, a thought is never closed, or, where the server says nothing, the text ends in a word
    or sign that asks for more.
    """
    reason = ended(text)
    if reason in LIMITS or _outside(text)[1] is not None:
        return True
    tail = text.rstrip()[-200:]
    return reason is None and bool(_OPEN.search(tail) or dangling.search(tail.lower()))


def continued(prompt: str, text: str, end: str | None = None, thinking: bool = False) -> str:
    """Return an output that knows its thought, which its prompt may have opened and ``end`` may close.

    A thought that the prompt opened, or must have (``thinking``), and that the output never closes is opened
    again, so that it can be told.
    """
    if end and end in text:
        thought, _, answer = text.rpartition(end)
        return Response(answer.lstrip(), {"reasoning": thought} if thought.strip() else None)
    if not thinking:
        marks = [*_MARK.finditer(prompt, max(0, len(prompt) - _MARK_TAIL))]
        thinking = bool(marks) and not any(marks[-1].groups()) and not prompt[marks[-1].end() :].strip()
    if not thinking or text.startswith(CUT_OFF):
        return text
    return text if any(any(mark.groups()) for mark in _MARK.finditer(text)) else CUT_OFF + text


def visible(text: str) -> str:
    """Return an output without its thinking and without white space at its ends."""
    return "".join(text[start:end] for start, end in _outside(text)[0]).strip()


def blanked(text: str) -> str:
    """Return an output with line breaks for its thinking, in which every character stands where it stood.

    The mark that opens a thought which is never closed is left, so that it can still be told.
    """
    stretches, opened = _outside(text)
    kept, position = [], 0
    for start, end in (*stretches, *([opened] if opened else ())):
        kept += ["\n" * (start - position), text[start:end]]
        position = end
    return "".join((*kept, "\n" * (len(text) - position)))


def _outside(text: str) -> tuple[list[Span], Span | None]:
    """Return the stretches outside thoughts, and the mark that opens a thought which is never closed."""
    stretches: list[Span] = []
    stripped = _STRIPPED.match(text)
    opened = stripped.span() if stripped else None
    position = 0
    for mark in _MARK.finditer(text):
        if any(mark.groups()):
            if opened is None:
                stretches.clear()
            position, opened = mark.end(), None
        elif opened is None:
            stretches.append((position, mark.start()))
            opened = mark.span()
    if opened is None:
        stretches.append((position, len(text)))
    return stretches, opened


def _trim(stretches: Sequence[Span], text: str) -> Iterator[Span]:
    """Take the white space off the ends of stretches, and drop empty ones."""
    for start, end in stretches:
        inner = text[start:end]
        span = end - len(inner.lstrip()), start + len(inner.rstrip())
        if span[0] < span[1]:
            yield span


def _window(stretches: list[Span]) -> list[Span]:
    """Cut the middle out of a very long output."""
    size = sum(end - start for start, end in stretches)
    if size <= HEAD + TAIL:
        return stretches
    return [*_take(stretches, 0, HEAD), *_take(stretches, size - TAIL, size)]


def _take(stretches: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """Yield what lies between two positions counted along the stretches."""
    seen = 0
    for start, end in stretches:
        first, last = max(low - seen, 0), min(high - seen, end - start)
        if first < last:
            yield start + first, start + last
        seen += end - start


# What the extractors share that read one question in the words of another, or in those of its prompt.

_STOP = re.compile(
    r"</s>|<\|(?:endoftext|end_of_text|end(?!\|><\|start)|eot_id|eom_id|im_end)\|>|\[/?INST\]"
    r"|\n#{2,} (?=\W{0,3}(?:question|statement|prompt|input|instructions?|tasks?|examples?|user|human|next"
    r"|claim|response|article|artikel|frage|behauptung|eingabe|anweisung|aufgabe|beispiel|antworte)\b)",
    re.IGNORECASE,
)
"""What ends an answer: marks of its end, and the heading of a further item."""
_OBJECT = re.compile(r"\s*(?:```\w*\s*)?\{.*\}\s*(?:```\s*)?", re.DOTALL)
_NAMED = (
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
_FIELD = re.compile(rf"""{_NAMED}(?!{_WITHHELD})((?:[^"\\\n]|\\.)+?)["']\s*[,}}]""", re.IGNORECASE)
_UNANSWERED = re.compile(_NAMED + _WITHHELD, re.IGNORECASE)
_FINAL = re.compile(r"\W(?:final|my|own|overall|total|gesamt|insgesamt|conclusion|fazit)", re.IGNORECASE)
_UNSET = re.compile(r"""["'][^"'\n]{1,40}["']\s*:\s*(?:null|None)\b""")
"""A field of JSON that says nothing."""
_SENTENCE = 3
"""Quoted words are a sentence of the item if there are so many."""


def fields(text: str) -> list[re.Match[str]]:
    """Find the fields of an object of JSON that are called an answer."""
    return [*_FIELD.finditer(text)] if _OBJECT.fullmatch(text) else []


def unanswered(text: str) -> re.Match[str] | None:
    """Find a field of an object of JSON that is called an answer and says that there is none."""
    return _UNANSWERED.search(text) if _OBJECT.fullmatch(text) else None


def own_words(text: str) -> str:
    """Blank out thoughts and the prompt that an output repeats, and cut off what follows its answer.

    Of an object of JSON only the field that is called an answer is left, or the final one of several.
    """
    text = _UNSET.sub(lambda unset: " " * len(unset.group()), blanked(text))
    answers = fields(text)
    kept = [field for field in answers if _FINAL.match(field[0])] or answers
    if len(kept) == 1 or (kept and all(len(field[1].split()) < _SENTENCE for field in kept)):
        places = {place for field in kept for place in range(*field.span(1))}
        return "".join(sign if place in places else "\n" for place, sign in enumerate(text))
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


def masking(speaks: re.Pattern[str]) -> Callable[[re.Match[str]], str]:
    """Return what hides a quoted sentence of the item, whose words are no verdict, in a word as long."""

    def mask(quotation: re.Match[str]) -> str:
        text, before = quotation.group(), quotation.string[: quotation.start()][-40:].rstrip()
        if _VALUE.search(before):
            return text
        if len(text.split()) < _SENTENCE or speaks.search(text):
            return text
        return text[0] + "x" * (len(text) - 2) + text[-1]

    return mask


def translated(sentence: Sentence, words: Mapping[str, re.Pattern[str]]) -> Sentence:
    """Put the words of one question for those of another; each keeps its place in the text."""
    for word, pattern in words.items():
        while spans := [sentence.origin(*match.span()) for match in pattern.finditer(sentence.text)]:
            merged = [
                [token for token in sentence.tokens if low <= token.start < high] for low, high in spans
            ]
            tokens = {*sentence.tokens}.difference(*merged)
            tokens |= {
                AnswerToken(word, *span, any(t.marked for t in each))
                for span, each in zip(spans, merged, strict=True)
            }
            sentence = Sentence(tuple(sorted(tokens, key=lambda token: token.start)))
    return sentence


_ECHO = 4
"""So many words in a row that also stand in a row in the item are an echo of it."""


def echoes(text: str, item: str) -> bool:
    """Whether an output can repeat the item: a long one, or one that has more than a short word of it."""
    if len(text) > SHORT:
        return True
    return not prepare(text).words.isdisjoint(prepare(item).words)


def without_item(sentences: Sequence[Sentence], item: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Put one "this" for each stretch that repeats the item, or most of a short one."""
    known = [token.text for sentence in item for token in sentence.tokens if token.text[0].isalnum()]
    size = min(_ECHO, len(known))
    runs = {tuple(known[start : start + size]) for start in range(len(known) - size + 1)} if size else set()
    return tuple(_without_runs(sentence, runs, size) for sentence in sentences) if runs else tuple(sentences)


def _without_runs(sentence: Sentence, runs: Set[tuple[str, ...]], size: int) -> Sentence:
    words = [number for number, token in enumerate(sentence.tokens) if token.text[0].isalnum()]
    echoed: set[int] = set()
    for start in range(len(words) - size + 1):
        run = words[start : start + size]
        if tuple(sentence.tokens[number].text for number in run) in runs:
            echoed.update(range(run[0], run[-1] + 1))
    kept = []
    for number, token in enumerate(sentence.tokens):
        if number not in echoed:
            kept.append(token)
        elif number - 1 not in echoed:
            kept.append(replace(token, text="this", marked=False))
    return Sentence(tuple(kept))


def first_match(pattern: re.Pattern[str], sentences: Sequence[Sentence]) -> tuple[int, int] | None:
    """Where the first match of a pattern stands in the original text."""
    for sentence in sentences:
        if match := pattern.search(sentence.text):
            return sentence.origin(*match.span())
    return None
