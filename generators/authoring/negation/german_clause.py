"""German clauses: segments and verb clusters."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.generators.authoring.negation.german_text import AbstentionError, GermanToken, segments
from polbias.generators.language import german_words as lexicon

# The verb cluster at the end of a clause: participles, infinitives, and the words that can follow them.


def _cluster_from(low: list[str], start: int) -> tuple[int, int]:
    """Return the extent of the verb cluster around the infinitive or participle at an index."""
    first, last = start, start
    while last + 1 < len(low) and low[last + 1] in lexicon.AFTER_PARTICIPLE | lexicon.AFTER_INFINITIVE | {
        "worden"
    }:
        last += 1
    while first and (
        lexicon.is_participle(low[first - 1])
        or (low[first] in lexicon.AFTER_INFINITIVE and lexicon.is_infinitive(low[first - 1]))
    ):
        # "verboten sein", "gelockert werden können"; two participles are adjacent only if joined by "und".
        if low[first] not in lexicon.AFTER_PARTICIPLE | lexicon.AFTER_INFINITIVE:
            break
        first -= 1
    if first and low[first - 1] == "zu":
        first -= 1
    if first > 1 and low[first - 1] in ("und", "oder", "sowie") and _same_form(low[first - 2], low[first]):
        return _cluster_from(low, first - 2)[0], last
    if first and low[first - 1] in ("zugute", "kennen", "spazieren"):
        first -= 1
    return first, last


def _same_form(left: str, right: str) -> bool:
    words = (left, right)
    return all(map(lexicon.is_participle, words)) or all(map(lexicon.is_infinitive, words))


def _closes(sentence: list[GermanToken], positions: list[int], last: int) -> bool:
    """Whether a verb cluster may end here: at the end, or before a word that can follow it."""
    if last + 1 >= len(positions):
        return True
    following, position = sentence[positions[last + 1]], positions[last]
    if positions[last + 1] != position + 1 or following.kind == "opaque":
        return True
    return (
        following.low in lexicon.NACHFELD | lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.ADVERSATIVE
    )


_JOINING = frozenset(["und", "oder", "sowie", "sondern", "aber", "statt", "anstatt"])


def find_cluster(sentence: list[GermanToken], positions: list[int], kind: str) -> tuple[int, int] | None:
    """Return the first and last index in `positions` of the verb cluster, or None."""
    clusters: list[tuple[int, int]] = []
    low = [sentence[position].low for position in positions]
    index = 0
    while index < len(positions):
        token = sentence[positions[index]]
        if token.kind == "word" and token.text[:1].islower() and _is_cluster_verb(token.low, kind):
            first, last = _cluster_from(low, index)
            if (kind != "sein" or _zu_or_participle(low[first])) and _closes(sentence, positions, last):
                clusters.append((first, last))
            index = max(index, last)
        index += 1
    if not clusters:
        return None
    merged = clusters[0]
    for first, last in clusters[1:]:
        if first > merged[1] + 1:
            if not _JOINING.isdisjoint(low[merged[1] + 1 : first]):
                raise AbstentionError(
                    "abstain:coordination", "two things are demanded, and to negate one is not to negate both"
                )
            raise AbstentionError(
                "abstain:structure", "there is more than one group of verbs after the finite verb"
            )
        merged = (min(merged[0], first), last)
    return merged


def _is_cluster_verb(word: str, kind: str) -> bool:
    if lexicon.is_infinitive(word) or lexicon.is_zu_infinitive(word):
        return True
    return kind in ("werden", "haben", "sein") and lexicon.is_participle(word)


def _zu_or_participle(word: str) -> bool:
    return word == "zu" or lexicon.is_zu_infinitive(word) or lexicon.is_participle(word)


# The comma segments of a sentence: main or subordinate.


def word_forms(sentence: list[GermanToken], segment: list[int]) -> list[str]:
    """Return the words at the positions in lower case, without brackets and quotations."""
    return [sentence[position].low for position in segment if sentence[position].kind == "word"]


def _ends_in_zu_infinitive(words: list[str]) -> bool:
    separate = words[-2:-1] == ["zu"] and lexicon.is_infinitive(words[-1])
    return separate or lexicon.is_zu_infinitive(words[-1])


def _opens_subordinate(words: list[str], first_segment: bool) -> str:
    """Return "sure", "maybe" or "": how surely a comma segment begins like a subordinate clause."""
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


def main_segments(sentence: list[GermanToken]) -> tuple[list[list[int]], list[bool]]:
    """Return the comma segments and, for each, whether it belongs to the main clause."""
    parts = segments(sentence)
    main = [True] * len(parts)
    unfinished = False
    for number, part in enumerate(parts):
        words = word_forms(sentence, part)
        if not words:
            continue
        ends_in_verb = lexicon.is_verb_form(words[-1]) and not sentence[part[-1]].text[:1].isupper()
        certainty = _opens_subordinate(words, number == 0)
        continued = unfinished and words[0] not in lexicon.FINITE
        verb_last = ends_in_verb and lexicon.PLAINLY_FINITE.isdisjoint(words[:-1])
        verbless = lexicon.PLAINLY_FINITE.isdisjoint(words)
        relative = words[0] in lexicon.RELATIVES and number > 0 and verbless
        if continued or certainty == "sure" or (certainty == "maybe" and (verb_last or relative)):
            main[number] = False
            unfinished = not ends_in_verb
        elif sentence[part[-1]].text[:1].islower() and _ends_in_zu_infinitive(words) and verbless:
            # "ist, wenn möglich, zu verbieten": only the verb follows, so it is in the main clause.
            main[number] = len(words) <= 2 and number > 0 and words[0] == "zu" and not main[number - 1]
        else:
            unfinished = False
    # A conditional clause with its verb first: "Sollte X steigen, soll ..."
    if len(parts) > 1 and all(sentence[part[0]].low in lexicon.FINITE for part in parts[:2]):
        main[0] = False
    return parts, main


# The main clause of a sentence by its topological fields: forefield, finite verb, middle field, verbs.


@dataclass(frozen=True, slots=True)
class GermanClause:
    """The fields of a main clause.

    Attributes:
        tokens: Tokens of the whole sentence.
        front: Positions before the finite verb; empty after a fronted subordinate clause.
        finite: Position of the finite verb.
        middle: Positions of the middle field.
        cluster: Positions of the verbs or the separated prefix at the end; may be empty.
        after: Positions after the verb cluster.
        kind: "modal", "werden", "sein", "haben" or "lexical", by the finite verb.
        verb: The lexical verb as an infinitive.
    """

    tokens: list[GermanToken]
    front: list[int]
    finite: int
    middle: list[int]
    cluster: list[int]
    after: list[int]
    kind: str
    verb: str

    def low(self, position: int) -> str:
        """Return the token at a position in lower case; "" after the end of the sentence."""
        return self.tokens[position].low if position < len(self.tokens) else ""

    @property
    def passive(self) -> bool:
        """Whether the verb is in the passive, or is a "zu" infinitive with "sein"."""
        forms = {self.low(position) for position in self.cluster}
        auxiliary = "werden" in forms or self.kind == "werden"
        return (auxiliary and any(map(lexicon.is_participle, forms))) or (self.kind == "sein" and bool(forms))


def _find_finite(sentence: list[GermanToken], main: list[int], fronted: bool) -> int:
    """Return the index in `main` of the finite verb, or raise."""
    low = [sentence[position].low for position in main]
    for index, word in enumerate(low):
        if word in lexicon.FINITE and (index or fronted):
            if index and low[index - 1] == "zu":
                continue
            if index + 1 < len(low) and low[index + 1] in lexicon.MODAL and index:
                raise AbstentionError("abstain:structure", "a verb precedes the finite verb")
            return index
    for index in range(0 if fronted else 1, len(low)):
        position = main[index]
        before = sentence[main[index - 1]] if index else None
        person = low[index - 1] if index else ""
        if not lexicon.is_finite_lexical(low[index], person) or sentence[position].text[:1].isupper():
            continue
        complete = (
            before is None
            or before.kind == "opaque"
            or lexicon.is_noun(before.text)
            or (before.low in lexicon.PRONOUNS | lexicon.FRAME_ADVERBS or before.text[-1:].isdigit())
        )
        # "in Italien geborene Kinder": a participle before its noun is not a finite verb.
        attribute = low[index].endswith(("ten", "en")) and _attribute_follows(sentence, main, index)
        if complete and not attribute:
            return index
    raise AbstentionError("abstain:no-verb", "no finite verb was found, so there is no clause to negate")


def _attribute_follows(sentence: list[GermanToken], main: list[int], index: int) -> bool:
    """Whether a finite verb follows, so that this form is an attribute of the next noun."""
    if index + 1 >= len(main) or not lexicon.is_noun(sentence[main[index + 1]].text):
        return False
    return any(lexicon.is_finite_lexical(sentence[position].low) for position in main[index + 2 :])


def _lexical_verb(sentence: list[GermanToken], cluster: list[int], finite: int, kind: str) -> str:
    """Return the lexical verb: the first of the cluster, or the finite verb with its separated prefix."""
    if kind == "lexical":
        prefix = sentence[cluster[0]].low if cluster else ""
        return prefix + lexicon.verb_lemma(sentence[finite].low)
    words = [sentence[position].low for position in cluster if sentence[position].low != "zu"]
    return lexicon.verb_lemma(words[0]) if words else {"sein": "sein", "haben": "haben"}.get(kind, "werden")


def parse(sentence: list[GermanToken]) -> GermanClause:
    """Return the fields of the main clause of a sentence."""
    parts, is_main = main_segments(sentence)
    main = [position for part, in_main in zip(parts, is_main, strict=True) if in_main for position in part]
    if not main:
        raise AbstentionError("abstain:no-verb", "there is no main clause")
    fronted = not is_main[0]
    words = word_forms(sentence, main)
    if len(words) > 1 and lexicon.is_infinitive(words[0]) and words[1] in ("sie", "wir"):
        raise AbstentionError("abstain:structure", "the clause is a request")
    index = _find_finite(sentence, main, fronted)
    finite, following = main[index], main[index + 1 :]
    if index == 0 and not fronted:
        raise AbstentionError("abstain:structure", "the clause begins with its verb")
    word = sentence[finite].low
    kind = next((name for name, forms in lexicon.AUXILIARIES.items() if word in forms), "lexical")
    extent = find_cluster(sentence, following, kind) if kind != "lexical" else None
    if extent is None and kind in ("lexical", "haben"):
        extent = _separated_prefix(sentence, following)
    if extent is None and kind == "modal":
        raise AbstentionError("abstain:structure", "the verb that belongs to the modal verb was not found")
    first, last = extent or (len(following), len(following))
    cluster, after = following[first : last + 1], following[last + 1 :]
    middle = following[:first]
    if not cluster:
        middle, after = _before_clause(sentence, middle)
    if any(sentence[position].low in lexicon.PLAINLY_FINITE for position in (after if cluster else middle)):
        raise AbstentionError("abstain:several-claims", "the statement makes more than one claim")
    return GermanClause(
        tokens=sentence,
        front=main[:index],
        finite=finite,
        middle=middle,
        cluster=cluster,
        after=after,
        kind=kind,
        verb=_lexical_verb(sentence, cluster, finite, kind),
    )


def _before_clause(sentence: list[GermanToken], middle: list[int]) -> tuple[list[int], list[int]]:
    """Split a middle field without final verbs at the subordinate clause that ends it."""
    for index in range(1, len(middle)):
        between = sentence[middle[index - 1] + 1 : middle[index]]
        if any(token.kind != "mark" for token in between):
            return middle[:index], middle[index:]
    return middle, []


def _separated_prefix(sentence: list[GermanToken], positions: list[int]) -> tuple[int, int] | None:
    """Return the extent of the separated prefix of a verb, or None."""
    if (
        positions
        and sentence[positions[-1]].low in lexicon.PREFIXES
        and sentence[positions[-1]].text.islower()
    ):
        return len(positions) - 1, len(positions) - 1
    return None
