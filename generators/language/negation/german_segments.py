"""The comma segments of a sentence: which belong to its main clause, and which are subordinate."""

from __future__ import annotations

from polbias.generators.authoring.negation.german_text import Token, segments
from polbias.generators.language import german_words as lexicon


def word_forms(sentence: list[Token], segment: list[int]) -> list[str]:
    """Return the words at some positions in lower case, without brackets and quotations."""
    return [sentence[position].low for position in segment if sentence[position].kind == "word"]


def _ends_in_zu_infinitive(words: list[str]) -> bool:
    if len(words) >= 2 and words[-2] == "zu" and (lexicon.is_infinitive(words[-1])):
        return True
    return bool(words) and lexicon.is_zu_infinitive(words[-1])


def _opens_subordinate(sentence: list[Token], segment: list[int], first_segment: bool) -> str:
    """Return "sure", "maybe" or "" for whether a comma segment begins like a subordinate clause."""
    words = word_forms(sentence, segment)
    if not words:
        return ""
    first = words[0]
    second = words[1] if len(words) > 1 else ""
    if first in lexicon.SUBORDINATORS or (first == "so" and second == "dass"):
        return "sure"
    # At the beginning of a sentence "die" is an article.
    if first in lexicon.MAYBE_SUBORDINATORS or (first in lexicon.RELATIVES and not first_segment):
        return "maybe"
    if not first_segment and first in lexicon.PREPOSITIONS and second in lexicon.RELATIVES:
        return "maybe"
    if first in ("und", "auch", "selbst", "nur", "insbesondere", "ohne", "anstatt", "vor", "sondern") and (
        second in lexicon.SUBORDINATORS
    ):
        return "sure"
    return ""


def main_segments(sentence: list[Token]) -> tuple[list[list[int]], list[bool]]:
    """Return the comma segments and, for each, whether it belongs to the main clause."""
    parts = segments(sentence)
    main = [True] * len(parts)
    unfinished = False
    for number, part in enumerate(parts):
        words = word_forms(sentence, part)
        if not words:
            continue
        ends_in_verb = lexicon.is_verb_form(words[-1]) and not sentence[part[-1]].text[:1].isupper()
        opens = _opens_subordinate(sentence, part, number == 0)
        continued = unfinished and words[0] not in lexicon.FINITE
        verb_last = ends_in_verb and not any(word in lexicon.PLAINLY_FINITE for word in words[:-1])
        relative = (
            words[0] in lexicon.RELATIVES
            and number > 0
            and not any(word in lexicon.PLAINLY_FINITE for word in words)
        )
        if continued or opens == "sure" or (opens == "maybe" and (verb_last or relative)):
            main[number] = False
            unfinished = not ends_in_verb
        elif _ends_in_zu_infinitive(words) and not any(word in lexicon.PLAINLY_FINITE for word in words):
            # "ist, wenn möglich, zu verbieten" has nothing but the verb there, and stays.
            main[number] = len(words) <= 2 and number > 0 and words[0] == "zu" and not main[number - 1]
        else:
            unfinished = False
    # A conditional clause with its verb first: "Sollte X steigen, soll ..."
    if len(parts) > 1 and all(sentence[part[0]].low in lexicon.FINITE for part in parts[:2]):
        main[0] = False
    return parts, main
